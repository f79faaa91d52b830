//! `.npy`, a NumPy array: read from 2-D arrays and 3-D stacks of images, written from matrices.
//!
//! A file is `\x93NUMPY`, a version, the length of the header, the header (a Python dictionary with `descr`,
//! `fortran_order` and `shape`), and the raw numbers. Little and big endian, C and Fortran order are read;
//! `f4` stays `f32`, `f8`, integers and booleans become `f64`. The header is parsed here in a few lines so
//! that 0-D and string members of SciPy archives can be read, too, and so that sizes are checked before
//! memory is taken.

use crate::error::{IoError, Place, Result};
use crate::formats::ReadOptions;
use crate::npy_header::{Kind, NUMBERS, header_end, number_type};
use crate::python_literal::{Literal, parse};
use crate::source::Source;
use crate::table::{DenseValues, FileKind, Table, Values, counted};
use partwise::{Matrix, Real};
use std::io::Write;
use std::path::Path;

/// Reads the array of a `.npy` file.
pub(crate) fn read(source: &Source, _: &ReadOptions) -> Result<Table> {
    let array = Array::parse(&source.path, Place::Whole, &source.bytes)?;
    array.into_table(FileKind::Npy, &source.sha256)
}

/// An array of a file, its header understood and its size checked, its values not yet converted.
pub(crate) struct Array<'a> {
    path: &'a Path,
    /// [`Place::Whole`], or the member of an archive.
    place: Place,
    descr: String,
    kind: Kind,
    item_size: usize,
    big_endian: bool,
    fortran: bool,
    pub(crate) shape: Vec<usize>,
    data: &'a [u8],
}

impl<'a> Array<'a> {
    /// Reads the header and checks the size of the data.
    pub(crate) fn parse(path: &'a Path, place: Place, bytes: &'a [u8]) -> Result<Self> {
        let malformed = |message: String| IoError::malformed(path, place.clone(), message);
        if !bytes.starts_with(b"\x93NUMPY") {
            return Err(malformed("this is not a NumPy array: the first bytes are not \\x93NUMPY".into()));
        }
        let short =
            || malformed(format!("the header is incomplete: the file has only {} bytes", bytes.len()));
        if let Some(version @ (0 | 4..)) = bytes.get(6) {
            return Err(malformed(format!("version {version} of .npy is not supported; valid: 1, 2, 3")));
        }
        let end = header_end(bytes).ok_or_else(short)?;
        let start = if bytes.get(6) == Some(&1) { 10 } else { 12 };
        let header = bytes.get(start..end).ok_or_else(short)?;
        let header = String::from_utf8_lossy(header);
        let header = parse(&header).map_err(|e| malformed(format!("the header is not valid: {e}")))?;
        let entry =
            |name: &str| header.entry(name).ok_or_else(|| malformed(format!("the header has no \"{name}\"")));
        let Literal::Text(descr) = entry("descr")? else {
            let message = "structured arrays (with named fields) are not supported; save one field, or a plain 2-D array";
            return Err(IoError::unsupported(path, place.clone(), message, &NUMBERS));
        };
        let Literal::Bool(fortran) = entry("fortran_order")? else {
            return Err(malformed("\"fortran_order\" of the header is neither True nor False".into()));
        };
        let shape = entry("shape")?
            .whole_numbers()
            .ok_or_else(|| malformed("\"shape\" of the header is not a tuple of whole numbers".into()))?;
        let (kind, item_size, big_endian) = number_type(path, &place, descr)?;
        let data = &bytes[end..];
        let needed = shape.iter().try_fold(item_size, |product, side| product.checked_mul(*side));
        if needed != Some(data.len()) {
            let needed = needed.map_or("more than any file can contain".to_string(), |n| n.to_string());
            return Err(malformed(format!(
                "the shape {} of {descr} needs {needed} bytes of data, but there are {} (a truncated or damaged file?)",
                shape_text(&shape),
                data.len()
            )));
        }
        let (descr, fortran) = (descr.clone(), *fortran);
        Ok(Array { path, place, descr, kind, item_size, big_endian, fortran, shape, data })
    }

    fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// The array as a table: 2-D as it is, 3-D with each image as a row.
    pub(crate) fn into_table(self, kind: FileKind, sha256: &str) -> Result<Table> {
        let mut notes = Vec::new();
        let (rows, columns, image_shape) = match self.shape[..] {
            [rows, columns] => (rows, columns, None),
            [images, height, width] => {
                notes.push(format!(
                    "the 3-D array was read as {} of {height} x {width}, each a row",
                    counted(images, "image", "images")
                ));
                // Overflows only when there is no image at all, and then there is nothing to read.
                (images, height.checked_mul(width).unwrap_or(0), Some((height, width)))
            }
            _ => {
                let advice = match self.shape.len() {
                    0 | 1 => "reshape it first, for example with a.reshape(1, -1) or a.reshape(-1, 1)",
                    _ => "reshape it first, for example with a.reshape(len(a), -1)",
                };
                let message = format!(
                    "the array is {}-D (shape {}); {advice}",
                    self.shape.len(),
                    shape_text(&self.shape)
                );
                return Err(self.unsupported(message, &["2-D arrays", "3-D stacks of images"]));
            }
        };
        let mut values = self.values(&mut notes)?;
        if self.fortran && self.len() > 0 {
            values = match values {
                DenseValues::F32(values) => DenseValues::F32(to_row_major(&values, &self.shape)),
                DenseValues::F64(values) => DenseValues::F64(to_row_major(&values, &self.shape)),
            };
        }
        let mut table = Table::new(kind, Values::Dense { rows, columns, values }, notes, sha256);
        table.image_shape = image_shape;
        Ok(table)
    }

    /// The numbers in the order of the file.
    pub(crate) fn values(&self, notes: &mut Vec<String>) -> Result<DenseValues> {
        let values = match (self.kind, self.item_size) {
            (Kind::Float, 4) => {
                return Ok(DenseValues::F32(items(
                    self.data,
                    self.big_endian,
                    f32::from_le_bytes,
                    f32::from_be_bytes,
                )));
            }
            (Kind::Float, _) => {
                return Ok(DenseValues::F64(items(
                    self.data,
                    self.big_endian,
                    f64::from_le_bytes,
                    f64::from_be_bytes,
                )));
            }
            (Kind::Bool | Kind::Unsigned, 1) => self.data.iter().map(|byte| f64::from(*byte)).collect(),
            (Kind::Signed, 1) => self.data.iter().map(|byte| f64::from(*byte as i8)).collect(),
            _ => {
                let whole = self.whole_numbers()?;
                let rounded = whole.iter().filter(|v| v.unsigned_abs() > 1 << 53).count();
                if rounded > 0 {
                    notes.push(format!("{rounded} integers beyond 2^53 were rounded to f64"));
                }
                whole.into_iter().map(|v| v as f64).collect()
            }
        };
        notes.push(match self.kind {
            Kind::Bool => "booleans were converted to the numbers 0 and 1".to_string(),
            _ => format!("{}-bit integers were converted to 64-bit numbers", 8 * self.item_size),
        });
        Ok(DenseValues::F64(values))
    }

    /// Whole numbers in the order of the file.
    ///
    /// # Errors
    /// When the array holds something else.
    pub(crate) fn whole_numbers(&self) -> Result<Vec<i128>> {
        let big = self.big_endian;
        Ok(match (self.kind, self.item_size) {
            (Kind::Bool | Kind::Unsigned, 1) => self.data.iter().map(|byte| i128::from(*byte)).collect(),
            (Kind::Unsigned, 2) => items(self.data, big, u16::from_le_bytes, u16::from_be_bytes),
            (Kind::Unsigned, 4) => items(self.data, big, u32::from_le_bytes, u32::from_be_bytes),
            (Kind::Unsigned, 8) => items(self.data, big, u64::from_le_bytes, u64::from_be_bytes),
            (Kind::Signed, 1) => items(self.data, big, i8::from_le_bytes, i8::from_be_bytes),
            (Kind::Signed, 2) => items(self.data, big, i16::from_le_bytes, i16::from_be_bytes),
            (Kind::Signed, 4) => items(self.data, big, i32::from_le_bytes, i32::from_be_bytes),
            (Kind::Signed, 8) => items(self.data, big, i64::from_le_bytes, i64::from_be_bytes),
            _ => {
                let message = format!("the numbers are {}, but whole numbers are needed", self.descr);
                return Err(self.unsupported(message, &NUMBERS[..3]));
            }
        })
    }

    /// A label for each item: whole numbers (also as floating-point numbers, NaN for none), booleans or text.
    ///
    /// # Errors
    /// When the array holds something else.
    pub(crate) fn labels(&self) -> Result<Vec<String>> {
        let integers = |values: Vec<f64>| {
            let wrong =
                values.iter().find(|value| !value.is_nan() && (value.fract() != 0.0 || value.is_infinite()));
            match wrong {
                Some(value) => Err(self.unsupported(
                    format!(
                        "the numbers are {}, and {value} is one of them, but whole numbers are needed",
                        self.descr
                    ),
                    &["whole numbers", "booleans", "text", "NaN for unlabelled"],
                )),
                None => Ok(values
                    .iter()
                    .map(|v| if v.is_nan() { String::new() } else { format!("{v:.0}") })
                    .collect()),
            }
        };
        match self.kind {
            Kind::Bytes | Kind::Unicode => {
                Ok(self.data.chunks(self.item_size).map(|item| self.item_text(item)).collect())
            }
            Kind::Bool => {
                Ok(self.data.iter().map(|b| if *b == 0 { "False" } else { "True" }.to_string()).collect())
            }
            Kind::Float => match self.values(&mut Vec::new())? {
                DenseValues::F32(values) => integers(values.into_iter().map(f64::from).collect()),
                DenseValues::F64(values) => integers(values),
            },
            _ => Ok(self.whole_numbers()?.iter().map(ToString::to_string).collect()),
        }
    }

    /// The text of an item of bytes or characters.
    fn item_text(&self, item: &[u8]) -> String {
        let text: String = match self.kind {
            Kind::Bytes => String::from_utf8_lossy(item).into_owned(),
            _ => items::<4, u32, u32>(item, self.big_endian, u32::from_le_bytes, u32::from_be_bytes)
                .into_iter()
                .map(|code| char::from_u32(code).unwrap_or('?'))
                .collect(),
        };
        text.trim_end_matches('\0').to_string()
    }

    /// The one string of a 0-D or one-element array of bytes or characters.
    pub(crate) fn text(&self) -> Option<String> {
        let is_text = matches!(self.kind, Kind::Bytes | Kind::Unicode);
        (is_text && self.len() == 1).then(|| self.item_text(self.data))
    }

    pub(crate) fn unsupported(&self, message: impl Into<String>, valid: &[&str]) -> IoError {
        IoError::unsupported(self.path, self.place.clone(), message, valid)
    }
}

/// Decodes items of a fixed size.
fn items<const N: usize, R, T: From<R>>(
    data: &[u8],
    big_endian: bool,
    little: fn([u8; N]) -> R,
    big: fn([u8; N]) -> R,
) -> Vec<T> {
    let decode = if big_endian { big } else { little };
    let (chunks, _) = data.as_chunks::<N>();
    chunks.iter().map(|chunk| T::from(decode(*chunk))).collect()
}

/// Rows of `columns` values from an array in Fortran order: entry (i, r, c) of (n, h, w) stands at i + n·(r +
/// h·c). Blocks of rows are gathered together so that each read touches neighbours.
fn to_row_major<T: Copy>(values: &[T], shape: &[usize]) -> Vec<T> {
    let (n, height, width) = match *shape {
        [n, width] => (n, 1, width),
        [n, height, width] => (n, height, width),
        _ => return values.to_vec(),
    };
    let columns = height * width;
    let Some(&first) = values.first() else { return Vec::new() };
    let mut out = vec![first; n * columns];
    for (block, rows) in out.chunks_mut(32 * columns).enumerate() {
        for r in 0..height {
            for c in 0..width {
                let from = block * 32 + n * (r + height * c);
                for (i, row) in rows.chunks_exact_mut(columns).enumerate() {
                    row[r * width + c] = values[from + i];
                }
            }
        }
    }
    out
}

/// `(3, 4)`, as Python writes it.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    let sides: Vec<String> = shape.iter().map(ToString::to_string).collect();
    if sides.len() == 1 { format!("({},)", sides[0]) } else { format!("({})", sides.join(", ")) }
}

/// Writes a matrix (rows × columns) as a `.npy` array of `f4` or `f8`, little-endian, in C order.
///
/// # Errors
/// What `writer` reports.
pub fn write_npy<T: Real>(writer: &mut dyn Write, matrix: &Matrix<T>) -> std::io::Result<()> {
    let single = T::NAME == "f32";
    let descr = if single { "<f4" } else { "<f8" };
    let dictionary = format!(
        "{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}, {}), }}",
        matrix.rows(),
        matrix.columns()
    );
    // The data are to start at a multiple of 64: magic and length take 10 bytes, the line feed one.
    let padded = (dictionary.len() + 11).next_multiple_of(64) - 11;
    let header = format!("{dictionary:<padded$}\n");
    writer.write_all(b"\x93NUMPY\x01\x00")?;
    writer.write_all(&(header.len() as u16).to_le_bytes())?;
    writer.write_all(header.as_bytes())?;
    let mut buffer = Vec::with_capacity(1 << 16);
    for values in matrix.as_slice().chunks(1 << 13) {
        buffer.clear();
        for value in values {
            if single {
                buffer.extend_from_slice(&(value.to_f64() as f32).to_le_bytes());
            } else {
                buffer.extend_from_slice(&value.to_f64().to_le_bytes());
            }
        }
        writer.write_all(&buffer)?;
    }
    Ok(())
}
