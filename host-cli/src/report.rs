//! Reports of a run ([`tresse_engine::report`]), and figures of loads.

pub use tresse_engine::report::{
    MethodReport, RunReport, field, history, lines, outlook, output, plots, statistics, summary,
    table,
};
pub use tresse_traces::load_statistics;
