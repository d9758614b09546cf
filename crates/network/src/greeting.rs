//! The handshake that every connection begins with.
//!
//! Who connects says who it is, what for, which version it runs, a digest of the list of processes, and
//! random bytes. The other one says the same of itself. Then each proves that it knows the secret. All that
//! was said is part of both proofs, so nothing of it can be changed or used again.

use std::io::{self, Read, Write};

use crate::secret::{Digest, Secret, random};

/// What everything begins with; the last byte is the version of what follows.
const MAGIC: [u8; 8] = *b"narrows\x01";

/// The longest version.
const MAX_VERSION: usize = 64;

/// What one side says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hello {
    pub(crate) version: String,
    /// What all must have in common before they may speak: the list of processes.
    pub(crate) list: Digest,
    pub(crate) process: u32,
    /// What the connection is for: 0 for control, otherwise the number of a search.
    pub(crate) purpose: u64,
    pub(crate) nonce: [u8; 32],
}

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Rejection {
    #[error("it does not speak the language of narrows")]
    Stranger,
    #[error("it runs narrows {theirs}, and this is narrows {mine}")]
    Version { theirs: String, mine: String },
    #[error("it has another list of hosts")]
    List,
    #[error("it is process {theirs}, and should be process {expected}")]
    Process { theirs: u32, expected: u32 },
    #[error("it does not know the secret")]
    Secret,
    #[error("it turned this process away: {0}")]
    TurnedAway(&'static str),
    #[error(transparent)]
    Broken(#[from] io::Error),
}

impl Rejection {
    /// Returns whether to try again may help.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Rejection::Broken(_))
    }
}

/// What the one who was connected with thinks of it, as a byte.
const TAKEN: u8 = 0;
const WHYS: [&str; 4] = [
    "the secrets differ",
    "another process with this number is there already",
    "this connection does not come from its host",
    "there is no process with this number",
];

/// Why a proven process is not let in: the number of a text of `WHYS`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Secret = 1,
    Twice = 2,
    Host = 3,
    Number = 4,
}

const CALLER: &[u8] = b"narrows caller";
const CALLED: &[u8] = b"narrows called";

impl Hello {
    pub(crate) fn new(version: &str, list: Digest, process: usize, purpose: u64) -> io::Result<Hello> {
        let version = version.chars().take(MAX_VERSION / 4).collect();
        Ok(Hello { version, list, process: process as u32, purpose, nonce: random()? })
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(self.version.len() as u8);
        bytes.extend(self.version.as_bytes());
        bytes.extend(self.list);
        bytes.extend(self.process.to_le_bytes());
        bytes.extend(self.purpose.to_le_bytes());
        bytes.extend(self.nonce);
        bytes
    }

    fn read(stream: &mut impl Read) -> Result<Hello, Rejection> {
        if read_array::<8>(stream)? != MAGIC {
            return Err(Rejection::Stranger);
        }
        let length = usize::from(read_array::<1>(stream)?[0]);
        let mut version = [0; MAX_VERSION];
        let version = version.get_mut(..length).ok_or(Rejection::Stranger)?;
        stream.read_exact(version)?;
        let version = String::from_utf8(version.to_vec()).map_err(|_| Rejection::Stranger)?;
        let list = read_array(stream)?;
        let process = u32::from_le_bytes(read_array(stream)?);
        let purpose = u64::from_le_bytes(read_array(stream)?);
        Ok(Hello { version, list, process, purpose, nonce: read_array(stream)? })
    }

    /// Compares what both must have in common.
    fn agrees(&self, theirs: &Hello) -> Result<(), Rejection> {
        if theirs.version != self.version {
            let (theirs, mine) = (theirs.version.clone(), self.version.clone());
            return Err(Rejection::Version { theirs, mine });
        }
        if theirs.list == self.list { Ok(()) } else { Err(Rejection::List) }
    }
}

fn read_array<const N: usize>(stream: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Greets as the one who connects.
pub(crate) fn call(
    stream: &mut (impl Read + Write),
    mine: &Hello,
    expected: usize,
    secret: &Secret,
) -> Result<(), Rejection> {
    let said = mine.bytes();
    stream.write_all(&said)?;
    let theirs = Hello::read(stream)?;
    mine.agrees(&theirs)?;
    if theirs.process as usize != expected {
        return Err(Rejection::Process { theirs: theirs.process, expected: expected as u32 });
    }
    let heard = theirs.bytes();
    stream.write_all(&secret.prove(CALLER, &[&said, &heard]))?;
    let verdict = read_array::<1>(stream)?;
    let proof = read_array(stream)?;
    // Who does not know the secret can't say that it is wrong, either.
    if verdict[0] == Refused::Secret as u8 || !secret.check(CALLED, &[&said, &heard, &verdict], &proof) {
        return Err(Rejection::Secret);
    }
    match WHYS.get(usize::from(verdict[0]).wrapping_sub(1)) {
        Some(why) => Err(Rejection::TurnedAway(why)),
        None if verdict[0] == TAKEN => Ok(()),
        None => Err(Rejection::Stranger),
    }
}

/// Greets as the one who was connected with; `may_enter` is asked about who it is and what for, once that is
/// proved. Returns what the other one said, with whether the secret was proved, where that is known.
pub(crate) fn answer(
    stream: &mut (impl Read + Write),
    mine: &Hello,
    secret: &Secret,
    may_enter: impl FnOnce(&Hello) -> Result<(), Refused>,
) -> Result<Hello, Rejection> {
    let theirs = Hello::read(stream)?;
    let heard = theirs.bytes();
    let said = Hello { purpose: theirs.purpose, ..mine.clone() }.bytes();
    // The other one learns in what they differ, and says so itself.
    stream.write_all(&said)?;
    mine.agrees(&theirs)?;
    let proof = read_array(stream)?;
    let knows = secret.check(CALLER, &[&heard, &said], &proof);
    let verdict = if knows { may_enter(&theirs) } else { Err(Refused::Secret) };
    let verdict_byte = [verdict.err().map_or(TAKEN, |refused| refused as u8)];
    let mut last = verdict_byte.to_vec();
    last.extend(secret.prove(CALLED, &[&heard, &said, &verdict_byte]));
    stream.write_all(&last)?;
    match verdict {
        Ok(()) => Ok(theirs),
        Err(Refused::Secret) => Err(Rejection::Secret),
        Err(refused) => Err(Rejection::TurnedAway(WHYS[refused as usize - 1])),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use std::time::Duration;

    use super::{Hello, Refused, Rejection, answer, call};
    use crate::secret::Secret;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let near = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
        let (far, _) = listener.accept().expect("a connection");
        for socket in [&near, &far] {
            socket.set_read_timeout(Some(Duration::from_secs(5))).expect("a socket");
        }
        (near, far)
    }

    fn hello(version: &str, list: u8, process: usize) -> Hello {
        Hello::new(version, [list; 32], process, 7).expect("random bytes")
    }

    type Outcome = (Result<(), Rejection>, Result<Hello, Rejection>);

    fn greet(caller: &Hello, called: &Hello, secrets: (&str, &str), enter: Result<(), Refused>) -> Outcome {
        let secret = |text: &str| Secret::new(text.as_bytes().to_vec());
        let (mut near, mut far) = pair();
        std::thread::scope(|scope| {
            let calls = scope.spawn(move || call(&mut near, caller, 0, &secret(secrets.0)));
            let answers = answer(&mut far, called, &secret(secrets.1), |_| enter);
            drop(far);
            (calls.join().expect("a thread"), answers)
        })
    }

    #[test]
    fn who_agrees_and_knows_the_secret_is_let_in() {
        let (caller, called) = (hello("1", 1, 3), hello("1", 1, 0));
        let (calls, answers) = greet(&caller, &called, ("s", "s"), Ok(()));
        calls.expect("a connection");
        assert_eq!(answers.expect("a connection"), caller);
    }

    #[test]
    fn the_others_are_not() {
        let me = hello("1", 1, 0);
        let (calls, answers) = greet(&hello("2", 1, 3), &me, ("s", "s"), Ok(()));
        assert!(matches!(calls, Err(Rejection::Version { theirs, .. }) if theirs == "1"));
        assert!(matches!(answers, Err(Rejection::Version { theirs, .. }) if theirs == "2"));
        let (calls, answers) = greet(&hello("1", 2, 3), &me, ("s", "s"), Ok(()));
        assert!(matches!((calls, answers), (Err(Rejection::List), Err(Rejection::List))));
        let (calls, answers) = greet(&hello("1", 1, 3), &me, ("s", "t"), Ok(()));
        assert!(matches!((calls, answers), (Err(Rejection::Secret), Err(Rejection::Secret))));
        let (calls, _) = greet(&hello("1", 1, 3), &hello("1", 1, 2), ("s", "s"), Ok(()));
        assert!(matches!(calls, Err(Rejection::Process { theirs: 2, expected: 0 })));
        let (calls, _) = greet(&hello("1", 1, 3), &me, ("s", "s"), Err(Refused::Twice));
        assert!(matches!(calls, Err(Rejection::TurnedAway(why)) if why.contains("already")));
    }

    #[test]
    fn any_bytes_are_turned_away() {
        let mut bytes = hello("1", 1, 3).bytes();
        for length in 0..bytes.len() {
            bytes.truncate(bytes.len() - 1);
            let (mut near, mut far) = pair();
            near.write_all(&bytes).expect("a connection");
            drop(near);
            let answers = answer(&mut far, &hello("1", 1, 0), &Secret::new(Vec::new()), |_| Ok(()));
            assert!(answers.is_err(), "{length}");
        }
        let (mut near, mut far) = pair();
        near.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("a connection");
        let answers = answer(&mut far, &hello("1", 1, 0), &Secret::new(Vec::new()), |_| Ok(()));
        assert!(matches!(answers, Err(Rejection::Stranger)));
        drop(far);
        let mut heard = Vec::new();
        // A stranger learns nothing.
        let _ = near.read_to_end(&mut heard);
        assert_eq!(heard, b"");
    }
}
