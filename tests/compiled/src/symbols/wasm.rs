//! Reads the functions and data of a WebAssembly object, and their references.

use std::collections::BTreeSet;
use std::ops::Range;

use wasmparser::{
    KnownCustom, Linking, Parser, Payload, RelocationType, Result, SymbolFlags, SymbolInfo, TypeRef,
};

/// A function or a piece of data that an object defines.
pub(super) struct Defined {
    pub name: String,
    pub is_function: bool,
    pub refers_to: BTreeSet<String>,
    /// Place of the bytes in the object.
    place: Range<usize>,
}

/// The sections of an object.
#[derive(Default)]
struct Sections {
    /// Names of the functions that are not defined here, which are counted first.
    imported: Vec<String>,
    /// Places of the functions and of the pieces of data that are defined here.
    functions: Vec<Range<usize>>,
    segments: Vec<usize>,
    /// Origins of the places that relocations of functions and of data name.
    code: usize,
    data: usize,
    /// Symbols by the numbers in relocations; `None` for a symbol that is neither function nor
    /// data.
    symbols: Vec<Option<String>>,
    defined: Vec<Defined>,
}

/// Returns the functions and data that an object defines; `object` distinguishes names that are
/// private to it.
pub(super) fn read(object: &str, bytes: &[u8]) -> Result<Vec<Defined>> {
    let mut sections = Sections::default();
    // References follow what they are in.
    for payload in Parser::new(0).parse_all(bytes) {
        sections.add(object, payload?)?;
    }
    Ok(sections.defined)
}

impl Sections {
    fn add(&mut self, object: &str, payload: Payload<'_>) -> Result<()> {
        match payload {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    let import = import?;
                    if matches!(import.ty, TypeRef::Func(_)) {
                        self.imported.push(import.name.to_owned());
                    }
                }
            }
            Payload::CodeSectionStart { range, .. } => self.code = range.start,
            Payload::CodeSectionEntry(body) => self.functions.push(body.range()),
            Payload::DataSection(segments) => {
                self.data = segments.range().start;
                for segment in segments {
                    let segment = segment?;
                    self.segments.push(segment.range.end - segment.data.len());
                }
            }
            Payload::CustomSection(section) => match section.as_known() {
                KnownCustom::Linking(linking) => {
                    for subsection in linking.subsections() {
                        if let Linking::SymbolTable(symbols) = subsection? {
                            for symbol in symbols {
                                self.add_symbol(object, symbol?);
                            }
                        }
                    }
                }
                KnownCustom::Reloc(relocations) => {
                    let start = match section.name() {
                        "reloc.CODE" => self.code,
                        "reloc.DATA" => self.data,
                        _ => return Ok(()),
                    };
                    for entry in relocations.entries() {
                        let entry = entry?;
                        if entry.ty != RelocationType::TypeIndexLeb {
                            self.refer(start + entry.offset as usize, entry.index as usize);
                        }
                    }
                }
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn add_symbol(&mut self, object: &str, symbol: SymbolInfo<'_>) {
        let (flags, name, place, is_function) = match symbol {
            SymbolInfo::Func { flags, index, name } => {
                let index = index as usize;
                let imported = self.imported.get(index).map(String::as_str);
                let place = index.checked_sub(self.imported.len());
                let place = place.and_then(|index| self.functions.get(index)).cloned();
                (flags, name.or(imported).unwrap_or_default(), place, true)
            }
            SymbolInfo::Data { flags, name, symbol } => {
                let place = symbol.and_then(|symbol| {
                    let start = self.segments.get(symbol.index as usize)? + symbol.offset as usize;
                    Some(start..start + symbol.size as usize)
                });
                (flags, name, place, false)
            }
            _ => return self.symbols.push(None),
        };
        let is_own = flags.contains(SymbolFlags::BINDING_LOCAL);
        let name = if is_own { format!("{object}#{name}") } else { name.to_owned() };
        self.symbols.push(Some(name.clone()));
        if let Some(place) = place {
            self.defined.push(Defined { name, is_function, refers_to: BTreeSet::new(), place });
        }
    }

    /// Notes that the bytes at `place` refer to a symbol.
    fn refer(&mut self, place: usize, symbol: usize) {
        if let Some(Some(symbol)) = self.symbols.get(symbol) {
            let users = self.defined.iter_mut().filter(|user| user.place.contains(&place));
            users.for_each(|user| _ = user.refers_to.insert(symbol.clone()));
        }
    }
}
