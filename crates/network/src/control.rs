//! What is said over control connections: a kind, a length, and bytes.

use std::io::{self, Read, Write};

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum FrameKind {
    /// Still there.
    Beat,
    /// There will be no more: this process has finished, whatever came of it.
    Farewell,
    /// Another process is lost; a text.
    Lost,
    /// What is to be done, from process 0.
    Job,
    /// A digest of what this process will do, or why it will not.
    Ready,
    Unready,
    /// All agree: begin. Or not; a text.
    Go,
    Stop,
}

const KINDS: [FrameKind; 8] = [
    FrameKind::Beat,
    FrameKind::Farewell,
    FrameKind::Lost,
    FrameKind::Job,
    FrameKind::Ready,
    FrameKind::Unready,
    FrameKind::Go,
    FrameKind::Stop,
];

impl FrameKind {
    fn longest(self) -> u64 {
        match self {
            // A model, with all that it includes.
            FrameKind::Job => 1 << 30,
            _ => 1 << 16,
        }
    }
}

pub(crate) fn write_frame(stream: &mut impl Write, kind: FrameKind, bytes: &[u8]) -> io::Result<()> {
    let mut frame = vec![kind as u8];
    frame.extend((bytes.len() as u64).to_le_bytes());
    frame.extend(bytes);
    stream.write_all(&frame)
}

pub(crate) fn read_frame(stream: &mut impl Read) -> io::Result<(FrameKind, Vec<u8>)> {
    let mut head = [0; 9];
    stream.read_exact(&mut head)?;
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "it sent what can't be read");
    let kind = KINDS.into_iter().find(|kind| *kind as u8 == head[0]).ok_or_else(wrong)?;
    let length = head[1..].try_into().map(u64::from_le_bytes).map_err(|_| wrong())?;
    if length > kind.longest() {
        return Err(wrong());
    }
    // Room is taken as bytes come, not as they are announced.
    let mut bytes = Vec::new();
    if stream.take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((kind, bytes))
}

#[cfg(test)]
mod tests {
    use super::{FrameKind, read_frame, write_frame};

    #[test]
    fn frames_are_read_as_they_were_written() {
        let mut bytes = Vec::new();
        write_frame(&mut bytes, FrameKind::Beat, b"").expect("room");
        write_frame(&mut bytes, FrameKind::Lost, b"host 3").expect("room");
        let rest = &mut &bytes[..];
        assert_eq!(read_frame(rest).expect("a frame"), (FrameKind::Beat, Vec::new()));
        assert_eq!(read_frame(rest).expect("a frame"), (FrameKind::Lost, b"host 3".to_vec()));
        for length in 0..bytes.len() {
            let rest = &mut &bytes[..length];
            while read_frame(rest).is_ok() {}
        }
        assert!(read_frame(&mut &[200, 0, 0, 0, 0, 0, 0, 0, 0][..]).is_err());
        assert!(read_frame(&mut &[0, 0, 0, 0, 0, 0, 0, 0, 1][..]).is_err());
    }
}
