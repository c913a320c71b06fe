//! Arbitrary bytes as the order in which the workers of a node go on.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::worker(bytes));
