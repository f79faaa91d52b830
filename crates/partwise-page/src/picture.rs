//! Pictures as PNG data addresses: components and samples as images, components as strips.

use base64::Engine;
use partwise::Matrix;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter};

/// Pixels of a strip at most; more features are gathered by their maximum.
const STRIP: usize = 800;

/// Which end of the scale is dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polarity {
    /// White is large, as in photographs: the default of the report and of Python's plots.
    Light,
    /// Dark is large, as ink on paper.
    Ink,
}

impl Polarity {
    /// In a sentence.
    pub fn in_words(self) -> &'static str {
        match self {
            Polarity::Ink => "dark is large",
            Polarity::Light => "white is large, as in a photograph",
        }
    }
}

/// Values row by row as a grey image, from 0 to their largest.
pub fn image(values: &[f64], shape: (usize, usize), polarity: Polarity) -> String {
    image_up_to(values, shape, polarity, largest(values))
}

/// The same, where `most` (and more) is the far end of the scale: for pictures that are to be compared.
pub fn image_up_to(values: &[f64], (height, width): (usize, usize), polarity: Polarity, most: f64) -> String {
    encode(&grey(values, polarity, most), width, height)
}

/// An image of at most about so many pixels: means of square blocks.
pub fn smaller(values: &[f64], (height, width): (usize, usize), pixels: usize) -> (Vec<f64>, (usize, usize)) {
    let block = ((height * width) as f64 / pixels.max(1) as f64).sqrt().ceil().max(1.0) as usize;
    if block == 1 {
        return (values.to_vec(), (height, width));
    }
    let (rows, columns) = (height.div_ceil(block), width.div_ceil(block));
    let mean = |row: usize, column: usize| {
        let (down, across) =
            (row * block..height.min((row + 1) * block), column * block..width.min((column + 1) * block));
        let count = (down.len() * across.len()) as f64;
        down.flat_map(|r| across.clone().map(move |c| values[r * width + c])).sum::<f64>() / count
    };
    let out = (0..rows * columns).map(|at| mean(at / columns, at % columns)).collect();
    (out, (rows, columns))
}

/// Components of a montage at most, and the least side of each picture in it.
const MOST_IN_MONTAGE: usize = 400;
const LEAST_SIDE: usize = 64;

/// The rows of a matrix as a PNG file: pictures side by side on a grey ground, each as [`image`] draws it.
/// `None` where it would be too large for the format.
pub fn montage(rows: &Matrix<f64>, (height, width): (usize, usize), polarity: Polarity) -> Option<Vec<u8>> {
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
        let picture = grey(rows.row(j), polarity, largest(rows.row(j)));
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
pub fn strip(values: &[f64], polarity: Polarity) -> String {
    let width = values.len().min(STRIP);
    let span = |x: usize| x * values.len() / width..(x + 1) * values.len() / width;
    // A root shows small entries beside large ones.
    let shown: Vec<f64> = (0..width).map(|x| largest(&values[span(x)]).sqrt()).collect();
    encode(&grey(&shown, polarity, largest(&shown)), width, 1)
}

/// The largest value, at least 0.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn grey(values: &[f64], polarity: Polarity, most: f64) -> Vec<u8> {
    let light = |v: &f64| if most > 0.0 { (v / most * 255.0).round().clamp(0.0, 255.0) as u8 } else { 0 };
    match polarity {
        Polarity::Light => values.iter().map(light).collect(),
        Polarity::Ink => values.iter().map(|v| 255 - light(v)).collect(),
    }
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
    encoder.set_compression(Compression::Balanced);
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
        let values = [0.0, 1.0, 2.0, 4.0, 0.5, 0.0];
        let address = image(&values, (2, 3), Polarity::Light);
        let data = address.strip_prefix("data:image/png;base64,").unwrap();
        let bytes = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        assert_eq!(reader.output_color_type(), (ColorType::Grayscale, BitDepth::Eight));
        let mut picture = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut picture).unwrap();
        assert_eq!((frame.width, frame.height), (3, 2));
        assert_eq!(picture, [0, 64, 128, 255, 32, 0]);
        assert_eq!(grey(&values, Polarity::Ink, 4.0), [255, 191, 127, 0, 223, 255]);
    }

    #[test]
    fn a_montage_holds_every_picture_enlarged() {
        let rows = Matrix::from_fn(3, 6, |j, pixel| if pixel == j { 1.0 } else { 0.0 });
        let bytes = montage(&rows, (2, 3), Polarity::Light).unwrap();
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
    fn zeros_are_the_ground_and_long_strips_are_gathered() {
        assert_eq!(grey(&[0.0, 0.0], Polarity::Light, 0.0), [0, 0]);
        assert_eq!(grey(&[0.0, 0.0], Polarity::Ink, 0.0), [255, 255]);
        assert!(strip(&vec![1.0; 5000], Polarity::Ink).len() < 2000);
    }

    #[test]
    fn a_smaller_image_has_the_means_of_its_blocks() {
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(smaller(&values, (3, 4), 12), (values.clone(), (3, 4)));
        assert_eq!(smaller(&values, (3, 4), 4), (vec![2.5, 4.5, 8.5, 10.5], (2, 2)));
    }
}
