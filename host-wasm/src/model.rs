//! What a view shows, without its looks: it runs in the worker, and on any other platform.

/// Something that goes on from a start, and can be gone back in.
///
/// Its time is a number whose unit is the view's own: nanoseconds, iterations, rows of a file. What it shows
/// at a time depends on nothing but what it was opened with and on what was done to it; whoever comes back
/// to a time sees the same.
pub trait Model {
    /// Returns the time that it has come to.
    fn now(&self) -> u64;

    /// Reports whether it has come to its end.
    fn has_ended(&self) -> bool;

    /// Goes on to a time, or to its end; earlier where `pause`, which is asked now and then, says so.
    fn advance(&mut self, until: u64, pause: &mut dyn FnMut() -> bool);

    /// Goes on to the next time at which anything changes.
    fn step(&mut self);

    /// Goes back to a time that was kept, which is at most `to`. From there [`Model::advance`] leads on.
    fn rewind(&mut self, to: u64);

    /// What there is to see now, as the view's own drawing reads it ([`postcard`]).
    fn frame(&mut self) -> Vec<u8>;

    /// Does what the view asks for, as it has encoded it, and answers in its own way. An error is a
    /// sentence for the person who asked.
    fn act(&mut self, request: &[u8]) -> Result<Vec<u8>, String>;
}

/// What is broken where the two halves of a view do not understand each other.
pub const GARBLED: &str = "The page and its worker do not fit together; reload the page.";
