//! What experiments on faces share: draws of classes and labels, starts, the methods, and how clusters are read off their codes.
//!
//! ```text
//! draw r of a set at k classes: k classes by chance, ascending; then labels of each by draw_labels; both from (set, k, r) alone
//! images / 255, or rows of unit length;   uniform starts on [0, 1), one row for samples that a method ties
//! km: k-means++ × 20 on W as it comes;   kmB: on W with basis rows scaled to unit length;   kmR: on rows of that scaled to unit
//! length;   arg: the largest entry of each row of W;   argB: that after scaling the basis
//! ```

use anyhow::{Result, bail, ensure};
use partwise::graphs::{NeighbourGraph, Weights, neighbour_graph};
use partwise::metrics::{accuracy, adjusted_rand_index, nmi_max, restricted};
use partwise::{
    DataMatrix, DenseMatrix, Fit, Init, Knowledge, Labels, Margins, Matrix, Model, Settings, Slot,
    SolverChoice, StepRule, fit,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::{DataSet, Group};
use crate::draw::{draw_labels, shuffled, uniform};
use crate::methods::k_means::{KMeansSettings, k_means};
use crate::methods::seeded_k_means::constrained_k_means;

/// The scores of every clustering of faces, in %.
pub(super) const SCORES: [&str; 5] = ["AC all", "NMI all", "ARI all", "AC unlabelled", "NMI unlabelled"];

/// λ of GNMF and SemiGNMF, on rows of unit length.
const GRAPH_WEIGHT: f64 = 100.0;
const NEIGHBOURS: usize = 5;

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
    seed: u64,
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
    fn unit(&self) -> Result<DenseMatrix<'static, f64>> {
        let (n, d) = (self.data.n_samples(), self.data.n_features());
        let length = |i: usize| self.data.row(i).iter().map(|v| v * v).sum::<f64>().sqrt();
        let lengths: Vec<f64> = (0..n).map(length).collect();
        let value =
            |i: usize, j: usize| if lengths[i] > 0.0 { self.data.row(i)[j] / lengths[i] } else { 0.0 };
        Ok(DenseMatrix::from_matrix(Matrix::from_fn(n, d, value))?)
    }

    /// Uniform numbers times `scale`; samples of a class that are `tied` share the row of the first.
    pub(super) fn uniform_start(&self, scale: f64, tied: bool) -> Init {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(1);
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
    fn label_start(&self, tied: bool) -> Init {
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

    fn k_means_settings(&self) -> KMeansSettings {
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

/// A method on faces: a factorization with readings of its codes, or a clustering.
pub(super) struct Method {
    /// The name of its group of one.
    pub(super) group: Group,
    /// As tables show it.
    pub(super) name: &'static str,
    /// How its codes are read; none for a clustering.
    pub(super) readings: &'static [Reading],
    run: Run,
}

/// What a method does.
#[derive(Clone, Copy)]
enum Run {
    /// Model and settings; the flag says whether rows have unit length.
    Fit(fn(&Faces, Settings) -> Result<Fit<f64>>),
    /// Clusters of the pixels.
    Clusters(fn(&Faces) -> Result<Vec<i32>>),
}

impl Method {
    /// The fit after `iterations`; `None` for a clustering.
    pub(super) fn fit(&self, faces: &Faces, iterations: usize) -> Result<Option<Fit<f64>>> {
        let Run::Fit(run) = self.run else { return Ok(None) };
        let settings = Settings {
            seed: faces.seed,
            solver: SolverChoice::Auto,
            first: Some(Slot::Components),
            max_iterations: iterations,
            tolerance: 0.0,
            threads: 1,
            ..Settings::new(faces.k)
        };
        run(faces, settings).map(Some)
    }

    /// The clusters, for a clustering.
    pub(super) fn clusters(&self, faces: &Faces) -> Result<Option<Vec<i32>>> {
        match self.run {
            Run::Fit(_) => Ok(None),
            Run::Clusters(run) => run(faces).map(Some),
        }
    }

    /// Each reading with its name, clusters and solver.
    pub(super) fn readings(
        &self,
        faces: &Faces,
        iterations: usize,
    ) -> Result<Vec<(String, Vec<i32>, String)>> {
        if let Some(clusters) = self.clusters(faces)? {
            return Ok(vec![(
                self.name.to_string(),
                clusters,
                "Lloyd, the best of 20 starts or from the labels".into(),
            )]);
        }
        let Some(fitted) = self.fit(faces, iterations)? else { return Ok(Vec::new()) };
        let solver = format!("{}, {} iterations", fitted.solver, fitted.iterations);
        let each = |reading: &Reading| {
            Ok((
                format!("{}, {}", self.name, reading.name()),
                reading.clusters(&fitted, faces)?,
                solver.clone(),
            ))
        };
        self.readings.iter().map(each).collect()
    }
}

/// The method with this group.
pub(super) fn method(group: &str) -> Result<&'static Method> {
    match METHODS.iter().find(|method| method.group.name == group) {
        Some(method) => Ok(method),
        None => bail!("there is no method \"{group}\" on faces"),
    }
}

/// A factorization with readings of its codes.
pub(super) const fn entry(
    name: &'static str,
    title: &'static str,
    shown: &'static str,
    readings: &'static [Reading],
    run: fn(&Faces, Settings) -> Result<Fit<f64>>,
) -> Method {
    Method { group: Group { name, title }, name: shown, readings, run: Run::Fit(run) }
}

use Reading::{Largest, Plain, Rows, Scaled};

pub(super) const NMF: Method = entry("nmf", "NMF", "NMF", &[Plain, Rows], |faces, settings| {
    faces.fit_from_uniform(&Model::nmf(), settings)
});

pub(super) const NCW_NMF: Method = entry(
    "ncw-nmf",
    "NMF with normalized-cut weights, the CNMF paper's \"NMF\"",
    "NCW-NMF",
    &[Plain],
    |faces, settings| faces.fit_from_uniform(&Model::ncw_nmf(), settings),
);

pub(super) const GNMF: Method =
    entry("gnmf", "GNMF, lambda 100, rows of unit length", "GNMF", &[Scaled], |faces, settings| {
        let data = faces.unit()?;
        let model = Model::gnmf(neighbours(&data)?, GRAPH_WEIGHT);
        let settings =
            Settings { solver: SolverChoice::Mu, init: faces.uniform_start(1.0, false), ..settings };
        Ok(fit(&data, &model, &settings)?)
    });

pub(super) const NTF: Method =
    entry("ntf", "NTF of the images", "NTF", &[Plain, Scaled], |faces, settings| {
        let settings = Settings { solver: SolverChoice::Mu, init: Init::Random, ..settings };
        Ok(fit(&faces.data, &Model::ntf(faces.shape), &settings)?)
    });

pub(super) const SEMI_GNMF: Method = entry(
    "semi-gnmf",
    "SemiGNMF, lambda 100, rows of unit length",
    "SemiGNMF",
    &[Scaled],
    |faces, settings| {
        let data = faces.unit()?;
        let model = Model::semi_gnmf(neighbours(&data)?, GRAPH_WEIGHT, faces.labels.clone());
        let settings =
            Settings { solver: SolverChoice::Mu, init: faces.uniform_start(1.0, false), ..settings };
        Ok(fit(&data, &model, &settings)?)
    },
);

pub(super) const CNMF: Method = entry("cnmf", "CNMF", "CNMF", &[Plain, Rows], |faces, settings| {
    faces.fit_from_uniform(&Model::cnmf(faces.labels.clone()), settings)
});

pub(super) const CNMF_KL: Method =
    entry("cnmf-kl", "CNMF with the Kullback-Leibler loss", "CNMF-KL", &[Plain], |faces, settings| {
        let model = Model::from_name("cnmf-kl", faces.knowledge())?;
        let settings = Settings { init: faces.uniform_start(1.0, true), ..settings };
        Ok(fit(&faces.data, &model, &settings)?)
    });

pub(super) const NMF_DC_0: Method =
    entry("nmf-dc-0", "NMF-DC, delta 0", "NMF-DC 0", &[Plain], |faces, settings| faces.nmf_dc(0.0, settings));

pub(super) const NMF_DC_0_3: Method =
    entry("nmf-dc-0.3", "NMF-DC, delta 0.3", "NMF-DC 0.3", &[Plain], |faces, settings| {
        faces.nmf_dc(0.3, settings)
    });

pub(super) const SCNMF: Method =
    entry("scnmf", "SCNMF from a random start", "SCNMF", &[Plain, Largest], |faces, settings| {
        let settings = Settings { init: faces.uniform_start(1.0, false), ..settings };
        faces.scnmf(settings)
    });

pub(super) const SCNMF_LABELS: Method = entry(
    "scnmf-labels",
    "SCNMF that starts from the labels",
    "SCNMF from labels",
    &[Plain, Largest],
    |faces, settings| {
        let settings = Settings { init: faces.label_start(false), ..settings };
        faces.scnmf(settings)
    },
);

pub(super) const CNMF_LABELS: Method = entry(
    "cnmf-labels",
    "CNMF that starts from the labels",
    "CNMF from labels",
    &[Plain, Rows],
    |faces, settings| {
        let settings = Settings { init: faces.label_start(true), solver: SolverChoice::Mu, ..settings };
        Ok(fit(&faces.data, &Model::cnmf(faces.labels.clone()), &settings)?)
    },
);

pub(super) const NMF_ALPHA: Method =
    entry("nmf-alpha", "NMF-alpha, rho 1", "NMF-alpha", &[Rows], |faces, settings| {
        faces.nmf_alpha(Settings { init: faces.uniform_start(1.0, false), ..settings })
    });

pub(super) const NMF_ALPHA_LABELS: Method = entry(
    "nmf-alpha-labels",
    "NMF-alpha, rho 1, that starts from the labels",
    "NMF-alpha from labels",
    &[Rows],
    |faces, settings| faces.nmf_alpha(Settings { init: faces.label_start(false), ..settings }),
);

pub(super) const NMF_LABELS: Method =
    entry("nmf-labels", "NMF that starts from the labels", "NMF from labels", &[Plain], |faces, settings| {
        let settings = Settings { init: faces.label_start(false), solver: SolverChoice::Mu, ..settings };
        Ok(fit(&faces.data, &Model::nmf(), &settings)?)
    });

pub(super) const K_MEANS: Method = Method {
    group: Group { name: "k-means", title: "k-means on pixels" },
    name: "k-means",
    readings: &[],
    run: Run::Clusters(|faces| {
        let found = k_means(&faces.data, faces.k, &faces.k_means_settings())?;
        Ok(found.labels.iter().map(|cluster| *cluster as i32).collect())
    }),
};

pub(super) const CONSTRAINED_K_MEANS: Method = Method {
    group: Group {
        name: "constrained-k-means",
        title: "k-means on pixels in which labelled images keep their class",
    },
    name: "constrained k-means",
    readings: &[],
    run: Run::Clusters(|faces| {
        let found = constrained_k_means(&faces.data, faces.k, &faces.labels, &faces.k_means_settings())?;
        Ok(found.labels.iter().map(|cluster| *cluster as i32).collect())
    }),
};

/// Every method, in the order of the tables.
const METHODS: &[&Method] = &[
    &NMF,
    &NCW_NMF,
    &GNMF,
    &NTF,
    &SEMI_GNMF,
    &CNMF,
    &CNMF_KL,
    &NMF_DC_0,
    &NMF_DC_0_3,
    &SCNMF,
    &SCNMF_LABELS,
    &CNMF_LABELS,
    &NMF_ALPHA,
    &NMF_ALPHA_LABELS,
    &NMF_LABELS,
    &K_MEANS,
    &CONSTRAINED_K_MEANS,
];

impl Faces {
    pub(super) fn knowledge(&self) -> Knowledge {
        Knowledge { labels: Some(self.labels.clone()), ..Knowledge::default() }
    }

    /// Multiplicative updates from uniform factors.
    fn fit_from_uniform(&self, model: &Model, settings: Settings) -> Result<Fit<f64>> {
        let tied = model.spec().name == "cnmf";
        let settings = Settings { solver: SolverChoice::Mu, init: self.uniform_start(1.0, tied), ..settings };
        Ok(fit(&self.data, model, &settings)?)
    }

    pub(super) fn nmf_dc(&self, smoothing: f64, settings: Settings) -> Result<Fit<f64>> {
        let knowledge = Knowledge { smoothing, step_rule: StepRule::LargestClass, ..self.knowledge() };
        let scale = 2.0 * (self.mean / self.k as f64).sqrt();
        let settings = Settings {
            solver: SolverChoice::NesterovRunning,
            init: self.uniform_start(scale, true),
            first: Some(Slot::Codes),
            ..settings
        };
        Ok(fit(&self.data, &Model::from_name("nmf-dc", knowledge)?, &settings)?)
    }

    fn scnmf(&self, settings: Settings) -> Result<Fit<f64>> {
        let settings = Settings { solver: SolverChoice::Mu, ..settings };
        Ok(fit(&self.data, &Model::from_name("scnmf", self.knowledge())?, &settings)?)
    }

    /// λ such that the discriminative rows weigh as much as the data (ρ = 1).
    fn nmf_alpha(&self, settings: Settings) -> Result<Fit<f64>> {
        let support = partwise::models::train_machines(&self.data, &self.knowledge(), 1)?.support;
        let sum = |sample: usize| self.data.row(sample).iter().sum::<f64>();
        let combined: f64 = support.entries().iter().map(|(sample, _, s)| s * sum(*sample as usize)).sum();
        let weight = if combined > 0.0 { self.data.summary().sum / combined } else { 0.0 };
        let margins = Margins { discriminative_weight: weight, support: Some(support), ..Margins::default() };
        let knowledge = Knowledge { margins, ..self.knowledge() };
        Ok(fit(&self.data, &Model::nmf_alpha(knowledge), &settings)?)
    }
}

/// The five nearest images of each, joined with weight 1.
pub(super) fn neighbours(data: &DenseMatrix<'static, f64>) -> Result<partwise::graphs::Graph> {
    let neighbours = NEIGHBOURS.min(data.n_samples() - 1);
    let settings = NeighbourGraph { neighbours, weights: Weights::Binary, ..NeighbourGraph::default() };
    Ok(neighbour_graph(data, &settings)?)
}
