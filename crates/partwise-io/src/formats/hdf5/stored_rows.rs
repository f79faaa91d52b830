//! [`StoredRows`]: a matrix of a file of cells that is read some rows at a time. Its names and the beginnings
//! of its rows are in memory, its values stay in the file.

use crate::error::{Place, Result};
use crate::formats::ReadOptions;
use crate::formats::hdf5::matrix::{self, Compressed, Sides};
use crate::formats::hdf5::reader::{BLOCK, Reader, pieces};
use crate::formats::hdf5::tenx::Selected;
use crate::formats::hdf5::{Content, Named, anndata, content, labels_of_cells, named_kind};
use crate::formats::pwx::Head;
use crate::table::{DenseValues, FileKind, Values};
use std::ops::Range;

/// A matrix, and what is known of it beside its values.
pub(super) struct StoredRows {
    pub(super) kind: FileKind,
    pub(super) names: Named,
    pub(super) labels: Option<Vec<Option<String>>>,
    pub(super) notes: Vec<String>,
    /// Whether the file has 32-bit numbers.
    pub(super) single: bool,
    /// Where each row begins among the stored values, and their number; absent where all values are stored,
    /// and where they are stored by columns.
    pub(super) starts: Option<Vec<usize>>,
    pub(super) order: Order,
}

/// How the values are stored.
pub(super) enum Order {
    Rows { file: Compressed, places: Option<Vec<Option<u32>>> },
    Columns(Compressed),
    Dense { path: String, step: usize },
}

impl StoredRows {
    /// The matrix of a file that the options choose.
    pub(super) fn open(reader: &Reader<'_>, options: &ReadOptions) -> Result<Self> {
        let content = content(reader)?;
        let kind = named_kind(&content, reader.path, options)?;
        let layer = options.layer.as_deref();
        let mut found = match &content {
            Content::AnnData => {
                let (path, names) = anndata::named(reader, layer)?;
                Self::of_cells(reader, &path, names)?
            }
            Content::TenX(layout) => Self::of_counts(reader, Selected::new(reader, layout, layer)?)?,
        };
        found.kind = kind;
        let Sides { rows, columns } = found.sides();
        if rows == 0 || columns == 0 {
            let message =
                format!("the matrix has {rows} rows and {columns} columns; at least one of each is needed");
            return Err(crate::error::IoError::unsupported(reader.path, Place::Whole, message, &[]));
        }
        if let Some(column) = &options.label_column {
            found.labels = Some(labels_of_cells(reader, &content, column, rows)?);
        }
        for (names, what) in [(&found.names.rows, "names of cells"), (&found.names.columns, "names of genes")]
        {
            found.notes.extend(crate::duplicates::repeated_note(names, what));
        }
        Ok(found)
    }

    fn of_cells(reader: &Reader<'_>, path: &str, names: Named) -> Result<Self> {
        let (sides, mut notes) = (names.sides(), Vec::new());
        let (single, starts, order) = if reader.file.names(path).is_none() {
            let array = matrix::dense_array(reader, path, sides, &mut notes)?;
            let single = matches!(reader.room_for(path, &array, 0)?, DenseValues::F32(_));
            (single, None, Order::Dense { path: path.to_string(), step: array.step })
        } else if anndata::is_by_rows(reader, path)? {
            let file = Compressed::open(reader, path, sides.rows, &mut notes)?;
            (file.is_single(), Some(file.offsets.clone()), Order::Rows { file, places: None })
        } else {
            let file = Compressed::open(reader, path, sides.columns, &mut notes)?;
            (file.is_single(), None, Order::Columns(file))
        };
        Ok(StoredRows { kind: FileKind::AnnData, names, labels: None, notes, single, starts, order })
    }

    fn of_counts(reader: &Reader<'_>, selected: Selected) -> Result<Self> {
        let sides = selected.sides();
        let Selected { group, names, places, mut notes } = selected;
        let file = Compressed::open(reader, &group, sides.rows, &mut notes)?;
        let starts = match &places {
            Some(places) => file.offsets_of(reader, places)?,
            None => file.offsets.clone(),
        };
        let (single, starts) = (file.is_single(), Some(starts));
        let order = Order::Rows { file, places };
        Ok(StoredRows { kind: FileKind::TenX, names, labels: None, notes, single, starts, order })
    }

    pub(super) fn sides(&self) -> Sides {
        self.names.sides()
    }

    /// The number of stored values.
    pub(super) fn stored(&self) -> usize {
        let Sides { rows, columns } = self.sides();
        match (&self.order, &self.starts) {
            (Order::Rows { file, .. } | Order::Columns(file), starts) => {
                let last = starts.as_ref().unwrap_or(&file.offsets).last();
                last.copied().unwrap_or(0)
            }
            (Order::Dense { .. }, _) => rows * columns,
        }
    }

    /// What a `.pwx` file of it begins with.
    pub(super) fn head<'h>(&'h self, starts: Option<&'h [usize]>) -> Head<'h> {
        let Sides { rows, columns } = self.sides();
        let names = [Some(&self.names.rows[..]), Some(&self.names.columns[..])];
        Head { rows, columns, starts, single: self.single, names, image_shape: None }
    }

    /// Some rows, as 32-bit numbers if `single`.
    ///
    /// # Errors
    /// Every fault of the file; a matrix that is stored by columns.
    pub(super) fn read(&self, reader: &Reader<'_>, rows: Range<usize>, single: bool) -> Result<Values> {
        let columns = self.sides().columns;
        match &self.order {
            Order::Rows { file, places } => file.rows(reader, rows, columns, places.as_deref(), single),
            Order::Columns(_) => Err(reader.unsupported("", "the matrix is stored by columns", &[])),
            Order::Dense { path, step } => {
                let count = rows.len();
                let mut values = match single {
                    true => DenseValues::F32(reader.room(path, count * columns)?),
                    false => DenseValues::F64(reader.room(path, count * columns)?),
                };
                let together = (BLOCK / columns.max(1)).max(1).next_multiple_of(*step);
                for (start, count) in pieces(rows, together) {
                    values.append(reader.reals(path, &[start, 0], &[count, columns])?);
                }
                Ok(Values::Dense { rows: count, columns, values })
            }
        }
    }

    /// Bytes that are needed beside the rows while they are read.
    pub(super) fn reading(&self) -> f64 {
        // A piece as it is stored, its numbers widened, and its places as whole numbers; three times, since
        // the allocator keeps pieces that are freed.
        const EACH: usize = 3 * (8 + 8 + 8);
        let piece = match &self.order {
            Order::Rows { file, .. } | Order::Columns(file) => BLOCK.min(self.stored()).max(file.step()),
            Order::Dense { step, .. } => {
                let Sides { rows, columns } = self.sides();
                (BLOCK / columns.max(1)).clamp(1, rows.max(1)).next_multiple_of(*step) * columns
            }
        };
        (EACH * piece) as f64
    }
}
