//! Arbitrary bytes as the files of a load trace.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::load_trace(bytes));
