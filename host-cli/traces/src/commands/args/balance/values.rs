//! Readers of Grapevine's values.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};
use tresse_console::args::values::positive;
use tresse_core::balance::grapevine::{Config, Threshold, View};
use tresse_core::balance::objects::Millionths;
use tresse_core::base::grammar::{Decimal, count32};

/// The loads that a decision sees, and the number of other processors that a processor remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnowledgeChoice {
    /// Loads that a decision sees.
    pub view: View,
    /// Number of other processors that are remembered; `None` for all.
    pub known: Option<u32>,
}

impl KnowledgeChoice {
    /// Parses how loads are known, such as `live` or `gossiped:64`.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
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

/// Returns a parser of values by the names that their type has in serde.
pub(super) fn named<T>(names: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| {
        let name: StrDeserializer<'_, Error> = name.as_str().into_deserializer();
        T::deserialize(name)
    })
}

/// Returns a parser of `yes` and `no`.
pub(super) fn yes_or_no() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["yes", "no"]).map(|word| word == "yes")
}

/// Parses a number of at most six decimals.
pub(super) fn millionths(text: &str) -> Result<Millionths, &'static str> {
    let decimal = Decimal::parse(text).and_then(|decimal| decimal.scaled(6));
    decimal.map(Millionths).ok_or("expected a number of at most six decimals, such as 0.05")
}

/// Parses a threshold: a multiple of the average load, or `falling` with a part.
pub(super) fn threshold(text: &str) -> Result<Threshold, &'static str> {
    const EXPECTED: &str = "expected a number such as 1.0, falling, or falling:N (N at least 1)";
    match text.split_once(':') {
        Some(("falling", part)) => positive(part).map(Threshold::Falling).map_err(|_| EXPECTED),
        Some(_) => Err(EXPECTED),
        None if text == "falling" => Ok(Config::DISTRIBUTED.threshold),
        None => millionths(text).map(Threshold::Times).map_err(|_| EXPECTED),
    }
}
