//! [`Hdf5`], an open HDF5 file as far as the readers need one, and the one that reads from disk.

use rust_hdf5::{DatatypeMessage, H5Dataset, H5File, H5FileOptions, H5Group, H5Type};
use std::path::Path;

use crate::table::DenseValues;
use crate::text::quoted;

/// What the numbers or texts of an array are stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Half,
    Single,
    Double,
    /// Whole numbers of 1, 2, 4 or 8 bytes.
    Whole {
        bytes: usize,
        signed: bool,
    },
    Boolean,
    Text,
    /// Anything else: records, references.
    Other,
}

impl Element {
    /// The name that NumPy gives it.
    pub(crate) fn name(self) -> String {
        match self {
            Element::Half => "float16".into(),
            Element::Single => "float32".into(),
            Element::Double => "float64".into(),
            Element::Whole { bytes, signed } => {
                format!("{}int{}", if signed { "" } else { "u" }, 8 * bytes)
            }
            Element::Boolean => "bool".into(),
            Element::Text => "text".into(),
            Element::Other => "records or references".into(),
        }
    }
}

/// An array of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) element: Element,
    /// How many rows are stored (and compressed) together; 1 where all of them are.
    pub(crate) step: usize,
}

impl Array {
    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }
}

/// An open HDF5 file. Paths are written without a slash at the beginning; the root is empty. A fault is a
/// sentence.
pub(crate) trait Hdf5 {
    /// The names of what is in a group; `None` where there is no such group.
    fn names(&self, group: &str) -> Option<Vec<String>>;

    /// An attribute of a group or an array, if it is there and is a text.
    fn attribute(&self, path: &str, name: &str) -> Option<String>;

    /// The array at a path; `None` where there is none. Its size is plausible for a file of this length.
    fn array(&self, path: &str) -> Result<Option<Array>, String>;

    /// A block of an array of numbers: `count` values from `start` along each axis, in row-major order.
    /// Single and half precision become `f32`, everything else `f64`.
    fn reals(&self, path: &str, start: &[usize], count: &[usize]) -> Result<DenseValues, String>;

    /// A part of a 1-D array of whole numbers or booleans.
    fn whole(&self, path: &str, start: usize, count: usize) -> Result<Vec<i64>, String>;

    /// A 1-D array of texts.
    fn texts(&self, path: &str) -> Result<Vec<String>, String>;
}

/// A file on disk, read with the crate `rust-hdf5`.
pub(crate) struct Stored {
    file: H5File,
    /// The bytes of the file.
    length: u64,
}

/// As many times its size a compressed file may become: deflate reaches 1,032.
const MOST_COMPRESSED: u64 = 1_100;

/// The filters that can be undone, by number: deflate, shuffle, fletcher32, szip, nbit, scale-offset, lzf.
const FILTERS: [u16; 7] = [1, 2, 3, 4, 5, 6, 32000];

impl Stored {
    /// Opens a file for reading. Another program that has it open is no obstacle, unless it writes.
    ///
    /// `beginning`: the first bytes of the file.
    pub(crate) fn open(path: &Path, beginning: &[u8]) -> Result<Self, String> {
        let length = std::fs::metadata(path).map_err(|e| e.to_string())?.len();
        if let Some(end) = stated_length(beginning).filter(|end| *end > length) {
            return Err(format!("it has {length} bytes, but says that it has {end}"));
        }
        let file = H5FileOptions::new().best_effort_locking().open(path).map_err(|e| e.to_string())?;
        Ok(Stored { file, length })
    }

    fn group(&self, path: &str) -> Option<H5Group> {
        let root = self.file.root_group();
        if path.is_empty() { Some(root) } else { root.group(path).ok() }
    }

    /// Whether there is a link at this path. The file can list an array that it can't open.
    fn is_linked(&self, path: &str) -> bool {
        let (group, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.group(group)
            .and_then(|group| group.link_names().ok())
            .is_some_and(|names| names.iter().any(|known| known == name))
    }

    fn dataset(&self, path: &str) -> Result<H5Dataset, String> {
        self.file.dataset(path).map_err(|e| e.to_string())
    }

    /// Refuses sizes that a file of this length can't have.
    fn check_size(&self, sizes: &[usize], bytes_each: usize) -> Result<(), String> {
        let bytes =
            sizes.iter().try_fold(bytes_each as u64, |product, side| product.checked_mul(*side as u64));
        match bytes {
            Some(bytes) if bytes / MOST_COMPRESSED <= self.length => Ok(()),
            _ => {
                let sides: Vec<String> = sizes.iter().map(ToString::to_string).collect();
                Err(format!(
                    "it says that it has {} values, which is more than a file of {} bytes can hold (damaged?)",
                    sides.join(" x "),
                    self.length
                ))
            }
        }
    }
}

/// The length of the file that its superblock states, where it is in the layout that programs write.
fn stated_length(beginning: &[u8]) -> Option<u64> {
    let byte = |at: usize| beginning.get(at).copied();
    let (version, width) = (byte(8)?, if byte(8)? < 2 { byte(13)? } else { byte(9)? });
    let (base, end) = match version {
        0 => (24, 40),
        1 => (28, 44),
        2 | 3 => (12, 28),
        _ => return None,
    };
    let number = |at: usize| Some(u64::from_le_bytes(beginning.get(at..at + 8)?.try_into().ok()?));
    if width == 8 { number(base)?.checked_add(number(end)?) } else { None }
}

fn element(datatype: &DatatypeMessage) -> Element {
    match datatype {
        DatatypeMessage::FixedPoint { size, signed, bit_offset: 0, bit_precision, .. }
            if matches!(size, 1 | 2 | 4 | 8) && u32::from(*bit_precision) == 8 * size =>
        {
            Element::Whole { bytes: *size as usize, signed: *signed }
        }
        DatatypeMessage::FloatingPoint { .. } => {
            match datatype.ieee_format().map(|_| datatype.element_size()) {
                Some(2) => Element::Half,
                Some(4) => Element::Single,
                Some(8) => Element::Double,
                _ => Element::Other,
            }
        }
        DatatypeMessage::Enum { base, members } => match element(base) {
            // h5py stores booleans as FALSE and TRUE.
            Element::Whole { bytes: 1, .. } if members.len() == 2 => Element::Boolean,
            other => other,
        },
        DatatypeMessage::VarLenString { .. } | DatatypeMessage::FixedString { .. } => Element::Text,
        _ => Element::Other,
    }
}

impl Hdf5 for Stored {
    fn names(&self, group: &str) -> Option<Vec<String>> {
        self.group(group)?.link_names().ok()
    }

    fn attribute(&self, path: &str, name: &str) -> Option<String> {
        match self.group(path) {
            Some(group) => group.attr_string(name).ok(),
            None => self.file.dataset(path).ok()?.attr(name).ok()?.read_string().ok(),
        }
    }

    fn array(&self, path: &str) -> Result<Option<Array>, String> {
        if self.group(path).is_some() || !self.is_linked(path) {
            return Ok(None);
        }
        let dataset = self.dataset(path)?;
        let (shape, chunk) = (dataset.shape(), dataset.chunk_dims());
        self.check_size(&shape, dataset.element_size())?;
        chunk.iter().try_for_each(|chunk| self.check_size(chunk, dataset.element_size()))?;
        let filters = dataset.filters().map_err(|e| e.to_string())?;
        if let Some(filter) = filters.iter().find(|filter| !FILTERS.contains(&filter.id)) {
            return Err(format!(
                "it is compressed by the HDF5 filter {}, which is not supported; valid: gzip, lzf, none",
                filter.id
            ));
        }
        let element = element(&dataset.datatype().map_err(|e| e.to_string())?);
        let step = chunk.and_then(|chunk| chunk.first().copied()).unwrap_or(1).max(1);
        Ok(Some(Array { shape, element, step }))
    }

    fn reals(&self, path: &str, start: &[usize], count: &[usize]) -> Result<DenseValues, String> {
        fn widened<T: H5Type + Into<f64>>(
            dataset: &H5Dataset,
            (start, count): (&[usize], &[usize]),
        ) -> rust_hdf5::Result<DenseValues> {
            Ok(DenseValues::F64(dataset.read_slice::<T>(start, count)?.into_iter().map(Into::into).collect()))
        }
        let dataset = self.dataset(path)?;
        let block = (start, count);
        let found = match element(&dataset.datatype().map_err(|e| e.to_string())?) {
            Element::Half => dataset.read_numeric_slice_as::<f32>(start, count).map(DenseValues::F32),
            Element::Single => dataset.read_slice::<f32>(start, count).map(DenseValues::F32),
            Element::Double => dataset.read_slice::<f64>(start, count).map(DenseValues::F64),
            Element::Boolean | Element::Whole { bytes: 1, signed: false } => widened::<u8>(&dataset, block),
            Element::Whole { bytes: 1, .. } => widened::<i8>(&dataset, block),
            Element::Whole { bytes: 2, signed: false } => widened::<u16>(&dataset, block),
            Element::Whole { bytes: 2, .. } => widened::<i16>(&dataset, block),
            Element::Whole { bytes: 4, signed: false } => widened::<u32>(&dataset, block),
            Element::Whole { bytes: 4, .. } => widened::<i32>(&dataset, block),
            Element::Whole { signed: false, .. } => dataset
                .read_slice::<u64>(start, count)
                .map(|values| DenseValues::F64(values.into_iter().map(|v| v as f64).collect())),
            Element::Whole { .. } => dataset
                .read_slice::<i64>(start, count)
                .map(|values| DenseValues::F64(values.into_iter().map(|v| v as f64).collect())),
            other => return Err(format!("numbers are needed, but this is {}", other.name())),
        };
        let found = found.map_err(|e| e.to_string())?;
        let wanted: usize = count.iter().product();
        match found.len() == wanted {
            true => Ok(found),
            false => Err(format!("{} values could be read, but there must be {wanted}", found.len())),
        }
    }

    fn whole(&self, path: &str, start: usize, count: usize) -> Result<Vec<i64>, String> {
        let dataset = self.dataset(path)?;
        let found = match element(&dataset.datatype().map_err(|e| e.to_string())?) {
            Element::Boolean => dataset
                .read_slice::<u8>(&[start], &[count])
                .map(|values| values.into_iter().map(i64::from).collect()),
            Element::Whole { .. } => dataset.read_numeric_slice_as::<i64>(&[start], &[count]),
            other => return Err(format!("whole numbers are needed, but this is {}", other.name())),
        };
        let found: Vec<i64> = found.map_err(|e| e.to_string())?;
        match found.len() == count {
            true => Ok(found),
            false => Err(format!("{} values could be read, but there must be {count}", found.len())),
        }
    }

    fn texts(&self, path: &str) -> Result<Vec<String>, String> {
        let dataset = self.dataset(path)?;
        let items = match dataset.datatype().map_err(|e| e.to_string())? {
            DatatypeMessage::VarLenString { .. } => dataset.read_vlen_bytes().map_err(|e| e.to_string())?,
            DatatypeMessage::FixedString { size, padding, .. } if size > 0 => {
                let bytes = dataset.read_raw_bytes().map_err(|e| e.to_string())?;
                bytes.chunks_exact(size as usize).map(|item| unpadded(item, padding).to_vec()).collect()
            }
            other => return Err(format!("texts are needed, but this is {}", element(&other).name())),
        };
        let wanted: usize = dataset.shape().iter().product();
        if items.len() != wanted {
            return Err(format!("{} texts could be read, but there must be {wanted}", items.len()));
        }
        let text = |(at, bytes): (usize, Vec<u8>)| {
            String::from_utf8(bytes).map_err(|e| {
                let shown = quoted(e.as_bytes());
                format!("text {at} (counted from 0) is not UTF-8: {shown}; write the names as UTF-8")
            })
        };
        items.into_iter().enumerate().map(text).collect()
    }
}

/// A text of fixed length without what fills it up.
fn unpadded(item: &[u8], padding: u8) -> &[u8] {
    const SPACES: u8 = 2;
    let end = match padding {
        SPACES => item.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1),
        _ => item.iter().position(|byte| *byte == 0).unwrap_or(item.len()),
    };
    &item[..end]
}
