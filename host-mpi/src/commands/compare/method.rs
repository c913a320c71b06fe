//! The four methods.

use serde::Serialize;
use tresse_core::run::{Mode, NodeBalance};

/// A way to solve on all ranks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Method {
    pub(super) name: String,
    pub(super) mode: Mode,
    /// Whether subdomains move between ranks.
    pub(super) is_balanced: bool,
}

/// Number of iterations by which a halo may be behind in semi-synchronous runs (Zarins & Weiland
/// 2020, section 5).
const BOUND: u32 = 30;

/// Returns each mode without `balance` and with it, in the order of the paper's section 5.
pub(super) fn methods(balance: NodeBalance) -> Vec<Method> {
    let label = match balance {
        NodeBalance::Dplb { .. } => "DPLB".to_owned(),
        other => other.to_string(),
    };
    let of_mode = |mode: Mode| {
        let name = match mode {
            Mode::SemiSync(bound) => format!("ssync({bound})"),
            mode => mode.to_string(),
        };
        [(name.clone(), false), (format!("{name} + {label}"), true)]
            .map(|(name, is_balanced)| Method { name, mode, is_balanced })
    };
    [Mode::Async, Mode::SemiSync(BOUND)].into_iter().flat_map(of_mode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_is_run_without_and_with_the_balancer() {
        let names = |balance| {
            let methods = methods(NodeBalance::parse(balance).unwrap());
            methods.into_iter().map(|method| method.name).collect::<Vec<_>>()
        };
        assert_eq!(
            names("dplb:0.5,10"),
            ["async", "async + DPLB", "ssync(30)", "ssync(30) + DPLB"]
        );
        assert_eq!(names("chaos:3")[1], "async + chaos:3");
    }
}
