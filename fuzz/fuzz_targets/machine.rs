//! Arbitrary bytes as a virtual machine, its noise and a run on it.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::machine(bytes));
