//! The parameters of Grapevine that one flag sets: `--tune KEY=VALUE,…`.

use clap::error::{ContextKind, ContextValue};
use clap::{Args, Command, FromArgMatches as _};
use tresse_core::balance::grapevine::{
    Cmf, CmfUpdate, Criterion, Order, Pass, SenderLoad, Threshold,
};
use tresse_core::base::grammar::count32;

use super::grapevine::Keep;
use super::values::{KnowledgeChoice, named, threshold, yes_or_no};

/// What is set, each key by its name; `None` where nothing was chosen.
#[derive(Args, Clone, Copy, Debug, Default, PartialEq)]
pub struct Tuning {
    /// Criterion for transfers: original (6: the receiver stays below the average) or relaxed (6':
    /// below the sender) [default: relaxed, slides: original]
    #[arg(long, value_name = "CRITERION")]
    #[arg(value_parser = named::<Criterion>(&["original", "relaxed"]))]
    pub criterion: Option<Criterion>,

    /// Loads that a decision sees: live (the true ones, processors take turns) or gossiped (all act
    /// at once); and the number of other processors that a processor remembers: :K from 1 to 64, or
    /// :all [default: gossiped:64, slides: live:all; without a colon live:all and gossiped:64]
    #[arg(long, value_name = "LOADS[:K]", value_parser = KnowledgeChoice::parse)]
    pub knowledge: Option<KnowledgeChoice>,

    /// Processors that one tells in a round of gossip, 1 to 64 [default: 3, slides: 6]
    #[arg(long, value_name = "F", value_parser = count32, allow_negative_numbers = true)]
    pub fanout: Option<u32>,

    /// Rounds of gossip an iteration [default: 4, slides: 10]
    #[arg(long, value_name = "K", value_parser = count32, allow_negative_numbers = true)]
    pub rounds: Option<u32>,

    /// Processors that give objects away: those above this multiple of the average, at least 1,
    /// such as 1.0; or falling or falling:N: those above it by more than an N-th of the most loaded
    /// one's excess [default: falling:8, slides: 1]
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

    /// Which of its loads a sender compares under 6': current, or at-turn (what it had when its
    /// turn began: for live loads only) [default: current, slides: at-turn]
    #[arg(long, value_name = "LOAD")]
    #[arg(value_parser = named::<SenderLoad>(&["current", "at-turn"]))]
    pub sender_load: Option<SenderLoad>,

    /// Iteration whose placement is taken: the best one, or the last [default: best, slides: last]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub keep: Option<Keep>,

    /// End a trial after this number of iterations in a row without a transfer; 0: never [default:
    /// 3, slides: 0]
    #[arg(long, value_name = "N", value_parser = count32, allow_negative_numbers = true)]
    pub idle: Option<u32>,
}

impl Tuning {
    /// Reads `KEY=VALUE`, several of them with commas between.
    pub fn parse(text: &str) -> Result<Self, String> {
        let keys = Self::augment_args(Command::new("tune").no_binary_name(true));
        let pair = |pair: &str| match pair.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => Ok(format!("--{}={value}", key.trim())),
            _ => Err(format!("expected KEY=VALUE in place of \"{pair}\"")),
        };
        let flags = text.split(',').map(pair).collect::<Result<Vec<_>, _>>()?;
        let matches =
            keys.clone().try_get_matches_from(flags).map_err(|error| said(&keys, &error))?;
        Self::from_arg_matches(&matches).map_err(|error| said(&keys, &error))
    }

    /// Returns these settings, with those of `later` over them.
    #[must_use]
    pub fn or(self, later: Self) -> Self {
        Self {
            criterion: later.criterion.or(self.criterion),
            knowledge: later.knowledge.or(self.knowledge),
            fanout: later.fanout.or(self.fanout),
            rounds: later.rounds.or(self.rounds),
            threshold: later.threshold.or(self.threshold),
            order: later.order.or(self.order),
            cmf: later.cmf.or(self.cmf),
            cmf_update: later.cmf_update.or(self.cmf_update),
            pass: later.pass.or(self.pass),
            attempts: later.attempts.or(self.attempts),
            refuse: later.refuse.or(self.refuse),
            exchange: later.exchange.or(self.exchange),
            sender_load: later.sender_load.or(self.sender_load),
            keep: later.keep.or(self.keep),
            idle: later.idle.or(self.idle),
        }
    }
}

/// Returns what is wrong with a key or its value.
fn said(keys: &Command, error: &clap::Error) -> String {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.trim_start_matches("--").to_owned(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let argument = context(ContextKind::InvalidArg);
    let key = argument.split([' ', '=']).next().unwrap_or_default();
    let all: Vec<_> = keys.get_arguments().filter_map(clap::Arg::get_long).collect();
    if !all.contains(&key) {
        return format!("no parameter is named \"{key}\": there are {}", all.join(", "));
    }
    if error.kind() == clap::error::ErrorKind::ArgumentConflict {
        return format!("{key} is there twice");
    }
    let reason = std::error::Error::source(error).map(ToString::to_string);
    let reason = reason.unwrap_or_else(|| format!("expected {}", context(ContextKind::ValidValue)));
    format!("{key}={}: {reason}", context(ContextKind::InvalidValue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_and_what_is_wrong_is_named() {
        let tuning = Tuning::parse("criterion=relaxed, fanout=4").unwrap();
        let expected =
            Tuning { criterion: Some(Criterion::Relaxed), fanout: Some(4), ..Tuning::default() };
        assert_eq!(tuning, expected);
        let later = Tuning::parse("fanout=6,keep=last").unwrap();
        let both = tuning.or(later);
        assert_eq!((both.fanout, both.keep), (Some(6), Some(Keep::Last)));
        assert_eq!(both.criterion, Some(Criterion::Relaxed));
        for (text, parts) in [
            ("", &["KEY=VALUE"][..]),
            ("fanout", &["KEY=VALUE", "\"fanout\""]),
            ("fanuot=3", &["\"fanuot\"", "criterion, knowledge, fanout"]),
            ("criterion=6", &["criterion=6", "original", "relaxed"]),
            ("fanout=-1", &["fanout=-1"]),
            ("fanout=3,fanout=4", &["fanout", "twice"]),
            ("knowledge=all", &["knowledge=all"]),
            ("keep=first", &["keep=first", "best, last"]),
            ("seed=3", &["\"seed\""]),
        ] {
            let said = Tuning::parse(text).unwrap_err();
            assert!(parts.iter().all(|part| said.contains(part)), "{text}: {said}");
        }
    }
}
