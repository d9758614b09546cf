//! Messages over two streams: a header with a length, an empty line, JSON.
//!
//! The transport of `lsp_server` believes every length it reads, and takes as much memory as it announces.
//! This one refuses what no editor sends, takes memory only for bytes that have come, and keeps the reason
//! why it ended.

use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use lsp_server::{Connection, Message, Notification};

/// A message has at most so many bytes. The largest text that a front end takes is far shorter.
const MAX_MESSAGE: u64 = 256 << 20;

/// A line of a header has at most so many bytes.
const MAX_HEADER_LINE: u64 = 4096;

/// Why what the client sent is not a message.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError {
    /// The length is missing from the header.
    #[error("a message has no Content-Length")]
    NoLength,
    /// A line of the header is not of the form `Name: value`, or does not end.
    #[error("a header is not of the form `Name: value`")]
    Header,
    /// The length is not a number.
    #[error("the Content-Length is not a number")]
    Length,
    /// The message is longer than any that is taken.
    #[error("a message of {length} bytes is announced, and at most {MAX_MESSAGE} are taken")]
    TooLong {
        /// The length that the header says.
        length: u64,
    },
    /// The stream ended inside of a message.
    #[error("the input ends inside of a message")]
    CutOff,
    /// The message is not JSON, or not of the protocol.
    #[error("a message is not of the protocol")]
    Content(#[from] serde_json::Error),
    /// The stream can't be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
}

/// The threads that read and write.
pub(crate) struct Transport {
    reader: JoinHandle<()>,
    writer: JoinHandle<io::Result<()>>,
    failure: Arc<Mutex<Option<ReceiveError>>>,
}

impl Transport {
    /// Starts both threads, and returns the connection that they serve.
    pub(crate) fn start(
        mut input: impl BufRead + Send + 'static,
        mut output: impl Write + Send + 'static,
    ) -> io::Result<(Connection, Transport)> {
        let (sender, to_write) = crossbeam_channel::bounded::<Message>(0);
        let (to_server, receiver) = crossbeam_channel::bounded::<Message>(0);
        let failure = Arc::new(Mutex::new(None));
        let kept = failure.clone();
        let reader = Builder::new().name("reader".to_owned()).spawn(move || {
            loop {
                match receive(&mut input) {
                    Ok(Some(message)) => {
                        let is_last = is_exit(&message);
                        if to_server.send(message).is_err() || is_last {
                            break;
                        }
                    }
                    Ok(None) => break,
                    Err(error) => {
                        // The server sees that nobody sends any more, and looks here for the reason.
                        *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        break;
                    }
                }
            }
        })?;
        let writer = Builder::new().name("writer".to_owned()).spawn(move || {
            to_write.into_iter().try_for_each(|message: Message| message.write(&mut output))
        })?;
        Ok((Connection { sender, receiver }, Transport { reader, writer, failure }))
    }

    /// Returns why the reader gave up, if it did.
    pub(crate) fn failure(&self) -> Option<ReceiveError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Waits for both threads: the connection must be gone, and the client have said goodbye.
    pub(crate) fn join(self) -> io::Result<()> {
        self.reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        self.writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn is_exit(message: &Message) -> bool {
    matches!(message, Message::Notification(Notification { method, .. }) if method == "exit")
}

/// Reads a message; there is none if the stream has ended.
fn receive(input: &mut impl BufRead) -> Result<Option<Message>, ReceiveError> {
    let Some(length) = length(input)? else { return Ok(None) };
    if length > MAX_MESSAGE {
        return Err(ReceiveError::TooLong { length });
    }
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Err(ReceiveError::CutOff);
    }
    Ok(Some(serde_json::from_slice(&bytes)?))
}

/// Reads a header, and returns the length that it says; there is none if the stream has ended.
fn length(input: &mut impl BufRead) -> Result<Option<u64>, ReceiveError> {
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        input.take(MAX_HEADER_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() && is_first {
            return Ok(None);
        }
        is_first = false;
        let line = line.strip_suffix(b"\r\n").ok_or(ReceiveError::Header)?;
        if line.is_empty() {
            return length.ok_or(ReceiveError::NoLength).map(Some);
        }
        let line = std::str::from_utf8(line).map_err(|_| ReceiveError::Header)?;
        let (name, value) = line.split_once(':').ok_or(ReceiveError::Header)?;
        if name.eq_ignore_ascii_case("Content-Length") {
            length = Some(value.trim().parse().map_err(|_| ReceiveError::Length)?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(text: &str) -> String {
        match receive(&mut text.as_bytes()) {
            Ok(Some(Message::Notification(notification))) => notification.method,
            Ok(Some(_)) => "another message".to_owned(),
            Ok(None) => "nothing".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn messages_are_read_and_others_refused() {
        let exit = r#"{"method":"exit"}"#;
        let cases = [
            (format!("Content-Length: {}\r\n\r\n{exit}", exit.len()), "exit"),
            (format!("content-length:{}\r\nContent-Type: x\r\n\r\n{exit}", exit.len()), "exit"),
            (String::new(), "nothing"),
            (format!("Content-Length: 99\r\n\r\n{exit}"), "the input ends inside of a message"),
            ("Content-Length: 9".to_owned(), "a header is not of the form `Name: value`"),
            ("a".repeat(100_000), "a header is not of the form `Name: value`"),
            ("Content-Type: x\r\n\r\n{}".to_owned(), "a message has no Content-Length"),
            ("Content-Length: 2\r\n\r\n{}".to_owned(), "a message is not of the protocol"),
            ("Content-Length: -1\r\n\r\n{}".to_owned(), "the Content-Length is not a number"),
            (
                "Content-Length: 9999999999\r\n\r\n{}".to_owned(),
                "a message of 9999999999 bytes is announced, and at most 268435456 are taken",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(received(&text), expected, "{text:.60}");
        }
    }

    /// Whoever announces much and sends little takes no memory: the buffer grows with what comes.
    #[test]
    fn the_reason_is_kept() {
        let (connection, transport) =
            Transport::start(&b"Content-Length: 200000000\r\n\r\n{"[..], io::sink()).expect("threads start");
        assert!(connection.receiver.recv().is_err());
        assert!(matches!(transport.failure(), Some(ReceiveError::CutOff)));
        drop(connection);
        transport.join().expect("nothing was written");
    }
}
