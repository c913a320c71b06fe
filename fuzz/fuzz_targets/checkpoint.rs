//! Arbitrary bytes as the files of a checkpoint.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::checkpoint(bytes));
