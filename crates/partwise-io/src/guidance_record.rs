//! A [`Guidance`] as a document whose large tables are kept beside it: among the tensors of a model file, or
//! as arrays of Python.
//!
//! ```text
//! guidance.guided.known = {
//!   "topics": [...], "items": [...], "feature_names": [...] or null,     the schema of the library
//!   "samples": [i, ...]        those of which an item says the topic
//! }
//! ```
//!
//! An item names its table `"matrix": "guidance/<its place>"`: memberships, known entries and weights of
//! entries one row a sample, references one row a component, a graph one row an edge (from, to, weight; both
//! ways), weights and the features of lists a single row.

use std::path::Path;

use partwise::Matrix;
use partwise::guidance::{Advice, Guidance, Topic};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::{IoError, Place, Result};
use crate::model::{ModelFile, Tensor};

/// A table, with the name that its item gives it.
pub type NamedTable = (String, Matrix<f64>);

/// The field of a model's `"guidance"` that holds the guidance of the method that takes any.
pub const GUIDED: &str = "guided";

impl ModelFile {
    /// Puts the guidance that a model was fitted by into its file.
    ///
    /// # Panics
    /// When `"guidance"` of the document is there and is not an object.
    pub fn set_guidance(&mut self, guidance: &Guidance) {
        let (known, tables) = guidance_document(guidance);
        self.tensors.extend(tables.into_iter().map(|(name, table)| (name, Tensor::F64(table))));
        let place = self.document.entry("guidance").or_insert_with(|| json!({}));
        let place = place.as_object_mut().expect("the guidance of a document is an object");
        let guided = place.entry(GUIDED).or_insert(Value::Null);
        if !guided.is_object() {
            *guided = json!({});
        }
        guided.as_object_mut().expect("it was made one").insert("known".into(), known);
    }

    /// The guidance that the model was fitted by, where its file holds one.
    ///
    /// # Errors
    /// When what it holds is damaged.
    pub fn guidance(&self, path: &Path) -> Result<Option<Guidance>> {
        let Some(known) = self.document.get("guidance").and_then(|g| g.pointer("/guided/known")) else {
            return Ok(None);
        };
        let table = |name: &str| self.tensor(name).map(Tensor::to_matrix);
        let read = self.check_samples(known).and_then(|()| guidance_of_document(known, table));
        read.map(Some).map_err(|what| {
            IoError::malformed(
                path,
                Place::Member("__metadata__".into()),
                format!("the guidance of the model: {what}"),
            )
        })
    }

    /// An item is about as many samples as the codes have rows, for memory is taken by it.
    fn check_samples(&self, known: &Value) -> Read<()> {
        let rows = self.tensor("codes").map(|codes| codes.shape().0 as u64);
        let items = list(known, "items")?.iter();
        for n in items.filter_map(|item| item.get("n_samples").and_then(Value::as_u64)) {
            match rows {
                Some(rows) if n != rows => {
                    return Err(format!("\"n_samples\" is {n}, but the model has {rows} samples"));
                }
                None if n > MOST_SAMPLES => {
                    return Err(format!("\"n_samples\" is {n}, but the model has no codes"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// The document of a guidance, its items in the order in which they were given, and their tables.
///
/// # Panics
/// Never: every guidance has a document.
pub fn guidance_document(guidance: &Guidance) -> (Value, Vec<NamedTable>) {
    let (mut items, mut tables) = (Vec::new(), Vec::new());
    // The canonical order is not the one in which they were given.
    for (at, advice) in std::mem::take(guidance.clone().advice_mut()).into_iter().enumerate() {
        let (rest, table) = advice.without_table();
        let mut item = serde_json::to_value(&rest).expect("an item is plain");
        if let (Some(table), Some(fields)) = (table, item.as_object_mut()) {
            let name = format!("guidance/{at}");
            fields.insert("matrix".into(), json!(name));
            tables.push((name, table));
        }
        items.push(item);
    }
    let document = json!({
        "topics": guidance.topics(),
        "items": items,
        "samples": guidance.labelled_samples(),
        "feature_names": guidance.feature_names(),
    });
    (document, tables)
}

/// What is wrong, in words.
type Read<T> = std::result::Result<T, String>;

/// The guidance of a document. `table` gives the tables that items name.
///
/// # Errors
/// What is wrong, in words.
pub fn guidance_of_document(
    document: &Value,
    mut table: impl FnMut(&str) -> Option<Matrix<f64>>,
) -> Read<Guidance> {
    let topics: Vec<Topic> = each(document, "topics")?;
    let mut guidance = Guidance::new(topics);
    for item in list(document, "items")? {
        guidance = guidance.with(advice(item, &mut table)?);
    }
    match document.get("feature_names") {
        None | Some(Value::Null) => Ok(guidance),
        Some(names) => Ok(guidance.with_feature_names(value(names)?)),
    }
}

fn advice(item: &Value, table: &mut impl FnMut(&str) -> Option<Matrix<f64>>) -> Read<Advice> {
    let kind = item.get("kind").and_then(Value::as_str).ok_or("\"kind\" of an item is no text")?;
    if !Advice::KINDS.iter().any(|known| known.name == kind) {
        return Err(format!("the kind \"{kind}\" is not known to this version"));
    }
    let table = match item.get("matrix").map(|name| name.as_str().ok_or("\"matrix\" is no text")) {
        None => None,
        Some(name) => {
            let name = name?;
            Some(table(name).ok_or_else(|| format!("the matrix \"{name}\" is missing"))?)
        }
    };
    let read: Advice = value(item).map_err(|what| format!("{kind}: {what}"))?;
    read.with_table(table).map_err(|error| error.to_string())
}

/// The most samples of a model that has no codes to say how many there are.
const MOST_SAMPLES: u64 = 1 << 20;

fn list<'v>(document: &'v Value, key: &str) -> Read<&'v Vec<Value>> {
    let value = document.get(key).ok_or_else(|| format!("\"{key}\" is missing"))?;
    value.as_array().ok_or_else(|| format!("\"{key}\" is no list"))
}

fn each<T: DeserializeOwned>(document: &Value, key: &str) -> Read<Vec<T>> {
    list(document, key)?.iter().map(value).collect()
}

fn value<T: DeserializeOwned>(value: &Value) -> Read<T> {
    T::deserialize(value).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use partwise::graphs::Graph;
    use partwise::guidance::{Feature, LabelRule, Scorer, Seed, Spread, Strength};
    use partwise::recipes::at_scale;
    use partwise::{CodeReference, ComponentReference, LabelTargets, Labels};
    use serde_json::Map;

    fn everything() -> Guidance {
        let graph = Graph::from_entries(3, &[(0, 1, 2.0), (1, 0, 2.0)]).unwrap();
        let shares = Matrix::from_vec(3, 1, vec![f64::NAN, 0.25, 1.0]).unwrap();
        let names = ["sea".to_string(), "sky".to_string()];
        Guidance::new([
            Topic {
                components: 2,
                strength: Strength::HELD,
                ..Topic::new("sea").with_seeds([3]).without(["bird"])
            },
            Topic::new("sky"),
        ])
        .with(Advice::SampleWeights(vec![1.0, 0.5, 0.0]))
        .with(Advice::FeatureWeights(vec![1.0, 0.5, 0.0, 2.0]))
        .with(Advice::Labels {
            labels: Labels::with_names(&[1, -1, 0], &names).unwrap(),
            rule: LabelRule::View,
            strength: Strength::Raw(2.5),
        })
        .with(Advice::Sets {
            names: names.to_vec(),
            sets: vec![None, Some(vec![0, 1]), None],
            strength: Strength::FIRM,
        })
        .with(Advice::Memberships { names: vec!["sky".into()], shares, strength: Strength::Relative(0.1) })
        .with(Advice::References {
            names: vec!["land".into()],
            profiles: Matrix::from_vec(1, 4, vec![0.0, 1.0, 2.0, 3.0]).unwrap(),
            strength: Strength::LIGHT,
        })
        .with(Advice::Links { must: vec![(0, 2)], cannot: vec![(1, 2)], strength: Strength::FIRM })
        .with(Advice::Graph { graph, strength: Strength::LIGHT })
        .with(Advice::KnownEntries(Matrix::from_fn(3, 4, |i, _| f64::from(i == 0))))
        .with(Advice::KnownFeatures(vec![vec![0, 3], vec![], vec![1]].into()))
        .with(Advice::EntryWeights(Matrix::from_fn(3, 4, |i, j| (i + 2 * j) as f64 / 4.0)))
        .with_feature_names(["a", "b", "bird", "d"].map(String::from).to_vec())
        .with(Advice::Spread(Spread {
            names: names.to_vec(),
            posteriors: Matrix::from_vec(3, 2, vec![f64::NAN, f64::NAN, 0.75, 0.25, f64::NAN, f64::NAN])
                .unwrap(),
            weights: vec![0.0, 0.125, 0.0],
            strength: Strength::FIRM,
        }))
        .with(Advice::Scorer(Scorer {
            names: names.to_vec(),
            weights: Matrix::from_vec(2, 5, (0..10).map(|v| f64::from(v) - 4.5).collect()).unwrap(),
            kernel_width: None,
        }))
    }

    #[test]
    fn a_guidance_comes_back_from_the_bytes_of_a_model() {
        let mut model = ModelFile { document: Map::new(), tensors: Vec::new() };
        assert_eq!(model.guidance(Path::new("m")).unwrap(), None);
        model.set_guidance(&everything());
        let model = ModelFile::from_bytes(Path::new("m"), &model.to_bytes()).unwrap();
        let again = model.guidance(Path::new("m")).unwrap().unwrap();
        // NaN differs from itself; its text does not.
        assert_eq!(format!("{again:?}"), format!("{:?}", everything()));
        assert_eq!(model.document["guidance"]["guided"]["known"]["samples"], json!([0, 1, 2]));
    }

    #[test]
    fn a_scorer_without_a_width_is_linear_and_with_one_a_kernel() {
        for kernel_width in [None, Some(0.25)] {
            let weights = Matrix::from_fn(2, 3, |i, j| (i + j) as f64);
            let scorer = Scorer { names: vec!["sea".into()], weights, kernel_width };
            let guidance = Guidance::new([Topic::new("sea")]).with(Advice::Scorer(scorer));
            let mut model = ModelFile { document: Map::new(), tensors: Vec::new() };
            model.set_guidance(&guidance);
            let item = &model.document["guidance"]["guided"]["known"]["items"][0];
            // Files of linear scores are those that were written before there were kernels.
            assert_eq!(item.get("kernel_width").and_then(Value::as_f64), kernel_width);
            let model = ModelFile::from_bytes(Path::new("m"), &model.to_bytes()).unwrap();
            assert_eq!(model.guidance(Path::new("m")).unwrap(), Some(guidance));
        }
    }

    #[test]
    fn a_document_that_keeps_its_tables_comes_back() {
        let text = serde_json::to_string(&everything()).unwrap();
        let again: Guidance = serde_json::from_str(&text).unwrap();
        assert_eq!(format!("{again:?}"), format!("{:?}", everything()));
        let numbers = |rows: usize| Matrix::from_fn(rows, 2, |i, j| (i + j) as f64);
        let marks = Matrix::from_fn(2, 2, |i, _| f64::from(i == 0));
        let targets =
            LabelTargets { targets: Matrix::from_fn(2, 2, |i, j| f64::from(i + j == 0)), known: marks };
        let numbered = Guidance::default()
            .with(Advice::CodeReference(CodeReference { reference: numbers(2), weight: vec![1.0, 0.0] }))
            .with(Advice::ComponentReference(ComponentReference { reference: numbers(1), weight: vec![2.0] }))
            .with(Advice::Targets { targets, strength: Strength::Auto });
        let text = serde_json::to_string(&numbered).unwrap();
        assert_eq!(serde_json::from_str::<Guidance>(&text).unwrap(), numbered);
        let (document, mut tables) = guidance_document(&numbered);
        let take = |name: &str| {
            tables.iter().position(|(known, _)| known == name).map(|at| tables.swap_remove(at).1)
        };
        assert_eq!(guidance_of_document(&document, take).unwrap(), numbered);
    }

    #[test]
    fn what_is_left_out_has_the_default_of_the_library() {
        let text = r#"{
            "topics": [{"name": "sea", "seeds": ["boat", [3, 2.0]]}],
            "items": [
                {"kind": "labels", "n_samples": 2, "samples": [0], "classes": [0], "names": ["sea"]},
                {"kind": "labels", "n_samples": 2, "samples": [0], "classes": [0], "names": ["sea"], "rule": "same-codes"},
                {"kind": "graph", "n_samples": 2, "edges": [[0, 1, 1.0], [1, 0, 1.0]]},
                {"kind": "links", "must": [[0, 1]], "strength": "auto"},
                {"kind": "label targets", "targets": [[1.0], [null]]}
            ]
        }"#;
        let mut guidance: Guidance = serde_json::from_str(text).unwrap();
        let seed = |feature: Feature, weight| Seed { feature, weight };
        let expected =
            Topic { seeds: vec![seed("boat".into(), 1.0), seed(3.into(), 2.0)], ..Topic::new("sea") };
        assert_eq!(guidance.topics(), [expected]);
        let strengths: Vec<_> = guidance.advice_mut().iter().filter_map(Advice::strength).collect();
        let (firm, light, even) = (Strength::FIRM, Strength::LIGHT, Strength::EVEN);
        assert_eq!(strengths, [firm, Strength::HELD, light, Strength::Auto, even]);
        assert!(guidance.searches() && !at_scale(&guidance, 1.0).searches());
        let links = at_scale(&guidance, 0.5).advice()[2].strength();
        assert!(matches!(links, Some(Strength::Relative(s)) if (s - 4.5 / 5.5).abs() < 1e-12), "{links:?}");
    }

    #[test]
    fn every_kind_is_written_by_its_name() {
        for item in everything().advice() {
            assert_eq!(serde_json::to_value(item).unwrap()["kind"], item.kind());
        }
    }

    #[test]
    fn damage_is_named() {
        let damage = |pointer: &str, value: Value| {
            let mut model = ModelFile { document: Map::new(), tensors: Vec::new() };
            model.set_guidance(&everything());
            let known = model.document.get_mut("guidance").unwrap();
            *known.pointer_mut(pointer).unwrap() = value;
            model.guidance(Path::new("m.safetensors")).unwrap_err().to_string()
        };
        for (pointer, value, message) in [
            (
                "/guided/known/topics/0/components",
                json!(0),
                "components is 0, but must be a whole number of 1 or more",
            ),
            ("/guided/known/items/2/samples/0", json!(9), "sample 9 is not below 3"),
            ("/guided/known/items/2/samples", json!([0]), "1 samples, but 2 entries"),
            ("/guided/known/items/4/matrix", json!("nowhere"), "the matrix \"nowhere\" is missing"),
            ("/guided/known/items/6/kind", json!("wishes"), "\"wishes\" is not known"),
            ("/guided/known/items/6/strength", json!("much"), "a strength is no number"),
        ] {
            let found = damage(pointer, value);
            assert!(found.contains(message) && found.contains("m.safetensors"), "{pointer}: {found}");
        }
    }
}
