//! `partwise-lab make-blocks`: sparse data with planted parts, in a file of row blocks as large as asked for.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use partwise_io::{DenseValues, Values, write_row_blocks};
use partwise_report::console;
use partwise_report::program::Outcome;

/// The arguments of `partwise-lab make-blocks`.
#[derive(Debug, Args)]
pub struct MakeBlocksArgs {
    /// The file to write.
    out: PathBuf,
    /// How many values are stored, such as 1e9.
    #[arg(long, default_value_t = 1e8)]
    values: f64,
    /// Features.
    #[arg(long, default_value_t = 20_000)]
    features: usize,
    /// Stored values of a row.
    #[arg(long, default_value_t = 1000)]
    per_row: usize,
    /// Planted parts. A row has five times as much in the features of its part.
    #[arg(long, default_value_t = 20)]
    parts: usize,
}

/// The same number for the same place, evenly from 0 to 2⁶⁴ − 1 (splitmix64).
fn random(place: u64) -> u64 {
    let mut z = place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Writes the file.
///
/// # Errors
/// Numbers that don't fit together; what the system reports.
pub fn make_blocks(args: &MakeBlocksArgs) -> Result<Outcome> {
    let MakeBlocksArgs { features, per_row, parts, .. } = *args;
    let rows = (args.values / per_row.max(1) as f64) as usize;
    if rows == 0 || per_row == 0 || per_row > features || parts == 0 || parts > features {
        bail!("a row needs 1 to {features} values, the file at least one row, and 1 to {features} parts");
    }
    if u32::try_from(features).is_err() {
        bail!("--features: at most {}", u32::MAX);
    }
    let starts: Vec<usize> = (0..=rows).map(|row| row * per_row).collect();
    let mut part = |rows: Range<usize>| Ok::<_, io::Error>(made(rows, features, per_row, parts));
    write_row_blocks(&args.out, features, &starts, &mut part)?;
    let stored = rows * per_row;
    console::print(&format!(
        "wrote: {} ({rows} rows × {features} columns, {stored} stored values)",
        args.out.display()
    ));
    Ok(Outcome::Done)
}

/// Rows whose values lie at random distances, spread over all features.
fn made(rows: Range<usize>, features: usize, per_row: usize, parts: usize) -> Values {
    let (count, gap) = (rows.len(), features / per_row);
    let stored = count * per_row;
    let (mut indices, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
    for row in rows {
        let part = random(u64::MAX - row as u64) as usize % parts;
        for entry in 0..per_row {
            let number = random((row * per_row + entry) as u64);
            let column = entry * gap + number as usize % gap;
            let value = (number >> 40) as f32 / (1u64 << 24) as f32 + 0.1;
            indices.push(column as u32);
            values.push(if column * parts / features == part { 5.0 * value } else { value });
        }
    }
    let indptr = (0..=count).map(|row| row * per_row).collect();
    Values::Sparse { rows: count, columns: features, indptr, indices, values: DenseValues::F32(values) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partwise_io::{ReadOptions, read_table};

    #[test]
    fn the_file_has_what_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let args = MakeBlocksArgs {
            out: folder.path().join("x.pwx"),
            values: 12_000.0,
            features: 200,
            per_row: 40,
            parts: 4,
        };
        make_blocks(&args).unwrap();
        let table = read_table(&args.out, &ReadOptions::default()).unwrap();
        assert_eq!(table.values.shape(), (300, 200));
        assert_eq!(table.values, made(0..300, 200, 40, 4));
        assert!(make_blocks(&MakeBlocksArgs { per_row: 300, ..args }).is_err());
    }
}
