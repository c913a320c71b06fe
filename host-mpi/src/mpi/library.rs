//! The MPI library and its version.

use core::fmt;

/// A library that this program knows, and its major version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// Family of the library.
    pub family: Family,
    /// Major version, such as 4 of 4.1.4.
    pub major: u32,
}

/// The libraries with an interface of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Open MPI.
    OpenMpi,
    /// MPICH itself; libraries derived from it have other names.
    Mpich,
}

impl Library {
    /// Finds the library in its own description; returns `None` if it is neither of these.
    ///
    /// They begin with `Open MPI v4.1.4, package: …` and `MPICH Version:      4.0.2`.
    pub fn from_description(description: &str) -> Option<Self> {
        let known = [(Family::OpenMpi, "Open MPI v"), (Family::Mpich, "MPICH Version:")];
        known.into_iter().find_map(|(family, start)| {
            let version = description.strip_prefix(start)?.trim_start();
            let (major, _) = version.split_once('.')?;
            Some(Self { family, major: major.parse().ok()? })
        })
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.family {
            Family::OpenMpi => "Open MPI",
            Family::Mpich => "MPICH",
        };
        write!(f, "{name} {}", self.major)
    }
}

/// Returns the library's name and version out of its description, for a line of output.
pub fn short(description: &str) -> String {
    let line = description.lines().next().unwrap_or_default();
    let name = line.split_once(',').map_or(line, |(name, _)| name);
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_their_descriptions() {
        let open = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4";
        let mpich = "MPICH Version:      4.0.2\nMPICH Release date: Thu Apr  7 12:34:45 CDT 2022\n";
        let family = |text| Library::from_description(text).map(|it| (it.family, it.major));
        assert_eq!(family(open), Some((Family::OpenMpi, 4)));
        assert_eq!(family(mpich), Some((Family::Mpich, 4)));
        assert_eq!(family("Intel(R) MPI Library 2021.8 for Linux* OS"), None);
        assert_eq!(family("Open MPI v"), None);
        assert_eq!(short(open), "Open MPI v4.1.4");
        assert_eq!(short(mpich), "MPICH Version: 4.0.2");
        assert_eq!(short(""), "");
    }
}
