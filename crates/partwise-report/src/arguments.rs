//! Values of flags that more than one command takes.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};

/// The folder for results.
pub fn folder() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == "-" {
        true => Err("results are several files, so they need a folder, not standard output (run.json goes there with --json)"),
        false => Ok(path),
    })
}

/// A whole number of 0 or more.
pub fn count(text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|_| format!("it must be a whole number from 0 to {}", usize::MAX))
}

/// A whole number of 1 or more.
pub fn positive(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(value) if value > 0 => Ok(value),
        _ => Err(format!("it must be a whole number of 1 or more (at most {})", usize::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_outside_their_range_are_refused() {
        assert!(positive("0").is_err() && positive("3").is_ok());
        assert!(count("-1").is_err() && count("0").is_ok());
    }
}
