//! The drawing of Solve.

pub mod cores;
pub mod curves;
pub mod domain;
pub mod state;
pub mod words;

use super::frame::{Act, Answer, Look};
use crate::page::canvas;
use crate::page::save::Saves;
use crate::page::theme::{self, Theme};
use crate::page::view::{Ask, Pointer, View};
use crate::parameters::{Parameters, SEPARATOR};
use cores::Cores;
use domain::Domain;
use state::State;

/// Speeds in units of time, which are nanoseconds, each second.
const SPEEDS: [(&str, f64); 6] = [
    ("as fast as it can", f64::INFINITY),
    ("100 ms each second", 1e8),
    ("10 ms each second", 1e7),
    ("1 ms each second", 1e6),
    ("0.1 ms each second", 1e5),
    ("10 µs each second", 1e4),
];

/// The page's state of a run.
#[derive(Debug)]
pub struct SolveView {
    state: State,
    domain: Domain,
    cores: Cores,
    interventions: Vec<String>,
    /// Canvas and place of the pointer.
    over: Option<(String, f64, f64)>,
    /// Whether the answer to a probe is awaited, and the last answer.
    probes: bool,
    probed: Option<(f64, u32)>,
    /// Names of the files for texts that were asked for, in the order of the requests.
    saves: Saves,
}

/// Beginning of the elements' names.
const VIEW: &str = "solve";

impl Default for SolveView {
    fn default() -> Self {
        Self {
            state: State { view: VIEW.to_owned(), ..State::default() },
            domain: Domain::default(),
            cores: Cores::default(),
            interventions: Vec::new(),
            over: None,
            probes: false,
            probed: None,
            saves: Saves::default(),
        }
    }
}

impl SolveView {
    /// Asks the model for frames with what is drawn now: pixels, field, and residuals where these
    /// colour the grid.
    fn ask_for_look(&self) -> Ask {
        let look = Look {
            pixels: Domain::pixels(&self.state),
            field: true,
            residuals: self.state.colour == "residual",
        };
        Ask::act(&Act::Look(look))
    }

    /// Asks the model to intervene at a place.
    fn intervene(place: String, effect: String) -> Vec<Ask> {
        vec![Ask::act(&Act::Intervene(place, effect)), Ask::Refresh]
    }

    /// Slows the chosen place down, or ends its slowing down.
    fn toggle(&mut self) -> Vec<Ask> {
        let effect =
            if self.cores.is_burdened(&self.state) { "free".to_owned() } else { words::duty(VIEW) };
        Self::intervene(words::place(VIEW), effect)
    }

    /// Asks for the value under the pointer, unless a question is under way.
    fn probe(&mut self) -> Vec<Ask> {
        let Some((canvas, x, y)) = self.over.clone() else { return Vec::new() };
        if canvas != "solve-domain" || self.probes {
            return Vec::new();
        }
        let Some((row, column)) = self.domain.cell(&self.state, (x, y)) else {
            return Vec::new();
        };
        self.probes = true;
        vec![Ask::act(&Act::Probe(row, column))]
    }
}

impl View for SolveView {
    fn opened(&mut self, parameters: &Parameters) -> Vec<Ask> {
        self.interventions = parameters.all("intervene").map(str::to_owned).collect();
        self.probes = false;
        self.saves.clear();
        vec![self.ask_for_look(), Ask::Refresh]
    }

    fn show(&mut self, frame: &[u8]) {
        if self.state.take_frame(frame) {
            self.cores.opens(&self.state.scene, VIEW);
            self.domain.opens();
        }
        self.domain.moved(&self.state);
    }

    fn draw(&mut self) -> bool {
        self.state.theme = Theme::now();
        let moves = self.domain.draw(&self.state, theme::is_still());
        self.cores.draw(&self.state);
        curves::draw(&self.state);
        words::say(&self.state);
        self.tip();
        moves
    }

    fn answer(&mut self, answer: &[u8]) -> Vec<Ask> {
        match postcard::from_bytes(answer) {
            Ok(Answer::Intervened(text)) => {
                let said = format!("{text}.");
                self.interventions.push(text);
                let all = self.interventions.join(&SEPARATOR.to_string());
                vec![Ask::Parameter("intervene".into(), all), Ask::Say(said), Ask::Refresh]
            }
            Ok(Answer::Probed { value, subdomain }) => {
                (self.probes, self.probed) = (false, Some((value, subdomain)));
                self.tip();
                Vec::new()
            }
            Ok(Answer::Text(text)) => self.saves.take(text),
            _ => Vec::new(),
        }
    }

    fn look(&mut self, key: &str, value: &str) -> Vec<Ask> {
        if key == "colour" {
            value.clone_into(&mut self.state.colour);
            return vec![self.ask_for_look(), Ask::Refresh];
        }
        Vec::new()
    }

    fn command(&mut self, what: &str) -> Vec<Ask> {
        let place = words::place(VIEW);
        match what {
            "slow" => Self::intervene(place, words::duty(VIEW)),
            "bursts" => Self::intervene(place, words::bursts(VIEW)),
            "stop" => Self::intervene(place, "stop".into()),
            "free" => Self::intervene(place, "free".into()),
            "forget" => vec![Ask::Reopen("intervene".into(), String::new())],
            "history" => self.saves.ask("history.csv", &Act::History),
            "braid" => self.saves.ask("braid.csv", &Act::Braid),
            "hash" => self.saves.ask("", &Act::Hash),
            "command" => vec![Ask::Copy(self.command_line())],
            _ => Vec::new(),
        }
    }

    fn pointer(&mut self, canvas: &str, event: Pointer) -> Vec<Ask> {
        match event {
            Pointer::Over(x, y) | Pointer::Drag(x, y) => {
                self.over = Some((canvas.to_owned(), x, y));
                self.tip();
                self.probe()
            }
            Pointer::Down(x, y) if canvas == "solve-cores" => {
                match self.cores.at(&self.state, (x, y)) {
                    Some(worker) => {
                        self.cores.choose(&self.state.scene, VIEW, worker);
                        self.toggle()
                    }
                    None => Vec::new(),
                }
            }
            Pointer::Down(x, y) => {
                self.over = Some((canvas.to_owned(), x, y));
                self.probe()
            }
            Pointer::Gone => {
                (self.over, self.probed) = (None, None);
                self.tip();
                Vec::new()
            }
            Pointer::Wheel(..) => Vec::new(),
        }
    }

    fn key(&mut self, canvas: &str, key: &str) -> Option<Vec<Ask>> {
        if canvas != "solve-cores" {
            return None;
        }
        let by = |by| Some((by, vec![Ask::Draw]));
        let (by, asks) = match key {
            "ArrowRight" | "ArrowDown" => by(1)?,
            "ArrowLeft" | "ArrowUp" => by(-1)?,
            "Enter" => return Some(self.toggle()),
            "s" => return Some(self.command("stop")),
            "f" => return Some(self.command("free")),
            "b" => return Some(self.command("bursts")),
            _ => return None,
        };
        let worker = self.cores.next(&self.state.scene, by);
        self.cores.choose(&self.state.scene, VIEW, worker);
        Some(asks)
    }

    fn time(&self, now: u64) -> String {
        format!("{:.3} ms", now as f64 * 1e-6)
    }

    fn speeds(&self) -> &'static [(&'static str, f64)] {
        &SPEEDS
    }

    fn exports(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("history", "Save how it went (CSV)"),
            ("braid", "Save the braid (CSV)"),
            ("command", "Copy the command line of this run"),
        ]
    }
}

impl SolveView {
    /// Returns the command line of the run, with all interventions made on the page.
    fn command_line(&self) -> String {
        let mut line = self.state.scene.command.clone();
        for intervention in &self.interventions {
            if !line.contains(intervention.as_str()) {
                line.extend([" --intervene ", intervention]);
            }
        }
        line
    }

    /// Shows the numbers under the pointer.
    fn tip(&self) {
        let text = self.over.as_ref().and_then(|(canvas, x, y)| match canvas.as_str() {
            "solve-domain" => {
                let cell = self.domain.cell(&self.state, (*x, *y))?;
                Some(words::of_cell(&self.state, cell, self.probed))
            }
            "solve-cores" => {
                Some(words::of_worker(&self.state, self.cores.at(&self.state, (*x, *y))?))
            }
            curve => {
                let range = curves::range(self.state.track.as_ref()?);
                curves::tip(&self.state, curve, range, (*x, *y))
            }
        });
        let at = self.over.as_ref().map(|(canvas, x, y)| (canvas.as_str(), *x, *y));
        canvas::tip("solve-tip", at, text);
    }
}
