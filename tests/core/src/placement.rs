//! Objects to place, the central references written naively, and the one check that compares the
//! core with them. Shares no code with the core.

use std::cmp::Reverse;
use std::fmt;

use tresse_core::balance::central::{
    self, CentralMemory, CentralNeeds, Partition, Subset, add_up_fixed, lower_bound,
};
use tresse_core::balance::objects::Objects;
use tresse_core::base::heap::Entry;
use tresse_core::base::id::ProcessorId;

/// A central reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Longest processing time first.
    Lpt,
    /// The largest differencing method.
    KarmarkarKarp,
}

/// A problem of placing objects.
#[derive(Clone, Debug)]
pub struct Case {
    /// Load of each object.
    pub loads: Vec<u64>,
    /// Whether each object must stay.
    pub fixed: Vec<bool>,
    /// Processor of each object.
    pub owners: Vec<usize>,
    /// Number of processors.
    pub processors: usize,
}

/// A placement, with the loads of the processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Processor of each object.
    pub owners: Vec<usize>,
    /// Load of each processor.
    pub loads: Vec<u64>,
}

impl Placed {
    /// Returns the highest load.
    pub fn max(&self) -> u64 {
        self.loads.iter().copied().max().unwrap_or(0)
    }
}

/// A placement that is wrong, with what it was made from.
#[derive(Debug)]
pub struct Wrong(pub String, pub Case);

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  in {:?}", self.0, self.1)
    }
}

/// All memory of the central references.
#[derive(Debug)]
pub struct Lent {
    objects: Vec<Entry>,
    processors: Vec<Entry>,
    /// The loads of the processors.
    pub loads: Vec<u64>,
    subsets: Vec<Subset>,
    partitions: Vec<Partition>,
}

impl Lent {
    /// Returns memory of exactly the size that is needed.
    pub fn new(needs: &CentralNeeds) -> Self {
        Self {
            objects: vec![Entry::EMPTY; needs.objects],
            processors: vec![Entry::EMPTY; needs.processors],
            loads: vec![u64::MAX; needs.loads],
            subsets: vec![Subset::EMPTY; needs.sets],
            partitions: vec![Partition::EMPTY; needs.sets],
        }
    }

    /// Lends the memory to the core.
    pub fn memory(&mut self) -> CentralMemory<'_> {
        CentralMemory {
            objects: &mut self.objects,
            processors: &mut self.processors,
            loads: &mut self.loads,
            subsets: &mut self.subsets,
            partitions: &mut self.partitions,
        }
    }
}

impl Case {
    /// Objects that may all move, on the first processor.
    pub fn movable(loads: Vec<u64>, processors: usize) -> Self {
        let (fixed, owners) = (vec![false; loads.len()], vec![0; loads.len()]);
        Self { loads, fixed, owners, processors }
    }

    /// Returns the core's placement.
    ///
    /// # Panics
    /// Where the case does not describe one.
    pub fn core(&self, method: Method) -> Placed {
        self.try_core(method).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn try_core(&self, method: Method) -> Result<Placed, Box<dyn std::error::Error>> {
        let objects = Objects::new(&self.loads, &self.fixed)?;
        let (number, processors) = (self.loads.len(), u32::try_from(self.processors)?);
        let needs = match method {
            Method::Lpt => CentralNeeds::of_lpt(number, processors),
            Method::KarmarkarKarp => CentralNeeds::of_karmarkar_karp(number, processors),
        };
        let mut lent = Lent::new(&needs);
        let mut owners = self.ids();
        match method {
            Method::Lpt => central::lpt(&objects, processors, &mut owners, lent.memory()),
            Method::KarmarkarKarp => {
                central::karmarkar_karp(&objects, processors, &mut owners, lent.memory())
            }
        }?;
        let owners = owners.into_iter().map(ProcessorId::index).collect();
        Ok(Placed { owners, loads: lent.loads })
    }

    fn ids(&self) -> Vec<ProcessorId> {
        let id = |&owner: &usize| ProcessorId(u32::try_from(owner).unwrap_or(u32::MAX));
        self.owners.iter().map(id).collect()
    }

    /// Returns the core's lower bound.
    ///
    /// # Panics
    /// Where the loads do not fit.
    pub fn lower_bound(&self) -> u64 {
        let objects = Objects::new(&self.loads, &self.fixed).unwrap_or_else(|e| panic!("{e}"));
        let mut fixed = vec![0; self.processors];
        add_up_fixed(&objects, &self.ids(), &mut fixed);
        lower_bound(&objects, u32::try_from(self.processors).unwrap_or(u32::MAX), &fixed)
    }

    /// Returns the naive placement.
    pub fn oracle(&self, method: Method) -> Placed {
        let owners = match method {
            Method::Lpt => self.longest_first(),
            Method::KarmarkarKarp => self.differencing(),
        };
        let loads = self.sums(&owners, |_| true);
        Placed { owners, loads }
    }

    fn sums(&self, owners: &[usize], counts: impl Fn(usize) -> bool) -> Vec<u64> {
        let mut sums = vec![0; self.processors];
        for object in (0..self.loads.len()).filter(|&object| counts(object)) {
            sums[owners[object]] += self.loads[object];
        }
        sums
    }

    fn to_place(&self) -> Vec<usize> {
        (0..self.loads.len()).filter(|&object| !self.fixed[object]).collect()
    }

    /// Sorts, then looks at all processors for each object.
    fn longest_first(&self) -> Vec<usize> {
        let mut owners = self.owners.clone();
        let mut sums = self.sums(&owners, |object| self.fixed[object]);
        let mut objects = self.to_place();
        objects.sort_by_key(|&object| (Reverse(self.loads[object]), object));
        for object in objects {
            let least = (0..self.processors).min_by_key(|&id| (sums[id], id));
            let Some(least) = least else { break };
            owners[object] = least;
            sums[least] += self.loads[object];
        }
        owners
    }

    /// Places the objects by the largest differencing method. Every partition has a set for each
    /// processor, and all of its objects; sums are less the smallest, as in the definition.
    fn differencing(&self) -> Vec<usize> {
        let mut partitions: Vec<Vec<Set>> = Vec::new();
        for object in self.to_place() {
            let mut sets = vec![Set::default(); self.processors];
            sets[0] = Set { sum: self.loads[object], objects: vec![object] };
            partitions.push(normal(sets));
        }
        while partitions.len() > 1 {
            let mut take = || {
                let order = |&at: &usize| {
                    let sets: &Vec<Set> = &partitions[at];
                    let lowest = sets.iter().flat_map(|set| &set.objects).min();
                    (Reverse(sets[0].sum - sets[sets.len() - 1].sum), lowest)
                };
                let first = (0..partitions.len()).min_by_key(order);
                partitions.remove(first.unwrap_or_else(|| panic!("a partition")))
            };
            let (one, other) = (take(), take());
            let pairs = one.into_iter().zip(other.into_iter().rev());
            partitions.push(normal(pairs.map(|(one, other)| one.and(other)).collect()));
        }
        let mut owners = self.owners.clone();
        let fixed = self.sums(&owners, |object| self.fixed[object]);
        let mut by_load: Vec<usize> = (0..self.processors).collect();
        by_load.sort_by_key(|&id| (fixed[id], id));
        for (set, &processor) in partitions.iter().flatten().zip(&by_load) {
            for &object in &set.objects {
                owners[object] = processor;
            }
        }
        owners
    }

    /// Returns the lowest highest load of any placement: tries all.
    pub fn optimum(&self) -> u64 {
        let mut sums = self.sums(&self.owners, |object| self.fixed[object]);
        self.best(&self.to_place(), &mut sums)
    }

    fn best(&self, objects: &[usize], sums: &mut [u64]) -> u64 {
        let Some((&object, rest)) = objects.split_first() else {
            return sums.iter().copied().max().unwrap_or(0);
        };
        let mut best = u64::MAX;
        for processor in 0..sums.len() {
            sums[processor] += self.loads[object];
            best = best.min(self.best(rest, sums));
            sums[processor] -= self.loads[object];
        }
        best
    }

    /// Checks whether a placement is the naive one, with the loads that belong to it, and leaves
    /// what is fixed.
    pub fn check(&self, method: Method, placed: &Placed) -> Result<(), Wrong> {
        let wrong = |what: String| Err(Wrong(format!("{method:?}: {what}"), self.clone()));
        let moved = |&object: &usize| placed.owners[object] != self.owners[object];
        if placed.owners.len() != self.loads.len() {
            return wrong(format!("{} objects", placed.owners.len()));
        }
        if let Some(object) = (0..self.loads.len()).filter(|&id| self.fixed[id]).find(moved) {
            return wrong(format!("moved fixed object {object}"));
        }
        let expected = self.oracle(method);
        if *placed != expected {
            return wrong(format!("{placed:?} instead of {expected:?}"));
        }
        Ok(())
    }

    /// [`Case::check`] of the core, and its distance from the optimum.
    pub fn verify(&self) -> Result<(), Wrong> {
        let (optimum, bound) = (self.optimum(), self.lower_bound());
        let wrong = |what: String| Err(Wrong(what, self.clone()));
        if bound > optimum {
            return wrong(format!("the bound {bound} is above the optimum {optimum}"));
        }
        for method in [Method::Lpt, Method::KarmarkarKarp] {
            let placed = self.core(method);
            self.check(method, &placed)?;
            // Both are proven for objects that may move: Graham 1969; Michiels et al. 2003.
            let m = self.processors as u64;
            if !self.fixed.contains(&true) && 3 * m * placed.max() > (4 * m - 1) * optimum {
                return wrong(format!("{method:?}: {} with optimum {optimum}", placed.max()));
            }
        }
        Ok(())
    }
}

/// Objects that are to share a processor.
#[derive(Clone, Debug, Default)]
struct Set {
    sum: u64,
    objects: Vec<usize>,
}

impl Set {
    fn and(mut self, other: Self) -> Self {
        self.sum += other.sum;
        self.objects.extend(other.objects);
        self
    }
}

/// Sorts sets from the largest sum on, with empty sets last; all sums are less the smallest.
fn normal(mut sets: Vec<Set>) -> Vec<Set> {
    let lowest = |set: &Set| set.objects.iter().copied().min().unwrap_or(usize::MAX);
    sets.sort_by_key(|set| (Reverse(set.sum), lowest(set)));
    let smallest = sets.last().map_or(0, |set| set.sum);
    for set in &mut sets {
        set.sum -= smallest;
    }
    sets
}
