//! Which method is meant: the default for what is given, and names that stand for a method with a loss.

use super::{Input, MethodSpec, cnmf, guided, nmf, ws_nmf};
use crate::engine::losses::Loss;
use crate::foundation::{Error, Result};

/// Names that front ends list beside those of the registry, each with its method and loss.
pub static ALIASES: &[(&str, &MethodSpec, Loss)] = &[("cnmf-kl", &cnmf::SPEC, Loss::KullbackLeibler)];

/// The method for what is given, where none is asked for: the one that takes everything for guidance of any
/// kind and for labels, from which it learns most; else the one for a reference alone, else plain NMF.
pub fn for_inputs(given: &[Input]) -> &'static MethodSpec {
    let has = |input| given.contains(&input);
    if has(Input::Guidance) || has(Input::Labels) || has(Input::ComponentReference) && has(Input::Graph) {
        &guided::SPEC
    } else if has(Input::ComponentReference) {
        &ws_nmf::SPEC
    } else {
        &nmf::SPEC
    }
}

/// The method with this name, and its loss where the name states one (`"cnmf-kl"`).
///
/// # Errors
/// [`Error::UnknownName`] with the names of the registry and the [`ALIASES`].
pub fn named(name: &str) -> Result<(&'static MethodSpec, Option<Loss>)> {
    let mut error = match MethodSpec::from_name(name) {
        Ok(spec) => return Ok((spec, None)),
        Err(error) => error,
    };
    if let Some(spec) = name.strip_suffix("-kl").and_then(|plain| MethodSpec::from_name(plain).ok()) {
        return Ok((spec, Some(Loss::KullbackLeibler)));
    }
    if let Error::UnknownName { valid, .. } = &mut error {
        valid.extend(ALIASES.iter().map(|(name, ..)| name.to_string()));
    }
    Err(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_method_takes_what_is_given() {
        let name = |given: &[Input]| for_inputs(given).name;
        assert_eq!(name(&[]), "nmf");
        assert_eq!(name(&[Input::Labels]), "guided");
        assert_eq!(name(&[Input::Graph]), "nmf");
        assert_eq!(name(&[Input::ComponentReference, Input::Graph]), "guided");
        assert_eq!(name(&[Input::ComponentReference]), "ws-nmf");
        assert_eq!(name(&[Input::Guidance]), "guided");
        assert_eq!(name(&[Input::Labels, Input::Graph]), "guided");
        for (name, spec, loss) in ALIASES {
            let (found, stated) = named(name).unwrap();
            assert_eq!((found.name, stated), (spec.name, Some(*loss)));
        }
        assert!(named("nfm").unwrap_err().to_string().contains("cnmf-kl"));
    }
}
