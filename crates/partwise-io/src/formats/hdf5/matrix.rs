//! Matrices of an HDF5 file: dense, compressed rows, compressed columns. Beside the matrix, only a block of
//! each array is in memory.

use crate::error::Result;
use crate::formats::hdf5::file::{Array, Element};
use crate::formats::hdf5::reader::{Reader, blocks, pieces};
use crate::formats::npy::shape_text;
use crate::sparse::Stored;
use crate::table::{DenseValues, Values, counted};
use std::ops::Range;

/// The shape of a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// A dense array, which must have this shape.
pub(super) fn dense_array(
    reader: &Reader<'_>,
    name: &str,
    sides: Sides,
    notes: &mut Vec<String>,
) -> Result<Array> {
    let array = reader.array(name)?;
    let Sides { rows, columns } = sides;
    if array.shape != [rows, columns] {
        let message = format!(
            "its shape is {}, but obs and var have {} and {}",
            shape_text(&array.shape),
            counted(rows, "row", "rows"),
            counted(columns, "row", "rows")
        );
        return Err(reader.malformed(name, message));
    }
    reader.check_numbers(name, &array, notes)?;
    Ok(array)
}

/// Reads a dense array of this shape.
pub(super) fn dense(
    reader: &Reader<'_>,
    name: &str,
    sides: Sides,
    notes: &mut Vec<String>,
) -> Result<Values> {
    let array = dense_array(reader, name, sides, notes)?;
    let Sides { rows, columns } = sides;
    let mut values = reader.room_for(name, &array, rows * columns)?;
    for (start, count) in blocks(rows, array.step, columns) {
        values.append(reader.reals(name, &[start, 0], &[count, columns])?);
    }
    note_rounded(&array, &values, notes);
    Ok(Values::Dense { rows, columns, values })
}

/// The arrays of a compressed matrix.
pub(super) struct Compressed {
    data: (String, Array),
    indices: (String, Array),
    /// Where each line begins, and the end of the last.
    pub(super) offsets: Vec<usize>,
}

impl Compressed {
    /// The arrays data, indices and indptr of a group, for so many lines.
    pub(super) fn open(
        reader: &Reader<'_>,
        group: &str,
        lines: usize,
        notes: &mut Vec<String>,
    ) -> Result<Self> {
        let named = |name: &str| -> Result<(String, Array)> {
            let path = format!("{group}/{name}");
            let array = reader.vector(&path)?;
            Ok((path, array))
        };
        let (data, indices) = (named("data")?, named("indices")?);
        reader.check_numbers(&data.0, &data.1, notes)?;
        let stored = data.1.len();
        if indices.1.len() != stored {
            let message = format!("{} indices, but {stored} values", indices.1.len());
            return Err(reader.malformed(&indices.0, message));
        }
        let indptr = format!("{group}/indptr");
        let offsets = offsets(reader, &indptr, lines, stored)?;
        Ok(Compressed { data, indices, offsets })
    }

    fn stored(&self) -> usize {
        self.data.1.len()
    }

    /// How many entries are stored (and compressed) together.
    pub(super) fn step(&self) -> usize {
        self.data.1.step.max(self.indices.1.step)
    }

    /// Whether the values are 32-bit numbers.
    pub(super) fn is_single(&self) -> bool {
        matches!(self.data.1.element, Element::Half | Element::Single)
    }

    /// Some lines, of which each has `width` places, as 32-bit numbers if `single`. With `places`, place j of
    /// the file becomes place `places[j]`, or is left out where that is `None`. Entries of a line that are
    /// not in order are sorted, duplicates summed.
    pub(super) fn rows(
        &self,
        reader: &Reader<'_>,
        lines: Range<usize>,
        width: usize,
        places: Option<&[Option<u32>]>,
        single: bool,
    ) -> Result<Values> {
        let (start, end) = (self.offsets[lines.start], self.offsets[lines.end]);
        let mut indptr: Vec<usize> =
            self.offsets[lines.start..=lines.end].iter().map(|offset| offset - start).collect();
        let mut indices = reader.room(&self.indices.0, end - start)?;
        let mut values = match single {
            true => DenseValues::F32(reader.room(&self.data.0, end - start)?),
            false => DenseValues::F64(reader.room(&self.data.0, end - start)?),
        };
        for (start, count) in pieces(start..end, self.step()) {
            indices.append(&mut self.indices(reader, start, count, places.map_or(width, <[_]>::len))?);
            values.append(self.values(reader, start, count)?);
        }
        if let Some(places) = places {
            let stays: Vec<bool> = indices.iter().map(|index| places[*index as usize].is_some()).collect();
            let (mut line, mut before) = (0, 0);
            for (at, stays) in stays.iter().enumerate() {
                while indptr[line] <= at {
                    indptr[line] = before;
                    line += 1;
                }
                before += usize::from(*stays);
            }
            indptr[line..].fill(before);
            indices = indices.iter().filter_map(|index| places[*index as usize]).collect();
            values.keep(&stays);
        }
        let sides = Sides { rows: lines.len(), columns: width };
        Ok(match values {
            DenseValues::F32(values) => in_order(sides, indptr, indices, values, &mut Vec::new()),
            DenseValues::F64(values) => in_order(sides, indptr, indices, values, &mut Vec::new()),
        })
    }

    /// Where each line begins if only the entries of some places are kept, and the end of the last.
    pub(super) fn offsets_of(&self, reader: &Reader<'_>, places: &[Option<u32>]) -> Result<Vec<usize>> {
        let (mut offsets, mut line, mut before) = (self.offsets.clone(), 0, 0);
        for (start, count) in self.blocks() {
            for (at, index) in self.indices(reader, start, count, places.len())?.into_iter().enumerate() {
                while self.offsets[line] <= start + at {
                    offsets[line] = before;
                    line += 1;
                }
                before += usize::from(places[index as usize].is_some());
            }
        }
        offsets[line..].fill(before);
        Ok(offsets)
    }

    /// Start and count of each block of entries.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        blocks(self.stored(), self.step(), 1)
    }

    /// Indices of a block, each below `side`.
    pub(super) fn indices(
        &self,
        reader: &Reader<'_>,
        start: usize,
        count: usize,
        side: usize,
    ) -> Result<Vec<u32>> {
        let name = &self.indices.0;
        let found = reader.whole(name, start, count)?;
        let index = |(at, index): (usize, i64)| match u32::try_from(index) {
            Ok(index) if (index as usize) < side => Ok(index),
            _ => {
                let message = format!("entry {} is {index}, but must be in 0..{side}", start + at);
                Err(reader.malformed(name, message))
            }
        };
        found.into_iter().enumerate().map(index).collect()
    }

    pub(super) fn values(&self, reader: &Reader<'_>, start: usize, count: usize) -> Result<DenseValues> {
        reader.reals(&self.data.0, &[start], &[count])
    }

    fn room_for_values(&self, reader: &Reader<'_>) -> Result<DenseValues> {
        reader.room_for(&self.data.0, &self.data.1, self.stored())
    }
}

/// The offsets of the lines of a compressed matrix, checked.
fn offsets(reader: &Reader<'_>, name: &str, lines: usize, stored: usize) -> Result<Vec<usize>> {
    let count = reader.vector(name)?.len();
    if count != lines + 1 {
        let message = format!("{count} offsets, but {} are needed", lines + 1);
        return Err(reader.malformed(name, message));
    }
    let found = reader.whole_vector(name)?;
    if found[0] != 0 || found[lines] != stored as i64 {
        let message = format!(
            "the offsets go from {} to {}, but must go from 0 to the number of values, {stored}",
            found[0], found[lines]
        );
        return Err(reader.malformed(name, message));
    }
    if let Some(at) = (0..lines).find(|at| found[at + 1] < found[*at]) {
        let message = format!("offset {} is {}, less than {} before it", at + 1, found[at + 1], found[at]);
        return Err(reader.malformed(name, message));
    }
    // They rise from 0 to the number of values.
    Ok(found.into_iter().map(|offset| offset as usize).collect())
}

/// Reads the compressed rows of a group. With `places`, column j of the file becomes column `places[j]`, or
/// is left out where that is `None`; `sides.columns` is the number of those that stay.
pub(super) fn rows(
    reader: &Reader<'_>,
    group: &str,
    sides: Sides,
    places: Option<&[Option<u32>]>,
    notes: &mut Vec<String>,
) -> Result<Values> {
    let file = Compressed::open(reader, group, sides.rows, notes)?;
    let width = places.map_or(sides.columns, <[_]>::len);
    let mut indices = reader.room(&file.indices.0, file.stored())?;
    let mut values = file.room_for_values(reader)?;
    let mut indptr = file.offsets.clone();
    let mut row = 0;
    for (start, count) in file.blocks() {
        let mut columns = file.indices(reader, start, count, width)?;
        let mut block = file.values(reader, start, count)?;
        if let Some(places) = places {
            let stays: Vec<bool> = columns.iter().map(|column| places[*column as usize].is_some()).collect();
            let mut before = indices.len();
            for (at, stays) in stays.iter().enumerate() {
                while file.offsets[row] <= start + at {
                    indptr[row] = before;
                    row += 1;
                }
                before += usize::from(*stays);
            }
            block.keep(&stays);
            columns = columns.iter().filter_map(|column| places[*column as usize]).collect();
        }
        indices.append(&mut columns);
        values.append(block);
    }
    if places.is_some() {
        indptr[row..].fill(indices.len());
    }
    note_rounded(&file.data.1, &values, notes);
    Ok(match values {
        DenseValues::F32(values) => in_order(sides, indptr, indices, values, notes),
        DenseValues::F64(values) => in_order(sides, indptr, indices, values, notes),
    })
}

/// Reads the compressed columns of a group, and turns them into rows: one pass over the indices counts the
/// entries of the rows, another puts each entry where it belongs.
pub(super) fn columns(
    reader: &Reader<'_>,
    group: &str,
    sides: Sides,
    notes: &mut Vec<String>,
) -> Result<Values> {
    let file = Compressed::open(reader, group, sides.columns, notes)?;
    let mut indptr = vec![0_usize; sides.rows + 1];
    for (start, count) in file.blocks() {
        for row in file.indices(reader, start, count, sides.rows)? {
            indptr[row as usize + 1] += 1;
        }
    }
    for row in 0..sides.rows {
        indptr[row + 1] += indptr[row];
    }
    let mut free = indptr[..sides.rows].to_vec();
    let mut indices: Vec<u32> = reader.room(&file.indices.0, file.stored())?;
    indices.resize(file.stored(), 0);
    let mut values = file.room_for_values(reader)?;
    match &mut values {
        DenseValues::F32(values) => values.resize(file.stored(), 0.0),
        DenseValues::F64(values) => values.resize(file.stored(), 0.0),
    }
    let mut column = 0;
    for (start, count) in file.blocks() {
        let block = file.values(reader, start, count)?;
        for (at, row) in file.indices(reader, start, count, sides.rows)?.into_iter().enumerate() {
            while file.offsets[column + 1] <= start + at {
                column += 1;
            }
            let place = free[row as usize];
            free[row as usize] += 1;
            indices[place] = column as u32;
            match (&mut values, &block) {
                (DenseValues::F32(values), DenseValues::F32(block)) => values[place] = block[at],
                (DenseValues::F64(values), _) => values[place] = block.get(at),
                (DenseValues::F32(values), _) => values[place] = block.get(at) as f32,
            }
        }
    }
    note_rounded(&file.data.1, &values, notes);
    Ok(match values {
        DenseValues::F32(values) => in_order(sides, indptr, indices, values, notes),
        DenseValues::F64(values) => in_order(sides, indptr, indices, values, notes),
    })
}

/// Compressed rows with ascending columns, none twice: rows out of order are sorted, duplicates summed.
pub(super) fn in_order<T: Stored>(
    sides: Sides,
    mut indptr: Vec<usize>,
    mut indices: Vec<u32>,
    mut values: Vec<T>,
    notes: &mut Vec<String>,
) -> Values {
    let stored = indices.len();
    let (mut end, mut sorted) = (0, Vec::new());
    for row in 0..sides.rows {
        let (from, to) = (indptr[row], indptr[row + 1]);
        if !indices[from..to].is_sorted() {
            sorted.clear();
            sorted.extend((from..to).map(|at| (indices[at], values[at])));
            sorted.sort_by_key(|entry| entry.0);
            for (at, (column, value)) in sorted.iter().enumerate() {
                (indices[from + at], values[from + at]) = (*column, *value);
            }
        }
        let start = end;
        for at in from..to {
            if end > start && indices[end - 1] == indices[at] {
                let value = values[at];
                values[end - 1] += value;
            } else {
                (indices[end], values[end]) = (indices[at], values[at]);
                end += 1;
            }
        }
        indptr[row] = start;
    }
    indptr[sides.rows] = end;
    indices.truncate(end);
    values.truncate(end);
    if end < stored {
        notes.push(format!(
            "{} summed",
            counted(stored - end, "duplicate entry was", "duplicate entries were")
        ));
    }
    Values::Sparse { rows: sides.rows, columns: sides.columns, indptr, indices, values: T::wrap(values) }
}

/// Notes whole numbers that f64 can't hold exactly.
fn note_rounded(array: &Array, values: &DenseValues, notes: &mut Vec<String>) {
    const EXACT: f64 = (1_u64 << 53) as f64;
    let (Element::Whole { bytes: 8, .. }, DenseValues::F64(values)) = (array.element, values) else { return };
    let rounded = values.iter().filter(|value| value.abs() > EXACT).count();
    if rounded > 0 {
        notes.push(format!("{rounded} integers beyond 2^53 were rounded to f64"));
    }
}
