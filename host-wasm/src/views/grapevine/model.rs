//! The model of both runs. Its time is the number of iterations.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use tresse_core::balance::grapevine::Threshold;

use super::frame::{Act, Answer, Frame, Lane, Row, Scene};
use super::run::{Step, steps};
use super::settings::{Instance, read};
use crate::files::GivenFile;
use crate::model::{GARBLED, Model};
use crate::parameters::Parameters;

/// Greatest number of arcs of an iteration.
const MOST_ARCS: usize = 240;

/// Both runs, with the states after all of their iterations.
pub struct GrapevineModel {
    instance: Instance,
    scene: Scene,
    lanes: [Vec<Step>; 2],
    now: u64,
    chosen: u32,
    has_told_scene: bool,
}

impl GrapevineModel {
    /// Returns both runs before the first iteration.
    pub fn new(parameters: &Parameters, files: Vec<GivenFile>) -> Result<Self, String> {
        let (instance, configs) = read(parameters, files)?;
        let [original, relaxed] = configs.map(|config| steps(&instance, &config));
        let lanes = [original?, relaxed?];
        let total: u64 = instance.loads.iter().sum();
        let average = instance.unit.seconds(total) / f64::from(instance.processors.max(1));
        let highest =
            |step: &Step| instance.unit.seconds(step.loads.iter().max().copied().unwrap_or(0));
        let first = lanes.first().and_then(|steps| steps.first()).map_or(0.0, highest);
        let threshold = match configs.first().map(|config| config.threshold) {
            Some(Threshold::Times(times)) => average * times.0 as f64 * 1e-6,
            Some(Threshold::Falling(part)) => average + (first - average) / f64::from(part.max(1)),
            None => average,
        };
        let row = |step: &Step| {
            let (tally, told) = step.made.map(|made| (made.tally, made.told)).unwrap_or_default();
            let imbalance = if average > 0.0 { highest(step) / average - 1.0 } else { 0.0 };
            Row {
                transfers: tally.transfers,
                rejected: tally.rejected,
                messages: told.messages,
                imbalance,
            }
        };
        let rows = lanes.each_ref().map(|steps| steps.iter().map(row).collect());
        let Instance { title, processors, commands, .. } = &instance;
        let scene = Scene {
            title: title.clone(),
            processors: *processors,
            average,
            threshold,
            commands: commands.clone(),
            rows,
        };
        let busiest = lanes.first().and_then(|steps| steps.first()).and_then(|step| {
            let busiest =
                step.loads.iter().zip(0..).max_by_key(|&(load, id)| (load, u32::MAX - id));
            busiest.map(|(_, id)| id)
        });
        let chosen = busiest.unwrap_or(0);
        Ok(Self { instance, scene, lanes, now: 0, chosen, has_told_scene: false })
    }

    /// Returns the number of the last iteration of the longer run.
    fn last(&self) -> u64 {
        let most = self.lanes.iter().map(Vec::len).max().unwrap_or(1);
        most.saturating_sub(1) as u64
    }

    /// Returns what a lane shows now: loads in seconds, the last transfers, and whom the chosen
    /// processor knows.
    fn lane(&self, steps: &[Step]) -> Lane {
        let at = usize::try_from(self.now).unwrap_or(usize::MAX).min(steps.len().saturating_sub(1));
        let Some(step) = steps.get(at) else { return Lane::default() };
        let unit = self.instance.unit;
        #[expect(clippy::cast_possible_truncation, reason = "a bar needs no more digits")]
        let loads = step.loads.iter().map(|&load| unit.seconds(load) as f32).collect();
        let before = at.checked_sub(1).and_then(|before| steps.get(before));
        // A lane that has ended before has moved nothing since.
        let before = before.filter(|_| at as u64 == self.now);
        let known = step.known.get(self.chosen as usize);
        Lane {
            loads,
            moved: before.map(|before| moved(before, step)).unwrap_or_default(),
            knows: known.is_some(),
            known: known.cloned().unwrap_or_default(),
        }
    }

    /// Returns both runs as CSV, one line for each iteration.
    fn table(&self) -> String {
        let mut table = String::from("criterion,iteration,transfers,rejected,messages,imbalance\n");
        for (name, rows) in ["6", "6'"].into_iter().zip(&self.scene.rows) {
            for (number, row) in rows.iter().enumerate() {
                let Row { transfers, rejected, messages, imbalance } = row;
                // Text takes whatever is written.
                let _ = writeln!(
                    table,
                    "{name},{number},{transfers},{rejected},{messages},{imbalance}"
                );
            }
        }
        table
    }

    /// Returns the owner of each object at the start and now in both runs, as CSV.
    fn placement(&self) -> String {
        let mut table = String::from("object,seconds,start,criterion_6,criterion_6_relaxed\n");
        let at = |steps: &[Step], object: usize| {
            let step =
                usize::try_from(self.now).unwrap_or(usize::MAX).min(steps.len().saturating_sub(1));
            steps.get(step).and_then(|step| step.owners.get(object)).map_or(0, |owner| owner.0)
        };
        let [original, relaxed] = &self.lanes;
        for (object, (&load, start)) in
            self.instance.loads.iter().zip(&self.instance.owners).enumerate()
        {
            let seconds = self.instance.unit.seconds(load);
            let (one, other) = (at(original, object), at(relaxed, object));
            let _ = writeln!(table, "{object},{seconds},{start},{one},{other}");
        }
        table
    }

    /// Returns a text of all decisions: the numbers of all iterations, and a sum over the last
    /// owners.
    fn hash(&self) -> String {
        let owners = self.lanes.iter().filter_map(|steps| steps.last());
        let sums = owners.map(|step| {
            step.owners
                .iter()
                .fold(17_u64, |sum, owner| sum.wrapping_mul(31).wrapping_add(owner.0.into()))
        });
        let sums: Vec<_> = sums.map(|sum| format!("{sum:016x}")).collect();
        format!("field {}; {}", sums.join(" "), self.table().replace('\n', "; "))
    }
}

/// Returns the numbers of objects that moved, by processors from and to, the largest first.
fn moved(before: &Step, after: &Step) -> Vec<(u32, u32, u32)> {
    let mut moved: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (from, to) in before.owners.iter().zip(&after.owners).filter(|(from, to)| from != to) {
        *moved.entry((from.0, to.0)).or_default() += 1;
    }
    let mut moved: Vec<_> =
        moved.into_iter().map(|((from, to), objects)| (from, to, objects)).collect();
    moved.sort_by_key(|&(from, to, objects)| (std::cmp::Reverse(objects), from, to));
    moved.truncate(MOST_ARCS);
    moved
}

impl Model for GrapevineModel {
    fn now(&self) -> u64 {
        self.now
    }

    fn has_ended(&self) -> bool {
        self.now >= self.last()
    }

    fn advance(&mut self, until: u64, _: &mut dyn FnMut() -> bool) {
        self.now = self.now.max(until.min(self.last()));
    }

    fn step(&mut self) {
        self.now = (self.now + 1).min(self.last());
    }

    fn rewind(&mut self, to: u64) {
        self.now = to.min(self.last());
    }

    fn frame(&mut self) -> Vec<u8> {
        let [original, relaxed] = &self.lanes;
        let frame = Frame {
            scene: (!self.has_told_scene).then(|| self.scene.clone()),
            now: self.now,
            lanes: [self.lane(original), self.lane(relaxed)],
        };
        self.has_told_scene = true;
        // There is memory, or there is no page.
        postcard::to_allocvec(&frame).unwrap_or_default()
    }

    fn act(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        let answer = match postcard::from_bytes(request).map_err(|_| GARBLED)? {
            Act::Choose(processor) => {
                self.chosen = processor.min(self.instance.processors.saturating_sub(1));
                Answer::Done
            }
            Act::Table => Answer::Text(self.table()),
            Act::Placement => Answer::Text(self.placement()),
            Act::Hash => Answer::Text(self.hash()),
        };
        Ok(postcard::to_allocvec(&answer).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> GrapevineModel {
        let page = include_str!("../../../web/views/grapevine.html");
        GrapevineModel::new(&Parameters::of_form(page), Vec::new()).unwrap()
    }

    #[test]
    fn the_relaxed_criterion_ends_better_where_the_page_begins() {
        let model = model();
        let [original, relaxed] = &model.scene.rows;
        let last = |rows: &[Row]| rows.last().map_or(0.0, |row| row.imbalance);
        assert!(last(relaxed) * 20.0 < last(original), "{} {}", last(relaxed), last(original));
        assert!(original.len() > 3 && relaxed.len() > 3);
    }

    #[test]
    fn loads_are_those_of_the_owners_and_arcs_are_what_moved() {
        let mut model = model();
        for _ in 0..3 {
            model.step();
            for steps in &model.lanes {
                let step = &steps[usize::try_from(model.now).unwrap()];
                let mut loads = vec![0; model.instance.processors as usize];
                for (owner, load) in step.owners.iter().zip(&model.instance.loads) {
                    loads[owner.index()] += load;
                }
                assert_eq!(loads, step.loads);
            }
            let frame: Frame = postcard::from_bytes(&model.frame()).unwrap();
            assert!(frame.lanes.iter().all(|lane| lane.loads.len() == 64));
        }
    }

    #[test]
    fn what_cannot_be_is_said() {
        let problem = |text: &str, files: Vec<GivenFile>| {
            GrapevineModel::new(&Parameters::parse(text), files).err().unwrap_or_default()
        };
        for (text, says) in [
            ("fanout=0", "fan-out"),
            ("loads=heavy", "loads cannot be"),
            ("processors=4&on=5", "5 of 4"),
            ("objects=4000000000", "more than a page"),
            ("processors=100000&on=4", "more than a page"),
            ("preset=luck", "preset"),
            ("threshold=0.5", "threshold cannot be"),
        ] {
            assert!(
                problem(text, Vec::new()).contains(says),
                "{text}: {}",
                problem(text, Vec::new())
            );
        }
        let broken = GivenFile { name: "data.0.json".into(), bytes: b"{\"phases\": [".to_vec() };
        assert!(problem("", vec![broken]).contains("data.0.json"));
        assert!(
            !problem("", vec![GivenFile { name: "a.png".into(), bytes: vec![0x89, 0x50] }])
                .is_empty()
        );
    }
}
