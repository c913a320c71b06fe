//! Algorithm 1 written naively, straight from its listing (Zarins & Weiland 2017, section 3.3) and
//! from the rules 1 to 7 that settle what the listing leaves open. Shares no code with the core.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use tresse_core::base::id::SocketId;

use crate::world::{Policy, Sent, World};

/// Returns the moves of one round, in order.
pub fn round(world: &World) -> Vec<Sent> {
    let mut owners = world.owners.clone();
    let mut moves = Vec::new();
    match world.policy {
        Policy::Joint => {
            let all = (0..world.counts.len()).collect();
            algorithm_1(world, all, &mut owners, &mut moves);
        }
        Policy::Split => each_socket(world, &mut owners, &mut moves),
    }
    moves
}

/// *Split* (rule 6): Algorithm 1 for each socket; what is in `moves` has moved in this round
/// already (rule 4).
pub fn each_socket(world: &World, owners: &mut [usize], moves: &mut Vec<Sent>) {
    for socket in world.sockets.iter().collect::<BTreeSet<&SocketId>>() {
        let on_socket = |&subdomain: &usize| world.sockets[owners[subdomain]] == *socket;
        let found = (0..world.counts.len()).filter(on_socket).collect();
        algorithm_1(world, found, owners, moves);
    }
}

/// The listing, line by line; `doms` is sorted here (line 1).
fn algorithm_1(world: &World, mut doms: Vec<usize>, owners: &mut [usize], moves: &mut Vec<Sent>) {
    let World { counts, params, .. } = world;
    doms.sort_by_key(|&subdomain| (Reverse(counts[subdomain]), subdomain));
    for i in 0..params.pairs.min(doms.len() / 2) {
        let (top, bottom) = (doms[i], doms[doms.len() - 1 - i]);
        let (top_thread, bottom_thread) = (owners[top], owners[bottom]);
        let number = |thread| owners.iter().filter(|&&owner| owner == thread).count();
        let within_thresholds = number(top_thread) < params.high as usize
            && number(bottom_thread) > params.low as usize;
        let apart = counts[top] - counts[bottom] >= params.dead_band;
        if top_thread == bottom_thread || !within_thresholds || !apart {
            continue;
        }
        let settled = |subdomain| moves.iter().any(|sent: &Sent| sent.subdomain == subdomain);
        let most_updated = (0..counts.len())
            .filter(|&subdomain| owners[subdomain] == bottom_thread)
            .filter(|&subdomain| subdomain != bottom && !settled(subdomain))
            .min_by_key(|&subdomain| (Reverse(counts[subdomain]), subdomain));
        if let Some(subdomain) = most_updated {
            owners[subdomain] = top_thread;
            moves.push(Sent { subdomain, from: bottom_thread, to: top_thread });
        }
    }
}
