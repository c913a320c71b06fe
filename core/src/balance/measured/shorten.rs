//! Shortened memory, of the lengths that a round needs: nodes have more subdomains at one time than
//! at another.

use crate::balance::grapevine::gossip::Tables;
use crate::balance::grapevine::gossip::full_knowledge::FullKnowledge;
use crate::balance::grapevine::{GrapevineMemory, Knowledge, Lengths, PeerMemory};
use crate::base::table::At;

/// Lends the beginning of each part of the memory, in the lengths that this round needs.
pub(super) fn shortened<'s>(
    memory: &'s mut GrapevineMemory<'_>,
    lengths: &Lengths,
) -> GrapevineMemory<'s> {
    GrapevineMemory {
        loads: memory.loads.stretch_mut(..lengths.processors),
        published: memory.published.stretch_mut(..lengths.processors),
        underloaded: memory.underloaded.stretch_mut(..lengths.processors),
        first: memory.first.stretch_mut(..lengths.first),
        movable: memory.movable.stretch_mut(..lengths.counts),
        offered: memory.offered.stretch_mut(..lengths.counts),
        items: memory.items.stretch_mut(..lengths.items),
        scratch: memory.scratch.stretch_mut(..lengths.scratch),
        offers: memory.offers.stretch_mut(..lengths.offers),
        inbox: memory.inbox.stretch_mut(..lengths.inbox),
        received: memory.received.stretch_mut(..lengths.offers),
        answers: memory.answers.stretch_mut(..lengths.offers),
        start: memory.start.stretch_mut(..lengths.start),
        best: memory.best.stretch_mut(..lengths.best),
        knowledge: knowledge(&mut memory.knowledge, lengths),
        peers: PeerMemory {
            ids: memory.peers.ids.stretch_mut(..lengths.peers),
            loads: memory.peers.loads.stretch_mut(..lengths.peers),
            cumulative: memory.peers.cumulative.stretch_mut(..lengths.peers),
        },
    }
}

/// Lends the beginning of each part of the knowledge.
fn knowledge<'s>(memory: &'s mut Knowledge<'_>, lengths: &Lengths) -> Knowledge<'s> {
    match memory {
        Knowledge::Tables(tables) => Knowledge::Tables(Tables {
            known: tables.known.stretch_mut(..lengths.tables),
            next: tables.next.stretch_mut(..lengths.tables),
            targets: tables.targets.stretch_mut(..lengths.messages),
            senders: tables.senders.stretch_mut(..lengths.messages),
            first: tables.first.stretch_mut(..lengths.message_first),
        }),
        Knowledge::Full(full) => Knowledge::Full(FullKnowledge {
            known: full.known.stretch_mut(..lengths.rows),
            next: full.next.stretch_mut(..lengths.rows),
            words: full.words,
        }),
    }
}
