//! `tresse decide grapevine`: the turn of one processor, or a whole run.

mod error;
mod processor;
mod system;

use serde::Deserialize;
use tresse_core::balance::grapevine::{
    Cmf, CmfUpdate, Config, Criterion, Order, Pass, SenderLoad, Threshold,
};
use tresse_core::balance::objects::Millionths;
use tresse_core::base::grammar::Decimal;
use tresse_core::base::id::ProcessorId;

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

/// A processor that is known, and the load that is known of it.
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

/// The input: the state of one processor, or of all.
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

/// Makes the turn of one processor, or a whole run, from JSON to JSON.
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
    /// Returns the preset with the given parameters over it.
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

    /// Returns the preset's parameters, which stand in for those that are not given.
    const fn preset(&self) -> Config {
        match self.preset {
            Some(Preset::Slides) => Config::SLIDES,
            None | Some(Preset::Distributed) => Config::DISTRIBUTED,
        }
    }
}

/// Reads a threshold, a multiple of the average load from 1 on.
fn threshold(number: f64) -> Result<Threshold, GrapevineError> {
    // As the decimal number that it was written as.
    let decimal = Decimal::parse(&number.to_string()).and_then(|decimal| decimal.scaled(6));
    let times = decimal.map(Millionths).filter(|&times| times >= Millionths::ONE);
    times.map(Threshold::Times).ok_or(GrapevineError::Threshold)
}

/// Fails where a key of the other form is given beside `key`; `others` are these keys, with
/// whether each is given.
fn refuse_other_form(
    key: &'static str,
    others: impl IntoIterator<Item = (bool, &'static str)>,
) -> Result<(), GrapevineError> {
    let other = others.into_iter().find_map(|(given, name)| given.then_some(name));
    other.map_or(Ok(()), |other| Err(GrapevineError::Mixed(other, key)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn decided(input: &Value) -> Result<Value, String> {
        let answer = grapevine(input.to_string().as_bytes()).map_err(|error| error.to_string())?;
        Ok(serde_json::from_str(&answer).unwrap())
    }

    /// Returns one processor of load 10 that knows one of load 1; the average is 4.
    fn state() -> Value {
        json!({"objects": [3, 5, 2], "peers": [{"processor": 4, "load": 1}],
            "average": {"total": 12, "processors": 3}})
    }

    fn with(mut state: Value, key: &str, value: Value) -> Value {
        state[key] = value;
        state
    }

    #[test]
    fn the_criteria_differ() {
        // 6': 5 < 10 - 1 goes; then the loads are 5 and 6, and neither 3 < 5 - 6 nor 2 < 5 - 6.
        let relaxed = decided(&state()).unwrap();
        assert_eq!(relaxed, json!({"moves": [{"object": 1, "to": 4}], "rejected": 2, "load": 5}));
        // 6: 1 + 5 < 4 does not hold, neither does 1 + 3 < 4; 1 + 2 < 4 does.
        let original = decided(&with(state(), "criterion", json!("original"))).unwrap();
        assert_eq!(original, json!({"moves": [{"object": 2, "to": 4}], "rejected": 2, "load": 8}));
        // What stays counts.
        let more = with(state(), "load", json!(12));
        assert_eq!(decided(&more).unwrap()["load"], 12 - 5);
        let high = with(state(), "threshold", json!(2.5));
        assert_eq!(decided(&high), Ok(json!({"moves": [], "rejected": 0, "load": 10})));
    }

    #[test]
    fn orders_and_presets_are_taken() {
        let ascending = decided(&with(state(), "order", json!("ascending"))).unwrap();
        assert_eq!(ascending["moves"][0], json!({"object": 2, "to": 4}));
        let slides = decided(&with(state(), "preset", json!("slides"))).unwrap();
        assert_eq!(slides["moves"], json!([{"object": 2, "to": 4}]));
        let alone = decided(&with(state(), "peers", json!([]))).unwrap();
        assert_eq!(alone["moves"], json!([]));
    }

    #[test]
    fn a_whole_system_is_balanced() {
        let system = json!({"loads": [4, 3, 2, 1], "owners": [0, 0, 0, 0], "processors": 2});
        let settled = decided(&system).unwrap();
        assert_eq!(
            (&settled["initial_imbalance"], &settled["final_imbalance"]),
            (&json!(1.0), &json!(0.0))
        );
        assert_eq!(settled["owners"].as_array().unwrap().len(), 4);
        assert!(!settled["moves"].as_array().unwrap().is_empty());
        assert!(settled["iterations"][0]["transfers"].as_u64().unwrap() > 0);
        let fixed = decided(&with(system.clone(), "fixed", json!([true, true, true, true])));
        assert_eq!(fixed.unwrap()["moves"], json!([]));
        let slides = decided(&with(with(system, "preset", json!("slides")), "trials", json!(3)));
        assert!(slides.is_ok());
    }

    #[test]
    fn bad_input_is_named() {
        let system = json!({"loads": [4], "owners": [0], "processors": 2});
        let cases = [
            (json!([]), "JSON: "),
            (json!({}), "\"objects\" is missing"),
            (json!({"objects": [1]}), "\"peers\" is missing"),
            (json!({"objects": [1], "peers": []}), "\"average\" is missing"),
            (json!({"loads": [1]}), "\"owners\" is missing"),
            (json!({"loads": [1], "owners": [0]}), "\"processors\" is missing"),
            (with(state(), "objects", json!([1, -2])), "objects[1]"),
            (with(state(), "objects", json!([1.5])), "objects[0]"),
            (with(state(), "load", json!(9)), "\"load\" is 9"),
            (with(state(), "load", json!(13)), "\"average\".total is 12"),
            (with(state(), "average", json!({"total": 12, "processors": 0})), "processors is 0"),
            (
                with(
                    state(),
                    "peers",
                    json!([{"processor": 1, "load": 1}, {"processor": 1, "load": 2}]),
                ),
                "\"peers\"[1] is processor 1",
            ),
            (with(state(), "peers", json!([{"processor": 1}])), "peers[0]"),
            (with(state(), "threshold", json!(0.5)), "\"threshold\""),
            (with(state(), "threshold", json!(1e300)), "\"threshold\""),
            (with(state(), "criterion", json!("strict")), "criterion"),
            (with(state(), "fixed", json!([])), "\"fixed\" does not go with \"objects\""),
            (with(state(), "objects", json!([u64::MAX, 1])), "does not fit 64 bits"),
            (with(state(), "hope", json!(1)), "hope"),
            (with(system.clone(), "load", json!(1)), "\"load\" does not go with \"loads\""),
            (with(system.clone(), "owners", json!([2])), "processor 2"),
            (with(system.clone(), "owners", json!([])), "0 elements"),
            (with(system.clone(), "fixed", json!([true, false])), "2 elements"),
            (with(system.clone(), "trials", json!(0)), "at least one trial"),
            (with(system.clone(), "processors", json!(u32::MAX)), "\"processors\" is 4294967295"),
            (with(system, "processors", json!(0)), "processors is 0"),
        ];
        for (input, expected) in cases {
            let message = decided(&input).unwrap_err();
            assert!(message.contains(expected) && !message.contains('\n'), "{input}: {message}");
        }
    }
}
