//! The header of a `.npy` array: where it ends, the type of its items, and how many bytes the array has.

use crate::error::{IoError, Place, Result};
use crate::python_literal::{Literal, parse};
use std::path::Path;

/// What the items of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Unsigned,
    Signed,
    Float,
    /// `S`: bytes; the item's size is a number of bytes.
    Bytes,
    /// `U`: UCS-4; the item's size is four times the number of characters.
    Unicode,
}

/// The types of numbers that can be read.
pub(crate) const NUMBERS: [&str; 5] = ["bool", "int8 to int64", "uint8 to uint64", "float32", "float64"];

/// Where the header of an array ends, if these are its first bytes.
pub(crate) fn header_end(bytes: &[u8]) -> Option<usize> {
    if !bytes.starts_with(b"\x93NUMPY") {
        return None;
    }
    match bytes.get(6)? {
        1 => Some(10 + usize::from(u16::from_le_bytes(bytes.get(8..10)?.try_into().ok()?))),
        2 | 3 => 12usize.checked_add(u32::from_le_bytes(bytes.get(8..12)?.try_into().ok()?) as usize),
        _ => None,
    }
}

/// How many bytes an array has by its header, the header included.
pub(crate) fn declared_size(bytes: &[u8]) -> Option<u64> {
    let end = header_end(bytes)?;
    let header =
        parse(&String::from_utf8_lossy(bytes.get(if bytes[6] == 1 { 10 } else { 12 }..end)?)).ok()?;
    let Literal::Text(descr) = header.entry("descr")? else { return None };
    let shape = header.entry("shape")?.whole_numbers()?;
    let (_, item, _) = number_type(Path::new(""), &Place::Whole, descr).ok()?;
    let data = shape.iter().try_fold(item as u64, |product, side| product.checked_mul(*side as u64))?;
    data.checked_add(end as u64)
}

/// Kind, item size and byte order of a type description such as `<f8`.
pub(crate) fn number_type(path: &Path, place: &Place, descr: &str) -> Result<(Kind, usize, bool)> {
    let refuse = |message: String| Err(IoError::unsupported(path, place.clone(), message, &NUMBERS));
    let (order, rest) = match descr.as_bytes().first() {
        Some(b'<' | b'>' | b'=' | b'|') => descr.split_at(1),
        _ => ("|", descr),
    };
    let mut characters = rest.chars();
    let letter = characters.next().unwrap_or(' ');
    let size: usize = characters.as_str().parse().unwrap_or(0);
    let kind = match (letter, size) {
        ('b', 1) => Kind::Bool,
        ('u', 1 | 2 | 4 | 8) => Kind::Unsigned,
        ('i', 1 | 2 | 4 | 8) => Kind::Signed,
        ('f', 4 | 8) => Kind::Float,
        ('S' | 'a', 1..=4096) => Kind::Bytes,
        ('U', 1..=4096) => Kind::Unicode,
        ('f', 2) => {
            return refuse("half precision (float16) is not supported; save a.astype('float32')".into());
        }
        ('f', _) => {
            return refuse(format!(
                "{descr} (extended precision) is not supported; save a.astype('float64')"
            ));
        }
        ('c', _) => {
            return refuse(format!("complex numbers ({descr}) are not supported; save abs(a) or a.real"));
        }
        ('O', _) => {
            return refuse(
                "Python objects are not supported; save plain numbers, for example a.astype('float64')"
                    .into(),
            );
        }
        _ => return refuse(format!("the type \"{descr}\" is not numeric")),
    };
    let item_size = if kind == Kind::Unicode { size * 4 } else { size };
    let big_endian = order == ">" || (order == "=" && cfg!(target_endian = "big"));
    Ok((kind, item_size, big_endian))
}
