//! The parameters of Grapevine as flags: a preset, and what goes over it.

use std::fmt::Display;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use tresse_core::balance::grapevine::{
    Cmf, CmfUpdate, Config, ConfigError, Criterion, Order, Pass, SenderLoad, Threshold, View,
};
use tresse_core::balance::objects::Millionths;
use tresse_core::grammar::{Decimal, count, count32};

use super::super::values::positive;

/// Choices of Grapevine's parameters: each is absent where it was not made.
#[derive(Args, Clone, Debug, Default, PartialEq)]
#[command(next_help_heading = "Grapevine")]
pub struct GrapevineChoices {
    /// What the parameters are that no flag gives
    #[arg(long, value_enum, value_name = "PRESET", default_value_t)]
    pub preset: Preset,

    /// Which transfers are made: original (6: the receiver stays below the average) or relaxed (6':
    /// below the sender) [default: relaxed, slides: original]
    #[arg(long, value_name = "CRITERION")]
    #[arg(value_parser = named::<Criterion>(&["original", "relaxed"]))]
    pub criterion: Option<Criterion>,

    /// Which loads a decision sees: live (the true ones, processors take turns) or gossiped (all act
    /// at once); and how many others a processor remembers: :K from 1 to 64, or :all [default:
    /// gossiped:64, slides: live:all; without a colon live:all and gossiped:64]
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

    /// Who gives away objects: who is above so many times the average, at least 1, such as 1.0; or
    /// falling[:N]: who is above it by more than an N-th of what the most loaded is [default:
    /// falling:8, slides: 1]
    #[arg(long, value_name = "T", value_parser = threshold, allow_negative_numbers = true)]
    pub threshold: Option<Threshold>,

    /// Which object comes first: arbitrary (by the seed), id, ascending, descending,
    /// fewest-migrations or small-objects [default: descending, slides: arbitrary]
    #[arg(long, value_name = "ORDER")]
    #[arg(value_parser = named::<Order>(&["arbitrary", "id", "ascending", "descending",
        "fewest-migrations", "small-objects"]))]
    pub order: Option<Order>,

    /// How likely each known processor is: by what it has less than the average (original) or than
    /// the most loaded known one (norm-by-max) [default: norm-by-max, slides: original]
    #[arg(long, value_name = "CMF", value_parser = named::<Cmf>(&["original", "norm-by-max"]))]
    pub cmf: Option<Cmf>,

    /// When that is computed: once a turn, or again after each acceptance [default:
    /// after-acceptance, slides: once]
    #[arg(long, value_name = "WHEN")]
    #[arg(value_parser = named::<CmfUpdate>(&["once", "after-acceptance"]))]
    pub cmf_update: Option<CmfUpdate>,

    /// What becomes of an object without a place: it stays (single), or is looked at again after
    /// each acceptance (restart) [default: single, slides: restart]
    #[arg(long, value_name = "PASS", value_parser = named::<Pass>(&["single", "restart"]))]
    pub pass: Option<Pass>,

    /// How often in an iteration the overloaded may offer [default: 32, slides: 1]
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

    /// Which iteration's placement is taken: the best one, or the last [default: best, slides: last]
    #[arg(long, value_enum, value_name = "WHICH")]
    pub keep: Option<Keep>,

    /// Runs from the start with other draws, of which the best is taken [default: 1]
    #[arg(long, value_name = "N", value_parser = count32, allow_negative_numbers = true)]
    pub trials: Option<u32>,

    /// End at this imbalance, such as 0.05 [default: 0]
    #[arg(long, value_name = "IMBALANCE", value_parser = millionths, allow_negative_numbers = true)]
    pub target: Option<Millionths>,

    /// End a trial after so many iterations in a row without a transfer; 0: never [default: 3,
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

/// Which placement is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    /// The best that was seen
    Best,
    /// The last
    Last,
}

/// Which loads a decision sees, and how many others a processor remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnowledgeChoice {
    view: View,
    known: Option<u32>,
}

/// Choices that do not go together, or make no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// What the core refuses.
    #[error("{}: {error}{}", flags_of(*error), mend(*error))]
    Config {
        /// What is wrong.
        error: ConfigError,
    },
    /// A parameter that the method has not.
    #[error("{0}: --method {1} has no such parameter: leave it out, or use --method grapevine")]
    NotGrapevine(&'static str, &'static str),
    /// Bounds on memory that the method does not know.
    #[error("--memory-limit: --method {0} knows no bounds on memory: use --method grapevine")]
    Unbounded(&'static str),
    /// Bounds on memory that nobody would keep.
    #[error(
        "--memory-limit with --knowledge gossiped: the receiver must be able to refuse: give \
         --refuse yes, or --knowledge live"
    )]
    UnboundedGossip,
}

/// The flags that a parameter is given by.
const fn flags_of(error: ConfigError) -> &'static str {
    match error {
        ConfigError::Known => "--knowledge",
        ConfigError::Fanout => "--fanout",
        ConfigError::Rounds => "--rounds",
        ConfigError::Attempts => "--attempts",
        ConfigError::Trials => "--trials",
        ConfigError::LastOfTrials => "--trials with --keep last",
        ConfigError::Threshold => "--threshold",
        ConfigError::SenderLoad => "--sender-load at-turn with --knowledge gossiped",
        ConfigError::Exchange => "--exchange yes with --refuse no",
    }
}

const fn mend(error: ConfigError) -> &'static str {
    match error {
        ConfigError::LastOfTrials => ": leave one of them out",
        ConfigError::SenderLoad => ": leave it out, or use --knowledge live",
        ConfigError::Exchange => ", with --refuse yes",
        _ => "",
    }
}

impl GrapevineChoices {
    /// The preset with these choices over it. What was not chosen, and does not go with what was,
    /// follows it.
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

    /// The first choice that only Grapevine understands.
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

    pub(super) fn check_bounds(
        &self,
        config: &Config,
        is_bounded: bool,
    ) -> Result<(), ChoiceError> {
        match is_bounded && config.view == View::Gossiped && !config.refuse {
            true => Err(ChoiceError::UnboundedGossip),
            false => Ok(()),
        }
    }
}

impl KnowledgeChoice {
    fn parse(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str =
            "expected live or gossiped, alone or with :K (1 to 64) or :all after it";
        let (view, known) = match text.split_once(':') {
            None => (text, None),
            Some((view, known)) => (view, Some(known)),
        };
        let view = match view {
            "live" => View::Live,
            "gossiped" => View::Gossiped,
            _ => return Err(EXPECTED),
        };
        let known = match known {
            Some("all") => None,
            Some(number) => Some(count32(number).map_err(|_| EXPECTED)?),
            None if view == View::Live => None,
            None => Config::DISTRIBUTED.known,
        };
        Ok(Self { view, known })
    }
}

/// A value by the name that the core's data has for it.
fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| {
        let name: StrDeserializer<'_, Error> = name.as_str().into_deserializer();
        T::deserialize(name)
    })
}

fn yes_or_no() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["yes", "no"]).map(|word| word == "yes")
}

fn millionths(text: &str) -> Result<Millionths, &'static str> {
    let decimal = Decimal::parse(text).and_then(|decimal| decimal.scaled(6));
    decimal.map(Millionths).ok_or("expected a number of at most six decimals, such as 0.05")
}

fn threshold(text: &str) -> Result<Threshold, &'static str> {
    const EXPECTED: &str = "expected a number such as 1.0, falling, or falling:N (N at least 1)";
    match text.split_once(':') {
        Some(("falling", part)) => positive(part).map(Threshold::Falling).map_err(|_| EXPECTED),
        Some(_) => Err(EXPECTED),
        None if text == "falling" => Ok(Config::DISTRIBUTED.threshold),
        None => millionths(text).map(Threshold::Times).map_err(|_| EXPECTED),
    }
}

/// A configuration as the flags that give it.
pub fn flags(config: &Config) -> String {
    let yes = |flag| if flag { "yes" } else { "no" };
    let known = config.known.map_or("all".to_owned(), |known| known.to_string());
    let view = match config.view {
        View::Live => "live",
        View::Gossiped => "gossiped",
    };
    let threshold = match config.threshold {
        Threshold::Times(times) => fraction(times),
        Threshold::Falling(part) => format!("falling:{part}"),
    };
    let values: [(&str, &dyn Display); 19] = [
        ("criterion", &name(&config.criterion)),
        ("knowledge", &format!("{view}:{known}")),
        ("fanout", &config.fanout),
        ("rounds", &config.rounds),
        ("iterations", &config.iterations),
        ("threshold", &threshold),
        ("order", &name(&config.order)),
        ("cmf", &name(&config.cmf)),
        ("cmf-update", &name(&config.cmf_update)),
        ("pass", &name(&config.pass)),
        ("attempts", &config.attempts),
        ("refuse", &yes(config.refuse)),
        ("exchange", &yes(config.exchange)),
        ("sender-load", &name(&config.sender_load)),
        ("keep", &if config.keep_best { "best" } else { "last" }),
        ("trials", &config.trials),
        ("target", &fraction(config.target)),
        ("idle", &config.idle),
        ("seed", &config.seed),
    ];
    let flags = values.iter().map(|(flag, value)| format!("--{flag} {value}"));
    flags.collect::<Vec<_>>().join(" ")
}

/// The name that data has for a value.
fn name(value: &impl Serialize) -> String {
    let name = serde_json::to_value(value).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A number in millionths as the decimal number that it is.
fn fraction(Millionths(number): Millionths) -> String {
    let (whole, rest) = (number / Millionths::ONE.0, number % Millionths::ONE.0);
    let text = format!("{whole}.{rest:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{BalanceArgs, Cli, Command};
    use crate::balancing::Method;

    fn args(line: &str) -> BalanceArgs {
        let words = ["tresse", "balance", "trace"].into_iter().chain(line.split_whitespace());
        match Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{line}: {error}")).command {
            Command::Balance(args) => *args,
            other => panic!("{other:?}"),
        }
    }

    fn config(line: &str) -> Config {
        match args(line).method() {
            Ok(Method::Grapevine(config)) => config,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn refused(line: &str) -> String {
        args(line).method().unwrap_err().to_string()
    }

    #[test]
    fn presets_are_the_core_s() {
        assert_eq!(config(""), Config { seed: 1, ..Config::DISTRIBUTED });
        assert_eq!(config("--preset slides --seed 0"), Config::SLIDES);
        let relaxed = config("--preset slides --criterion relaxed --threshold 1.05");
        assert_eq!(relaxed.criterion, Criterion::Relaxed);
        assert_eq!(relaxed.threshold, Threshold::Times(Millionths(1_050_000)));
    }

    #[test]
    fn what_was_not_chosen_follows_what_was() {
        let gossiped = config("--preset slides --knowledge gossiped:8");
        assert_eq!((gossiped.known, gossiped.sender_load), (Some(8), SenderLoad::Current));
        let live = config("--knowledge live");
        assert_eq!((live.view, live.known), (View::Live, None));
        assert_eq!(config("--knowledge gossiped").known, Some(64));
        assert_eq!(config("--knowledge live:3").known, Some(3));
        assert!(!config("--refuse no").exchange);
        assert!(config("--preset slides --exchange yes").refuse);
        assert!(config("--preset slides --trials 2").keep_best);
    }

    #[test]
    fn the_effective_flags_give_the_same_configuration() {
        for line in [
            "",
            "--preset slides",
            "--knowledge live:7 --fanout 9 --rounds 2 --iterations 5 --threshold falling:3",
            "--threshold 2.000001 --order small-objects --cmf original --cmf-update once",
            "--pass restart --attempts 4 --exchange no --refuse no --keep last --target 0.05",
            "--preset slides --sender-load at-turn --trials 3 --idle 9 --seed 18446744073709551615",
        ] {
            let effective = config(line);
            assert_eq!(config(&flags(&effective)), effective, "{line}");
        }
    }

    #[test]
    fn choices_that_exclude_each_other_are_both_named() {
        for (line, parts) in [
            ("--exchange yes --refuse no", ["--exchange yes", "--refuse no"]),
            ("--trials 2 --keep last", ["--trials", "--keep last"]),
            ("--sender-load at-turn", ["--sender-load at-turn", "--knowledge gossiped"]),
            ("--method lpt --fanout 3", ["--fanout", "--method lpt"]),
            ("--method random --memory-limit 5", ["--memory-limit", "--method random"]),
            ("--refuse no --memory-limit 8e9", ["--memory-limit", "--refuse yes"]),
            ("--knowledge gossiped:65", ["--knowledge", "1 to 64"]),
            ("--knowledge live:0", ["--knowledge", "1 to 64"]),
            ("--fanout 65", ["--fanout", "1 to 64"]),
            ("--fanout 0", ["--fanout", "1 to 64"]),
            ("--rounds 0", ["--rounds", "at least one"]),
            ("--attempts 0", ["--attempts", "at least one"]),
            ("--trials 0", ["--trials", "at least one"]),
            ("--threshold 0.999999", ["--threshold", "at least 1"]),
        ] {
            let message = refused(line);
            assert!(parts.iter().all(|part| message.contains(part)), "{line}: {message}");
        }
        assert!(matches!(args("--method random --seed 4").method(), Ok(Method::Random(4))));
        assert!(args("--method none --memory-limit 5").method().is_ok());
        assert_eq!(args("--memory-limit 7.5GiB").memory_limit, Some(15 << 29));
    }
}
