//! What `--out` leaves behind.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use ndarray::Array2;
use roxmltree::Document;
use serde_json::Value;
use tempfile::tempdir;

use crate::program::{SMALL, field, names, object, run, tresse};

pub const NAMES: [&str; 8] = [
    "braid.csv",
    "braid.png",
    "braid.svg",
    "field.npy",
    "field.png",
    "field.vti",
    "history.csv",
    "summary.json",
];

/// Every file of a run that is there is whole.
pub fn assert_whole(folder: &Path) {
    for name in names(folder) {
        let path = folder.join(&name);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("json") => drop(summary(folder)),
            Some("csv") => drop(table(&path)),
            Some("npy") => drop(field(folder)),
            Some("vti") => drop(image(&path)),
            Some("png" | "svg") => {}
            _ => panic!("{name} is none of ours"),
        }
    }
    assert_pictures(folder);
}

/// Every picture in a folder shows something.
pub fn assert_pictures(folder: &Path) {
    for name in names(folder) {
        let path = folder.join(&name);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("png") => drop(pixels(&path)),
            Some("svg") => assert!(!texts(&path).is_empty(), "{name}"),
            _ => {}
        }
    }
}

fn summary(folder: &Path) -> Value {
    serde_json::from_reader(File::open(folder.join("summary.json")).unwrap()).unwrap()
}

/// The header, and the rows as numbers; an empty place is none.
fn table(path: &Path) -> (Vec<String>, Vec<Vec<Option<f64>>>) {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let number = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    let rows = reader.records().map(|row| row.unwrap().iter().map(number).collect());
    (header, rows.collect())
}

/// The extent of an image, its element type, and its data.
fn image(path: &Path) -> (String, String, Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    let mark = b"<AppendedData encoding=\"raw\">\n    _";
    let start = bytes.windows(mark.len()).position(|part| part == mark).unwrap() + mark.len();
    let (length, rest) = bytes[start..].split_first_chunk().unwrap();
    let (data, end) = rest.split_at(usize::try_from(u64::from_le_bytes(*length)).unwrap());
    // Without its raw data the file is XML.
    let xml = [&bytes[..start], end].concat();
    let xml = String::from_utf8(xml).unwrap();
    let document = Document::parse(&xml).unwrap();
    let attribute = |tag: &str, name: &str| {
        let node = document.descendants().find(|node| node.has_tag_name(tag)).unwrap();
        node.attribute(name).unwrap().to_owned()
    };
    let extent = attribute("ImageData", "WholeExtent");
    assert_eq!(attribute("Piece", "Extent"), extent);
    (extent, attribute("DataArray", "type"), data.to_vec())
}

/// The colours of a picture, which are not all the same.
fn pixels(path: &Path) -> Vec<u8> {
    let mut decoder =
        png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; decoder.output_buffer_size().unwrap()];
    let frame = decoder.next_frame(&mut pixels).unwrap();
    assert!(frame.width > 100 && frame.height > 100, "{}", path.display());
    assert!(pixels.iter().any(|&pixel| pixel != pixels[0]), "{} is empty", path.display());
    pixels
}

/// The texts in a drawing.
fn texts(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let document = Document::parse(&text).unwrap();
    let nodes = document.descendants().filter(|node| node.has_tag_name("text"));
    let inner = nodes.filter_map(|node| node.text()).map(|text| text.trim().to_owned());
    inner.filter(|text| !text.is_empty()).collect()
}

#[test]
fn every_file_is_there_and_nothing_else() {
    let out = tempdir().unwrap();
    let folder = out.path().join("new/folder");
    let report = object(tresse(SMALL).arg("--out").arg(&folder), 0);
    assert_eq!(names(&folder), NAMES);
    assert_whole(&folder);
    assert_eq!(summary(&folder), report);
}

#[test]
fn the_history_ends_with_the_report() {
    let out = tempdir().unwrap();
    let report = object(tresse(SMALL).arg("--out").arg(out.path()), 0);
    let (header, rows) = table(&out.path().join("history.csv"));
    let expected = [
        "seconds",
        "residual",
        "iteration_rate",
        "spread",
        "least",
        "most",
        "mean",
        "moves",
        "rounds",
    ];
    assert_eq!(header, expected);
    let last = rows.last().unwrap();
    let at = |name: &str| last[header.iter().position(|column| column == name).unwrap()].unwrap();
    assert!((at("mean") - report["iterations"].as_f64().unwrap()).abs() < 1e-9, "{last:?}");
    assert!(at("least") <= at("mean") && at("mean") <= at("most"));
    assert!((at("most") - at("least") - at("spread")).abs() < 1e-9);
    assert!(rows.iter().is_sorted_by_key(|row| row[0]), "{rows:?}");

    let (header, rows) = table(&out.path().join("braid.csv"));
    let subdomains = (0..8).map(|id| format!("s{id}"));
    assert_eq!(header, std::iter::once("seconds".to_owned()).chain(subdomains).collect::<Vec<_>>());
    let updates: f64 = rows.last().unwrap()[1..].iter().flatten().sum();
    assert_eq!(Some(updates), report["updates"].as_f64());
}

#[test]
fn the_image_holds_the_field_bottom_row_first() {
    let out = tempdir().unwrap();
    object(tresse(SMALL).arg("--out").arg(out.path()), 0);
    let field = field(out.path());
    let (extent, kind, data) = image(&out.path().join("field.vti"));
    assert_eq!((extent.as_str(), kind.as_str()), ("0 32 0 24 0 0", "Float64"));
    let rows = field.rows().into_iter().rev();
    let expected: Vec<u8> = rows.flatten().flat_map(|cell| cell.to_le_bytes()).collect();
    assert_eq!(data, expected);
}

#[test]
fn single_precision_stays_single() {
    let out = tempdir().unwrap();
    object(tresse(SMALL).args(["--precision", "f32", "--out"]).arg(out.path()), 0);
    let field: Array2<f32> = ndarray_npy::read_npy(out.path().join("field.npy")).unwrap();
    assert_eq!(field.dim(), (24, 32));
    let (_, kind, data) = image(&out.path().join("field.vti"));
    assert_eq!((kind.as_str(), data.len()), ("Float32", 24 * 32 * 4));
}

#[test]
fn the_braid_says_what_it_shows() {
    let out = tempdir().unwrap();
    object(tresse(SMALL).arg("--out").arg(out.path()), 0);
    let texts = texts(&out.path().join("braid.svg")).join("\n");
    assert!(texts.contains("async") && texts.contains("8 subdomains"), "{texts}");
}

#[test]
fn a_second_run_replaces_the_first_and_leaves_the_rest() {
    let out = tempdir().unwrap();
    fs::write(out.path().join("notes.txt"), "mine").unwrap();
    object(tresse(SMALL).arg("--out").arg(out.path()), 0);
    let report = object(tresse(SMALL).args(["--seed", "9", "--out"]).arg(out.path()), 0);
    assert_eq!(summary(out.path()), report);
    assert_eq!(fs::read(out.path().join("notes.txt")).unwrap(), b"mine");
    assert_eq!(names(out.path()).len(), NAMES.len() + 1);
}

#[test]
fn a_person_is_told_where_the_files_are() {
    let out = tempdir().unwrap();
    let ended = run(tresse(SMALL).arg("--out").arg(out.path()));
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains(out.path().to_str().unwrap()), "{}", ended.out);
}
