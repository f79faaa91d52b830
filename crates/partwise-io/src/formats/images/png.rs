//! PNG images, by the crate `png`. Palettes and fewer than 8 bits are expanded.

use super::{Image, check_size};
use crate::error::{Place, Result};
use crate::source::Source;
use png::{BitDepth, Decoder, Transformations};
use std::io::Cursor;

pub(super) fn decode(source: &Source) -> Result<Image> {
    let broken = |error: png::DecodingError| {
        source.malformed(Place::Whole, format!("the PNG image cannot be decoded: {error}"))
    };
    let mut decoder = Decoder::new(Cursor::new(source.bytes.as_slice()));
    decoder.set_transformations(Transformations::EXPAND);
    let header = decoder.read_header_info().map_err(broken)?;
    let (height, width) = (header.height as usize, header.width as usize);
    check_size(source, height, width)?;
    let mut reader = decoder.read_info().map_err(broken)?;
    let Some(size) = reader.output_buffer_size() else {
        return Err(source.malformed(Place::Whole, "the PNG image is too large for this machine"));
    };
    let mut bytes = vec![0; size];
    let frame = reader.next_frame(&mut bytes).map_err(broken)?;
    let channels = frame.color_type.samples();
    let bytes = &bytes[..frame.buffer_size().min(size)];
    Ok(match frame.bit_depth {
        BitDepth::Sixteen => {
            let samples = bytes.as_chunks::<2>().0.iter().map(|pair| u32::from(u16::from_be_bytes(*pair)));
            Image::of_samples((height, width), 65_535, channels, samples)
        }
        _ => Image::of_samples((height, width), 255, channels, bytes.iter().map(|byte| u32::from(*byte))),
    })
}
