//! Two labels a class: the automatic recipe beside single methods, scored on the unlabelled samples.
//!
//! ```text
//! draw r of a set: classes and rows as SETS says, then two labels a class; rows of unit length
//! images as they are;   text: tf·(ln((1 + n)/(1 + df)) + 1), terms in two or more of the drawn documents;
//! counts: ln(1 + x·median total/total);   expression: ln(1 + x)
//! scores: accuracy under the best one-to-one map, NMI over the larger entropy, both × 100
//! ```
//!
//! Rows and classes are drawn by SplitMix64 (Steele, Lea & Flood, OOPSLA 2014, doi:10.1145/2660193.2660195) from the number of the draw and
//! the name of the set; labels by [`draw_labels`] with the seed 2026 + r. Samples without an entry and without exactly one class are left
//! out. Reading files is the caller's: [`RawSet`] holds what they say.

use partwise::graphs::{NeighbourGraph, label_spreading, neighbour_graph};
use partwise::guidance::{Advice, Guidance, Strength, Topic};
use partwise::recipes::{AutomaticSettings, automatic};
use partwise::{
    DataMatrix, DenseMatrix, Init, Knowledge, Labels, Matrix, Model, Real, Result, Settings, SparseMatrix,
    StrengthUnit, fit, metrics,
};

use crate::draw::draw_labels;
use crate::methods::k_means::KMeansSettings;
use crate::methods::seeded_k_means::constrained_k_means;
use crate::methods::spectral::spectral_embedding;
use crate::methods::{self, Links, Task, ss_spectral};

/// Labels of each class.
const LABELS: usize = 2;

/// What becomes of the numbers before rows get unit length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparation {
    /// Nothing.
    Plain,
    /// Term frequencies by inverse document frequencies.
    Text,
    /// Logarithms of counts, each row scaled to the median total.
    Counts,
    /// Logarithms.
    Expression,
}

/// Which rows a draw has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// All.
    All,
    /// All rows of so many classes.
    Classes(usize),
    /// So many classes, and so many rows of each.
    Balanced(usize, usize),
    /// So many rows, whatever their class.
    Rows(usize),
}

/// A data set of the experiment.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// Its name, and that of its folder.
    pub name: &'static str,
    /// What becomes of its numbers.
    pub preparation: Preparation,
    /// Which rows a draw has.
    pub sampling: Sampling,
    /// Only so many classes with the most samples.
    pub largest_classes: usize,
}

const fn set(name: &'static str, preparation: Preparation, sampling: Sampling) -> Set {
    Set { name, preparation, sampling, largest_classes: usize::MAX }
}

/// The sets: the seven that the recipe was first chosen on, the four that showed where that choice fell short, and those that no choice
/// was made on.
pub const SETS: &[Set] = &[
    set("orl", Preparation::Plain, Sampling::All),
    set("yale", Preparation::Plain, Sampling::All),
    set("umist", Preparation::Plain, Sampling::All),
    set("extended-yale-b", Preparation::Plain, Sampling::Classes(15)),
    set("mnist", Preparation::Plain, Sampling::Balanced(10, 200)),
    set("20newsgroups", Preparation::Text, Sampling::Balanced(6, 100)),
    set("bbc", Preparation::Text, Sampling::All),
    set("coil20", Preparation::Plain, Sampling::All),
    set("classic4", Preparation::Text, Sampling::Rows(2000)),
    Set { largest_classes: 10, ..set("reuters21578", Preparation::Text, Sampling::Rows(2000)) },
    set("worm-neuron", Preparation::Counts, Sampling::Rows(2000)),
    set("webkb", Preparation::Text, Sampling::All),
    set("pbmc68k-reduced", Preparation::Plain, Sampling::All),
    set("all-aml", Preparation::Expression, Sampling::All),
    set("pcmac", Preparation::Text, Sampling::All),
    set("basehock", Preparation::Text, Sampling::All),
    set("tdt2", Preparation::Text, Sampling::Rows(2000)),
];

/// A data set as it comes.
#[derive(Clone, Debug)]
pub struct RawSet {
    /// d.
    pub features: usize,
    /// The entries (column ascending, value) of each row that are not 0.
    pub rows: Vec<Vec<(u32, f64)>>,
    /// The class of each row, −1 for none or several.
    pub classes: Vec<i32>,
    /// Whether it is stored with its zeros.
    pub dense: bool,
    /// The features that are words of each class's name; empty for sets without words.
    pub words: Vec<Vec<u32>>,
}

/// One draw of a set, ready for every method.
#[derive(Clone, Debug)]
pub struct Draw {
    features: usize,
    rows: Vec<Vec<(u32, f64)>>,
    dense: bool,
    words: Vec<Vec<u32>>,
    /// The class of each row.
    pub classes: Vec<i32>,
    /// The labels that methods see, −1 for none.
    pub given: Vec<i32>,
}

impl Draw {
    /// Draw `number` of `set`.
    pub fn new(raw: &RawSet, set: &Set, number: u64) -> Self {
        let chosen = chosen_rows(raw, set, number);
        let mut rows: Vec<Vec<(u32, f64)>> = chosen.iter().map(|i| raw.rows[*i].clone()).collect();
        prepare(&mut rows, raw.features, set.preparation);
        for row in &mut rows {
            let length = row.iter().map(|entry| entry.1 * entry.1).sum::<f64>().sqrt();
            row.iter_mut().for_each(|entry| entry.1 /= length);
        }
        let classes: Vec<i32> = chosen.iter().map(|i| raw.classes[*i]).collect();
        let given = draw_labels(&classes, LABELS, 2026 + number);
        Draw { features: raw.features, rows, dense: raw.dense, words: raw.words.clone(), classes, given }
    }

    /// Whether the names of the classes are words of the data.
    pub fn has_words(&self) -> bool {
        self.words.iter().any(|words| !words.is_empty())
    }

    /// The rows as data.
    ///
    /// # Errors
    /// [`partwise::Error::Empty`] for a draw without rows.
    pub fn data<T: Real>(&self) -> Result<Box<dyn DataMatrix<T>>> {
        let (mut offsets, mut places, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &self.rows {
            places.extend(row.iter().map(|entry| entry.0));
            values.extend(row.iter().map(|entry| T::from_f64(entry.1)));
            offsets.push(places.len());
        }
        let sparse = SparseMatrix::new(self.rows.len(), self.features, offsets, places, values)?;
        Ok(if self.dense { Box::new(sparse.to_dense()) } else { Box::new(sparse) })
    }

    /// Accuracy and NMI (× 100) of `found` on the unlabelled rows.
    ///
    /// # Errors
    /// [`partwise::Error::Labels`] when nothing is unlabelled.
    pub fn score(&self, found: &[i32]) -> Result<(f64, f64)> {
        let hidden: Vec<bool> = self.given.iter().map(|label| *label < 0).collect();
        let truth = metrics::restricted(&self.classes, &hidden)?;
        let found = metrics::restricted(found, &hidden)?;
        Ok((100.0 * metrics::accuracy(&truth, &found)?.accuracy, 100.0 * metrics::nmi_max(&truth, &found)?))
    }
}

fn chosen_rows(raw: &RawSet, set: &Set, number: u64) -> Vec<usize> {
    let name = set.name.bytes().fold(7u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut random = SplitMix(number.wrapping_mul(1_000_003) ^ name);
    let usable = |i: &usize| raw.classes[*i] >= 0 && !raw.rows[*i].is_empty();
    let mut kept: Vec<usize> = (0..raw.rows.len()).filter(usable).collect();
    let mut classes: Vec<i32> = kept.iter().map(|i| raw.classes[*i]).collect();
    classes.sort_unstable();
    classes.dedup();
    if classes.len() > set.largest_classes {
        // By size in the whole set, ties to the lower class.
        let size = |class: i32| raw.classes.iter().filter(|other| **other == class).count();
        classes.sort_by_key(|class| std::cmp::Reverse(size(*class)));
        classes.truncate(set.largest_classes);
        classes.sort_unstable();
        kept.retain(|i| classes.contains(&raw.classes[*i]));
    }
    let of =
        |class: i32| -> Vec<usize> { kept.iter().copied().filter(|i| raw.classes[*i] == class).collect() };
    match set.sampling {
        Sampling::All => kept,
        Sampling::Rows(count) => random.choose(kept, count),
        Sampling::Classes(count) => {
            let some = random.choose(classes, count);
            kept.into_iter().filter(|i| some.contains(&raw.classes[*i])).collect()
        }
        Sampling::Balanced(count, rows) => {
            let some = if count < classes.len() { random.choose(classes, count) } else { classes };
            some.into_iter().flat_map(|class| random.choose(of(class), rows)).collect()
        }
    }
}

fn prepare(rows: &mut [Vec<(u32, f64)>], features: usize, preparation: Preparation) {
    let n = rows.len() as f64;
    match preparation {
        Preparation::Plain => {}
        Preparation::Expression => rows.iter_mut().flatten().for_each(|entry| entry.1 = (1.0 + entry.1).ln()),
        Preparation::Text => {
            let mut documents = vec![0.0f64; features];
            rows.iter().flatten().for_each(|(j, _)| documents[*j as usize] += 1.0);
            for row in rows {
                row.retain(|(j, _)| documents[*j as usize] >= 2.0);
                row.iter_mut()
                    .for_each(|(j, v)| *v *= ((1.0 + n) / (1.0 + documents[*j as usize])).ln() + 1.0);
            }
        }
        Preparation::Counts => {
            let totals: Vec<f64> = rows.iter().map(|row| row.iter().map(|entry| entry.1).sum()).collect();
            let mut sorted = totals.clone();
            sorted.sort_by(f64::total_cmp);
            let median = sorted[sorted.len() / 2];
            for (row, total) in rows.iter_mut().zip(totals) {
                row.iter_mut().for_each(|entry| entry.1 = (1.0 + entry.1 * median / total).ln());
            }
        }
    }
}

/// SplitMix64.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// `count` of `items`, in their own order.
    fn choose<I: Ord>(&mut self, mut items: Vec<I>, count: usize) -> Vec<I> {
        let count = count.min(items.len());
        for place in 0..count {
            let left = (items.len() - place) as u64;
            items.swap(place, place + (self.next() % left) as usize);
        }
        items.truncate(count);
        items.sort_unstable();
        items
    }
}

/// A method of the table: its name, and what gives the class of each row.
pub type Row = (&'static str, fn(&Draw, &Labels) -> Result<Vec<i32>>);

/// Every method, in the order of the table.
pub const METHODS: &[Row] = &[
    ("recipe", |draw, labels| {
        let settings = AutomaticSettings { threads: 1, ..AutomaticSettings::default() };
        Ok(integers(&automatic(draw.data::<f32>()?.as_ref(), labels, &settings)?.labels))
    }),
    ("cnmf", |draw, labels| factored(draw, Model::cnmf(labels.clone()), Init::Auto)),
    ("ws-nmf", |draw, labels| {
        factored(draw, Model::ws_nmf(labelled(labels, StrengthUnit::Relative)), Init::Auto)
    }),
    ("ws-nmf-raw", |draw, labels| {
        factored(draw, Model::ws_nmf(labelled(labels, StrengthUnit::Raw)), Init::Published)
    }),
    ("guided-labels", |draw, labels| guided(draw, labels, Known { labels: true, ..Known::default() })),
    ("guided-labels-graph", |draw, labels| {
        guided(draw, labels, Known { labels: true, graph: true, ..Known::default() })
    }),
    ("lgc", |draw, labels| {
        let spread = label_spreading(&graph(draw)?, labels, 0.95)?;
        Ok(spread.classes.iter().map(|class| class.map_or(0, |class| class as i32)).collect())
    }),
    ("ss-spectral", |draw, labels| {
        let linked = ss_spectral::linked_graph(&graph(draw)?, &Links::chained(labels, 0))?;
        let points = spectral_embedding(&linked, labels.n_classes(), 0)?.points;
        k_means(&DenseMatrix::from_matrix(points)?, labels)
    }),
    ("constrained-k-means", |draw, labels| k_means(draw.data::<f64>()?.as_ref(), labels)),
    ("spherical-k-means", |draw, labels| {
        let data = draw.data::<f32>()?;
        Ok(integers(&partwise::recipes::spherical_k_means(data.as_ref(), labels)?))
    }),
    ("linear-svm", |draw, labels| {
        let data = draw.data::<f64>()?;
        let task = Task { labels: Some(labels), ..Task::new(data.as_ref(), labels.n_classes()) };
        Ok((methods::named("linear-svm")?.run)(&task)?.labels)
    }),
];

/// Methods that also know the words of the classes' names, for sets that have them.
pub const WITH_WORDS: &[Row] = &[
    ("guided-words", |draw, labels| guided(draw, labels, Known { words: true, ..Known::default() })),
    ("guided-labels-words", |draw, labels| {
        guided(draw, labels, Known { labels: true, words: true, ..Known::default() })
    }),
    ("guided-all", |draw, labels| guided(draw, labels, Known { labels: true, words: true, graph: true })),
];

/// What a guided fit is told.
#[derive(Clone, Copy, Default)]
struct Known {
    labels: bool,
    words: bool,
    graph: bool,
}

/// Guided NMF with every strength at its default: the topic with the largest share of each row.
fn guided(draw: &Draw, labels: &Labels, known: Known) -> Result<Vec<i32>> {
    let data = draw.data::<f32>()?;
    let topic = |name: &String| {
        let class: usize = name.parse().unwrap_or(usize::MAX);
        let words = draw.words.get(class).filter(|_| known.words).cloned().unwrap_or_default();
        Topic::new(name.clone()).with_seeds(words.into_iter().map(|word| word as usize))
    };
    let mut guidance = Guidance::new(labels.names().iter().map(topic));
    if known.labels {
        guidance = guidance.with(Advice::labels(labels.clone()));
    }
    if known.graph {
        guidance = guidance.with(Advice::Graph { graph: graph(draw)?, strength: Strength::LIGHT });
    }
    let settings = Settings { threads: 1, ..Settings::new(labels.n_classes()) };
    let found = fit(data.as_ref(), &Model::guided(guidance), &settings)?;
    let length = |j: usize| found.components.row(j).iter().map(|h| h * h).sum::<f32>().sqrt();
    let lengths: Vec<f32> = (0..labels.n_classes()).map(length).collect();
    let share = |i: usize, j: usize| found.codes.get(i, j) * lengths[j];
    let largest =
        |i: usize| (0..lengths.len()).fold(0, |best, j| if share(i, j) > share(i, best) { j } else { best });
    Ok((0..found.codes.rows()).map(|i| largest(i) as i32).collect())
}

fn integers(classes: &[usize]) -> Vec<i32> {
    classes.iter().map(|class| *class as i32).collect()
}

fn labelled(labels: &Labels, strength_unit: StrengthUnit) -> Knowledge {
    Knowledge { labels: Some(labels.clone()), strength_unit, ..Knowledge::default() }
}

/// The largest code of each row.
fn factored(draw: &Draw, model: Model, init: Init) -> Result<Vec<i32>> {
    let rank = model.knowledge().labels.as_ref().map_or(1, Labels::n_classes);
    let settings = Settings { init, threads: 1, ..Settings::new(rank) };
    let codes: Matrix<f32> = fit(draw.data::<f32>()?.as_ref(), &model, &settings)?.codes;
    let largest = |row: &[f32]| (0..row.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best });
    Ok((0..codes.rows()).map(|i| largest(codes.row(i)) as i32).collect())
}

fn graph(draw: &Draw) -> Result<partwise::graphs::Graph> {
    let neighbours = NeighbourGraph::default().neighbours.min(draw.rows.len() - 1);
    neighbour_graph(draw.data::<f64>()?.as_ref(), &NeighbourGraph { neighbours, ..NeighbourGraph::default() })
}

fn k_means(data: &dyn DataMatrix<f64>, labels: &Labels) -> Result<Vec<i32>> {
    let found = constrained_k_means(data, labels.n_classes(), labels, &KMeansSettings::default())?;
    Ok(integers(&found.labels))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw() -> RawSet {
        let digits = crate::digits();
        let row = |i: usize| {
            let pixels = digits.images[i * 64..(i + 1) * 64].iter().enumerate();
            pixels.filter(|(_, v)| **v != 0.0).map(|(j, v)| (j as u32, *v)).collect()
        };
        let rows = (0..digits.n_samples()).map(row).collect();
        RawSet { features: 64, rows, classes: digits.labels, dense: true, words: Vec::new() }
    }

    #[test]
    fn a_draw_is_what_its_set_says_and_the_same_every_time() {
        let raw = raw();
        for (sampling, rows, classes) in
            [(Sampling::Rows(300), 300, 10), (Sampling::Balanced(4, 25), 100, 4), (Sampling::All, 1797, 10)]
        {
            let set = set("digits", Preparation::Text, sampling);
            let draw = Draw::new(&raw, &set, 3);
            let again = Draw::new(&raw, &set, 3);
            assert_eq!((&draw.rows, &draw.given), (&again.rows, &again.given));
            let mut found = draw.classes.clone();
            found.sort_unstable();
            found.dedup();
            assert_eq!((draw.rows.len(), found.len()), (rows, classes), "{sampling:?}");
            assert_eq!(draw.given.iter().filter(|label| **label >= 0).count(), LABELS * classes);
            let length = |row: &Vec<(u32, f64)>| row.iter().map(|entry| entry.1 * entry.1).sum::<f64>();
            assert!(draw.rows.iter().all(|row| (length(row) - 1.0).abs() < 1e-12));
            if sampling != Sampling::All {
                assert_ne!(Draw::new(&raw, &set, 4).classes, draw.classes, "another draw");
            }
        }
    }

    #[test]
    fn every_method_of_the_table_finds_digits_and_all_but_chance() {
        let set = set("digits", Preparation::Plain, Sampling::Balanced(3, 30));
        let draw = Draw::new(&raw(), &set, 0);
        let labels = Labels::from_integers(&draw.given).expect("labels of classes");
        for (name, run) in METHODS {
            let (accuracy, _) = draw.score(&run(&draw, &labels).expect(name)).expect(name);
            assert!(accuracy > 55.0, "{name}: {accuracy} % of three classes");
        }
    }
}
