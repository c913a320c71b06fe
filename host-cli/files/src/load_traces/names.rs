//! Finds the files of a load trace by their names, `<stem>.<rank>.<form>`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::error::LoadTraceError;

/// The endings that the names of a load trace's files can have after the rank.
const ENDINGS: [&str; 6] = ["json", "json.br", "vom", "csv", "vom.br", "csv.br"];

/// A file's path with the stem and the rank that its name has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub path: PathBuf,
    pub stem: Option<String>,
    pub rank: Option<u32>,
}

/// Splits a name into stem and rank: `data.3.json` is rank 3 of `data`.
pub(super) fn named(path: &Path) -> Named {
    let name = path.file_name().map(|name| name.to_string_lossy());
    let parts = name.as_deref().and_then(apart);
    let (stem, rank) = parts.map(|(stem, rank)| (stem.to_owned(), rank)).unzip();
    Named { path: path.to_owned(), stem, rank }
}

/// Splits a file's name into stem and rank; `None` where it is not a trace's.
fn apart(name: &str) -> Option<(&str, u32)> {
    let ending = |ending| name.strip_suffix(ending)?.strip_suffix('.');
    let (stem, rank) = ENDINGS.into_iter().find_map(ending)?.rsplit_once('.')?;
    // A sign is no part of a rank.
    let is_number = rank.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !stem.is_empty()).then(|| Some((stem, rank.parse().ok()?)))?
}

/// Returns the stem of a load trace's file, or `None` where the file is not named as one.
pub fn stem_of(path: &Path) -> Option<String> {
    named(path).stem
}

/// Chooses the files of one trace among these; `stem` decides between several traces.
pub fn choose(mut paths: Vec<PathBuf>, stem: Option<&str>) -> Result<Vec<PathBuf>, LoadTraceError> {
    let files: Vec<Named> = paths.iter().map(|path| named(path)).collect();
    let stems: BTreeSet<&str> = files.iter().filter_map(|file| file.stem.as_deref()).collect();
    let listed = || stems.iter().map(ToString::to_string).collect();
    match stem {
        Some(stem) if !stems.contains(stem) => {
            Err(LoadTraceError::NoSuchStem { stem: stem.to_owned(), stems: listed() })
        }
        Some(stem) => {
            paths.retain(|path| named(path).stem.as_deref() == Some(stem));
            Ok(paths)
        }
        None if stems.len() > 1 => {
            let first = paths.first().and_then(|path| path.parent()).map(Path::to_owned);
            Err(LoadTraceError::Stems { folder: first.unwrap_or_default(), stems: listed() })
        }
        None => Ok(paths),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        for (name, parts) in [
            ("data.0.json", Some(("data", 0))),
            ("data.17.json.br", Some(("data", 17))),
            ("a.b.3.json", Some(("a.b", 3))),
            ("data.05.vom", Some(("data", 5))),
            (
                "synthetic-dataset-blocks-alpha0.0.json",
                Some(("synthetic-dataset-blocks-alpha0", 0)),
            ),
            ("rank_loads.csv", None),
            ("data.json", None),
            (".3.json", None),
            ("data.+3.json", None),
            ("data..json", None),
            ("data.4294967296.json", None),
            ("data.0.yaml", None),
            ("README", None),
        ] {
            assert_eq!(apart(name), parts, "{name}");
        }
    }

    #[test]
    fn one_trace_is_chosen() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let two = || paths(&["t/a.0.json", "t/a.1.json", "t/b.0.json"]);
        let message = choose(two(), None).unwrap_err().to_string();
        assert!(message.starts_with("t has files of 2 traces (a, b)"), "{message}");
        let message = choose(two(), Some("c")).unwrap_err().to_string();
        assert!(message.starts_with("c: ") && message.contains("a, b"), "{message}");
        assert_eq!(choose(two(), Some("a")).unwrap(), paths(&["t/a.0.json", "t/a.1.json"]));
        let files = paths(&["b.0.json", "other.json"]);
        assert_eq!(choose(files.clone(), None).unwrap(), files);
    }
}
