//! [`Labels`]: one class for some of the samples.

use serde::{Deserialize, Serialize};

use crate::foundation::{Error, Result};

/// A class for each labelled sample; the others are unlabelled. Classes are numbered 0..c in the order of
/// their integers (or of `names`), and every class has at least one sample.
///
/// ```
/// use partwise::Labels;
/// let names = ["sport", "law"].map(String::from);
/// let labels = Labels::with_names(&[0, -1, 1, 0], &names)?;
/// assert_eq!((labels.n_samples(), labels.n_labelled()), (4, 3));
/// assert_eq!(labels.class(1), None);
/// assert_eq!(labels.counts(), [2, 1]);
/// # Ok::<(), partwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "LabelsText", into = "LabelsText")]
pub struct Labels {
    classes: Vec<Option<u32>>,
    names: Vec<String>,
}

impl Labels {
    /// From integers, one per sample: −1 = unlabelled, any number ≥ 0 = a class, which is named by its
    /// number. Numbers need not be contiguous.
    ///
    /// # Errors
    /// [`Error::Labels`] for a number below −1, naming the sample.
    pub fn from_integers(labels: &[i32]) -> Result<Self> {
        Self::build(labels, |class| Ok(class.to_string()))
    }

    /// From integers that index `names`: −1 = unlabelled. Names without a sample are dropped.
    ///
    /// # Errors
    /// [`Error::Labels`] for a number below −1 or without a name, naming the sample.
    pub fn with_names(labels: &[i32], names: &[String]) -> Result<Self> {
        Self::build(labels, |class| {
            names.get(class as usize).cloned().ok_or_else(|| {
                Error::Labels(format!(
                    "class {class} has no name; there are {} names (classes 0..{})",
                    names.len(),
                    names.len()
                ))
            })
        })
    }

    fn build(labels: &[i32], name: impl Fn(i32) -> Result<String>) -> Result<Self> {
        if let Some(at) = labels.iter().position(|l| *l < -1) {
            return Err(Error::Labels(format!(
                "sample {at} has label {}; labels are numbers from 0, and -1 for unlabelled",
                labels[at]
            )));
        }
        let mut present: Vec<i32> = labels.iter().copied().filter(|l| *l >= 0).collect();
        present.sort_unstable();
        present.dedup();
        let names = present.iter().map(|&class| name(class)).collect::<Result<_>>()?;
        let classes = labels.iter().map(|l| present.binary_search(l).ok().map(|c| c as u32)).collect();
        Ok(Labels { classes, names })
    }

    /// Number of samples, labelled or not.
    pub fn n_samples(&self) -> usize {
        self.classes.len()
    }

    /// c, the number of classes that have a sample.
    pub fn n_classes(&self) -> usize {
        self.names.len()
    }

    /// Number of labelled samples.
    pub fn n_labelled(&self) -> usize {
        self.classes.iter().flatten().count()
    }

    /// The class (0..c) of a sample, if it is labelled.
    ///
    /// # Panics
    /// When `sample` is out of range.
    pub fn class(&self, sample: usize) -> Option<usize> {
        self.classes[sample].map(|c| c as usize)
    }

    /// The names of the classes (c).
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names of the components, `per_class` for each class.
    #[doc(hidden)]
    pub fn component_names(&self, per_class: usize) -> Vec<String> {
        let owned = self.names.iter().flat_map(|class| (1..=per_class).map(move |part| (class, part)));
        let name =
            |(class, part)| if per_class == 1 { String::clone(class) } else { format!("{class} {part}") };
        owned.map(name).collect()
    }

    /// Labelled samples of each class (c).
    #[doc(hidden)]
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.n_classes()];
        self.classes.iter().flatten().for_each(|&c| counts[c as usize] += 1);
        counts
    }

    /// The same labels with a class under another name; the samples of two classes that come to have one name
    /// are put together.
    pub(crate) fn renamed(&self, from: &str, to: &str) -> Self {
        let Some(old) = self.names.iter().position(|n| n == from) else { return self.clone() };
        let mut labels = self.clone();
        match self.names.iter().position(|n| n == to) {
            None => labels.names[old] = to.into(),
            Some(known) => {
                labels
                    .classes
                    .iter_mut()
                    .flatten()
                    .filter(|c| **c as usize == old)
                    .for_each(|c| *c = known as u32);
                labels = labels.without(from);
            }
        }
        labels
    }

    /// The same labels without those of a class.
    pub(crate) fn without(&self, name: &str) -> Self {
        let Some(old) = self.names.iter().position(|n| n == name) else { return self.clone() };
        let kept = |class: &Option<u32>| match *class {
            Some(c) if (c as usize) < old => Some(c),
            Some(c) if (c as usize) > old => Some(c - 1),
            _ => None,
        };
        let mut names = self.names.clone();
        names.remove(old);
        Labels { classes: self.classes.iter().map(kept).collect(), names }
    }

    /// The same labels without that of a sample; a class of which it was the only one goes.
    pub(crate) fn without_sample(&self, sample: usize) -> Self {
        let mut labels = self.clone();
        match labels.classes[sample].take() {
            Some(class) if !labels.classes.contains(&Some(class)) => {
                let name = self.names[class as usize].clone();
                labels.without(&name)
            }
            _ => labels,
        }
    }

    /// As integers: the class (0..c), or −1.
    #[doc(hidden)]
    pub fn to_integers(&self) -> Vec<i32> {
        self.classes.iter().map(|c| c.map_or(-1, |c| c as i32)).collect()
    }

    /// The label-constraint matrix A (n × q) as the column of the single 1 in each row: first one column per
    /// class, then one column for each unlabelled sample in order. q = c + the number of unlabelled samples.
    #[doc(hidden)]
    pub fn constraint_columns(&self) -> Vec<u32> {
        let mut next = self.n_classes() as u32;
        self.classes
            .iter()
            .map(|class| {
                class.unwrap_or_else(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect()
    }
}

/// Values for some of the samples.
pub(crate) fn spread<T: Clone>(
    n: usize,
    samples: &[usize],
    values: Vec<T>,
    free: T,
) -> std::result::Result<Vec<T>, String> {
    if let Some(sample) = samples.iter().find(|sample| **sample >= n) {
        return Err(format!("sample {sample} is not below {n}"));
    }
    if samples.len() != values.len() {
        return Err(format!("{} samples, but {} entries", samples.len(), values.len()));
    }
    let mut all = vec![free; n];
    samples.iter().zip(values).for_each(|(sample, value)| all[*sample] = value);
    Ok(all)
}

/// Labels as they are written: those of the labelled samples.
#[derive(Deserialize, Serialize)]
struct LabelsText {
    n_samples: usize,
    samples: Vec<usize>,
    classes: Vec<i32>,
    names: Vec<String>,
}

impl TryFrom<LabelsText> for Labels {
    type Error = String;

    fn try_from(text: LabelsText) -> std::result::Result<Self, String> {
        let classes = spread(text.n_samples, &text.samples, text.classes, -1)?;
        Labels::with_names(&classes, &text.names).map_err(|error| error.to_string())
    }
}

impl From<Labels> for LabelsText {
    fn from(labels: Labels) -> Self {
        let n_samples = labels.n_samples();
        let samples: Vec<usize> = (0..n_samples).filter(|i| labels.class(*i).is_some()).collect();
        let all = labels.to_integers();
        let classes = samples.iter().map(|i| all[*i]).collect();
        LabelsText { n_samples, samples, classes, names: labels.names().to_vec() }
    }
}
