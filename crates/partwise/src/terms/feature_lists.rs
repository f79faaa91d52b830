//! [`FeatureLists`]: some features of each sample, as compressed rows: about the size of a sparse matrix
//! without its values.

use std::sync::Arc;

use crate::foundation::{Error, Result};

/// A list of features for each sample. A clone shares the lists.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureLists(Arc<Rows>);

#[derive(Debug, PartialEq)]
struct Rows {
    offsets: Vec<usize>,
    features: Vec<u32>,
}

impl FeatureLists {
    /// Sample i has `features[offsets[i]..offsets[i + 1]]`. Whether a list is ascending and within the data
    /// is checked when it is used.
    ///
    /// # Errors
    /// [`Error::Guidance`] when the offsets don't begin with 0, fall, or don't end with the number of
    /// features listed.
    pub fn new(offsets: Vec<usize>, features: Vec<u32>) -> Result<Self> {
        let fault = |reason: String| Err(Error::Guidance(reason));
        if offsets.first() != Some(&0) {
            return fault("the offsets of lists of features must begin with 0".into());
        }
        if let Some(at) = offsets.windows(2).position(|pair| pair[0] > pair[1]) {
            return fault(format!("the offsets of lists of features fall after sample {at}"));
        }
        if offsets.last() != Some(&features.len()) {
            let (end, count) = (offsets.last().copied().unwrap_or(0), features.len());
            return fault(format!("the offsets end with {end}, but {count} features are listed"));
        }
        Ok(FeatureLists(Arc::new(Rows { offsets, features })))
    }

    /// How many features each sample lists, without the features: for a document that keeps them elsewhere.
    pub(crate) fn without_features(offsets: Vec<usize>) -> Self {
        FeatureLists(Arc::new(Rows { offsets, features: Vec::new() }))
    }

    /// n.
    pub fn n_samples(&self) -> usize {
        self.0.offsets.len() - 1
    }

    /// The list of a sample.
    ///
    /// # Panics
    /// When there is no such sample.
    pub fn row(&self, sample: usize) -> &[u32] {
        &self.0.features[self.0.offsets[sample]..self.0.offsets[sample + 1]]
    }

    /// All lists in order.
    #[doc(hidden)]
    pub fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.0.offsets.windows(2).map(|pair| &self.0.features[pair[0]..pair[1]])
    }

    /// Where each list begins, and the end of the last (n + 1).
    #[doc(hidden)]
    pub fn offsets(&self) -> &[usize] {
        &self.0.offsets
    }

    /// The features of all lists, one list after the other.
    #[doc(hidden)]
    pub fn features(&self) -> &[u32] {
        &self.0.features
    }

    /// The samples that list each of `features` features. All that are listed must be below `features`.
    pub(crate) fn transposed(&self, features: usize) -> Self {
        let mut offsets = vec![0; features + 1];
        self.0.features.iter().for_each(|j| offsets[*j as usize + 1] += 1);
        (0..features).for_each(|j| offsets[j + 1] += offsets[j]);
        let mut next = offsets.clone();
        let mut samples = vec![0; self.0.features.len()];
        for (i, row) in self.rows().enumerate() {
            for j in row {
                samples[next[*j as usize]] = i as u32;
                next[*j as usize] += 1;
            }
        }
        FeatureLists(Arc::new(Rows { offsets, features: samples }))
    }
}

impl FromIterator<Vec<u32>> for FeatureLists {
    fn from_iter<I: IntoIterator<Item = Vec<u32>>>(lists: I) -> Self {
        let (mut offsets, mut features) = (vec![0], Vec::new());
        for list in lists {
            features.extend_from_slice(&list);
            offsets.push(features.len());
        }
        features.shrink_to_fit();
        FeatureLists(Arc::new(Rows { offsets, features }))
    }
}

impl From<Vec<Vec<u32>>> for FeatureLists {
    fn from(lists: Vec<Vec<u32>>) -> Self {
        lists.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_compressed_rows_are_the_same_and_transpose_back() {
        let lists = FeatureLists::from(vec![vec![0, 3], vec![], vec![1, 3]]);
        assert_eq!(lists, FeatureLists::new(vec![0, 2, 2, 4], vec![0, 3, 1, 3]).unwrap());
        assert_eq!((lists.n_samples(), lists.row(2)), (3, &[1, 3][..]));
        let by_feature = lists.transposed(4);
        assert_eq!(by_feature.rows().collect::<Vec<_>>(), [&[0][..], &[2], &[], &[0, 2]]);
        assert_eq!(by_feature.transposed(3), lists);
    }

    #[test]
    fn offsets_that_lie_are_refused() {
        for (offsets, part) in [
            (vec![], "begin with 0"),
            (vec![1, 2], "begin with 0"),
            (vec![0, 2, 1], "fall"),
            (vec![0, 1], "end with 1"),
        ] {
            let message = FeatureLists::new(offsets, vec![0, 1]).unwrap_err().to_string();
            assert!(message.contains(part), "{part} is not in: {message}");
        }
    }
}
