//! VTK's XML format for images: opens in `ParaView`.
//!
//! Written by hand, because of vtkio 0.7: it would first copy the field into its model and then
//! into base64, a third larger; it has no appended raw data, which need no copy and a few lines.

use std::io::{self, Write};

use super::{Cells, FieldView};

/// Writes the field as `.vti`: one image of `columns` × `rows` unit cells in the x-y plane, with
/// the cell data `temperature` in the run's precision.
///
/// VTK's y axis points up, so the rows are written from the last to the first: row 0 is the top
/// of the picture, as in the heat map.
pub fn write(field: FieldView<'_>, mut w: impl Write) -> io::Result<()> {
    match field.cells {
        Cells::F32(cells) => {
            header(field, "Float32", size_of_val(cells), &mut w)?;
            write_rows(cells, field.columns, |cell, w| w.write_all(&cell.to_le_bytes()), &mut w)?;
        }
        Cells::F64(cells) => {
            header(field, "Float64", size_of_val(cells), &mut w)?;
            write_rows(cells, field.columns, |cell, w| w.write_all(&cell.to_le_bytes()), &mut w)?;
        }
    }
    w.write_all(b"\n  </AppendedData>\n</VTKFile>\n")
}

/// Everything before the first cell: the XML, the underscore that begins the appended data, and
/// the number of bytes that follow.
fn header(field: FieldView<'_>, kind: &str, bytes: usize, w: &mut impl Write) -> io::Result<()> {
    let extent = format!("0 {} 0 {} 0 0", field.columns, field.rows);
    write!(
        w,
        r#"<?xml version="1.0"?>
<VTKFile type="ImageData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <ImageData WholeExtent="{extent}" Origin="0 0 0" Spacing="1 1 1">
    <Piece Extent="{extent}">
      <CellData Scalars="temperature">
        <DataArray type="{kind}" Name="temperature" format="appended" offset="0"/>
      </CellData>
    </Piece>
  </ImageData>
  <AppendedData encoding="raw">
    _"#
    )?;
    w.write_all(&(bytes as u64).to_le_bytes())
}

fn write_rows<T: Copy, W: Write>(
    cells: &[T],
    columns: usize,
    write_cell: impl Fn(T, &mut W) -> io::Result<()>,
    w: &mut W,
) -> io::Result<()> {
    let mut cells = cells.rchunks_exact(columns).flatten();
    cells.try_for_each(|&cell| write_cell(cell, w))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The XML before the data, and the data.
    fn written<'a>(cells: impl Into<Cells<'a>>) -> (String, Vec<u8>) {
        let mut bytes = Vec::new();
        write(FieldView::new(2, 3, cells).unwrap(), &mut bytes).unwrap();
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
        assert!(xml.contains(r#"WholeExtent="0 3 0 2 0 0""#), "{xml}");
        assert!(xml.contains(r#"<DataArray type="Float64" Name="temperature""#), "{xml}");
        assert_eq!(data, [3.0, 4.0, 5.0, 0.1, 1.0, 2.0].map(f64::to_le_bytes).concat());

        let (xml, data) = written(&[0.1_f32, 1.0, 2.0, 3.0, 4.0, 5.0][..]);
        assert!(xml.contains(r#"<DataArray type="Float32" Name="temperature""#), "{xml}");
        assert_eq!(data, [3.0, 4.0, 5.0, 0.1, 1.0, 2.0].map(f32::to_le_bytes).concat());
    }
}
