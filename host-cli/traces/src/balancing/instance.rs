//! Objects and processors to balance: a phase of a load trace, or any loads, in whole numbers.

use std::collections::BTreeMap;

use serde::Serialize;
use tresse_core::balance::central::{add_up_fixed, lower_bound};
use tresse_core::balance::footprint::{BlockId, Bounds, Footprint};
use tresse_core::balance::objects::{Average, Objects, ObjectsError};
use tresse_core::base::id::{ObjectId, ProcessorId};

use crate::load_traces::unit::{NotATime, Unit};
use crate::load_traces::{ObjectMemory, PhaseObjects};

/// Objects with whole loads on processors.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    unit: Unit,
    loads: Vec<u64>,
    fixed: Vec<bool>,
    owners: Vec<ProcessorId>,
    processors: u32,
    footprints: Option<Footprints>,
    limit: Option<u64>,
}

/// An object that is elsewhere than at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// The object.
    pub object: ObjectId,
    /// Processor that has it at the start.
    pub from: ProcessorId,
    /// Processor that has it now.
    pub to: ProcessorId,
}

/// Memory that objects and processors need, in bytes.
#[derive(Clone, Debug, PartialEq)]
struct Footprints {
    objects: Vec<Footprint>,
    blocks: Vec<u64>,
    resident: Vec<u64>,
}

/// An error of a phase that cannot be balanced.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum InstanceError {
    /// A load is not a time.
    #[error(transparent)]
    Time(#[from] NotATime),
    /// The objects cannot be placed.
    #[error(transparent)]
    Objects(#[from] ObjectsError),
    /// There is a bound on memory, but the trace does not have the memory of its objects.
    #[error("--memory-limit: the trace does not say what its objects need of the memory")]
    UnknownMemory,
}

impl Instance {
    /// Returns the instance of a phase; `limit` is the number of bytes that a processor may use, if
    /// there is a bound.
    pub fn of_phase(phase: PhaseObjects, limit: Option<u64>) -> Result<Self, InstanceError> {
        let (unit, loads) = Unit::of(&phase.seconds)?;
        let footprints = Footprints::of(&phase);
        if limit.is_some() && footprints.is_none() {
            return Err(InstanceError::UnknownMemory);
        }
        let PhaseObjects { owners, fixed, rank_bytes, .. } = phase;
        let processors = u32::try_from(rank_bytes.len()).map_err(|_| ObjectsError::TooMany)?;
        Objects::new(&loads, &fixed)?.check(&owners, processors)?;
        Ok(Self { unit, loads, fixed, owners, processors, footprints, limit })
    }

    /// Returns an instance of objects with these loads, in units of a second; `fixed` may be empty.
    pub fn of_loads(
        loads: Vec<u64>,
        fixed: Vec<bool>,
        owners: Vec<ProcessorId>,
        processors: u32,
    ) -> Result<Self, ObjectsError> {
        Objects::new(&loads, &fixed)?.check(&owners, processors)?;
        let (footprints, limit) = (None, None);
        Ok(Self { unit: Unit::SECOND, loads, fixed, owners, processors, footprints, limit })
    }

    /// Returns the objects, as the core takes them.
    pub fn objects(&self) -> Result<Objects<'_>, ObjectsError> {
        Objects::new(&self.loads, &self.fixed)
    }

    /// Returns the unit of the loads.
    pub const fn unit(&self) -> Unit {
        self.unit
    }

    /// Returns the number of objects.
    pub const fn len(&self) -> usize {
        self.loads.len()
    }

    /// Reports whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.loads.is_empty()
    }

    /// Returns the number of processors.
    pub const fn processors(&self) -> u32 {
        self.processors
    }

    /// Returns the processor of each object at the start.
    pub fn owners(&self) -> &[ProcessorId] {
        &self.owners
    }

    /// Returns the number of bytes that a processor may use, if there is a bound.
    pub const fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// Returns the number of objects that may not move.
    pub fn fixed(&self) -> usize {
        self.fixed.iter().filter(|&&fixed| fixed).count()
    }

    /// Returns the average load of a processor.
    pub fn average(&self) -> Average {
        Average { total: self.loads.iter().sum(), processors: self.processors }
    }

    /// Returns the imbalance of a highest load.
    pub fn imbalance(&self, max: u64) -> f64 {
        self.average().imbalance(max)
    }

    /// Returns the load of each processor.
    pub fn processor_loads(&self, owners: &[ProcessorId]) -> Vec<u64> {
        let mut sums = vec![0; self.processors as usize];
        if let Ok(objects) = self.objects() {
            objects.add_up(owners, &mut sums);
        }
        sums
    }

    /// Returns the seconds of each processor.
    pub fn processor_seconds(&self, owners: &[ProcessorId]) -> Vec<f64> {
        self.processor_loads(owners).into_iter().map(|load| self.unit.seconds(load)).collect()
    }

    /// Returns the seconds of each object.
    pub fn seconds(&self) -> Vec<f64> {
        self.loads.iter().map(|&load| self.unit.seconds(load)).collect()
    }

    /// Returns the highest load that no placement goes below.
    pub fn lower_bound(&self) -> u64 {
        let mut fixed = vec![0; self.processors as usize];
        self.objects().map_or(0, |objects| {
            add_up_fixed(&objects, &self.owners, &mut fixed);
            lower_bound(&objects, self.processors, &fixed)
        })
    }

    /// Returns the objects that are elsewhere than at the start.
    pub fn moves<'a>(&'a self, owners: &'a [ProcessorId]) -> impl Iterator<Item = Moved> + 'a {
        let pairs = self.owners.iter().zip(owners);
        let numbered = (0..).map(ObjectId).zip(pairs);
        let moved = numbered.map(|(object, (&from, &to))| Moved { object, from, to });
        moved.filter(|moved| moved.from != moved.to)
    }

    /// Returns the bytes of the moved objects on their way: their serialised form, or else the
    /// whole objects; `None` where the trace does not say.
    pub fn bytes_moved(&self, owners: &[ProcessorId]) -> Option<u64> {
        self.footprints.as_ref()?;
        let bytes = self.moves(owners).filter_map(|moved| self.bytes_of(moved.object));
        Some(bytes.fold(0, u64::saturating_add))
    }

    /// Returns the bytes of an object on its way; `None` where the trace does not say.
    pub fn bytes_of(&self, object: ObjectId) -> Option<u64> {
        let footprint = self.footprints.as_ref()?.objects.get(object.index())?;
        Some(if footprint.serialized > 0 { footprint.serialized } else { footprint.own })
    }

    /// Returns the bounds on memory, where there are some.
    pub fn bounds(&self) -> Option<Bounds<'_>> {
        Some(self.footprints.as_ref()?.bounds(self.limit?))
    }

    /// Returns the greatest memory use of a processor, or `None` where the trace does not say.
    pub fn most_memory(&self, owners: &[ProcessorId]) -> Option<u64> {
        let bounds = self.footprints.as_ref()?.bounds(u64::MAX);
        let mut there = vec![Vec::new(); self.processors as usize];
        for (object, owner) in (0..).map(ObjectId).zip(owners) {
            if let Some(there) = there.get_mut(owner.index()) {
                there.push(object);
            }
        }
        let processors = (0..).map(ProcessorId).zip(&there);
        let usage = |(processor, there): (ProcessorId, &Vec<ObjectId>)| {
            bounds.usage(processor, &there.iter().copied()).bytes()
        };
        processors.map(usage).max()
    }
}

impl Footprints {
    /// Returns the memory of the objects in bytes, with shared blocks numbered from 0. `None` where
    /// the phase says nothing about memory.
    fn of(phase: &PhaseObjects) -> Option<Self> {
        if phase.memory.is_empty() {
            return None;
        }
        let mut numbers = BTreeMap::new();
        let mut blocks: Vec<u64> = Vec::new();
        let mut footprint = |memory: &ObjectMemory| {
            let block = memory.shared_id.map(|name| {
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                let number = *numbers.entry(name).or_insert(next);
                blocks.resize(blocks.len().max(number as usize + 1), 0);
                if let Some(size) = blocks.get_mut(number as usize) {
                    *size = (*size).max(bytes(memory.shared_bytes));
                }
                BlockId(number)
            });
            Footprint {
                own: bytes(memory.footprint_bytes),
                working: bytes(memory.working_bytes),
                serialized: bytes(memory.serialized_bytes),
                block,
            }
        };
        let objects = phase.memory.iter().map(&mut footprint).collect();
        let resident = phase.rank_bytes.iter().copied().map(bytes).collect();
        Some(Self { objects, blocks, resident })
    }

    /// Returns the footprints with a limit in bytes, as balancers take them.
    fn bounds(&self, limit: u64) -> Bounds<'_> {
        let Self { objects, blocks, resident } = self;
        Bounds { footprints: objects, blocks, resident, limit }
    }
}

/// Returns a number of bytes, rounded up.
fn bytes(number: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let whole = number.ceil() as u64;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase() -> PhaseObjects {
        let block = |shared_id, footprint_bytes, serialized_bytes| ObjectMemory {
            shared_id,
            shared_bytes: 100.0,
            footprint_bytes,
            serialized_bytes,
            ..ObjectMemory::default()
        };
        PhaseObjects {
            seconds: vec![0.5, 0.25, 0.25, 1.0],
            owners: [0, 0, 1, 1].map(ProcessorId).to_vec(),
            fixed: vec![false, false, false, true],
            memory: vec![
                block(Some(9), 1.5, 3.0),
                block(Some(9), 4.0, 0.0),
                block(Some(7), 0.0, 0.0),
                block(None, 0.0, 0.0),
            ],
            rank_bytes: vec![10.0, 5.0, 0.0],
            ..PhaseObjects::default()
        }
    }

    #[test]
    fn a_phase_in_whole_numbers() {
        let instance = Instance::of_phase(phase(), None).unwrap();
        assert_eq!((instance.len(), instance.processors(), instance.fixed()), (4, 3, 1));
        assert_eq!(instance.processor_seconds(instance.owners()), [0.75, 1.25, 0.0]);
        assert!((instance.unit().seconds(instance.lower_bound()) - 1.0).abs() < 1e-12);
        let max = instance.processor_loads(instance.owners()).into_iter().max().unwrap();
        assert!((instance.imbalance(max) - 0.875).abs() < 1e-12);
    }

    #[test]
    fn memory_counts_blocks_once() {
        let instance = Instance::of_phase(phase(), Some(200)).unwrap();
        // Processor 0: itself, one block, both objects, the larger serialised one.
        assert_eq!(instance.most_memory(instance.owners()), Some(10 + 100 + 2 + 4 + 3));
        let moved = [2, 2, 1, 1].map(ProcessorId);
        assert_eq!(instance.moves(&moved).count(), 2);
        assert_eq!(instance.bytes_moved(&moved), Some(3 + 4));
        assert!(instance.bounds().is_some());
    }

    #[test]
    fn what_is_not_known_is_not_bounded() {
        let unknown = PhaseObjects { memory: Vec::new(), ..phase() };
        let refused = Instance::of_phase(unknown.clone(), Some(1));
        assert_eq!(refused, Err(InstanceError::UnknownMemory));
        let instance = Instance::of_phase(unknown, None).unwrap();
        assert_eq!(instance.bytes_moved(instance.owners()), None);
        assert_eq!(instance.most_memory(instance.owners()), None);
        let negative = PhaseObjects { seconds: vec![-1.0], ..PhaseObjects::default() };
        assert!(matches!(Instance::of_phase(negative, None), Err(InstanceError::Time(_))));
    }
}
