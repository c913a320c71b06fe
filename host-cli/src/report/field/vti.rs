//! VTK's XML format for images: opens in `ParaView`.
//!
//! Written by hand: vtkio would first copy the field into its model, and then write it as base64
//! (a third larger), while the appended raw encoding needs a few lines of XML and no copy. The
//! tests read it back with vtkio.

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
    use vtkio::model::{Attribute, DataSet, Extent, Piece};

    /// The extent, and the values in VTK's order.
    fn read_back<T: vtkio::model::Scalar>(field: FieldView<'_>) -> (Extent, Vec<T>) {
        let mut bytes = Vec::new();
        write(field, &mut bytes).unwrap();
        let DataSet::ImageData { pieces, .. } = vtkio::Vtk::parse_xml(&bytes[..]).unwrap().data
        else {
            panic!("not an image")
        };
        let [Piece::Inline(piece)] = &pieces[..] else { panic!("not one piece") };
        let [Attribute::DataArray(array)] = &piece.data.cell[..] else { panic!("not one array") };
        assert_eq!(array.name, "temperature");
        (piece.extent.clone(), array.data.clone().into_vec().unwrap())
    }

    #[test]
    fn vtk_reads_it_with_row_0_on_top() {
        let extent = Extent::Ranges([0..=3, 0..=2, 0..=0]);
        let double = [0.1, 1.0, 2.0, 3.0, 4.0, 5.0];
        let (found, values) = read_back::<f64>(FieldView::new(2, 3, &double[..]).unwrap());
        assert_eq!(found, extent);
        assert_eq!(values, [3.0, 4.0, 5.0, 0.1, 1.0, 2.0]);

        let single = [0.1_f32, 1.0, 2.0, 3.0, 4.0, 5.0];
        let (found, values) = read_back::<f32>(FieldView::new(2, 3, &single[..]).unwrap());
        assert_eq!(found, extent);
        assert_eq!(values, [3.0, 4.0, 5.0, 0.1, 1.0, 2.0]);
    }
}
