//! Netpbm images: PGM (grey) and PPM (colour), as bytes (P5, P6) or as numbers (P2, P3).
//!
//! ```text
//! P5  width  height  largest value  one white space  the samples, row by row (two bytes each above 255)
//! ```
//!
//! A `#` in the header begins a comment, up to the end of the line.

use super::{Image, check_size};
use crate::error::{Place, Result};
use crate::source::Source;

pub(super) fn decode(source: &Source) -> Result<Image> {
    let mut header = Header { bytes: &source.bytes, at: 2 };
    let kind = source.bytes.get(1).copied().unwrap_or_default();
    let (channels, as_numbers) = match kind {
        b'2' => (1, true),
        b'3' => (3, true),
        b'5' => (1, false),
        b'6' => (3, false),
        _ => {
            let message = "a Netpbm bitmap is not supported; save it as a grey image (.pgm or .png)";
            return Err(source.unsupported(Place::Whole, message, &["P2", "P3", "P5", "P6"]));
        }
    };
    let fault = |message: String| source.malformed(Place::Whole, message);
    let mut number = |what: &str| {
        header
            .number()
            .ok_or_else(|| fault(format!("the header of the image has no whole number for its {what}")))
    };
    let (width, height, most) = (number("width")?, number("height")?, number("largest value")?);
    if !(1..=65_535).contains(&most) {
        return Err(fault(format!("the largest value is {most}, but must be in 1..65536")));
    }
    let (width, height, most) = (width as usize, height as usize, most as u32);
    check_size(source, height, width)?;
    let expected = height * width * channels;
    let samples: Vec<u32> = if as_numbers {
        let mut samples = Vec::with_capacity(expected.min(source.bytes.len()));
        while let Some(sample) = header.number().filter(|_| samples.len() < expected) {
            samples.push(u32::try_from(sample).unwrap_or(u32::MAX));
        }
        samples
    } else {
        let rest = source.bytes.get(header.at + 1..).unwrap_or_default();
        match most > 255 {
            true => rest
                .as_chunks::<2>()
                .0
                .iter()
                .take(expected)
                .map(|b| u32::from(u16::from_be_bytes(*b)))
                .collect(),
            false => rest.iter().take(expected).map(|byte| u32::from(*byte)).collect(),
        }
    };
    if samples.len() < expected {
        return Err(fault(format!(
            "{height} x {width} pixels need {expected} values, but there are {} (a truncated file?)",
            samples.len()
        )));
    }
    if let Some(at) = samples.iter().position(|sample| *sample > most) {
        return Err(fault(format!(
            "value {} (counted from 0) is {}, above the largest value of the header, {most}",
            at, samples[at]
        )));
    }
    Ok(Image::of_samples((height, width), most, channels, samples.into_iter()))
}

/// The numbers of a header, or of an image of numbers.
struct Header<'a> {
    bytes: &'a [u8],
    /// After the last number.
    at: usize,
}

impl Header<'_> {
    /// The next whole number; white space and comments before it are passed over.
    fn number(&mut self) -> Option<u64> {
        loop {
            match self.bytes.get(self.at)? {
                b'#' => {
                    let line = self.bytes[self.at..].iter().take_while(|byte| **byte != b'\n').count();
                    self.at += line;
                }
                byte if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        let digits = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = &self.bytes[self.at..self.at + digits];
        self.at += digits;
        crate::text::whole(text)
    }
}
