//! Arbitrary bytes as the words that ranks write for each other.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::migration(bytes));
