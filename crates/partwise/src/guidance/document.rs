//! A [`Guidance`] as a document: one schema for model files, guidance from Python and whatever else speaks
//! serde. Defaults are those of the library.
//!
//! ```text
//! {
//!   "topics": [{"name", "components", "seeds": [feature or [feature, weight], ...],
//!               "forbidden": [feature, ...], "strength"}, ...],
//!   "items": [{"kind", "strength", ...}, ...],
//!   "feature_names": [...] or null
//! }
//! ```
//!
//! A feature is a name or a column; a strength is a number from 0 to 1, `{"raw": m}` or `"auto"`. Numbers are
//! lists of rows in which null stands for what is not known. [`Advice::without_table`] takes them out of an
//! item, [`Advice::with_table`] puts them back: whoever has a better place for large tables keeps them there.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::tables::{edges_of, graph_of, table_of};
use super::{Advice, LabelTargets, Strength};
use crate::foundation::Matrix;
use crate::graphs::Graph;
use crate::terms::FeatureLists;

/// A matrix as its rows.
pub(super) mod rows {
    use super::Matrix;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(in super::super) fn none() -> Matrix<f64> {
        Matrix::zeros(0, 0)
    }

    pub(in super::super) fn is_empty(matrix: &Matrix<f64>) -> bool {
        matrix.rows() == 0
    }

    pub(in super::super) fn serialize<S: Serializer>(
        matrix: &Matrix<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..matrix.rows()).map(|i| matrix.row(i)))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Matrix<f64>, D::Error> {
        let rows = Vec::<Vec<Option<f64>>>::deserialize(deserializer)?;
        let columns = rows.first().map_or(0, Vec::len);
        if let Some(at) = rows.iter().position(|row| row.len() != columns) {
            let message =
                format!("row {at} of a matrix has {} numbers, the first has {columns}", rows[at].len());
            return Err(D::Error::custom(message));
        }
        let n = rows.len();
        let values = rows.into_iter().flatten().map(|value| value.unwrap_or(f64::NAN)).collect();
        Matrix::from_vec(n, columns, values).map_err(D::Error::custom)
    }
}

/// The module `$module`: values of the type `$value` are written as a `$text`.
macro_rules! written_as {
    ($module:ident, $value:ty, $text:ident) => {
        pub(super) mod $module {
            use super::*;

            pub(in crate::guidance) fn serialize<S: Serializer>(
                value: &$value,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                $text::from(value).serialize(serializer)
            }

            pub(in crate::guidance) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$value, D::Error> {
                $text::deserialize(deserializer)?.read().map_err(D::Error::custom)
            }
        }
    };
}

written_as!(sets, Vec<Option<Vec<u32>>>, SetsText);
written_as!(weights, Vec<f64>, WeightsText);
written_as!(entries, Matrix<f64>, EntriesText);
written_as!(lists, FeatureLists, ListsText);
written_as!(graph, Graph, GraphText);

/// The labels of samples of which some are known.
#[derive(Deserialize, Serialize)]
struct SetsText {
    n_samples: usize,
    samples: Vec<usize>,
    sets: Vec<Vec<u32>>,
}

impl From<&Vec<Option<Vec<u32>>>> for SetsText {
    fn from(sets: &Vec<Option<Vec<u32>>>) -> Self {
        let known = || sets.iter().enumerate().filter_map(|(i, set)| Some((i, set.as_ref()?)));
        let (samples, listed) =
            (known().map(|(i, _)| i).collect(), known().map(|(_, set)| set.clone()).collect());
        SetsText { n_samples: sets.len(), samples, sets: listed }
    }
}

impl SetsText {
    fn read(self) -> Result<Vec<Option<Vec<u32>>>, String> {
        let listed = self.sets.into_iter().map(Some).collect();
        crate::labels::spread(self.n_samples, &self.samples, listed, None)
    }
}

/// One number for each sample or feature.
#[derive(Deserialize, Serialize)]
struct WeightsText {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    weights: Vec<f64>,
}

impl From<&Vec<f64>> for WeightsText {
    fn from(weights: &Vec<f64>) -> Self {
        WeightsText { weights: weights.clone() }
    }
}

impl WeightsText {
    fn read(self) -> Result<Vec<f64>, String> {
        Ok(self.weights)
    }
}

/// One number for each entry of the data.
#[derive(Deserialize, Serialize)]
struct EntriesText {
    #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
    rows: Matrix<f64>,
}

impl From<&Matrix<f64>> for EntriesText {
    fn from(entries: &Matrix<f64>) -> Self {
        EntriesText { rows: entries.clone() }
    }
}

impl EntriesText {
    fn read(self) -> Result<Matrix<f64>, String> {
        Ok(self.rows)
    }
}

/// Lists of features: how many each sample has, and all of them in a row (or, in old files, list by list).
#[derive(Deserialize, Serialize)]
struct ListsText {
    #[serde(default)]
    counts: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    features: Vec<u32>,
    #[serde(default, skip_serializing)]
    known: Option<Vec<Vec<u32>>>,
}

impl From<&FeatureLists> for ListsText {
    fn from(lists: &FeatureLists) -> Self {
        let counts = lists.offsets().windows(2).map(|pair| pair[1] - pair[0]).collect();
        ListsText { counts, features: lists.features().to_vec(), known: None }
    }
}

impl ListsText {
    fn read(self) -> Result<FeatureLists, String> {
        if let Some(known) = self.known {
            return Ok(known.into());
        }
        let mut offsets = vec![0_usize];
        for count in self.counts {
            let end = offsets.last().and_then(|end| end.checked_add(count));
            offsets.push(end.ok_or("counts is more than is listed")?);
        }
        if self.features.is_empty() {
            return Ok(FeatureLists::without_features(offsets));
        }
        FeatureLists::new(offsets, self.features).map_err(|error| error.to_string())
    }
}

/// A graph: its edges, both ways, as rows (from, to, weight).
#[derive(Deserialize, Serialize)]
struct GraphText {
    n_samples: usize,
    #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
    edges: Matrix<f64>,
}

impl From<&Graph> for GraphText {
    fn from(graph: &Graph) -> Self {
        GraphText { n_samples: graph.n_samples(), edges: edges_of(graph) }
    }
}

impl GraphText {
    fn read(self) -> Result<Graph, String> {
        graph_of(self.n_samples, &self.edges).map_err(|error| error.to_string())
    }
}

/// Label targets as they are written: null where nothing is known.
#[derive(Deserialize, Serialize)]
pub(super) struct TargetsText {
    #[serde(with = "rows", default = "rows::none", skip_serializing_if = "rows::is_empty")]
    targets: Matrix<f64>,
}

impl From<TargetsText> for LabelTargets {
    fn from(text: TargetsText) -> Self {
        LabelTargets::of_table(&text.targets)
    }
}

impl From<LabelTargets> for TargetsText {
    fn from(targets: LabelTargets) -> Self {
        TargetsText { targets: table_of(&targets) }
    }
}

/// Items that are whole: nothing of them is kept elsewhere.
pub(super) fn whole_items<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Advice>, D::Error> {
    let items = Vec::<Advice>::deserialize(deserializer)?;
    items.into_iter().map(|item| item.with_table(None).map_err(serde::de::Error::custom)).collect()
}

impl Strength {
    /// What stands for the default of an item until [`Advice::with_table`]; no fit takes it.
    pub(super) fn unstated() -> Self {
        Strength::Relative(f64::NAN)
    }
}
