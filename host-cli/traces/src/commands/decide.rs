//! `tresse decide`: makes single decisions as pure functions, JSON in and JSON out, for programs in
//! other languages.

mod grapevine;
mod plb;

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tresse_console::exit::{Exit, Failure};
use tresse_console::terminal::one_line;

pub use grapevine::{GrapevineError, grapevine};
pub use plb::{PlbError, plb};

/// An error of the input of a decision.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// Standard input or output failed.
    #[error("decide: {0}; check the pipe on both sides")]
    Stream(#[from] io::Error),
    /// The input is not JSON, or not of the expected form.
    #[error("standard input: {place}: {message}; give an object such as {example}")]
    Form {
        /// Key of the fault, as in `counts[3]`, or `JSON` where the input is not JSON.
        place: String,
        /// Description of the fault.
        message: String,
        /// Example of a correct input.
        example: &'static str,
    },
    /// The input is not a round of progressive load balancing.
    #[error(transparent)]
    Plb(#[from] PlbError),
    /// The input is not a state of Grapevine.
    #[error(transparent)]
    Grapevine(#[from] GrapevineError),
}

impl Failure for DecideError {
    fn exit(&self) -> Exit {
        match self {
            Self::Stream(_) => Exit::NotReached,
            _ => Exit::BadInput,
        }
    }

    fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Stream(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// A function that makes a decision, from JSON to JSON.
pub type Decision = fn(&[u8]) -> Result<String, DecideError>;

/// Reads one state from `input` and writes the decision to `output`, in one line.
pub fn run(
    decide: Decision,
    mut input: impl Read,
    output: &mut dyn Write,
) -> Result<(), DecideError> {
    let mut text = Vec::new();
    input.read_to_end(&mut text)?;
    let answer = decide(&text)?;
    Ok(writeln!(output, "{answer}")?)
}

/// Parses the input; the error names the key and shows an example.
fn parse<T: DeserializeOwned>(input: &[u8], example: &'static str) -> Result<T, DecideError> {
    serde_json::from_slice(input).map_err(|error| {
        // Only now with the keys on record: that would slow down good input.
        let mut deserializer = serde_json::Deserializer::from_slice(input);
        let named = serde_path_to_error::deserialize::<_, T>(&mut deserializer);
        let place = named.err().map(|error| error.path().to_string());
        DecideError::Form {
            place: place.filter(|place| place != ".").map_or("JSON".into(), |key| one_line(&key)),
            message: one_line(&error.to_string()),
            example,
        }
    })
}

/// Returns an output as JSON on one line.
fn answer(output: &impl Serialize) -> Result<String, DecideError> {
    serde_json::to_string(output).map_err(|error| DecideError::Stream(error.into()))
}
