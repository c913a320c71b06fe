//! Arbitrary bytes on the standard input of `tresse decide plb`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::decide_plb(bytes));
