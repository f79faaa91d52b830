//! `.npz`, a zip archive of `.npy` arrays: one dense array, or a matrix as `scipy.sparse.save_npz` writes it.

use crate::error::{IoError, Place, Result};
use crate::formats::ReadOptions;
use crate::formats::npy::{Array, shape_text};
use crate::source::{Source, read_as_needed};
use crate::sparse::{Stored, Triplets, longest_side, side_is_absurd};
use crate::table::{DenseValues, FileKind, Table, Values, counted};
use std::io::Cursor;
use zip::ZipArchive;

/// Reads the array that `options.key` names, the only one, or a SciPy sparse matrix.
pub(crate) fn read(source: &Source, options: &ReadOptions) -> Result<Table> {
    let mut archive = Archive::open(source, options)?;
    if options.key.is_none() && archive.keys.iter().any(|key| key == "format") {
        return read_sparse(&mut archive);
    }
    let key = match (&options.key, &archive.keys[..]) {
        (Some(key), keys) => {
            let key = key.strip_suffix(".npy").unwrap_or(key);
            if !keys.iter().any(|known| known == key) {
                return Err(IoError::UnknownName {
                    path: source.path.clone(),
                    kind: "array",
                    name: key.to_string(),
                    valid: archive.keys,
                });
            }
            key.to_string()
        }
        (None, [only]) => only.clone(),
        (None, keys) => {
            let message = format!("the archive has {} arrays; choose one with --key", keys.len());
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            return Err(source.unsupported(Place::Whole, message, &keys));
        }
    };
    let bytes = archive.member(&key)?;
    Array::parse(&source.path, Place::Member(key), &bytes)?.into_table(FileKind::Npz, &source.sha256)
}

struct Archive<'a> {
    source: &'a Source,
    zip: ZipArchive<Cursor<&'a [u8]>>,
    /// The names of the arrays, without `.npy`.
    keys: Vec<String>,
    limit: u64,
}

impl<'a> Archive<'a> {
    fn open(source: &'a Source, options: &ReadOptions) -> Result<Self> {
        let zip = ZipArchive::new(Cursor::new(&source.bytes[..])).map_err(|e| {
            source.malformed(Place::Whole, format!("the zip archive is broken or truncated: {e}"))
        })?;
        let keys: Vec<String> = zip
            .file_names()
            .flatten()
            .filter_map(|name| name.strip_suffix(".npy").map(String::from))
            .collect();
        if keys.is_empty() {
            let message = "the archive has no NumPy arrays (members that end in .npy)";
            return Err(source.unsupported(Place::Whole, message, &[]));
        }
        Ok(Archive { source, zip, keys, limit: options.decoded_limit })
    }

    /// The decompressed bytes of an array. The sizes that the archive declares are not believed.
    fn member(&mut self, key: &str) -> Result<Vec<u8>> {
        let place = || Place::Member(key.to_string());
        let broken = |message: String| self.source.malformed(place(), message);
        let member = self
            .zip
            .by_name(&format!("{key}.npy"))
            .map_err(|e| broken(format!("the array is not valid: {e}")))?;
        // A member without the header of an array has nothing to be read.
        let bytes = read_as_needed(member, 1 << 10, self.limit).map_err(|(error, decoded)| {
            broken(format!("broken after {decoded} decompressed bytes: {error}"))
        })?;
        if bytes.len() as u64 > self.limit {
            return Err(broken(format!("it decompresses to more than the limit of {} bytes", self.limit)));
        }
        Ok(bytes)
    }

    /// As [`Archive::member`] for an array that a sparse matrix must have.
    fn part(&mut self, key: &str) -> Result<Vec<u8>> {
        if self.keys.iter().any(|known| known == key) {
            return self.member(key);
        }
        let message =
            format!("the sparse matrix has no array \"{key}\" (the archive has {})", self.keys.join(", "));
        Err(self.source.malformed(Place::Whole, message))
    }

    /// Indices of a sparse matrix, each below `side`.
    fn indices(&mut self, key: &str, side: usize) -> Result<Vec<u32>> {
        let bytes = self.part(key)?;
        let place = Place::Member(key.to_string());
        let numbers = Array::parse(&self.source.path, place.clone(), &bytes)?.whole_numbers()?;
        let mut indices = Vec::with_capacity(numbers.len());
        for (position, number) in numbers.into_iter().enumerate() {
            match u32::try_from(number) {
                Ok(index) if (index as usize) < side => indices.push(index),
                _ => {
                    let message = format!("entry {position} is {number}, but must be in 0..{side}");
                    return Err(self.source.malformed(place, message));
                }
            }
        }
        Ok(indices)
    }
}

fn read_sparse(archive: &mut Archive<'_>) -> Result<Table> {
    let path = archive.source.path.clone();
    let format = archive.part("format")?;
    let format = Array::parse(&path, Place::Member("format".into()), &format)?.text().unwrap_or_default();
    if !["csr", "csc", "coo"].contains(&format.as_str()) {
        let message = format!(
            "the sparse format \"{format}\" is not supported; save matrix.tocsr(), or choose an array with \
            --key"
        );
        return Err(archive.source.unsupported(
            Place::Member("format".into()),
            message,
            &["csr", "csc", "coo"],
        ));
    }
    let [rows, columns] = read_shape(archive)?;
    let data = archive.part("data")?;
    let data = Array::parse(&path, Place::Member("data".into()), &data)?;
    if data.shape.len() != 1 {
        let message =
            format!("the data of a sparse matrix are 1-D, but these are {}", shape_text(&data.shape));
        return Err(archive.source.malformed(Place::Member("data".into()), message));
    }
    let stored = data.shape[0];
    if side_is_absurd(rows, stored) || side_is_absurd(columns, stored) {
        let (entries, most) = (counted(stored, "entry", "entries"), longest_side(stored));
        let message = format!("{rows} x {columns} is too large for {entries}; valid: sides up to {most}");
        return Err(archive.source.malformed(Place::Member("shape".into()), message));
    }
    let (row, column) = match format.as_str() {
        "csr" => {
            let lines = compressed(archive, rows, stored)?;
            (lines, archive.indices("indices", columns)?)
        }
        "csc" => {
            let lines = compressed(archive, columns, stored)?;
            (archive.indices("indices", rows)?, lines)
        }
        _ => (archive.indices("row", rows)?, archive.indices("col", columns)?),
    };
    if row.len() != stored || column.len() != stored {
        let message = format!(
            "{stored} values, {} row indices and {} column indices do not match",
            row.len(),
            column.len()
        );
        return Err(archive.source.malformed(Place::Whole, message));
    }
    let mut notes = Vec::new();
    let (values, duplicates) = match data.values(&mut notes)? {
        DenseValues::F32(values) => compress(row, column, values, rows, columns),
        DenseValues::F64(values) => compress(row, column, values, rows, columns),
    };
    if duplicates > 0 {
        notes
            .push(format!("{} summed", counted(duplicates, "duplicate entry was", "duplicate entries were")));
    }
    Ok(Table::new(FileKind::Npz, values, notes, &archive.source.sha256))
}

/// The two sides of a sparse matrix.
fn read_shape(archive: &mut Archive<'_>) -> Result<[usize; 2]> {
    let shape = archive.part("shape")?;
    let shape = Array::parse(&archive.source.path, Place::Member("shape".into()), &shape)?.whole_numbers()?;
    let sides: Option<Vec<usize>> = shape.iter().map(|side| usize::try_from(*side).ok()).collect();
    let Some(sides) = sides.as_deref().and_then(|sides| <[usize; 2]>::try_from(sides).ok()) else {
        let message = format!("a sparse matrix has two sides of 0 or more, but this has {shape:?}");
        return Err(archive.source.malformed(Place::Member("shape".into()), message));
    };
    Ok(sides)
}

fn compress<T: Stored>(
    row: Vec<u32>,
    column: Vec<u32>,
    values: Vec<T>,
    rows: usize,
    columns: usize,
) -> (Values, usize) {
    Triplets { rows: row, columns: column, values }.compress(rows, columns)
}

/// The row (csr) or column (csc) of each stored entry, from the offsets in `indptr`.
fn compressed(archive: &mut Archive<'_>, lines: usize, stored: usize) -> Result<Vec<u32>> {
    let bytes = archive.part("indptr")?;
    let place = Place::Member("indptr".into());
    let offsets = Array::parse(&archive.source.path, place.clone(), &bytes)?.whole_numbers()?;
    let fault = |message: String| Err(archive.source.malformed(place.clone(), message));
    if offsets.len() != lines + 1 {
        return fault(format!("{} offsets, but {} are needed", offsets.len(), lines + 1));
    }
    if offsets[0] != 0 || offsets[lines] != stored as i128 {
        return fault(format!(
            "the offsets go from {} to {}, but must go from 0 to the number of entries, {stored}",
            offsets[0], offsets[lines]
        ));
    }
    let mut line_of_entry = Vec::with_capacity(stored);
    for line in 0..lines {
        if offsets[line + 1] < offsets[line] || offsets[line + 1] > stored as i128 {
            return fault(format!(
                "offset {} is {}, but must be between {} and {stored}",
                line + 1,
                offsets[line + 1],
                offsets[line]
            ));
        }
        line_of_entry.resize(offsets[line + 1] as usize, line as u32);
    }
    Ok(line_of_entry)
}
