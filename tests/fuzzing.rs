//! What the fuzz targets do with arbitrary bytes; on stable, the corpora go through the same code.

use serde_json::Value;
use tresse::commands::decide;
use tresse::problem::ProblemFile;
use tresse_core::id::SocketId;
use tresse_core::run::PlbParams;

use crate::simulated;
use crate::simulated::world::VirtualWorld;
use crate::world::{Policy, Sent, World, check, compare};

/// `tresse decide plb`: an answer is the oracle's and keeps every rule, a refusal is one line.
///
/// # Panics
/// Where it is not so.
pub fn decide_plb(bytes: &[u8]) {
    match decide::plb(bytes) {
        Err(refusal) => assert_one_line(&refusal.to_string()),
        Ok(answer) => {
            let world = world(bytes).unwrap_or_else(|| panic!("accepted, but not a world"));
            let moves = moves(&answer).unwrap_or_else(|| panic!("not the promised JSON: {answer}"));
            if let Err(fault) = check(&world, moves.clone()).and_then(|()| compare(&world, moves)) {
                panic!("{fault}");
            }
        }
    }
}

/// Problem files: what is read is read the same way again, a refusal is one line.
///
/// # Panics
/// Where it is not so.
pub fn problem_file(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match ProblemFile::parse(text) {
        Err(refusal) => assert_one_line(&refusal.to_string()),
        Ok(file) => {
            // As text, in which a number that is none equals itself.
            let same = |text: &str| {
                let again = ProblemFile::parse(text).map(|again| format!("{again:?}"));
                assert_eq!(again.ok(), Some(format!("{file:?}")));
            };
            same(text);
            // Comments around a file mean nothing; a byte order mark may only come first.
            let text = text.trim_start_matches('\u{feff}');
            same(&format!("# A problem.\n\n{text}\n# The end.\n"));
        }
    }
}

/// A virtual machine and a run on it, of any bytes: every rule holds after every event.
///
/// # Panics
/// Where it is not so.
pub fn machine(bytes: &[u8]) {
    let world = VirtualWorld::from_bytes(bytes);
    if let Err(fault) = simulated::run(&world) {
        panic!("{fault}\n  in {world:?}");
    }
}

fn assert_one_line(message: &str) {
    assert!(
        !message.trim().is_empty() && !message.contains(char::is_control),
        "not one line: {message:?}"
    );
}

/// The world of an accepted input, read without the product's code.
fn world(bytes: &[u8]) -> Option<World> {
    let input: Value = serde_json::from_slice(bytes).ok()?;
    let field = |place: usize, name: &str| match &input {
        Value::Array(fields) => fields.get(place),
        object => object.get(name),
    };
    let numbers = |place, name| -> Option<Vec<u64>> {
        field(place, name)?.as_array()?.iter().map(Value::as_u64).collect()
    };
    let paper = PlbParams::default();
    let parameter = |place, name| field(place, name).and_then(Value::as_u64);
    let small = |place, name| parameter(place, name).and_then(|value| u32::try_from(value).ok());
    Some(World {
        counts: numbers(0, "counts")?,
        owners: numbers(1, "owners")?
            .into_iter()
            .map(|owner| usize::try_from(owner).ok())
            .collect::<Option<_>>()?,
        sockets: numbers(2, "sockets")?
            .into_iter()
            .map(|socket| u32::try_from(socket).ok().map(SocketId))
            .collect::<Option<_>>()?,
        policy: match field(3, "policy")?.as_str()? {
            "joint" => Policy::Joint,
            "split" => Policy::Split,
            _ => return None,
        },
        params: PlbParams {
            pairs: small(4, "pairs").map_or(paper.pairs, |pairs| pairs as usize),
            low: small(5, "low").unwrap_or(paper.low),
            high: small(6, "high").unwrap_or(paper.high),
            dead_band: parameter(7, "dead_band").unwrap_or(paper.dead_band),
        },
    })
}

fn moves(answer: &str) -> Option<Vec<Sent>> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    let sent = |sent: &Value| {
        let number = |name: &str| sent[name].as_u64().and_then(|id| usize::try_from(id).ok());
        let (subdomain, from, to) = (number("subdomain")?, number("from")?, number("to")?);
        Some(Sent { subdomain, from, to })
    };
    answer["moves"].as_array()?.iter().map(sent).collect()
}
