//! Connections to other processes that say who is lost when they break.
//!
//! Timely Dataflow panics in its own threads when a connection fails. Here the failure is noted first, with
//! the name of the host, so that all workers of this process end, and somebody can say why.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use timely::communication::allocator::zero_copy::stream::Stream;

/// Whether another process can't be reached any more, and which.
#[derive(Debug, Default)]
pub struct Trouble {
    is_known: AtomicBool,
    /// Whether all has been said, so that connections may end.
    is_over: AtomicBool,
    /// Whether one has ended since, and nobody need wait for it.
    is_late: AtomicBool,
    what: Mutex<Option<String>>,
}

impl Trouble {
    /// Notes what is wrong, unless something is known already: what comes after is a consequence.
    pub fn report(&self, what: String) {
        if self.is_over.load(Ordering::Acquire) {
            return self.is_late.store(true, Ordering::Release);
        }
        self.what.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
        self.is_known.store(true, Ordering::Release);
    }

    /// Returns whether something is wrong.
    pub fn is_known(&self) -> bool {
        self.is_known.load(Ordering::Acquire)
    }

    /// Says what is wrong, if anything is.
    pub fn what(&self) -> Option<String> {
        self.what.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From now on connections may end, or may not.
    pub(crate) fn expect_end(&self, may_end: bool) {
        self.is_late.store(false, Ordering::Release);
        self.is_over.store(may_end, Ordering::Release);
    }

    /// Returns whether somebody was lost when all had been said.
    pub(crate) fn is_late(&self) -> bool {
        self.is_late.load(Ordering::Acquire)
    }

    fn fails(&self, host: &str, how: &str) {
        self.report(format!("{host}: {how}"));
    }
}

/// A connection to the process on another host.
#[derive(Debug)]
pub(crate) struct Link {
    socket: TcpStream,
    host: String,
    trouble: Arc<Trouble>,
    /// How many of the bytes that came last were 0.
    zeros: usize,
}

/// The other process ends a stream with so many bytes, which are 0: a header without a message.
const FAREWELL: usize = 48;

impl Link {
    pub(crate) fn new(socket: TcpStream, host: String, trouble: Arc<Trouble>) -> Link {
        Link { socket, host, trouble, zeros: 0 }
    }
}

impl Read for Link {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.socket.read(buffer);
        match &read {
            Ok(0) if self.zeros < FAREWELL => self.trouble.fails(&self.host, "the connection has ended"),
            Ok(count) => {
                let zeros = buffer[..*count].iter().rev().take_while(|byte| **byte == 0).count();
                self.zeros = if zeros == *count { self.zeros + zeros } else { zeros };
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => self.trouble.fails(&self.host, &format!("the connection is broken: {error}")),
        }
        read
    }
}

impl Write for Link {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.write(bytes).inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                self.trouble.fails(&self.host, &format!("the connection is broken: {error}"));
            }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

impl Stream for Link {
    fn try_clone(&self) -> io::Result<Link> {
        let socket = self.socket.try_clone()?;
        Ok(Link::new(socket, self.host.clone(), Arc::clone(&self.trouble)))
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        self.socket.set_nonblocking(nonblocking)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        self.socket.shutdown(how)
    }
}
