//! Helpers of the tests of the library and of the program: random problems, a serial reference,
//! checks of recorded runs, files that are damaged, and the programs themselves.
//!
//! Oracles and worlds of the core's own decisions are in `tresse-core-tests`.

pub mod audit;
#[cfg(feature = "program")]
pub mod checkpoint_files;
#[cfg(feature = "program")]
pub mod defaults;
pub mod direct;
#[cfg(feature = "program")]
pub mod figures;
#[cfg(feature = "program")]
pub mod fuzzing;
#[cfg(feature = "program")]
pub mod json_schema;
#[cfg(feature = "program")]
pub mod load_trace_files;
#[cfg(feature = "program")]
pub mod load_trace_shapes;
#[cfg(feature = "program")]
pub mod output_files;
#[cfg(feature = "program")]
pub mod problem_files;
pub mod problems;
#[cfg(feature = "program")]
pub mod program;
pub mod recording;
pub mod reference;
pub mod skip;
pub mod small_disk;
pub mod systems;
pub mod virtual_sweeps;
