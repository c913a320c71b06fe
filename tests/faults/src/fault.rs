//! The faults that are planted.

use std::path::PathBuf;

use serde::Deserialize;

use crate::gate::Gate;
use crate::tree::TreeError;

/// All faults.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Faults {
    /// Faults, in the order in which they are planted.
    pub fault: Vec<Fault>,
}

/// A change of one place that breaks something.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Description of the fault.
    pub name: String,
    /// The file, from the root of the repository.
    pub file: PathBuf,
    /// The text that is there once.
    pub from: String,
    /// Text that is planted instead.
    pub to: String,
    /// The tests that ought to notice, the quickest first.
    pub gates: Vec<Gate>,
}

impl Faults {
    /// Reads the table.
    pub fn read(text: &str) -> Result<Self, TreeError> {
        toml::from_str(text).map_err(TreeError::Table)
    }
}

impl Fault {
    /// Whether its name, its file or the text that it replaces has this word.
    pub fn mentions(&self, word: &str) -> bool {
        let file = self.file.to_string_lossy();
        [&self.name, &*file, &self.from].iter().any(|text| text.contains(word))
    }

    /// Returns a file with the fault in it.
    pub fn plant(&self, text: &str) -> Result<String, TreeError> {
        match text.matches(&self.from).count() {
            1 => Ok(text.replacen(&self.from, &self.to, 1)),
            places => Err(TreeError::Places { name: self.name.clone(), places }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a word that nobody has used is no success.
    #[test]
    fn faults_are_found_by_their_words() -> Result<(), TreeError> {
        let faults = Faults::read(include_str!("../faults.toml"))?;
        let of = |word| faults.fault.iter().filter(|fault| fault.mentions(word)).count();
        assert!(of("STUCK") > 0 && of("claim.rs") > 0 && of("helping: ") > 0);
        assert_eq!(of("no such fault"), 0);
        Ok(())
    }

    /// Checks that every fault can be planted, so that a change of its line changes the table as
    /// well.
    #[test]
    fn every_fault_can_be_planted() -> Result<(), TreeError> {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let faults = Faults::read(include_str!("../faults.toml"))?;
        assert!(faults.fault.len() >= 60);
        for fault in &faults.fault {
            let path = PathBuf::from(root).join(&fault.file);
            let text = std::fs::read_to_string(&path)
                .map_err(|source| TreeError::File { path, source })?;
            assert_ne!(fault.plant(&text)?, text, "{}", fault.name);
            assert!(!fault.gates.is_empty(), "{}", fault.name);
        }
        Ok(())
    }
}
