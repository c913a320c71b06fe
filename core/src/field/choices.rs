//! The choices that a person makes about a run, and the values that stand in for the others.

use crate::run::{Balance, GridSize, Imbalance, Mode, PlbParams, Precision, RunConfig, Stop};

/// Choices about a run; a field is `None` where nothing was chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunChoices {
    /// Imbalance of the workers' parts.
    pub imbalance: Option<Imbalance>,
    /// Mode: which neighbours a sweep waits for.
    pub mode: Option<Mode>,
    /// Number of subdomains of each worker.
    pub split: Option<u32>,
    /// Method that balances the workers.
    pub balance: Option<Balance>,
    /// Number of pairs that a balancing round considers.
    pub pairs: Option<usize>,
    /// Number of subdomains that a worker always keeps.
    pub low: Option<u32>,
    /// Whether nobody helps with sweeps that others are stuck in.
    pub no_help: bool,
    /// Whether every sweep is made such that another worker can make it as well.
    pub always_help: bool,
    /// Number of subdomains from which on a worker takes no more.
    pub high: Option<u32>,
    /// Number of updates by which the two of a pair must differ.
    pub dead_band: Option<u64>,
    /// The type of a cell.
    pub precision: Option<Precision>,
    /// Seed of every random choice.
    pub seed: Option<u64>,
    /// Residual, relative to the start's or the problem's, at which the run ends.
    pub tolerance: Option<f64>,
    /// Residual itself at which the run ends.
    pub absolute_tolerance: Option<f64>,
    /// Number of iterations after which the run ends.
    pub iterations: Option<u64>,
}

impl RunChoices {
    /// Returns the configuration of these choices, on one node and without noise. What was not
    /// chosen has the value of the papers, with these exceptions: asynchronous workers borrow what
    /// is behind ([`Balance::Auto`]; in the exact mode sweep by sweep), unless thresholds of the
    /// paper's balancers were chosen; where all counts are equal there is no balancer; and
    /// iterations alone need no tolerance. The thresholds depend on the split.
    pub fn resolve(&self, workers: u32, grid: GridSize) -> RunConfig {
        let paper = RunConfig::paper(workers);
        let split = self.split.unwrap_or(paper.split);
        let mode = self.mode.unwrap_or(paper.mode);
        // `auto` stands for a balancer that suits the mode.
        let balance = self.balance.filter(|&balance| balance != Balance::Auto);
        let balance = balance.unwrap_or_else(|| self.automatic(mode, split, paper.balance));
        let may_pull = matches!(balance, Balance::Pull(_) | Balance::Auto);
        let plb = PlbParams::for_split(split);
        let has_other = self.iterations.is_some() || self.absolute_tolerance.is_some();
        let tolerance = if has_other { None } else { paper.stop.tolerance };
        RunConfig {
            grid,
            split,
            mode,
            balance,
            help: !self.no_help && may_pull,
            always_help: self.always_help && may_pull,
            plb: PlbParams {
                pairs: self.pairs.unwrap_or(plb.pairs),
                low: self.low.unwrap_or(plb.low),
                high: self.high.unwrap_or(plb.high),
                dead_band: self.dead_band.unwrap_or(plb.dead_band),
            },
            imbalance: self.imbalance.unwrap_or(paper.imbalance),
            stop: Stop {
                tolerance: self.tolerance.or(tolerance),
                absolute_tolerance: self.absolute_tolerance,
                reference: None,
                iterations: self.iterations,
            },
            precision: self.precision.unwrap_or(paper.precision),
            seed: self.seed.unwrap_or(paper.seed),
            ..paper
        }
    }

    /// Returns the balancer that [`Balance::Auto`] stands for in a mode. `paper` is the paper's
    /// own.
    fn automatic(&self, mode: Mode, split: u32, paper: Balance) -> Balance {
        match mode {
            Mode::Sync => Balance::None,
            Mode::Exact => Balance::Pull(Balance::LAG),
            // Nobody's only subdomain is borrowed.
            Mode::Async if split == 1 => Balance::None,
            Mode::Async if !self.has_thresholds() => Balance::Auto,
            // Who waits for neighbours is never so far ahead that another borrows, and thresholds
            // are the paper's.
            Mode::Async | Mode::SemiSync(_) => paper,
        }
    }

    /// Whether a threshold of Algorithm 1 (`low`, `high` or the dead band) was chosen.
    fn has_thresholds(&self) -> bool {
        self.low.or(self.high).is_some() || self.dead_band.is_some()
    }
}
