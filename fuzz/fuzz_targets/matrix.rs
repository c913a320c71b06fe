//! Arbitrary bytes as a sparse matrix in Matrix Market's form, which is cut and factorised.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tresse_tests::fuzzing::matrix(bytes));
