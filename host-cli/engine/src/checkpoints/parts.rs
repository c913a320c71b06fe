//! The keeper of parts of one's own, which are saved as they are packed.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use tresse_core::base::id::{RankId, SubdomainId};
use tresse_core::base::time::Instant;
use tresse_core::base::unit::Unit as _;
use tresse_core::field::grid::Rectangle;
use tresse_core::parts::Part;
use tresse_core::run::{GridSize, Mode};

use super::group::Group;
use super::keeper::Keeper;
use super::restored::whole_iterations;
use super::saving::{Checkpoints, Saving};
use crate::files::checkpoint::{Checkpoint, CheckpointError, Fault};
use crate::threads::Moment;

/// The keeper of a process's parts, if they are saved, or go on from what was saved.
pub struct PartsKeeper<'p> {
    saving: Option<Saving<'p, f64>>,
    restored: Option<Restored>,
}

/// The parts of a process as a checkpoint has them.
struct Restored {
    path: PathBuf,
    parts: BTreeMap<SubdomainId, SavedPart>,
    initial: f64,
}

/// What was saved of a part.
struct SavedPart {
    updates: u64,
    /// The number of units, and these, each as a double of the same bits.
    words: Vec<f64>,
}

impl<'p> PartsKeeper<'p> {
    /// Reads the parts that start `here` from the checkpoint that the run goes on from, if there is
    /// one.
    pub fn new(
        Checkpoints { plan, resumed }: Checkpoints<'p>,
        here: impl Iterator<Item = SubdomainId>,
        rank: RankId,
        mode: Mode,
    ) -> Result<Self, CheckpointError> {
        let read = |checkpoint| Restored::read(checkpoint, here, mode);
        Ok(Self {
            saving: plan.map(|plan| Saving::new(plan, rank)),
            restored: resumed.map(read).transpose()?,
        })
    }

    /// Returns what `all` makes of the parts that `make` returns, each as it was saved, if it was.
    pub fn restore<T: Part, A>(
        &self,
        make: &impl Fn(SubdomainId) -> T,
        all: impl FnOnce(&dyn Fn(SubdomainId) -> T) -> A,
    ) -> Result<A, CheckpointError> {
        let Some(restored) = &self.restored else { return Ok(all(make)) };
        let refused = Cell::new(None);
        let all = all(&|id| {
            let mut part = make(id);
            if !restored.unpack(id, &mut part) {
                refused.set(Some(id));
            }
            part
        });
        refused.get().map_or(Ok(all), |id| Err(Fault::Part(id).of(&restored.path)))
    }
}

impl Restored {
    /// Reads the parts that start `here`. Where all counts are equal, every count is the
    /// checkpoint's mean.
    fn read(
        checkpoint: &Checkpoint,
        here: impl Iterator<Item = SubdomainId>,
        mode: Mode,
    ) -> Result<Self, CheckpointError> {
        let ids: Vec<_> = here.collect();
        let records: BTreeMap<_, _> =
            checkpoint.records().map(|record| (record.part.first_row, record)).collect();
        // The checkpoint has each part once.
        let found = |id: &SubdomainId| records.get(&id.index()).map(|record| record.part);
        let wanted: Vec<_> = ids.iter().filter_map(found).collect();
        let mut words = vec![Vec::new(); wanted.len()];
        checkpoint.read::<f64>(&wanted, &mut |stretch| {
            if let Some(words) = words.get_mut(stretch.wanted) {
                words.extend_from_slice(stretch.cells);
            }
        })?;
        let mean = whole_iterations(checkpoint);
        let saved = |(part, words): (&Rectangle, Vec<f64>)| {
            let record = records.get(&part.first_row);
            let own = record.map_or(0, |record| record.updates);
            SavedPart { updates: if mode.is_level() { mean } else { own }, words }
        };
        let parts = ids.into_iter().zip(wanted.iter().zip(words).map(saved)).collect();
        let initial = checkpoint.manifest().state.initial_residual;
        Ok(Self { path: checkpoint.path().to_owned(), parts, initial })
    }

    /// Makes `part` the one that was saved; false where it does not fit.
    fn unpack<T: Part>(&self, id: SubdomainId, part: &mut T) -> bool {
        let Some(SavedPart { words, .. }) = self.parts.get(&id) else { return false };
        let Some((number, units)) = words.split_first() else { return false };
        let units_of = units.iter().map(|word| T::Unit::of_bits(word.to_bits()));
        number.to_bits() == units.len() as u64 && part.unpack(id, units_of)
    }
}

impl<T: Part> Keeper<T> for PartsKeeper<'_> {
    fn updates(&self, id: SubdomainId) -> Option<u64> {
        self.restored.as_ref().and_then(|restored| restored.parts.get(&id)).map(|part| part.updates)
    }

    fn all_updates(&self) -> u64 {
        let parts = self.restored.iter().flat_map(|restored| restored.parts.values());
        parts.map(|part| part.updates).sum()
    }

    fn initial(&self) -> Option<f64> {
        self.restored.as_ref().map(|restored| restored.initial)
    }

    fn is_wanted(&self, now: Instant) -> bool {
        self.saving.as_ref().is_some_and(|saving| saving.is_wanted(now))
    }

    fn begin(&self, moment: &Moment, mut group: &mut dyn Group) -> bool {
        self.saving.as_ref().is_some_and(|saving| saving.begin(moment, None, &mut group))
    }

    fn save(&self, id: SubdomainId, updates: u64, part: &T) {
        let Some(saving) = &self.saving else { return };
        let mut words = vec![0.0];
        words.extend(part.pack().map(|unit| f64::from_bits(unit.bits())));
        let units = words.len() as u64 - 1;
        words.splice(..1, [f64::from_bits(units)]);
        let size = GridSize { rows: 1, columns: words.len() };
        let row = Rectangle { first_row: id.index(), first_column: 0, size };
        saving.save_rows(row, updates, [&*words].into_iter());
    }

    fn complete(&self, mut group: &mut dyn Group) {
        if let Some(saving) = &self.saving {
            saving.complete(&mut group);
        }
    }

    fn left(&self) -> Option<String> {
        self.saving.as_ref().map(Saving::left)
    }
}

#[cfg(test)]
mod tests {
    use tresse_core::base::time::Duration;
    use tresse_core::parts::Graph;
    use tresse_core::parts::halo::{EdgeReader, EdgeWriter};
    use tresse_core::run::{RunConfig, Stop};

    use std::sync::atomic::AtomicBool;

    use crate::iteration::Run;

    /// Two parts that scramble each other's words: any bits, also those of no double.
    struct Pair;

    struct Word<U>(U, U);

    impl Graph<1> for Pair {
        fn parts(&self) -> u32 {
            2
        }
        fn neighbours(&self, part: super::SubdomainId) -> [Option<super::SubdomainId>; 1] {
            [Some(super::SubdomainId(1 - part.0))]
        }
        fn size(&self, _: super::SubdomainId) -> [u32; 2] {
            [1, 1]
        }
    }

    macro_rules! scrambles {
        ($unit:ident, $of:expr, $bits:expr) => {
            impl super::Part for Word<$unit> {
                type Unit = $unit;
                fn publish(&self, _: usize, edge: EdgeWriter<'_, $unit>) {
                    edge.write([self.0]);
                }
                fn read(&mut self, _: usize, edge: EdgeReader<'_, $unit>) {
                    self.1 = edge.cells().next().unwrap();
                }
                fn update(&mut self, _: bool) -> Option<f64> {
                    let (own, other) = ($bits(self.0), $bits(self.1));
                    self.0 = $of(own.wrapping_mul(0xdead_beef).rotate_left(11) ^ other);
                    Some(1.0)
                }
                fn residual(&mut self) -> f64 {
                    1.0
                }
                fn pack(&self) -> impl Iterator<Item = $unit> {
                    [self.0, self.1].into_iter()
                }
                fn unpack(
                    &mut self,
                    _: super::SubdomainId,
                    mut units: impl Iterator<Item = $unit>,
                ) -> bool {
                    let both = units.next().zip(units.next());
                    both.map(|(own, other)| *self = Self(own, other)).is_some()
                        && units.next().is_none()
                }
            }

            impl Word<$unit> {
                fn bits(&self) -> [u64; 2] {
                    [$bits(self.0).into(), $bits(self.1).into()]
                }
            }
        };
    }
    scrambles!(u64, std::convert::identity, std::convert::identity::<u64>);
    scrambles!(f32, f32::from_bits, f32::to_bits);

    macro_rules! goes_on {
        ($unit:ty, $start:expr) => {
            let folder = tempfile::tempdir().unwrap();
            let run = |iterations| {
                let stop = Stop { iterations: Some(iterations), ..Stop::NEVER };
                let config = RunConfig {
                    workers: 1,
                    split: 2,
                    mode: super::Mode::Sync,
                    balance: tresse_core::run::Balance::None,
                    stop,
                    ..RunConfig::paper(1)
                };
                Run::new(config, &Pair, |_| Word::<$unit>($start, $start))
            };
            let whole = run(40).on_threads().unwrap().parts;
            let now = AtomicBool::new(true);
            let hour = Duration::from_millis(3_600_000);
            let begun = run(15).saved_in(folder.path(), hour).saved_on(&now);
            begun.on_threads().unwrap();
            assert!(!now.into_inner());
            let rest = run(40).resumed_from(folder.path()).on_threads().unwrap();
            assert_eq!(rest.record.progress.updates, 80);
            for (part, expected) in rest.parts.iter().zip(&whole) {
                assert_eq!(part.bits(), expected.bits());
            }
        };
    }

    #[test]
    fn units_of_any_kind_are_gone_on_with_to_the_bit() {
        goes_on!(u64, 0x7ff0_0000_dead_beef);
        goes_on!(f32, f32::from_bits(0x7f80_beef));
    }
}
