//! Returns the parameters of a race's runs for those of the race.

use crate::parameters::Parameters;

/// Keys of the methods, one for each lane.
pub const LANES: [&str; 4] = ["lane-1", "lane-2", "lane-3", "lane-4"];

/// Value for a lane without a run.
const NONE: &str = "none";

/// Returns the runs that are asked for, each with its lane. An error is a sentence.
pub fn runs_of(parameters: &Parameters) -> Result<Vec<(usize, Parameters)>, String> {
    let methods = LANES.iter().map(|key| parameters.get(key).filter(|method| *method != NONE));
    let methods = methods.enumerate().filter_map(|(lane, method)| Some((lane, method?)));
    let runs: Vec<_> =
        methods.map(|(lane, method)| (lane, method_of(parameters, method))).collect();
    if runs.is_empty() {
        return Err(
            "A race needs a method in one of its lanes, such as async + joint:0.001.".into()
        );
    }
    Ok(runs)
}

/// Returns the parameters of one run, whose method is a mode, or a mode and a balancer as in
/// `async + joint:0.001`.
pub fn method_of(parameters: &Parameters, method: &str) -> Parameters {
    let mut own = parameters.clone();
    for key in LANES {
        own.set(key, "");
    }
    let (mode, balance) = method.split_once(['+', ' ']).unwrap_or((method, ""));
    own.set("mode", mode);
    let balance = balance.trim_matches(['+', ' ']);
    own.set("balance", if balance.is_empty() { "none" } else { balance });
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_a_mode_and_a_balancer() {
        let parameters =
            Parameters::parse("lane-1=sync&lane-3=async + joint:0.001&seed=2&lane-4=none");
        let runs = runs_of(&parameters).unwrap();
        let runs: Vec<_> = runs.iter().map(|(lane, run)| (*lane, run.to_string())).collect();
        let expected = [
            (0, "seed=2&mode=sync&balance=none".to_owned()),
            (2, "seed=2&mode=async&balance=joint:0.001".to_owned()),
        ];
        assert_eq!(runs, expected);
        assert!(runs_of(&Parameters::parse("seed=2")).is_err());
    }
}
