//! The residuals of versions that the first rank knows in the exact mode while all ranks go on; and
//! that nobody is halted for one but at the end.

use tresse::engine::threads::Activity;
use tresse::files::recording::What;
use tresse_core::run::Precision;
use tresse_tests::output_files::table;
use tresse_tests::problems::Failure;
use tresse_tests::reference::Reference;

use crate::launcher::{Mpi, number};
use crate::oracles::{Posed, assert_same, serial};
use crate::recordings::events;

#[test]
fn ranks_know_the_serial_residuals_and_halt_once() -> Result<(), Failure> {
    let Some(mpi) = Mpi::find() else { return Ok(()) };
    let posed = Posed::random(17, (83, 71))?;
    for (ranks, flags) in [
        (2, "--workers 1"),
        (3, "--workers 1 --halo get"),
        (2, "--workers 2 --always-help"),
        (4, "--workers 1 --imbalance 0.4"),
    ] {
        let line = format!("{flags} --mode exact --tolerance 1e-4 --relative-to start");
        let path = posed.folder.path().join("run.tresse");
        let report = posed.job(&mpi, ranks, &line).arg("--record").arg(&path).object(0);
        assert_eq!(report["end"], "converged", "{line}");
        let last = number(&report, "/iterations") as u64;
        assert_same(&posed.field(Precision::F64), &serial::<f64>(&posed.problem, last), &line);

        // One look at a consistent state as the run begins, and one for each halt; a worker that
        // comes late finds that others of its rank have looked.
        let (recording, tracks) = events(&path);
        let looks = tracks.iter().take(recording.head().cores.len()).map(|events| {
            events.iter().filter(|event| event.what == What::Did(Activity::Verification)).count()
        });
        let looks: Vec<_> = looks.collect();
        assert!(looks.iter().all(|&looks| looks <= 2), "{line}: {looks:?}");
        assert!(looks.iter().sum::<usize>() >= 2 * ranks as usize, "{line}: {looks:?}");

        let mut reference = Reference::<f64>::new(&posed.problem);
        let residuals: Vec<_> = (0..=last)
            .map(|_| {
                let residual = reference.residual();
                reference.sweep();
                residual
            })
            .collect();
        let is_of = |residual: f64, version: f64| {
            let of_it = residuals[version as usize] / residuals[0];
            (residual / of_it - 1.0).abs() < 1e-9
        };
        let (names, rows) = table(&posed.out().join("history.csv"));
        let column = |name| names.iter().position(|other| other == name).ok_or("no such column");
        let [residual, version] = [column("residual")?, column("residual_at")?];
        // None at the very moment at which another one becomes known.
        let known = rows.iter().filter_map(|row| row[residual].zip(row[version]));
        let known: Vec<_> = known.collect();
        assert!(known.iter().all(|(residual, at)| is_of(*residual, *at)), "{line}: {known:?}");
        // What was found before the halt is the residual of a version as well, and good enough.
        let detected = number(&report, "/residual/detected") / residuals[0];
        assert!(detected <= 1e-4, "{line}: {detected}");
        assert!((0..=last).any(|at| is_of(detected, at as f64)), "{line}: {detected}");
    }
    Ok(())
}
