//! Every parameter of a method is described once, with a default that is valid and a range that holds.

use partwise::methods::{self, MethodOptions, PARAMETERS, Parameter, ParameterKind, ParameterValue};
use partwise::{DenseMatrix, Error, Model, Settings, fit};

/// Values that the parameter accepts.
fn valid(parameter: &Parameter) -> Vec<ParameterValue> {
    match parameter.kind {
        ParameterKind::Number => vec![ParameterValue::Number(0.5), ParameterValue::Number(1.0)],
        ParameterKind::Whole => vec![ParameterValue::Number(1.0), ParameterValue::Number(3.0)],
        ParameterKind::Choice(names) => {
            names.iter().map(|name| ParameterValue::Name(name.to_string())).collect()
        }
        ParameterKind::Size => vec![ParameterValue::Size(2, 3)],
        _ => Vec::new(),
    }
}

#[test]
fn a_parameter_keeps_what_is_set() {
    for parameter in PARAMETERS {
        let values = valid(parameter);
        assert!(!values.is_empty(), "{}", parameter.name());
        for value in values {
            let mut options = MethodOptions::default();
            parameter.set(&mut options, value.clone()).expect("a valid value");
            assert_eq!(parameter.get(&options), Some(value), "{}", parameter.name());
            for other in PARAMETERS.iter().filter(|other| other.input != parameter.input) {
                assert_eq!(other.get(&options), other.get(&MethodOptions::default()), "{}", other.name());
            }
        }
    }
}

#[test]
fn a_parameter_is_found_by_each_of_its_names() {
    for parameter in PARAMETERS {
        for name in parameter.aliases.iter().copied().chain([parameter.name()]) {
            let found = Parameter::from_name(&name.replace('_', "-")).expect("a known name");
            assert_eq!(found.input, parameter.input, "{name}");
        }
    }
    let error = Parameter::from_name("smothing").expect_err("no such parameter");
    assert!(error.to_string().contains("\"smothing\""), "{error}");
    assert!(error.to_string().contains("smoothing"), "{error}");
}

#[test]
fn every_parameter_has_a_method_and_a_default_in_range() {
    let default = MethodOptions::default();
    for parameter in PARAMETERS {
        assert!(parameter.methods().count() > 0, "{}", parameter.name());
        assert!(parameter.help.ends_with('.'), "{}", parameter.name());
        match parameter.get(&default) {
            Some(value) => {
                assert!(parameter.set(&mut default.clone(), value).is_ok(), "{}", parameter.name())
            }
            None => assert!(parameter.unset.is_some(), "{} is unset and says nothing", parameter.name()),
        }
    }
}

#[test]
fn a_value_out_of_range_is_refused_with_the_range() {
    let wrong = [
        ParameterValue::Number(-1.0),
        ParameterValue::Number(f64::NAN),
        ParameterValue::Number(f64::INFINITY),
        ParameterValue::Name("nonsense".into()),
    ];
    for parameter in PARAMETERS {
        for value in &wrong[..3] {
            let error =
                parameter.set(&mut MethodOptions::default(), value.clone()).expect_err("out of range");
            assert!(error.to_string().contains(parameter.title), "{error}");
        }
        let error = parameter.set(&mut MethodOptions::default(), wrong[3].clone()).expect_err("no name");
        match (parameter.kind, &error) {
            (ParameterKind::Choice(names), Error::UnknownName { valid, .. }) => assert_eq!(valid, names),
            (_, Error::OutOfRange { valid, .. }) => assert_eq!(valid, parameter.valid),
            _ => panic!("{error}"),
        }
    }
}

#[test]
fn a_fit_refuses_options_out_of_range_by_the_same_rule() {
    let x = DenseMatrix::new(3, 3, vec![1.0f64, 0.2, 0.5, 0.2, 1.0, 3.0, 0.5, 3.0, 1.0]).expect("a matrix");
    for (name, options) in [
        ("ns-nmf", MethodOptions { smoothing: 1.5, ..MethodOptions::default() }),
        ("nmf-alpha", MethodOptions { cost: 0.0, ..MethodOptions::default() }),
        ("nmf-alpha", MethodOptions { discriminative_weight: f64::NAN, ..MethodOptions::default() }),
        ("ws-nmf", MethodOptions { components_per_class: 0, ..MethodOptions::default() }),
        ("symnmf", MethodOptions { coupling: Some(-1.0), ..MethodOptions::default() }),
    ] {
        assert!(methods::ALL.iter().any(|spec| spec.name == name));
        let labels = partwise::guidance::Labels::from_integers(&[0, 1, -1]).expect("labels");
        let model = Model::from_name(name, labels).expect("a method").with_options(options);
        let error = fit(&x, &model, &Settings::new(2)).expect_err(name);
        assert!(matches!(error, Error::OutOfRange { .. }), "{name}: {error}");
    }
}
