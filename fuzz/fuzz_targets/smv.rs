//! Any text is a model in SMV, or is rejected with a diagnostic: no panic, no hang, bounded memory.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    narrows_fuzz::compile_smv(data);
});
