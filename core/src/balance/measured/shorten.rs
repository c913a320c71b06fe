//! Shortened memory, of the lengths that a round needs: nodes have more subdomains at one time than
//! at another.

use crate::balance::grapevine::gossip::Tables;
use crate::balance::grapevine::gossip::full_knowledge::FullKnowledge;
use crate::balance::grapevine::{GrapevineMemory, Knowledge, Lengths, PeerMemory};

/// Returns the beginning of each part; none where one is too short.
pub(super) fn shortened<'s>(
    memory: &'s mut GrapevineMemory<'_>,
    lengths: &Lengths,
) -> Option<GrapevineMemory<'s>> {
    Some(GrapevineMemory {
        loads: memory.loads.get_mut(..lengths.processors)?,
        published: memory.published.get_mut(..lengths.processors)?,
        underloaded: memory.underloaded.get_mut(..lengths.processors)?,
        first: memory.first.get_mut(..lengths.first)?,
        movable: memory.movable.get_mut(..lengths.counts)?,
        offered: memory.offered.get_mut(..lengths.counts)?,
        items: memory.items.get_mut(..lengths.items)?,
        scratch: memory.scratch.get_mut(..lengths.scratch)?,
        offers: memory.offers.get_mut(..lengths.offers)?,
        inbox: memory.inbox.get_mut(..lengths.inbox)?,
        received: memory.received.get_mut(..lengths.offers)?,
        answers: memory.answers.get_mut(..lengths.offers)?,
        start: memory.start.get_mut(..lengths.start)?,
        best: memory.best.get_mut(..lengths.best)?,
        knowledge: knowledge(&mut memory.knowledge, lengths)?,
        peers: PeerMemory {
            ids: memory.peers.ids.get_mut(..lengths.peers)?,
            loads: memory.peers.loads.get_mut(..lengths.peers)?,
            cumulative: memory.peers.cumulative.get_mut(..lengths.peers)?,
        },
    })
}

fn knowledge<'s>(memory: &'s mut Knowledge<'_>, lengths: &Lengths) -> Option<Knowledge<'s>> {
    Some(match memory {
        Knowledge::Tables(tables) => Knowledge::Tables(Tables {
            known: tables.known.get_mut(..lengths.tables)?,
            next: tables.next.get_mut(..lengths.tables)?,
            targets: tables.targets.get_mut(..lengths.messages)?,
            senders: tables.senders.get_mut(..lengths.messages)?,
            first: tables.first.get_mut(..lengths.message_first)?,
        }),
        Knowledge::Full(full) => Knowledge::Full(FullKnowledge {
            known: full.known.get_mut(..lengths.rows)?,
            next: full.next.get_mut(..lengths.rows)?,
            words: full.words,
        }),
    })
}
