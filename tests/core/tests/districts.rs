//! The core's districts: imports go down only, as the table on the core's front page has them. And
//! some habits of all packages that ship.

#![expect(clippy::unwrap_used, reason = "without readable sources the tests fail")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Most modules of the core's top folder: the ten districts and `lib.rs`.
const MOST_MODULES: usize = 11;
/// Most columns of a comment.
const MOST_COLUMNS: usize = 100;
/// Most lines of a district's front page.
const MOST_LINES: usize = 30;

/// The districts, from the bottom, and which others each may name.
struct Order(Vec<(String, BTreeSet<String>)>);

impl Order {
    /// Reads the rows ``| [`district`] | what it is | `import` `import` |`` of a page.
    fn of(page: &str) -> Self {
        let rows = page.lines().filter_map(|line| line.strip_prefix("//! | [`"));
        let rows = rows.filter_map(|row| {
            row.split_once("`] | ")?.1.rsplit_once(" | ").map(|cut| (row, cut.1))
        });
        let districts = rows.map(|(row, last)| {
            let imports = last
                .trim_end_matches(" |")
                .split([' ', '`'])
                .filter(|name| !matches!(*name, "" | "–"));
            (row.split('`').next().unwrap_or(row).to_owned(), imports.map(str::to_owned).collect())
        });
        Self(districts.collect())
    }

    fn names(&self) -> BTreeSet<&str> {
        self.0.iter().map(|(name, _)| &**name).collect()
    }

    /// Returns what is named by a district and may not be.
    fn upward(&self, district: &str, source: &str) -> Vec<String> {
        let allowed = self.0.iter().find(|(name, _)| name == district).map(|(_, imports)| imports);
        let is_allowed =
            |name: &String| name == district || allowed.is_some_and(|all| all.contains(name));
        named(source).into_iter().filter(|name| !is_allowed(name)).collect()
    }
}

fn without_comments(source: &str) -> String {
    let lines = source.lines().map(|line| line.split("//").next().unwrap_or(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Whether a file at this depth, 1 in the top folder, climbs by `super` to the crate's root.
fn climbs_out(depth: usize, source: &str) -> bool {
    let code = without_comments(source);
    let has_inner = code.lines().any(|line| line.starts_with("mod ") && line.ends_with('{'));
    code.contains(&"super::".repeat(depth + usize::from(has_inner)))
}

/// Returns the first name of each path that begins at the crate's root, comments left out.
fn named(source: &str) -> BTreeSet<String> {
    let code = without_comments(source);
    let roots = code.match_indices("crate::");
    let roots =
        roots.filter(|&(at, _)| !code[..at].ends_with(|c: char| c == '_' || c.is_alphanumeric()));
    roots.flat_map(|(at, root)| heads(&code[at + root.len()..])).collect()
}

/// Returns the first name of a path, or of each in a group of paths.
fn heads(path: &str) -> Vec<String> {
    let Some(group) = path.strip_prefix('{') else {
        return vec![
            path.split(|c: char| c != '_' && !c.is_alphanumeric())
                .next()
                .unwrap_or(path)
                .to_owned(),
        ];
    };
    let (mut entries, mut depth) = (vec![String::new()], 0_i32);
    for c in group.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match c {
            _ if depth < 0 => break,
            ',' if depth == 0 => entries.push(String::new()),
            _ => entries.last_mut().unwrap().push(c),
        }
    }
    entries.iter().flat_map(|entry| heads(entry.trim())).filter(|name| !name.is_empty()).collect()
}

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core/src")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the names of a folder's entries, and adds the files of Rust in and below it.
fn entries(folder: &Path, files: &mut Vec<PathBuf>) -> Vec<String> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut names = Vec::new();
    for path in paths {
        names.extend(path.file_stem().and_then(|name| name.to_str()).map(str::to_owned));
        if path.is_dir() {
            entries(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    names
}

/// Returns each file of the core but its front page, with its district.
fn files() -> Vec<(String, PathBuf)> {
    let mut files = Vec::new();
    entries(&source_folder(), &mut files);
    let district = |path: &PathBuf| {
        let inside = path.strip_prefix(source_folder()).unwrap();
        let first = Path::new(inside.components().next().unwrap().as_os_str());
        first.file_stem().unwrap().to_str().unwrap().to_owned()
    };
    let files = files.into_iter().map(|path| (district(&path), path));
    files.filter(|(district, _)| district != "lib").collect()
}

#[test]
fn the_top_folder_has_the_districts_of_the_table_and_no_more() {
    let order = Order::of(&read(&source_folder().join("lib.rs")));
    let modules: BTreeSet<_> = entries(&source_folder(), &mut Vec::new()).into_iter().collect();
    assert!(modules.len() <= MOST_MODULES, "{modules:?}");
    let modules: BTreeSet<_> =
        modules.iter().map(|name| &**name).filter(|&name| name != "lib").collect();
    assert_eq!(modules, order.names());
}

#[test]
fn the_table_goes_down_only() {
    let order = Order::of(&read(&source_folder().join("lib.rs")));
    let mut above = BTreeSet::new();
    for (name, imports) in &order.0 {
        assert!(imports.is_subset(&above), "{name}: {imports:?}");
        above.insert(name.clone());
    }
}

#[test]
fn a_district_names_only_what_the_table_lets_it() {
    let order = Order::of(&read(&source_folder().join("lib.rs")));
    let all = files();
    assert!(all.len() > 200, "{} files", all.len());
    let found = all.iter().filter_map(|(district, path)| {
        let upward = order.upward(district, &read(path));
        (!upward.is_empty()).then(|| format!("{} imports {upward:?}", path.display()))
    });
    let found: Vec<_> = found.collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_district_climbs_to_another() {
    for (_, path) in files() {
        let depth = path.strip_prefix(source_folder()).unwrap().components().count();
        assert!(!climbs_out(depth, &read(&path)), "{}", path.display());
    }
}

/// So the table only shrinks.
#[test]
fn whatever_the_table_lists_is_imported() {
    let order = Order::of(&read(&source_folder().join("lib.rs")));
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (district, path) in files() {
        used.entry(district).or_default().extend(named(&read(&path)));
    }
    for (name, imports) in &order.0 {
        let unused: Vec<_> = imports.difference(&used[name]).collect();
        assert!(unused.is_empty(), "{name} does not import {unused:?}");
    }
}

#[test]
fn each_district_has_a_short_front_page() {
    for name in Order::of(&read(&source_folder().join("lib.rs"))).names() {
        let page = read(&source_folder().join(name).with_extension("rs"));
        let lines = page.lines().take_while(|line| line.starts_with("//!")).count();
        assert!((1..=MOST_LINES).contains(&lines), "{name}: {lines} lines");
    }
}

/// Returns the files of all packages that ship.
fn shipped() -> Vec<PathBuf> {
    let root = source_folder().join("../..");
    let mut files = Vec::new();
    for folder in ["core/src", "host-cli", "host-mpi/src", "host-wasm/src"] {
        entries(&root.join(folder), &mut files);
    }
    files
}

/// Returns the comments of a source that are too wide, but for tables and code.
fn wide_comments(source: &str) -> Vec<&str> {
    let mut is_code = false;
    let comments = source.lines().filter(|line| {
        let line = line.trim_start();
        is_code ^= line.starts_with("//") && line.contains("```");
        line.starts_with("//") && !is_code && !line.contains("// |") && !line.contains("//! |")
    });
    comments.filter(|line| line.chars().count() > MOST_COLUMNS).collect()
}

/// Returns the functions of a source that are named as if they only looked, and change something.
fn changing_predicates(source: &str) -> Vec<&str> {
    let heads = source.split("fn ").skip(1);
    let looks = heads.filter(|head| head.starts_with("is_") || head.starts_with("has_"));
    let changes = looks.filter(|head| {
        head.split(')').next().is_some_and(|parameters| parameters.contains("&mut self"))
    });
    changes.filter_map(|head| head.split(['(', '<']).next()).collect()
}

#[test]
fn comments_are_narrow_and_predicates_change_nothing() {
    let all = shipped();
    assert!(all.len() > 500, "{} files", all.len());
    for path in all {
        let source = read(&path);
        let wide = wide_comments(&source);
        assert!(wide.is_empty(), "{}: {}", path.display(), wide.join("\n"));
        let changing = changing_predicates(&source);
        assert!(changing.is_empty(), "{}: {}", path.display(), changing.join(", "));
    }
}

/// The canary: what the last test looks for is found.
#[test]
fn a_wide_comment_and_a_changing_predicate_are_found() {
    let wide = "a".repeat(MOST_COLUMNS);
    assert_eq!(wide_comments(&format!("    // {wide}\n//! | {wide} |\nlet {wide} = 1;")).len(), 1);
    let source = "pub fn has_come(&mut self) {} fn is_here(&self) {} fn is_at<T>(\n&mut self) {}";
    assert_eq!(changing_predicates(source), ["has_come", "is_at"]);
}

/// The canary: each of these imports is found, and what is no import is not.
#[test]
fn an_import_that_goes_up_is_found() {
    let order = Order::of(
        "//! | [`base`] | ids | – |\n//! | [`run`] | a run | `base` |\n//! | [`sim`] | time | `base` `run` |\n",
    );
    assert_eq!(order.names(), BTreeSet::from(["base", "run", "sim"]));
    for source in [
        "use crate::sim::Hardware;",
        "pub(crate) use crate::sim as machines;",
        "use crate::{base::id::{NodeId, RankId}, sim::{self, machine::Simulation}};",
        "use crate::{\n    run::{Stop, noise::{Noise, Place}},\n    sim,\n};",
        "use crate::{sim::Hardware, base::id};",
        "fn now() -> Instant { <crate::sim::Clock>::now() }",
    ] {
        assert_eq!(order.upward("run", source), ["sim"], "{source}");
    }
    for source in [
        "//! See [`sim`](crate::sim).\nuse crate::{base::id, run::Mode};",
        "use crate::base::time; // not crate::sim",
        "use my_crate::sim::Hardware;",
    ] {
        assert!(order.upward("run", source).is_empty(), "{source}");
    }
    assert_eq!(order.upward("base", "use crate::run::Mode;"), ["run"]);
    assert!(climbs_out(1, "use super::sim;") && climbs_out(2, "use super::super::sim;"));
    assert!(
        !climbs_out(2, "use super::id;") && !climbs_out(1, "mod tests {\n    use super::*;\n}")
    );
}
