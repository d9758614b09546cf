//! The shared secret: who knows it proves so without telling it.
//!
//! Each side of a connection sends random bytes, and gets back an HMAC-SHA-256 of all that both have said so
//! far, which only somebody who knows the secret can make. Proofs are compared in constant time.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest as _, Sha256};

/// A SHA-256 of something.
pub type Digest = [u8; 32];

/// Returns the digest of some texts: those that differ anywhere have different ones.
pub fn digest<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Digest {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hasher.finalize().into()
}

/// What all processes know, and nobody else.
#[derive(Clone)]
pub struct Secret {
    bytes: Vec<u8>,
}

impl Secret {
    /// Takes a secret; an empty one keeps nobody out.
    pub fn new(bytes: Vec<u8>) -> Secret {
        Secret { bytes }
    }

    /// Makes one up.
    ///
    /// # Errors
    ///
    /// The system may have no random bytes.
    pub fn random() -> std::io::Result<Secret> {
        Ok(Secret { bytes: random()?.to_vec() })
    }

    /// Returns its bytes, for a process that is to know it too.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn mac(&self, role: &[u8], said: &[&[u8]]) -> Option<Hmac<Sha256>> {
        // It takes keys of any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.bytes).ok()?;
        for text in [role].iter().chain(said) {
            mac.update(&(text.len() as u64).to_le_bytes());
            mac.update(text);
        }
        Some(mac)
    }

    /// Proves that one knows the secret, in a role, given what was said.
    pub(crate) fn prove(&self, role: &[u8], said: &[&[u8]]) -> Digest {
        self.mac(role, said).map_or([0; 32], |mac| mac.finalize().into_bytes().into())
    }

    /// Checks a proof, in a time that does not depend on where it is wrong.
    pub(crate) fn check(&self, role: &[u8], said: &[&[u8]], proof: &Digest) -> bool {
        self.mac(role, said).is_some_and(|mac| mac.verify_slice(proof).is_ok())
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // It must not end up in a log.
        write!(formatter, "Secret({} bytes)", self.bytes.len())
    }
}

/// Returns random bytes that nobody can guess.
pub(crate) fn random() -> std::io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{Secret, digest, random};

    #[test]
    fn a_proof_needs_the_secret_the_role_and_every_word() {
        let secret = Secret::new(b"open sesame".to_vec());
        let proof = secret.prove(b"host", &[b"one", b"two"]);
        assert!(secret.check(b"host", &[b"one", b"two"], &proof));
        assert!(!secret.check(b"guest", &[b"one", b"two"], &proof));
        assert!(!secret.check(b"host", &[b"onet", b"wo"], &proof));
        assert!(!Secret::new(b"open sesam".to_vec()).check(b"host", &[b"one", b"two"], &proof));
        for at in 0..32 {
            let mut other = proof;
            other[at] ^= 1;
            assert!(!secret.check(b"host", &[b"one", b"two"], &other));
        }
    }

    #[test]
    fn it_is_not_printed() {
        assert_eq!(format!("{:?}", Secret::new(b"abc".to_vec())), "Secret(3 bytes)");
    }

    #[test]
    fn digests_and_random_bytes_differ() {
        assert_ne!(digest([b"ab".as_slice(), b"c"]), digest([b"a".as_slice(), b"bc"]));
        assert_ne!(random().expect("bytes"), random().expect("bytes"));
    }
}
