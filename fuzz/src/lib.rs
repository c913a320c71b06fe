//! Fuzz targets live in `fuzz_targets`; what they check lives in `tresse-tests`.
