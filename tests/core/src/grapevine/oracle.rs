//! The transfer phase of one processor, written naively from the slides' pseudo-code: fractions,
//! and a new list for everything. Shares no code with the core; its draws are the core's.

use tresse_core::balance::grapevine::{Cmf, CmfUpdate, Criterion, Pass};

/// A processor that gives, and those that it knows.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Line 6 or 6'.
    pub criterion: Criterion,
    /// Line 1.
    pub cmf: Cmf,
    /// Rule for repeating lines 1 and 2.
    pub update: CmfUpdate,
    /// Rule for an object that is not taken.
    pub pass: Pass,
    /// `T`, in millionths.
    pub threshold: u64,
    /// The sum of all loads, and how many processors there are.
    pub average: (u64, u32),
    /// The loads of `O`, in the order of line 4.
    pub objects: Vec<u64>,
    /// Load of the fixed objects on this processor.
    pub rest: u64,
    /// The loads of `S`.
    pub peers: Vec<u64>,
}

/// The result of a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Transfers of objects to peers, in their order.
    pub transfers: Vec<(usize, usize)>,
    /// Number of times that line 6 did not hold.
    pub rejected: u64,
    /// Load that the processor has left.
    pub load: u64,
}

impl Phase {
    /// `L_i` at the start.
    pub fn load(&self) -> u64 {
        self.rest + self.objects.iter().sum::<u64>()
    }

    /// Lines 1 to 11; `bits` are sixty-four random bits.
    pub fn run(&self, bits: &mut impl FnMut() -> u64) -> Done {
        let mut peers = self.peers.clone();
        let mut chances = self.chances(&peers);
        let mut done = Done { load: self.load(), ..Done::default() };
        let mut waiting: Vec<usize> = (0..self.objects.len()).collect();
        let mut next = 0;
        while self.is_overloaded(done.load) && next < waiting.len() {
            let object = waiting[next];
            let load = self.objects[object];
            let Some(peer) = sample(&chances, bits) else { break };
            if !self.holds(done.load, peers[peer], load) {
                done.rejected += 1;
                next += 1;
                continue;
            }
            peers[peer] += load;
            done.load -= load;
            done.transfers.push((object, peer));
            waiting.remove(next);
            if self.update == CmfUpdate::AfterAcceptance {
                chances = self.chances(&peers);
            }
            if self.pass == Pass::Restart {
                next = 0;
            }
        }
        done
    }

    fn times(&self, load: u64) -> u128 {
        u128::from(load) * u128::from(self.average.1)
    }

    fn is_overloaded(&self, load: u64) -> bool {
        self.times(load) * 1_000_000 > u128::from(self.average.0) * u128::from(self.threshold)
    }

    fn holds(&self, sender: u64, receiver: u64, load: u64) -> bool {
        // An object without load changes nothing, and is never sent.
        load > 0
            && match self.criterion {
                Criterion::Original => self.times(receiver + load) < u128::from(self.average.0),
                Criterion::Relaxed => u128::from(receiver) + u128::from(load) < sender.into(),
            }
    }

    /// `1 − L/L_max`, times what makes it whole.
    fn chances(&self, peers: &[u64]) -> Vec<u128> {
        let average = u128::from(self.average.0);
        let most = peers.iter().map(|&load| self.times(load)).max().unwrap_or(0).max(average);
        let limit = if self.cmf == Cmf::Original { average } else { most };
        let chance = |&load: &u64| limit.saturating_sub(self.times(load));
        let chances: Vec<u128> = peers.iter().map(chance).collect();
        let none = chances.iter().all(|&chance| chance == 0);
        if none && self.cmf == Cmf::NormByMax { vec![1; peers.len()] } else { chances }
    }
}

/// Inverts the cumulative function at a random place; none where nobody has a chance.
fn sample(chances: &[u128], bits: &mut impl FnMut() -> u64) -> Option<usize> {
    let sum: u128 = chances.iter().sum();
    if sum == 0 {
        return None;
    }
    let place = u128::from(bits()) * sum;
    let mut cumulative = 0;
    chances.iter().position(|&chance| {
        cumulative += chance << 64;
        cumulative > place
    })
}
