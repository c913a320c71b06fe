//! Helpers of the tests of the library and of the program: random problems, a serial reference, checks of
//! recorded runs, files that are damaged, and the programs themselves.
//!
//! Oracles and worlds of the core's own decisions are in `tresse-core-tests`.

pub mod audit;
pub mod checkpoint_files;
pub mod defaults;
pub mod direct;
pub mod fuzzing;
pub mod json_schema;
pub mod load_trace_files;
pub mod load_trace_shapes;
pub mod output_files;
pub mod problem_files;
pub mod problems;
pub mod program;
pub mod recording;
pub mod reference;
pub mod skip;
pub mod small_disk;
pub mod virtual_sweeps;
