//! Memory estimates, from sizes alone, checked before anything is allocated.
//!
//! ```text
//! sums        8·(n + d) bytes for each of row sums, column sums and their lists of zeros
//! data        a transpose of sparse data; a copy where rows are merged or weighted,
//!             or features or entries have weights
//! start       both factors in f64 beside themselves (label-aware, guided);
//!             the work of a truncated SVD (nndsvd) or of eigenvectors (spectral)
//! loop        for each factor itself and its product with X; two more where it is accelerated;
//!             a few Grams (k × k)
//! end         both factors in f64 for each thread that computes the exact error of dense data
//! ```
//!
//! The peak is the sums and data with the larger of start and loop. It is meant to lie between the true peak
//! and one and a half times of it; what is small beside n, d and k (a class, a topic) is left out. All
//! arithmetic is in `f64`, which no shape makes overflow.

use crate::data::{BlockSizes, DataSize, INDEX, WORD};
use crate::engine::losses::Loss;
use crate::engine::solvers::{SolverChoice, SolverSpec};
use crate::engine::{Acceleration, Init, Settings};
use crate::foundation::Estimate;
use crate::guidance::{Advice, Guidance, Strength};
use crate::methods::{Form, Input, Model, Tying};

/// Rows whose Gram is summed at once.
const GRAM_ROWS: f64 = 4096.0;
/// Parts of an estimate that data in blocks do without.
const COPY: &str = "a copy of the data";
const TRANSPOSE: &str = "the columns of the sparse data";
/// Columns that a truncated SVD computes beyond those asked for.
const SVD_EXTRA: usize = 10;

/// What would need less, for work on data of this size with k components.
fn advice(size: DataSize, rank: Option<usize>) -> Vec<String> {
    let mut advice = Vec::new();
    if let Some(rank) = rank.filter(|rank| *rank > 1) {
        advice.push(format!("fewer components than {rank}"));
    }
    if size.number == 8 {
        advice.push("numbers in f32".into());
    }
    advice.push("fewer rows or columns".into());
    advice
}

/// What a fit needs beside the caller's data: [`fit`](crate::fit()) with these.
pub fn of_fit(size: DataSize, model: &Model, settings: &Settings) -> Estimate {
    let solver = match settings.solver {
        SolverChoice::Auto => model.spec.solver.resolve(model.loss),
        choice => choice.resolve(model.loss),
    };
    let k = settings.rank as f64;
    let number = size.number as f64;
    let values = (size.rows() + size.columns()) * k;
    let copies = copies(model) * size.bytes();
    let label_start = starts_from_labels(model, settings);
    let one_factor = model.spec.form == Form::Symmetric && model.options.coupling.is_none();
    let accelerated = settings.acceleration == Acceleration::On
        || (settings.acceleration == Acceleration::Auto
            && settings.solver == SolverChoice::Auto
            && (model.is_plain() && !label_start || model.is_guided_kl()));
    let kept = match (one_factor, accelerated) {
        (true, _) => values * number,
        (false, true) => 2.0 * values * number,
        (false, false) => 0.0,
    };
    let linked = if model.spec.takes(Input::Smoothing) { values * number } else { 0.0 };
    // Codes of one row per sample, from those of merged or weighted rows.
    let untied = if copies > 0.0 { size.rows() * k * number } else { 0.0 };
    let whole = if model.spec.form == Form::Images { size.columns() * k * number } else { 0.0 };
    let iterations = loop_bytes(size, k, solver.ok(), settings.threads)
        + kept
        + linked
        + whole
        + untied
        + if label_start { 3.0 * k * k * WORD } else { 0.0 };
    let at_start = match settings.init {
        Init::Nndsvd | Init::Nndsvda | Init::Nndsvdar => svd_bytes(size, settings.rank),
        Init::Auto | Init::Spectral if one_factor && !label_start => spectral_bytes(size, settings.rank),
        Init::Spectral => spectral_bytes(size, settings.rank),
        _ if label_start => values * (WORD + number) + size.rows() * k * number,
        _ => values * number,
    };
    Estimate {
        parts: vec![
            ("the sums of rows and columns", (1.0 + copies.min(1.0)) * size.sums()),
            (COPY, copies),
            (TRANSPOSE, size.transpose()),
            ("the guidance", known_bytes(size, model, k)),
            ("the factors", iterations.max(at_start)),
        ],
        advice: advice(size, Some(settings.rank)),
    }
}

/// What a fit needs of data in row blocks: all of it, also for the blocks.
///
/// ```text
/// blocks      the one that is worked on, the one that is read ahead, and about two that were freed and are
///             not given back to the system; those that stay in memory
/// products    Xᵀ·W of a block, and the partial sums of the tree over the blocks
/// ```
pub fn of_fit_in_blocks(size: DataSize, blocks: BlockSizes, model: &Model, settings: &Settings) -> Estimate {
    let mut estimate = of_fit(size, model, settings);
    let merges = estimate.parts.iter().any(|(name, bytes)| *name == COPY && *bytes > 0.0);
    estimate.parts.retain(|(name, _)| *name != COPY && *name != TRANSPOSE);
    // Kullback-Leibler stores the columns of a block for its product with the transpose.
    let columns = if size.sparse && model.loss == Loss::KullbackLeibler { 1.0 } else { 0.0 };
    let grouped = if merges { 2.0 * blocks.bytes } else { 0.0 };
    let at_work = (4.0 + columns) * blocks.bytes + blocks.reading + grouped;
    let sums = 2.0 + (blocks.count as f64).log2().ceil();
    let product = size.columns() * settings.rank as f64 * size.number as f64;
    estimate.parts.push(("two blocks of the data", at_work));
    estimate.parts.push(("the sums over blocks", sums * product));
    // Of merged rows the blocks of the caller and those of the loop.
    let kinds = if merges { 2.0 } else { 1.0 };
    estimate.parts.push(("the blocks that stay in memory", kinds * blocks.kept));
    estimate.advice.push("smaller blocks".into());
    estimate
}

/// What the codes of new rows need, or one factor with the other fixed: [`encode`](crate::encode()),
/// [`solve`](crate::solve).
pub fn of_solve(size: DataSize, loss: Loss, settings: &Settings) -> Estimate {
    let (k, number) = (settings.rank as f64, size.number as f64);
    let solver = settings.solver.resolve(loss).ok();
    let fixed = size.rows().max(size.columns()) * k * number;
    Estimate {
        parts: vec![
            ("the sums of rows and columns", size.sums()),
            ("the columns of the sparse data", size.transpose()),
            ("the factors", loop_bytes(size, k, solver, settings.threads) + fixed),
        ],
        advice: advice(size, Some(settings.rank)),
    }
}

/// What least squares with so many problems in k unknowns need.
#[doc(hidden)]
pub fn of_nnls(problems: usize, unknowns: usize) -> Estimate {
    let (n, k) = (problems as f64, unknowns as f64);
    Estimate {
        parts: vec![("the Gram matrix", 5.0 * k * k * WORD), ("the solutions", 3.0 * n * k * WORD)],
        advice: vec!["fewer unknowns".into(), "fewer problems at a time".into()],
    }
}

/// Whether the start ends with the codes solved at known components.
fn starts_from_labels(model: &Model, settings: &Settings) -> bool {
    let labels = model.labels().is_some_and(|labels| labels.n_classes() > 0);
    match settings.init {
        Init::Labels | Init::Exemplars | Init::Guided => true,
        Init::Auto => labels || model.spec.tying == Tying::Guidance,
        _ => false,
    }
}

/// How many copies of the data there are beside the caller's.
fn copies(model: &Model) -> f64 {
    let of_items = |guidance: &Guidance| -> f64 {
        let items = guidance.advice();
        let has = |kind: &dyn Fn(&Advice) -> bool| f64::from(items.iter().any(|item| kind(item)));
        let ties = |item: &Advice| item.strength() == Some(Strength::HELD);
        has(&|item| matches!(item, Advice::FeatureWeights(_)))
            + has(&|item| matches!(item, Advice::EntryWeights(_)))
            + has(&|item| matches!(item, Advice::SampleWeights(_)) || ties(item))
    };
    match model.spec.tying {
        Tying::Free => 0.0,
        Tying::Labels | Tying::NormalizedCut => 1.0,
        Tying::Guidance => model.composed().map_or(0.0, of_items),
    }
}

/// References, graphs and marks: as they are given and as the loop holds them.
fn known_bytes(size: DataSize, model: &Model, k: f64) -> f64 {
    let both = WORD + size.number as f64;
    let mut bytes = 0.0;
    let graph = |graph: &crate::graphs::Graph| 2.0 * graph.n_entries() as f64 * (INDEX + WORD);
    for item in model.guidance.advice() {
        bytes += match item {
            Advice::CodeReference(_) => size.rows() * k * both,
            Advice::ComponentReference(_) => size.columns() * k * both,
            Advice::Targets { targets, .. } => 2.0 * size.rows() * targets.targets.columns() as f64 * both,
            Advice::Graph { graph: given, .. } => graph(given),
            Advice::References { profiles, .. } => 2.0 * profiles.as_slice().len() as f64 * WORD,
            Advice::Memberships { shares, .. } => shares.as_slice().len() as f64 * both,
            Advice::Spread(spread) => spread.posteriors.as_slice().len() as f64 * both,
            _ => 0.0,
        };
    }
    bytes
}

/// Both factors, their products with X, Grams, and the factors in `f64` where the exact error of dense data
/// is computed.
fn loop_bytes(size: DataSize, k: f64, solver: Option<&SolverSpec>, threads: usize) -> f64 {
    let number = size.number as f64;
    let values = (size.rows() + size.columns()) * k;
    let chunks = (size.rows().max(size.columns()) / GRAM_ROWS).ceil();
    // Of each factor and of the subproblem; what the solver prepares; the sum in f64; the exact gradient.
    let grams = k * k * ((4.0 + chunks) * number + 2.0 * WORD);
    let at_once = crate::foundation::pool::threads_for(threads) as f64;
    let exact = if size.sparse { 0.0 } else { at_once * size.columns() * k * WORD };
    let state = match solver.map(|solver| solver.name) {
        // The place before, from which the momentum runs on.
        Some("nesterov-running") => 2.0 * values * number,
        // A factorization of a part of the Gram for each thread.
        Some("bpp") => values + at_once * k * k * WORD,
        _ => 0.0,
    };
    2.0 * values * number + grams + exact + state
}

/// Two bases; of the columns that are kept the eigenvectors, as they are and turned, in `f64`; both factors.
fn spectral_bytes(size: DataSize, rank: usize) -> f64 {
    let width = rank.saturating_add(SVD_EXTRA).min(size.samples) as f64;
    let (n, k, number) = (size.rows(), rank as f64, size.number as f64);
    let bases = n * width * (2.0 * number + WORD);
    bases + 2.0 * n * k * WORD + 2.0 * n * k * number + 5.0 * width * width * WORD
}

/// A random projection, two bases, the small SVD, and both factors in `f64`.
fn svd_bytes(size: DataSize, rank: usize) -> f64 {
    let least = size.samples.min(size.features);
    let (width, k) = (rank.saturating_add(SVD_EXTRA).min(least) as f64, rank as f64);
    let (n, d) = (size.rows(), size.columns());
    let work = (n + d) * width * WORD * 3.0 + 3.0 * width * width * WORD;
    let factors = (n + d) * k * (WORD + size.number as f64) + (n + d) * rank.min(least) as f64 * WORD;
    work.max(factors) + 1.25 * (n + d) * width * WORD
}
