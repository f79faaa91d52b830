//! What can be chosen, from the registries of the library: help texts, completions and checks have no lists
//! of their own. Values of flags are parsed to what the library takes.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use partwise::guidance::Strength;
use partwise::methods::{self, MethodSpec};
use partwise::recipes::{Holdout, ShareOf};
use partwise::{Acceleration, Error, Init, Loss, ScalingKind, Slot, SolverChoice, graphs, solvers};
use partwise_classify::{ClassSizes, Spreading};
use partwise_io::FORMATS;
pub(crate) use partwise_report::arguments::{count, folder, positive};
use partwise_report::picture::Polarity;

/// How many components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Components {
    Number(usize),
    /// As many as the data support.
    Auto,
}

/// A number of components, or "auto".
pub(crate) fn components(text: &str) -> Result<Components, String> {
    match text {
        "auto" => Ok(Components::Auto),
        _ => positive(text).map(Components::Number).map_err(|error| format!("{error}, or auto to find it")),
    }
}

/// The name of the class sizes that are those of the labels.
const OF_LABELS: &str = "labels";

/// "labels", or NAME=SIZE,... A name may have commas and equals signs: a size ends at a comma or at the end.
pub(crate) fn class_sizes(text: &str) -> Result<ClassSizes, String> {
    if text == OF_LABELS {
        return Ok(ClassSizes::OfLabels);
    }
    let (mut sizes, mut name) = (Vec::new(), String::new());
    for part in text.split(',') {
        name.push_str(part);
        let size = name.rsplit_once('=').and_then(|(name, size)| Some((name, size.trim().parse().ok()?)));
        match size {
            Some((of, size)) => {
                sizes.push((of.trim().to_string(), size));
                name.clear();
            }
            None => name.push(','),
        }
    }
    match name.strip_suffix(',') {
        Some(rest) => {
            Err(format!("\"{rest}\" is not NAME=SIZE; give NAME=SIZE,NAME=SIZE,... or {OF_LABELS}"))
        }
        None => Ok(ClassSizes::Of(sizes)),
    }
}

/// What is written as codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Codes {
    /// W, the codes of the fit
    Plain,
    /// times (HH')^1/2
    Corrected,
}

/// How clusters are read off a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Clusters {
    /// the component with the largest membership, as in memberships.csv
    Shares,
    /// the component with the largest code
    Largest,
    /// k-means on the codes, the best of 20 starts
    KMeans,
    /// k-means on the memberships, each row divided by its Euclidean norm
    KMeansRows,
}

/// Which end of the scale of images is dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pictures {
    /// white is large, as in photographs
    #[default]
    Light,
    /// dark is large, as ink on paper
    Ink,
}

impl From<Pictures> for Polarity {
    fn from(pictures: Pictures) -> Self {
        match pictures {
            Pictures::Light => Polarity::Light,
            Pictures::Ink => Polarity::Ink,
        }
    }
}

/// The number type to compute in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precision {
    /// as stored when that is f32, else f64
    Auto,
    /// 32-bit floating point
    F32,
    /// 64-bit floating point
    F64,
}

/// The name of a choice, as the flag spells it.
pub(crate) fn name_of(choice: impl ValueEnum) -> String {
    choice.to_possible_value().map_or(String::new(), |value| value.get_name().to_string())
}

fn names(values: impl IntoIterator<Item = (&'static str, &'static str)>) -> PossibleValuesParser {
    PossibleValuesParser::new(values.into_iter().map(|(name, help)| PossibleValue::new(name).help(help)))
}

/// A choice by name, with the help of each.
fn choice<C: Clone + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (&'static str, &'static str)>,
    from_name: fn(&str) -> Result<C, Error>,
) -> impl TypedValueParser<Value = C> {
    names(values).try_map(move |name| from_name(&name))
}

/// A method, and the loss where its name states one.
pub(crate) type MethodChoice = (&'static MethodSpec, Option<Loss>);

/// Methods of the registry, and the names that stand for one with a loss.
pub(crate) fn methods() -> impl TypedValueParser<Value = MethodChoice> {
    let listed = methods::ALL.iter().map(|spec| PossibleValue::new(spec.name).help(spec.summary));
    let aliases = methods::ALIASES.iter().map(|(name, spec, loss)| {
        PossibleValue::new(*name).help(format!("{} with the {} loss", spec.name, loss.name()))
    });
    PossibleValuesParser::new(listed.chain(aliases)).try_map(|name| methods::named(&name))
}

/// Solvers of a fit: those of the registry, and `auto`.
pub(crate) fn solver_names() -> impl TypedValueParser<Value = SolverChoice> {
    solvers_with("hals for the frobenius loss, mu for kullback-leibler")
}

/// Solvers for the codes of new rows.
pub(crate) fn solvers_of_new_rows() -> impl TypedValueParser<Value = SolverChoice> {
    solvers_with("bpp for the frobenius loss, which is exact; mu for kullback-leibler")
}

fn solvers_with(auto: &'static str) -> impl TypedValueParser<Value = SolverChoice> {
    let auto = ("auto", auto);
    let listed = solvers::ALL.iter().map(|spec| (spec.name, spec.summary));
    choice(std::iter::once(auto).chain(listed), SolverChoice::from_name)
}

/// Losses, with their short names.
pub(crate) fn losses() -> impl TypedValueParser<Value = Loss> {
    let short = |loss| if loss == Loss::Frobenius { "fro" } else { "kl" };
    let values = Loss::ALL.iter().map(|loss| PossibleValue::new(loss.name()).alias(short(*loss)));
    PossibleValuesParser::new(values).try_map(|name| Loss::from_name(&name))
}

/// Starts.
pub(crate) fn starts() -> impl TypedValueParser<Value = Init> {
    choice(Init::NAMES.iter().copied(), Init::from_name)
}

/// Whether iterations are accelerated.
pub(crate) fn accelerations() -> impl TypedValueParser<Value = Acceleration> {
    choice(Acceleration::NAMES.iter().copied(), Acceleration::from_name)
}

/// File formats.
pub(crate) fn formats() -> PossibleValuesParser {
    names(FORMATS.iter().map(|format| (format.name, format.description)))
}

/// Scalings of the data.
pub(crate) fn scales() -> impl TypedValueParser<Value = ScalingKind> {
    choice(ScalingKind::ALL.iter().map(|kind| (kind.name(), kind.summary())), ScalingKind::from_name)
}

/// When labels are spread.
pub(crate) fn spreading() -> impl TypedValueParser<Value = Spreading> {
    choice(Spreading::ALL.map(|choice| (choice.name(), choice.summary())), Spreading::from_name)
}

/// What is held out to compare numbers of components.
pub(crate) fn holdouts() -> impl TypedValueParser<Value = Holdout> {
    choice(Holdout::ALL.iter().map(|holdout| (holdout.name(), "")), Holdout::from_name)
}

/// The factors.
pub(crate) fn slots() -> impl TypedValueParser<Value = Slot> {
    let slot = |name: String| Slot::MAIN.into_iter().find(|slot| slot.name() == name).ok_or("no factor");
    names(Slot::MAIN.map(|slot| (slot.name(), ""))).try_map(slot)
}

/// Weights of a graph of neighbours.
pub(crate) fn graph_weights() -> PossibleValuesParser {
    names(graphs::Weights::NAMES.iter().copied())
}

/// How memberships measure a component.
pub(crate) fn shares() -> impl TypedValueParser<Value = ShareOf> {
    choice(ShareOf::ALL.iter().map(|of| (of.name(), of.summary())), ShareOf::from_name)
}

/// `--strength`: `auto`, or a number, whose unit the method decides.
pub(crate) fn strength(text: &str) -> Result<Strength, String> {
    match text.parse::<f64>() {
        _ if text == "auto" => Ok(Strength::Auto),
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(Strength::Raw(value)),
        _ => Err("it must be a finite number of 0 or more, or \"auto\"".into()),
    }
}

/// `a,b`: a number for the codes and one for the components.
pub(crate) fn pair(text: &str) -> Result<(f64, f64), String> {
    let fault = || "it must be two numbers of 0 or more, codes and components, as in 0.1,0".to_string();
    let number = |t: &str| t.trim().parse::<f64>().ok().filter(|v| *v >= 0.0 && v.is_finite());
    let (a, b) = text.split_once(',').ok_or_else(fault)?;
    Ok((number(a).ok_or_else(fault)?, number(b).ok_or_else(fault)?))
}

/// `HxW`: the height and width of an image.
pub(crate) fn image_shape(text: &str) -> Result<(usize, usize), String> {
    let fault = || "it must be height x width in pixels, as in 32x32".to_string();
    let number = |t: &str| t.trim().parse::<usize>().ok().filter(|v| *v > 0);
    let (h, w) = text.split_once(['x', 'X']).ok_or_else(fault)?;
    Ok((number(h).ok_or_else(fault)?, number(w).ok_or_else(fault)?))
}

/// A factor of strengths.
pub(crate) fn scale(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("each scale must be a finite number of 0 or more".into()),
    }
}

/// A duration in seconds, above 0.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value <= 1e9 => Ok(value),
        _ => Err("it must be a number of seconds above 0 (at most 1e9)".into()),
    }
}

/// A number of bytes: a number with B, kB, MB, GB or TB.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, f64); 5] = [("tb", 1e12), ("gb", 1e9), ("mb", 1e6), ("kb", 1e3), ("b", 1.0)];
    let lower = text.trim().to_lowercase();
    let valid = || "it must be a size above 0 with its unit, as in 1GB, 1.5GB or 500MB".to_string();
    let (number, unit) = UNITS
        .iter()
        .find_map(|(name, unit)| lower.strip_suffix(name).map(|number| (number, *unit)))
        .ok_or_else(valid)?;
    match number.trim().parse::<f64>().map(|value| value * unit) {
        Ok(bytes) if (1.0..1e18).contains(&bytes) => Ok(bytes as u64),
        _ => Err(valid()),
    }
}

/// A whole number for random draws.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("it must be a whole number from 0 to {}", u64::MAX))
}

/// A number whose range the library checks; `valid` describes the valid numbers, for the error.
fn number(text: &str, valid: &str) -> Result<f64, String> {
    text.trim().parse().map_err(|_| format!("it must be a number, {valid}"))
}

/// A number above 0.
pub(crate) fn above_zero(text: &str) -> Result<f64, String> {
    number(text, "above 0")
}

/// A number of 0 or more.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    number(text, "0 or more")
}

/// A tolerance.
pub(crate) fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..1.0).contains(&value) => Ok(value),
        _ => Err("it must be at least 0 (0 = no tolerance test) and below 1".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_their_range_are_refused() {
        for bad in ["-1", "nan", "inf", "much", ""] {
            assert!(strength(bad).is_err(), "{bad}");
        }
        assert_eq!(strength("auto"), Ok(Strength::Auto));
        assert_eq!(strength("2.5"), Ok(Strength::Raw(2.5)));
        assert_eq!(pair("0.1,0"), Ok((0.1, 0.0)));
        for bad in ["0.1", "1,-1", "a,b", "1,2,3"] {
            assert!(pair(bad).is_err(), "{bad}");
        }
        for bad in ["1", "GB", "-1GB", "0MB", "1 XB", "nan GB"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
        assert_eq!([bytes("1GB"), bytes("1.5 mb"), bytes("7B")], [Ok(1_000_000_000), Ok(1_500_000), Ok(7)]);
        assert_eq!(image_shape("8x9"), Ok((8, 9)));
        for bad in ["8", "0x8", "8x", "x"] {
            assert!(image_shape(bad).is_err(), "{bad}");
        }
        assert!(seconds("0").is_err() && seconds("-2").is_err() && seconds("1.5").is_ok());
        assert!(tolerance("1").is_err() && tolerance("0").is_ok());
        assert!(positive("0").is_err() && positive("3").is_ok());
    }
}
