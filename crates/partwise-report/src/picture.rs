//! Pictures as PNG data addresses: components and samples as images, components as strips.

use base64::Engine;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter};

/// Pixels of a strip at most; more features are gathered by their maximum.
const STRIP: usize = 800;

/// Values row by row as a grey image: 0 is black, the largest value white.
pub fn image(values: &[f64], (height, width): (usize, usize)) -> String {
    encode(&grey(values), width, height)
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
    fn zeros_are_black_and_long_strips_are_gathered() {
        assert_eq!(grey(&[0.0, 0.0]), [0, 0]);
        assert!(strip(&vec![1.0; 5000]).len() < 2000);
    }
}
