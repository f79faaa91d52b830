//! Runs the experiment of `partwise_eval::protocols::few_labels` on the data sets in the folder `PARTWISE_DATA` and prints one line for
//! each set, draw and method: `set,draw,method,accuracy,nmi,seconds` (wall time).
//!
//! ```text
//! few_labels <first draw>-<last draw> <set>,<set>,… [<method>,<method>,…]
//! ```

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use partwise::{Labels, Matrix};
use partwise_eval::protocols::few_labels::{Draw, METHODS, RawSet, Row, SETS, WITH_WORDS};
use partwise_io::{ReadOptions, Values, read_labels, read_table};

/// The names of the file that holds a set's numbers.
const FILES: [&str; 5] = ["images.npy", "images.npz", "counts.mtx.gz", "values.mtx.gz", "matrix.csv.gz"];

fn read(folder: &Path, name: &str) -> Result<RawSet> {
    let folder = folder.join(name);
    let file = FILES.iter().map(|file| folder.join(file)).find(|path| path.exists());
    let file = file.with_context(|| format!("{} holds none of {FILES:?}", folder.display()))?;
    let values = read_table(&file, &ReadOptions::default())?.values;
    let (n, features) = values.shape();
    let (rows, dense) = match values {
        Values::Dense { values, .. } => {
            let matrix: Matrix<f64> = Matrix::from_vec(n, features, values.into_real())?;
            let row = |i: usize| {
                let entries = matrix.row(i).iter().enumerate().filter(|(_, value)| **value != 0.0);
                entries.map(|(j, value)| (j as u32, *value)).collect()
            };
            ((0..n).map(row).collect(), true)
        }
        Values::Sparse { indptr, indices, values, .. } => {
            let row = |i: usize| (indptr[i]..indptr[i + 1]).map(|at| (indices[at], values.get(at))).collect();
            ((0..n).map(row).collect(), false)
        }
    };
    let labels = read_labels(&folder.join("labels.csv"), n)?;
    let words = words(&folder, &labels.names)?;
    let sets = labels.sets;
    let classes = sets.iter().map(|set| if set.len() == 1 { set[0] as i32 } else { -1 }).collect();
    Ok(RawSet { features, rows, classes, dense, words })
}

/// The terms that are words of each class's name, but for words that several names have; none without a list of terms. Where a set has
/// stems only, the longest one of four letters or more that the word begins with ("busi" for "business").
fn words(folder: &Path, names: &[String]) -> Result<Vec<Vec<u32>>> {
    let path = folder.join("terms.txt");
    if !path.exists() {
        return Ok(Vec::new());
    }
    let terms = std::fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    let place: HashMap<&str, u32> = terms.lines().zip(0..).collect();
    let of = |name: &String| -> Vec<String> {
        name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).filter(|w| !w.is_empty()).collect()
    };
    let all: Vec<String> = names.iter().flat_map(of).collect();
    let own = |word: &String| all.iter().filter(|other| *other == word).count() == 1;
    let term = |word: &String| {
        let beginnings = (4..=word.len()).rev().filter_map(|end| word.get(..end));
        let exact = std::iter::once(word.as_str());
        exact.chain(beginnings).find_map(|term| place.get(term).copied())
    };
    Ok(names.iter().map(|name| of(name).iter().filter(|w| own(w)).filter_map(term).collect()).collect())
}

#[allow(clippy::print_stdout)]
fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (Some(draws), Some(sets)) = (args.first(), args.get(1)) else {
        bail!("usage: few_labels <first draw>-<last draw> <set>,... [<method>,...]");
    };
    let folder = PathBuf::from(std::env::var("PARTWISE_DATA").context("PARTWISE_DATA names no folder")?);
    let (first, last) = draws.split_once('-').context("draws are given as <first>-<last>")?;
    let (first, last): (u64, u64) = (first.parse()?, last.parse()?);
    let wanted: Vec<&str> = args.get(2).map_or(Vec::new(), |methods| methods.split(',').collect());
    for name in sets.split(',') {
        let Some(set) = SETS.iter().find(|set| set.name == name) else {
            let names: Vec<&str> = SETS.iter().map(|set| set.name).collect();
            bail!("no set \"{name}\"; there are {}", names.join(", "));
        };
        let raw = read(&folder, name)?;
        for number in first..=last {
            let draw = Draw::new(&raw, set, number);
            let labels = Labels::from_integers(&draw.given)?;
            let text: &[Row] = if draw.has_words() { WITH_WORDS } else { &[] };
            let methods = METHODS.iter().chain(text);
            for (method, run) in methods.filter(|(m, _)| wanted.is_empty() || wanted.contains(m)) {
                let began = Instant::now();
                let found = run(&draw, &labels)?;
                let seconds = began.elapsed().as_secs_f64();
                let (accuracy, nmi) = draw.score(&found)?;
                println!("{name},{number},{method},{accuracy:.2},{nmi:.2},{seconds:.2}");
            }
        }
    }
    Ok(())
}
