//! Names of the features from a file.

use std::path::Path;

use anyhow::{Result, bail};
use partwise_io::{read_names, repeated_note, same_names};

use crate::input::Source;

/// Gives the features the names of a file, if there is one.
pub(crate) fn name_features_by(path: Option<&Path>, source: &mut Source) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let names = read_names(path, source.columns, "features (columns of the data)")?;
    source.notes.extend(repeated_note(&names, "feature names"));
    name_features(source, names, path)
}

/// Gives the features names of a file. The data's own ones in another order are refused, others are noticed.
fn name_features(source: &mut Source, names: Vec<String>, path: &Path) -> Result<()> {
    if let Some(own) = source.feature_names.as_ref().filter(|own| **own != names) {
        let at = (0..names.len()).find(|j| own[*j] != names[*j]).unwrap_or(0);
        if same_names(own, &names) {
            bail!(
                "{}: these are the column names of {} in another order: line {} is \"{}\", but column {at} \
                (counted from 0) is \"{}\"; leave out --feature-names",
                path.display(),
                source.name,
                at + 1,
                names[at],
                own[at]
            );
        }
        source.notes.push(format!(
            "--feature-names and the data have different names for column {at} (counted from 0): \"{}\" and \
            \"{}\"",
            names[at], own[at]
        ));
    }
    source.feature_names = Some(names);
    Ok(())
}
