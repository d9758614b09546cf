//! Numbers in few bytes: LEB128, seven bits in each byte, the lowest first; the highest bit says that more
//! follow.
//!
//! Numbers below 128 take one byte, 64 bits take ten. Stored states, checkpoints and AIGER files have such
//! numbers.
//!
//! ```
//! use narrows_graph::varint;
//!
//! let mut bytes = Vec::new();
//! varint::write(300, &mut bytes);
//! varint::write(5, &mut bytes);
//! assert_eq!(bytes, [0xac, 0x02, 0x05]);
//!
//! let mut rest = &bytes[..];
//! assert_eq!(varint::read(&mut rest), Some(300));
//! assert_eq!(varint::read(&mut rest), Some(5));
//! assert_eq!(varint::read(&mut rest), None);
//! ```

/// The most bytes a number takes.
pub const MAX_LENGTH: usize = 10;

/// Appends a number.
#[inline]
pub fn write(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Returns a number's bytes, and how many they are: for where there is no vector to append to.
#[inline]
pub fn encode(mut number: u64) -> ([u8; MAX_LENGTH], usize) {
    let mut bytes = [0; MAX_LENGTH];
    let mut length = 0;
    while number >= 0x80 {
        bytes[length] = number as u8 | 0x80;
        number >>= 7;
        length += 1;
    }
    bytes[length] = number as u8;
    (bytes, length + 1)
}

/// Takes a number off the front; `None` if the bytes end before it does, or if it has more than 64 bits.
#[inline]
pub fn read(bytes: &mut &[u8]) -> Option<u64> {
    decode(|| {
        let (first, rest) = bytes.split_first().ok_or(())?;
        *bytes = rest;
        Ok::<u8, ()>(*first)
    })
    .ok()?
}

/// Reads a number from a source of bytes, which may fail; `None` if it has more than 64 bits.
#[inline]
pub fn decode<E>(mut next: impl FnMut() -> Result<u8, E>) -> Result<Option<u64>, E> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = next()?;
        let low = u64::from(byte & 0x7f);
        if low << shift >> shift != low {
            return Ok(None);
        }
        number |= low << shift;
        if byte < 0x80 {
            return Ok(Some(number));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::{MAX_LENGTH, decode, encode, read, write};

    #[test]
    fn what_is_written_is_read() {
        for number in [0, 1, 127, 128, 300, 16_383, 16_384, u64::from(u32::MAX), u64::MAX >> 1, u64::MAX] {
            let mut bytes = Vec::new();
            write(number, &mut bytes);
            let (encoded, length) = encode(number);
            assert_eq!(bytes, encoded[..length]);
            assert_eq!(length, (64 - number.leading_zeros()).div_ceil(7).max(1) as usize);
            let mut rest = &bytes[..];
            assert_eq!((read(&mut rest), rest.len()), (Some(number), 0));
            assert_eq!(read(&mut &bytes[..length - 1]), None, "{number} without its end");
        }
    }

    #[test]
    fn too_long_numbers_are_refused() {
        let mut bytes = [0xff; MAX_LENGTH];
        assert_eq!(read(&mut &bytes[..]), None);
        bytes[MAX_LENGTH - 1] = 2;
        assert_eq!(read(&mut &bytes[..]), None, "a bit beyond 64");
        bytes[MAX_LENGTH - 1] = 1;
        assert_eq!(read(&mut &bytes[..]), Some(u64::MAX));
        assert_eq!(decode(|| Err::<u8, &str>("no more")), Err("no more"));
    }
}
