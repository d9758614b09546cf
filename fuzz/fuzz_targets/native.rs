//! What compiles is executed by machine code as by the reference evaluator: the same successors in the same
//! order, and searches that find the same.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| narrows_fuzz::engines_agree(data));
