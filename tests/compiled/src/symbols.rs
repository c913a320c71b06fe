//! Reads the references of compiled functions from the objects of an `.rlib`.

mod wasm;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::ffi::OsStr;
use std::path::Path;

use object::read::archive::ArchiveFile;
use object::{
    File, Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionIndex, SectionKind,
};

/// References from function to function, by symbol.
#[derive(Default)]
pub struct References(BTreeMap<String, BTreeSet<String>>);

impl References {
    /// Adds what the objects of an archive define and refer to.
    pub fn read(&mut self, rlib: &Path) -> Result<Vec<String>, Box<dyn Error>> {
        let bytes = std::fs::read(rlib)?;
        let mut users = Vec::new();
        for member in ArchiveFile::parse(bytes.as_slice())?.members() {
            let member = member?;
            let name = String::from_utf8_lossy(member.name()).into_owned();
            if Path::new(&name).extension() == Some(OsStr::new("o")) {
                let object = member.data(bytes.as_slice())?;
                users.extend(if object.starts_with(b"\0asm") {
                    self.add_wasm(&name, object)?
                } else {
                    self.add(&name, &File::parse(object)?)?
                });
            }
        }
        Ok(users)
    }

    fn add_wasm(&mut self, name: &str, object: &[u8]) -> Result<Vec<String>, Box<dyn Error>> {
        let mut users = Vec::new();
        for defined in wasm::read(name, object)? {
            self.0.entry(defined.name.clone()).or_default().extend(defined.refers_to);
            users.extend(defined.is_function.then_some(defined.name));
        }
        Ok(users)
    }

    fn add(&mut self, name: &str, object: &File) -> Result<Vec<String>, Box<dyn Error>> {
        // One function a section: a section is named by the function that it holds.
        let label = |index: SectionIndex| -> Option<String> {
            let defined = |symbol: &object::Symbol<'_, '_>| {
                symbol.section_index() == Some(index) && symbol.is_definition()
            };
            let function = object.symbols().find(defined);
            let named = function.and_then(|symbol| symbol.name().ok().map(str::to_owned));
            named.or_else(|| Some(format!("{name}#{}", index.0)))
        };
        // A function that is the same as another one is a second name of that.
        for symbol in object.symbols().filter(ObjectSymbol::is_definition) {
            let first = symbol.section_index().and_then(label);
            if let (Some(first), Ok(name)) = (first, symbol.name())
                && first != name
            {
                self.0.entry(name.to_owned()).or_default().insert(first);
            }
        }
        let mut users = Vec::new();
        for section in object.sections() {
            let kept = matches!(
                section.kind(),
                SectionKind::Text
                    | SectionKind::Data
                    | SectionKind::ReadOnlyData
                    | SectionKind::ReadOnlyDataWithRel
                    | SectionKind::ReadOnlyString
                    | SectionKind::UninitializedData
            );
            let Some(user) = label(section.index()).filter(|_| kept) else { continue };
            let referred = self.0.entry(user.clone()).or_default();
            for (_, relocation) in section.relocations() {
                if let RelocationTarget::Symbol(target) = relocation.target() {
                    let target = object.symbol_by_index(target)?;
                    let symbol = target.name().ok().filter(|name| !name.is_empty());
                    referred.extend(match target.section_index() {
                        Some(index) => label(index),
                        None => symbol.map(str::to_owned),
                    });
                }
            }
            if section.kind() == SectionKind::Text {
                users.push(user);
            }
        }
        Ok(users)
    }

    /// Returns every symbol that is reachable from `roots` and not defined in what was read, with
    /// the function that refers to it.
    pub fn reached_outside(&self, roots: &[String]) -> BTreeSet<(String, String)> {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut outside = BTreeSet::new();
        let mut waiting: Vec<&str> = roots.iter().map(String::as_str).collect();
        while let Some(user) = waiting.pop() {
            for symbol in self.0.get(user).into_iter().flatten() {
                if !self.0.contains_key(symbol) {
                    outside.insert((user.to_owned(), symbol.clone()));
                } else if seen.insert(symbol) {
                    waiting.push(symbol);
                }
            }
        }
        outside
    }
}
