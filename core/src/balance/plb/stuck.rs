//! A check whether anything can ever move under a balancer, with the reason if not (rule 5).

use crate::base::id::SocketId;
use crate::run::{Balance, PlbParams, Reach};

/// Reason why nothing can ever move, whatever the update counts come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// No worker has another with subdomains beside it that it could move any to or from: there is
    /// only one, or, under split, one on each socket.
    Alone,
    /// No worker has more subdomains than `low`, or than one where it only lends them.
    NobodyGives,
    /// No worker has fewer subdomains than `high`.
    NobodyTakes,
}

/// Returns the reason why nothing can ever move, by workers with their sockets, in ascending order
/// of these, and the number of subdomains of each; none where some counts make a move, or nothing
/// is to be balanced.
///
/// As long as nothing moves, all workers keep their subdomains, so that this holds for ever. Of a
/// balancer whose reach is [`Reach::Anybody`] no more is said than that one worker is alone.
pub fn stuck(
    balance: Balance,
    params: &PlbParams,
    workers: impl Iterator<Item = (SocketId, u32)> + Clone,
) -> Option<Stuck> {
    let all = Group::of(params, workers.clone().map(|(_, held)| held));
    match balance.reach() {
        Reach::Nobody => None,
        Reach::All => all.stuck(),
        Reach::Sockets => sockets_stuck(params, workers),
        Reach::SocketsAndAcross(every) => {
            let crosses = every > 0 && crosses(params, &workers);
            if crosses { None } else { sockets_stuck(params, workers) }
        }
        Reach::Exchange => (all.some < 2).then_some(Stuck::Alone),
        Reach::Surplus if all.workers < 2 => Some(Stuck::Alone),
        Reach::Surplus => workers.clone().all(|(_, held)| held < 2).then_some(Stuck::NobodyGives),
        Reach::Anybody => (all.workers < 2).then_some(Stuck::Alone),
    }
}

/// Workers that Algorithm 1 looks at together.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    workers: usize,
    /// The number of workers with subdomains.
    some: usize,
    /// The number of workers that hold more than `low`, and may give.
    givers: usize,
    /// The number of workers that have subdomains and may take more; a worker without any is never
    /// at the top.
    takers: usize,
    /// The number of workers that may take more, including those without subdomains.
    open: usize,
}

impl Group {
    /// Counts the workers that can give and take, by the number of subdomains that each holds.
    fn of(params: &PlbParams, held: impl Iterator<Item = u32>) -> Self {
        held.fold(Self::default(), |group, held| {
            let (has_some, is_open) = (held > 0, held < params.high);
            Self {
                workers: group.workers + 1,
                some: group.some + usize::from(has_some),
                givers: group.givers + usize::from(held > params.low),
                takers: group.takers + usize::from(has_some && is_open),
                open: group.open + usize::from(is_open),
            }
        })
    }

    /// Returns the reason why nothing can move in the group. Since `low < high`, each worker with
    /// subdomains gives or takes or both: if there is one of either kind, and another worker, then
    /// there are two that can make a move.
    const fn stuck(self) -> Option<Stuck> {
        match self {
            Self { some: 0 | 1, .. } => Some(Stuck::Alone),
            Self { givers: 0, .. } => Some(Stuck::NobodyGives),
            Self { takers: 0, .. } => Some(Stuck::NobodyTakes),
            _ => None,
        }
    }
}

/// Returns the counts of each socket's workers, one socket after the other.
fn sockets(
    params: &PlbParams,
    mut workers: impl Iterator<Item = (SocketId, u32)> + Clone,
) -> impl Iterator<Item = Group> {
    core::iter::from_fn(move || {
        let (socket, _) = workers.clone().next()?;
        let here = workers.clone().take_while(|(other, _)| *other == socket);
        let group = Group::of(params, here.map(|(_, held)| held));
        workers.nth(group.workers.saturating_sub(1));
        Some(group)
    })
}

/// Returns the reason why nothing can move within any socket: the reason on the first that has
/// several workers.
fn sockets_stuck(
    params: &PlbParams,
    workers: impl Iterator<Item = (SocketId, u32)> + Clone,
) -> Option<Stuck> {
    let mut why = Stuck::Alone;
    for group in sockets(params, workers) {
        let stuck = group.stuck()?;
        if why == Stuck::Alone {
            why = stuck;
        }
    }
    Some(why)
}

/// Whether hybrid can move a subdomain from one socket to another: a socket without subdomains has
/// no mean, and takes no part.
fn crosses(params: &PlbParams, workers: &(impl Iterator<Item = (SocketId, u32)> + Clone)) -> bool {
    let giver = |group: &Group| group.givers > 0;
    let taker = |group: &Group| group.some > 0 && group.open > 0;
    let count = |is: &dyn Fn(&Group) -> bool| {
        sockets(params, workers.clone()).filter(|group| is(group)).count()
    };
    // One of either kind, and not one socket for both.
    let (givers, takers) = (count(&giver), count(&taker));
    let both = count(&|group| giver(group) && taker(group));
    givers > 0 && takers > 0 && !(givers == 1 && takers == 1 && both == 1)
}
