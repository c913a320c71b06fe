//! The program, driven as a user drives it: flags, files, signals and pipes in; exit codes, reports
//! and files out. Nothing here is timed; a watchdog turns what hangs into a failure.

#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod bad_problems;
#[cfg(test)]
mod balance;
#[cfg(test)]
mod checkpoints;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod consistency;
#[cfg(test)]
mod ends;
#[cfg(test)]
mod figures;
#[cfg(test)]
mod files;
mod flags;
#[cfg(test)]
mod fluxes;
#[cfg(test)]
mod full_disk;
#[cfg(test)]
mod interrupts;
#[cfg(test)]
mod json_output;
#[cfg(test)]
mod masks;
#[cfg(test)]
mod matrix;
mod multigrid;
#[cfg(test)]
mod outputs;
#[cfg(test)]
mod pipes;
#[cfg(test)]
mod posed;
#[cfg(test)]
mod problems;
#[cfg(test)]
mod program;
#[cfg(test)]
mod progress;
#[cfg(test)]
mod recordings;
#[cfg(test)]
mod reproduce;
#[cfg(test)]
mod simulate;
#[cfg(test)]
mod solve;
#[cfg(test)]
mod terminal;
#[cfg(test)]
mod tools;
#[cfg(test)]
mod traces;
#[cfg(test)]
mod traverse;
#[cfg(test)]
mod uts;
#[cfg(test)]
mod uts_results;
#[cfg(test)]
mod wakes;
