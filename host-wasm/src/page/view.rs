//! What the page asks of a view, and a view of the page.

use serde::Serialize;

use crate::parameters::Parameters;

/// The drawing of a view, on its part of the page.
pub trait View {
    /// Notes that the model is being opened with these parameters; returns the requests to make
    /// before any other.
    fn opened(&mut self, parameters: &Parameters) -> Vec<Ask>;

    /// Reads a frame, which the next drawing shows.
    fn show(&mut self, frame: &[u8]);

    /// Draws the last frame; returns whether it is to be drawn again soon, since something in it
    /// moves.
    fn draw(&mut self) -> bool;

    /// Handles the answer to an [`Ask::Act`]. Answers come in the order of their requests.
    fn answer(&mut self, answer: &[u8]) -> Vec<Ask>;

    /// Notes that a control with `data-look` has this value.
    fn look(&mut self, _key: &str, _value: &str) -> Vec<Ask> {
        Vec::new()
    }

    /// Notes that a person has pressed an element with `data-do`.
    fn command(&mut self, what: &str) -> Vec<Ask>;

    /// Notes an event of the pointer on a canvas.
    fn pointer(&mut self, canvas: &str, event: Pointer) -> Vec<Ask>;

    /// Notes that a key was pressed on a canvas; returns `None` where the key is not one of the
    /// view's.
    fn key(&mut self, _canvas: &str, _key: &str) -> Option<Vec<Ask>> {
        None
    }

    /// Returns a time in words.
    fn time(&self, now: u64) -> String;

    /// Returns the speeds of time: names, and units of the model's time each second, infinite for
    /// as fast as the model can. A view begins with the first speed.
    fn speeds(&self) -> &'static [(&'static str, f64)];

    /// Returns what can be saved besides pictures: the `data-do` and the name of each.
    fn exports(&self) -> &'static [(&'static str, &'static str)];
}

/// An event of the pointer on a canvas, with places in the pixels of the style sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pointer {
    /// The pointer is at this place, and nothing is pressed.
    Over(f64, f64),
    /// The pointer was pressed at this place.
    Down(f64, f64),
    /// The pointer is at this place, pressed.
    Drag(f64, f64),
    /// The pointer has left the canvas, or is no longer pressed.
    Gone,
    /// The wheel was turned at this place, by this number of pixels.
    Wheel(f64, f64, f64),
}

impl Pointer {
    /// Returns the name of the canvas and the place on it that the pointer is over; none once it is
    /// gone.
    pub fn over(self, canvas: &str) -> Option<(String, f64, f64)> {
        match self {
            Self::Gone => None,
            Self::Over(x, y) | Self::Drag(x, y) | Self::Down(x, y) | Self::Wheel(x, y, _) => {
                Some((canvas.to_owned(), x, y))
            }
        }
    }
}

/// A request of a view.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Ask the model for this; an answer will come.
    Act(Vec<u8>),
    /// Get a new frame of the moment that is shown.
    Refresh,
    /// Draw again.
    Draw,
    /// Go to a time, and stay there.
    Seek(u64),
    /// Note a parameter's value, which the model has already.
    Parameter(String, String),
    /// Open the model anew with this value of a parameter.
    Reopen(String, String),
    /// Announce a text, for people who do not see the page.
    Say(String),
    /// Save a text as a file of this name.
    Save(String, String),
    /// Copy a text.
    Copy(String),
    /// Show a sentence about something that cannot be done.
    Problem(String),
}

impl Ask {
    /// Returns the request of an act of the view's own, as its model reads it ([`postcard`]).
    pub fn act(act: &impl Serialize) -> Self {
        // There is memory, or there is no page.
        Self::Act(postcard::to_allocvec(act).unwrap_or_default())
    }
}
