//! The files that Partwise wrote into a folder: their list in `run.json`, with length and SHA-256, so that an
//! overwrite recognizes them.

use crate::error::{IoError, Place, Result};
use crate::hash::sha256_of_file;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The record that every folder of results has. `--force` replaces only results that have it, and folders
/// that are empty.
pub const RESULT_MARK: &str = "run.json";

/// Its entry with the list.
const FILES: &str = "files";

/// What the version before the list wrote, by the command in its record: to fit, to transform, to sweep;
/// without a command the recipe.
const WITHOUT_LIST: [(&str, &[&str]); 4] = [
    (
        "fit",
        &[
            "model.safetensors",
            "codes.npy",
            "codes.csv",
            "memberships.csv",
            "components.npy",
            "components.csv",
            "guidance_report.csv",
            "report.html",
            ".partwise-demo",
        ],
    ),
    ("transform", &["codes.npy", "codes.csv", "memberships.csv"]),
    ("sweep", &["sweep.csv", "report.html"]),
    ("", &["memberships.npy", "memberships.csv"]),
];

/// A file as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// The files that Partwise wrote into a folder, [`RESULT_MARK`] aside; `None` for those of which only the
/// name is known.
pub(crate) type Listed = BTreeMap<String, Option<Written>>;

/// The list as it stands in the record.
pub(crate) fn list_json(files: &BTreeMap<String, Written>) -> Value {
    let entry = |(name, file): (&String, &Written)| {
        (name.clone(), json!({ "bytes": file.bytes, "sha256": file.sha256 }))
    };
    Value::Object(files.iter().map(entry).collect())
}

/// Adds the list to a record.
pub(crate) fn add_list(record: &mut Map<String, Value>, files: &BTreeMap<String, Written>) {
    record.insert(FILES.into(), list_json(files));
}

/// The files of the result in a folder; `None` where it holds none: no record, or one that Partwise did not
/// write.
pub(crate) fn listed(folder: &Path) -> Result<Option<Listed>> {
    let path = folder.join(RESULT_MARK);
    match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() => {}
        _ => return Ok(None),
    }
    let text = fs::read(&path).map_err(|e| IoError::system(&path, "read", e))?;
    Ok(serde_json::from_slice(&text).ok().and_then(|record: Value| of_record(&record)))
}

/// The files that a record lists; `None` when Partwise did not write it.
fn of_record(record: &Value) -> Option<Listed> {
    let versions = record.get("versions")?;
    versions.get("partwise")?.as_str()?;
    versions.get("model_format")?.as_u64()?;
    record.get("data")?.get("sha256")?.as_str()?;
    let Some(list) = record.get(FILES) else {
        let command = record.get("command").map_or(Some(""), Value::as_str)?;
        let (_, names) = WITHOUT_LIST.iter().find(|(name, _)| *name == command)?;
        return Some(names.iter().map(|name| (name.to_string(), None)).collect());
    };
    let entry = |(name, entry): (&String, &Value)| {
        let file = Written {
            bytes: entry.get("bytes")?.as_u64()?,
            sha256: entry.get("sha256")?.as_str()?.to_string(),
        };
        is_plain(name).then(|| (name.clone(), Some(file)))
    };
    list.as_object()?.iter().map(entry).collect()
}

/// Whether a name is that of a file in the folder itself, as all of a result are.
pub(crate) fn is_plain(name: &str) -> bool {
    !matches!(name, "" | "." | ".." | RESULT_MARK) && !name.contains(['/', '\\', '\0'])
}

/// What stands at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum There {
    Nothing,
    File(Written),
    /// A folder, a link, a device.
    Other,
}

pub(crate) fn there(path: &Path) -> Result<There> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(There::Nothing) };
    if !metadata.is_file() {
        return Ok(There::Other);
    }
    let sha256 = sha256_of_file(path).map_err(|e| IoError::system(path, "read", e))?;
    Ok(There::File(Written { bytes: metadata.len(), sha256 }))
}

/// Refuses to touch what Partwise did not write: a file of the list that is no longer as it was written, and
/// a file that is not of the list where one of `names` is to be written.
pub(crate) fn check_replaceable(folder: &Path, listed: &Listed, names: &[&str]) -> Result<()> {
    let refuse = |name: &str, why: &str| {
        let message =
            format!("{why}, so --force does not replace it; move it away, or choose another folder");
        Err(IoError::unsupported(&folder.join(name), Place::Whole, message, &[]))
    };
    for (name, written) in listed {
        let path = folder.join(name);
        let changed = "it was changed after Partwise had written it";
        match (fs::symlink_metadata(&path), written) {
            (Err(_), _) => {}
            (Ok(metadata), _) if !metadata.is_file() => return refuse(name, changed),
            (Ok(_), None) => {}
            (Ok(metadata), Some(written)) if metadata.len() != written.bytes => return refuse(name, changed),
            (Ok(_), Some(written)) => {
                if there(&path)? != There::File(written.clone()) {
                    return refuse(name, changed);
                }
            }
        }
    }
    for name in names {
        let known = listed.contains_key(*name) || *name == RESULT_MARK;
        if !known && fs::symlink_metadata(folder.join(name)).is_ok() {
            return refuse(name, "Partwise did not write it");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_records_of_partwise_are_taken_for_results() {
        let data = json!({ "sha256": "ab" });
        let versions = json!({ "partwise": "0.1.0", "model_format": 1 });
        let names = |record: Value| of_record(&record).map(|list| list.into_keys().collect::<Vec<_>>());
        let old = json!({ "command": "sweep", "versions": versions, "data": data });
        assert_eq!(names(old).unwrap(), ["report.html", "sweep.csv"]);
        let recipe = json!({ "versions": versions, "data": data, "recipe": {} });
        assert_eq!(names(recipe).unwrap(), ["memberships.csv", "memberships.npy"]);
        let listed = |name: &str| {
            let files = json!({ name: { "bytes": 1, "sha256": "cd" } });
            json!({ "command": "fit", "versions": versions, "data": data, "files": files })
        };
        assert_eq!(names(listed("codes.csv")).unwrap(), ["codes.csv"]);
        for bad in ["../codes.csv", "/etc/passwd", "a/b", "a\\b", "..", "", "run.json"] {
            assert_eq!(names(listed(bad)), None, "{bad}");
        }
        for other in [
            json!({}),
            json!([1]),
            json!({ "scripts": {} }),
            json!({ "command": "fit" }),
            json!({ "command": "npm", "versions": versions, "data": data }),
            json!({ "command": "fit", "versions": { "partwise": "0.1.0" }, "data": data }),
            json!({ "command": "fit", "versions": versions, "data": data, "files": { "a": 1 } }),
        ] {
            assert_eq!(names(other.clone()), None, "{other}");
        }
    }
}
