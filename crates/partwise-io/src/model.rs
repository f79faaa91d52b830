//! Model files (`.safetensors`): named matrices and one JSON document, for the command line and Python alike.
//!
//! ```text
//! 8 bytes   length of the header, little-endian
//! header    JSON: {"__metadata__": {"partwise": "<JSON document as text>"},
//!                  "<name>": {"dtype": "F32" | "F64", "shape": [rows, columns],
//!                             "data_offsets": [begin, end]}, ...}
//! data      the matrices, row-major, little-endian, without gaps
//! ```
//!
//! The document has `"format"`: [`MODEL_FORMAT`]; readers refuse a newer one. The rest of it is the caller's.

use crate::error::{IoError, Place, Result};
use crate::result_files::RESULT_MARK;
use crate::source::bytes_at;
use crate::source::{Look, looks_like};
use crate::write::write_atomic;
use partwise::{Matrix, Real};
use serde_json::{Map, Value, json};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The number of the document's layout that this version writes, and the newest that it reads.
pub const MODEL_FORMAT: u64 = 1;

/// The versions that made a result, as in its record.
pub fn versions() -> Value {
    json!({ "partwise": env!("CARGO_PKG_VERSION"), "model_format": MODEL_FORMAT })
}

/// The name of the model in a folder of results.
const IN_FOLDER: &str = "model.safetensors";

/// What to say of a folder of results without a model: which command wrote it, and which folders in it have
/// one. `None` if the path does not name the model of a folder that is there.
fn without_model(path: &Path) -> Option<IoError> {
    /// Folders that are listed.
    const MOST: usize = 10;
    let named = path.file_name().is_some_and(|name| name == IN_FOLDER);
    let folder = path.parent().filter(|folder| named && folder.is_dir())?;
    let record = std::fs::read(folder.join(RESULT_MARK)).ok();
    let record = record.and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    let command = record.as_ref().and_then(|record| record.get("command")).and_then(Value::as_str);
    let what = match command {
        Some(command) => format!("this is a result of `partwise {command}`, which has no {IN_FOLDER}"),
        None => format!("this folder has no {IN_FOLDER}"),
    };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let with_model = entries.map(|entry| entry.path()).filter(|path| path.join(IN_FOLDER).is_file());
    let mut with_model: Vec<String> = with_model.map(|path| path.display().to_string()).collect();
    with_model.sort();
    let advice = match with_model.len() {
        0 => "give the folder of a fit or of a classification".to_string(),
        count => {
            let more = if count > MOST { format!(" and {} more", count - MOST) } else { String::new() };
            format!("these folders in it have one: {}{more}", with_model[..count.min(MOST)].join(", "))
        }
    };
    Some(IoError::unsupported(folder, Place::Whole, format!("{what}; {advice}"), &[]))
}

/// Larger headers than this are not believed.
const MAX_HEADER: usize = 100_000_000;
/// How many numbers are made bytes at a time.
const PART: usize = 1 << 14;

/// A matrix in the precision it was computed in.
#[derive(Clone, Debug, PartialEq)]
pub enum Tensor {
    /// 32-bit floating point.
    F32(Matrix<f32>),
    /// 64-bit floating point.
    F64(Matrix<f64>),
}

impl Tensor {
    /// A copy of a matrix, in its precision.
    pub fn new<T: Real>(matrix: &Matrix<T>) -> Self {
        if T::NAME == "f32" { Tensor::F32(matrix.cast()) } else { Tensor::F64(matrix.cast()) }
    }

    /// `(rows, columns)`.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Tensor::F32(matrix) => matrix.shape(),
            Tensor::F64(matrix) => matrix.shape(),
        }
    }

    /// The matrix, in the precision asked for.
    pub fn to_matrix<T: Real>(&self) -> Matrix<T> {
        match self {
            Tensor::F32(matrix) => matrix.cast(),
            Tensor::F64(matrix) => matrix.cast(),
        }
    }

    fn dtype(&self) -> &'static str {
        match self {
            Tensor::F32(_) => "F32",
            Tensor::F64(_) => "F64",
        }
    }

    fn byte_count(&self) -> usize {
        let (rows, columns) = self.shape();
        rows * columns * if matches!(self, Tensor::F32(_)) { 4 } else { 8 }
    }

    /// Writes the numbers, some at a time, so that large factors are not copied.
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut bytes = Vec::new();
        let mut part = |part: &mut dyn Iterator<Item = u8>| {
            bytes.clear();
            bytes.extend(part);
            out.write_all(&bytes)
        };
        match self {
            Tensor::F32(matrix) => matrix
                .as_slice()
                .chunks(PART)
                .try_for_each(|values| part(&mut values.iter().flat_map(|v| v.to_le_bytes()))),
            Tensor::F64(matrix) => matrix
                .as_slice()
                .chunks(PART)
                .try_for_each(|values| part(&mut values.iter().flat_map(|v| v.to_le_bytes()))),
        }
    }

    fn from_bytes(dtype: &str, rows: usize, columns: usize, data: &[u8]) -> Option<Tensor> {
        match dtype {
            "F32" => {
                let values = data.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
                Matrix::from_vec(rows, columns, values).ok().map(Tensor::F32)
            }
            "F64" => {
                let values = data.as_chunks::<8>().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect();
                Matrix::from_vec(rows, columns, values).ok().map(Tensor::F64)
            }
            _ => None,
        }
    }
}

/// What a model file holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelFile {
    /// The document, an object. [`ModelFile::write`] sets its `"format"`.
    pub document: Map<String, Value>,
    /// Matrices with their names.
    pub tensors: Vec<(String, Tensor)>,
}

impl ModelFile {
    /// The path of a model file, or of the one in a folder of results.
    pub fn path_in(path: &Path) -> PathBuf {
        if path.is_dir() { path.join(IN_FOLDER) } else { path.to_path_buf() }
    }

    /// The matrix of this name.
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|(known, _)| known == name).map(|(_, tensor)| tensor)
    }

    /// Writes the file; nothing is left of it when that fails.
    ///
    /// # Errors
    /// What the system reports.
    pub fn write(&self, path: &Path) -> Result<()> {
        write_atomic(path, |writer| self.write_to(writer))
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write_to(&mut bytes).expect("memory takes what is written");
        bytes
    }

    /// Writes the content of the file. 64-bit matrices come first, so that all data are aligned. Of two
    /// matrices of one name the last is kept.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut document = self.document.clone();
        document.insert("format".into(), json!(MODEL_FORMAT));
        let mut header = Map::new();
        header.insert("__metadata__".into(), json!({ "partwise": Value::Object(document).to_string() }));
        let mut ordered: Vec<&(String, Tensor)> = self.tensors.iter().collect();
        ordered.sort_by_key(|(_, tensor)| tensor.dtype() != "F64");
        let is_last = |position: usize| {
            let name = &ordered[position].0;
            ordered[position + 1..].iter().all(|(later, _)| later != name)
        };
        let kept: Vec<_> = (0..ordered.len()).filter(|at| is_last(*at)).map(|at| ordered[at]).collect();
        let mut begin = 0;
        for (name, tensor) in &kept {
            let ((rows, columns), end) = (tensor.shape(), begin + tensor.byte_count());
            let entry =
                json!({ "dtype": tensor.dtype(), "shape": [rows, columns], "data_offsets": [begin, end] });
            header.insert(name.clone(), entry);
            begin = end;
        }
        let mut header = Value::Object(header).to_string().into_bytes();
        header.resize(header.len().next_multiple_of(8), b' ');
        out.write_all(&(header.len() as u64).to_le_bytes())?;
        out.write_all(&header)?;
        kept.iter().try_for_each(|(_, tensor)| tensor.write_to(out))
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// When it can't be read, is not a model of this program, is damaged, or has a newer format.
    pub fn read(path: &Path) -> Result<ModelFile> {
        let (path, bytes) = bytes_at(path).map_err(|error| match error {
            IoError::System { source, .. } if source.kind() == io::ErrorKind::NotFound && !path.exists() => {
                without_model(path).unwrap_or_else(|| IoError::system(path, "open", source))
            }
            other => other,
        })?;
        if bytes.is_empty() {
            return Err(IoError::Empty { path });
        }
        ModelFile::from_bytes(&path, &bytes)
    }

    /// As [`ModelFile::read`] for bytes that are already here; `path` is used in messages.
    ///
    /// # Errors
    /// As [`ModelFile::read`].
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<ModelFile> {
        let (header, data) = split(path, bytes)?;
        let document = document(path, &header)?;
        let mut tensors = Vec::new();
        let mut spans = Vec::new();
        for (name, entry) in header.iter().filter(|(name, _)| *name != "__metadata__") {
            let (tensor, begin, end) = tensor(path, name, entry, data)?;
            tensors.push((name.clone(), tensor));
            spans.push((begin, end));
        }
        spans.sort_unstable();
        let mut covered = 0;
        for (begin, end) in spans {
            if begin != covered {
                let message = format!("the data have a gap or an overlap at byte {covered} of the matrices");
                return Err(IoError::malformed(path, Place::Whole, message));
            }
            covered = end;
        }
        if covered != data.len() {
            let message =
                format!("the matrices end at byte {covered}, but there are {} bytes of data", data.len());
            return Err(IoError::malformed(path, Place::Whole, message));
        }
        Ok(ModelFile { document, tensors })
    }
}

/// The header, and the data after it.
fn split<'a>(path: &Path, bytes: &'a [u8]) -> Result<(Map<String, Value>, &'a [u8])> {
    let fault = |message: String| Err(IoError::malformed(path, Place::Whole, message));
    let wrong = |looks_like: &str| IoError::WrongFormat {
        path: path.to_path_buf(),
        expected: "a model (.safetensors)".into(),
        looks_like: looks_like.into(),
    };
    let (Some(length), look) = (bytes.first_chunk::<8>(), looks_like(bytes)) else {
        return fault(format!(
            "the file ends after {} bytes, before its header (a truncated file?)",
            bytes.len()
        ));
    };
    if matches!(look, Look::Npy | Look::Zip | Look::MatrixMarket | Look::Text) {
        return Err(wrong(look.describe()));
    }
    let length = u64::from_le_bytes(*length);
    let rest = &bytes[8..];
    let Some(length) = usize::try_from(length).ok().filter(|length| *length <= rest.len().min(MAX_HEADER))
    else {
        if !rest.starts_with(b"{") {
            return Err(wrong(look.describe()));
        }
        return fault(format!(
            "the header is to have {length} bytes, but {} follow (a truncated file?)",
            rest.len()
        ));
    };
    let (header, data) = rest.split_at(length);
    match serde_json::from_slice::<Value>(header) {
        Ok(Value::Object(header)) => Ok((header, data)),
        Ok(_) => fault("the header is not a JSON object".into()),
        Err(error) => fault(format!("the header is not valid JSON: {error}")),
    }
}

/// The document of the metadata, its format checked.
fn document(path: &Path, header: &Map<String, Value>) -> Result<Map<String, Value>> {
    let metadata = header.get("__metadata__").and_then(|metadata| metadata.get("partwise"));
    let Some(text) = metadata.and_then(Value::as_str) else {
        let message =
            "this is a safetensors file, but not a Partwise model (its metadata have no \"partwise\")";
        return Err(IoError::unsupported(path, Place::Whole, message, &[]));
    };
    let fault = |message: String| IoError::malformed(path, Place::Member("__metadata__".into()), message);
    let Value::Object(document) =
        serde_json::from_str(text).map_err(|e| fault(format!("the document is not valid JSON: {e}")))?
    else {
        return Err(fault("the document is not a JSON object".into()));
    };
    match document.get("format").and_then(Value::as_u64) {
        Some(MODEL_FORMAT) => Ok(document),
        Some(newer) if newer > MODEL_FORMAT => {
            let message = format!(
                "the model has format {newer}, but this version reads up to {MODEL_FORMAT}; use a newer version of Partwise"
            );
            Err(IoError::unsupported(path, Place::Whole, message, &[]))
        }
        _ => Err(fault(format!("the document has no valid \"format\" (a whole number, now {MODEL_FORMAT})"))),
    }
}

/// A matrix and where its data begin and end.
fn tensor(path: &Path, name: &str, entry: &Value, data: &[u8]) -> Result<(Tensor, usize, usize)> {
    let fault = |message: String| IoError::malformed(path, Place::Member(name.to_string()), message);
    let pair = |key: &str| -> Option<[usize; 2]> {
        let items = entry.get(key)?.as_array()?;
        let items: Option<Vec<usize>> =
            items.iter().map(|item| usize::try_from(item.as_u64()?).ok()).collect();
        items?.try_into().ok()
    };
    let dtype = entry.get("dtype").and_then(Value::as_str).unwrap_or("none");
    let size = match dtype {
        "F32" => 4usize,
        "F64" => 8,
        _ => return Err(fault(format!("the type is {dtype}, but a model's matrices are F32 or F64"))),
    };
    let [rows, columns] = pair("shape").ok_or_else(|| fault("the shape is not two whole numbers".into()))?;
    let [begin, end] =
        pair("data_offsets").ok_or_else(|| fault("the data offsets are not two whole numbers".into()))?;
    let Some(slice) = data.get(begin..end) else {
        return Err(fault(format!(
            "the data are to be at bytes {begin} to {end}, but there are {} (a truncated file?)",
            data.len()
        )));
    };
    if rows.checked_mul(columns).and_then(|n| n.checked_mul(size)) != Some(slice.len()) {
        return Err(fault(format!(
            "the shape {rows} x {columns} of {dtype} does not match {} bytes",
            slice.len()
        )));
    }
    match Tensor::from_bytes(dtype, rows, columns, slice) {
        Some(tensor) => Ok((tensor, begin, end)),
        None => Err(fault(format!("the type is {dtype}, but a model's matrices are F32 or F64"))),
    }
}
