//! Parts of one's own across ranks, by `host-mpi/examples/own_parts.rs`: what they come to is what
//! they come to on threads.

use std::process::Output;

use tresse_tests::program::example;

/// Runs the program on ranks; 0 of them are threads. The output is none where there is no MPI.
fn run(ranks: u32, arguments: &str) -> Option<Output> {
    let program = example("tresse-mpi", "own_parts");
    let mut command = if ranks == 0 {
        std::process::Command::new(program)
    } else {
        tresse_mpi_tests::ranks(&tresse_mpi_tests::mpirun()?, ranks, 120, &program)
    };
    Some(command.args(arguments.split_whitespace()).output().unwrap())
}

/// Returns the parts of all ranks in the order of their numbers: updates, and units as bits.
fn parts(output: &Output) -> Vec<(u64, Vec<f64>)> {
    let said = String::from_utf8_lossy(&output.stdout);
    let mut parts: Vec<_> = said
        .lines()
        .filter_map(|line| {
            let (id, rest) = line.strip_prefix("part ")?.split_once(": ")?;
            let (updates, units) = rest.split_once(" updates ")?;
            let bits = units.split_whitespace().map(|bits| u64::from_str_radix(bits, 16).unwrap());
            let units: Vec<_> = bits.map(f64::from_bits).collect();
            Some((id.parse::<u32>().unwrap(), (updates.parse().unwrap(), units)))
        })
        .collect();
    parts.sort_by_key(|(id, _)| *id);
    let ids: Vec<_> = parts.iter().map(|(id, _)| *id).collect();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(ids, (0..12).collect::<Vec<_>>(), "{said}{error}");
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Returns the transfers that the first rank reports.
fn transfers(output: &Output) -> u64 {
    let said = String::from_utf8_lossy(&output.stdout);
    let line = said.lines().find(|line| line.starts_with("rank 0: ")).unwrap();
    let number = line.rsplit(", ").next().and_then(|rest| rest.split(' ').next());
    number.and_then(|number| number.parse().ok()).unwrap()
}

#[test]
fn without_staleness_they_have_the_bits_of_threads() {
    for mode in ["sync", "exact"] {
        let on_threads = parts(&run(0, &format!("{mode} 4 3 60 none threads")).unwrap());
        assert!(on_threads.iter().all(|(updates, _)| *updates == 60));
        for (ranks, access) in [(1, ""), (2, ""), (2, "get"), (4, "get")] {
            let Some(output) = run(ranks, &format!("{mode} 4 3 60 none {access}")) else { return };
            assert_eq!(parts(&output), on_threads, "{mode} on {ranks} ranks {access}");
        }
    }
}

/// How far a unit of a run that has converged may be from that of another.
const FAR: f64 = 1e-10;

/// However long a rank is stopped: a run ends by the residual of all, not by its own sweeps.
#[test]
fn those_that_move_come_to_the_same_point() {
    let on_threads = parts(&run(0, "sync 4 3 1e-14 none threads").unwrap());
    for (ranks, mode, access) in
        [(2, "async", ""), (2, "ssync:2", "get"), (4, "async", "get"), (4, "ssync:1", "")]
    {
        let arguments = format!("{mode} 4 3 1e-14 chaos:{ranks} {access}");
        let Some(output) = run(ranks, &arguments) else { return };
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(said.matches(": converged, ").count(), ranks as usize, "{arguments}: {said}");
        assert!(transfers(&output) > 0, "{arguments}");
        for ((_, own), (_, expected)) in parts(&output).into_iter().zip(&on_threads) {
            let errors = own.iter().zip(expected).map(|(own, expected)| (own - expected).abs());
            let error = errors.fold(0.0, f64::max);
            assert!(error < FAR, "{arguments}: {error:e}");
        }
    }
}

/// Far from the solution: only that schedule leads to these bits.
#[test]
fn what_ranks_have_recorded_is_made_again_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("run.tresse").display().to_string();
    for (ranks, arguments) in [
        (1, "async 4 3 300 none"),
        (2, "sync 4 3 60 none"),
        (2, "async 4 3 1e-6 chaos:2 get"),
        (4, "ssync:2 4 3 1e-6 chaos:4"),
        (4, "async 4 3 1e-6 chaos:4"),
    ] {
        let Some(output) = run(ranks, &format!("{arguments} record={file}")) else { return };
        let left = parts(&output);
        let again = run(0, &format!("{arguments} threads replays={file}")).unwrap();
        let said = String::from_utf8_lossy(&again.stdout).into_owned();
        let sweeps: u64 = left.iter().map(|(updates, _)| updates).sum();
        assert!(
            said.starts_with(&format!("equal: true, {sweeps} sweeps\n")),
            "{arguments}: {said}"
        );
        for ((updates, units), (again, replayed)) in left.iter().zip(&parts(&again)) {
            assert_eq!((updates, units), (again, replayed), "{arguments}");
        }
        let beside = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(beside, 1, "the parts of the ranks are gone");
    }
}

#[test]
fn a_recording_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved").display().to_string();
    assert!(run(0, &format!("sync 4 3 9 none threads save={path}")).unwrap().status.success());
    let file = folder.path().join("run.tresse").display().to_string();
    for (words, message) in [
        ("record=/dev/null/run.tresse".into(), "cannot be written"),
        ("record=/dev/stdout".into(), "is no regular file"),
        (format!("from={path} record={file}"), "cannot be recorded"),
    ] {
        let Some(output) = run(2, &format!("sync 4 3 9 none get {words}")) else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(message), "{words}: {said}");
    }
}

/// What was saved on any number of threads or ranks is gone on with on any other.
#[test]
fn what_was_saved_is_gone_on_with_elsewhere() {
    for mode in ["sync", "exact"] {
        let expected = parts(&run(0, &format!("{mode} 4 3 60 none threads")).unwrap());
        for saving in [0, 2] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("saved").display().to_string();
            let words = |ranks| if ranks == 0 { "threads" } else { "get" };
            let first = format!("{mode} 4 3 30 none {} save={path}", words(saving));
            let Some(first) = run(saving, &first) else { return };
            assert!(parts(&first).iter().all(|(updates, _)| *updates == 30), "{first:?}");
            for ranks in [0, 1, 4] {
                let rest = format!("{mode} 4 3 60 none {} from={path}", words(ranks));
                let rest = run(ranks, &rest).unwrap();
                assert_eq!(parts(&rest), expected, "{mode} {saving} {ranks}");
            }
        }
    }
}

#[test]
fn what_was_saved_while_parts_move_leads_to_the_same_point() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved").display().to_string();
    let Some(first) = run(4, &format!("async 4 3 1e-14 chaos:4 save={path}")) else { return };
    assert!(first.status.success(), "{first:?}");
    for (ranks, how) in [(2, "ssync:2 4 3 1e-14 chaos:2 get"), (0, "async 4 3 1e-14 none threads")]
    {
        let rest = run(ranks, &format!("{how} from={path}")).unwrap();
        assert!(are_there(&rest), "{how}: {rest:?}");
    }
}

/// Returns whether all parts are where those of threads are.
fn are_there(output: &Output) -> bool {
    let on_threads = parts(&run(0, "sync 4 3 1e-14 none threads").unwrap());
    parts(output).into_iter().zip(&on_threads).all(|((_, own), (_, expected))| {
        own.iter().zip(expected).all(|(own, expected)| (own - expected).abs() < FAR)
    })
}

#[test]
fn a_rank_that_is_stopped_for_a_while_is_waited_for() {
    for arguments in ["sync 4 3 1e-14 none", "async 4 3 1e-14 chaos:4 get"] {
        let Some(output) = run(4, &format!("{arguments} stops")) else { return };
        assert!(output.status.success() && are_there(&output), "{arguments}: {output:?}");
    }
}

#[test]
fn a_rank_that_is_killed_ends_all_and_what_was_saved_is_gone_on_with() {
    for arguments in ["sync 4 3 1e-14 none", "async 4 3 1e-14 chaos:4 get"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("saved").display().to_string();
        let Some(killed) = run(4, &format!("{arguments} dies save={path}")) else { return };
        // `timeout` would say 124.
        assert!(!killed.status.success() && killed.status.code() != Some(124), "{killed:?}");
        let rest = run(2, &format!("{arguments} from={path}")).unwrap();
        assert!(rest.status.success() && are_there(&rest), "{arguments}: {rest:?}");
    }
}

#[test]
fn what_cannot_be_gone_on_with_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved").display().to_string();
    assert!(run(0, &format!("sync 4 3 9 none threads save={path}")).unwrap().status.success());
    for (words, message) in [
        (format!("none from={path}/nothing"), "cannot be read"),
        (format!("none from={path} refuses"), "has a part 3 that this program does not unpack"),
        ("none refuses".to_owned(), "part 3 does not unpack what it has packed"),
        (format!("none save={path}"), "it has checkpoints of another run"),
    ] {
        for (ranks, host) in [(0, "threads"), (2, "get")] {
            let Some(output) = run(ranks, &format!("sync 4 3 9 {words} {host}")) else { return };
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains(message), "{ranks}: {said}");
        }
    }
}

#[test]
fn a_communicator_may_be_a_part_of_all() {
    let Some(output) = run(4, "sync 2 6 60 none half") else { return };
    assert!(output.status.success(), "{output:?}");
    let on_threads = run(0, "sync 2 6 60 none threads").unwrap();
    let lines = |output: &Output| {
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut lines: Vec<_> =
            said.lines().filter(|line| line.starts_with("part")).map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let twice = lines(&on_threads).into_iter().flat_map(|line| [line.clone(), line]);
    assert_eq!(lines(&output), twice.collect::<Vec<_>>());
}

#[test]
fn what_is_wrong_is_named_and_nothing_is_lost() {
    // A part that panics ends all ranks with its message.
    let Some(output) = run(2, "async 4 3 100000000 chaos:1 panics") else { return };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("part 3 has had enough"), "{said}");
    assert_ne!(output.status.code(), Some(124), "it took too long: {said}");
    // One that has grown beyond what there is room for stays where it is.
    let output = run(2, "ssync:1 4 3 2000 chaos:1 grows").unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("part 3 stays here"), "{said}");
    assert!(parts(&output).iter().all(|(updates, _)| *updates >= 1990) && transfers(&output) > 0);
    // Ranks that were given different runs make none.
    let output = run(2, "async 4 3 10 none differs").unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("ranks disagree on"), "{said}");
    // Twelve parts are not twenty.
    let output = run(2, "async 4 5 10 none").unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success()
            && said.contains("there are 12 parts, and the workers have 20 together"),
        "{said}"
    );
}

#[test]
fn boxes_converge_on_ranks() {
    let Some(mpirun) = tresse_mpi_tests::mpirun() else { return };
    let program = example("tresse-mpi", "boxes_on_ranks");
    for ranks in [1, 2, 4] {
        let output = tresse_mpi_tests::ranks(&mpirun, ranks, 120, &program).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = said.lines().filter_map(|line| {
            assert!(line.contains(": converged, error "), "{line}");
            line.rsplit(' ').next()?.parse::<f64>().ok()
        });
        let errors: Vec<_> = errors.collect();
        assert!(
            errors.len() == ranks as usize && errors.iter().all(|error| *error < 1e-6),
            "{said}"
        );
    }
}
