//! The library: runs on threads and in virtual time, and the files that it reads and writes.

mod async_oracles;
mod calibration;
mod central;
mod checkpoints;
mod coefficients;
mod defaults;
mod direct_solver;
mod ending;
mod error_estimates;
mod fuzz_corpus;
mod goes_on;
mod grapevine_bands;
mod grapevine_properties;
mod helping;
mod late_halos;
mod load_trace_shapes;
mod load_traces;
mod load_traces_refused;
mod machine_costs;
mod own_parts;
mod recordings;
mod sparse_rows;
mod sparse_systems;
mod sync_reference;
mod version_residuals;
mod virtual_oracles;
