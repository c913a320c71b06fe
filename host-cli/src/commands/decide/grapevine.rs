//! `tresse decide grapevine`: what one processor gives away, or a whole run.

mod error;
mod processor;
mod system;

use serde::Deserialize;
use tresse_core::balance::grapevine::{
    Cmf, CmfUpdate, Config, Criterion, Order, Pass, SenderLoad, Threshold,
};
use tresse_core::balance::objects::Millionths;
use tresse_core::grammar::Decimal;
use tresse_core::id::ProcessorId;

use super::{DecideError, answer, parse};

pub use error::GrapevineError;

const EXAMPLE: &str = concat!(
    r#"{"objects":[3,5,2],"peers":[{"processor":4,"load":1}],"average":{"total":12,"processors":3}}"#,
    r#" or {"loads":[3,5,2],"owners":[0,0,0],"processors":3}"#
);

/// Parameters to begin with, as `--preset` has them.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Preset {
    Slides,
    Distributed,
}

/// A processor that is known, and the load that it is believed to have.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Peer {
    processor: ProcessorId,
    load: u64,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mean {
    total: u64,
    processors: u32,
}

/// What is read: of one processor, or of all.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    load: Option<u64>,
    objects: Option<Vec<u64>>,
    peers: Option<Vec<Peer>>,
    average: Option<Mean>,

    loads: Option<Vec<u64>>,
    owners: Option<Vec<ProcessorId>>,
    processors: Option<u32>,
    fixed: Option<Vec<bool>>,
    iterations: Option<u32>,
    trials: Option<u32>,

    preset: Option<Preset>,
    criterion: Option<Criterion>,
    cmf: Option<Cmf>,
    cmf_update: Option<CmfUpdate>,
    order: Option<Order>,
    pass: Option<Pass>,
    sender_load: Option<SenderLoad>,
    threshold: Option<f64>,
    seed: Option<u64>,
}

/// What one processor gives away, or a whole run, from JSON to JSON.
///
/// One processor: `objects` are the loads of what it may give, in the order of their numbers,
/// `peers` whom it knows, `average` the sum of all loads and the number of processors. All of them:
/// `loads` and `owners` have one element an object (Pébaÿ & Lifflander 2019).
pub fn grapevine(input: &[u8]) -> Result<String, DecideError> {
    let input: Input = parse(input, EXAMPLE)?;
    if input.loads.is_some() || input.owners.is_some() {
        return answer(&system::run(input)?);
    }
    answer(&processor::turn(input)?)
}

impl Input {
    /// The preset with the given parameters over it.
    fn config(&self, base: Config) -> Result<Config, GrapevineError> {
        let threshold = self.threshold.map_or(Ok(base.threshold), threshold)?;
        let config = Config {
            criterion: self.criterion.unwrap_or(base.criterion),
            cmf: self.cmf.unwrap_or(base.cmf),
            cmf_update: self.cmf_update.unwrap_or(base.cmf_update),
            order: self.order.unwrap_or(base.order),
            pass: self.pass.unwrap_or(base.pass),
            sender_load: self.sender_load.unwrap_or(base.sender_load),
            iterations: self.iterations.unwrap_or(base.iterations),
            trials: self.trials.unwrap_or(base.trials),
            keep_best: base.keep_best || self.trials.is_some_and(|trials| trials > 1),
            threshold,
            seed: self.seed.unwrap_or(1),
            ..base
        };
        config.check()?;
        Ok(config)
    }

    /// The parameters that are not given.
    const fn preset(&self) -> Config {
        match self.preset {
            Some(Preset::Slides) => Config::SLIDES,
            None | Some(Preset::Distributed) => Config::DISTRIBUTED,
        }
    }
}

fn threshold(number: f64) -> Result<Threshold, GrapevineError> {
    // As the decimal number that it was written as.
    let decimal = Decimal::parse(&number.to_string()).and_then(|decimal| decimal.scaled(6));
    let times = decimal.map(Millionths).filter(|&times| times >= Millionths::ONE);
    times.map(Threshold::Times).ok_or(GrapevineError::Threshold)
}

/// Fails where something of the other form is given.
fn alone(
    form: &'static str,
    others: impl IntoIterator<Item = (bool, &'static str)>,
) -> Result<(), GrapevineError> {
    let other = others.into_iter().find_map(|(given, name)| given.then_some(name));
    other.map_or(Ok(()), |other| Err(GrapevineError::Mixed(other, form)))
}
