//! A picture in memory, and its way into a PNG file.

use std::io::{self, Write};

use png::{BitDepth, ColorType, Compression, Encoder, EncodingError};

/// Red, green and blue of every pixel, row after row from the top.
pub(super) struct Pixels {
    pub width: u32,
    pub height: u32,
    pub rgb: Vec<u8>,
}

impl Pixels {
    /// Returns a black picture.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, rgb: vec![0; width as usize * height as usize * 3] }
    }

    /// Returns the pixels of one row from the left; a row below the picture has none.
    pub fn row_mut(&mut self, row: usize) -> impl Iterator<Item = &mut [u8; 3]> {
        let (pixels, _) = self.rgb.as_chunks_mut::<3>();
        let width = self.width as usize;
        pixels.iter_mut().skip(row.saturating_mul(width)).take(width)
    }

    /// Returns the picture at half its width and height; each pixel is the mean of four, which
    /// smooths edges.
    pub fn halved(&self) -> Self {
        let (width, height) = (self.width / 2, self.height / 2);
        let mut rgb = Vec::with_capacity(width as usize * height as usize * 3);
        for rows in self.rgb.chunks_exact(self.width as usize * 6) {
            let (upper, lower) = rows.split_at(rows.len() / 2);
            let (upper, _) = upper.as_chunks::<6>();
            let (lower, _) = lower.as_chunks::<6>();
            for (&[a, b, c, d, e, f], &[g, h, i, j, k, l]) in upper.iter().zip(lower) {
                rgb.extend([[a, d, g, j], [b, e, h, k], [c, f, i, l]].map(mean));
            }
        }
        Self { width, height, rgb }
    }

    /// Writes the picture as PNG, 8 bits a colour.
    pub fn write_png(&self, w: impl Write) -> io::Result<()> {
        self.encode(w).map_err(|error| match error {
            // The crate's own conversion loses what kind of error it was: a full disk's is told.
            EncodingError::IoError(error) => error,
            other => other.into(),
        })
    }

    /// Writes the picture as PNG.
    fn encode(&self, w: impl Write) -> Result<(), EncodingError> {
        let mut encoder = Encoder::new(w, self.width, self.height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        let mut image = encoder.write_header()?;
        image.write_image_data(&self.rgb)?;
        image.finish()
    }
}

/// Returns the mean of four samples, rounded to the nearest.
fn mean(samples: [u8; 4]) -> u8 {
    let sum: u16 = samples.into_iter().map(u16::from).sum();
    u8::try_from((sum + 2) / 4).unwrap_or(u8::MAX)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Decodes a PNG file.
    pub fn decode(png: &[u8]) -> Pixels {
        let mut reader = png::Decoder::new(io::Cursor::new(png)).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut rgb).unwrap();
        assert_eq!(info.color_type, ColorType::Rgb);
        Pixels { width: info.width, height: info.height, rgb }
    }

    /// A writer that fails as a full disk does, with room for some bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let written = bytes.len().min(self.0);
            self.0 -= written;
            if written == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(written) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_told_wherever_it_ends() {
        let mut bytes = Vec::new();
        let picture = Pixels::new(3, 2);
        picture.write_png(&mut bytes).unwrap();
        for room in 0..bytes.len() {
            let error = picture.write_png(Disk(room)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{room}");
        }
        picture.write_png(Disk(bytes.len())).unwrap();
    }

    #[test]
    fn a_picture_reads_back_equal() {
        let mut pixels = Pixels::new(3, 2);
        pixels.row_mut(1).for_each(|pixel| *pixel = [1, 2, 3]);
        assert_eq!(pixels.row_mut(2).count(), 0);
        let mut bytes = Vec::new();
        pixels.write_png(&mut bytes).unwrap();
        let back = decode(&bytes);
        assert_eq!((back.width, back.height), (3, 2));
        assert_eq!(back.rgb, [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
    }

    #[test]
    fn halving_takes_means() {
        let mut pixels = Pixels::new(4, 2);
        pixels.row_mut(0).next().unwrap().copy_from_slice(&[100, 200, 4]);
        let half = pixels.halved();
        assert_eq!((half.width, half.height), (2, 1));
        assert_eq!(half.rgb, [25, 50, 1, 0, 0, 0]);
    }
}
