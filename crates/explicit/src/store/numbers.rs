//! A number and a few flags for each key, shared by threads.
//!
//! Keys lie in an [`Arena`] in the order they came, and a key's number is its place there; an open-addressing
//! table with linear probing finds it, by 32 bits of hash. Threads add keys by compare-and-swap; of two that
//! add the same key at once, one leaves a number behind that is never used. Growing the table takes it alone,
//! and so does giving numbers to other keys.

use std::sync::atomic::{AtomicU64, Ordering};

use super::arena::Arena;
use super::slots::Slots;
use super::{AHEAD, Full, Memory, Stop};

/// What is known about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flag {
    /// No run from here is a violation, as long as it passes no state that was put aside.
    Dead = 1,
    /// Its edges were counted.
    Counted = 2,
    /// It was put aside.
    Aside = 4,
}

/// How many bits the flags of a state take.
const BITS: u32 = 4;
const IN_A_WORD: u32 = 64 / BITS;

const FIRST_SLOTS: usize = 1 << 10;

#[derive(Debug)]
pub(crate) struct Numbers {
    keys: Arena,
    flags: Arena,
    /// The hash and the number, plus one, of each key; 0 where there is none.
    slots: Slots,
    /// How many keys there are.
    count: AtomicU64,
}

impl Numbers {
    pub(crate) fn new(memory: &Memory) -> Result<Numbers, Full> {
        let slots = Slots::new(FIRST_SLOTS, memory)?;
        let (keys, flags) = (Arena::new(1, memory)?, Arena::new(1, memory)?);
        Ok(Numbers { keys, flags, slots, count: AtomicU64::new(0) })
    }

    /// Returns how many keys there are.
    pub(crate) fn len(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Brings what is known about the keys nearer to the processor: it waits for memory once for all of them.
    pub(crate) fn approach(&self, keys: &[u64]) {
        let mut sum = 0;
        for keys in keys.chunks(AHEAD) {
            let mut entries = [0; AHEAD];
            for (entry, key) in entries.iter_mut().zip(keys) {
                *entry = self.slots[self.slots.of(hash(*key))].load(Ordering::Acquire);
            }
            for entry in entries.iter().filter(|entry| **entry != 0) {
                sum ^= self.key(number(*entry));
            }
        }
        std::hint::black_box(sum);
    }

    /// Returns the number of a key, and whether it is new.
    pub(crate) fn insert(&self, key: u64, memory: &Memory) -> Result<(u32, bool), Stop> {
        let hash = hash(key);
        let mut slot = self.slots.of(hash);
        let mut own = None;
        loop {
            let mut found = self.slots[slot].load(Ordering::Acquire);
            if found == 0 {
                let entry = match own {
                    Some(entry) => entry,
                    None => self.add(key, hash, memory)?,
                };
                own = Some(entry);
                match self.slots[slot].compare_exchange(0, entry, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => {
                        self.count.fetch_add(1, Ordering::Relaxed);
                        return Ok((number(entry), true));
                    }
                    Err(there) => found = there,
                }
            }
            if (found >> 32) as u32 == hash && self.key(number(found)) == key {
                return Ok((number(found), false));
            }
            slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
        }
    }

    /// Returns the number of a key, if it has one.
    pub(crate) fn find(&self, key: u64) -> Option<u32> {
        let hash = hash(key);
        let mut slot = self.slots.of(hash);
        loop {
            let found = self.slots[slot].load(Ordering::Acquire);
            if found == 0 {
                return None;
            }
            if (found >> 32) as u32 == hash && self.key(number(found)) == key {
                return Some(number(found));
            }
            slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 };
        }
    }

    fn add(&self, key: u64, hash: u32, memory: &Memory) -> Result<u64, Stop> {
        if self.len() >= self.slots.most {
            return Err(Stop::Grow);
        }
        let number = self.keys.append(&[key], memory)?;
        self.flags.reach(u64::from(number / IN_A_WORD), memory)?;
        Ok(entry(hash, number))
    }

    /// Returns the key that has a number.
    pub(crate) fn key(&self, number: u32) -> u64 {
        self.keys.record(number).first().map_or(0, |key| key.load(Ordering::Relaxed))
    }

    /// Returns whether a state has a flag.
    pub(crate) fn has(&self, number: u32, flag: Flag) -> bool {
        self.flags(number) & flag as u64 != 0
    }

    /// Returns whether there is nothing to find from a state on: it is dead, or put aside.
    pub(crate) fn is_settled(&self, number: u32) -> bool {
        self.flags(number) & (Flag::Dead as u64 | Flag::Aside as u64) != 0
    }

    /// Gives a state a flag, and returns whether it did not have it.
    pub(crate) fn set(&self, number: u32, flag: Flag) -> bool {
        let (word, shift) = flags_of(number);
        let bit = (flag as u64) << shift;
        // Whoever sees a flag need not see anything else that was written before it.
        self.flags.record(word).first().is_some_and(|word| word.fetch_or(bit, Ordering::Relaxed) & bit == 0)
    }

    fn flags(&self, number: u32) -> u64 {
        let (word, shift) = flags_of(number);
        self.flags.record(word).first().map_or(0, |word| word.load(Ordering::Relaxed) >> shift)
    }

    /// Makes the table larger if it must be; if there is no room for that, lets it fill further.
    pub(crate) fn grow(&mut self, memory: &Memory) -> Result<(), Full> {
        if self.len() < self.slots.most { Ok(()) } else { self.slots.grow(self.slots.len() * 2, memory) }
    }

    /// Returns all keys, in an order that says nothing about them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        let entries = self.slots.iter().map(|slot| slot.load(Ordering::Relaxed));
        entries.filter(|entry| *entry != 0).map(|entry| self.key(number(entry)))
    }

    /// Returns the numbers of all keys, in order.
    pub(crate) fn in_use(&self, memory: &Memory) -> Result<Vec<u32>, Full> {
        let mut numbers = Vec::new();
        memory.reserve(&mut numbers, self.len() as usize)?;
        let entries = self.slots.iter().map(|slot| slot.load(Ordering::Relaxed));
        numbers.extend(entries.filter(|entry| *entry != 0).map(number));
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Gives all numbers in use to other keys.
    pub(crate) fn rename(&mut self, numbers: &[u32], keys: &[u64]) {
        self.slots.iter_mut().for_each(|slot| *slot.get_mut() = 0);
        for (number, key) in numbers.iter().zip(keys) {
            if let [word] = self.keys.record(*number) {
                word.store(*key, Ordering::Relaxed);
            }
            self.slots.put(entry(hash(*key), *number));
        }
    }

    /// Gives the memory back.
    pub(crate) fn release(self, memory: &Memory) {
        memory.release(self.slots.len() * 8);
        self.keys.release(memory);
        self.flags.release(memory);
    }
}

fn entry(hash: u32, number: u32) -> u64 {
    u64::from(hash) << 32 | (u64::from(number) + 1)
}

fn number(entry: u64) -> u32 {
    (entry as u32).wrapping_sub(1)
}

fn flags_of(number: u32) -> (u32, u32) {
    (number / IN_A_WORD, number % IN_A_WORD * BITS)
}

fn hash(key: u64) -> u32 {
    let product = u128::from(key ^ 0x9e37_79b9_7f4a_7c15) * u128::from(0xd6e8_feb8_6659_fd93_u64);
    let folded = product as u64 ^ (product >> 64) as u64;
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use std::sync::RwLock;

    use super::{Flag, Numbers};
    use crate::store::{Full, Memory, Stop};

    #[test]
    fn threads_agree_on_numbers_and_count_each_key_once() {
        let memory = Memory::new(u64::MAX);
        let numbers = RwLock::new(Numbers::new(&memory).unwrap());
        let insert = |key: u64| loop {
            let result = numbers.read().unwrap().insert(key, &memory);
            match result {
                Ok(found) => return found,
                Err(Stop::Grow) => numbers.write().unwrap().grow(&memory).unwrap(),
                Err(Stop::Full) => panic!("there is room"),
            }
        };
        let seen: Vec<Vec<(u32, bool)>> = std::thread::scope(|scope| {
            let count = |step: u64| move || (0..50_000).map(|key| insert(key * step % 50_021)).collect();
            let threads: Vec<_> = [1, 7, 50_020].map(|step| scope.spawn(count(step))).into();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let numbers = numbers.into_inner().unwrap();
        let new = seen.iter().flatten().filter(|(_, new)| *new).count() as u64;
        assert_eq!(numbers.len(), new);
        for (key, (number, _)) in seen[0].iter().enumerate() {
            assert_eq!(numbers.key(*number), key as u64);
            assert_eq!(numbers.find(key as u64), Some(*number));
            assert!(!numbers.is_settled(*number));
            assert!(numbers.set(*number, Flag::Dead) && !numbers.set(*number, Flag::Dead));
            assert!(numbers.has(*number, Flag::Dead) && !numbers.has(*number, Flag::Counted));
        }
        assert_eq!(numbers.find(u64::MAX), None);
    }

    #[test]
    fn numbers_and_flags_outlive_keys() {
        let memory = Memory::new(u64::MAX);
        let mut numbers = Numbers::new(&memory).unwrap();
        for key in 0..700 {
            let (number, _) = numbers.insert(key, &memory).unwrap();
            assert!(number % 3 != 0 || numbers.set(number, Flag::Dead));
        }
        let in_use = numbers.in_use(&memory).unwrap();
        let keys: Vec<u64> = in_use.iter().map(|number| (u64::from(*number) + 1) << 33).collect();
        numbers.rename(&in_use, &keys);
        for number in 0..700 {
            assert_eq!(numbers.find((u64::from(number) + 1) << 33), Some(number));
            assert_eq!(numbers.has(number, Flag::Dead), number % 3 == 0);
            assert_eq!(numbers.find(u64::from(number)), None);
        }
        memory.drop_list(in_use);
        numbers.release(&memory);
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn stops_at_the_limit() {
        let memory = Memory::new(1 << 20);
        let mut numbers = Numbers::new(&memory).unwrap();
        let mut count = 0;
        loop {
            match numbers.insert(count, &memory) {
                Ok((_, new)) => assert!(new),
                Err(Stop::Grow) if numbers.grow(&memory).is_ok() => continue,
                Err(_) => break,
            }
            count += 1;
        }
        assert!(count > 20_000 && memory.used() <= 1 << 20, "{count}");
        assert!((0..count).all(|key| numbers.find(key).is_some()));
        assert_eq!(numbers.grow(&memory).err(), (numbers.len() >= numbers.slots.most).then_some(Full));
    }
}
