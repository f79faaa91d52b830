//! Flags that only some methods take: those of the parameters, made from the registry, and for all of them
//! which methods they apply to, in help texts and in checks.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use partwise::MethodOptions;
use partwise::guidance::ComponentsPerClass;
use partwise::methods::{self, Input, MethodSpec, PARAMETERS, Parameter, ParameterKind, ParameterValue};

/// Flags beside those of parameters, by their ids, each with what a method must take one of for the flag to
/// have an effect.
pub(super) type MethodFlags = [(&'static str, &'static [Input])];

/// The value of the components per class that the data decide.
const AUTO: &str = "auto";

/// What a method must take one of for a flag to have an effect; `None` for flags of every method.
fn inputs_of(flag: &str, flags: &MethodFlags) -> Option<Vec<Input>> {
    if let Some((_, inputs)) = flags.iter().find(|(id, _)| *id == flag) {
        return Some(inputs.to_vec());
    }
    let parameter = parameters().find(|parameter| parameter.name() == flag)?;
    match parameter.input {
        // Also the unit of the strength, for methods without such rows.
        Input::AnchorScale => Some(vec![Input::AnchorScale, Input::ComponentsPerClass]),
        // Topics of guidance state their components.
        Input::ComponentsPerClass => Some(vec![Input::ComponentsPerClass, Input::Guidance]),
        input => Some(vec![input]),
    }
}

/// The methods that take one of these.
fn methods_with(inputs: &[Input]) -> Vec<&'static str> {
    let takes = |spec: &&&MethodSpec| inputs.iter().any(|input| spec.takes(*input));
    methods::ALL.iter().filter(takes).map(|spec| spec.name).collect()
}

/// `a`, `a and b`, `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_string(),
        [several @ .., last] => format!("{} and {last}", several.join(", ")),
    }
}

/// The parameters that are flags of their own; the size of images is a property of the data.
fn parameters() -> impl Iterator<Item = &'static Parameter> {
    PARAMETERS.iter().filter(|parameter| parameter.kind != ParameterKind::Size)
}

/// Writes method names into the help text of a flag: `{methods}` are those that take it.
pub(super) fn with_methods(flag: Arg, flags: &MethodFlags) -> Arg {
    let Some(help) = flag.get_help().map(ToString::to_string).filter(|help| help.contains('{')) else {
        return flag;
    };
    let default = |given: &[Input]| methods::for_inputs(given).name.to_string();
    let own = inputs_of(flag.get_id().as_str(), flags).unwrap_or_default();
    let help = [
        ("{methods}", listed(&methods_with(&own))),
        ("{of graphs}", listed(&methods_with(&[Input::Graph, Input::Guidance]))),
        ("{of similarities}", listed(&methods_with(&[Input::Coupling]))),
        ("{of strengths}", listed(&methods_with(&[Input::ComponentsPerClass]))),
        ("{of anything}", default(&[Input::Guidance])),
        ("{of references}", default(&[Input::ComponentReference])),
        ("{of nothing}", default(&[])),
    ]
    .iter()
    .fold(help, |help, (place, names)| help.replace(place, names));
    flag.help(help)
}

/// The flags of the parameters.
pub(super) fn parameter_flags() -> impl Iterator<Item = Arg> {
    parameters().map(flag_of)
}

/// The flag of a parameter.
fn flag_of(parameter: &'static Parameter) -> Arg {
    let spelled = |name: &str| name.replace('_', "-");
    let default = match parameter.get(&MethodOptions::default()) {
        Some(ParameterValue::Number(value)) => value.to_string(),
        Some(ParameterValue::Name(name)) => name,
        _ => parameter.unset.unwrap_or("none").to_string(),
    };
    let (name, help) = match parameter.kind {
        ParameterKind::Choice(_) => ("NAME", format!("{} For {{methods}}.", parameter.help)),
        ParameterKind::Whole => ("N", format!("{} For {{methods}}: {}.", parameter.help, parameter.valid)),
        _ => ("X", format!("{} For {{methods}}: {}.", parameter.help, parameter.valid)),
    };
    let decides = parameter.input == Input::ComponentsPerClass;
    let (name, help) = match decides {
        true => (
            "N|auto",
            format!(
                "{help} With {{of anything}} also auto: 1 to 4 for each class, as many as \
            predict held-out samples of the class clearly better than fewer do."
            ),
        ),
        false => (name, help),
    };
    let parser: ValueParser = match parameter.kind {
        _ if decides => ValueParser::from(move |text: &str| match text.trim() {
            AUTO => Ok(ParameterValue::Name(AUTO.into())),
            _ => number(parameter, text).map_err(|error| format!("{error}, or auto")),
        }),
        ParameterKind::Choice(names) => PossibleValuesParser::new(names).map(ParameterValue::Name).into(),
        _ => ValueParser::from(move |text: &str| number(parameter, text)),
    };
    Arg::new(parameter.name())
        .long(spelled(parameter.name()))
        .visible_aliases(parameter.aliases.iter().map(|alias| spelled(alias)))
        .help(format!("{help} Default: {default}"))
        .help_heading("Method")
        .value_name(name)
        .value_parser(parser)
        .allow_negative_numbers(true)
}

/// A number in the range of its parameter.
fn number(parameter: &Parameter, text: &str) -> Result<ParameterValue, String> {
    let value = text.trim().parse().map_err(|_| format!("it must be a number, {}", parameter.valid))?;
    let value = ParameterValue::Number(value);
    let checked = parameter.set(&mut MethodOptions::default(), value.clone());
    checked.map(|()| value).map_err(|error| error.to_string())
}

/// Which flags are on the command line. The first field of a command's flags: the others take their values
/// away.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    flags: Vec<String>,
    /// Those whose file is standard input.
    piped: Vec<String>,
    parameters: Vec<(&'static Parameter, ParameterValue)>,
}

impl Given {
    /// Whether the flag with this identifier is on the command line.
    pub(super) fn gives(&self, id: &str) -> bool {
        self.flags.iter().any(|flag| flag == id)
    }

    /// Whether this parameter is given.
    pub(super) fn has(&self, input: Input) -> bool {
        self.parameters.iter().any(|(parameter, _)| parameter.input == input)
    }

    /// The options of the method.
    pub(super) fn options(&self, method: &MethodSpec) -> Result<MethodOptions> {
        let mut options = MethodOptions::default();
        let guided = method.takes(Input::Guidance);
        for (parameter, value) in &self.parameters {
            match (parameter.input, value) {
                // The topics of the guidance have them.
                (Input::ComponentsPerClass, _) if guided => {}
                (Input::ComponentsPerClass, ParameterValue::Name(_)) => bail!(
                    "--components-per-class auto applies only to the method {}; give a number, or add \
                    --method {0}",
                    methods::for_inputs(&[Input::Guidance]).name
                ),
                _ => parameter.set(&mut options, value.clone())?,
            }
        }
        Ok(options)
    }

    /// How many components each class has, where that is stated.
    pub(super) fn components_per_class(&self) -> Option<ComponentsPerClass> {
        let is_own = |(parameter, _): &&(&Parameter, _)| parameter.input == Input::ComponentsPerClass;
        self.parameters.iter().find(is_own).map(|(_, value)| match value {
            ParameterValue::Number(number) => ComponentsPerClass::Number(*number as usize),
            _ => ComponentsPerClass::Auto,
        })
    }

    /// The first of the flags that only some methods take.
    pub(super) fn of_methods(&self, flags: &MethodFlags) -> Option<String> {
        self.flags.iter().find(|flag| inputs_of(flag, flags).is_some()).map(|flag| spelled(flag))
    }

    /// Refuses flags that have no effect on the method.
    pub(super) fn check_methods(&self, spec: &MethodSpec, flags: &MethodFlags) -> Result<()> {
        for flag in &self.flags {
            let Some(inputs) = inputs_of(flag, flags) else { continue };
            let methods = methods_with(&inputs);
            if !methods.contains(&spec.name) {
                let list = match methods.as_slice() {
                    [one] => format!("the method {one}"),
                    several => format!("the methods {}", several.join(", ")),
                };
                let flag = spelled(flag);
                bail!("{flag} applies only to {list}; add --method {}, or leave the flag out", methods[0]);
            }
        }
        Ok(())
    }

    /// Refuses standard input for more than one file.
    pub(crate) fn check_standard_input(&self) -> Result<()> {
        match self.piped.len() {
            0 | 1 => Ok(()),
            _ => bail!(
                "only one file can be read from standard input (-), but {} were; save the others to files (a \
                file named - is ./-)",
                self.piped.join(" and ")
            ),
        }
    }
}

/// A flag, or a place, as messages name it.
fn spelled(id: &str) -> String {
    match id {
        "data" | "model" | "result" => format!("the {id}"),
        flag => format!("--{}", flag.replace('_', "-")),
    }
}

impl clap::Args for Given {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

impl clap::FromArgMatches for Given {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Given::default();
        let from_user = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
        for id in matches.ids().map(clap::Id::as_str).filter(from_user) {
            given.flags.push(id.into());
            let file = matches.try_get_one::<PathBuf>(id).ok().flatten();
            if file.is_some_and(|path| path.as_os_str() == partwise_io::STANDARD_INPUT) {
                given.piped.push(spelled(id));
            }
            let value = matches.try_get_one::<ParameterValue>(id).ok().flatten();
            given.parameters.extend(value.and_then(|v| Some((Parameter::from_name(id).ok()?, v.clone()))));
        }
        Ok(given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
