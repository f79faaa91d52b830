//! Matching by name: rows and columns of a table are matched to samples and features by name, in any order.

use crate::name_index::{Found, NameIndex};
use crate::table::{DenseValues, Values};

/// Whether names are only the places 0, 1, 2, ..., which is what programs write where there are no names.
pub(crate) fn are_places(names: &[String]) -> bool {
    names.iter().enumerate().all(|(at, name)| *name == at.to_string())
}

/// What is matched, for messages.
#[derive(Clone, Copy, Debug)]
pub struct Matched {
    /// What of the table has the names: "column" or "row".
    pub part: &'static str,
    /// What it is: "feature" or "sample".
    pub of: &'static str,
    /// Whose names decide: "the data" or "the model".
    pub side: &'static str,
}

impl Matched {
    /// Columns of a table, for the features of the data.
    pub const FEATURES: Matched = Matched { part: "column", of: "feature", side: "the data" };
    /// Rows of a table, for the samples of the data.
    pub const SAMPLES: Matched = Matched { part: "row", of: "sample", side: "the data" };
    /// Columns of a table, for the samples of the data.
    pub const COLUMNS_FOR_SAMPLES: Matched = Matched { part: "column", of: "sample", side: "the data" };
    /// Columns of a table, for the features of a model.
    pub const FEATURES_OF_MODEL: Matched = Matched { part: "column", of: "feature", side: "the model" };
}

/// Where each of the data's things is among those of a table: its place, or `None` for what the table leaves
/// out.
///
/// `Ok(None)` means to take the table by place: one side has no names, or both have the same ones in the same
/// order. With `partial` the table may leave things out.
///
/// # Errors
/// A sentence: names of the table that the data don't have, names of the data that the table lacks, both with
/// the nearest ones, and names that come twice, with their places.
pub fn places_by_name(
    own: Option<&[String]>,
    wanted: Option<&[String]>,
    matched: Matched,
    partial: bool,
) -> Result<Option<Vec<Option<usize>>>, String> {
    let (Some(own), Some(wanted)) = (own, wanted) else { return Ok(None) };
    let Matched { part, of, side } = matched;
    // Places of one side say nothing to names of the other; in another order they are names like any.
    if own == wanted || are_places(own) || are_places(wanted) && !same_names(own, wanted) {
        return Ok(None);
    }
    let places = unique(own, "its")?;
    let data = unique(wanted, &format!("{side}'s"))?;
    let unknown: Vec<&str> = own.iter().map(String::as_str).filter(|name| !data.contains(name)).collect();
    let missing: Vec<&str> =
        wanted.iter().map(String::as_str).filter(|name| !places.contains(name)).collect();
    if let (Some(first), false) = (missing.first(), partial) {
        let near = places.near(first);
        let more = match unknown.len() {
            0 => String::new(),
            count => format!(", and {count} of its {} names are not in {side}", own.len()),
        };
        return Err(format!(
            "no {part} is named \"{first}\", as a {of} of {side} is{near}: {} of the {} {of}s of {side} are \
            not in it{more}; name all {of}s as in {side}",
            missing.len(),
            wanted.len()
        ));
    }
    if let Some(first) = unknown.first() {
        return Err(format!(
            "{} of its {} names are not {of}s of {side}, the first \"{first}\"{}; remove them, or rename \
            them as in {side}",
            unknown.len(),
            own.len(),
            data.near(first)
        ));
    }
    let place = |name: &String| match places.find(name) {
        Some(Found::Once(at)) => Some(at),
        _ => None,
    };
    Ok(Some(wanted.iter().map(place).collect()))
}

/// As [`places_by_name`] where nothing may be left out.
///
/// # Errors
/// As [`places_by_name`].
pub fn order_by_name(
    own: Option<&[String]>,
    wanted: Option<&[String]>,
    matched: Matched,
) -> Result<Option<Vec<usize>>, String> {
    Ok(places_by_name(own, wanted, matched, false)?.map(|places| places.into_iter().flatten().collect()))
}

impl Values {
    /// The rows of these numbers, in this order.
    ///
    /// # Panics
    /// When there is no such row.
    #[must_use]
    pub fn with_rows(self, order: &[usize]) -> Self {
        match self {
            Values::Dense { columns, values, .. } => {
                let places = order.iter().flat_map(|i| i * columns..(i + 1) * columns);
                Values::Dense { rows: order.len(), columns, values: values.at(places) }
            }
            Values::Sparse { columns, indptr, indices, values, .. } => {
                let entries = || order.iter().flat_map(|i| indptr[*i]..indptr[i + 1]);
                let mut offsets = vec![0];
                let mut end = 0;
                for i in order {
                    end += indptr[i + 1] - indptr[*i];
                    offsets.push(end);
                }
                let indices = entries().map(|e| indices[e]).collect();
                Values::Sparse {
                    rows: order.len(),
                    columns,
                    indptr: offsets,
                    indices,
                    values: values.at(entries()),
                }
            }
        }
    }

    /// The columns of these numbers, in this order; the others are left out.
    ///
    /// # Panics
    /// When there is no such column.
    #[must_use]
    pub fn with_columns(self, order: &[usize]) -> Self {
        match self {
            Values::Dense { rows, columns, values } => {
                let places = (0..rows).flat_map(|i| order.iter().map(move |j| i * columns + j));
                Values::Dense { rows, columns: order.len(), values: values.at(places) }
            }
            Values::Sparse { rows, columns, indptr, indices, values } => {
                let mut place = vec![u32::MAX; columns];
                order.iter().enumerate().for_each(|(new, old)| place[*old] = new as u32);
                let place = |entry: &usize| place[indices[*entry] as usize];
                let (mut entries, mut offsets) = (Vec::with_capacity(indices.len()), vec![0]);
                for i in 0..rows {
                    let start = entries.len();
                    entries.extend((indptr[i]..indptr[i + 1]).filter(|entry| place(entry) != u32::MAX));
                    entries[start..].sort_unstable_by_key(place);
                    offsets.push(entries.len());
                }
                let moved = entries.iter().map(place).collect();
                let values = values.at(entries.into_iter());
                Values::Sparse { rows, columns: order.len(), indptr: offsets, indices: moved, values }
            }
        }
    }
}

impl DenseValues {
    /// The values in these places.
    fn at(&self, places: impl Iterator<Item = usize>) -> Self {
        match self {
            DenseValues::F32(values) => DenseValues::F32(places.map(|at| values[at]).collect()),
            DenseValues::F64(values) => DenseValues::F64(places.map(|at| values[at]).collect()),
        }
    }
}

/// Whether two lists hold the same names, in any order.
pub fn same_names(own: &[String], wanted: &[String]) -> bool {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names
    };
    own.len() == wanted.len() && sorted(own) == sorted(wanted)
}

/// The names by their places; a name that comes twice can't be matched.
fn unique<'n>(names: &'n [String], whose: &str) -> Result<NameIndex<'n>, String> {
    let index = NameIndex::new(names);
    match index.repeated() {
        None => Ok(index),
        Some((name, first, second)) => Err(format!(
            "the name \"{name}\" occurs twice in {whose} names, at {first} and {second} (counted from 0), so \
            it cannot be matched; rename one of them"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split(' ').map(String::from).collect()
    }

    #[test]
    fn names_decide_whatever_the_order_and_places_are_no_names() {
        let order = |own: &str, wanted: &str| {
            order_by_name(Some(&names(own)), Some(&names(wanted)), Matched::FEATURES)
        };
        assert_eq!(order("c a b", "a b c"), Ok(Some(vec![1, 2, 0])));
        for (own, wanted) in [("a b c", "a b c"), ("0 1 2", "a b c"), ("a b c", "0 1 2"), ("a a b", "a a b")]
        {
            assert_eq!(order(own, wanted), Ok(None), "{own} {wanted}");
        }
        assert_eq!(order("2 0 1", "0 1 2"), Ok(Some(vec![1, 2, 0])));
        assert_eq!(order_by_name(None, Some(&names("a")), Matched::FEATURES), Ok(None));
        let partial = places_by_name(Some(&names("c a")), Some(&names("a b c")), Matched::SAMPLES, true);
        assert_eq!(partial, Ok(Some(vec![Some(1), None, Some(0)])));
    }

    #[test]
    fn rows_and_columns_of_dense_and_sparse_numbers_move_alike() {
        let dense = Values::Dense {
            rows: 2,
            columns: 3,
            values: DenseValues::F64(vec![1.0, 0.0, 2.0, 0.0, 3.0, 4.0]),
        };
        let sparse = Values::Sparse {
            rows: 2,
            columns: 3,
            indptr: vec![0, 2, 4],
            indices: vec![0, 2, 1, 2],
            values: DenseValues::F64(vec![1.0, 2.0, 3.0, 4.0]),
        };
        for values in [dense, sparse] {
            let path = std::path::Path::new("x");
            let moved = values.clone().with_columns(&[2, 0, 1]).with_rows(&[1, 0]);
            let matrix = moved.into_matrix::<f64>(path).unwrap();
            assert_eq!(matrix.as_slice(), [4.0, 0.0, 3.0, 2.0, 1.0, 0.0]);
            let few = values.with_columns(&[2, 0]).into_matrix::<f64>(path).unwrap();
            assert_eq!((few.shape(), few.as_slice()), ((2, 2), &[2.0, 1.0, 4.0, 0.0][..]));
        }
    }

    #[test]
    fn what_cannot_be_matched_is_refused_with_the_nearest_names() {
        for (own, partial, parts) in [
            ("ball gaol vote", false, &["1 of the 3 features", "\"goal\"", "nearest: \"gaol\""][..]),
            ("ball goal vote extra", false, &["1 of its 4 names", "\"extra\""]),
            ("ball gaol", true, &["1 of its 2 names", "\"gaol\"", "nearest: \"goal\""]),
            ("vote ball ball goal", false, &["\"ball\"", "at 1 and 2"]),
        ] {
            let wanted = names("ball goal vote");
            let message =
                places_by_name(Some(&names(own)), Some(&wanted), Matched::FEATURES, partial).unwrap_err();
            for part in parts {
                assert!(message.contains(part), "{own}: \"{part}\" is not in: {message}");
            }
        }
    }
}
