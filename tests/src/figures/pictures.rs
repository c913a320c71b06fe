//! The pictures in README and the guides that virtual time makes.

use std::process::Command;
use std::{fs, io};

use tempfile::tempdir;
use tresse::report::plots::write_png;

use super::simulations::BRAID;
use super::{Failure, evaluations, in_repository};
use crate::program::TRESSE;

/// A picture.
#[derive(Debug)]
pub struct Picture {
    /// Path in the repository.
    pub file: &'static str,
    /// Page that shows it.
    pub page: &'static str,
    /// Arguments of the command line that makes it: parts, each of which is in the caption.
    pub command: &'static [&'static str],
    /// Its file in what that leaves, without the ending.
    stem: &'static str,
    /// What tests compare it with.
    made: Made,
}

/// How a picture is made.
#[derive(Debug)]
enum Made {
    /// By the command, which takes under a second: tests do so, too.
    ByTheCommand,
    /// From the committed runs of an evaluation, as the command would.
    FromRunsOf(&'static str),
}

/// All such pictures.
pub const PICTURES: [Picture; 3] = [
    Picture {
        file: "host-cli/examples/pictures/braid.png",
        page: "README.md",
        command: &[BRAID],
        stem: "braid",
        made: Made::ByTheCommand,
    },
    Picture {
        file: "host-cli/examples/pictures/no-braid.png",
        page: "README.md",
        command: &[BRAID, "--balance none"],
        stem: "braid",
        made: Made::ByTheCommand,
    },
    Picture {
        file: "host-cli/examples/pictures/table2.png",
        page: "README.md",
        command: &["reproduce plb-table2"],
        stem: "table2",
        made: Made::FromRunsOf("plb-table2"),
    },
];

impl Picture {
    /// Returns the picture, as it is made today.
    pub fn draw(&self) -> Result<Vec<u8>, Failure> {
        match self.made {
            Made::ByTheCommand => {
                let folder = tempdir()?;
                let mut command = Command::new(TRESSE.as_path());
                let words = self.command.iter().flat_map(|part| part.split(' '));
                let output = command.args(words).arg("--out").arg(folder.path()).output()?;
                if !output.status.success() {
                    return Err(String::from_utf8_lossy(&output.stderr).into());
                }
                Ok(fs::read(folder.path().join(self.stem).with_extension("png"))?)
            }
            Made::FromRunsOf(name) => {
                let runs = evaluations::committed_runs(name)?;
                let pictures = (evaluations::experiment(name).pictures)(&runs);
                let picture = pictures.iter().find(|(stem, _)| stem == self.stem);
                let (_, picture) = picture.ok_or(format!("{name} draws no {}", self.stem))?;
                let mut bytes = Vec::new();
                write_png(picture, &mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// Returns the committed picture.
    pub fn committed(&self) -> io::Result<Vec<u8>> {
        fs::read(in_repository(self.file))
    }

    /// Makes the picture anew.
    pub fn make(&self) -> Result<(), Failure> {
        Ok(fs::write(in_repository(self.file), self.draw()?)?)
    }
}
