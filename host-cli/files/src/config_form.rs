//! The configuration as recordings and checkpoints keep it: choices in their grammar, so that
//! whatever a person may ask for comes back as it was.

use serde::{Deserialize, Serialize};
use tresse_core::base::time::Duration;
use tresse_core::run::noise::Noise;
use tresse_core::run::{
    Balance, GridSize, Imbalance, Mode, NodeBalance, NodeRule, Nodes, PlbParams, Precision,
    RunConfig, Stop,
};

/// A whole configuration, with choices written in their grammar.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigForm {
    grid: [usize; 2],
    workers: u32,
    split: u32,
    mode: String,
    balance: String,
    /// Recordings and checkpoints of earlier versions have none of it.
    #[serde(default)]
    help: bool,
    #[serde(default)]
    always_help: bool,
    pairs: usize,
    low: u32,
    high: u32,
    dead_band: u64,
    nodes: NodesForm,
    imbalance: String,
    tolerance: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    absolute_tolerance: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reference: Option<f64>,
    iterations: Option<u64>,
    precision: String,
    seed: u64,
    noise: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NodesForm {
    number: u32,
    balance: String,
    rule: String,
    cooldown: String,
}

impl ConfigForm {
    /// Returns the form of a configuration.
    pub fn of(config: &RunConfig) -> Self {
        Self {
            grid: [config.grid.rows, config.grid.columns],
            workers: config.workers,
            split: config.split,
            mode: config.mode.to_string(),
            balance: config.balance.to_string(),
            help: config.help,
            always_help: config.always_help,
            pairs: config.plb.pairs,
            low: config.plb.low,
            high: config.plb.high,
            dead_band: config.plb.dead_band,
            nodes: NodesForm::of(&config.nodes),
            imbalance: config.imbalance.to_string(),
            tolerance: config.stop.tolerance,
            absolute_tolerance: config.stop.absolute_tolerance,
            reference: config.stop.reference,
            iterations: config.stop.iterations,
            precision: config.precision.to_string(),
            seed: config.seed,
            noise: config.noise.iter().map(ToString::to_string).collect(),
        }
    }

    /// Reads the configuration, which may not be valid; returns `None` where a choice cannot be
    /// parsed.
    pub fn read(&self) -> Option<RunConfig> {
        let [rows, columns] = self.grid;
        let noise: Vec<_> =
            self.noise.iter().map(|text| Noise::parse(text).ok()).collect::<Option<_>>()?;
        Some(RunConfig {
            grid: GridSize { rows, columns },
            workers: self.workers,
            split: self.split,
            mode: Mode::parse(&self.mode).ok()?,
            balance: Balance::parse(&self.balance).ok()?,
            help: self.help,
            always_help: self.always_help,
            plb: PlbParams {
                pairs: self.pairs,
                low: self.low,
                high: self.high,
                dead_band: self.dead_band,
            },
            nodes: self.nodes.read()?,
            imbalance: Imbalance::parse(&self.imbalance).ok()?,
            stop: Stop {
                tolerance: self.tolerance,
                absolute_tolerance: self.absolute_tolerance,
                reference: self.reference,
                iterations: self.iterations,
            },
            precision: Precision::parse(&self.precision).ok()?,
            seed: self.seed,
            noise: heapless::Vec::from_slice(&noise).ok()?,
        })
    }
}

impl NodesForm {
    /// Writes the choices about nodes in their grammar.
    fn of(nodes: &Nodes) -> Self {
        Self {
            number: nodes.number,
            balance: nodes.balance.to_string(),
            rule: nodes.rule.to_string(),
            cooldown: nodes.cooldown.to_string(),
        }
    }

    /// Parses the choices about nodes; `None` where one of them is no valid text.
    fn read(&self) -> Option<Nodes> {
        Some(Nodes {
            number: self.number,
            balance: NodeBalance::parse(&self.balance).ok()?,
            rule: NodeRule::parse(&self.rule).ok()?,
            cooldown: Duration::parse(&self.cooldown).ok()?,
        })
    }
}
