//! The parameters of Grapevine as flags: a preset, and what goes over it.

use clap::{Args, ValueEnum};
use tresse_console::args::values::positive;
use tresse_core::balance::grapevine::{Config, SenderLoad, View};
use tresse_core::balance::objects::Millionths;
use tresse_core::base::grammar::{count, count32};

use super::error::ChoiceError;
use super::tuning::Tuning;
use super::values::{KnowledgeChoice, millionths};

/// Choices of Grapevine's parameters; a field is `None` where nothing was chosen.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Grapevine")]
pub struct GrapevineChoices {
    /// Values of the parameters that no flag gives
    #[arg(long, value_enum, value_name = "PRESET", default_value_t)]
    pub preset: Preset,

    /// Single parameters over those of the preset, such as criterion=relaxed,fanout=4: criterion,
    /// knowledge, fanout, rounds, threshold, order, cmf, cmf-update, pass, attempts, refuse,
    /// exchange, sender-load, keep or idle; the guide on load traces has what they mean [default:
    /// none]
    #[arg(long, value_name = "KEY=VALUE,…", value_parser = Tuning::parse)]
    pub tune: Vec<Tuning>,

    /// Iterations, at most [default: 20, slides: 10]
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub iterations: Option<u32>,

    /// Runs from the start with other draws, of which the best is taken [default: 1]
    #[arg(long, value_name = "N", value_parser = count32, allow_negative_numbers = true)]
    pub trials: Option<u32>,

    /// End at this imbalance, such as 0.05 [default: 0]
    #[arg(long, value_name = "IMBALANCE", value_parser = millionths, allow_negative_numbers = true)]
    pub target: Option<Millionths>,

    /// Seed of all draws, also of --method random [default: 1]
    #[arg(long, value_name = "SEED", value_parser = count, allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

/// Parameters to begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Preset {
    /// The simulation behind the slides: live loads, criterion 6
    Slides,
    /// Ours: stale loads of few known processors, receivers that refuse, exchanges
    #[default]
    Distributed,
}

/// The placement that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    /// The best that was seen
    Best,
    /// The last
    Last,
}

impl GrapevineChoices {
    /// Returns the parameters of the preset, changed by these choices. What was not chosen, and
    /// does not go with what was, follows it.
    pub fn resolve(&self) -> Result<Config, ChoiceError> {
        let tuned = self.tuned();
        let base = match self.preset {
            Preset::Slides => Config::SLIDES,
            Preset::Distributed => Config::DISTRIBUTED,
        };
        let KnowledgeChoice { view, known } =
            tuned.knowledge.unwrap_or(KnowledgeChoice { view: base.view, known: base.known });
        let trials = self.trials.unwrap_or(base.trials);
        let keep_best = match tuned.keep {
            Some(keep) => keep == Keep::Best,
            None => base.keep_best || trials > 1,
        };
        let sender_load = match view {
            View::Gossiped => SenderLoad::Current,
            View::Live => base.sender_load,
        };
        let refuse = tuned.refuse.unwrap_or(base.refuse || tuned.exchange == Some(true));
        let config = Config {
            criterion: tuned.criterion.unwrap_or(base.criterion),
            cmf: tuned.cmf.unwrap_or(base.cmf),
            cmf_update: tuned.cmf_update.unwrap_or(base.cmf_update),
            order: tuned.order.unwrap_or(base.order),
            pass: tuned.pass.unwrap_or(base.pass),
            view,
            known,
            fanout: tuned.fanout.unwrap_or(base.fanout),
            rounds: tuned.rounds.unwrap_or(base.rounds),
            iterations: self.iterations.unwrap_or(base.iterations),
            attempts: tuned.attempts.unwrap_or(base.attempts),
            threshold: tuned.threshold.unwrap_or(base.threshold),
            sender_load: tuned.sender_load.unwrap_or(sender_load),
            refuse,
            exchange: tuned.exchange.unwrap_or(base.exchange && refuse),
            keep_best,
            trials,
            target: self.target.unwrap_or(base.target),
            idle: tuned.idle.unwrap_or(base.idle),
            seed: self.seed.unwrap_or(1),
        };
        config.check().map_err(|error| ChoiceError::Config { error })?;
        Ok(config)
    }

    /// Returns what all of `--tune` say together.
    fn tuned(&self) -> Tuning {
        self.tune.iter().copied().fold(Tuning::default(), Tuning::or)
    }

    /// Returns the first choice that only Grapevine understands.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        [
            (self.preset != Preset::default(), "--preset"),
            (!self.tune.is_empty(), "--tune"),
            (self.iterations.is_some(), "--iterations"),
            (self.trials.is_some(), "--trials"),
            (self.target.is_some(), "--target"),
        ]
        .into_iter()
        .find_map(|(given, flag)| given.then_some(flag))
    }
}

/// Checks whether the balancer enforces bounds on memory.
pub(super) fn check_bounds(config: &Config, is_bounded: bool) -> Result<(), ChoiceError> {
    if is_bounded && config.view == View::Gossiped && !config.refuse {
        return Err(ChoiceError::UnboundedGossip);
    }
    Ok(())
}
