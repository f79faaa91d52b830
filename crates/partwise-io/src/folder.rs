//! Files of a folder of data: in natural order, with names, those of subfolders too.

use crate::error::{IoError, Place, Result};
use crate::hash::sha256_hex;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};

/// Subfolders within each other at most: links can make a circle.
const DEEPEST: usize = 8;

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FolderFile {
    pub(crate) path: PathBuf,
    /// Its path in the folder, with `/`.
    pub(crate) relative: String,
    /// The same without the extension.
    pub(crate) name: String,
}

/// The files that are wanted, and how many others there are.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) files: Vec<FolderFile>,
    skipped: Vec<String>,
}

impl Listing {
    /// Files whose extension (in lower case, before `.gz`; none for a name without one) is wanted. Hidden
    /// files are left out.
    pub(crate) fn of(folder: &Path, wanted: impl Fn(Option<&str>) -> bool) -> Result<Self> {
        let mut listing = Listing::default();
        listing.add(folder, "", 0, &wanted)?;
        listing.files.sort_by(|a, b| natural(&a.relative, &b.relative));
        listing.skipped.sort_by(|a, b| natural(a, b));
        // Where a.png and a.pgm lie side by side, only whole names tell them apart.
        let mut names: Vec<&str> = listing.files.iter().map(|file| file.name.as_str()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            listing.files.iter_mut().for_each(|file| file.name.clone_from(&file.relative));
        }
        Ok(listing)
    }

    fn add(
        &mut self,
        folder: &Path,
        prefix: &str,
        depth: usize,
        wanted: &impl Fn(Option<&str>) -> bool,
    ) -> Result<()> {
        let cannot = |e| IoError::system(folder, "list", e);
        for entry in std::fs::read_dir(folder).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let file_name = entry.file_name().to_string_lossy().into_owned();
            if file_name.starts_with('.') {
                continue;
            }
            let (path, relative) = (entry.path(), format!("{prefix}{file_name}"));
            if path.is_dir() {
                match depth < DEEPEST {
                    true => self.add(&path, &format!("{relative}/"), depth + 1, wanted)?,
                    false => self.skipped.push(relative),
                }
                continue;
            }
            let (stem, extension) = parts(&relative);
            match wanted(extension.as_deref()) {
                true => self.files.push(FolderFile { path, name: stem.to_string(), relative }),
                false => self.skipped.push(relative),
            }
        }
        Ok(())
    }

    /// The files, at least one; `needed` says what they are to be.
    pub(crate) fn at_least_one(self, folder: &Path, needed: &str) -> Result<Self> {
        if !self.files.is_empty() {
            return Ok(self);
        }
        let others = match self.skipped.as_slice() {
            [] => "it is empty".to_string(),
            [first, ..] => format!("it has {} other files, such as {first}", self.skipped.len()),
        };
        let message = format!("this is a folder, but not one of {needed}: {others}");
        Err(IoError::unsupported(folder, Place::Whole, message, &[]))
    }

    /// What is said about the files that are left out.
    pub(crate) fn note(&self) -> Option<String> {
        let (first, count) = (self.skipped.first()?, self.skipped.len());
        Some(match count {
            1 => format!("one other file in the folder was skipped: {first}"),
            _ => format!("{count} other files in the folder were skipped, such as {first}"),
        })
    }

    /// The first subfolder that each file lies in, as a label for it; refused where files lie in none.
    pub(crate) fn groups(&self, folder: &Path, column: &str) -> Result<Vec<Option<String>>> {
        let fault = |message: &str| Err(IoError::unsupported(folder, Place::Whole, message, &[]));
        if column != "folder" {
            return fault("in a folder of files the only label column is \"folder\", their subfolders");
        }
        let group = |file: &FolderFile| file.relative.split_once('/').map(|(group, _)| group.to_string());
        let groups: Vec<_> = self.files.iter().map(group).collect();
        match groups.iter().all(Option::is_none) {
            true => fault("the label column \"folder\" needs subfolders, one for each class"),
            false => Ok(groups),
        }
    }
}

/// What identifies all files: the SHA-256 of the lines that `sha256sum` prints for them.
pub(crate) fn sha256_of_all<'a>(files: impl Iterator<Item = (&'a str, &'a FolderFile)>) -> String {
    let lines: String = files.map(|(sha256, file)| format!("{sha256}  {}\n", file.relative)).collect();
    sha256_hex(lines.as_bytes())
}

/// A name without its extension, and the extension in lower case, before `.gz`.
fn parts(relative: &str) -> (&str, Option<String>) {
    let begin = relative.rfind('/').map_or(0, |at| at + 1);
    let name = &relative[begin..];
    let plain = match name.len().checked_sub(3) {
        Some(end) if name.is_char_boundary(end) && name[end..].eq_ignore_ascii_case(".gz") => &name[..end],
        _ => name,
    };
    match plain.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => {
            (&relative[..begin + stem.len()], Some(extension.to_lowercase()))
        }
        _ => (&relative[..begin + plain.len()], None),
    }
}

/// The order of people: `img2` before `img10`, whatever the case, files of a folder side by side.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.chars().peekable(), b.chars().peekable());
    loop {
        let (Some(&x), Some(&y)) = (left.peek(), right.peek()) else {
            let ends = left.peek().is_some().cmp(&right.peek().is_some());
            return ends.then_with(|| a.cmp(b));
        };
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let number = |of: &mut std::iter::Peekable<std::str::Chars<'_>>| {
                let mut digits = String::new();
                while let Some(digit) = of.next_if(char::is_ascii_digit) {
                    digits.push(digit);
                }
                let digits = digits.trim_start_matches('0');
                (digits.len(), digits.to_string())
            };
            number(&mut left).cmp(&number(&mut right))
        } else {
            left.next();
            right.next();
            let rank = |c: char| if c == '/' { None } else { c.to_lowercase().next() };
            rank(x).cmp(&rank(y))
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_natural_order() {
        let mut names = ["s10/1", "b", "s2/10", "s2/9", "img10", "img9", "Img2", "img02", "s2-old", "a1b"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["a1b", "b", "Img2", "img02", "img9", "img10", "s2/9", "s2/10", "s2-old", "s10/1"]);
    }

    #[test]
    fn a_name_loses_its_extension_only() {
        for (relative, stem, extension) in [
            ("s1/3.pgm", "s1/3", Some("pgm")),
            ("a.PNG.gz", "a", Some("png")),
            ("v1.2/readme", "v1.2/readme", None),
            ("ü.gz", "ü", None),
        ] {
            assert_eq!(parts(relative), (stem, extension.map(str::to_string)));
        }
    }
}
