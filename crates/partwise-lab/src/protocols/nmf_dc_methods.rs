//! What NMF-DC's experiments share: the methods beside those of [`super::faces`], and rows with running
//! times.
//!
//! ```text
//! GNMF 10, SemiGNMF 10: λ = 10 on images / 255, 5 neighbours, binary weights,
//!     kmB (the CNMF experiments: λ = 100, unit rows)
//! NsNMF: θ = 0.5 from uniform starts;   NMF-DC δ: the running scheme with the paper's step, codes first,
//!                                       starts 2√(mean X/k)·U
//! ```

use anyhow::Result;
use partwise::{DenseMatrix, Fit, Guidance, MethodOptions, Model, Settings, SolverChoice, fit};

use super::clock::Clock;
use super::face_methods::{self, Method, entry};
use super::faces::{Faces, Reading};
use super::{Row, Unit};

/// Seconds of the fit, or of the clustering.
pub(super) const SECONDS: &str = "seconds";
/// λ of the graph models on data as they come.
const GRAPH_WEIGHT: f64 = 10.0;
/// θ of NsNMF, the middle of its range.
const NS_SMOOTHING: f64 = 0.5;

pub(super) const NS_NMF: Method =
    entry("ns-nmf", "NsNMF, theta 0.5", "NsNMF", &[Reading::Plain], |faces, settings| {
        let options = MethodOptions { smoothing: NS_SMOOTHING, ..MethodOptions::default() };
        let model = Model::from_name("ns-nmf", Guidance::default())?.with_options(options);
        let settings =
            Settings { solver: SolverChoice::Mu, init: faces.uniform_start(1.0, false), ..settings };
        Ok(fit(&faces.data, &model, &settings)?)
    });

pub(super) const GNMF_10: Method = entry(
    "gnmf-10",
    "GNMF, lambda 10, data as they come",
    "GNMF 10",
    &[Reading::Scaled],
    |faces, settings| {
        with_graph(faces, settings, Model::gnmf(face_methods::neighbours(&faces.data)?, GRAPH_WEIGHT))
    },
);

pub(super) const SEMI_GNMF_10: Method = entry(
    "semi-gnmf-10",
    "SemiGNMF, lambda 10, data as they come",
    "SemiGNMF 10",
    &[Reading::Scaled],
    |faces, settings| {
        let graph = face_methods::neighbours(&faces.data)?;
        with_graph(faces, settings, Model::semi_gnmf(graph, GRAPH_WEIGHT, faces.labels.clone()))
    },
);

pub(super) const NMF_DC_0_5: Method =
    nmf_dc("nmf-dc-0.5", "NMF-DC, delta 0.5", "NMF-DC 0.5", |faces, s| faces.nmf_dc(0.5, s));

pub(super) const NMF_DC_0_6: Method =
    nmf_dc("nmf-dc-0.6", "NMF-DC, delta 0.6", "NMF-DC 0.6", |faces, s| faces.nmf_dc(0.6, s));

pub(super) const NMF_DC_0_7: Method =
    nmf_dc("nmf-dc-0.7", "NMF-DC, delta 0.7", "NMF-DC 0.7", |faces, s| faces.nmf_dc(0.7, s));

const fn nmf_dc(
    name: &'static str,
    title: &'static str,
    shown: &'static str,
    run: fn(&Faces, Settings) -> Result<Fit<f64>>,
) -> Method {
    entry(name, title, shown, &[Reading::Plain], run)
}

fn with_graph(faces: &Faces, settings: Settings, model: Model) -> Result<Fit<f64>> {
    let settings = Settings { solver: SolverChoice::Mu, init: faces.uniform_start(1.0, false), ..settings };
    Ok(fit(&faces.data, &model, &settings)?)
}

/// The method with this group: one of these, or one on faces.
pub(super) fn method(group: &str) -> Result<&'static Method> {
    const OWN: [&Method; 6] = [&NS_NMF, &GNMF_10, &SEMI_GNMF_10, &NMF_DC_0_5, &NMF_DC_0_6, &NMF_DC_0_7];
    match OWN.into_iter().find(|method| method.group.name == group) {
        Some(method) => Ok(method),
        None => face_methods::method(group),
    }
}

/// A row with scores and seconds for each reading of a method's codes.
pub(super) fn rows(unit: &Unit<'_>, faces: &Faces, method: &Method, iterations: usize) -> Result<Vec<Row>> {
    let began = Clock::start();
    let Some(fitted) = method.fit(faces, iterations)? else {
        let clusters = method.clusters(faces)?.unwrap_or_default();
        let seconds = began.seconds();
        let row = unit.row(method.name).by(method.clustering_solver());
        return Ok(vec![row.with(faces.scores(&clusters)?).with([(SECONDS, seconds)])]);
    };
    let seconds = began.seconds();
    let solver = format!("{}, {} iterations", fitted.solver, fitted.iterations);
    let mut rows = Vec::new();
    for reading in method.readings {
        let row = unit.row(format!("{}, {}", method.name, reading.name())).by(&solver);
        rows.push(row.with(faces.scores(&reading.clusters(&fitted, faces)?)?).with([(SECONDS, seconds)]));
    }
    Ok(rows)
}

/// The sum of squares that tying labelled samples leaves, whatever the factors: Σ ‖xᵢ − x̄_c‖² over labelled
/// samples.
pub(super) fn scatter_of_labelled(faces: &Faces) -> f64 {
    let data: &DenseMatrix<'static, f64> = &faces.data;
    let mut total = 0.0;
    for class in 0..faces.labels.n_classes() {
        let own: Vec<usize> =
            (0..faces.classes.len()).filter(|i| faces.labels.class(*i) == Some(class)).collect();
        let count = own.len() as f64;
        for j in 0..faces.shape.0 * faces.shape.1 {
            let mean = own.iter().map(|i| data.row(*i)[j]).sum::<f64>() / count;
            total += own.iter().map(|i| (data.row(*i)[j] - mean).powi(2)).sum::<f64>();
        }
    }
    total
}
