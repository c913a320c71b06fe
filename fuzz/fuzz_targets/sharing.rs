//! Arbitrary bytes as the order in which workers step and messages arrive.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::sharing(bytes));
