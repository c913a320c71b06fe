//! The `tresse` program.

fn main() {}
