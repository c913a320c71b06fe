//! What the page and its worker say to each other.
//!
//! A message is an array of two arrays of bytes, the first a [`Request`] or a [`Reply`], the second what is too
//! large to be packed into it: a file, or a frame. Each request has one reply, in the order of requests.

use serde::{Deserialize, Serialize};

use crate::parameters::Parameters;
use crate::views::ViewKind;

/// What the page wants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The view that it is about.
    pub view: ViewKind,
    /// What is to be done; a frame is the reply unless something else is said.
    pub what: What,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum What {
    /// Begin with these parameters, and with the file that is the second part, if that is not empty. The model
    /// before is lost only if that succeeds.
    Open(Parameters),
    /// Go on to a time, for at most this number of milliseconds.
    Advance {
        /// The time.
        until: u64,
        /// Milliseconds.
        within: f64,
    },
    /// Go on to the next time at which anything changes.
    Step,
    /// Go back to a time that was kept, at most this one.
    Rewind(u64),
    /// What only the view understands; the reply is an answer.
    Act(Vec<u8>),
}

/// What the worker replies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The view that it is about.
    pub view: ViewKind,
    /// What has become of the request.
    pub what: Outcome,
}

/// What has become of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// The frame is the second part.
    Frame {
        /// Its time.
        now: u64,
        /// Whether nothing comes after it.
        has_ended: bool,
        /// Milliseconds that it took to come to it.
        took: f64,
    },
    /// The view's own answer is the second part.
    Answer,
    /// It cannot be done, for this reason: a sentence.
    Problem(String),
}
