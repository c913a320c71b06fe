//! Arbitrary bytes as a command line that a person may type.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::defaults(bytes));
