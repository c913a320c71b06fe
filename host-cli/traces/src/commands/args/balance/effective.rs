//! Writes the effective parameters as a person could have given them.

use std::fmt::Display;

use serde::Serialize;
use tresse_core::balance::grapevine::{Config, Threshold, View};
use tresse_core::balance::objects::Millionths;

/// Returns the flags that give this configuration.
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
    let tuned: [(&str, &dyn Display); 15] = [
        ("criterion", &name(&config.criterion)),
        ("knowledge", &format!("{view}:{known}")),
        ("fanout", &config.fanout),
        ("rounds", &config.rounds),
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
        ("idle", &config.idle),
    ];
    let tuned: Vec<_> = tuned.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let Config { iterations, trials, target, seed, .. } = config;
    format!(
        "--iterations {iterations} --trials {trials} --target {} --seed {seed} --tune {}",
        fraction(*target),
        tuned.join(",")
    )
}

/// Returns the name that data has for a value.
fn name(value: &impl Serialize) -> String {
    let name = serde_json::to_value(value).ok();
    name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Returns a number in millionths as the decimal number that it is.
fn fraction(Millionths(number): Millionths) -> String {
    let (whole, rest) = (number / Millionths::ONE.0, number % Millionths::ONE.0);
    let text = format!("{whole}.{rest:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
