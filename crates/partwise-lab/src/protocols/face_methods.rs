//! The methods on faces, each a group of one: factorizations with readings of their codes, and clusterings of
//! the pixels.
//!
//! Factorizations: multiplicative updates unless the name says otherwise, the components first, from the
//! starts of [`super::faces`]. GNMF and SemiGNMF: λ = 100, 5 neighbours, binary weights, rows of unit length.
//! NMF-α: λ such that the discriminative rows weigh as much as the data.

use std::sync::Arc;

use anyhow::{Result, bail};
use partwise::graphs::{NeighbourGraph, Weights, neighbour_graph};
use partwise::internals::train_machines;
use partwise::{
    DataMatrix, DenseMatrix, Fit, Init, MethodOptions, Model, Settings, Slot, SolverChoice, StepRule, fit,
};

use super::Group;
use super::faces::{Faces, Reading};
use crate::methods::k_means;
use crate::methods::seeded_k_means::{self, constrained_k_means};
use partwise::clustering::k_means;

/// λ of GNMF and SemiGNMF, on rows of unit length.
const GRAPH_WEIGHT: f64 = 100.0;
const NEIGHBOURS: usize = 5;

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

    /// How a clustering is found, for tables.
    pub(super) fn clustering_solver(&self) -> &'static str {
        let constrained = self.group.name == CONSTRAINED_K_MEANS.group.name;
        if constrained { seeded_k_means::SOLVER } else { k_means::SOLVER }
    }

    /// Each reading with its name, clusters and solver.
    pub(super) fn readings(
        &self,
        faces: &Faces,
        iterations: usize,
    ) -> Result<Vec<(String, Vec<i32>, String)>> {
        if let Some(clusters) = self.clusters(faces)? {
            return Ok(vec![(self.name.to_string(), clusters, self.clustering_solver().to_string())]);
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
        let model = Model::from_name("cnmf-kl", faces.labels.clone())?;
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
    /// Multiplicative updates from uniform factors.
    fn fit_from_uniform(&self, model: &Model, settings: Settings) -> Result<Fit<f64>> {
        let tied = model.spec().name == "cnmf";
        let settings = Settings { solver: SolverChoice::Mu, init: self.uniform_start(1.0, tied), ..settings };
        Ok(fit(&self.data, model, &settings)?)
    }

    pub(super) fn nmf_dc(&self, smoothing: f64, settings: Settings) -> Result<Fit<f64>> {
        let options =
            MethodOptions { smoothing, step_rule: StepRule::LargestClass, ..MethodOptions::default() };
        let model = Model::from_name("nmf-dc", self.labels.clone())?.with_options(options);
        let scale = 2.0 * (self.mean / self.k as f64).sqrt();
        let settings = Settings {
            solver: SolverChoice::NesterovRunning,
            init: self.uniform_start(scale, true),
            first: Some(Slot::Codes),
            ..settings
        };
        Ok(fit(&self.data, &model, &settings)?)
    }

    fn scnmf(&self, settings: Settings) -> Result<Fit<f64>> {
        let settings = Settings { solver: SolverChoice::Mu, ..settings };
        Ok(fit(&self.data, &Model::from_name("scnmf", self.labels.clone())?, &settings)?)
    }

    /// λ such that the discriminative rows weigh as much as the data (ρ = 1).
    fn nmf_alpha(&self, settings: Settings) -> Result<Fit<f64>> {
        let cost = MethodOptions::default().cost;
        let support = train_machines(&self.data, &self.labels.clone().into(), cost, 1)?.support;
        let sum = |sample: usize| self.data.row(sample).iter().sum::<f64>();
        let combined: f64 = support.entries().iter().map(|(sample, _, s)| s * sum(*sample as usize)).sum();
        let weight = if combined > 0.0 { self.data.summary().sum / combined } else { 0.0 };
        let options = MethodOptions {
            discriminative_weight: weight,
            support: Some(Arc::new(support)),
            ..MethodOptions::default()
        };
        let model = Model::nmf_alpha(self.labels.clone()).with_options(options);
        Ok(fit(&self.data, &model, &settings)?)
    }
}

/// The five nearest images of each, joined with weight 1.
pub(super) fn neighbours(data: &DenseMatrix<'static, f64>) -> Result<partwise::graphs::Graph> {
    let neighbours = NEIGHBOURS.min(data.n_samples() - 1);
    let settings = NeighbourGraph { neighbours, weights: Weights::Binary, ..NeighbourGraph::default() };
    Ok(neighbour_graph(data, &settings)?)
}
