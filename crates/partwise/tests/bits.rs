//! Promise: a change of structure changes no bit. The factors of every method × loss × solver × number
//! type × format hash to the numbers in `bits/<instructions>.txt`.
//!
//! A change that is meant to alter results writes the file anew with `PARTWISE_WRITE_BITS=1` and says in the
//! changelog what differs. Sums are ordered by the vector instructions of the machine, so there is one file
//! for each kind; a machine of another kind compares nothing and says so.

// An unwrap that fails is a failed test.
#![allow(clippy::unwrap_used)]
// Saying what was left out is the purpose of the one line.
#![allow(clippy::print_stdout)]

mod common;

use std::fmt::Write as _;
use std::path::PathBuf;

use common::{Case, Example, accepted, cases};
use partwise::solvers::SolverSpec;
use partwise::{DataMatrix, Real, Settings, fit};

/// The vector instructions that decide in which order numbers are added.
fn instructions() -> Option<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        if std::is_x86_feature_detected!("avx512f") {
            return Some("avx512");
        }
        if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma") {
            return Some("avx2");
        }
    }
    None
}

/// FNV-1a over the bits of numbers (f32 widen to f64 without loss).
fn hash<T: Real>(hash: u64, numbers: &[T]) -> u64 {
    let bytes = numbers.iter().flat_map(|number| number.to_f64().to_bits().to_le_bytes());
    bytes.fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The hash of a fit of a few iterations; `None` where the combination is refused as one.
fn hash_of<T: Real>(
    case: &Case,
    example: &Example,
    solver: &SolverSpec,
    data: &dyn DataMatrix<T>,
) -> Option<u64> {
    let settings = Settings {
        solver: solver.choice,
        tolerance: 0.0,
        max_iterations: 8,
        threads: 1,
        ..Settings::new(example.k)
    };
    let fit = accepted(fit(data, &case.model(example), &settings))?;
    let start = hash(hash(0xcbf2_9ce4_8422_2325, fit.codes.as_slice()), fit.components.as_slice());
    Some(fit.further.iter().fold(start, |sum, (_, factor)| hash(sum, factor.as_slice())))
}

fn lines() -> String {
    let mut out = String::new();
    // One of a few rows, one with a whole row and column of zeros, one of several chunks of vectors.
    let examples = [Example::new(14, 9, 4, 5), Example::new(11, 7, 3, 8), Example::new(70, 45, 5, 2)];
    for case in cases() {
        for solver in case.solvers() {
            for example in &examples {
                let shaped = case.example(example);
                let (n, d) = (shaped.n, shaped.d);
                let hashes = [
                    ("f64 dense", hash_of(&case, &shaped, solver, &shaped.dense::<f64>())),
                    ("f64 sparse", hash_of(&case, &shaped, solver, &shaped.sparse::<f64>())),
                    ("f32 dense", hash_of(&case, &shaped, solver, &shaped.dense::<f32>())),
                    ("f32 sparse", hash_of(&case, &shaped, solver, &shaped.sparse::<f32>())),
                ];
                for (kind, hash) in hashes {
                    let hash = hash.map_or("refused".to_string(), |hash| format!("{hash:016x}"));
                    writeln!(out, "{case:?} | {} | {n} x {d} {kind} | {hash}", solver.name).unwrap();
                }
            }
        }
    }
    out
}

#[test]
fn every_method_gives_the_bits_that_it_gave() {
    let Some(instructions) = instructions() else {
        println!("left out: no bits are kept for the vector instructions of this machine");
        return;
    };
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/bits/{instructions}.txt"));
    let found = lines();
    if std::env::var_os("PARTWISE_WRITE_BITS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &found).unwrap();
    }
    let Ok(kept) = std::fs::read_to_string(&file) else {
        println!("left out: there is no {}", file.display());
        return;
    };
    let differ: Vec<&str> = found.lines().filter(|line| !kept.lines().any(|kept| kept == *line)).collect();
    assert!(
        differ.is_empty() && kept.lines().count() == found.lines().count(),
        "{} of {} lines differ, the first:\n{}",
        differ.len(),
        found.lines().count(),
        differ.first().unwrap_or(&"(lines are missing)")
    );
}
