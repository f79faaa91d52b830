//! Promise: every parameter of a method is a flag under each of its names, and run.json records its value. No
//! list here: a new parameter of the registry is tested as it is.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{groups, json, run, stderr, succeed};
use partwise::methods::{self, Input, PARAMETERS, Parameter, ParameterKind};
use serde_json::{Value, json as value_of};

/// A value that is not the default, as text and in JSON; sizes are a property of the data.
fn other_value(parameter: &Parameter) -> Option<(String, Value)> {
    match parameter.kind {
        ParameterKind::Size => None,
        ParameterKind::Whole => Some(("2".into(), value_of!(2))),
        ParameterKind::Choice(names) => names.last().map(|name| (name.to_string(), value_of!(name))),
        _ => Some(("0.75".into(), value_of!(0.75))),
    }
}

#[test]
fn every_parameter_is_a_flag_under_each_of_its_names() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    let help = succeed(folder.path(), "fit --help");
    for parameter in PARAMETERS {
        let Some((value, _)) = other_value(parameter) else { continue };
        for name in [&[parameter.name()], parameter.aliases].concat() {
            let flag = format!("--{}", name.replace('_', "-"));
            assert!(help.contains(&flag), "{flag}");
            // Plain NMF has no parameters.
            let said =
                stderr(&run(folder.path(), &format!("fit x.npy -k 2 --method nmf {flag} {value} --out o")));
            assert!(said.contains("applies only to the method"), "{flag}: {said}");
            let first = parameter.methods().next().unwrap().name;
            assert!(said.contains(&format!("add --method {first},")), "{flag}: {said}");
        }
    }
}

#[test]
fn the_value_of_a_parameter_reaches_every_method_that_takes_it() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    for parameter in PARAMETERS {
        let Some((text, value)) = other_value(parameter) else { continue };
        for method in parameter.methods() {
            let similar = if method.takes(Input::Coupling) { "--graph-neighbours 3" } else { "" };
            let flag = format!("--{} {text}", parameter.name().replace('_', "-"));
            let fit = format!("fit x.npy --labels labels.csv -k 6 {similar} --method {}", method.name);
            succeed(at, &format!("{fit} {flag} --max-iter 2 --quiet --force --out out"));
            let settings = &json(at.join("out/run.json"))["settings"];
            assert_eq!(settings[parameter.recorded_name()], value, "{} {flag}", method.name);
        }
    }
}

#[test]
fn a_class_may_own_several_components() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    let said = succeed(
        at,
        "fit x.npy --labels labels.csv --method ws-nmf --components-per-class 2 --max-iter 5 --out out",
    );
    assert!(said.contains("k: 6 (2 for each of 3 classes)"), "{said}");
}

#[test]
fn help_texts_name_the_methods_of_the_registry() {
    let folder = tempfile::tempdir().unwrap();
    let help = succeed(folder.path(), "fit --help").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!help.contains('{') && !help.contains('}'), "{help}");
    let of_graphs: Vec<&str> = methods::ALL
        .iter()
        .filter(|spec| spec.takes(Input::Graph) || spec.takes(Input::Guidance))
        .map(|spec| spec.name)
        .collect();
    let (last, first) = of_graphs.split_last().unwrap();
    let list = format!("A graph of the samples for {} and {last}:", first.join(", "));
    assert!(help.contains(&list), "{list}");
}
