//! The parameters of Grapevine as flags: a preset, and what goes over it.

use clap::{Args, ValueEnum};
use tresse_core::balance::grapevine::{
    Cmf, CmfUpdate, Config, Criterion, Order, Pass, SenderLoad, Threshold, View,
};
use tresse_core::balance::objects::Millionths;
use tresse_core::base::grammar::{count, count32};

use super::super::values::positive;
use super::error::ChoiceError;
use super::values::{KnowledgeChoice, millionths, named, threshold, yes_or_no};

/// Choices of Grapevine's parameters; a field is `None` where nothing was chosen.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Grapevine")]
pub struct GrapevineChoices {
    /// Values of the parameters that no flag gives
    #[arg(long, value_enum, value_name = "PRESET", default_value_t)]
    pub preset: Preset,

    /// Criterion for transfers: original (6: the receiver stays below the average) or relaxed (6': below
    /// the sender) [default: relaxed, slides: original]
    #[arg(long, value_name = "CRITERION")]
    #[arg(value_parser = named::<Criterion>(&["original", "relaxed"]))]
    pub criterion: Option<Criterion>,

    /// Loads that a decision sees: live (the true ones, processors take turns) or gossiped (all act at
    /// once); and the number of other processors that a processor remembers: :K from 1 to 64, or :all
    /// [default: gossiped:64, slides: live:all; without a colon live:all and gossiped:64]
    #[arg(long, value_name = "LOADS[:K]", value_parser = KnowledgeChoice::parse)]
    pub knowledge: Option<KnowledgeChoice>,

    /// Processors that one tells in a round of gossip, 1 to 64 [default: 3, slides: 6]
    #[arg(long, value_name = "F", value_parser = count32, allow_negative_numbers = true)]
    pub fanout: Option<u32>,

    /// Rounds of gossip an iteration [default: 4, slides: 10]
    #[arg(long, value_name = "K", value_parser = count32, allow_negative_numbers = true)]
    pub rounds: Option<u32>,

    /// Iterations, at most [default: 20, slides: 10]
    #[arg(long, value_name = "N", value_parser = positive, allow_negative_numbers = true)]
    pub iterations: Option<u32>,

    /// Processors that give objects away: those above this multiple of the average, at least 1, such as
    /// 1.0; or falling or falling:N: those above it by more than an N-th of the most loaded one's excess
    /// [default: falling:8, slides: 1]
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    pub threshold: Option<Threshold>,

    /// Order in which objects are offered: arbitrary (by the seed), id, ascending, descending,
    /// fewest-migrations or small-objects [default: descending, slides: arbitrary]
    #[arg(long, value_name = "ORDER")]
    #[arg(value_parser = named::<Order>(&["arbitrary", "id", "ascending", "descending",
        "fewest-migrations", "small-objects"]))]
    pub order: Option<Order>,

    /// How likely each known processor is: by what it has less than the average (original) or than
    /// the most loaded known one (norm-by-max) [default: norm-by-max, slides: original]
    #[arg(long, value_name = "CMF", value_parser = named::<Cmf>(&["original", "norm-by-max"]))]
    pub cmf: Option<Cmf>,

    /// Time at which the CMF is computed: once a turn, or again after each acceptance [default:
    /// after-acceptance, slides: once]
    #[arg(long, value_name = "WHEN")]
    #[arg(value_parser = named::<CmfUpdate>(&["once", "after-acceptance"]))]
    pub cmf_update: Option<CmfUpdate>,

    /// What becomes of an object without a place: it stays (single), or is looked at again after
    /// each acceptance (restart) [default: single, slides: restart]
    #[arg(long, value_name = "PASS", value_parser = named::<Pass>(&["single", "restart"]))]
    pub pass: Option<Pass>,

    /// How often in an iteration the overloaded may offer; fewer times where that moves next to
    /// nothing any more [default: 32, slides: 1]
    #[arg(long, value_name = "N", value_parser = count32, allow_negative_numbers = true)]
    pub attempts: Option<u32>,

    /// Whether a receiver may refuse what would overload it: yes or no [default: yes, slides: no]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no())]
    pub refuse: Option<bool>,

    /// Whether two processors may exchange objects where a transfer is of no use: yes or no; needs
    /// --refuse yes [default: yes, slides: no]
    #[arg(long, value_name = "YES|NO", value_parser = yes_or_no())]
    pub exchange: Option<bool>,

    /// Which of its loads a sender compares under 6': current, or at-turn (what it had when its turn
    /// began: for live loads only) [default: current, slides: at-turn]
    #[arg(long, value_name = "LOAD")]
    #[arg(value_parser = named::<SenderLoad>(&["current", "at-turn"]))]
    pub sender_load: Option<SenderLoad>,

    /// Iteration whose placement is taken: the best one, or the last [default: best, slides: last]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub keep: Option<Keep>,

    /// Runs from the start with other draws, of which the best is taken [default: 1]
    #[arg(long, value_name = "N", value_parser = count32, allow_negative_numbers = true)]
    pub trials: Option<u32>,

    /// End at this imbalance, such as 0.05 [default: 0]
    #[arg(long, value_name = "IMBALANCE", value_parser = millionths, allow_negative_numbers = true)]
    pub target: Option<Millionths>,

    /// End a trial after this number of iterations in a row without a transfer; 0: never [default: 3,
    /// slides: 0]
    #[arg(long, value_name = "N", value_parser = count32, allow_negative_numbers = true)]
    pub idle: Option<u32>,

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
    /// Returns the parameters of the preset, changed by these choices. What was not chosen, and does not
    /// go with what was, follows it.
    pub fn resolve(&self) -> Result<Config, ChoiceError> {
        let base = match self.preset {
            Preset::Slides => Config::SLIDES,
            Preset::Distributed => Config::DISTRIBUTED,
        };
        let KnowledgeChoice { view, known } =
            self.knowledge.unwrap_or(KnowledgeChoice { view: base.view, known: base.known });
        let trials = self.trials.unwrap_or(base.trials);
        let keep_best = match self.keep {
            Some(keep) => keep == Keep::Best,
            None => base.keep_best || trials > 1,
        };
        let sender_load = match view {
            View::Gossiped => SenderLoad::Current,
            View::Live => base.sender_load,
        };
        let refuse = self.refuse.unwrap_or(base.refuse || self.exchange == Some(true));
        let config = Config {
            criterion: self.criterion.unwrap_or(base.criterion),
            cmf: self.cmf.unwrap_or(base.cmf),
            cmf_update: self.cmf_update.unwrap_or(base.cmf_update),
            order: self.order.unwrap_or(base.order),
            pass: self.pass.unwrap_or(base.pass),
            view,
            known,
            fanout: self.fanout.unwrap_or(base.fanout),
            rounds: self.rounds.unwrap_or(base.rounds),
            iterations: self.iterations.unwrap_or(base.iterations),
            attempts: self.attempts.unwrap_or(base.attempts),
            threshold: self.threshold.unwrap_or(base.threshold),
            sender_load: self.sender_load.unwrap_or(sender_load),
            refuse,
            exchange: self.exchange.unwrap_or(base.exchange && refuse),
            keep_best,
            trials,
            target: self.target.unwrap_or(base.target),
            idle: self.idle.unwrap_or(base.idle),
            seed: self.seed.unwrap_or(1),
        };
        config.check().map_err(|error| ChoiceError::Config { error })?;
        Ok(config)
    }

    /// Returns the first choice that only Grapevine understands.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        [
            (self.preset != Preset::default(), "--preset"),
            (self.criterion.is_some(), "--criterion"),
            (self.knowledge.is_some(), "--knowledge"),
            (self.fanout.is_some(), "--fanout"),
            (self.rounds.is_some(), "--rounds"),
            (self.iterations.is_some(), "--iterations"),
            (self.threshold.is_some(), "--threshold"),
            (self.order.is_some(), "--order"),
            (self.cmf.is_some(), "--cmf"),
            (self.cmf_update.is_some(), "--cmf-update"),
            (self.pass.is_some(), "--pass"),
            (self.attempts.is_some(), "--attempts"),
            (self.refuse.is_some(), "--refuse"),
            (self.exchange.is_some(), "--exchange"),
            (self.sender_load.is_some(), "--sender-load"),
            (self.keep.is_some(), "--keep"),
            (self.trials.is_some(), "--trials"),
            (self.target.is_some(), "--target"),
            (self.idle.is_some(), "--idle"),
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
