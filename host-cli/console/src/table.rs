//! Tables of records as CSV (RFC 4180 quoting, one header line).

use std::io::{self, Write};

use serde::Serialize;

/// Writes one row a record; the header is the names of the record's fields.
///
/// An absent value is an empty field; floats are written so that they read back equal.
pub fn write_records<R: Serialize>(
    records: impl IntoIterator<Item = R>,
    w: impl Write,
) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(w);
    for record in records {
        table.serialize(record)?;
    }
    table.flush()
}
