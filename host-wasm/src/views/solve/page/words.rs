//! The view's texts, and the values of its controls.

use std::fmt::Write as _;

use web_sys::{HtmlInputElement, HtmlSelectElement};

use super::state::State;
use crate::page::dom;
use crate::views::solve::frame::{Activity, Burden, CorePlace, Frame};

/// Returns the chosen place in the grammar of noise, such as `core=3`.
pub fn place(view: &str) -> String {
    let kind = dom::by_id::<HtmlSelectElement>(&format!("{view}-scope")).map(|scope| scope.value());
    let number =
        dom::by_id::<HtmlInputElement>(&format!("{view}-place")).map(|place| place.value());
    format!("{}={}", kind.unwrap_or_default(), number.unwrap_or_default())
}

/// Returns the share of the time to take, in percent.
fn percent(view: &str) -> u32 {
    let value = dom::by_id::<HtmlInputElement>(&format!("{view}-duty")).map(|duty| duty.value());
    value.and_then(|value| value.parse().ok()).unwrap_or(50).clamp(1, 99)
}

/// Returns the share of the time to take as an effect.
pub fn duty(view: &str) -> String {
    format!("duty=0.{:02}", percent(view))
}

/// Returns the share of the time to take as bursts of random lengths, which with their pauses take
/// a millisecond each on average.
pub fn bursts(view: &str) -> String {
    let share = percent(view) * 10;
    format!("burst={share}us,gap={}us", 1_000 - share)
}

/// Returns a time in milliseconds as a short text.
pub fn milliseconds(nanoseconds: u64) -> String {
    format!("{:.3} ms", nanoseconds as f64 * 1e-6)
}

/// Returns a whole number with its thousands set apart.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let (head, rest) = digits.split_at(first);
    let groups = rest.as_bytes().chunks(3).map(|group| String::from_utf8_lossy(group).into_owned());
    let head = (!head.is_empty()).then(|| head.to_owned());
    head.into_iter().chain(groups).collect::<Vec<_>>().join("\u{202f}")
}

/// Writes the sentence that describes the run, and labels the picture with it.
pub fn say(state: &State) {
    let Some(frame) = &state.frame else { return };
    let scene = &state.scene;
    let subdomains = scene.first_owners.len() as u64;
    let mean = frame.updates as f64 / subdomains.max(1) as f64;
    let seconds = frame.now as f64 * 1e-9;
    let rate = if seconds > 0.0 { mean / seconds } else { 0.0 };
    let spread = frame.above.iter().max().copied().unwrap_or(0);
    let how = frame.end.clone().unwrap_or_else(|| disturbed(state, frame));
    let text = format!(
        "{} workers and {} subdomains on {}, {}: iteration {mean:.1} at {rate:.0} a second, spread {}, residual {:.2e}, {} \
         moves. {how}",
        grouped(scene.places.len() as u64),
        grouped(subdomains),
        scene.machine,
        scene.method,
        grouped(spread.into()),
        frame.residual,
        grouped(frame.moves.0 + frame.moves.1),
    );
    dom::set_text(&state.id("says"), &text);
    dom::set_attribute(
        &state.id("domain"),
        "aria-label",
        &format!("The grid and who sweeps it. {text}"),
    );
}

/// Returns a sentence on the cores that are slowed, stopped or waiting.
fn disturbed(state: &State, frame: &Frame) -> String {
    let of = |burden| frame.burdens.iter().filter(move |other| **other == burden).count();
    let (slowed, stopped) = (of(Burden::Slowed), of(Burden::Stopped));
    let waiting = frame.activities.iter().filter(|activity| **activity != Activity::Works).count();
    let mut parts = Vec::new();
    let mut say = |number: usize, what: &str| {
        if number > 0 {
            parts.push(format!("{number} {what}"));
        }
    };
    say(slowed, "slowed");
    say(stopped, "stopped");
    if slowed + stopped > 0 || state.scene.method.starts_with('s') {
        say(waiting, "waiting");
    }
    if parts.is_empty() {
        "Click a core to slow it down.".into()
    } else {
        format!("Cores: {}.", parts.join(", "))
    }
}

/// Returns a text about a cell.
pub fn of_cell(state: &State, (row, column): (u32, u32), probed: Option<(f64, u32)>) -> String {
    let mut text = format!("row {row}, column {column}");
    if let Some((value, subdomain)) = probed {
        text = format!("{value} at {text}; {}", of_subdomain(state, subdomain));
    }
    text
}

/// Returns a sentence on a subdomain: its updates and who sweeps it.
fn of_subdomain(state: &State, id: u32) -> String {
    let Some(frame) = &state.frame else { return String::new() };
    let above = frame.above.get(id as usize).copied().unwrap_or(0);
    let owner = frame.owners.get(id as usize).copied().unwrap_or(0);
    let count = grouped(frame.least + u64::from(above));
    match state.scene.places.get(owner as usize) {
        Some(CorePlace { core, .. }) => {
            format!("subdomain {id}: {count} updates, swept by worker {owner} on core {core}")
        }
        None => format!("subdomain {id}: {count} updates, on its way to another node"),
    }
}

/// Returns a text about a worker.
pub fn of_worker(state: &State, worker: u32) -> String {
    let at = worker as usize;
    let CorePlace { node, socket, core } = state.scene.places.get(at).copied().unwrap_or_default();
    let held = state.held.get(at).copied().unwrap_or(0);
    let mut text =
        format!("worker {worker} on core {core}, socket {socket}, node {node}: {held} subdomains");
    if let Some(frame) = &state.frame {
        text += match frame.burdens.get(at) {
            Some(Burden::Noise) => ", beside noise",
            Some(Burden::Slowed) => ", slowed down",
            Some(Burden::Stopped) => ", stopped",
            _ => "",
        };
        text += match frame.activities.get(at) {
            Some(Activity::AtBarrier) => ", waiting for all others",
            Some(Activity::ForNeighbours) => ", waiting for its neighbours",
            _ => "",
        };
        let waited = frame.waited.get(at).copied().unwrap_or(0);
        let (percent, tenth) = (waited / 10, waited % 10);
        // Text takes whatever is written.
        let _ = write!(text, "; has waited {percent}.{tenth} % of the time");
    }
    text
}
