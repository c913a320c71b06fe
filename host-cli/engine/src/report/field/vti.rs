//! VTK's XML format for images: opens in `ParaView`.
//!
//! Written by hand, because of vtkio 0.7: it would first copy the field into its model and then
//! into base64, a third larger; it has no appended raw data, which need no copy and a few lines.

use std::io::{self, Write};
use std::ops::Range;

use tresse_core::field::problem::CellSize;
use tresse_core::run::{GridSize, Precision};
use tresse_files::stored_cell::StoredCell;

use super::{About, FieldBand, FieldCells, FieldView};

/// Writes the field as `.vti`: one image of `columns` × `rows` cells in the x-y plane, with
/// the cell data of that name in the run's precision.
///
/// VTK's y axis points up, so the rows are written from the last to the first: row 0 is the top
/// of the picture, as in the heat map.
pub fn write(field: FieldView<'_>, about: &About, w: impl Write) -> io::Result<()> {
    write_band(FieldBand::whole(field), about, w)
}

/// Writes a band as an image of its own, which lies where it does in the whole field.
pub fn write_band(band: FieldBand<'_>, about: &About, w: impl Write) -> io::Result<()> {
    match band.cells() {
        FieldCells::F32(cells) => write_image(band, cells, about, w),
        FieldCells::F64(cells) => write_image(band, cells, about, w),
    }
}

/// Writes a field as `.pvti`, which puts the images of the bands together; each band has its rows
/// and the name of its file in the same folder.
pub fn write_index<'b>(
    grid: GridSize,
    precision: Precision,
    about: &About,
    bands: impl Iterator<Item = (Range<usize>, &'b str)>,
    mut w: impl Write,
) -> io::Result<()> {
    let (whole, kind) = (extent(grid, 0..grid.rows), kind(precision));
    let (name, place) = (escaped(about.name.name()), place(about));
    write!(
        w,
        r#"<?xml version="1.0"?>
<VTKFile type="PImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <PImageData WholeExtent="{whole}" GhostLevel="0" {place}>
    <PCellData Scalars="{name}">
      <PDataArray type="{kind}" Name="{name}"/>
    </PCellData>
"#
    )?;
    for (rows, file) in bands {
        writeln!(w, r#"    <Piece Extent="{}" Source="{file}"/>"#, extent(grid, rows))?;
    }
    w.write_all(b"  </PImageData>\n</VTKFile>\n")
}

/// Writes a band as an image, whose rows go from the bottom up.
fn write_image<F: StoredCell>(
    band: FieldBand<'_>,
    cells: &[F],
    about: &About,
    mut w: impl Write,
) -> io::Result<()> {
    header(band, F::PRECISION, about, size_of_val(cells), &mut w)?;
    let mut bytes = Vec::new();
    for row in cells.rchunks_exact(band.grid().columns) {
        F::to_bytes(row, &mut bytes);
        w.write_all(&bytes)?;
    }
    w.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
}

/// Writes everything before the first cell: the XML, the underscore that begins the appended data,
/// and the number of bytes that follow.
fn header(
    band: FieldBand<'_>,
    precision: Precision,
    about: &About,
    bytes: usize,
    w: &mut impl Write,
) -> io::Result<()> {
    let (extent, kind) = (extent(band.grid(), band.rows()), kind(precision));
    let (name, place) = (escaped(about.name.name()), place(about));
    write!(
        w,
        r#"<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <ImageData WholeExtent="{extent}" {place}>
    <Piece Extent="{extent}">
      <CellData Scalars="{name}">
        <DataArray type="{kind}" Name="{name}" format="appended" offset="0"/>
      </CellData>
    </Piece>
  </ImageData>
  <AppendedData encoding="raw">
    _"#
    )?;
    w.write_all(&(bytes as u64).to_le_bytes())
}

/// Returns the extent of rows of a grid in points; neighbouring bands have the points between them
/// in common.
fn extent(grid: GridSize, rows: Range<usize>) -> String {
    let [low, high] = [rows.end, rows.start].map(|row| grid.rows.saturating_sub(row));
    format!("0 {} {low} {high} 0 0", grid.columns)
}

/// Returns the attributes that say where the image lies. The values of the sides lie at 0, one
/// distance outside the centres of the first cells, which so begin at half a distance.
fn place(about: &About) -> String {
    let CellSize { height, width } = about.cell;
    format!(r#"Origin="{} {} 0" Spacing="{width} {height} 1""#, width / 2.0, height / 2.0)
}

/// Returns a text, escaped for the value of an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

/// Returns VTK's name of the cells' type.
const fn kind(precision: Precision) -> &'static str {
    match precision {
        Precision::F32 => "Float32",
        Precision::F64 => "Float64",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::field::FieldName;

    fn heights() -> About {
        let name = FieldName::new(Some("Height < & \""), Some("m")).unwrap();
        About { name, cell: CellSize { height: 0.5, width: 0.25 } }
    }

    fn written<'a>(cells: impl Into<FieldCells<'a>>) -> (String, Vec<u8>) {
        let mut bytes = Vec::new();
        let field = FieldView::new(2, 3, cells).unwrap();
        write(field, &heights(), &mut bytes).unwrap();
        parted(&bytes)
    }

    /// Returns the XML before the data, and the data.
    fn parted(bytes: &[u8]) -> (String, Vec<u8>) {
        let start = bytes.windows(6).position(|bytes| bytes == b"\n    _").unwrap() + 5;
        let xml = String::from_utf8(bytes[..start].to_vec()).unwrap();
        let data = bytes[start + 1..].strip_suffix(b"\n  </AppendedData>\n</VTKFile>\n").unwrap();
        let (length, data) = data.split_first_chunk().unwrap();
        assert_eq!(u64::from_le_bytes(*length), data.len() as u64);
        (xml, data.to_vec())
    }

    #[test]
    fn rows_go_from_the_last_to_the_first() {
        let (xml, data) = written(&[0.1_f64, 1.0, 2.0, 3.0, 4.0, 5.0][..]);
        assert!(
            xml.contains(
                r#"WholeExtent="0 3 0 2 0 0" Origin="0.125 0.25 0" Spacing="0.25 0.5 1">"#
            ),
            "{xml}"
        );
        assert!(
            xml.contains(r#"<DataArray type="Float64" Name="Height &lt; &amp; &quot;""#),
            "{xml}"
        );
        assert_eq!(data, [3.0, 4.0, 5.0, 0.1, 1.0, 2.0].map(f64::to_le_bytes).concat());

        let (xml, data) = written(&[0.1_f32, 1.0, 2.0, 3.0, 4.0, 5.0][..]);
        assert!(
            xml.contains(r#"<DataArray type="Float32" Name="Height &lt; &amp; &quot;""#),
            "{xml}"
        );
        assert_eq!(data, [3.0, 4.0, 5.0, 0.1, 1.0, 2.0].map(f32::to_le_bytes).concat());
    }

    /// Reads a number of bands back as `ParaView` does: by what the XML says and nothing else.
    #[test]
    fn bands_are_one_image() {
        let grid = GridSize { rows: 7, columns: 3 };
        let cells: Vec<f64> = (0..21_u8).map(|i| f64::from(i) / 3.0).collect();
        let (bands, names) = ([2..3, 3..7, 0..2], ["field_1.vti", "field_2.vti", "field_0.vti"]);
        let mut index = Vec::new();
        let pieces = bands.iter().cloned().zip(names);
        write_index(grid, Precision::F64, &heights(), pieces, &mut index).unwrap();
        let index = String::from_utf8(index).unwrap();
        let index = roxmltree::Document::parse(&index).unwrap();
        let node = |name| index.descendants().find(|node| node.has_tag_name(name)).unwrap();
        assert_eq!(node("PImageData").attribute("WholeExtent"), Some("0 3 0 7 0 0"));
        assert_eq!(node("PImageData").attribute("Origin"), Some("0.125 0.25 0"));
        assert_eq!(node("PImageData").attribute("Spacing"), Some("0.25 0.5 1"));
        assert_eq!(node("PDataArray").attribute("type"), Some("Float64"));
        assert_eq!(node("PDataArray").attribute("Name"), Some("Height < & \""));

        let mut image = vec![f64::NAN; 21];
        let pieces = index.descendants().filter(|node| node.has_tag_name("Piece"));
        for ((piece, name), rows) in pieces.zip(names).zip(&bands) {
            let band =
                FieldBand::new(grid, rows.start, &cells[rows.start * 3..rows.end * 3]).unwrap();
            let mut file = Vec::new();
            write_band(band, &heights(), &mut file).unwrap();
            let (xml, data) = parted(&file);
            let extent = piece.attribute("Extent").unwrap();
            assert_eq!(piece.attribute("Source"), Some(name));
            for place in ["WholeExtent", "Extent"] {
                assert!(xml.contains(&format!(r#" {place}="{extent}""#)), "{xml}");
            }
            let ends: Vec<usize> = extent.split(' ').map(|end| end.parse().unwrap()).collect();
            assert_eq!([&ends[..2], &ends[4..]], [&[0, 3], &[0, 0]]);
            let (numbers, rest) = data.as_chunks();
            assert_eq!((numbers.len(), rest.len()), ((ends[3] - ends[2]) * 3, 0));
            for (place, number) in image[ends[2] * 3..ends[3] * 3].iter_mut().zip(numbers) {
                assert!(place.is_nan(), "two pieces have it");
                *place = f64::from_le_bytes(*number);
            }
        }
        let upwards: Vec<f64> = cells.rchunks(3).flatten().copied().collect();
        assert_eq!(image, upwards);
    }
}
