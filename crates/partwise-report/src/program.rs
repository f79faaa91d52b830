//! The `main` of a program: flags, signals, faults, exit codes.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::OnceLock;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Parser};

use crate::{console, interrupt};

/// What the exit codes mean; the end of every help text.
pub const EXIT_CODES: &str = "Exit codes: 0 done; 2 invalid input or options, too little memory, or an \
    output that cannot be written; 101 an error in Partwise itself; 130 stopped by Ctrl-C, SIGTERM or SIGHUP \
    (a fit, a sweep or an experiment writes the result so far); 141 the reader of standard output closed the \
    pipe.";

static ARGUMENTS: OnceLock<Vec<OsString>> = OnceLock::new();

/// What the program was asked to do: its arguments without its own name. Those of the process may be others,
/// because the Python package runs the command line inside of Python.
pub fn arguments() -> &'static [OsString] {
    ARGUMENTS.get().map_or(&[], |all| all.get(1..).unwrap_or_default())
}

/// How a command ended when nothing was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All of it.
    Done,
    /// Ctrl-C came; what was reached is written.
    Interrupted,
}

/// The `main` of a program: [`run_with`] the arguments of the process.
pub fn run<Flags: Parser>(command: impl FnOnce(Flags) -> anyhow::Result<Outcome>) -> ExitCode {
    ExitCode::from(run_with(std::env::args_os(), command))
}

/// Reads the flags, runs the command that they ask for, prints what went wrong, and returns the exit code.
/// The first argument is the name of the program.
pub fn run_with<Flags: Parser>(
    arguments: impl IntoIterator<Item = OsString>,
    command: impl FnOnce(Flags) -> anyhow::Result<Outcome>,
) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    ARGUMENTS.get_or_init(|| arguments.clone());
    std::panic::set_hook(Box::new(|fault| console::own_fault(&fault.to_string())));
    interrupt::listen();
    let code = match Flags::try_parse_from(arguments) {
        Ok(flags) => code_of(|| command(flags)),
        Err(mut error) => {
            suggest_nearest(&mut error);
            suggest_command(&mut error, &Flags::command());
            console::usage(&error);
            error.exit_code() as u8
        }
    };
    match console::finish() {
        Err(_) if code != 0 => code,
        // The reader had enough (`| head`): nothing to report, and the code that a shell shows for such a
        // program.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => 141,
        Err(error) => {
            console::error(&anyhow::Error::new(error).context("cannot write to standard output"));
            2
        }
        Ok(()) => code,
    }
}

/// Suggests the valid value that is nearest to a misspelt one, swapped letters included. Clap's own measure
/// finds none for short names, or a worse one.
fn suggest_nearest(error: &mut clap::Error) {
    let (Some(ContextValue::String(given)), Some(ContextValue::Strings(valid))) =
        (error.get(ContextKind::InvalidValue), error.get(ContextKind::ValidValue))
    else {
        return;
    };
    if error.kind() != ErrorKind::InvalidValue {
        return;
    }
    let valid: Vec<&str> = valid.iter().map(String::as_str).collect();
    let near = partwise_io::nearest(given, valid).map(str::to_string);
    if let Some(near) = near {
        error.insert(ContextKind::SuggestedValue, ContextValue::String(near));
    }
}

/// Suggests the command that is nearest to a misspelt one, swapped letters included.
fn suggest_command(error: &mut clap::Error, program: &Command) {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else { return };
    let visible = program.get_subcommands().filter(|command| !command.is_hide_set());
    let valid: Vec<&str> = visible.map(Command::get_name).collect();
    let near = partwise_io::nearest(given, valid).map(str::to_string);
    if let Some(near) = near {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![near]));
    }
}

/// Runs a command and returns the exit code.
fn code_of(command: impl FnOnce() -> anyhow::Result<Outcome>) -> u8 {
    match interrupt::work(command).unwrap_or_else(|stopped| Err(stopped.into())) {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Interrupted) => interrupt::EXIT_CODE,
        Err(error) if error.is::<interrupt::Stopped>() => {
            console::error(&error);
            interrupt::EXIT_CODE
        }
        Err(error) => {
            console::error(&error);
            2
        }
    }
}
