//! The files that `--out` leaves behind, read back.
//!
//! What is not as it should be panics: it is for tests.

#![expect(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a panic fails the test")]

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use ndarray::Array2;
use roxmltree::Document;
use serde_json::Value;

/// Every file of a run that is there is whole.
pub fn assert_whole(folder: &Path) {
    for name in names(folder) {
        let path = folder.join(&name);
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("json") => drop(summary(folder)),
            Some("csv") => drop(table(&path)),
            Some("npy") => drop(field(folder)),
            Some("vti") => drop(image(&path)),
            Some("pvti") => drop(image_of_pieces(&path)),
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

/// Returns the object that a run has left in a folder.
pub fn summary(folder: &Path) -> Value {
    serde_json::from_reader(File::open(folder.join("summary.json")).unwrap()).unwrap()
}

/// Returns the header, and the rows as numbers; an empty place is none.
pub fn table(path: &Path) -> (Vec<String>, Vec<Vec<Option<f64>>>) {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let number = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
    let rows = reader.records().map(|row| row.unwrap().iter().map(number).collect());
    (header, rows.collect())
}

/// Returns the extent of an image, its element type, and its data.
pub fn image(path: &Path) -> (String, String, Vec<u8>) {
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

/// Returns the extent, the type and the data of the images that an index puts together: bands of
/// whole rows, without a gap.
pub fn image_of_pieces(index: &Path) -> (String, String, Vec<u8>) {
    let text = fs::read_to_string(index).unwrap();
    let document = Document::parse(&text).unwrap();
    let named = |tag: &str, name: &str| {
        let node = document.descendants().find(|node| node.has_tag_name(tag)).unwrap();
        node.attribute(name).unwrap().to_owned()
    };
    let (extent, kind) = (named("PImageData", "WholeExtent"), named("PDataArray", "type"));
    let rows = |extent: &str| -> [usize; 2] {
        let numbers: Vec<usize> = extent.split(' ').map(|number| number.parse().unwrap()).collect();
        [numbers[2], numbers[3]]
    };
    let nodes = document.descendants().filter(|node| node.has_tag_name("Piece"));
    let mut pieces: Vec<_> = nodes
        .map(|node| {
            let (own, of, data) = image(&index.with_file_name(node.attribute("Source").unwrap()));
            assert_eq!((node.attribute("Extent").unwrap(), &kind), (own.as_str(), &of));
            (rows(&own), data)
        })
        .collect();
    pieces.sort();
    let [mut next, last] = rows(&extent);
    for ([low, high], _) in &pieces {
        assert_eq!(*low, next, "a gap in {text}");
        next = *high;
    }
    assert_eq!(next, last, "rows are missing in {text}");
    (extent, kind, pieces.into_iter().flat_map(|(_, data)| data).collect())
}

/// Returns the colours of a picture, which are not all the same.
fn pixels(path: &Path) -> Vec<u8> {
    let mut decoder =
        png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; decoder.output_buffer_size().unwrap()];
    let frame = decoder.next_frame(&mut pixels).unwrap();
    assert!(frame.width > 100 && frame.height > 100, "{}", path.display());
    assert!(pixels.iter().any(|&pixel| pixel != pixels[0]), "{} is empty", path.display());
    pixels
}

/// Returns the texts in a drawing.
pub fn texts(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let document = Document::parse(&text).unwrap();
    let nodes = document.descendants().filter(|node| node.has_tag_name("text"));
    let inner = nodes.filter_map(|node| node.text()).map(|text| text.trim().to_owned());
    inner.filter(|text| !text.is_empty()).collect()
}

/// Returns the field that a run has left in a folder.
pub fn field(folder: &Path) -> Array2<f64> {
    ndarray_npy::read_npy(folder.join("field.npy")).unwrap()
}

/// Returns the field of a run in single precision, converted to double precision, which is exact.
pub fn single_field(folder: &Path) -> Array2<f64> {
    let cells: Array2<f32> = ndarray_npy::read_npy(folder.join("field.npy")).unwrap();
    cells.mapv(f64::from)
}

/// Returns the names of all files in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
