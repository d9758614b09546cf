//! Looking up many numbers at once: memory is waited for once for all of them.

use std::sync::atomic::Ordering;

use super::{AHEAD, Components, KeyPart, Stop, Wanted};
use crate::store::Memory;
use crate::store::interner::{Interner, hash as hash_of};
use crate::store::layout::Layout;

impl Components {
    fn table(&self, part: KeyPart) -> &Interner {
        match part {
            KeyPart::Left => &self.halves[0],
            KeyPart::Right => &self.halves[1],
            KeyPart::Leaf(leaf) => &self.leaves[usize::from(leaf)],
        }
    }

    /// Looks up what is wanted, and completes keys.
    pub(crate) fn complete(
        &self,
        wanted: &[Wanted],
        memory: &Memory,
        complete: &mut impl FnMut(u32, u64),
    ) -> Result<(), Stop> {
        for wanted in wanted.chunks(AHEAD) {
            let mut hashes = [0; AHEAD];
            let mut nearest = [None; AHEAD];
            for ((hash, nearest), Wanted { what, words, .. }) in
                hashes.iter_mut().zip(&mut nearest).zip(wanted)
            {
                let table = self.table(*what);
                *hash = hash_of(&words[..table.stride()]);
                *nearest = table.nearest(*hash);
            }
            let mut sum = 0;
            for (number, Wanted { what, .. }) in nearest.iter().zip(wanted) {
                if let Some(number) = number {
                    sum ^= self.table(*what).record(*number)[0].load(Ordering::Relaxed);
                }
            }
            // Nothing is done with it, but it must be read before what follows.
            std::hint::black_box(sum);
            for (hash, Wanted { place, what, words }) in hashes.into_iter().zip(wanted) {
                let table = self.table(*what);
                let number = table.intern_hashed(&words[..table.stride()], hash, memory)?;
                let shift = match (what, &self.layout) {
                    (KeyPart::Left, _) => 32,
                    (KeyPart::Leaf(leaf), Layout::Flat(flat)) => {
                        let field = flat.leaves[usize::from(*leaf)];
                        if !field.fits(number) {
                            return Err(self.say_cramped());
                        }
                        field.shift
                    }
                    _ => 0,
                };
                complete(*place, u64::from(number) << shift);
            }
        }
        Ok(())
    }

    /// Brings what some keys stand for nearer to the processor.
    pub(crate) fn approach(&self, keys: &[u64]) {
        let mut sum = 0;
        match &self.layout {
            Layout::Flat(flat) => {
                for (table, field) in self.leaves.iter().zip(&flat.leaves) {
                    if table.is_large() {
                        for key in keys {
                            sum ^= table.record(field.get(*key))[0].load(Ordering::Relaxed);
                        }
                    }
                }
            }
            Layout::Folded(_) => {
                for key in keys {
                    sum ^= self.halves[0].record((key >> 32) as u32)[0].load(Ordering::Relaxed);
                    sum ^= self.halves[1].record(*key as u32)[0].load(Ordering::Relaxed);
                }
            }
        }
        std::hint::black_box(sum);
    }
}
