//! The model of a view, without its drawing: it runs in the worker, and on any other platform.

use crate::parameters::Parameters;

/// A process that goes on from a start, and can go back to earlier times.
///
/// Its time is a number whose unit is the view's own: nanoseconds, iterations, rows of a file. What
/// it shows at a time depends on nothing but what it was opened with and on what was done to it;
/// whoever comes back to a time sees the same.
pub trait Model {
    /// Returns the present time of the model.
    fn now(&self) -> u64;

    /// Reports whether the model has come to its end.
    fn has_ended(&self) -> bool;

    /// Goes on to a time, or to the end; stops earlier where `pause`, which is asked now and then,
    /// returns true.
    fn advance(&mut self, until: u64, pause: &mut dyn FnMut() -> bool);

    /// Goes on to the next time at which anything changes.
    fn step(&mut self);

    /// Goes back to a time that was kept, which is at most `to`. From there [`Model::advance`]
    /// leads on.
    fn rewind(&mut self, to: u64);

    /// Returns the present state as the view's own drawing reads it ([`postcard`]).
    fn frame(&mut self) -> Vec<u8>;

    /// Does what the view asks for by its encoded request, and returns an answer that the view
    /// understands. An error is a sentence for the person who asked.
    fn act(&mut self, request: &[u8]) -> Result<Vec<u8>, String>;
}

/// A function that makes a model for parameters, and for a file that a person has given, where the
/// view takes one. An error is a sentence.
pub type Open = fn(&Parameters, &[u8]) -> Result<Box<dyn Model>, String>;

/// Error where the two halves of a view do not understand each other.
pub const GARBLED: &str = "The page and its worker do not fit together; reload the page.";
