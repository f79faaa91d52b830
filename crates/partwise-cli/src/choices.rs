//! What can be chosen, from the registries of the library: help texts, completions and checks have no lists
//! of their own.

use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser};
use partwise::recipes::ShareOf;
use partwise::{Acceleration, Init, Loss, ScalingKind, Slot, methods, solvers};
use partwise_classify::Spreading;
use partwise_io::FORMATS;
pub(crate) use partwise_report::arguments::{count, folder, positive};

fn parser(values: impl IntoIterator<Item = (&'static str, &'static str)>) -> PossibleValuesParser {
    PossibleValuesParser::new(values.into_iter().map(|(name, help)| PossibleValue::new(name).help(help)))
}

/// Methods of the registry, and `cnmf-kl`.
pub(crate) fn methods() -> PossibleValuesParser {
    let alias = ("cnmf-kl", "cnmf with the kullback-leibler loss");
    parser(methods::ALL.iter().map(|spec| (spec.name, spec.summary)).chain([alias]))
}

/// Solvers of the registry, and `auto`.
pub(crate) fn solver_names() -> PossibleValuesParser {
    let auto = ("auto", "hals for the frobenius loss, mu for kullback-leibler");
    parser(std::iter::once(auto).chain(solvers::ALL.iter().map(|spec| (spec.name, spec.summary))))
}

/// Losses, with their short names.
pub(crate) fn losses() -> PossibleValuesParser {
    let short = |loss| if loss == Loss::Frobenius { "fro" } else { "kl" };
    PossibleValuesParser::new(
        Loss::ALL.iter().map(|loss| PossibleValue::new(loss.name()).alias(short(*loss))),
    )
}

/// Starts.
pub(crate) fn starts() -> PossibleValuesParser {
    parser(Init::NAMES.iter().copied())
}

/// Whether iterations are accelerated.
pub(crate) fn accelerations() -> PossibleValuesParser {
    parser(Acceleration::NAMES.iter().copied())
}

/// File formats.
pub(crate) fn formats() -> PossibleValuesParser {
    parser(FORMATS.iter().map(|format| (format.name, format.description)))
}

/// Scalings of the data.
pub(crate) fn scales() -> PossibleValuesParser {
    parser(ScalingKind::ALL.iter().map(|kind| (kind.name(), kind.summary())))
}

/// When labels are spread.
pub(crate) fn spreading() -> PossibleValuesParser {
    parser(Spreading::ALL.map(|choice| (choice.name(), choice.summary())))
}

/// The factors.
pub(crate) fn slots() -> PossibleValuesParser {
    parser(Slot::MAIN.map(|slot| (slot.name(), "")))
}

/// The two ways to deal with the free scale of reference rows.
pub(crate) fn scale_modes() -> PossibleValuesParser {
    parser([
        ("joint", "the scale is fitted exactly in each update"),
        ("alternating", "the scale of the previous iteration, as published"),
    ])
}

/// Weights of a graph of neighbours.
pub(crate) fn graph_weights() -> PossibleValuesParser {
    parser([
        ("binary", "1"),
        ("heat", "exp(-|x - y|^2 / width), with --heat-width"),
        ("self-tuning", "as heat, the width from the distances to each sample's neighbours"),
        ("cosine", "the cosine of the angle; no edge where it is 0"),
        ("dot", "the inner product; no edge where it is 0"),
    ])
}

/// How memberships measure a component.
pub(crate) fn shares() -> PossibleValuesParser {
    parser(ShareOf::ALL.iter().map(|of| (of.name(), of.summary())))
}

/// What is written as codes.
pub(crate) fn codes() -> PossibleValuesParser {
    parser([("plain", "W, the codes of the fit"), ("corrected", "times (HH')^1/2")])
}

/// How clusters are read off a result.
pub(crate) fn clusters() -> PossibleValuesParser {
    parser([
        ("shares", "the component with the largest membership, as in memberships.csv"),
        ("largest", "the component with the largest code"),
        ("k-means", "k-means on the codes, the best of 20 starts"),
        ("k-means-rows", "k-means on the memberships, each row divided by its Euclidean norm"),
    ])
}

/// The number types.
pub(crate) fn dtypes() -> PossibleValuesParser {
    parser([("auto", "as stored when that is f32, else f64"), ("f32", ""), ("f64", "")])
}

/// `--strength`: a number, or `auto` for the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Strength {
    /// Search the smallest one that holds the labels.
    Auto,
    /// This one.
    Value(f64),
}

impl FromStr for Strength {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse::<f64>() {
            _ if text == "auto" => Ok(Strength::Auto),
            Ok(value) if value >= 0.0 && value.is_finite() => Ok(Strength::Value(value)),
            _ => Err("it must be a finite number of 0 or more, or \"auto\"".into()),
        }
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

/// A number from 0 to 1.
pub(crate) fn unit(text: &str) -> Result<f64, String> {
    number(text, "from 0 to 1")
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
            assert!(bad.parse::<Strength>().is_err(), "{bad}");
        }
        assert_eq!("auto".parse::<Strength>(), Ok(Strength::Auto));
        assert_eq!("2.5".parse::<Strength>(), Ok(Strength::Value(2.5)));
        assert_eq!(pair("0.1,0"), Ok((0.1, 0.0)));
        for bad in ["0.1", "1,-1", "a,b", "1,2,3"] {
            assert!(pair(bad).is_err(), "{bad}");
        }
        assert_eq!(image_shape("8x9"), Ok((8, 9)));
        for bad in ["8", "0x8", "8x", "x"] {
            assert!(image_shape(bad).is_err(), "{bad}");
        }
        assert!(seconds("0").is_err() && seconds("-2").is_err() && seconds("1.5").is_ok());
        assert!(tolerance("1").is_err() && tolerance("0").is_ok());
        assert!(positive("0").is_err() && positive("3").is_ok());
    }
}
