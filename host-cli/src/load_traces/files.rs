//! Which files are a load trace: their names, `<stem>.<rank>.<form>`.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use super::error::{Fault, Finding, LoadTraceError};

/// What the names of a load trace's files end with, after the rank.
const ENDINGS: [&str; 6] = ["json", "json.br", "vom", "csv", "vom.br", "csv.br"];

/// The file of one rank, as far as its name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub path: PathBuf,
    pub stem: Option<String>,
    pub rank: Option<u32>,
}

/// Takes a name apart: `data.3.json` is rank 3 of `data`.
pub(super) fn named(path: &Path) -> Named {
    let name = path.file_name().map(|name| name.to_string_lossy());
    let parts = name.as_deref().and_then(apart);
    let (stem, rank) = parts.map(|(stem, rank)| (stem.to_owned(), rank)).unzip();
    Named { path: path.to_owned(), stem, rank }
}

fn apart(name: &str) -> Option<(&str, u32)> {
    let ending = |ending| name.strip_suffix(ending)?.strip_suffix('.');
    let (stem, rank) = ENDINGS.into_iter().find_map(ending)?.rsplit_once('.')?;
    // A sign is no part of a rank.
    let is_number = rank.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && !stem.is_empty()).then(|| Some((stem, rank.parse().ok()?)))?
}

/// The paths of the files of one trace among `inputs`, which are folders and files; `stem` chooses
/// among several traces.
pub fn select(inputs: &[PathBuf], stem: Option<&str>) -> Result<Vec<PathBuf>, LoadTraceError> {
    Ok(chosen(inputs, stem)?.into_iter().map(|file| file.path).collect())
}

/// The same with what their names say.
pub(super) fn chosen(inputs: &[PathBuf], stem: Option<&str>) -> Result<Vec<Named>, LoadTraceError> {
    let mut files = Vec::new();
    for input in inputs {
        if input.is_dir() {
            files.extend(folder(input)?);
        } else {
            files.push(named(input));
        }
    }
    let stems: BTreeSet<&str> = files.iter().filter_map(|file| file.stem.as_deref()).collect();
    let listed = || stems.iter().map(ToString::to_string).collect();
    match stem {
        Some(stem) if !stems.contains(stem) => {
            Err(LoadTraceError::NoSuchStem { stem: stem.to_owned(), stems: listed() })
        }
        Some(stem) => {
            files.retain(|file| file.stem.as_deref() == Some(stem));
            Ok(files)
        }
        None if stems.len() > 1 => {
            let first = files.first().and_then(|file| file.path.parent()).map(Path::to_owned);
            Err(LoadTraceError::Stems { folder: first.unwrap_or_default(), stems: listed() })
        }
        None => Ok(files),
    }
}

/// The files of a folder that are named as those of a load trace.
fn folder(path: &Path) -> Result<Vec<Named>, LoadTraceError> {
    let unreadable = |error| {
        let fault = Fault::Unreadable(error);
        LoadTraceError::Finding(Finding { path: path.to_owned(), place: String::new(), fault })
    };
    let entries: Vec<_> =
        path.read_dir().and_then(Iterator::collect::<io::Result<_>>).map_err(unreadable)?;
    let mut files: Vec<Named> = entries.iter().map(|entry| named(&entry.path())).collect();
    files.retain(|file| file.stem.is_some());
    // The system lists them in any order.
    files.sort_by(|one, other| one.path.cmp(&other.path));
    if files.is_empty() { Err(LoadTraceError::NoFiles(path.to_owned())) } else { Ok(files) }
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
        let root = tempfile::tempdir().unwrap();
        for name in ["a.0.json", "a.1.json", "b.0.json", "notes.txt"] {
            std::fs::write(root.path().join(name), b"{}").unwrap();
        }
        let inputs = [root.path().to_owned()];
        let message = chosen(&inputs, None).unwrap_err().to_string();
        assert!(message.contains("a, b") && message.contains("--stem a"), "{message}");
        let message = chosen(&inputs, Some("c")).unwrap_err().to_string();
        assert!(message.contains("--stem c") && message.contains("a, b"), "{message}");
        let ranks = |files: Vec<Named>| files.iter().map(|file| file.rank).collect::<Vec<_>>();
        assert_eq!(ranks(chosen(&inputs, Some("a")).unwrap()), [Some(0), Some(1)]);
        let files = ["b.0.json", "other.json"].map(|name| root.path().join(name));
        assert_eq!(ranks(chosen(&files, None).unwrap()), [Some(0), None]);
        let empty = tempfile::tempdir().unwrap();
        assert!(matches!(chosen(&[empty.path().into()], None), Err(LoadTraceError::NoFiles(_))));
    }
}
