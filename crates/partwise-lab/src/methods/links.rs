//! [`Links`]: pairs of samples that belong together or apart.

use partwise::{Error, Labels, Result};

use crate::draw::{below, generator};

/// Must-links and cannot-links between samples, in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    must: Vec<(usize, usize)>,
    cannot: Vec<(usize, usize)>,
}

impl Links {
    /// Pairs of samples below `n_samples` that belong to one cluster (`must`), or to different ones
    /// (`cannot`).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a sample that isn't there; [`Error::Labels`] for a link of a sample to
    /// itself, and for a cannot-link between samples that must-links tie together, directly or through
    /// others, naming the pair.
    pub fn new(n_samples: usize, must: Vec<(usize, usize)>, cannot: Vec<(usize, usize)>) -> Result<Self> {
        for &(i, j) in must.iter().chain(&cannot) {
            if i >= n_samples || j >= n_samples {
                return Err(Error::OutOfRange {
                    name: "a link".into(),
                    value: format!("({i}, {j})"),
                    valid: format!("between two of {n_samples} samples, counted from 0"),
                });
            }
            if i == j {
                return Err(Error::Labels(format!(
                    "sample {i} is linked to itself; a link needs two samples"
                )));
            }
        }
        let links = Links { must, cannot };
        let group = links.groups(n_samples);
        if let Some((i, j)) = links.cannot.iter().find(|(i, j)| group[*i] == group[*j]) {
            return Err(Error::Labels(format!(
                "samples {i} and {j} have a cannot-link, but must-links tie them together"
            )));
        }
        Ok(links)
    }

    /// The links that WS-NMF's authors make of labels: each labelled sample must be with the next one of its
    /// class, and one random sample of each class cannot be with one of the next class. They say what the
    /// labels say, in few pairs.
    pub fn chained(labels: &Labels, seed: u64) -> Self {
        let members = members(labels);
        let must = members.iter().flat_map(|class| class.windows(2).map(|pair| (pair[0], pair[1]))).collect();
        let mut random = generator(seed, 0);
        let mut any = |class: &[usize]| class[below(&mut random, class.len())];
        let cannot = members.windows(2).map(|pair| (any(&pair[0]), any(&pair[1]))).collect();
        Links { must, cannot }
    }

    /// Every pair of labelled samples: a must-link in one class, a cannot-link between classes. l(l − 1)/2
    /// links for l labelled samples.
    pub fn all_pairs(labels: &Labels) -> Self {
        let labelled: Vec<(usize, usize)> =
            (0..labels.n_samples()).filter_map(|i| Some((i, labels.class(i)?))).collect();
        let mut links = Links::default();
        for (place, &(i, class)) in labelled.iter().enumerate() {
            for &(j, other) in &labelled[place + 1..] {
                let kind = if class == other { &mut links.must } else { &mut links.cannot };
                kind.push((i, j));
            }
        }
        links
    }

    /// The pairs that belong together.
    pub fn must(&self) -> &[(usize, usize)] {
        &self.must
    }

    /// The pairs that belong apart.
    pub fn cannot(&self) -> &[(usize, usize)] {
        &self.cannot
    }

    /// For each of `n_samples` the number of the group that must-links tie it to, groups numbered by their
    /// first sample.
    pub fn groups(&self, n_samples: usize) -> Vec<usize> {
        let partners = adjacency(n_samples, &self.must);
        let mut group = vec![usize::MAX; n_samples];
        let mut count = 0;
        for first in 0..n_samples {
            if group[first] != usize::MAX {
                continue;
            }
            let mut waiting = vec![first];
            group[first] = count;
            while let Some(i) = waiting.pop() {
                for &j in &partners[i] {
                    if group[j] == usize::MAX {
                        group[j] = count;
                        waiting.push(j);
                    }
                }
            }
            count += 1;
        }
        group
    }

    /// The partners of each of `n_samples` by must-links and by cannot-links.
    pub(super) fn partners(&self, n_samples: usize) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        (adjacency(n_samples, &self.must), adjacency(n_samples, &self.cannot))
    }

    /// Refuses links to samples that the data don't have.
    pub(super) fn check_within(&self, n_samples: usize) -> Result<()> {
        let outside = self.must.iter().chain(&self.cannot).find(|(i, j)| *i >= n_samples || *j >= n_samples);
        match outside {
            None => Ok(()),
            Some((i, j)) => Err(Error::OutOfRange {
                name: "a link".into(),
                value: format!("({i}, {j})"),
                valid: format!("between two of {n_samples} samples, counted from 0"),
            }),
        }
    }
}

fn adjacency(n_samples: usize, pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut partners = vec![Vec::new(); n_samples];
    for &(i, j) in pairs {
        partners[i].push(j);
        partners[j].push(i);
    }
    partners
}

/// The labelled samples of each class.
pub(super) fn members(labels: &Labels) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); labels.n_classes()];
    for i in 0..labels.n_samples() {
        if let Some(class) = labels.class(i) {
            members[class].push(i);
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_labels_say_what_the_labels_say() {
        let labels = Labels::from_integers(&[0, -1, 1, 0, 1, 0, 2]).unwrap();
        let chained = Links::chained(&labels, 3);
        assert_eq!(chained.must(), [(0, 3), (3, 5), (2, 4)]);
        assert_eq!(chained.cannot().len(), 2);
        assert_eq!(chained, Links::chained(&labels, 3));
        let all = Links::all_pairs(&labels);
        assert_eq!((all.must().len(), all.cannot().len()), (4, 11));
        for links in [chained, all] {
            assert_eq!(links.groups(7), [0, 1, 2, 0, 2, 0, 3]);
            assert!(Links::new(7, links.must().to_vec(), links.cannot().to_vec()).is_ok());
        }
    }

    #[test]
    fn links_that_contradict_each_other_or_lead_nowhere_are_refused_by_name() {
        let message = Links::new(4, vec![(0, 1), (1, 2)], vec![(2, 0)]).unwrap_err().to_string();
        assert!(message.contains("samples 2 and 0") && message.contains("must-links tie"), "{message}");
        let message = Links::new(4, vec![(3, 3)], vec![]).unwrap_err().to_string();
        assert!(message.contains("sample 3 is linked to itself"), "{message}");
        assert!(matches!(Links::new(4, vec![], vec![(0, 4)]), Err(Error::OutOfRange { .. })));
    }
}
