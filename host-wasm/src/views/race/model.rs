//! Runs in lock step of virtual time.

use super::frame::{Frame, Run};
use super::settings::runs_of;
use crate::model::{GARBLED, Model};
use crate::parameters::Parameters;
use crate::views::solve;
use crate::views::solve::frame::{Act, Answer};

/// Greatest number of nanoseconds that one run is ahead of another between two frames.
const SLICE: u64 = 100_000;

/// Runs of several methods, each a model of the view Solve.
pub struct RaceModel {
    runs: Vec<(usize, Box<dyn Model>)>,
    /// Time that all runs have come to, but those that have ended.
    now: u64,
}

impl RaceModel {
    /// Returns all runs at their beginning.
    pub fn new(parameters: &Parameters) -> Result<Self, String> {
        let runs = runs_of(parameters)?;
        let number = runs.len();
        let open = |(lane, own): (usize, Parameters)| {
            let run = solve::open_one_of(&own, number);
            run.map(|run| (lane, run)).map_err(|problem| format!("Lane {}: {problem}", lane + 1))
        };
        Ok(Self { runs: runs.into_iter().map(open).collect::<Result<_, _>>()?, now: 0 })
    }

    /// Asks all runs for the same thing; returns the answers by lane.
    fn ask(&mut self, act: &Act) -> Result<Vec<(usize, Answer)>, String> {
        let request = postcard::to_allocvec(act).map_err(|_| GARBLED)?;
        let runs = self.runs.iter_mut();
        runs.map(|(lane, run)| {
            let answer = run.act(&request)?;
            Ok((*lane, postcard::from_bytes(&answer).map_err(|_| GARBLED)?))
        })
        .collect()
    }

    /// Returns the tables of all runs as one, each line with its lane before it.
    fn table(&mut self, act: &Act) -> Result<String, String> {
        let mut table = String::new();
        for (lane, answer) in self.ask(act)? {
            let Answer::Text(text) = answer else { continue };
            let mut lines = text.lines();
            let head = lines.next().unwrap_or_default();
            if table.is_empty() {
                table.extend(["lane,", head, "\n"]);
            }
            lines.for_each(|line| table.extend([&*(lane + 1).to_string(), ",", line, "\n"]));
        }
        Ok(table)
    }

    /// Asks all lanes, and joins their histories and hashes. Of other acts the first answer counts.
    fn answer(&mut self, act: &Act) -> Result<Answer, String> {
        Ok(match act {
            Act::History => Answer::Text(self.table(act)?),
            Act::Hash => {
                let hashes = self.ask(act)?.into_iter().filter_map(|(lane, hash)| match hash {
                    Answer::Text(hash) => Some(format!("lane {}: {hash}", lane + 1)),
                    _ => None,
                });
                Answer::Text(hashes.collect::<Vec<_>>().join("; "))
            }
            // What all do is answered once.
            _ => self.ask(act)?.into_iter().next().map_or(Answer::Done, |(_, answer)| answer),
        })
    }
}

impl Model for RaceModel {
    fn now(&self) -> u64 {
        self.now
    }

    fn has_ended(&self) -> bool {
        self.runs.iter().all(|(_, run)| run.has_ended())
    }

    fn advance(&mut self, until: u64, pause: &mut dyn FnMut() -> bool) {
        while self.now < until && !self.has_ended() {
            let next = self.now.saturating_add(SLICE).min(until);
            for (_, run) in &mut self.runs {
                run.advance(next, &mut || false);
            }
            self.now = next;
            if pause() {
                return;
            }
        }
    }

    fn step(&mut self) {
        self.advance(self.now.saturating_add(SLICE), &mut || false);
    }

    fn rewind(&mut self, to: u64) {
        self.runs.iter_mut().for_each(|(_, run)| run.rewind(to));
        // Those that have come to an earlier time catch up in the next slice.
        let times = self.runs.iter().filter(|(_, run)| !run.has_ended()).map(|(_, run)| run.now());
        self.now = times.min().unwrap_or(to);
    }

    fn frame(&mut self) -> Vec<u8> {
        let runs = self.runs.iter_mut().map(|(lane, run)| Run {
            lane: u32::try_from(*lane).unwrap_or(u32::MAX),
            frame: run.frame(),
        });
        let frame = Frame { now: self.now, runs: runs.collect() };
        // There is memory, or there is no page.
        postcard::to_allocvec(&frame).unwrap_or_default()
    }

    fn act(&mut self, request: &[u8]) -> Result<Vec<u8>, String> {
        let act = postcard::from_bytes(request).map_err(|_| GARBLED)?;
        let answer = self.answer(&act)?;
        Ok(postcard::to_allocvec(&answer).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::solve::frame::Frame as OfRun;

    /// Returns the race that the page begins with.
    fn race() -> RaceModel {
        let page = include_str!("../../../web/views/race.html");
        RaceModel::new(&Parameters::of_form(page)).unwrap()
    }

    /// Returns the lanes with the times at which they have converged, or none.
    fn ends(race: &mut RaceModel) -> Vec<(u32, Option<u64>)> {
        let frame: Frame = postcard::from_bytes(&race.frame()).unwrap();
        let runs = frame.runs.iter();
        runs.map(|run| {
            let frame: OfRun = postcard::from_bytes(&run.frame).unwrap();
            (run.lane, frame.has_converged.then_some(frame.now))
        })
        .collect()
    }

    #[test]
    fn the_braid_wins_the_race_that_the_page_begins_with() {
        let mut race = race();
        race.advance(u64::MAX, &mut || false);
        let mut places = ends(&mut race);
        assert!(places.iter().all(|(_, end)| end.is_some()), "{places:?}");
        places.sort_by_key(|(_, end)| *end);
        let lanes: Vec<_> = places.iter().map(|(lane, _)| *lane).collect();
        assert_eq!(lanes, [3, 2, 1, 0], "{places:?}");
    }

    #[test]
    fn whoever_comes_back_sees_the_same() {
        let (mut straight, mut scrubbed) = (race(), race());
        straight.advance(9_000_000, &mut || false);
        scrubbed.advance(20_000_000, &mut || false);
        scrubbed.rewind(9_000_000);
        scrubbed.advance(9_000_000, &mut || false);
        let hash = |race: &mut RaceModel| race.answer(&Act::Hash).unwrap();
        assert_eq!(hash(&mut straight), hash(&mut scrubbed));
    }
}
