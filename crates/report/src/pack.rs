//! What unfolds on demand, in little room: raw deflate as browsers inflate it (`DecompressionStream`), in
//! base64 so that it can stand in an attribute.

use miniz_oxide::deflate::compress_to_vec;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// More takes longer and saves little.
const LEVEL: u8 = 8;

/// Packs a text.
pub(crate) fn packed(text: &str) -> String {
    base64(&compress_to_vec(text.as_bytes(), LEVEL))
}

/// Writes bytes in base64 (RFC 4648).
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let all =
            chunk.iter().enumerate().fold(0_u32, |all, (at, byte)| all | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            let sextet = all >> (18 - 6 * at) & 63;
            out.push(if at <= chunk.len() { char::from(ALPHABET[sextet as usize]) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{base64, packed};

    #[test]
    fn base64_is_that_of_the_standard() {
        let rows = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in rows {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn what_repeats_itself_takes_little_room() {
        assert!(packed(&"host(7)  lcp.pml:251  (toSend > 0)\n".repeat(1000)).len() < 1000);
    }
}
