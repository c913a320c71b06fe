//! The files of checkpoints, written and mended from the description of their format, without the
//! product's code.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Value, json};
use tresse::files::checkpoint::{Checkpoint, CheckpointError, Stretch};
use tresse_core::field::grid::Rectangle;
use tresse_core::run::Precision;
use twox_hash::XxHash3_64;

/// Returns the names of the files in a checkpoint's folder: the manifest and the pieces of the
/// ranks.
pub fn names() -> impl Iterator<Item = String> {
    let pieces = (0..).map(|rank: u32| format!("piece-{rank}"));
    std::iter::once("manifest.jsonl".to_owned()).chain(pieces)
}

/// Writes files under those names.
pub fn store(folder: &Path, files: &[Vec<u8>]) -> io::Result<()> {
    files.iter().zip(names()).try_for_each(|(file, name)| fs::write(folder.join(name), file))
}

/// Returns the number of cells that a checkpoint shows to a reader of all of them.
pub fn cells(checkpoint: &Checkpoint) -> Result<u64, CheckpointError> {
    let (size, precision) = checkpoint.manifest().state.stored();
    let all = [Rectangle { first_row: 0, first_column: 0, size }];
    let mut count = 0;
    match precision {
        Precision::F32 => {
            checkpoint.read(&all, &mut |shown: Stretch<'_, f32>| count += shown.cells.len())?;
        }
        Precision::F64 => {
            checkpoint.read(&all, &mut |shown: Stretch<'_, f64>| count += shown.cells.len())?;
        }
    }
    Ok(count as u64)
}

/// Returns the files with every checksum made right, and what the manifest says of the pieces.
pub fn mended(files: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut files = files.to_vec();
    let Some((manifest, pieces)) = files.split_first_mut() else { return files };
    let said: Vec<_> = pieces
        .iter_mut()
        .map(|piece| {
            let last = mend_piece(piece).unwrap_or_default();
            json!({ "length": piece.len(), "xxh3": format!("{last:016x}") })
        })
        .collect();
    let end = manifest.iter().position(|&byte| byte == b'\n').unwrap_or(manifest.len());
    manifest.truncate(end);
    if let Ok(Value::Object(mut fields)) = serde_json::from_slice(manifest) {
        fields.insert("pieces".to_owned(), said.into());
        *manifest = Value::Object(fields).to_string().into_bytes();
    }
    manifest.push(b'\n');
    let hash = XxHash3_64::oneshot(manifest);
    manifest.extend(format!("{{\"xxh3\":\"{hash:016x}\"}}\n").into_bytes());
    files
}

/// Makes the checksums of a piece right as far as it is whole; answers the last one.
fn mend_piece(piece: &mut [u8]) -> Option<u64> {
    let word = |piece: &[u8], place: usize| {
        let bytes = piece.get(place..place + 8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    };
    let mut last = 0;
    let cell_bytes = word(piece, 12)?;
    let mut place = mend(piece, 0, 48, &mut last)?;
    while piece.get(place) == Some(&1) {
        let cells = word(piece, place + 25)?.checked_mul(word(piece, place + 33)?)?;
        place = mend(piece, place, 41, &mut last)?;
        place = mend(piece, place, cells.checked_mul(cell_bytes)?, &mut last)?;
    }
    mend(piece, place, 9, &mut last)?;
    Some(last)
}

/// Returns the checksum after `length` bytes from `place` on; answers where it ends.
fn mend(piece: &mut [u8], place: usize, length: usize, last: &mut u64) -> Option<usize> {
    let end = place.checked_add(length)?;
    *last = XxHash3_64::oneshot_with_seed(*last, piece.get(place..end)?);
    piece.get_mut(end..end.checked_add(8)?)?.copy_from_slice(&last.to_le_bytes());
    Some(end + 8)
}
