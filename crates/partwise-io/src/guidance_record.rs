//! A [`Guidance`] in a model file: its numbers and names in the document, its matrices among the tensors.
//!
//! ```text
//! guidance.guided.known = {
//!   "topics": [{"name", "components", "seeds": [[feature, weight], ...], "forbidden": [feature, ...], "strength"}, ...],
//!   "items": [{"kind", "strength", ...}, ...],     in the order in which they were given
//!   "samples": [i, ...],                           those of which an item says the topic
//!   "feature_names": [...] or null
//! }
//! ```
//!
//! A feature is a name or a column, a strength a number from 0 to 1 or `{"raw": m}`. An item names its matrix `"guidance/<its place>"`:
//! memberships, known entries and weights of entries one row a sample, references one row a component, a graph one row an edge (i, l, weight; both ways),
//! sample weights a single row; of known features the document has the count of each sample, the matrix a single row with all of them.

use std::path::Path;

use partwise::graphs::Graph;
use partwise::guidance::{Advice, Feature, FeatureLists, Guidance, LabelRule, Seed, Strength, Topic};
use partwise::{Labels, Matrix};
use serde_json::{Map, Value, json};

use crate::error::{IoError, Place, Result};
use crate::model::{ModelFile, Tensor};

const RULES: [(&str, LabelRule); 3] =
    [("components", LabelRule::Components), ("same-codes", LabelRule::SameCodes), ("view", LabelRule::View)];

impl ModelFile {
    /// Puts the guidance that a model was fitted by into its file.
    ///
    /// # Panics
    /// When `"guidance"` of the document is there and is not an object.
    pub fn set_guidance(&mut self, guidance: &Guidance) {
        let mut items = Vec::new();
        let mut samples = Vec::new();
        // In the order in which they were given, which the canonical one is not.
        for (at, advice) in guidance.clone().advice_mut().iter().enumerate() {
            let matrix = format!("guidance/{at}");
            let (line, tensor) = item(advice, &matrix);
            items.push(line);
            samples.extend(spoken_of(advice));
            self.tensors.extend(tensor.map(|values| (matrix, Tensor::F64(values))));
        }
        samples.sort_unstable();
        samples.dedup();
        let topic = |topic: &Topic| {
            let seeds: Vec<Value> =
                topic.seeds.iter().map(|seed| json!([feature(&seed.feature), seed.weight])).collect();
            json!({ "name": topic.name, "components": topic.components, "seeds": seeds,
                "forbidden": topic.forbidden.iter().map(feature).collect::<Vec<_>>(),
                "strength": strength(topic.strength) })
        };
        let known = json!({
            "topics": guidance.topics().iter().map(topic).collect::<Vec<_>>(),
            "items": items,
            "samples": samples,
            "feature_names": guidance.feature_names(),
        });
        let place = self.document.entry("guidance").or_insert_with(|| json!({}));
        let place = place.as_object_mut().expect("the guidance of a document is an object");
        let guided = place.entry("guided").or_insert(Value::Null);
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
        let read = Reader { model: self }.guidance(known);
        read.map(Some).map_err(|what| {
            IoError::malformed(
                path,
                Place::Member("__metadata__".into()),
                format!("the guidance of the model: {what}"),
            )
        })
    }
}

fn strength(strength: Strength) -> Value {
    match strength {
        Strength::Relative(s) => json!(s),
        Strength::Raw(m) => json!({ "raw": m }),
    }
}

fn feature(feature: &Feature) -> Value {
    match feature {
        Feature::Index(column) => json!(column),
        Feature::Name(name) => json!(name),
    }
}

/// The samples of which an item says the topic.
fn spoken_of(advice: &Advice) -> Vec<usize> {
    match advice {
        Advice::Labels { labels, .. } => {
            (0..labels.n_samples()).filter(|i| labels.class(*i).is_some()).collect()
        }
        Advice::Sets { sets, .. } => (0..sets.len()).filter(|i| sets[*i].is_some()).collect(),
        Advice::Memberships { shares, .. } => {
            (0..shares.rows()).filter(|i| shares.row(*i).iter().any(|s| !s.is_nan())).collect()
        }
        _ => Vec::new(),
    }
}

/// An item for the document, and its matrix.
fn item(advice: &Advice, matrix: &str) -> (Value, Option<Matrix<f64>>) {
    let mut line = Map::new();
    let mut set = |key: &str, value: Value| line.insert(key.into(), value);
    set("kind", json!(advice.kind()));
    if let Some(stated) = advice.strength() {
        set("strength", strength(stated));
    }
    let tensor = match advice {
        Advice::Labels { labels, rule, .. } => {
            let classes = labels.to_integers();
            let samples: Vec<usize> = (0..classes.len()).filter(|i| classes[*i] >= 0).collect();
            set("n_samples", json!(classes.len()));
            set("classes", json!(samples.iter().map(|i| classes[*i]).collect::<Vec<_>>()));
            set("samples", json!(samples));
            set("names", json!(labels.names()));
            let name = RULES.iter().find(|(_, known)| known == rule).map(|(name, _)| *name);
            set("rule", json!(name));
            None
        }
        Advice::Sets { names, sets, .. } => {
            let samples: Vec<usize> = (0..sets.len()).filter(|i| sets[*i].is_some()).collect();
            set("n_samples", json!(sets.len()));
            set("sets", json!(samples.iter().map(|i| &sets[*i]).collect::<Vec<_>>()));
            set("samples", json!(samples));
            set("names", json!(names));
            None
        }
        Advice::Memberships { names, shares, .. } => {
            set("names", json!(names));
            Some(shares.clone())
        }
        Advice::References { names, profiles, .. } => {
            set("names", json!(names));
            Some(profiles.clone())
        }
        Advice::Links { must, cannot, .. } => {
            set("must", json!(must));
            set("cannot", json!(cannot));
            None
        }
        Advice::Graph { graph, .. } => {
            set("n_samples", json!(graph.n_samples()));
            let entries = graph.entries();
            Some(Matrix::from_fn(entries.len(), 3, |e, c| match c {
                0 => entries[e].0 as f64,
                1 => entries[e].1 as f64,
                _ => entries[e].2,
            }))
        }
        Advice::SampleWeights(weights) | Advice::FeatureWeights(weights) => {
            Some(Matrix::from_fn(1, weights.len(), |_, i| weights[i]))
        }
        Advice::KnownEntries(known) | Advice::EntryWeights(known) => Some(known.clone()),
        Advice::KnownFeatures(known) => {
            set("counts", json!(known.rows().map(<[u32]>::len).collect::<Vec<_>>()));
            let features = known.features();
            // A matrix needs a column; without a feature the counts say everything.
            (!features.is_empty()).then(|| Matrix::from_fn(1, features.len(), |_, e| f64::from(features[e])))
        }
        // A kind that this file knows nothing of is told by name, and refused when it is read.
        _ => None,
    };
    if tensor.is_some() {
        set("matrix", json!(matrix));
    }
    (Value::Object(line), tensor)
}

/// What is wrong, in words.
type Read<T> = std::result::Result<T, String>;

struct Reader<'m> {
    model: &'m ModelFile,
}

impl Reader<'_> {
    fn guidance(&self, known: &Value) -> Read<Guidance> {
        let mut topics = Vec::new();
        for topic in list(known, "topics")? {
            topics.push(self.topic(topic)?);
        }
        let mut guidance = Guidance::new(topics);
        for item in list(known, "items")? {
            guidance = guidance.with(self.item(item)?);
        }
        match known.get("feature_names") {
            None | Some(Value::Null) => Ok(guidance),
            Some(_) => Ok(guidance.with_feature_names(names(known, "feature_names")?)),
        }
    }

    fn topic(&self, topic: &Value) -> Read<Topic> {
        let name = text(topic, "name")?;
        let mut out = Topic::new(name);
        out.components =
            whole(field(topic, "components")?).filter(|c| *c > 0).ok_or("components is no count")?;
        out.strength = strength_of(topic)?;
        for seed in list(topic, "seeds")? {
            let weight = seed.get(1).and_then(Value::as_f64).ok_or("a seed has no weight")?;
            out.seeds.push(Seed { feature: feature_of(seed.get(0))?, weight });
        }
        for forbidden in list(topic, "forbidden")? {
            out.forbidden.push(feature_of(Some(forbidden))?);
        }
        Ok(out)
    }

    fn item(&self, item: &Value) -> Read<Advice> {
        let strength = || strength_of(item);
        Ok(match text(item, "kind")? {
            "labels" => {
                let mut classes = vec![-1; self.n_samples(item)?];
                let given = numbers::<i32>(item, "classes")?;
                for (sample, class) in samples(item, given.len(), classes.len())?.into_iter().zip(given) {
                    classes[sample] = class;
                }
                let rule = text(item, "rule")?;
                let rule = RULES.iter().find(|(name, _)| *name == rule).map(|(_, rule)| *rule);
                Advice::Labels {
                    labels: Labels::with_names(&classes, &names(item, "names")?)
                        .map_err(|e| e.to_string())?,
                    rule: rule.ok_or("the rule of labels is not known")?,
                    strength: strength()?,
                }
            }
            "sets" => {
                let mut sets = vec![None; self.n_samples(item)?];
                let given: Vec<Vec<u32>> = values(item, "sets")?;
                for (sample, set) in samples(item, given.len(), sets.len())?.into_iter().zip(given) {
                    sets[sample] = Some(set);
                }
                let names = names(item, "names")?;
                match sets.iter().flatten().flatten().find(|label| **label as usize >= names.len()) {
                    Some(label) => {
                        return Err(format!("label {label} of a set is not below {}", names.len()));
                    }
                    None => Advice::Sets { names, sets, strength: strength()? },
                }
            }
            "memberships" => {
                let shares = self.matrix(item)?;
                Advice::Memberships { names: names(item, "names")?, shares, strength: strength()? }
            }
            "references" => {
                let profiles = self.matrix(item)?;
                Advice::References { names: names(item, "names")?, profiles, strength: strength()? }
            }
            "links" => Advice::Links {
                must: values(item, "must")?,
                cannot: values(item, "cannot")?,
                strength: strength()?,
            },
            "graph" => {
                let edges = self.matrix(item)?;
                if edges.columns() != 3 {
                    return Err("a graph needs three columns".into());
                }
                let n = self.n_samples(item)?;
                let node = |e: usize, c: usize| {
                    let value = edges.get(e, c);
                    let is_node = value.fract() == 0.0 && (0.0..n as f64).contains(&value);
                    is_node
                        .then_some(value as usize)
                        .ok_or_else(|| format!("edge {e} joins {value}, which is no sample below {n}"))
                };
                let edge = |e: usize| Ok((node(e, 0)?, node(e, 1)?, edges.get(e, 2)));
                let entries: Vec<_> = (0..edges.rows()).map(edge).collect::<Read<_>>()?;
                let graph = Graph::from_entries(n, &entries).map_err(|e| e.to_string())?;
                Advice::Graph { graph, strength: strength()? }
            }
            "sample weights" => Advice::SampleWeights(self.matrix(item)?.into_vec()),
            "feature weights" => Advice::FeatureWeights(self.matrix(item)?.into_vec()),
            "known entries" => Advice::KnownEntries(self.matrix(item)?),
            "known features" => Advice::KnownFeatures(self.known_features(item)?),
            "weights of entries" => Advice::EntryWeights(self.matrix(item)?),
            other => return Err(format!("the kind \"{other}\" is not known to this version")),
        })
    }

    fn known_features(&self, item: &Value) -> Read<FeatureLists> {
        if item.get("known").is_some() {
            // Files of version 0.1.0 list them sample by sample.
            return values::<Vec<Vec<u32>>>(item, "known").map(FeatureLists::from);
        }
        let counts: Vec<usize> = numbers(item, "counts")?;
        let given = if item.get("matrix").is_some() { self.matrix(item)?.into_vec() } else { Vec::new() };
        let whole =
            |f: &f64| (*f >= 0.0 && *f <= f64::from(u32::MAX) && f.fract() == 0.0).then_some(*f as u32);
        let features: Option<Vec<u32>> = given.iter().map(whole).collect();
        let mut offsets = vec![0_usize];
        for count in counts {
            let end = offsets[offsets.len() - 1].checked_add(count);
            offsets.push(end.filter(|end| *end <= given.len()).ok_or("counts is more than is listed")?);
        }
        let features = features.ok_or("a known feature is no column")?;
        FeatureLists::new(offsets, features).map_err(|error| error.to_string())
    }

    /// How many samples an item is about: as many as the codes have rows, for memory is taken by it.
    fn n_samples(&self, item: &Value) -> Read<usize> {
        let n = whole(field(item, "n_samples")?).ok_or("\"n_samples\" is no count")?;
        match self.model.tensor("codes").map(|codes| codes.shape().0) {
            Some(rows) if n != rows => Err(format!("\"n_samples\" is {n}, but the model has {rows} samples")),
            None if n > MOST_SAMPLES => Err(format!("\"n_samples\" is {n}, but the model has no codes")),
            _ => Ok(n),
        }
    }

    fn matrix(&self, item: &Value) -> Read<Matrix<f64>> {
        let name = text(item, "matrix")?;
        let tensor = self.model.tensor(name).ok_or_else(|| format!("the matrix \"{name}\" is missing"))?;
        Ok(tensor.to_matrix())
    }
}

/// The most samples of a model that has no codes to say how many there are.
const MOST_SAMPLES: usize = 1 << 20;

fn field<'v>(value: &'v Value, key: &str) -> Read<&'v Value> {
    value.get(key).ok_or_else(|| format!("\"{key}\" is missing"))
}

fn list<'v>(value: &'v Value, key: &str) -> Read<&'v Vec<Value>> {
    field(value, key)?.as_array().ok_or_else(|| format!("\"{key}\" is no list"))
}

fn text<'v>(value: &'v Value, key: &str) -> Read<&'v str> {
    field(value, key)?.as_str().ok_or_else(|| format!("\"{key}\" is no text"))
}

fn whole(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|v| usize::try_from(v).ok())
}

fn values<T: serde::de::DeserializeOwned>(value: &Value, key: &str) -> Read<T> {
    serde_json::from_value(field(value, key)?.clone()).map_err(|error| format!("\"{key}\": {error}"))
}

fn names(value: &Value, key: &str) -> Read<Vec<String>> {
    values(value, key)
}

fn numbers<T: serde::de::DeserializeOwned>(value: &Value, key: &str) -> Read<Vec<T>> {
    values(value, key)
}

/// `count` samples below `n`.
fn samples(item: &Value, count: usize, n: usize) -> Read<Vec<usize>> {
    let samples: Vec<usize> = numbers(item, "samples")?;
    match samples.iter().find(|i| **i >= n) {
        Some(i) => Err(format!("sample {i} is not below {n}")),
        None if samples.len() != count => Err(format!("{} samples, but {count} entries", samples.len())),
        None => Ok(samples),
    }
}

fn strength_of(item: &Value) -> Read<Strength> {
    let stated = field(item, "strength")?;
    let raw = || stated.get("raw").and_then(Value::as_f64).map(Strength::Raw);
    stated.as_f64().map(Strength::Relative).or_else(raw).ok_or_else(|| "a strength is no number".into())
}

fn feature_of(value: Option<&Value>) -> Read<Feature> {
    match value {
        Some(Value::String(name)) => Ok(Feature::Name(name.clone())),
        other => {
            other.and_then(whole).map(Feature::Index).ok_or_else(|| "a feature is no name or column".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn damage_is_named() {
        let damage = |pointer: &str, value: Value| {
            let mut model = ModelFile { document: Map::new(), tensors: Vec::new() };
            model.set_guidance(&everything());
            let known = model.document.get_mut("guidance").unwrap();
            *known.pointer_mut(pointer).unwrap() = value;
            model.guidance(Path::new("m.safetensors")).unwrap_err().to_string()
        };
        for (pointer, value, message) in [
            ("/guided/known/topics/0/components", json!(0), "components is no count"),
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
