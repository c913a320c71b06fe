//! `tresse balance`.

mod effective;
mod error;
mod grapevine;
mod tuning;
mod values;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use bytesize::ByteSize;
use clap::{Args, ValueEnum};
use tresse_console::args::values::threads;

use super::traces::{TraceInput, new_stem};
use crate::balancing::Method;
use crate::load_traces::Encoding;

pub use effective::flags;
pub use error::ChoiceError;
pub use grapevine::{GrapevineChoices, Keep, Preset};
pub use values::KnowledgeChoice;

const AFTER_HELP: &str = "\
Each phase is balanced by itself, from where its objects are in the trace.

Examples:
  tresse balance data.*.json --out balanced
  tresse balance slides --preset slides --tune criterion=relaxed
  tresse balance toy --memory-limit 8GB --trials 10
  tresse balance slides --compare";

/// The flags of `balance`.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(after_help = AFTER_HELP)]
pub struct BalanceArgs {
    /// The trace.
    #[command(flatten)]
    pub trace: TraceInput,

    /// The balancer
    #[arg(long, value_enum, value_name = "METHOD", default_value_t, help_heading = "Method")]
    pub method: MethodName,

    /// Run all methods side by side: none, random, lpt, karmarkar-karp, Grapevine as on the slides
    /// (criteria 6 and 6'), the latter with gossiped loads, and as the other flags say
    #[arg(long, conflicts_with = "method", help_heading = "Method")]
    pub compare: bool,

    /// The parameters of Grapevine.
    #[command(flatten)]
    pub choices: GrapevineChoices,

    /// The phase that is balanced: its number, or all
    #[arg(long, value_name = "N|all", default_value = "all", help_heading = "Problem")]
    #[arg(value_parser = PhaseChoice::parse, allow_negative_numbers = true)]
    pub phase: PhaseChoice,

    /// Bytes that a processor may use, such as 8e9, 8GB or 7.5GiB: nothing is put where it would be
    /// more, counted as vt does (needs the memory keys of the trace) [default: no bound]
    #[arg(long, value_name = "BYTES", help_heading = "Problem", value_parser = bytes)]
    #[arg(allow_negative_numbers = true)]
    pub memory_limit: Option<u64>,

    /// Threads, 1 to 1024; any number gives the same result [default: one for each allowed core]
    #[arg(long, value_name = "N", help_heading = "Machine", value_parser = threads)]
    #[arg(allow_negative_numbers = true)]
    pub threads: Option<u32>,

    /// Files of the results.
    #[command(flatten)]
    pub files: BalancedFiles,

    /// Print one JSON object in place of the report
    #[arg(long, help_heading = "Output")]
    pub json: bool,

    /// No report and no progress bar
    #[arg(long, help_heading = "Output")]
    pub quiet: bool,
}

/// The files of a balanced trace.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
#[command(next_help_heading = "Output")]
pub struct BalancedFiles {
    /// A folder for the balanced trace, mapping.csv (where each object was and is), summary.json,
    /// iterations.csv and the pictures; made where it is missing [default: none]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,

    /// Stem with which the names of the new files begin [default: that of the files that are read]
    #[arg(long, value_name = "STEM", value_parser = new_stem)]
    #[arg(requires = "out", conflicts_with = "compare")]
    pub out_stem: Option<String>,

    /// Compress the new files with brotli (stem.rank.json.br)
    #[arg(long, requires = "out", conflicts_with = "compare")]
    pub compress: bool,

    /// Phases that are drawn: worst (the one of the largest imbalance), all or none
    #[arg(long, value_enum, value_name = "PHASES", default_value_t)]
    pub plots: Plots,
}

/// The balancers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Everything stays
    None,
    /// Every object anywhere, by the seed
    Random,
    /// Central: the longest processing time first
    Lpt,
    /// Central: the largest differencing method
    KarmarkarKarp,
    /// Distributed: gossip, then transfers
    #[default]
    Grapevine,
}

/// The phases that are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Plots {
    /// The one of the largest imbalance
    #[default]
    Worst,
    /// Each
    All,
    /// None
    None,
}

/// A choice of the phases that are balanced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PhaseChoice {
    /// Every phase.
    #[default]
    All,
    /// The phase of this number.
    One(u64),
}

impl PhaseChoice {
    /// Parses `all`, or the number of a phase.
    fn parse(text: &str) -> Result<Self, &'static str> {
        match text {
            "all" => Ok(Self::All),
            _ => tresse_core::base::grammar::count(text)
                .map(Self::One)
                .map_err(|_| "expected the number of a phase, or all"),
        }
    }
}

impl BalanceArgs {
    /// Returns the method with its parameters.
    pub fn method(&self) -> Result<Method, ChoiceError> {
        let config = self.choices.resolve()?;
        let method = match self.method {
            MethodName::Grapevine => Method::Grapevine(config),
            MethodName::None => Method::None,
            MethodName::Random => Method::Random(config.seed),
            MethodName::Lpt => Method::Lpt,
            MethodName::KarmarkarKarp => Method::KarmarkarKarp,
        };
        let other = !matches!(method, Method::Grapevine(_));
        if let Some(flag) = self.choices.first_given().filter(|_| other) {
            return Err(ChoiceError::NotGrapevine(flag, method.name()));
        }
        // Any other method is held to the bound when it is done.
        grapevine::check_bounds(&config, self.memory_limit.is_some())?;
        Ok(method)
    }
}

impl BalancedFiles {
    /// Returns the form of the new files.
    pub const fn encoding(&self) -> Encoding {
        if self.compress { Encoding::Brotli } else { Encoding::Plain }
    }
}

/// Returns a number of bytes with or without a unit.
fn bytes(text: &str) -> Result<u64, &'static str> {
    const EXPECTED: &str = "expected a number of bytes such as 8e9, 8GB or 7.5GiB";
    // What has an exponent is no size in that grammar.
    let plain = text.parse::<f64>().ok().filter(|bytes| bytes.is_finite() && *bytes >= 0.0);
    if let Some(bytes) = plain {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        return Ok(bytes as u64);
    }
    text.parse::<ByteSize>().map(|size| size.as_u64()).map_err(|_| EXPECTED)
}
