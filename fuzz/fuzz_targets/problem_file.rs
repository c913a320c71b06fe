//! Arbitrary bytes as a problem file.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::problem_file(bytes));
