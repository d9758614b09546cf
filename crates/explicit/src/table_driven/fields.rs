//! The bits of keys: each part of a state that changes has a field.

use narrows_gpu::{Key, Width};

/// The bits of a key that belong to a part of states. Its values have numbers from 0 on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Field {
    /// How many values were seen, and how many there can be.
    pub(super) values: u64,
    most_values: u64,
    pub(super) shift: u32,
    bits: u32,
    /// Whether there was no room for a value before.
    was_narrow: bool,
    /// Whether it is to have no bits as long as it has a single value.
    pub(super) is_structural: bool,
}

impl Field {
    /// Makes a field for at most so many values.
    pub(super) fn for_values(most_values: u64) -> Field {
        Field { most_values, ..Field::default() }
    }

    /// Returns how many bits its values need.
    pub(super) fn needed(&self) -> u32 {
        bits_for(self.values)
    }

    /// Returns whether its values need more bits than it has; if bits were given away before, it will get
    /// more than it needs.
    pub(super) fn outgrows(&mut self, is_fitted: bool) -> bool {
        let outgrows = self.needed() > self.bits;
        self.was_narrow |= outgrows && is_fitted;
        outgrows
    }

    /// Returns its bits.
    pub(super) fn mask(&self) -> Key {
        ((1 << self.bits) - 1) << self.shift
    }

    /// Returns those of its bits that its values need so far.
    pub(super) fn mask_in_use(&self) -> Key {
        self.mask() & ((1 << self.needed()) - 1) << self.shift
    }

    /// Returns the number of the value in a key.
    pub(super) fn number(&self, key: Key) -> usize {
        (key >> self.shift) as usize & ((1 << self.bits) - 1)
    }
}

fn bits_for(values: u64) -> u32 {
    u64::BITS - values.saturating_sub(1).leading_zeros()
}

/// Gives each field its bits; `None` if there are too few for all.
pub(super) fn give_bits(fields: &mut [&mut Field]) -> Option<Width> {
    let least: u32 = fields.iter().map(|field| field.needed()).sum();
    let width = [Width::Narrow, Width::Wide].into_iter().find(|width| least <= width.bits())?;
    let mut spare = width.bits() - least;
    for field in &mut *fields {
        field.bits = field.needed();
    }
    let mut give = |fields: &mut [&mut Field], more: u32, wants: &dyn Fn(&Field) -> bool| {
        let before = spare;
        for field in fields.iter_mut().filter(|field| wants(field)) {
            let more = more.min(spare).min(bits_for(field.most_values).saturating_sub(field.bits));
            field.bits += more;
            spare -= more;
        }
        spare < before && spare > 0
    };
    // What has outgrown its bits once will do so again; then, what has many values may have more.
    give(fields, 2, &|field| field.bits > 0 && field.was_narrow);
    give(fields, 1, &|field| field.bits >= 2);
    give(fields, 1, &|field| field.bits >= 3);
    // Bits that are left cost nothing. A byte that seemed to be constant may change after all.
    give(fields, 1, &|field| field.bits == 0 && !field.is_structural);
    while give(fields, 1, &|field| field.bits > 0) {}
    let mut shift = 0;
    for field in fields {
        field.shift = shift;
        shift += field.bits;
    }
    Some(width)
}

#[cfg(test)]
mod tests {
    use narrows_gpu::Width;

    use super::{Field, give_bits};

    fn fields(values: &[u64]) -> Vec<Field> {
        values.iter().map(|values| Field { values: *values, ..Field::for_values(257) }).collect()
    }

    fn given(fields: &mut [Field]) -> (Option<Width>, Vec<u32>) {
        let width = give_bits(&mut fields.iter_mut().collect::<Vec<_>>());
        (width, fields.iter().map(|field| field.mask().count_ones()).collect())
    }

    #[test]
    fn bits_that_are_left_are_given_away() {
        let mut some = fields(&[1, 2, 5, 200]);
        some[0].is_structural = true;
        assert_eq!(given(&mut some), (Some(Width::Narrow), vec![0, 9, 9, 9]));
        let mut many = fields(&[[2; 60].as_slice(), &[1, 3]].concat());
        let (width, bits) = given(&mut many);
        assert_eq!((width, bits.iter().sum::<u32>(), bits[60], bits[61]), (Some(Width::Narrow), 63, 0, 3));
        assert!(many.windows(2).all(|pair| pair[0].mask() & pair[1].mask() == 0));
    }

    #[test]
    fn what_has_outgrown_its_bits_gets_more_first() {
        let mut full = fields(&[2; 61]);
        assert!(full[40].outgrows(true));
        let (_, bits) = given(&mut full);
        assert_eq!((bits[40], bits.iter().sum::<u32>()), (3, 63));
        assert_eq!(given(&mut fields(&[2; 64])).0, Some(Width::Wide));
        assert_eq!(given(&mut fields(&[200; 16])), (None, vec![0; 16]));
    }
}
