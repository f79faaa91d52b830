//! `guidance.toml`: everything that is known, in one file. Files that it names are relative to its folder.
//!
//! ```toml
//! strength = 0.9                  # of all that states none: 0 (ignored) to 1 (fixed exactly), or "auto"
//! labels = "labels.csv"           # or { file, column, per_class, components_per_class, rule, strength },
//!                                 # with the rule "components", "same-codes" or "view"
//! memberships = "shares.csv"      # one column a topic, one row a sample (by name where both have names);
//!                                 # nan = not known
//! references = "last_month.csv"   # one row a component; or { file, names, strength }
//! links = "links.csv"             # or { file, must = [[0, 1]], cannot = [["ann", "bob"]], strength }
//! graph = "edges.csv"             # or { file, strength },
//!                                 # or { neighbours = 5, weights = "binary", strength }
//! sample_weights = [1, 1, 0.5]    # or by name, all others 1; or a file with one number a line
//! feature_weights = { the = 0 }   # the same for features
//!
//! [[topics]]                      # component j is the topic j
//! name = "sport"
//! components = 1
//! seeds = ["ball", { word = "goal", weight = 2 }]
//! forbidden = ["senate"]
//! strength = 0.9
//! ```
//!
//! Every kind of item of the library is a key, with the fields of its schema ([`Advice`]). Tables may stand
//! in the file itself (`memberships = { names = ["law"], shares = [[1], [0]] }`) or in one that `file` names.
//!
//! Topics also come as `topics = { sport = ["ball"], law = ["court"] }`, as lists without names
//! `[["ball", "goal"], ["court"]]`, and as a flat list `["ball", "court"]`, in which each word seeds a topic
//! of its own. A strength may be `{ raw = m }`, a paper's own weight.

mod items;
mod tables;
mod topics;

use std::path::{Path, PathBuf};

use partwise::graphs::NeighbourGraph;
use partwise::guidance::{Advice, ComponentsPerClass, Kind, Strength};

use crate::error::{IoError, Place, Result};
use crate::formats::DECODED_LIMIT;
use crate::names::DataNames;
use crate::source::Source;
use crate::toml_serde::{Field, read};
use crate::toml_text::{Item, Text};
use crate::topics::TopicEntry;
pub use tables::{ReadItem, read_graph, rows_by_name};

/// An item of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileItem {
    /// The item; what is in a file that it names is empty, as is a graph that is made from the data.
    pub advice: Advice,
    /// Its kind.
    pub kind: &'static Kind,
    /// Whether its strength is stated.
    pub stated: bool,
    /// Where the rest of it is from.
    pub from: Origin,
}

/// Where the numbers of an item are from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The guidance file itself.
    Here,
    /// A file of its own.
    File(Named),
    /// Nearest neighbours in the data.
    Neighbours(NeighbourGraph),
}

/// A file that an item names.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The file.
    pub path: PathBuf,
    /// The column that holds labels.
    pub column: Option<String>,
    /// How many labels of each class guide; all when absent.
    pub per_class: Option<usize>,
    /// How many components each class has; one when absent.
    pub components_per_class: Option<ComponentsPerClass>,
    /// Where a guidance file names it.
    mention: Option<Mention>,
}

/// The place at which a guidance file names another one.
#[derive(Clone, Debug, PartialEq)]
struct Mention {
    path: PathBuf,
    place: Place,
    /// The key.
    what: String,
}

impl Named {
    /// A file of which nothing further is said.
    fn new(path: PathBuf, mention: Option<Mention>) -> Self {
        Named { path, column: None, per_class: None, components_per_class: None, mention }
    }

    /// Refuses a file that can't be opened, with the place in the guidance file that names it.
    ///
    /// # Errors
    /// When a guidance file names it and it can't be opened. (A flag's file is reported by its reader.)
    pub fn check_is_there(&self) -> Result<()> {
        let (Some(mention), Err(error)) = (&self.mention, std::fs::metadata(&self.path)) else {
            return Ok(());
        };
        let Mention { path, place, what } = mention;
        let message = format!(
            "{what}: {} can't be opened: {error}; names are relative to the folder of this file",
            self.path.display()
        );
        Err(IoError::mismatch(path, place.clone(), message))
    }
}

/// Everything that the file says; see the module.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidanceFile {
    /// The file.
    pub path: PathBuf,
    /// The strength of everything that states none.
    pub strength: Option<Strength>,
    /// Topics, in the order of the file.
    pub topics: Vec<TopicEntry>,
    /// The items, in the order of the kinds.
    pub items: Vec<FileItem>,
    /// Policies that were applied, as sentences for a report.
    pub notes: Vec<String>,
    /// SHA-256 of the file's bytes as stored.
    pub sha256: String,
}

impl GuidanceFile {
    /// The labels that a file gives, and that file.
    pub fn labels(&self) -> Option<(&Advice, &Named)> {
        self.items.iter().find_map(|item| match (&item.advice, &item.from) {
            (Advice::Labels { .. }, Origin::File(file)) => Some((&item.advice, file)),
            _ => None,
        })
    }
}

/// Reads a guidance file for data with these names. The files that it names are not read.
///
/// # Errors
/// When the file can't be read or isn't TOML; an unknown key (with the nearest one and all that are valid), a
/// wrong type, a number out of its range, a sample or feature that isn't there: each with line and column.
pub fn read_guidance(path: &Path, names: &DataNames<'_>) -> Result<GuidanceFile> {
    guidance_of(&Source::open(path, DECODED_LIMIT)?, names)
}

/// As [`read_guidance`] for bytes that are already here.
///
/// # Errors
/// As [`read_guidance`].
pub fn guidance_of(source: &Source, names: &DataNames<'_>) -> Result<GuidanceFile> {
    let text = Text::new(source)?;
    let document = text.parse()?;
    let folder = source.path.parent().unwrap_or(Path::new(""));
    let mut reader = Reader { folder, names, notes: Vec::new() };
    let mut out = GuidanceFile {
        path: source.path.clone(),
        strength: None,
        topics: Vec::new(),
        items: Vec::new(),
        notes: Vec::new(),
        sha256: source.sha256.clone(),
    };
    let kinds: Vec<&'static Kind> = Advice::KINDS.iter().filter(|kind| !kind.is_derived()).collect();
    let keys: Vec<String> = kinds.iter().map(|kind| kind.key()).collect();
    let valid: Vec<&str> =
        ["strength", "topics"].into_iter().chain(keys.iter().map(String::as_str)).collect();
    for (key, item) in text.top(document.get_ref(), &valid)? {
        match key {
            "strength" => out.strength = Some(strength(&item)?),
            "topics" => out.topics = reader.topics(&item)?,
            _ => {
                let at = keys.iter().position(|known| known == key).unwrap_or_default();
                out.items.extend(reader.items(kinds[at], &item)?);
                if out.items.iter().filter(|item| item.kind.name == "labels").count() > 1 {
                    return Err(
                        item.fault("labels can be given once; give one of the two as sets or memberships")
                    );
                }
            }
        }
    }
    let place = |item: &FileItem| Advice::KINDS.iter().position(|kind| kind.name == item.kind.name);
    out.items.sort_by_key(place);
    out.notes = reader.notes;
    Ok(out)
}

/// The strength of everything that states none.
fn strength(item: &Item<'_>) -> Result<Strength> {
    #[derive(serde::Deserialize)]
    struct General {
        strength: Strength,
    }
    let field = Field { name: "strength", value: item.value(), place: Some(item.clone()) };
    let strength = read::<General>(&[field], item)?.strength;
    strength.check_range(item.what()).map_err(|error| item.fault(error.to_string()))?;
    match strength {
        Strength::Raw(_) => item.refuse("a number from 0 (ignored) to 1 (fixed exactly), or \"auto\""),
        strength => Ok(strength),
    }
}

struct Reader<'r> {
    folder: &'r Path,
    names: &'r DataNames<'r>,
    notes: Vec<String>,
}

impl Reader<'_> {
    /// The file of this name.
    fn named(&self, item: &Item<'_>, name: &str) -> Named {
        let (path, place) = item.place();
        let mention = Mention { path: path.to_path_buf(), place, what: item.what().to_string() };
        Named::new(self.folder.join(name), Some(mention))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partwise::guidance::{Feature, LabelRule};

    fn read(text: &str) -> Result<GuidanceFile> {
        let samples: Vec<String> = ["ann", "bob", "cid"].map(String::from).to_vec();
        let features: Vec<String> = ["ball", "goal", "court", "senate"].map(String::from).to_vec();
        let source = Source::from_bytes(Path::new("home/guidance.toml"), text.as_bytes().to_vec(), 1 << 20)?;
        guidance_of(&source, &DataNames::new(3, Some(&samples), 4, Some(&features)))
    }

    fn words(topic: &TopicEntry) -> Vec<(String, f64)> {
        let text = |feature: &Feature| match feature {
            Feature::Name(name) => name.clone(),
            Feature::Index(column) => column.to_string(),
        };
        topic.topic.seeds.iter().map(|seed| (text(&seed.feature), seed.weight)).collect()
    }

    #[test]
    fn everything_is_read_in_the_order_of_the_file() {
        let file = read(
            r#"strength = "auto"
labels = { file = "labels.csv", column = "who", rule = "view", per_class = 2, components_per_class = "auto", strength = { raw = 3 } }
memberships = ["a.csv", { file = "b.csv", strength = 0.5 }]
references = { file = "/old.csv", names = ["law"], strength = 0 }
links = { must = [[0, "bob"]], cannot = [["ann", 2]], strength = 1 }
graph = [{ neighbours = 2 }, "edges.csv"]
sample_weights = [1, 0.5, 0]
feature_weights = [1, 2, 0, 0.5]

[[topics]]
name = "sport"
components = 2
seeds = ["ball", { word = "goal", weight = 2 }, "ball"]
forbidden = ["senate", 2]

[[topics]]
name = "law"
strength = 0.25
"#,
        )
        .unwrap();
        assert_eq!(file.strength, Some(Strength::Auto));
        let named = |item: &FileItem| match &item.from {
            Origin::File(file) => file.path.to_str().unwrap().to_string(),
            _ => String::new(),
        };
        let of =
            |kind: &str| file.items.iter().filter(|item| item.kind.name == kind).cloned().collect::<Vec<_>>();
        let (labels, place) = file.labels().unwrap();
        assert_eq!(
            (place.path.as_path(), place.column.as_deref()),
            (Path::new("home/labels.csv"), Some("who"))
        );
        assert!(matches!(labels, Advice::Labels { rule: LabelRule::View, .. }));
        assert_eq!((labels.strength(), place.per_class), (Some(Strength::Raw(3.0)), Some(2)));
        assert_eq!(place.components_per_class, Some(ComponentsPerClass::Auto));
        let memberships = of("memberships");
        assert_eq!((named(&memberships[0]), memberships[0].stated), ("home/a.csv".into(), false));
        assert_eq!(memberships[1].advice.strength(), Some(Strength::Relative(0.5)));
        let references = of("references");
        assert_eq!(named(&references[0]), "/old.csv");
        assert_eq!(references[0].advice.names(), ["law"]);
        let Advice::Links { must, cannot, strength } = &of("links")[0].advice else { panic!() };
        assert_eq!((must, cannot, *strength), (&vec![(0, 1)], &vec![(0, 2)], Strength::HELD));
        let graphs = of("graph");
        let Origin::Neighbours(settings) = &graphs[0].from else { panic!("{:?}", graphs[0].from) };
        assert_eq!((settings.neighbours, settings.weights.name()), (2, "binary"));
        assert_eq!(named(&graphs[1]), "home/edges.csv");
        assert_eq!(of("sample weights")[0].advice, Advice::SampleWeights(vec![1.0, 0.5, 0.0]));
        assert_eq!(of("feature weights")[0].advice, Advice::FeatureWeights(vec![1.0, 2.0, 0.0, 0.5]));
        let [sport, law] = &file.topics[..] else { panic!("{:?}", file.topics) };
        assert_eq!((sport.topic.name.as_str(), sport.topic.components), ("sport", 2));
        assert_eq!(words(sport), [("ball".to_string(), 1.0), ("goal".into(), 2.0)]);
        assert_eq!(sport.topic.forbidden, [Feature::from("senate"), Feature::from(2)]);
        assert_eq!((law.topic.name.as_str(), law.topic.seeds.len()), ("law", 0));
        assert_eq!((sport.strength, law.strength), (None, Some(Strength::Relative(0.25))));
    }

    #[test]
    fn weights_of_features_come_by_name_and_of_a_file_too() {
        let named = read("feature_weights = { ball = 0, unheard = 2 }").unwrap();
        assert_eq!(named.items[0].advice, Advice::FeatureWeights(vec![0.0, 1.0, 1.0, 1.0]));
        assert_eq!(named.notes, ["feature_weights names unheard, which the data do not have"]);
        let file = read("feature_weights = \"weights.txt\"").unwrap();
        assert!(
            matches!(&file.items[0].from, Origin::File(file) if file.path == Path::new("home/weights.txt"))
        );
    }

    /// Whatever has a schema has a key: numbers may stand in the file itself.
    #[test]
    fn every_kind_is_read_by_its_schema() {
        let file = read(
            r#"sets = { names = ["a", "b"], samples = [2], sets = [[0, 1]] }
memberships = { names = ["a"], shares = [[1], [nan], [0.5]], strength = 0.5 }
graph = { edges = [[0, 1, 2.0], [1, 0, 2.0]] }
known_features = { counts = [1, 0, 2], features = [0, 1, 3] }
known_entries = "known.csv"
label_targets = { targets = [[1], [0], [1]] }
reference_codes = { reference = [[1, 0], [0, 1], [0, 0]], weight = [1, 1, 0] }
sample_weights = { bob = 2 }
"#,
        )
        .unwrap();
        let kinds: Vec<&str> = file.items.iter().map(|item| item.kind.name).collect();
        let expected = ["sets", "memberships", "graph", "sample weights", "known entries", "known features"];
        assert_eq!(kinds, [&expected[..], &["reference codes", "label targets"]].concat());
        let strengths: Vec<_> = file.items.iter().map(|item| item.advice.strength()).collect();
        assert_eq!(strengths[..3], [Strength::FIRM, Strength::Relative(0.5), Strength::LIGHT].map(Some));
        assert_eq!(file.items[3].advice, Advice::SampleWeights(vec![1.0, 2.0, 1.0]));
    }

    #[test]
    fn topics_come_in_any_shape_that_people_write() {
        let names =
            |file: &GuidanceFile| file.topics.iter().map(|t| t.topic.name.clone()).collect::<Vec<_>>();
        let dict =
            read("[topics]\nsport = [\"ball\", \"goal\"]\nlaw = { seeds = \"court\", strength = 1 }\n")
                .unwrap();
        // Not sorted by name: the order is the file's.
        assert_eq!(names(&dict), ["sport", "law"]);
        assert_eq!(words(&dict.topics[1]), [("court".to_string(), 1.0)]);
        let nested = read("topics = [[\"ball\", \"goal\"], [\"court\"]]").unwrap();
        assert_eq!(names(&nested), ["topic 1", "topic 2"]);
        assert_eq!(words(&nested.topics[0]), words(&dict.topics[0]));
        let flat = read("topics = [\"ball\", \"court\"]").unwrap();
        assert_eq!(names(&flat), ["ball", "court"]);
        assert!(flat.notes[0].contains("flat list"), "{:?}", flat.notes);
        let weights = read("[[topics]]\nname = \"a\"\nseeds = { goal = 2, ball = 1 }").unwrap();
        assert_eq!(words(&weights.topics[0]), [("goal".to_string(), 2.0), ("ball".into(), 1.0)]);
        let joined = read("[[topics]]\nname = \"a\"\nseeds = [[\"goal\"], [\"ball\"]]").unwrap();
        assert_eq!((words(&joined.topics[0]).len(), joined.notes.len()), (2, 2));
        assert!(read("[[topics]]\nname = \"a\"\nseeds = []").unwrap().topics[0].topic.seeds.is_empty());
    }

    #[test]
    fn faults_say_line_column_and_what_is_valid() {
        for (text, parts) in [
            (
                "\n  lables = \"x\"",
                &[
                    "home/guidance.toml",
                    "line 2, column 3",
                    "did you mean \"labels\"?",
                    "valid: strength, topics",
                ][..],
            ),
            ("colour = 1", &["line 1, column 1", "no key \"colour\"; valid: strength"]),
            (
                "[[topics]]\nname = \"a\"\nseed = [\"b\"]",
                &["line 3, column 1", "did you mean \"seeds\"?", "valid: name, components"],
            ),
            ("[[topics]]\nseeds = [\"b\"]", &["line 1", "lacks name"]),
            ("[[topics]]\nname = \"a\"\n[[topics]]\nname = \"a\"", &["line 3", "two topics are named \"a\""]),
            ("[[topics]]\nname = \"a\"\ncomponents = 0", &["line 3, column 14", "is 0", "1 or more"]),
            (
                "[[topics]]\nname = \"a\"\nseeds = 3.5",
                &["line 3, column 9", "a list of words", "it is a float"],
            ),
            ("[[topics]]\nname = \"a\"\nseeds = [true]", &["line 3, column 10", "it is a boolean"]),
            ("[[topics]]\nname = \"a\"\nseeds = [7]", &["line 3, column 10", "no feature 7", "0..4"]),
            (
                "[[topics]]\nname = \"a\"\nseeds = [{word = \"b\", weight = -1}]",
                &["line 3, column 32", "is -1", "above 0"],
            ),
            (
                "[[topics]]\nname = \"a\"\nstrength = {raw = 1}",
                &["line 3, column 12", "0 (ignored) to 1", "\"auto\""],
            ),
            ("topics = [\"a\", [\"b\"]]", &["line 1, column 16", "mixes"]),
            ("topics = 3", &["line 1, column 10", "it is an integer"]),
            ("strength = 1.5", &["line 1, column 12", "strength is 1.5", "0 (ignored) to 1 (fixed exactly)"]),
            ("strength = \"strong\"", &["line 1", "\"auto\""]),
            ("strength = nan", &["line 1", "NaN"]),
            ("labels = { file = \"a\", rule = \"vew\" }", &["line 1, column 31", "did you mean \"view\"?"]),
            (
                "labels = { file = \"a\", rule = \"same-codes\", strength = 0.5 }",
                &["line 1, column 56", "share one row of codes or do not", "valid: strength 1"],
            ),
            ("labels = { column = \"a\" }", &["needs one of file"]),
            ("graph = { edges = [], width = 2 }", &["line 1, column 31", "needs file or neighbours"]),
            ("labels = 3", &["line 1, column 10", "the name of a file"]),
            ("links = { must = [[0, 3]] }", &["line 1, column 23", "no sample 3", "0..3"]),
            ("links = { must = [[\"ann\", \"bop\"]] }", &["did you mean \"bob\"?"]),
            ("links = { must = [[1, 1]] }", &["linked with itself"]),
            ("links = { must = [0, 1] }", &["a pair of two samples"]),
            ("links = {}", &["needs one of file, must, cannot"]),
            ("graph = { neighbours = 3 }", &["from 1 to 2"]),
            ("graph = { file = \"a\", strength = 1 }", &["line 1, column 34", "below 1"]),
            ("graph = { strength = 0.1 }", &["needs one of file, neighbours"]),
            (
                "graph = { neighbours = 1, weights = \"cosin\" }",
                &["line 1, column 37", "valid: binary, heat"],
            ),
            ("graph = { edges = [[0, 1], [1, \"a\"]] }", &["line 1, column 28", "invalid type"]),
            ("labels = [\"a\", \"b\"]", &["line 1, column 10", "labels can be given once"]),
            ("sample_weights = { bop = 1 }", &["line 1, column 26", "did you mean \"bob\"?"]),
            (
                "memberships = { names = [\"a\"], shares = [[1]], strength = \"firm\" }",
                &["line 1, column 59"],
            ),
            ("sample_weights = [1, 2]", &["2 numbers for 3 samples"]),
            ("sample_weights = [1, 2, -1]", &["line 1, column 25", "0 or more"]),
            ("feature_weights = [1, 2]", &["2 numbers for 4 features"]),
            ("feature_weights = { ball = -1 }", &["line 1, column 28", "0 or more"]),
            ("feature_weights = 2", &["line 1, column 19", "a list of numbers", "by the name"]),
            ("labels = \"a\"\nlabels = \"b\"", &["line 2", "not valid TOML"]),
            ("labels = \"a", &["line 1", "not valid TOML"]),
        ] {
            let message = read(text).unwrap_err().to_string();
            for part in parts {
                assert!(message.contains(part), "{text:?}: \"{part}\" is not in: {message}");
            }
        }
    }
}
