//! Runs any of the balancers: allocates its memory after checking that there is enough, and
//! evaluates the result.

use std::ops::ControlFlow;
use std::time::Instant;

use tresse_core::balance::central::{self, CentralNeeds, Partition, Subset};
use tresse_core::balance::grapevine::{self, BalanceOutcome, Config, Iteration, Problem, RunError};
use tresse_core::balance::owned::OwnedGrapevineMemory;
use tresse_core::base::heap::Entry;
use tresse_core::base::id::ProcessorId;
use tresse_core::base::rng::Rng;

use super::error::BalancingError;
use super::instance::Instance;
use super::method::Method;
use super::threads::Rayon;

/// Greatest number of objects times processors for Karmarkar and Karp's method: its worst case, a
/// sort of all processors for each object, would take hours.
const MOST_PAIRS: u64 = 1_000_000_000_000;

/// Random stream of [`Method::Random`].
const RANDOM: u64 = 0x52;

/// A placement, and the record of its making.
#[derive(Clone, Debug, PartialEq)]
pub struct Balanced {
    /// Present processor of each object.
    pub owners: Vec<ProcessorId>,
    /// Every iteration of every trial; empty for a method without iterations.
    pub iterations: Vec<Iteration>,
    /// Highest loads, and the iteration whose placement was taken.
    pub outcome: BalanceOutcome,
    /// Whether balancing was ended early.
    pub interrupted: bool,
    /// Seconds that balancing took.
    pub seconds: f64,
}

/// Balances a phase with at most `available` bytes of memory beside it; each iteration is shown to
/// `watch`, which may end the run. The same input gives the same result with any number of threads.
pub fn balance(
    method: &Method,
    instance: &Instance,
    available: u64,
    watch: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<Balanced, BalancingError> {
    check(method, instance, available)?;
    let begin = Instant::now();
    let mut balanced = Balanced {
        owners: instance.owners().to_vec(),
        iterations: Vec::new(),
        outcome: BalanceOutcome::default(),
        interrupted: false,
        seconds: 0.0,
    };
    match method {
        Method::None => {}
        Method::Random(seed) => {
            let objects = instance.objects().map_err(RunError::Objects)?;
            let mut rng = Rng::new(*seed, RANDOM);
            central::random(&objects, instance.processors(), &mut balanced.owners, &mut rng)?;
        }
        Method::Lpt | Method::KarmarkarKarp => central(method, instance, &mut balanced.owners)?,
        Method::Grapevine(config) => grapevine(config, instance, &mut balanced, watch)?,
    }
    if !matches!(method, Method::Grapevine(_)) {
        let highest = |owners: &[ProcessorId]| instance.processor_loads(owners).into_iter().max();
        balanced.outcome.initial_max = highest(instance.owners()).unwrap_or(0);
        balanced.outcome.final_max = highest(&balanced.owners).unwrap_or(0);
    }
    balanced.seconds = begin.elapsed().as_secs_f64();
    Ok(balanced)
}

/// Runs Grapevine and notes every iteration, until `watch` breaks it off.
fn grapevine(
    config: &Config,
    instance: &Instance,
    balanced: &mut Balanced,
    watch: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
) -> Result<(), BalancingError> {
    let objects = instance.objects().map_err(RunError::Objects)?;
    let (processors, bounds) = (instance.processors(), instance.bounds());
    let mut memory = OwnedGrapevineMemory::new(config, objects.len(), processors as usize);
    let problem = Problem { config, objects: &objects, processors, bounds: bounds.as_ref() };
    let Balanced { owners, iterations, interrupted, .. } = balanced;
    let mut watch = |made: &Iteration| {
        iterations.push(*made);
        let flow = watch(made);
        *interrupted = flow.is_break();
        flow
    };
    balanced.outcome = grapevine::run(&problem, owners, &mut memory.lend(), &Rayon, &mut watch)?;
    Ok(())
}

/// Runs a central balancer: longest first, or Karmarkar-Karp.
fn central(
    method: &Method,
    instance: &Instance,
    owners: &mut [ProcessorId],
) -> Result<(), BalancingError> {
    let objects = instance.objects().map_err(RunError::Objects)?;
    let needs = needs(method, instance);
    let mut lists = [vec![Entry::EMPTY; needs.objects], vec![Entry::EMPTY; needs.processors]];
    let mut loads = vec![0; needs.loads];
    let mut subsets = vec![Subset::EMPTY; needs.sets];
    let mut partitions = vec![Partition::EMPTY; needs.sets];
    let [entries, least] = &mut lists;
    let memory = central::CentralMemory {
        objects: entries,
        processors: least,
        loads: &mut loads,
        subsets: &mut subsets,
        partitions: &mut partitions,
    };
    let place = if *method == Method::Lpt { central::lpt } else { central::karmarkar_karp };
    Ok(place(&objects, instance.processors(), owners, memory)?)
}

/// Returns how much memory a central balancer needs.
fn needs(method: &Method, instance: &Instance) -> CentralNeeds {
    let of = match method {
        Method::KarmarkarKarp => CentralNeeds::of_karmarkar_karp,
        _ => CentralNeeds::of_lpt,
    };
    of(instance.len(), instance.processors())
}

/// Refuses what takes too much memory, or too much time with Karmarkar-Karp; `available` is in
/// bytes.
fn check(method: &Method, instance: &Instance, available: u64) -> Result<(), BalancingError> {
    let (objects, processors) = (instance.len(), instance.processors());
    let is_large = (objects as u64).saturating_mul(u64::from(processors)) > MOST_PAIRS;
    if *method == Method::KarmarkarKarp && is_large {
        return Err(BalancingError::Excessive { objects, processors });
    }
    let needed = bytes(method, instance);
    if needed <= available {
        return Ok(());
    }
    let full = matches!(method, Method::Grapevine(config) if config.known.is_none());
    let mend = if full {
        "what all know of all grows with the square of the processors: bound it with --tune knowledge=\
         gossiped:64 or live:64"
    } else {
        "balance a smaller trace, or on a machine with more memory"
    };
    let method = method.name();
    Err(BalancingError::Memory { method, objects, processors, needed, available, mend })
}

/// Returns the memory of a method beside the trace, in bytes.
fn bytes(method: &Method, instance: &Instance) -> u64 {
    let list = |length: usize, size: usize| (length as u64).saturating_mul(size as u64);
    let owners = list(instance.len(), size_of::<ProcessorId>());
    let more = match method {
        Method::None | Method::Random(_) => 0,
        Method::Grapevine(config) => {
            OwnedGrapevineMemory::bytes(config, instance.len(), instance.processors() as usize)
        }
        Method::Lpt | Method::KarmarkarKarp => {
            let needs = needs(method, instance);
            let lists = [
                list(needs.objects, size_of::<Entry>()),
                list(needs.processors, size_of::<Entry>()),
                list(needs.loads, size_of::<u64>()),
                list(needs.sets, size_of::<Subset>() + size_of::<Partition>()),
            ];
            lists.into_iter().fold(0, u64::saturating_add)
        }
    };
    owners.saturating_add(more)
}
