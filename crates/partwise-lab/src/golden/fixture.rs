//! [`Fixture`] and [`Problem`]: the files of the reference folder as values.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use partwise::Matrix;
use serde_json::Value;

/// Factors by the name that a fixture gives them.
pub type NamedFactors = Vec<(String, Matrix<f64>)>;

/// One reference file.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Its name in the folder.
    pub file: String,
    /// Everything it says.
    pub value: Value,
    folder: PathBuf,
}

impl Fixture {
    /// Reads `file` of `folder`.
    ///
    /// # Errors
    /// When it can't be read or is no JSON.
    pub fn read(folder: &Path, file: &str) -> Result<Self> {
        Ok(Fixture { file: file.into(), value: read_json(&folder.join(file))?, folder: folder.into() })
    }

    /// A fixture that names no other file, from its content.
    pub fn of(file: &str, value: Value) -> Self {
        Fixture { file: file.into(), value, folder: PathBuf::new() }
    }

    /// The method, as the file's name starts.
    pub fn method(&self) -> &str {
        let stem = self.file.strip_suffix(".json").unwrap_or(&self.file);
        stem.split_once("__").map_or(stem, |(method, _)| method)
    }

    /// The field at `path`, outermost name first.
    ///
    /// # Errors
    /// When there is no such field.
    pub fn field(&self, path: &[&str]) -> Result<&Value> {
        path.iter()
            .try_fold(&self.value, |value, name| value.get(name))
            .with_context(|| format!("there is no field {}", path.join(".")))
    }

    /// The problem that the field `problem` names.
    ///
    /// # Errors
    /// When there is none or its file can't be read.
    pub fn problem(&self) -> Result<Problem> {
        self.problem_named(self.field(&["problem"])?.as_str().context("problem is no file name")?)
    }

    /// The problem in `file` of the same folder.
    ///
    /// # Errors
    /// When its file can't be read.
    pub fn problem_named(&self, file: &str) -> Result<Problem> {
        Ok(Problem { value: read_json(&self.folder.join(file))? })
    }

    /// The hyper-parameter `name`.
    ///
    /// # Errors
    /// When there is no such number.
    pub fn hyper(&self, name: &str) -> Result<f64> {
        self.field(&["hyper", name])?.as_f64().with_context(|| format!("hyper.{name} is no number"))
    }

    /// The matrix `name` among the further inputs (`data`); a vector is a matrix of one column.
    ///
    /// # Errors
    /// When there is none.
    pub fn data_matrix(&self, name: &str) -> Result<Matrix<f64>> {
        matrix(self.field(&["data", name])?).with_context(|| format!("data.{name}"))
    }

    /// The vector `name` among the further inputs (`data`).
    ///
    /// # Errors
    /// When there is none.
    pub fn data_vector(&self, name: &str) -> Result<Vec<f64>> {
        numbers(self.field(&["data", name])?).with_context(|| format!("data.{name}"))
    }

    /// The starting factor `name`.
    ///
    /// # Errors
    /// When there is none.
    pub fn init(&self, name: &str) -> Result<Matrix<f64>> {
        matrix(self.field(&["init", name])?).with_context(|| format!("init.{name}"))
    }

    /// The relative tolerance of this file.
    ///
    /// # Errors
    /// When it names none.
    pub fn tolerance(&self) -> Result<f64> {
        self.field(&["tolerance"])?.as_f64().context("tolerance is no number")
    }

    /// The expected objective by iteration, in the file's order.
    ///
    /// # Errors
    /// When there is none.
    pub fn expected_objectives(&self) -> Result<Vec<(usize, f64)>> {
        by_iteration(self.field(&["expected", "objective"])?, |value| value.as_f64().context("no number"))
            .context("expected.objective")
    }

    /// The expected factors by iteration and name, in the file's order; a vector is a matrix of one column.
    ///
    /// # Errors
    /// When there are none.
    pub fn expected_factors(&self) -> Result<Vec<(usize, NamedFactors)>> {
        by_iteration(self.field(&["expected", "factors"])?, |value| {
            let factors = value.as_object().context("no factors by name")?;
            factors.iter().map(|(name, value)| Ok((name.clone(), matrix(value)?))).collect()
        })
        .context("expected.factors")
    }

    /// The expected projected-gradient norms by iteration, where the file has them (else nothing).
    ///
    /// # Errors
    /// When the field is malformed.
    pub fn expected_projected_gradient_norms(&self) -> Result<Vec<(usize, f64)>> {
        match self.value.get("expected_projected_gradient_norm") {
            None => Ok(Vec::new()),
            Some(value) => by_iteration(value, |value| value.as_f64().context("no number"))
                .context("expected_projected_gradient_norm"),
        }
    }
}

/// The data that fixtures share.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Everything the file says.
    pub value: Value,
}

impl Problem {
    /// X (n samples × d features), in full.
    ///
    /// # Errors
    /// When there is none.
    pub fn dense(&self) -> Result<Matrix<f64>> {
        matrix(self.field("X")?).context("X")
    }

    /// X as its non-zeros.
    ///
    /// # Errors
    /// As [`Problem::dense`].
    pub fn sparse(&self) -> Result<Triplets> {
        Ok(Triplets::of(&self.dense()?))
    }

    /// The given labels (n), −1 where there is none.
    ///
    /// # Errors
    /// When the problem has none.
    pub fn labels(&self) -> Result<Vec<i32>> {
        integers(self.field("y")?).context("y")
    }

    /// The true classes (n).
    ///
    /// # Errors
    /// When the problem has none.
    pub fn true_labels(&self) -> Result<Vec<i32>> {
        integers(self.field("y_true")?).context("y_true")
    }

    /// The rank k.
    ///
    /// # Errors
    /// When the problem has none.
    pub fn rank(&self) -> Result<usize> {
        Ok(self.field("k")?.as_u64().context("k is no number of components")? as usize)
    }

    /// The field `name`.
    ///
    /// # Errors
    /// When there is no such field.
    pub fn field(&self, name: &str) -> Result<&Value> {
        self.value.get(name).with_context(|| format!("the problem has no field {name}"))
    }
}

/// A matrix as its non-zeros, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Triplets {
    /// Rows and columns.
    pub shape: (usize, usize),
    /// (row, column, value), by row and then by column.
    pub entries: Vec<(usize, usize, f64)>,
}

impl Triplets {
    /// The non-zeros of `matrix`.
    pub fn of(matrix: &Matrix<f64>) -> Self {
        let mut entries = Vec::new();
        for i in 0..matrix.rows() {
            for (j, &value) in matrix.row(i).iter().enumerate() {
                if value != 0.0 {
                    entries.push((i, j, value));
                }
            }
        }
        Triplets { shape: matrix.shape(), entries }
    }

    /// Compressed rows: where each row starts (rows + 1), the column of each value, and the values.
    pub fn compressed_rows(&self) -> (Vec<usize>, Vec<usize>, Vec<f64>) {
        let mut starts = vec![0; self.shape.0 + 1];
        for entry in &self.entries {
            starts[entry.0 + 1] += 1;
        }
        for i in 0..self.shape.0 {
            starts[i + 1] += starts[i];
        }
        let columns = self.entries.iter().map(|entry| entry.1).collect();
        (starts, columns, self.entries.iter().map(|entry| entry.2).collect())
    }
}

/// A matrix in any of the fixtures' forms: `{"format": "dense" | "coo", …}`, a list of rows, or a list of
/// numbers (one column).
///
/// # Errors
/// When `value` is none of these, rows differ in length, or an index is out of range.
pub fn matrix(value: &Value) -> Result<Matrix<f64>> {
    match value.get("format").and_then(Value::as_str) {
        None => rows(value),
        Some("dense") => {
            let matrix = rows(&value["data"])?;
            let shape = shape(value)?;
            ensure!(matrix.shape() == shape, "the shape is {:?}, but {shape:?} is written", matrix.shape());
            Ok(matrix)
        }
        Some("coo") => {
            let (n_rows, n_columns) = shape(value)?;
            let (i, j, values) =
                (integers(&value["row"])?, integers(&value["col"])?, numbers(&value["data"])?);
            ensure!(i.len() == j.len() && j.len() == values.len(), "row, col and data differ in length");
            let mut matrix = Matrix::zeros(n_rows, n_columns);
            for ((i, j), value) in i.into_iter().zip(j).zip(values) {
                let (i, j) = (usize::try_from(i)?, usize::try_from(j)?);
                ensure!(
                    i < n_rows && j < n_columns,
                    "the entry ({i}, {j}) is outside {n_rows} x {n_columns}"
                );
                matrix.set(i, j, value);
            }
            Ok(matrix)
        }
        Some(other) => bail!("the format \"{other}\" of a matrix is not known"),
    }
}

/// The numbers of a list.
///
/// # Errors
/// When `value` is no list of numbers.
pub fn numbers(value: &Value) -> Result<Vec<f64>> {
    let list = value.as_array().context("no list of numbers")?;
    list.iter().map(|entry| entry.as_f64().with_context(|| format!("{entry} is no number"))).collect()
}

/// The numbers of a list, or of a list of lists one after another.
///
/// # Errors
/// When `value` is neither.
pub fn flat_numbers(value: &Value) -> Result<Vec<f64>> {
    Ok(matrix(value)?.into_vec())
}

/// The integers of a list.
///
/// # Errors
/// When `value` is no list of integers of 32 bits.
pub fn integers(value: &Value) -> Result<Vec<i32>> {
    let list = value.as_array().context("no list of integers")?;
    list.iter()
        .map(|entry| {
            let number = entry.as_i64().with_context(|| format!("{entry} is no integer"))?;
            Ok(i32::try_from(number)?)
        })
        .collect()
}

fn rows(value: &Value) -> Result<Matrix<f64>> {
    let list = value.as_array().context("no list of rows")?;
    if list.first().is_none_or(|first| !first.is_array()) {
        let values = numbers(value)?;
        return Ok(Matrix::from_vec(values.len(), 1, values)?);
    }
    let list: Vec<Vec<f64>> = list.iter().map(numbers).collect::<Result<_>>()?;
    let columns = list[0].len();
    ensure!(list.iter().all(|row| row.len() == columns), "rows differ in length");
    Ok(Matrix::from_vec(list.len(), columns, list.concat())?)
}

fn shape(value: &Value) -> Result<(usize, usize)> {
    let shape = integers(&value["shape"]).context("shape")?;
    ensure!(shape.len() == 2, "the shape of a matrix has {} numbers", shape.len());
    Ok((usize::try_from(shape[0])?, usize::try_from(shape[1])?))
}

fn by_iteration<T>(value: &Value, read: impl Fn(&Value) -> Result<T>) -> Result<Vec<(usize, T)>> {
    let table = value.as_object().context("no table by iteration")?;
    table
        .iter()
        .map(|(iteration, value)| {
            let number = iteration.parse().with_context(|| format!("\"{iteration}\" is no iteration"))?;
            Ok((number, read(value).with_context(|| format!("at {iteration}"))?))
        })
        .collect()
}

fn read_json(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is no JSON", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_form_of_a_matrix_is_read() {
        let expected = Matrix::from_vec(2, 2, vec![1.0, 0.0, 0.0, 2.5]).unwrap();
        let rows = json!([[1.0, 0], [0, 2.5]]);
        assert_eq!(matrix(&rows).unwrap(), expected);
        assert_eq!(matrix(&json!({"format": "dense", "shape": [2, 2], "data": rows})).unwrap(), expected);
        let coo = json!({"format": "coo", "shape": [2, 2], "row": [0, 1], "col": [0, 1], "data": [1.0, 2.5]});
        assert_eq!(matrix(&coo).unwrap(), expected);
        assert_eq!(matrix(&json!([3.0, 4.0])).unwrap().shape(), (2, 1));
    }

    #[test]
    fn malformed_matrices_are_refused() {
        assert!(matrix(&json!([[1.0], [1.0, 2.0]])).is_err());
        assert!(matrix(&json!({"format": "dense", "shape": [1, 2], "data": [[1.0]]})).is_err());
        assert!(
            matrix(&json!({"format": "coo", "shape": [1, 1], "row": [1], "col": [0], "data": [1]})).is_err()
        );
        assert!(matrix(&json!({"format": "csr"})).is_err());
        assert!(matrix(&json!("words")).is_err());
    }

    #[test]
    fn compressed_rows_keep_empty_rows() {
        let triplets = Triplets { shape: (3, 2), entries: vec![(0, 0, 1.0), (0, 1, 2.0), (2, 1, 3.0)] };
        assert_eq!(triplets.compressed_rows(), (vec![0, 2, 2, 3], vec![0, 1, 1], vec![1.0, 2.0, 3.0]));
    }
}
