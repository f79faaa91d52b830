//! `.png`, `.pgm`, `.ppm`: grey images of 8 or 16 bits, one as a table of one row, a folder of them as a table
//! with an image per row.
//!
//! Pixels are read row by row, as the numbers of the file. Colour becomes grey, by luminance (ITU-R BT.601:
//! 0.299 R + 0.587 G + 0.114 B), with a note; transparency is ignored, with a note. All images of a folder
//! have one size. Where their largest possible values differ, all are scaled to the largest of them, with a
//! note. The rows are in natural order of the file names, which are their names.

mod png;
mod pnm;

use crate::error::{IoError, Place, Result};
use crate::folder::{Listing, sha256_of_all};
use crate::formats::ReadOptions;
use crate::source::{Look, Source, looks_like};
use crate::table::{DenseValues, FileKind, Table, Values, counted};
use std::path::Path;

/// Extensions of images.
pub(crate) const EXTENSIONS: &[&str] = &["png", "pgm", "pnm", "ppm"];

/// Pixels of an image that are believed at once, and further ones for each byte of its file: a few bytes can
/// describe a huge image.
const FEW_PIXELS: usize = 6 << 20;
const PIXELS_A_BYTE: usize = 100;

/// A decoded image.
#[derive(Debug)]
pub(crate) struct Image {
    height: usize,
    width: usize,
    /// The largest value that the file allows, 1 to 65,535.
    most: u32,
    pixels: Vec<f64>,
    /// Whether red, green and blue differ anywhere.
    colour: bool,
    /// Whether any pixel is not opaque.
    transparent: bool,
}

impl Image {
    /// From samples, `channels` for each pixel: grey, grey and alpha, RGB, or RGB and alpha.
    fn of_samples(
        size: (usize, usize),
        most: u32,
        channels: usize,
        samples: impl Iterator<Item = u32>,
    ) -> Self {
        let (height, width) = size;
        let mut image = Image {
            height,
            width,
            most,
            pixels: Vec::with_capacity(height * width),
            colour: false,
            transparent: false,
        };
        let mut samples = samples;
        while let Some(first) = samples.next() {
            let mut next = || samples.next().unwrap_or_default();
            let grey = if channels >= 3 {
                let (green, blue) = (next(), next());
                image.colour |= first != green || first != blue;
                match first == green && first == blue {
                    true => f64::from(first),
                    false => 0.299 * f64::from(first) + 0.587 * f64::from(green) + 0.114 * f64::from(blue),
                }
            } else {
                f64::from(first)
            };
            if channels.is_multiple_of(2) {
                image.transparent |= next() < most;
            }
            image.pixels.push(grey);
        }
        image
    }
}

/// Refuses sizes that no file of so many bytes has.
fn check_size(source: &Source, height: usize, width: usize) -> Result<()> {
    let fault = |message: String| Err(source.malformed(Place::Whole, message));
    if height == 0 || width == 0 {
        return fault(format!("the image has {height} x {width} pixels; at least one is needed"));
    }
    let most = FEW_PIXELS.saturating_add(PIXELS_A_BYTE.saturating_mul(source.bytes.len()));
    match height.checked_mul(width).is_some_and(|pixels| pixels <= most) {
        true => Ok(()),
        false => fault(format!(
            "the header says {height} x {width} pixels, far more than {} bytes can describe (a damaged file?)",
            source.bytes.len()
        )),
    }
}

fn decode(source: &Source) -> Result<Image> {
    match looks_like(&source.bytes) {
        Look::Png => png::decode(source),
        Look::Pnm => pnm::decode(source),
        other => Err(source.wrong_format("a PNG or PGM image", other)),
    }
}

/// Reads one image as a table of one row.
pub(crate) fn read(source: &Source, _: &ReadOptions) -> Result<Table> {
    let mut stack = Stack::default();
    stack.add(source.path(), decode(source)?)?;
    let names = source.path().file_stem().map(|stem| vec![stem.to_string_lossy().into_owned()]);
    Ok(stack.into_table(names.filter(|_| !source.is_standard_input()), Vec::new(), &source.sha256))
}

/// Reads all images of a folder, an image per row.
///
/// # Errors
/// Every fault of a file, with its name; a folder without images.
pub(crate) fn read_folder(folder: &Path, options: &ReadOptions) -> Result<Table> {
    let refused = [
        (options.key.is_some(), "a key chooses an array of an .npz archive"),
        (options.header.is_some(), "a header belongs to a text table"),
        (options.row_names.is_some(), "the names of images are those of their files"),
    ];
    if let Some((_, message)) = refused.into_iter().find(|(given, _)| *given) {
        let message = format!("{message}, but this is a folder of images");
        return Err(IoError::unsupported(folder, Place::Whole, message, &[]));
    }
    let listing = Listing::of(folder, |extension| extension.is_some_and(|e| EXTENSIONS.contains(&e)))?
        .at_least_one(folder, "images (.png, .pgm, .ppm) or, with --text, of texts")?;
    let labels = options.label_column.as_ref().map(|column| listing.groups(folder, column)).transpose()?;
    let mut stack = Stack::default();
    let mut hashes = Vec::with_capacity(listing.files.len());
    for file in &listing.files {
        let source = Source::open(&file.path, options.decoded_limit)?;
        stack.add(&file.path, decode(&source)?)?;
        hashes.push(source.sha256);
    }
    let sha256 = sha256_of_all(hashes.iter().map(String::as_str).zip(&listing.files));
    let names = listing.files.iter().map(|file| file.name.clone()).collect();
    let mut table = stack.into_table(Some(names), listing.note().into_iter().collect(), &sha256);
    table.labels = labels;
    Ok(table)
}

/// Images of one size.
#[derive(Default)]
struct Stack {
    /// Height, width and file of the first.
    first: Option<(usize, usize, String)>,
    values: Vec<f64>,
    /// The largest possible value of each.
    most: Vec<u32>,
    colour: usize,
    transparent: usize,
}

impl Stack {
    fn add(&mut self, path: &Path, image: Image) -> Result<()> {
        let Image { height, width, most, pixels, colour, transparent } = image;
        let name = || path.display().to_string();
        let (h, w, first) = self.first.get_or_insert_with(|| (height, width, name()));
        if (*h, *w) != (height, width) {
            let message = format!(
                "the image has {height} x {width} pixels, but {first} has {h} x {w}; all must have one size"
            );
            return Err(IoError::mismatch(path, Place::Whole, message));
        }
        self.values.extend(pixels);
        self.most.push(most);
        self.colour += usize::from(colour);
        self.transparent += usize::from(transparent);
        Ok(())
    }

    fn into_table(mut self, names: Option<Vec<String>>, skipped: Vec<String>, sha256: &str) -> Table {
        let rows = self.most.len();
        let (height, width, _) = self.first.take().unwrap_or_default();
        let columns = height * width;
        let images = |count| counted(count, "image", "images");
        let mut notes = vec![format!("{} of {height} x {width} pixels, each a row", images(rows))];
        let largest = self.most.iter().copied().max().unwrap_or(1);
        if self.most.iter().any(|most| *most != largest) {
            for (row, most) in self.values.chunks_mut(columns.max(1)).zip(&self.most) {
                row.iter_mut().for_each(|value| *value *= f64::from(largest) / f64::from(*most));
            }
            notes.push(format!(
                "the images have different ranges of values; all were scaled to 0 to {largest}"
            ));
        }
        if self.colour > 0 {
            notes.push(format!("{} in colour became grey, by luminance", images(self.colour)));
        }
        if self.transparent > 0 {
            notes.push(format!("the transparency of {} was ignored", images(self.transparent)));
        }
        notes.extend(skipped);
        let values = Values::Dense { rows, columns, values: DenseValues::F64(self.values) };
        let mut table = Table::new(FileKind::Image, values, notes, sha256);
        (table.image_shape, table.row_names) = (Some((height, width)), names);
        table
    }
}
