//! Small systems of the shipped state machines, in every order of events.

mod alone;
mod asking;
mod grapevine;
mod halting;
mod handover;
mod lives;
mod migration;
mod sharing;
mod visits;

use std::fmt::Debug;
use std::hash::Hash;

use stateright::{Checker, HasDiscoveries, Model};

/// Returns the number of states of a sound system, in all of which what must hold does; at the
/// first in which it does not, it fails.
fn explore<M>(model: M) -> usize
where
    M: Model<Action: Debug + Clone + PartialEq> + Send + Sync + 'static,
    M::State: Debug + Hash + Send + Sync + Clone + PartialEq + 'static,
{
    let builder = model.checker().threads(2).finish_when(HasDiscoveries::AnyFailures);
    let checker = builder.spawn_bfs().join();
    checker.assert_properties();
    checker.unique_state_count()
}
