//! Ranks that go on together, or end together: one line from the first rank, and the same exit
//! status on all.

use std::hash::{Hash as _, Hasher as _};

use tresse::commands::CommandError;
use tresse::exit::{Exit, Failure};
use tresse::terminal;

use crate::mpi::Entry;

/// The exit status with which all ranks end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused(pub Exit);

/// Returns the results where every rank has one; otherwise the first rank prints the reason, and
/// all end. An error without a text is one whose reason another rank knows. Collective.
pub fn together<T>(
    entry: &mut Entry,
    own: Result<T, impl Into<CommandError>>,
) -> Result<T, Refused> {
    let own: Result<T, CommandError> = own.map_err(Into::into);
    let said = own.as_ref().err().map(|error| (error.exit(), error.message()));
    let bytes =
        said.map_or_else(Vec::new, |(exit, text)| [&[exit as u8], text.as_bytes()].concat());
    let all = entry.gather_bytes(bytes);
    let exit = entry.first_u8(all.and_then(|all| refusal(&all)).unwrap_or(0));
    match own {
        Ok(own) if exit == 0 => Ok(own),
        _ => Err(Refused(decode(exit))),
    }
}

/// Prints what is wrong, and on which ranks; returns the exit status, or `None` where nothing is
/// wrong.
fn refusal(all: &[Vec<u8>]) -> Option<u8> {
    let failed: Vec<_> = (0..).zip(all).filter(|(_, said): &(u32, _)| !said.is_empty()).collect();
    // Some only say that another one has failed.
    let (rank, said) = failed.iter().find(|(_, said)| said.len() > 1).or_else(|| failed.first())?;
    let (exit, text) = said.split_first()?;
    let text = String::from_utf8_lossy(text);
    let everywhere = failed.len() == all.len();
    let place = if everywhere { String::new() } else { format!("rank {rank}: ") };
    terminal::tell_all(&format!("error: {place}{text}"));
    Some(*exit)
}

/// Returns the exit status that a number stands for.
fn decode(exit: u8) -> Exit {
    [Exit::Done, Exit::BadInput, Exit::Interrupted]
        .into_iter()
        .find(|known| *known as u8 == exit)
        .unwrap_or(Exit::NotReached)
}

/// Ranks have different values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "ranks disagree on {what}: rank {rank} has another than rank 0; start all of them with the same \
     options and files"
)]
pub struct Disagreement {
    what: &'static str,
    rank: u32,
}

impl Failure for Disagreement {
    fn exit(&self) -> Exit {
        Exit::BadInput
    }
}

/// Checks that all ranks have the same value. Collective.
pub fn agree(
    entry: &mut Entry,
    what: &'static str,
    own: &impl std::fmt::Debug,
) -> Result<(), Disagreement> {
    let mut hasher = twox_hash::XxHash3_64::default();
    format!("{own:?}").hash(&mut hasher);
    let all = entry.all_gather_u64(hasher.finish());
    let other = (0..).zip(&all).find(|(_, hash)| Some(*hash) != all.first());
    other.map_or(Ok(()), |(rank, _)| Err(Disagreement { what, rank }))
}

/// Returns the exit status of the first rank, which has seen everything. Collective.
pub fn as_first(entry: &mut Entry, own: Exit) -> Exit {
    decode(entry.first_u8(own as u8))
}
