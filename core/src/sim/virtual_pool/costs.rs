//! Costs of tasks and messages on a core.

use serde::Serialize;

use crate::base::time::{Duration, in_seconds};

/// Costs on a core that nothing slows down, besides the latency of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct PoolCosts {
    /// Time of a task.
    #[serde(serialize_with = "in_seconds")]
    pub task: Duration,
    /// Time of sending or getting a message, at a worker.
    #[serde(serialize_with = "in_seconds")]
    pub message: Duration,
    /// Time that a manager works for a message.
    #[serde(serialize_with = "in_seconds")]
    pub service: Duration,
    /// Time that a manager works besides for each task of a message.
    #[serde(serialize_with = "in_seconds")]
    pub moved: Duration,
    /// Tasks between two looks of a worker at the messages that have arrived, at least one. With
    /// one, the search is strictly depth-first, as published; with several side by side there is
    /// more to spare.
    pub most_at_a_time: u32,
}

/// A node of a tree on a core of 2010, with MPI of then: chosen once, for all evaluations.
impl Default for PoolCosts {
    fn default() -> Self {
        Self {
            task: Duration(400),
            message: Duration(100),
            service: Duration(200),
            moved: Duration(5),
            most_at_a_time: 1,
        }
    }
}
