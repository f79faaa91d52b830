//! [`PARAMETERS`]: the numbers and choices of methods, each described once for every front end: names, help,
//! default and range. A new parameter is a field of [`MethodOptions`] and a line here.

use super::{ALL, Input, MethodOptions, MethodSpec, StepRule};
use crate::foundation::{Error, Result};
use crate::terms::AnchorScale;

/// The value of a [`Parameter`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ParameterValue {
    /// A number, also a whole one.
    Number(f64),
    /// One of the names of a choice.
    Name(String),
    /// Height and width of an image.
    Size(usize, usize),
}

/// What the values of a [`Parameter`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterKind {
    /// Any number in the range.
    Number,
    /// A whole number in the range.
    Whole,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// Height and width of an image.
    Size,
}

/// A number or choice that some methods take.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// Which it is; its name is [`Input::name`].
    pub input: Input,
    /// Further names that front ends accept.
    pub aliases: &'static [&'static str],
    /// What it does, in a sentence without default and range.
    pub help: &'static str,
    /// Its name in error messages.
    pub title: &'static str,
    /// What its values are.
    pub kind: ParameterKind,
    /// The valid range, in words.
    pub valid: &'static str,
    /// The default, in words, where it is not a value.
    pub unset: Option<&'static str>,
    allowed: fn(f64) -> bool,
    get: fn(&MethodOptions) -> Option<ParameterValue>,
    set: fn(&mut MethodOptions, ParameterValue) -> Option<()>,
}

impl Parameter {
    /// The parameter with this name or alias; hyphens count as underscores.
    ///
    /// # Errors
    /// [`Error::UnknownName`] with the valid names.
    #[doc(hidden)]
    pub fn from_name(name: &str) -> Result<&'static Parameter> {
        let wanted = name.replace('-', "_");
        let known = |p: &&Parameter| p.name() == wanted || p.aliases.contains(&wanted.as_str());
        PARAMETERS.iter().find(known).ok_or_else(|| Error::UnknownName {
            kind: "parameter".into(),
            name: name.into(),
            valid: PARAMETERS.iter().map(|p| p.name().into()).collect(),
        })
    }

    /// Its name in Python and in documents; the command line writes it with hyphens.
    pub fn name(&self) -> &'static str {
        self.input.name()
    }

    /// Its name in the documents of results, which keep the names of earlier versions.
    #[doc(hidden)]
    pub fn recorded_name(&self) -> &'static str {
        match self.input {
            Input::AnchorScale => "scale_mode",
            Input::DiscriminativeWeight => "margin_weight",
            _ => self.name(),
        }
    }

    /// The methods that take it, as the registry lists them.
    pub fn methods(&self) -> impl Iterator<Item = &'static MethodSpec> {
        let input = self.input;
        ALL.iter().copied().filter(move |spec| spec.takes(input))
    }

    /// Its value among these options; `None` where it is not set.
    pub fn get(&self, options: &MethodOptions) -> Option<ParameterValue> {
        (self.get)(options)
    }

    /// Puts a value among the options.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] with the valid range, [`Error::UnknownName`] with the names of a choice.
    pub fn set(&self, options: &mut MethodOptions, value: ParameterValue) -> Result<()> {
        self.check(&value)?;
        let given = describe(&value);
        (self.set)(options, value).ok_or_else(|| self.out_of_range(given))
    }

    /// Refuses a value out of range.
    pub(crate) fn check(&self, value: &ParameterValue) -> Result<()> {
        let right = match (value, self.kind) {
            (ParameterValue::Number(x), ParameterKind::Number) => x.is_finite() && (self.allowed)(*x),
            (ParameterValue::Number(x), ParameterKind::Whole) => x.fract() == 0.0 && (self.allowed)(*x),
            (ParameterValue::Name(name), ParameterKind::Choice(names)) => {
                return Error::choose(self.title, name, names.iter().map(|n| (*n, ())));
            }
            (ParameterValue::Size(..), ParameterKind::Size) => true,
            _ => false,
        };
        if right { Ok(()) } else { Err(self.out_of_range(describe(value))) }
    }

    fn out_of_range(&self, value: String) -> Error {
        Error::out_of_range(self.title, value, self.valid)
    }
}

fn describe(value: &ParameterValue) -> String {
    match value {
        ParameterValue::Number(x) => x.to_string(),
        ParameterValue::Name(name) => format!("\"{name}\""),
        ParameterValue::Size(height, width) => format!("{height} x {width}"),
    }
}

/// Refuses options of the method that are out of range.
pub(crate) fn check(spec: &MethodSpec, options: &MethodOptions) -> Result<()> {
    for parameter in PARAMETERS.iter().filter(|p| spec.takes(p.input)) {
        parameter.get(options).map_or(Ok(()), |value| parameter.check(&value))?;
    }
    Ok(())
}

fn number(value: &ParameterValue) -> Option<f64> {
    if let ParameterValue::Number(x) = value { Some(*x) } else { None }
}

/// What most parameters are: a number that is always set.
const NUMBER: Parameter = Parameter {
    input: Input::Smoothing,
    aliases: &[],
    help: "",
    title: "",
    kind: ParameterKind::Number,
    valid: "a finite number of 0 or more",
    unset: None,
    allowed: |x| x >= 0.0,
    get: |_| None,
    set: |_, _| None,
};

/// Every parameter of the methods, in the order in which tables show them.
pub static PARAMETERS: &[Parameter] = &[
    Parameter {
        input: Input::Smoothing,
        aliases: &["delta", "theta"],
        help: "The smoothing between the factors.",
        title: "smoothing (theta, delta)",
        valid: "from 0 (no smoothing) to 1 (all components equal)",
        allowed: |x| (0.0..=1.0).contains(&x),
        get: |options| Some(ParameterValue::Number(options.smoothing)),
        set: |options, value| number(&value).map(|x| options.smoothing = x),
        ..NUMBER
    },
    Parameter {
        input: Input::StepRule,
        help: "The step size of gradient solvers on merged rows: one per row, or that of the largest class, \
            as published.",
        title: "step rule",
        kind: ParameterKind::Choice(StepRule::NAMES),
        valid: "\"own-class\" or \"largest-class\"",
        get: |options| Some(ParameterValue::Name(options.step_rule.name().into())),
        set: |options, value| match value {
            ParameterValue::Name(name) => {
                StepRule::from_name(&name).ok().map(|rule| options.step_rule = rule)
            }
            _ => None,
        },
        ..NUMBER
    },
    Parameter {
        input: Input::AnchorScale,
        aliases: &["scale_mode"],
        help: "How the free scale of reference rows is fitted: exactly, in turn as published, or not at all \
            (fixed at 1).",
        title: "anchor scale",
        kind: ParameterKind::Choice(AnchorScale::NAMES),
        valid: "\"joint\", \"alternating\" or \"fixed\"",
        get: |options| Some(ParameterValue::Name(options.anchor_scale.name().into())),
        set: |options, value| match value {
            ParameterValue::Name(name) => {
                AnchorScale::from_name(&name).ok().map(|scale| options.anchor_scale = scale)
            }
            _ => None,
        },
        ..NUMBER
    },
    Parameter {
        input: Input::ComponentsPerClass,
        help: "Components per class, for classes with several distinct appearances.",
        title: "components per class",
        kind: ParameterKind::Whole,
        valid: "1 or more",
        allowed: |x| x >= 1.0,
        get: |options| Some(ParameterValue::Number(options.components_per_class as f64)),
        set: |options, value| number(&value).map(|x| options.components_per_class = x as usize),
        ..NUMBER
    },
    Parameter {
        input: Input::DiscriminativeWeight,
        aliases: &["margin_weight", "lambda"],
        help: "The weight of the directions that separate the classes, relative to the data. A notice reports \
            their size.",
        title: "the discriminative weight lambda",
        valid: "a finite number of 0 or more (0 is plain NMF)",
        get: |options| Some(ParameterValue::Number(options.discriminative_weight)),
        set: |options, value| number(&value).map(|x| options.discriminative_weight = x),
        ..NUMBER
    },
    Parameter {
        input: Input::Cost,
        aliases: &["cost"],
        help: "The cost C of the support vector machines. It depends on the scale of the data.",
        title: "the cost C of the support vector machines",
        valid: "positive and finite",
        allowed: |x| x > 0.0,
        get: |options| Some(ParameterValue::Number(options.cost)),
        set: |options, value| number(&value).map(|x| options.cost = x),
        ..NUMBER
    },
    Parameter {
        input: Input::ImageShape,
        help: "Height and width of the images that the samples are, row by row.",
        title: "image shape",
        kind: ParameterKind::Size,
        valid: "a height and a width whose product is the number of features",
        unset: Some("known for image stacks"),
        get: |options| options.image_shape.map(|(height, width)| ParameterValue::Size(height, width)),
        set: |options, value| match value {
            ParameterValue::Size(height, width) => {
                options.image_shape = Some((height, width));
                Some(())
            }
            _ => None,
        },
        ..NUMBER
    },
    Parameter {
        input: Input::Coupling,
        help: "Fits S with two factors and this penalty on their difference, as the papers do (their value: \
            the square of the largest entry of S).",
        title: "coupling",
        unset: Some("none, one factor that comes twice"),
        get: |options| options.coupling.map(ParameterValue::Number),
        set: |options, value| number(&value).map(|x| options.coupling = Some(x)),
        ..NUMBER
    },
];
