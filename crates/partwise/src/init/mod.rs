//! Starts, and all randomness of the library. Numbers are counter-based: each is a function of (seed, slot,
//! row, component) alone, drawn in `f64` and then rounded, so a start is the same for any thread count, data
//! format and precision. A row of tied samples uses the number of its first sample; components use the number
//! of the feature.

mod exemplars;
mod guided;
mod labels;
mod nndsvd;
mod spectral;

use std::ops::Range;

use crate::engine::Problem;
use crate::engine::losses::images;
use crate::engine::term::OwnStart;
use crate::engine::{Factors, Init, Settings, Slot};
use crate::foundation::checks::{check_non_negative, check_shape, checked_cast};
use crate::foundation::{Error, Matrix, Notice, Real, Result, Stream};
use crate::guidance::Plan;
use crate::methods::Model;

/// The random numbers of a factor.
fn stream(seed: u64, slot: Slot) -> Stream {
    Stream::numbered(seed, slot.index() as u64)
}

/// The starting factors in working rows. `plan` is what guidance comes to, where the model takes any.
pub(crate) fn start<T: Real>(
    problem: &Problem<'_, T>,
    model: &Model,
    plan: Option<&Plan>,
    settings: &Settings,
    init: &Init,
    notices: &mut Vec<Notice>,
) -> Result<Factors<T>> {
    check_given(problem, init)?;
    let guided = plan.filter(|_| *init == Init::Guided);
    let mut start = match model.options.image_shape.filter(|_| problem.order.contains(&Slot::ImageRows)) {
        Some(shape) => image_factors(problem, shape, settings, init, notices)?,
        None => match guided {
            Some(plan) => guided::start(problem, plan, settings),
            None => main_factors(problem, model, settings, init, notices)?,
        },
    };
    if !problem.solve_codes {
        problem.make_equal(&mut start);
    }
    for contribution in &problem.contributions {
        let Some(slot) = contribution.facts().own_slot else { continue };
        let factor = match contribution.own_start(&start) {
            None => continue,
            Some(OwnStart::Follows(factor)) => factor,
            Some(OwnStart::Explains { rows, mean, known }) => match given(init, slot) {
                Some(factor) => custom_factor(slot, factor, (rows, settings.rank))?,
                None => {
                    let random = random_explaining(problem, slot, (rows, mean), settings);
                    match (init, model.labels(), guided) {
                        (_, _, Some(plan)) => guided::label_factor(random, known, &plan.viewed, &start),
                        (Init::Labels, Some(labels), None) => {
                            labels::label_factor(problem, random, labels, start.get(Slot::Codes))
                        }
                        _ => random,
                    }
                }
            },
        };
        start = start.with(slot, factor);
    }
    Ok(start)
}

/// The given factor of a slot, if there is one.
fn given(init: &Init, slot: Slot) -> Option<&Matrix<f64>> {
    let Init::Given(factors) = init else { return None };
    factors.iter().find(|(s, _)| *s == slot).map(|(_, factor)| factor)
}

/// Refuses factors that the model doesn't have, or that follow from others.
fn check_given<T: Real>(problem: &Problem<'_, T>, init: &Init) -> Result<()> {
    let Init::Given(factors) = init else { return Ok(()) };
    let copied = |slot: Slot| slot == Slot::Components && problem.has_equal_factors();
    let takes = |slot: Slot| (problem.order.contains(&slot) || copied(slot)) && slot != Slot::Scales;
    match factors.iter().find(|(slot, _)| !takes(*slot)) {
        None => Ok(()),
        Some((slot, _)) => Err(Error::Incompatible {
            asked: format!("a start for the {}", slot.name()),
            reason: "the model has no such factor to start".into(),
            valid: Slot::ALL.into_iter().filter(|s| takes(*s)).map(|s| s.name().into()).collect(),
        }),
    }
}

/// A given factor beside codes and components.
fn custom_factor<T: Real>(slot: Slot, factor: &Matrix<f64>, shape: (usize, usize)) -> Result<Matrix<T>> {
    let what = format!("the {} of the start", slot.name());
    check_shape(&what, shape, factor.shape())?;
    check_non_negative(&what, factor)?;
    Ok(factor.cast())
}

/// `rows` × k, uniform on (0, 1) × `mean` / (k·s) with s the size of the codes, so that codes times it are of
/// the size of the mean.
fn random_explaining<T: Real>(
    problem: &Problem<'_, T>,
    slot: Slot,
    (rows, mean): (usize, f64),
    settings: &Settings,
) -> Matrix<T> {
    let k = settings.rank;
    let scale = if mean > 0.0 { mean } else { 1.0 } / (k as f64 * entry_scale(problem, k));
    uniform_rows(slot, rows, settings, scale)
}

/// Codes, image rows and image columns, given or uniform on (0, 1) × (mean X / k)^⅓, and the components that
/// they make.
fn image_factors<T: Real>(
    problem: &Problem<'_, T>,
    (height, width): (usize, usize),
    settings: &Settings,
    init: &Init,
    notices: &mut Vec<Notice>,
) -> Result<Factors<T>> {
    let scale = entry_scale(problem, settings.rank).powf(2.0 / 3.0);
    let codes = match given(init, Slot::Codes) {
        None => uniform_rows(Slot::Codes, problem.data().n_samples(), settings, scale),
        Some(codes) => custom_codes(problem, codes, settings.rank, notices)?,
    };
    let side = |slot, rows| match given(init, slot) {
        None => Ok(uniform_rows(slot, rows, settings, scale)),
        Some(factor) => custom_factor(slot, factor, (rows, settings.rank)),
    };
    let (rows, columns) = (side(Slot::ImageRows, height)?, side(Slot::ImageColumns, width)?);
    let start = Factors::new(codes, images::compose(&rows, &columns));
    Ok(start.with(Slot::ImageRows, rows).with(Slot::ImageColumns, columns))
}

/// `rows` × k numbers, uniform on (0, `scale`).
fn uniform_rows<T: Real>(slot: Slot, rows: usize, settings: &Settings, scale: f64) -> Matrix<T> {
    let (stream, k) = (stream(settings.seed, slot), settings.rank);
    let mut factor = Matrix::zeros(rows, k);
    let mut draws = vec![0.0; k];
    for row in 0..rows {
        stream.fill(row, &mut draws);
        for (value, draw) in factor.row_mut(row).iter_mut().zip(&draws) {
            *value = T::from_f64(draw * scale);
        }
    }
    factor
}

/// The starting codes and components.
fn main_factors<T: Real>(
    problem: &Problem<'_, T>,
    model: &Model,
    settings: &Settings,
    init: &Init,
    notices: &mut Vec<Notice>,
) -> Result<Factors<T>> {
    let data = problem.data();
    match init {
        Init::Auto | Init::Random | Init::Guided => Ok(with_random(problem, None, None, settings)),
        Init::Nndsvd | Init::Nndsvda | Init::Nndsvdar => {
            nndsvd::start(data, settings, init, |row| problem.row_origin(row).0)
        }
        Init::Spectral if data.summary().max > 0.0 => Ok(spectral::start(problem, settings)),
        Init::Spectral => Ok(with_random(problem, None, None, settings)),
        Init::Labels => labels::start(problem, model, settings),
        Init::Exemplars => exemplars::start(problem, model, settings),
        Init::Published => Ok(published(problem, model, settings)),
        Init::Given(_) => {
            let codes = given(init, Slot::Codes);
            let codes =
                codes.map(|codes| custom_codes(problem, codes, settings.rank, notices)).transpose()?;
            let shape = (data.n_features(), settings.rank);
            let components = given(init, Slot::Components);
            let components =
                components.map(|held| custom_factor(Slot::Components, held, shape)).transpose()?;
            Ok(with_random(problem, codes, components.map(|held| problem.scaled(held)), settings))
        }
        Init::Custom { codes, components } => {
            custom(problem, (codes.as_ref(), components.as_ref()), settings, notices)
        }
        Init::Single { codes, components } => {
            custom(problem, (codes.as_ref(), components.as_ref()), settings, notices)
        }
    }
}

/// Given codes (n × k) and components (k × d).
fn custom<T: Real, G: Real>(
    problem: &Problem<'_, T>,
    (codes, components): (Option<&Matrix<G>>, Option<&Matrix<G>>),
    settings: &Settings,
    notices: &mut Vec<Notice>,
) -> Result<Factors<T>> {
    let codes = codes.map(|codes| custom_codes(problem, codes, settings.rank, notices)).transpose()?;
    let of_columns = |held| custom_components(problem.data().n_features(), held, settings.rank);
    let components = components.map(of_columns).transpose()?;
    Ok(with_random(problem, codes, components.map(|held| problem.scaled(held)), settings))
}

/// Codes and components; one that is not given is random, or the other where they are one factor.
fn with_random<T: Real>(
    problem: &Problem<'_, T>,
    codes: Option<Matrix<T>>,
    components: Option<Matrix<T>>,
    settings: &Settings,
) -> Factors<T> {
    let random = |slot| random_factor(problem, slot, settings);
    let one = problem.has_equal_factors();
    let codes = match (codes, &components) {
        (Some(codes), _) => codes,
        (None, Some(components)) if one => components.clone(),
        _ => random(Slot::Codes),
    };
    let components = match components {
        Some(components) => components,
        None if one => codes.clone(),
        None => random(Slot::Components),
    };
    Factors::new(codes, components)
}

/// The typical size of an entry of a factor: √(mean X / k), with the caller's X; with the weighted rows where
/// rows are weighted, so that neither factor, and no gradient, depends on the scale of X there.
pub(crate) fn entry_scale<T: Real>(problem: &Problem<'_, T>, rank: usize) -> f64 {
    let data = if problem.is_weighted() { problem.data() } else { problem.original() };
    let mean = data.summary().sum.abs() / (data.n_samples() as f64 * data.n_features() as f64);
    if mean > 0.0 { (mean / rank as f64).sqrt() } else { 1.0 }
}

/// Uniform on (0, 1) × √(mean X / k), in working rows.
/// Of codes whose rows are shared among processes, each draws its own.
pub(crate) fn random_factor<T: Real>(problem: &Problem<'_, T>, slot: Slot, settings: &Settings) -> Matrix<T> {
    let (n, d) = (problem.data().n_samples(), problem.data().n_features());
    let (rows, own) = if slot == Slot::Codes { (n, problem.own_codes()) } else { (d, 0..d) };
    let mut factor = Matrix::zeros(rows, settings.rank);
    let scale = entry_scale(problem, settings.rank);
    draw_rows(problem, slot, settings, scale, (&mut factor, own.clone()));
    if slot == Slot::Codes && problem.is_weighted() {
        // Drawn in the weighted rows themselves: see `entry_scale`. A row without weight stays 0.
        for row in own {
            let scale = problem.row_origin(row).1;
            if scale > 0.0 {
                factor.row_mut(row).iter_mut().for_each(|v| *v = T::from_f64(v.to_f64() / scale));
            }
        }
    }
    factor
}

/// Uniform on (0, `scale`), in working rows.
fn uniform_factor<T: Real>(
    problem: &Problem<'_, T>,
    slot: Slot,
    settings: &Settings,
    scale: f64,
) -> Matrix<T> {
    let rows = match slot {
        Slot::Codes => problem.data().n_samples(),
        Slot::Components => problem.data().n_features(),
        _ => unreachable!("codes or components"),
    };
    let mut factor = Matrix::zeros(rows, settings.rank);
    draw_rows(problem, slot, settings, scale, (&mut factor, 0..rows));
    factor
}

/// Draws some rows of a factor.
fn draw_rows<T: Real>(
    problem: &Problem<'_, T>,
    slot: Slot,
    settings: &Settings,
    scale: f64,
    (factor, rows): (&mut Matrix<T>, Range<usize>),
) {
    let stream = stream(settings.seed, slot);
    let mut draws = vec![0.0; settings.rank];
    for row in rows {
        let (origin, row_scale) = if slot == Slot::Codes { problem.row_origin(row) } else { (row, 1.0) };
        stream.fill(origin, &mut draws);
        for (value, u) in factor.row_mut(row).iter_mut().zip(&draws) {
            *value = T::from_f64(u * scale * row_scale);
        }
    }
}

/// Untied rows averaged over the samples that share them.
fn custom_codes<T: Real, G: Real>(
    problem: &Problem<'_, T>,
    codes: &Matrix<G>,
    rank: usize,
    notices: &mut Vec<Notice>,
) -> Result<Matrix<T>> {
    let n = problem.original().n_samples();
    check_shape("the codes of the start (n x k)", (n, rank), codes.shape())?;
    const WHAT: &str = "the codes of the start";
    let Some(tied) = &problem.tied else { return checked_cast(WHAT, codes) };
    let codes = checked_cast::<G, f64>(WHAT, codes)?;
    let mut sums = Matrix::<f64>::zeros(tied.count.len(), rank);
    let mut differ = vec![0usize; tied.count.len()];
    for i in 0..n {
        let q = tied.group[i] as usize;
        let first = codes.row(tied.first_sample[q] as usize);
        differ[q] += usize::from(codes.row(i) != first);
        for (sum, value) in sums.row_mut(q).iter_mut().zip(codes.row(i)) {
            *sum += value;
        }
    }
    let differing: usize = differ.iter().sum();
    if differing > 0 {
        notices.push(Notice {
            code: "start-averaged",
            message: format!(
                "{} other starting codes than the rest of their class; a class shares its codes, which start \
                at the mean of its samples",
                if differing == 1 { "1 sample has".into() } else { format!("{differing} samples have") }
            ),
        });
    }
    // A row whose samples agree must come out as it was given, not as a rounded mean.
    let row = |q: usize, j: usize| {
        let first = codes.get(tied.first_sample[q] as usize, j);
        let mean = if differ[q] > 0 { sums.get(q, j) / tied.count[q] } else { first };
        T::from_f64(mean * tied.codes_scale[q])
    };
    Ok(Matrix::from_fn(tied.count.len(), rank, row))
}

fn custom_components<T: Real, G: Real>(
    features: usize,
    components: &Matrix<G>,
    rank: usize,
) -> Result<Matrix<T>> {
    check_shape("the components of the start (k x d)", (rank, features), components.shape())?;
    check_non_negative("the components of the start", components)?;
    Ok(components.transposed_as())
}

/// As WS-NMF is published. See [`Init::Published`].
fn published<T: Real>(problem: &Problem<'_, T>, model: &Model, settings: &Settings) -> Factors<T> {
    let k = settings.rank;
    let max = problem.original().summary().max;
    let max = if max > 0.0 { max } else { 1.0 };
    let copied: Vec<Option<Vec<f64>>> = match (model.guidance.code_reference(), model.labels()) {
        (Some(reference), _) => (0..reference.reference.rows())
            .map(|i| (reference.weight[i] > 0.0).then(|| reference.reference.row(i).to_vec()))
            .collect(),
        (None, Some(labels)) => (0..labels.n_samples())
            .map(|i| labels.class(i).map(|c| (0..k).map(|j| f64::from(j == c)).collect()))
            .collect(),
        (None, None) => Vec::new(),
    };
    let largest = copied.iter().flatten().flatten().fold(0.0f64, |m, v| m.max(*v));
    let mut codes: Matrix<T> =
        uniform_factor(problem, Slot::Codes, settings, if largest > 0.0 { largest } else { max });
    for row in 0..codes.rows() {
        let (origin, scale) = problem.row_origin(row);
        if let Some(Some(reference)) = copied.get(origin) {
            for (u, r) in codes.row_mut(row).iter_mut().zip(reference) {
                *u = T::from_f64(r * scale);
            }
        }
    }
    let reference = model.guidance.component_reference();
    let held = |c: usize| {
        reference.filter(|r| r.weight.get(c).is_some_and(|w| *w > 0.0)).map(|r| r.reference.row(c))
    };
    let largest = (0..k).filter_map(held).flatten().fold(0.0f64, |m, v| m.max(*v));
    let mut components: Matrix<T> =
        uniform_factor(problem, Slot::Components, settings, if largest > 0.0 { largest } else { max });
    for c in 0..k {
        if let Some(row) = held(c) {
            for (feature, value) in row.iter().enumerate() {
                components.set(feature, c, T::from_f64(*value));
            }
        }
    }
    Factors::new(codes, components)
}
