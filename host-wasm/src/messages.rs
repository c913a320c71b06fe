//! The messages between the page and its workers.
//!
//! A message is an array of two arrays of bytes, the first a [`Request`] or a [`Reply`], the second
//! what is too large to be packed into it: a file, or a frame. Each request has one reply, in the
//! order of requests.

use serde::{Deserialize, Serialize};

use crate::parameters::Parameters;
use crate::view_kind::ViewKind;

/// A request of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// View that the request is about.
    pub view: ViewKind,
    /// Action that is requested; the reply is a frame, where nothing else is said.
    pub what: What,
}

/// The actions that can be requested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum What {
    /// Open a model with these parameters, and with the file in the second part, if that is not
    /// empty. The model before is lost only where this succeeds.
    Open(Parameters),
    /// Go on to a time, for at most this number of milliseconds.
    Advance {
        /// Time to go on to.
        until: u64,
        /// Greatest number of milliseconds.
        budget_ms: f64,
    },
    /// Go on to the next time at which anything changes.
    Step,
    /// Go back to a time that was kept, at most this one.
    Rewind(u64),
    /// Do something that only the view understands; the reply is an answer.
    Act(Vec<u8>),
}

/// The worker's reply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// View that the reply is about.
    pub view: ViewKind,
    /// Outcome of the request.
    pub what: Outcome,
}

/// The outcomes of a request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    /// The frame is the second part.
    Frame {
        /// Time of the frame.
        now: u64,
        /// Whether the model has ended at this frame.
        has_ended: bool,
        /// Milliseconds that the model took for the frame.
        took: f64,
    },
    /// The view's own answer is the second part.
    Answer,
    /// The request cannot be met, for this reason: a sentence.
    Problem(String),
}
