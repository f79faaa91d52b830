//! Pictures as PNG data addresses: components and samples as images, components as strips.

use base64::Engine;
use partwise::Matrix;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter};

/// Pixels of a strip at most; more features are gathered by their maximum.
const STRIP: usize = 800;

/// Values row by row as a grey image: 0 is black, the largest value white.
pub fn image(values: &[f64], (height, width): (usize, usize)) -> String {
    encode(&grey(values), width, height)
}

/// Components of a montage at most, and the least side of each picture in it.
const MOST_IN_MONTAGE: usize = 400;
const LEAST_SIDE: usize = 64;

/// The rows of a matrix as a PNG file: pictures side by side on a grey ground, each as [`image`] draws it.
/// `None` where it would be too large for the format.
pub fn montage(rows: &Matrix<f64>, (height, width): (usize, usize)) -> Option<Vec<u8>> {
    /// Between two pictures.
    const GAP: usize = 4;
    let shown = rows.rows().min(MOST_IN_MONTAGE);
    let enlarged = LEAST_SIDE.div_ceil(height.min(width).max(1)).max(1);
    let (tall, wide) = (height.checked_mul(enlarged)?, width.checked_mul(enlarged)?);
    let across = (1..=shown).find(|n| n * n >= shown)?;
    let size = |side: usize, count: usize| side.checked_add(GAP)?.checked_mul(count)?.checked_add(GAP);
    let (full_height, full_width) = (size(tall, shown.div_ceil(across))?, size(wide, across)?);
    let mut pixels = vec![128_u8; full_height.checked_mul(full_width)?];
    for j in 0..shown {
        let (top, left) = (GAP + j / across * (tall + GAP), GAP + j % across * (wide + GAP));
        let picture = grey(rows.row(j));
        for y in 0..tall {
            let begin = (top + y) * full_width + left;
            for x in 0..wide {
                pixels[begin + x] = picture[y / enlarged * width + x / enlarged];
            }
        }
    }
    png_of(&pixels, u32::try_from(full_width).ok()?, u32::try_from(full_height).ok()?).ok()
}

/// One column a feature (or a group of neighbours, by its maximum).
pub fn strip(values: &[f64]) -> String {
    let width = values.len().min(STRIP);
    let span = |x: usize| x * values.len() / width..(x + 1) * values.len() / width;
    // A root shows small entries beside large ones.
    let shown: Vec<f64> =
        (0..width).map(|x| values[span(x)].iter().copied().fold(0.0, f64::max).sqrt()).collect();
    encode(&grey(&shown), width, 1)
}

fn grey(values: &[f64]) -> Vec<u8> {
    let max = values.iter().copied().fold(0.0, f64::max);
    values
        .iter()
        .map(|v| if max > 0.0 { (v / max * 255.0).round().clamp(0.0, 255.0) as u8 } else { 0 })
        .collect()
}

fn encode(pixels: &[u8], width: usize, height: usize) -> String {
    let sizes = u32::try_from(width).ok().zip(u32::try_from(height).ok());
    // An image too large for the format has no picture; the page then shows its alternative text.
    match sizes.map(|(width, height)| png_of(pixels, width, height)) {
        Some(Ok(bytes)) => {
            format!("data:image/png;base64,{}", base64::engine::general_purpose::STANDARD.encode(bytes))
        }
        _ => String::new(),
    }
}

fn png_of(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    encoder.set_filter(Filter::Adaptive);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn a_picture_reads_back_as_its_grey_values() {
        let address = image(&[0.0, 1.0, 2.0, 4.0, 0.5, 0.0], (2, 3));
        let data = address.strip_prefix("data:image/png;base64,").unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        assert_eq!(reader.output_color_type(), (ColorType::Grayscale, BitDepth::Eight));
        let mut picture = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut picture).unwrap();
        assert_eq!((frame.width, frame.height), (3, 2));
        assert_eq!(picture, [0, 64, 128, 255, 32, 0]);
    }

    #[test]
    fn a_montage_holds_every_picture_enlarged() {
        let rows = Matrix::from_fn(3, 6, |j, pixel| if pixel == j { 1.0 } else { 0.0 });
        let bytes = montage(&rows, (2, 3)).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        let mut picture = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut picture).unwrap();
        // Two by two pictures of 64 x 96 pixels, with gaps of 4.
        assert_eq!((frame.width, frame.height), (2 * 96 + 12, 2 * 64 + 12));
        let at = |y: usize, x: usize| picture[y * frame.width as usize + x];
        assert_eq!(
            [at(0, 0), at(4, 4), at(4, 4 + 32), at(4, 104 + 32), at(72, 4 + 64)],
            [128, 255, 0, 255, 255]
        );
    }

    #[test]
    fn zeros_are_black_and_long_strips_are_gathered() {
        assert_eq!(grey(&[0.0, 0.0]), [0, 0]);
        assert!(strip(&vec![1.0; 5000]).len() < 2000);
    }
}
