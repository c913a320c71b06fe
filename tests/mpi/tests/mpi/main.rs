//! `tresse-mpi` under the `mpirun` of this machine, or of `MPIRUN`: its solutions, its moves, its
//! files, and what it does when ranks, hosts, disks and people fail it.
//!
//! One job runs at a time, each under a limit of time that turns what hangs into a failure. Without
//! an `mpirun` everything here is skipped, which fails in CI.

#![cfg_attr(
    test,
    expect(
        clippy::float_cmp,
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        clippy::case_sensitive_file_extension_comparisons,
        clippy::unnecessary_wraps,
        reason = "JSON has counts as doubles, which are exact; tests end with the same type"
    )
)]

#[cfg(test)]
mod baseline;
#[cfg(test)]
mod checkpoints;
#[cfg(test)]
mod compare;
#[cfg(test)]
mod failures;
#[cfg(test)]
mod falling;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod launcher;
#[cfg(test)]
mod matrices;
#[cfg(test)]
mod moves;
#[cfg(test)]
mod multigrid;
#[cfg(test)]
mod multigrid_checkpoints;
#[cfg(test)]
mod oracles;
#[cfg(test)]
mod outputs;
#[cfg(test)]
mod own_examples;
#[cfg(test)]
mod own_parts;
#[cfg(test)]
mod pool;
#[cfg(test)]
mod processes;
#[cfg(test)]
mod recordings;
#[cfg(test)]
mod reports;
#[cfg(test)]
mod two_hosts;
#[cfg(test)]
mod version_residuals;
