//! The time of a view: whether it goes on, its speed, and its target.

use crate::messages::What;

/// Longest time that a model may go on before a frame, in milliseconds.
const WITHIN: f64 = 14.0;

/// The time of one view.
#[derive(Clone, Debug, Default)]
pub struct Player {
    now: u64,
    /// Latest time that was seen since the model was opened.
    furthest: u64,
    has_ended: bool,
    plays: bool,
    /// Units of time each second; infinite for as fast as possible.
    speed: f64,
    /// Time that the model should have come to by now, at a given speed.
    due: f64,
    last_tick: Option<f64>,
    /// Time to go to before anything else.
    target: Option<u64>,
    /// Time to go back to first.
    rewind: Option<u64>,
    steps: bool,
    /// Number of requests without a reply.
    sent: u32,
    /// Milliseconds that the model took for the last frame.
    pub took: f64,
}

impl Player {
    /// Returns the player of a view that plays at this speed once it is opened.
    pub fn new(speed: f64) -> Self {
        Self { speed, plays: true, ..Self::default() }
    }

    /// Notes that the model is being opened anew; a target stays.
    pub fn opens(&mut self) {
        (self.now, self.furthest, self.has_ended, self.rewind) = (0, 0, false, None);
        (self.due, self.last_tick) = (0.0, None);
    }

    /// Notes that a request was sent.
    pub fn sent(&mut self) {
        self.sent += 1;
    }

    /// Notes that a frame has arrived: its time, whether the model has ended, and the milliseconds
    /// that the model took.
    pub fn arrived(&mut self, now: u64, has_ended: bool, took: f64) {
        self.answered();
        (self.now, self.has_ended, self.took) = (now, has_ended, took);
        self.furthest = self.furthest.max(now);
        if self.target.is_some_and(|target| now >= target || has_ended) {
            self.target = None;
            self.rest_here();
        }
        if has_ended && self.target.is_none() {
            self.plays = false;
        }
    }

    /// Notes that another reply has arrived.
    pub fn answered(&mut self) {
        self.sent = self.sent.saturating_sub(1);
    }

    /// Notes that a request was refused.
    pub fn failed(&mut self) {
        self.answered();
        (self.plays, self.target, self.steps) = (false, None, false);
    }

    /// Returns the next request to send; `None` while a reply is awaited or nothing is to be done.
    pub fn next(&mut self) -> Option<What> {
        if self.sent > 0 {
            return None;
        }
        if let Some(to) = self.rewind.take() {
            return Some(What::Rewind(to));
        }
        if let Some(until) = self.target {
            return Some(What::Advance { until, budget_ms: WITHIN });
        }
        if std::mem::take(&mut self.steps) {
            return Some(What::Step);
        }
        if !self.plays || self.has_ended {
            return None;
        }
        if self.speed.is_finite() {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "not negative"
            )]
            let until = self.due as u64;
            return (until > self.now).then_some(What::Advance { until, budget_ms: WITHIN });
        }
        Some(What::Advance { until: u64::MAX, budget_ms: WITHIN })
    }

    /// Returns the request for a frame of the moment that is shown.
    pub fn again(&self) -> What {
        What::Advance { until: self.now, budget_ms: 0.0 }
    }

    /// Lets the time that is shown go on to the time of the browser's clock, in milliseconds.
    pub fn tick(&mut self, time: f64) {
        let passed = self.last_tick.map_or(0.0, |last| (time - last).clamp(0.0, 100.0));
        self.last_tick = Some(time);
        if self.plays && self.target.is_none() && self.speed.is_finite() {
            // What the model cannot keep up with is not caught up with later.
            // A step, at least, where steps are long.
            let most = self.now as f64 + (0.1 * self.speed).max(1.0);
            self.due = (self.due + passed / 1_000.0 * self.speed).min(most);
        }
    }

    /// Sets whether time goes on.
    pub fn set_playing(&mut self, plays: bool) {
        self.plays = plays && !self.has_ended;
        self.rest_here();
    }

    /// Reports whether time goes on.
    pub const fn plays(&self) -> bool {
        self.plays
    }

    /// Reports whether the view is on its way to a time.
    pub const fn seeks(&self) -> bool {
        self.target.is_some()
    }

    /// Goes to a time of the model, back or forwards.
    pub fn seek(&mut self, to: u64) {
        if to < self.now {
            self.rewind = Some(to);
            self.has_ended = false;
        }
        self.target = Some(to);
    }

    /// Goes to a time once the model is opened, and stays there.
    pub fn open_at(&mut self, to: u64) {
        (self.target, self.plays) = (Some(to), false);
    }

    /// Pauses, and makes a step.
    pub fn step(&mut self) {
        (self.plays, self.steps) = (false, true);
    }

    /// Sets the speed, in units of time each second.
    pub fn set_speed(&mut self, speed: f64) {
        self.speed = speed;
        self.rest_here();
    }

    /// Returns the speed, in units of time each second.
    pub const fn speed(&self) -> f64 {
        self.speed
    }

    /// Lets the time that is shown go on from the model's present time.
    fn rest_here(&mut self) {
        self.due = self.now as f64;
        self.last_tick = None;
    }

    /// Returns the time that is shown.
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// Returns the latest time that was seen.
    pub const fn furthest(&self) -> u64 {
        self.furthest
    }

    /// Reports whether the model has come to its end.
    pub const fn has_ended(&self) -> bool {
        self.has_ended
    }
}
