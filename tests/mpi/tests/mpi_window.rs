//! Ranks read and write each other's memory, under the MPI that is installed.

use tresse_tests::program::example;

/// `host-mpi/examples/window_check.rs` has the checks.
#[test]
fn ranks_share_windows() {
    let Some(mpirun) = tresse_mpi_tests::mpirun() else { return };
    let program = example("tresse-mpi", "window_check");
    for ranks in [1, 2, 4] {
        let output = tresse_mpi_tests::ranks(&mpirun, ranks, 120, &program).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let checks = said.lines().filter(|line| line.ends_with(": passed")).count();
        assert!(
            output.status.success() && checks == 13,
            "{ranks} ranks: {}: {said}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// A failure on one rank ends all, and is seen from outside.
#[test]
fn a_rank_that_fails_ends_the_others() {
    let Some(mpirun) = tresse_mpi_tests::mpirun() else { return };
    let program = example("tresse-mpi", "window_check");
    let output = tresse_mpi_tests::ranks(&mpirun, 2, 60, &program).arg("--fail").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let expected = "rank 1: a failure: [2], not [3]";
    assert!(!output.status.success() && said.contains(expected), "{}: {said}", output.status);
    assert_ne!(output.status.code(), Some(124), "it took too long: {said}");
}
