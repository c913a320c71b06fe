//! What a pool's tasks are, and what executing one means.

use super::stack::{Full, Stack};

/// A kind of task and what a worker finds by executing its tasks.
///
/// Speculation executes a task before it is certain that it is this worker's to execute. What that
/// finds is therefore an outcome that is kept apart: it becomes part of the result by
/// [`Work::commit`], or is rolled back by [`Work::undo`]. A task's children are kept apart with it.
pub trait Work {
    /// A task, as it is handed from worker to worker.
    type Task: Copy + Default;
    /// What executing a task finds.
    type Outcome: Copy + Default;

    /// Executes a task: its children go on the stack. May be called for the same task by several
    /// workers; what it changes beyond the stack, [`Work::undo`] changes back, unless each of these calls
    /// would change it to the same. Where the children do not fit, the task is executed again, and must
    /// find the same.
    fn execute(
        &mut self,
        task: &Self::Task,
        children: &mut Stack<'_, Self::Task>,
    ) -> Result<Self::Outcome, Full>;

    /// The task was this worker's: adds what it found to the result.
    fn commit(&mut self, task: &Self::Task, outcome: Self::Outcome);

    /// The task was another's: what executing it has changed is changed back. Tasks are undone in any
    /// order. Nothing to do where executing changes nothing.
    fn undo(&mut self, task: &Self::Task, outcome: Self::Outcome) {
        let _ = (task, outcome);
    }

    /// Executes and commits tasks from the top of the stack until there is none or `most` are done.
    /// The number that was done; where the stack is full, the tasks that are left are on it. Some
    /// kinds of tasks are faster many at a time.
    fn run(&mut self, stack: &mut Stack<'_, Self::Task>, most: u32) -> Result<u32, Full> {
        for done in 0..most {
            let Some(task) = stack.pop() else { return Ok(done) };
            let len = stack.len();
            match self.execute(&task, stack) {
                Ok(outcome) => self.commit(&task, outcome),
                Err(full) => {
                    stack.truncate(len);
                    stack.push(task)?;
                    return if done == 0 { Err(full) } else { Ok(done) };
                }
            }
        }
        Ok(most)
    }
}
