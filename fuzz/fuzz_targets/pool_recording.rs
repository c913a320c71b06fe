//! Arbitrary bytes as the recording of a pool of tasks.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::pool_recording(bytes));
