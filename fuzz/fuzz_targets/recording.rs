//! Arbitrary bytes as a recording.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::recording(bytes));
