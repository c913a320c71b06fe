//! How the other ranks get on, as far as this one has heard.

use std::sync::atomic::AtomicU64;

use tresse::threads::Whole;
use tresse_core::balance::Mean;
use tresse_core::id::{Berth, NodeId};
use tresse_core::migration::Tenant;
use tresse_core::progress::Progress;
use tresse_core::shared::{HEAD_WORDS, SharedReal, head};

use super::wire::{Reading, Wire, Words};
use crate::record::{self, Record};
use crate::window::{WindowError, Word};

/// The last that was heard of every rank.
pub(super) struct View<'r> {
    own: NodeId,
    records: Vec<Record>,
    /// For the balancer between nodes.
    means: Vec<Mean>,
    /// What was asked for of ranks on other nodes.
    readings: Vec<Option<Reading<'r, AtomicU64>>>,
    /// Record and heads of ranks on other nodes, where this rank shows all.
    overviews: Vec<Option<Box<[AtomicU64]>>>,
    /// Who was heard of since the last look was complete.
    heard: Vec<bool>,
}

impl<'r> View<'r> {
    pub(super) fn new(own: NodeId, ranks: u32) -> Self {
        let all = ranks as usize;
        Self {
            own,
            records: vec![Record::default(); all],
            means: vec![Mean::default(); all],
            readings: (0..all).map(|_| None).collect(),
            overviews: (0..all).map(|_| None).collect(),
            heard: vec![false; all],
        }
    }

    /// What this rank says of itself.
    pub(super) fn publish<F: SharedReal<Shared: Word>>(
        &mut self,
        record: Record,
        wire: &Wire<'_, 'r, F>,
    ) {
        record.publish(wire.local().0);
        if let Some(own) = self.records.get_mut(self.own.index()) {
            *own = record;
        }
    }

    /// Goes as far with a look at all others as it goes without waiting; whether all of them were
    /// heard of since the last look that was complete.
    pub(super) fn look<F: SharedReal<Shared: Word>>(
        &mut self,
        wire: &mut Wire<'_, 'r, F>,
    ) -> Result<bool, WindowError> {
        for rank in (0..wire.entry.ranks()).map(NodeId) {
            if rank != self.own && self.heard.get(rank.index()) == Some(&false) {
                self.look_at(rank, wire)?;
            }
        }
        let is_complete = self.all_but_own().all(|rank| self.heard.get(rank) == Some(&true));
        if is_complete {
            self.heard.fill(false);
        }
        Ok(is_complete)
    }

    fn all_but_own(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.own.index();
        (0..self.heard.len()).filter(move |&rank| rank != own)
    }

    fn look_at<F: SharedReal<Shared: Word>>(
        &mut self,
        rank: NodeId,
        wire: &mut Wire<'_, 'r, F>,
    ) -> Result<(), WindowError> {
        let place = rank.index();
        let reading = if let Some(reading) = self.readings.get_mut(place).and_then(Option::take) {
            reading
        } else {
            let shows_all = self.own == NodeId(0);
            let words = if shows_all { wire.layout.overview() } else { record::WORDS };
            wire.ask(rank, 0..words)?
        };
        match reading.poll(wire.entry)? {
            Err(reading) => self.readings[place] = Some(reading),
            Ok(words) => {
                self.records[place] = Record::read(words.get());
                self.heard[place] = true;
                if let Words::Fetched(words) = words {
                    self.overviews[place] = Some(words);
                }
            }
        }
        Ok(())
    }

    /// Waits for everything that was asked for.
    pub(super) fn end(&mut self, entry: &mut crate::Entry) -> Result<(), WindowError> {
        for reading in &mut self.readings {
            while let Some(waiting) = reading.take() {
                *reading = waiting.poll(entry)?.err();
            }
        }
        Ok(())
    }

    /// What all have come to, once everybody has said so since the last halt. Not while a subdomain
    /// is counted twice, by the rank that has sent it and does not know yet that it has arrived.
    pub(super) fn whole(&self, subdomains: u32) -> Option<Whole> {
        let all_say = self.records.iter().all(|record| record.is_current);
        let sum = self.records.iter().map(|record| record.residual).sum();
        let all = self.records.iter().map(|record| record.progress);
        let progress = all.reduce(Progress::and).unwrap_or_default();
        let each_is_once = progress.subdomains == u64::from(subdomains);
        (all_say && each_is_once).then_some(Whole { sum, progress })
    }

    /// Whether anybody wants all to halt.
    pub(super) fn is_wished(&self) -> bool {
        self.records.iter().any(|record| record.is_current && record.wishes)
    }

    /// Each rank's mean count.
    pub(super) fn means(&mut self) -> &[Mean] {
        for (mean, record) in self.means.iter_mut().zip(&self.records) {
            *mean = record.mean;
        }
        &self.means
    }

    /// The records of all other ranks.
    pub(super) fn others(&self) -> impl Iterator<Item = &Record> {
        self.all_but_own().filter_map(|rank| self.records.get(rank))
    }

    /// Sets the counts of the subdomains that are on other ranks, as their heads were last seen.
    pub(super) fn counts<F: SharedReal<Shared: Word>>(
        &self,
        counts: &mut [u64],
        wire: &Wire<'_, 'r, F>,
    ) {
        for rank in self.all_but_own() {
            let node = NodeId(u32::try_from(rank).unwrap_or(u32::MAX));
            let fetched = self.overviews.get(rank).and_then(Option::as_deref);
            let Some(words) = wire.memory(node).or(fetched) else { continue };
            for berth in (0..wire.layout.bounds().berths).map(Berth) {
                let start = wire.layout.head(berth);
                let Some(words) = words.get(start..start + HEAD_WORDS) else { continue };
                let word = |place: usize| {
                    words
                        .get(place)
                        .map_or(0, |word| word.load(std::sync::atomic::Ordering::Acquire))
                };
                let tenant = Tenant::decode(word(head::TENANT), wire.layout.bounds());
                if let Some(Tenant { subdomain, owner }) = tenant
                    && owner == node
                    && let Some(count) = counts.get_mut(subdomain.index())
                {
                    *count = word(head::VERSION);
                }
            }
        }
    }
}
