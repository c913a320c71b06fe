//! Words the errors of load traces and of their balancers for a person: which flag is meant, what
//! is wrong, and what to do.

use tresse_core::balance::grapevine;
use tresse_files::load_traces::generate::SetupError;
use tresse_files::load_traces::{Inexpressible, LoadTraceError};

/// Words the error about parameters of Grapevine that are out of their bounds, or do not go
/// together.
pub fn grapevine(error: grapevine::ConfigError) -> String {
    use grapevine::ConfigError as Error;
    let (flags, mend) = match error {
        Error::Known => ("--tune knowledge", ""),
        Error::Fanout => ("--tune fanout", ""),
        Error::Rounds => ("--tune rounds", ""),
        Error::Attempts => ("--tune attempts", ""),
        Error::Trials => ("--trials", ""),
        Error::LastOfTrials => ("--trials with --tune keep=last", ": leave one of them out"),
        Error::Threshold => ("--tune threshold", ""),
        Error::SenderLoad => (
            "--tune sender-load=at-turn with --tune knowledge=gossiped",
            ": leave it out, or use --tune knowledge=live",
        ),
        Error::Exchange => {
            ("--tune exchange=yes with --tune refuse=no", ", with --tune refuse=yes")
        }
    };
    format!("{flags}: {error}{mend}")
}

/// Words the error about a load trace that cannot be read.
pub fn load_trace(error: &LoadTraceError) -> String {
    match error {
        LoadTraceError::Stems { folder, stems } => {
            let stem = stems.first().map_or("", String::as_str);
            let files = folder.join(stem);
            format!(
                "{error}, as in `{} --stem {stem}`, or give its files, as in `{}.*`",
                folder.display(),
                files.display()
            )
        }
        LoadTraceError::NoSuchStem { .. } => format!("--stem {error}"),
        _ => error.to_string(),
    }
}

/// Words the error about a load trace that the comma-separated form cannot hold.
pub fn inexpressible(error: &Inexpressible) -> String {
    format!("--csv: {error}: write JSON instead")
}

/// Words the error about a load trace that cannot be drawn.
pub fn setup(error: SetupError) -> String {
    match error {
        SetupError::On { on, processors } => format!(
            "--on {on} is more than --processors {processors}: objects can be on as many at most; \
             lower --on"
        ),
        SetupError::Phases { phases, most } => {
            format!("--phases {phases} is more than {most} phases: lower it")
        }
        SetupError::Drift => "--drift must be a share from 0 to below 1, such as 0.1".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_host_names_flags() {
        let (folder, stems) = ("t".into(), vec!["a".to_owned(), "b".to_owned()]);
        let traces = [
            LoadTraceError::Stems { folder, stems: stems.clone() },
            LoadTraceError::NoSuchStem { stem: "c".into(), stems },
        ];
        let lines = [
            Inexpressible::NoObject { rank: 1, phase: 2 },
            Inexpressible::SameNumber { phase: 2, number: 3 },
        ];
        let setups = [
            SetupError::On { on: 5, processors: 4 },
            SetupError::Phases { phases: 9, most: 8 },
            SetupError::Drift,
        ];
        let texts = traces
            .map(|error| (error.to_string(), load_trace(&error)))
            .into_iter()
            .chain(lines.map(|error| (error.to_string(), inexpressible(&error))))
            .chain(setups.map(|error| (error.to_string(), setup(error))));
        for (plain, host) in texts {
            assert!(!plain.contains("--") && !plain.contains('\n'), "{plain}");
            assert!(host.contains("--") && !host.contains('\n'), "{host}");
        }
    }

    #[test]
    fn load_traces_are_told_by_their_stems() {
        let stems = || vec!["a".to_owned(), "b".to_owned()];
        let several = LoadTraceError::Stems { folder: "t".into(), stems: stems() };
        assert_eq!(
            load_trace(&several),
            "t has files of 2 traces (a, b): choose one of them, as in `t --stem a`, or give its \
             files, as in `t/a.*`"
        );
        let none = LoadTraceError::NoSuchStem { stem: "c".into(), stems: stems() };
        assert_eq!(load_trace(&none), "--stem c: no such files are there; the stems are: a, b");
    }
}
