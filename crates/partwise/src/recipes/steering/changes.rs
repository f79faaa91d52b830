//! What a refit changed beside what was asked for.

use super::action::Action;
use super::ties::without_guidance;
use crate::foundation::{Matrix, Real};
use crate::guidance::Guidance;
use crate::metrics::best_matching;
use crate::recipes::memberships::{ShareOf, clusters, largest, shares};

/// From this much on a component is more like another one than like itself.
const CLEARLY: f64 = 0.05;

/// What became of a topic in the refit after an action.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TopicChange {
    /// Its name.
    pub topic: String,
    /// Whether the action names it.
    pub named: bool,
    /// The cosine between its component and what the refit started from; the smallest of several components.
    pub cosine: f64,
    /// The fraction of its former samples that are in another topic now.
    pub left: f64,
    /// How many samples it had, and has.
    pub samples: (usize, usize),
    /// The former topic that it is more like than itself, if there is one.
    pub like: Option<String>,
}

/// What an action changed.
#[derive(Clone, Debug, PartialEq, Default)]
#[non_exhaustive]
pub struct Changes {
    /// Every topic after the action, in the order of the components.
    pub topics: Vec<TopicChange>,
    /// The fraction of the samples of topics that the action does not name that are in another topic now.
    pub moved: f64,
}

/// Topics and the factors that were fitted by them.
pub(super) struct Side<'s> {
    pub(super) guidance: &'s Guidance,
    /// n × k, k × d.
    pub(super) codes: &'s Matrix<f64>,
    pub(super) components: &'s Matrix<f64>,
}

impl Side<'_> {
    /// The name of each sample's topic.
    fn places(&self, of: ShareOf) -> Vec<Option<&str>> {
        let shares = shares(self.codes, self.components, of);
        let topics = self.guidance.topics();
        let mut sums = Matrix::<f64>::zeros(shares.rows(), topics.len());
        let mut begin = 0;
        for (at, topic) in topics.iter().enumerate() {
            for i in 0..shares.rows() {
                sums.set(i, at, shares.row(i)[begin..begin + topic.components].iter().sum());
            }
            begin += topic.components;
        }
        clusters(&sums).into_iter().map(|place| place.map(|at| topics[at].name.as_str())).collect()
    }
}

/// What is different between the two sides of an action; `start` are the components that the refit began
/// with.
pub(super) fn changes(
    before: &Side<'_>,
    action: &Action,
    start: &Matrix<f64>,
    after: &Side<'_>,
    of: ShareOf,
) -> Changes {
    let (was, is) = (before.places(of), after.places(of));
    let now = |name: &str| new_name(action, name).map(str::to_string);
    let former: Vec<Option<String>> = was.iter().map(|name| name.and_then(now)).collect();
    let cosines = cosines(start, after.components);
    let owner: Vec<usize> = (after.guidance.topics().iter().enumerate())
        .flat_map(|(at, topic)| std::iter::repeat_n(at, topic.components))
        .collect();
    let mut out = Changes::default();
    let (mut left_all, mut all) = (0, 0);
    let mut begin = 0;
    for (at, topic) in after.guidance.topics().iter().enumerate() {
        let range = begin..begin + topic.components;
        begin = range.end;
        let own = range.clone().map(|j| cosines.get(j, j)).fold(1.0f64, f64::min);
        let nearest = largest(cosines.row(range.start));
        let like = (owner[nearest] != at && cosines.get(range.start, nearest) > own + CLEARLY)
            .then(|| after.guidance.topics()[owner[nearest]].name.clone());
        let name = Some(topic.name.as_str());
        let had = former.iter().filter(|f| f.as_deref() == name).count();
        let left = former.iter().zip(&is).filter(|(f, is)| f.as_deref() == name && **is != name).count();
        let named = names(action).contains(&topic.name.as_str());
        if !named {
            (left_all, all) = (left_all + left, all + had);
        }
        let fraction = |part: usize, of: usize| if of > 0 { part as f64 / of as f64 } else { 0.0 };
        out.topics.push(TopicChange {
            topic: topic.name.clone(),
            named,
            cosine: own,
            left: fraction(left, had),
            samples: (had, is.iter().filter(|place| **place == name).count()),
            like,
        });
        out.moved = fraction(left_all, all);
    }
    out
}

/// The topics that an action names, by their names after it.
fn names(action: &Action) -> Vec<&str> {
    match action {
        Action::Rename { to, .. } | Action::Move { to, .. } => vec![to],
        Action::Merge { keep, .. } => vec![keep],
        Action::Split { topic, new, .. } => vec![topic, new],
        Action::Delete { .. } => Vec::new(),
        Action::Raise { topic, .. } | Action::Forbid { topic, .. } | Action::Pin { topic } => vec![topic],
    }
}

/// The name of a former topic after an action; `None` where it is gone.
fn new_name<'a>(action: &'a Action, name: &'a str) -> Option<&'a str> {
    match action {
        Action::Rename { topic, to } if topic == name => Some(to),
        Action::Merge { keep, with } if with == name => Some(keep),
        Action::Delete { topic } if topic == name => None,
        _ => Some(name),
    }
}

/// For each place the component (after the fit) that belongs there: components of topics without guidance go
/// to the names whose components they are most like, if they have changed places. In order otherwise.
pub(super) fn order(guidance: &Guidance, start: &Matrix<f64>, after: &Matrix<f64>) -> Vec<usize> {
    /// Cosines as whole numbers.
    const UNIT: f64 = 1e9;
    let plain = without_guidance(guidance);
    let mut open = Vec::new();
    let mut begin = 0;
    for topic in guidance.topics() {
        if topic.components == 1 && plain.contains(&topic.name) {
            open.push(begin);
        }
        begin += topic.components;
    }
    let cosines = cosines(start, after);
    let weight = |place: usize, from: usize| (UNIT * cosines.get(open[from], open[place])).round() as i64;
    let all: Vec<i64> = (0..open.len())
        .flat_map(|p| (0..open.len()).map(move |f| (p, f)))
        .map(|(p, f)| weight(p, f))
        .collect();
    let found = best_matching(open.len(), open.len(), &all);
    let total = |of: &dyn Fn(usize) -> usize| (0..open.len()).map(|p| weight(p, of(p))).sum::<i64>();
    let matched = |p: usize| found[p].unwrap_or(p);
    let mut order: Vec<usize> = (0..start.rows()).collect();
    if total(&matched) as f64 > total(&|p| p) as f64 + UNIT * CLEARLY {
        (0..open.len()).for_each(|p| order[open[p]] = open[matched(p)]);
    }
    order
}

/// Cosines between the rows of `after` and those of `start` (k × k).
fn cosines(start: &Matrix<f64>, after: &Matrix<f64>) -> Matrix<f64> {
    let length = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>().sqrt();
    Matrix::from_fn(after.rows(), start.rows(), |j, l| {
        let (a, b) = (after.row(j), start.row(l));
        let size = length(a) * length(b);
        if size > 0.0 { a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / size } else { 0.0 }
    })
}

/// The columns, or the rows, of a matrix in another order.
pub(super) fn ordered<T: Real>(matrix: &Matrix<T>, order: &[usize], rows: bool) -> Matrix<T> {
    let (r, c) = matrix.shape();
    Matrix::from_fn(r, c, |i, j| if rows { matrix.get(order[i], j) } else { matrix.get(i, order[j]) })
}
