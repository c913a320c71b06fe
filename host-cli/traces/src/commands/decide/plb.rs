//! `tresse decide plb`: makes one balancing round.

use serde::{Deserialize, Serialize};
use tresse_core::balance::plb::{self, Stuck};
use tresse_core::base::id::{SocketId, WorkerId};
use tresse_core::base::time::Duration;
use tresse_core::base::topology::{NotSorted, Topology};
use tresse_core::parts::ownership::{Holding, Link, Move, Owner, Ownership, OwnershipError};
use tresse_core::run::{Balance, MAX_PAIRS, PlbParams};

use super::{DecideError, answer, parse};

const EXAMPLE: &str = r#"{"counts":[3,1,2],"owners":[0,1,1],"sockets":[0,0],"policy":"joint"}"#;

/// An error of the input of a balancing round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlbError {
    /// A subdomain has no owner, or an owner no subdomain.
    #[error(
        "\"owners\" has {owners} elements and \"counts\" has {counts}: give one of each for every \
         subdomain"
    )]
    Lengths {
        /// Number of elements of `owners`.
        owners: usize,
        /// Number of elements of `counts`.
        counts: usize,
    },
    /// A worker has no socket.
    #[error(
        "\"owners\"[{subdomain}] is worker {owner}, but \"sockets\" has only {workers} workers: \
         give the socket of each worker"
    )]
    UnknownOwner {
        /// Index in `owners`.
        subdomain: u32,
        /// Worker at this index.
        owner: WorkerId,
        /// Number of elements of `sockets`.
        workers: usize,
    },
    /// There are more workers or subdomains than can be numbered.
    #[error("\"counts\" has 2^32 elements or more: split the problem")]
    TooMany,
    /// There is no number of subdomains between the thresholds.
    #[error(
        "\"low\" is {low} and \"high\" is {high}: \"low\" must be at least 1 and below \"high\""
    )]
    Thresholds {
        /// The lower threshold.
        low: u32,
        /// The upper threshold.
        high: u32,
    },
    /// The number of pairs is 0, or greater than a round can consider.
    #[error("\"pairs\" is {0}: give a number from 1 to {MAX_PAIRS}")]
    Pairs(usize),
}

/// The workers that are balanced with each other.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Policy {
    Joint,
    Split,
}

/// The input; parameters that are not given are the paper's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    counts: Vec<u64>,
    owners: Vec<WorkerId>,
    sockets: Vec<SocketId>,
    policy: Policy,
    pairs: Option<usize>,
    low: Option<u32>,
    high: Option<u32>,
    dead_band: Option<u64>,
}

/// The output.
#[derive(Serialize)]
struct Output {
    moves: Vec<Move>,
    /// Reason for which there can be no moves, whatever the counts are.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// Returns the reason for which no counts would lead to a move, if there is one.
fn warning(input: &Input, params: &PlbParams) -> Option<String> {
    let mut workers: Vec<_> = input.sockets.iter().map(|&socket| (socket, 0)).collect();
    for owner in &input.owners {
        if let Some((_, held)) = workers.get_mut(owner.index()) {
            *held += 1;
        }
    }
    workers.sort_unstable();
    // Of the balancers by their names, whatever their periods.
    let balance = match input.policy {
        Policy::Joint => Balance::Joint(Duration::ZERO),
        Policy::Split => Balance::Split(Duration::ZERO),
    };
    let PlbParams { low, high, .. } = params;
    let why = match plb::stuck(balance, params, workers.into_iter())? {
        Stuck::Alone => "no worker has another with subdomains beside it".to_owned(),
        Stuck::NobodyGives => format!("no worker has more subdomains than \"low\", {low}"),
        Stuck::NobodyTakes => format!("no worker has fewer subdomains than \"high\", {high}"),
    };
    Some(format!("nothing can ever move, whatever the counts: {why}"))
}

/// Makes one round of progressive load balancing, and returns its moves, from JSON to JSON.
///
/// `counts` and `owners` have one element a subdomain, `sockets` one a worker; the policy is
/// `joint` or `split` (Zarins & Weiland 2017, section 3.3).
pub fn plb(input: &[u8]) -> Result<String, DecideError> {
    let input = parse(input, EXAMPLE)?;
    let params = params(&input)?;
    let warning = warning(&input, &params);
    let moves = round(input, &params)?;
    answer(&Output { moves, warning })
}

/// Completes the parameters with the paper's, and checks them.
fn params(input: &Input) -> Result<PlbParams, PlbError> {
    let papers = PlbParams::default();
    let params = PlbParams {
        pairs: input.pairs.unwrap_or(papers.pairs),
        low: input.low.unwrap_or(papers.low),
        high: input.high.unwrap_or(papers.high),
        dead_band: input.dead_band.unwrap_or(papers.dead_band),
    };
    let PlbParams { pairs, low, high, .. } = params;
    if !(1..=MAX_PAIRS).contains(&pairs) {
        return Err(PlbError::Pairs(pairs));
    }
    if low == 0 || low >= high {
        return Err(PlbError::Thresholds { low, high });
    }
    Ok(params)
}

/// Makes one balancing round, and returns the moves.
fn round(input: Input, params: &PlbParams) -> Result<Vec<Move>, PlbError> {
    let Input { counts, owners, sockets, policy, .. } = input;
    if owners.len() != counts.len() {
        return Err(PlbError::Lengths { owners: owners.len(), counts: counts.len() });
    }
    let owners: Vec<_> = owners.into_iter().map(Owner::of).collect();
    let mut links = vec![Link::EMPTY; owners.len()];
    let mut holdings = vec![Holding::EMPTY; sockets.len()];
    let mut ownership =
        Ownership::new(&owners, &mut links, &mut holdings).map_err(|error| match error {
            OwnershipError::Links => PlbError::TooMany,
            OwnershipError::UnknownOwner(subdomain, owner) => {
                PlbError::UnknownOwner { subdomain: subdomain.0, owner, workers: sockets.len() }
            }
        })?;
    let mut moves = Vec::new();
    let mut out = |made| moves.push(made);
    match policy {
        Policy::Joint => plb::joint(&counts, &mut ownership, params, &mut out),
        Policy::Split => {
            let mut by_socket: Vec<(SocketId, WorkerId)> =
                sockets.iter().copied().zip((0..).map(WorkerId)).collect();
            by_socket.sort_unstable();
            let workers: Vec<WorkerId> = by_socket.into_iter().map(|(_, worker)| worker).collect();
            let topology = Topology::new(&sockets, &workers)?;
            plb::split(&counts, &mut ownership, &topology, params, None, &mut out);
        }
    }
    Ok(moves)
}

/// Converts the error of workers that cannot be listed, which are 2^32 or more.
impl From<NotSorted> for PlbError {
    fn from(_: NotSorted) -> Self {
        Self::TooMany
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example: worker 1 is behind, and its most updated subdomain goes to worker 0.
    const ROUND: &str = r#"{"counts":[9,8,1,5,5],"owners":[0,0,1,1,1],"sockets":[0,1]"#;

    fn answer(rest: &str) -> Result<String, String> {
        plb(format!("{ROUND},{rest}}}").as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_most_updated_of_the_slow_worker_moves_to_the_fast_one() {
        let moves = answer(r#""policy":"joint""#);
        assert_eq!(moves.as_deref(), Ok(r#"{"moves":[{"subdomain":3,"from":1,"to":0}]}"#));
    }

    #[test]
    fn nothing_crosses_sockets_under_split() {
        let answer = answer(r#""policy":"split""#).unwrap();
        assert!(answer.starts_with(r#"{"moves":[],"#), "{answer}");
        assert!(answer.contains("nothing can ever move, whatever the counts"), "{answer}");
        assert!(answer.contains("another with subdomains beside it"), "{answer}");
    }

    #[test]
    fn parameters_are_respected() {
        for (parameter, why) in [
            (r#""low":3"#, r#"more subdomains than \"low\", 3"#),
            (r#""high":2,"low":1"#, r#"fewer subdomains than \"high\", 2"#),
        ] {
            let answer = answer(&format!(r#""policy":"joint",{parameter}"#)).unwrap();
            assert!(answer.starts_with(r#"{"moves":[],"#), "{answer}");
            assert!(answer.contains("nothing can ever move") && answer.contains(why), "{answer}");
        }
        let apart = answer(r#""policy":"joint","dead_band":9"#);
        assert_eq!(apart.as_deref(), Ok(r#"{"moves":[]}"#), "with other counts something moves");
    }

    #[test]
    fn bad_input_is_named() {
        let cases: [(&str, &str); 12] = [
            (r#"{"a\nb":1}"#, r"unknown field `a\u{a}b`"),
            ("", "JSON: EOF"),
            ("[]", "JSON: invalid length"),
            (r#"{"counts":[1,-2]}"#, "counts[1]: invalid value"),
            (r#"{"counts":[],"owner":[]}"#, "unknown field `owner`"),
            (r#"{"counts":[],"owners":[],"sockets":[]}"#, "missing field `policy`"),
            (
                r#"{"counts":[],"owners":[],"sockets":[],"policy":"best"}"#,
                "policy: unknown variant",
            ),
            (r#"{"counts":[1],"owners":[],"sockets":[0],"policy":"joint"}"#, "\"owners\" has 0"),
            (
                r#"{"counts":[1],"owners":[2],"sockets":[0],"policy":"joint"}"#,
                "\"owners\"[0] is worker 2",
            ),
            (
                r#"{"counts":[],"owners":[],"sockets":[],"policy":"joint","pairs":65}"#,
                "\"pairs\" is 65",
            ),
            (
                r#"{"counts":[],"owners":[],"sockets":[],"policy":"joint","low":6}"#,
                "\"low\" is 6 and \"high\" is 6",
            ),
            (
                r#"{"counts":[],"owners":[],"sockets":[],"policy":"joint"} x"#,
                "JSON: trailing characters",
            ),
        ];
        for (input, expected) in cases {
            let message = plb(input.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(expected), "{input}: {message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn an_empty_problem_has_no_moves_and_the_answer_is_a_line() {
        let input = r#"{"counts":[],"owners":[],"sockets":[],"policy":"split"}"#;
        let mut output = Vec::new();
        super::super::run(plb, input.as_bytes(), &mut output).unwrap();
        let line = String::from_utf8(output).unwrap();
        assert!(line.starts_with(r#"{"moves":[],"#) && line.ends_with("}\n"), "{line}");
        assert_eq!(line.lines().count(), 1, "{line}");
    }
}
