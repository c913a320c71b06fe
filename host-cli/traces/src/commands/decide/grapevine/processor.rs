//! The turn of one processor: lines 1 to 11 of the algorithm.

use std::collections::BTreeSet;

use serde::Serialize;
use tresse_core::balance::grapevine::transfer::order::arrange;
use tresse_core::balance::grapevine::transfer::sender::{Peers, Rules, Sender};
use tresse_core::balance::grapevine::{Config, Moment, Stage, Threshold, View};
use tresse_core::balance::objects::{Average, Millionths, Objects};
use tresse_core::base::id::{ObjectId, ProcessorId};

use super::{GrapevineError, Input, Mean, Peer, refuse_other_form};

/// The output.
#[derive(Serialize)]
pub(super) struct Given {
    moves: Vec<Gift>,
    rejected: u64,
    /// Load that the processor has left.
    load: u64,
}

#[derive(Serialize)]
struct Gift {
    object: ObjectId,
    to: ProcessorId,
}

/// Makes the turn of one processor: checks the input, and gives objects away while the processor is
/// overloaded.
pub(super) fn turn(input: Input) -> Result<Given, GrapevineError> {
    let others = [
        (input.processors.is_some(), "processors"),
        (input.fixed.is_some(), "fixed"),
        (input.iterations.is_some(), "iterations"),
        (input.trials.is_some(), "trials"),
    ];
    // How high the others are is not known here: a threshold that falls with that is none.
    let threshold = Threshold::Times(Millionths::ONE);
    let config = input.config(Config { threshold, view: View::Live, ..input.preset() })?;
    let loads = input.objects.ok_or(GrapevineError::Missing("objects"))?;
    refuse_other_form("objects", others)?;
    let peers = input.peers.ok_or(GrapevineError::Missing("peers"))?;
    let Mean { total, processors } = input.average.ok_or(GrapevineError::Missing("average"))?;
    let objects = Objects::new(&loads, &[])?;
    let (sum, load) = (objects.total(), input.load.unwrap_or(objects.total()));
    match () {
        () if load < sum => return Err(GrapevineError::Load { load, sum }),
        () if total < load => return Err(GrapevineError::Total { total, load }),
        () if processors == 0 => return Err(GrapevineError::NoProcessors),
        () => check_peers(&peers)?,
    }
    let average = Average { total, processors };
    Ok(choose_gifts(&config, &objects, (load, average), &peers))
}

/// Chooses the objects that a processor gives to the peers that it knows, until it is no more
/// overloaded or nothing fits.
fn choose_gifts(
    config: &Config,
    objects: &Objects<'_>,
    (load, average): (u64, Average),
    peers: &[Peer],
) -> Given {
    let rules = Rules::new(config, average, load);
    let moment = Moment { seed: config.seed, trial: 0, iteration: 0 };
    let mut rng = moment.draws(Stage::Transfer(0), 0);
    let mut list: Vec<ObjectId> = objects.ids().collect();
    arrange(config.order, &mut list, objects, load, average, &mut rng);
    let mut known: Vec<u64> = peers.iter().map(|peer| peer.load).collect();
    let mut cumulative = vec![0; known.len()];
    let seen = Peers::new(&rules, &mut known, &mut cumulative);
    let mut sender = Sender::new(&rules, objects, load, seen);
    let mut moves = Vec::new();
    sender.run(&mut list, &mut rng, &mut |proposal| {
        let Some(peer) = peers.get(proposal.peer) else { return false };
        moves.push(Gift { object: proposal.object, to: peer.processor });
        true
    });
    Given { moves, rejected: sender.rejected, load: sender.load }
}

/// Checks that no processor is among the peers twice.
fn check_peers(peers: &[Peer]) -> Result<(), GrapevineError> {
    let mut seen = BTreeSet::new();
    let twice = peers.iter().enumerate().find(|(_, peer)| !seen.insert(peer.processor));
    twice.map_or(Ok(()), |(place, peer)| {
        Err(GrapevineError::TwicePeer { place, processor: peer.processor })
    })
}
