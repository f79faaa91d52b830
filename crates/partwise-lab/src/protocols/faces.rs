//! What experiments on faces share: draws of classes and labels, starts, and how clusters are read off codes.
//! The methods are in [`super::face_methods`].
//!
//! ```text
//! draw r of a set at k classes: k classes by chance, ascending; then labels of each by draw_labels;
//!     both from (set, k, r) alone
//! images / 255, or rows of unit length;   uniform starts on [0, 1), one row for samples that a method ties
//! km: k-means++ × 20 on W as it comes;   kmB: on W with basis rows scaled to unit length;
//!                                        kmR: on rows of that scaled to unit
//! length;   arg: the largest entry of each row of W;   argB: that after scaling the basis
//! ```

use anyhow::{Result, bail, ensure};
use partwise::metrics::{accuracy, adjusted_rand_index, nmi_max, restricted};
use partwise::{DataMatrix, DenseMatrix, Fit, Init, Labels, Matrix};

use super::DataSet;
use crate::draw::{generator, shuffled, uniform};
use partwise::clustering::{KMeansSettings, k_means};
use partwise::draw_labels;

/// The scores of every clustering of faces, in %.
pub(super) const SCORES: [&str; 5] = ["AC all", "NMI all", "ARI all", "AC unlabelled", "NMI unlabelled"];

/// One draw of a set of faces.
pub(super) struct Faces {
    /// n × d, from 0 to 1.
    pub(super) data: DenseMatrix<'static, f64>,
    /// The class of each image, from 0.
    pub(super) classes: Vec<i32>,
    /// The labels that methods see.
    pub(super) labels: Labels,
    /// Height and width.
    pub(super) shape: (usize, usize),
    /// The number of classes.
    pub(super) k: usize,
    /// The mean of all entries.
    pub(super) mean: f64,
    unlabelled: Vec<bool>,
    pub(super) seed: u64,
}

/// A seed for draw `draw` of `set` at `k` classes (FNV-1a over their bytes).
pub(super) fn seed_of(set: &str, k: usize, draw: u64) -> u64 {
    let numbers = [2026, k as u64, draw].into_iter().flat_map(u64::to_le_bytes);
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    set.bytes().chain(numbers).fold(0xcbf2_9ce4_8422_2325, mix)
}

impl Faces {
    /// Draw `draw` of the set `name`: k classes with `per_class` labels each.
    pub(super) fn draw(set: &DataSet, name: &str, k: usize, per_class: usize, draw: u64) -> Result<Self> {
        let all = set.classes()?;
        let n_classes = set.label_names.len();
        ensure!(k <= n_classes, "{name} has {n_classes} classes; {k} are needed");
        let Some(shape) = set.image_shape else { bail!("the samples of {name} are not images") };
        let seed = seed_of(name, k, draw);
        let mut chosen: Vec<i32> = shuffled(n_classes, seed).into_iter().take(k).map(|c| c as i32).collect();
        chosen.sort_unstable();
        let samples: Vec<usize> = (0..all.len()).filter(|i| chosen.contains(&all[*i])).collect();
        let classes: Vec<i32> =
            samples.iter().map(|i| chosen.partition_point(|c| *c < all[*i]) as i32).collect();
        let given = draw_labels(&classes, per_class, seed);
        let data = set.rows::<f64>(&samples, 1.0 / 255.0)?.to_dense();
        Faces::of(data, classes, &given, shape, seed)
    }

    /// Data with classes from 0 and the labels that methods see (-1: none), which have every class.
    pub(super) fn of(
        data: DenseMatrix<'static, f64>,
        classes: Vec<i32>,
        given: &[i32],
        shape: (usize, usize),
        seed: u64,
    ) -> Result<Self> {
        let mean = data.summary().sum / (data.n_samples() * data.n_features()) as f64;
        let unlabelled = given.iter().map(|label| *label < 0).collect();
        let labels = Labels::from_integers(given)?;
        let k = labels.n_classes();
        Ok(Faces { data, classes, labels, shape, k, unlabelled, mean, seed })
    }

    /// The images with rows of unit length.
    pub(super) fn unit(&self) -> Result<DenseMatrix<'static, f64>> {
        let (n, d) = (self.data.n_samples(), self.data.n_features());
        let length = |i: usize| self.data.row(i).iter().map(|v| v * v).sum::<f64>().sqrt();
        let lengths: Vec<f64> = (0..n).map(length).collect();
        let value =
            |i: usize, j: usize| if lengths[i] > 0.0 { self.data.row(i)[j] / lengths[i] } else { 0.0 };
        Ok(DenseMatrix::from_matrix(Matrix::from_fn(n, d, value))?)
    }

    /// Uniform numbers times `scale`; samples of a class that are `tied` share the row of the first.
    pub(super) fn uniform_start(&self, scale: f64, tied: bool) -> Init {
        let mut random = generator(self.seed, 1);
        let (n, d) = (self.data.n_samples(), self.data.n_features());
        let mut codes = Matrix::from_fn(n, self.k, |_, _| scale * uniform(&mut random));
        if tied {
            self.tie(&mut codes);
        }
        random.set_stream(2);
        let components = Matrix::from_fn(self.k, d, |_, _| scale * uniform(&mut random));
        Init::Custom { codes: Some(codes), components: Some(components) }
    }

    /// One-hot rows of labelled samples + 0.1·U, and class means + 0.01·mean·U.
    pub(super) fn label_start(&self, tied: bool) -> Init {
        let Init::Custom { codes: Some(mut codes), components: Some(mut components) } =
            self.uniform_start(1.0, tied)
        else {
            unreachable!("a uniform start has both factors")
        };
        codes.as_mut_slice().iter_mut().for_each(|v| *v *= 0.1);
        components.as_mut_slice().iter_mut().for_each(|v| *v *= 0.01 * self.mean);
        let counts = self.labels.counts();
        for i in 0..self.data.n_samples() {
            let Some(class) = self.labels.class(i) else { continue };
            codes.row_mut(i)[class] += 1.0;
            let share = 1.0 / counts[class] as f64;
            components.row_mut(class).iter_mut().zip(self.data.row(i)).for_each(|(h, x)| *h += share * x);
        }
        Init::Custom { codes: Some(codes), components: Some(components) }
    }

    fn tie(&self, codes: &mut Matrix<f64>) {
        let mut first: Vec<Option<Vec<f64>>> = vec![None; self.labels.n_classes()];
        for i in 0..codes.rows() {
            if let Some(class) = self.labels.class(i) {
                let row = first[class].get_or_insert_with(|| codes.row(i).to_vec()).clone();
                codes.row_mut(i).copy_from_slice(&row);
            }
        }
    }

    /// The scores of clusters, in the order of [`SCORES`].
    pub(super) fn scores(&self, clusters: &[i32]) -> Result<Vec<(&'static str, f64)>> {
        let hidden = (restricted(&self.classes, &self.unlabelled)?, restricted(clusters, &self.unlabelled)?);
        let values = [
            accuracy(&self.classes, clusters)?.accuracy,
            nmi_max(&self.classes, clusters)?,
            adjusted_rand_index(&self.classes, clusters)?,
            accuracy(&hidden.0, &hidden.1)?.accuracy,
            nmi_max(&hidden.0, &hidden.1)?,
        ];
        Ok(SCORES.into_iter().zip(values.map(|value| 100.0 * value)).collect())
    }

    pub(super) fn k_means_settings(&self) -> KMeansSettings {
        KMeansSettings { seed: self.seed, ..KMeansSettings::default() }
    }
}

/// How clusters are read off codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// `km`.
    Plain,
    /// `kmB`.
    Scaled,
    /// `kmR`.
    Rows,
    /// `arg`.
    Largest,
}

impl Reading {
    pub(super) fn name(self) -> &'static str {
        match self {
            Reading::Plain => "km",
            Reading::Scaled => "kmB",
            Reading::Rows => "kmR",
            Reading::Largest => "arg",
        }
    }

    /// The cluster of each sample.
    pub(super) fn clusters(self, fitted: &Fit<f64>, faces: &Faces) -> Result<Vec<i32>> {
        let codes = &fitted.codes;
        if self == Reading::Largest {
            let largest =
                |row: &[f64]| (0..row.len()).fold(0, |best, j| if row[j] > row[best] { j } else { best });
            return Ok((0..codes.rows()).map(|i| largest(codes.row(i)) as i32).collect());
        }
        let length = |row: &[f64]| row.iter().map(|v| v * v).sum::<f64>().sqrt();
        let mut points = codes.clone();
        if self != Reading::Plain {
            let lengths: Vec<f64> = (0..codes.columns()).map(|j| length(fitted.components.row(j))).collect();
            for i in 0..points.rows() {
                points.row_mut(i).iter_mut().zip(&lengths).for_each(|(w, length)| *w *= length);
                let own = if self == Reading::Rows { length(points.row(i)) } else { 0.0 };
                if own > 0.0 {
                    points.row_mut(i).iter_mut().for_each(|w| *w /= own);
                }
            }
        }
        let found = k_means(&DenseMatrix::from_matrix(points)?, faces.k, &faces.k_means_settings())?;
        Ok(found.labels.iter().map(|cluster| *cluster as i32).collect())
    }
}
