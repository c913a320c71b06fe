//! Arbitrary bytes as objects on processors, and a way to balance them.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::grapevine(bytes));
