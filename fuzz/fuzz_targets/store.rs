//! The store is a set: it keeps the same byte strings as one of the standard library, in the order they came.

#![no_main]

use std::collections::HashMap;

use libfuzzer_sys::fuzz_target;
use narrows_explicit::{Entry, Full, Shape, Store};

/// How many bytes the store may use.
const LIMIT: u64 = 16 << 20;

fuzz_target!(|data: &[u8]| {
    let Some((&first, mut rest)) = data.split_first() else { return };
    let hidden = usize::from(first & 3);
    let linked = first & 4 != 0;
    let mut store = Store::new(Shape { hidden, linked }, LIMIT);
    let mut known = HashMap::new();
    let mut order = Vec::new();
    let mut last = None;
    // Each command: how long the string is, how often it is repeated, and its bytes.
    while let [length, repeat, tail @ ..] = rest {
        let (bytes, tail) = tail.split_at(tail.len().min(usize::from(*length & 0x3f)));
        rest = tail;
        let times = 1usize << (repeat & 0x0f);
        let mut state = bytes.repeat(times);
        state.resize(state.len().max(hidden), 0);
        let visible = state[..state.len() - hidden].to_vec();
        assert_eq!(store.contains(&state), known.contains_key(&visible));
        match store.insert_linked(&state, last) {
            Ok(Entry::New(id)) => {
                assert!(known.insert(visible, id).is_none());
                assert_eq!(store.link(id), last.filter(|_| linked));
                order.push((id, state));
                last = Some(id);
            }
            Ok(Entry::Known(id)) => assert_eq!(known.get(&visible), Some(&id)),
            Err(Full) => assert!(!known.contains_key(&visible)),
        }
        assert!(store.memory() <= LIMIT);
    }
    assert_eq!(store.len(), order.len() as u64);
    let mut next = store.first();
    for (id, state) in &order {
        assert_eq!(next, Some(*id));
        assert_eq!(store.get(*id), state);
        next = store.next(*id);
    }
    assert_eq!(next, None);
});
