//! The tasks of a pool, and the meaning of executing one.

use super::stack::{Full, Stack};

/// A kind of task and what a worker finds by executing its tasks.
///
/// Speculation executes a task before it is certain that it is this worker's to execute. What that
/// finds is therefore an outcome that is kept apart: it becomes part of the result by
/// [`Work::commit`], or is rolled back by [`Work::undo`]. A task's children are kept apart with it.
pub trait Work {
    /// A task, as it is handed from worker to worker.
    type Task: Copy + Default;
    /// Outcome of executing a task.
    type Outcome: Copy + Default;

    /// Executes a task: its children go on the stack. May be called for the same task by several
    /// workers; what it changes beyond the stack, [`Work::undo`] changes back, unless each of these
    /// calls would change it to the same. Where the children do not fit, the task is executed
    /// again, and must find the same.
    fn execute(
        &mut self,
        task: &Self::Task,
        children: &mut Stack<'_, Self::Task>,
    ) -> Result<Self::Outcome, Full>;

    /// Adds the outcome of a task, which was this worker's, to the result.
    fn commit(&mut self, task: &Self::Task, outcome: Self::Outcome);

    /// Changes back what executing a task, which was another's, has changed. Tasks are undone in
    /// any order. There is nothing to do where executing changes nothing.
    fn undo(&mut self, task: &Self::Task, outcome: Self::Outcome) {
        let _ = (task, outcome);
    }

    /// Executes and commits tasks from the top of the stack until there is none or `most` are done,
    /// and returns the number that was done; where the stack is full, the tasks that are left are
    /// on it. Some kinds of tasks are faster many at a time.
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
