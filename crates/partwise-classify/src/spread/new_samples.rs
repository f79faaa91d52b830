//! Codes of new samples, with the costs that spread labels put on those of the fit.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use partwise::guidance::Scorer;
use partwise::internals::RowGroups;
use partwise::recipes::{Owners, ShareOf, shares};
use partwise::{
    Advice, DataMatrix, Encoding, Error, Fit, Guidance, Iteration, Loss, Matrix, Observer, Real, Result,
    Settings, encode, once,
};

use super::scorer::best_topics;
use super::weights::{LEAST_COST, MOST_COST, MOST_OF_ANOTHER, is_in};

/// The costs that are tried, the least that puts a sample into its topic is taken.
const COSTS: [f64; 4] = [LEAST_COST, 10.0 * LEAST_COST, 100.0 * LEAST_COST, MOST_COST];

/// As [`encode`], for a model whose `guidance` holds a scorer: each new row is drawn to the topic that has
/// the largest score, as the samples of the fit were. Without a scorer it is [`encode`].
///
/// # Errors
/// As [`encode`]; [`Error::Guidance`] for a scorer that does not fit the components.
pub fn encode_by_scorer<T: Real>(
    data: &dyn DataMatrix<T>,
    components: &Matrix<T>,
    (encoding, guidance): (&Encoding, &Guidance),
    loss: Loss,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Fit<T>> {
    encode_by(data, components, (encoding, guidance), None, (loss, settings), observer)
}

/// As [`encode_by_scorer`], where the class of each row is known: a place in the names of the scorer.
///
/// # Errors
/// As [`encode_by_scorer`].
pub fn encode_by_classes<T: Real>(
    data: &dyn DataMatrix<T>,
    components: &Matrix<T>,
    by: (&Encoding, &Guidance),
    classes: &[usize],
    how: (Loss, &Settings),
    observer: &mut dyn Observer,
) -> Result<Fit<T>> {
    encode_by(data, components, by, Some(classes), how, observer)
}

once! {
    /// The body of [`encode_by_scorer`] and [`encode_by_classes`].
    fn encode_by<'a, T>(
        data: &'a dyn DataMatrix<T>,
        components: &'a Matrix<T>,
        by: (&'a Encoding, &'a Guidance),
        classes: Option<&'a [usize]>,
        how: (Loss, &'a Settings),
        observer: &'a mut dyn Observer,
    ) -> Result<Fit<T>> = encoded;
}

fn encoded<T: Real>(
    data: &dyn DataMatrix<T>,
    components: &Matrix<T>,
    (encoding, guidance): (&Encoding, &Guidance),
    classes: Option<&[usize]>,
    (loss, settings): (Loss, &Settings),
    observer: &mut dyn Observer,
) -> Result<Fit<T>> {
    let mut plain = encode(data, components, encoding, loss, settings, observer)?;
    let advice = guidance.advice();
    let scorer = advice.iter().find_map(|item| match item {
        Advice::Scorer(scorer) => Some(scorer),
        _ => None,
    });
    let Some(scorer) = scorer else { return Ok(plain) };
    let names: Vec<String> = (1..=components.rows()).map(|j| format!("part {j}")).collect();
    let owners = Owners::new(&guidance.all_topics(), &names);
    let own = places(scorer, &owners, components)?;
    let best = classes.map_or_else(|| best_topics(data, scorer), <[usize]>::to_vec);
    let topic_of = |i: usize| own[best[i]];
    let how = Encoder { data, components, encoding, loss, settings, owners: &owners };
    // The least cost that is enough for each row.
    let mut found: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    let mut open: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    (0..data.n_samples()).for_each(|i| open.entry(topic_of(i)).or_default().push(i));
    for (level, cost) in COSTS.iter().enumerate() {
        for (topic, rows) in std::mem::take(&mut open) {
            let part = how.run(&rows, topic, *cost)?;
            let memberships = owners.memberships(&shares(&part.codes, components, ShareOf::of_loss(loss)));
            for (at, row) in rows.into_iter().enumerate() {
                if is_in(memberships.row(at), topic, MOST_OF_ANOTHER) || level + 1 == COSTS.len() {
                    found.entry((topic, level)).or_default().push(row);
                } else {
                    open.entry(topic).or_default().push(row);
                }
            }
        }
    }
    let (mut loss_value, mut objective) = (0.0, 0.0);
    for ((topic, level), rows) in found {
        let part = how.run(&rows, topic, COSTS[level])?;
        (loss_value, objective) = (loss_value + part.loss_value, objective + part.objective);
        for (at, row) in rows.into_iter().enumerate() {
            plain.codes.row_mut(row).copy_from_slice(part.codes.row(at));
        }
    }
    let ratio = if plain.loss_value > 0.0 { loss_value / plain.loss_value } else { 1.0 };
    plain.relative_error *= if loss == Loss::Frobenius { ratio.sqrt() } else { ratio };
    (plain.loss_value, plain.objective) = (loss_value, objective);
    Ok(plain)
}

/// The topic of each name of the scorer, as a number of the owners.
fn places<T: Real>(scorer: &Scorer, owners: &Owners, components: &Matrix<T>) -> Result<Vec<usize>> {
    let (d, k) = (components.columns(), components.rows());
    scorer.check(d)?;
    let owner = |name: &String| {
        let is_own = |at: &usize| owners.names()[*at] == *name && owners.components()[*at].end <= k;
        let found = (0..owners.names().len()).find(is_own);
        found.ok_or_else(|| Error::Guidance(format!("the scorer's topic \"{name}\" has no component")))
    };
    scorer.names.iter().map(owner).collect()
}

struct Encoder<'e, T: Real> {
    data: &'e dyn DataMatrix<T>,
    components: &'e Matrix<T>,
    encoding: &'e Encoding,
    loss: Loss,
    settings: &'e Settings,
    owners: &'e Owners,
}

impl<T: Real> Encoder<'_, T> {
    /// The codes of some rows, at a cost for what lies outside of a topic.
    fn run(&self, rows: &[usize], topic: usize, cost: f64) -> Result<Fit<T>> {
        let mut encoding = self.encoding.clone();
        let own = self.owners.components()[topic].clone();
        for j in (0..self.components.rows()).filter(|j| !own.contains(j)) {
            let component = self.components.row(j).iter().map(|h| h.to_f64());
            match self.loss {
                Loss::Frobenius => encoding.ridge[j] += cost * component.map(|h| h * h).sum::<f64>(),
                _ => encoding.linear[j] += cost * component.sum::<f64>(),
            }
        }
        let some = self.data.grouped(&RowGroups::chosen(rows, self.data.n_samples()));
        let observer = &mut |_: &Iteration| ControlFlow::Continue(());
        encode(some.as_ref(), self.components, &encoding, self.loss, self.settings, observer)
    }
}
