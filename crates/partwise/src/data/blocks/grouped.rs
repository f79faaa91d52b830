//! [`GroupedBlocks`]: rows summed into groups, block by block. What is made of several rows stays in memory;
//! all other rows are read when they are needed.

use std::ops::Range;
use std::sync::Arc;

use super::{BlockSizes, BlockedMatrix, Part, Processes, RowBlocks, TreeSum};
use crate::data::{DataMatrix, DenseMatrix, RowGroups, SparseMatrix};
use crate::foundation::{Real, Result};

/// See the module. Output rows that are one row each keep the order of these rows; those of several rows may
/// stand anywhere between them.
#[derive(Debug)]
pub(super) struct GroupedBlocks<T: Real> {
    source: Arc<dyn RowBlocks<T>>,
    scale: Vec<f64>,
    /// Of each output row: the input row, where it is only one.
    only: Vec<Option<u32>>,
    /// The output rows that are made of several: their number, and their sum.
    merged: Vec<(u32, MergedRow<T>)>,
    borders: Vec<usize>,
    stored: usize,
}

/// The columns and values that are not 0.
#[derive(Debug)]
struct MergedRow<T> {
    columns: Vec<u32>,
    values: Vec<T>,
}

impl<T: Real> GroupedBlocks<T> {
    pub(super) fn new(data: &BlockedMatrix<T>, groups: &RowGroups) -> Self {
        let rows = groups.scale.len();
        let mut count = vec![0_u32; rows];
        groups.group.iter().for_each(|q| count[*q as usize] += 1);
        assert!(count.iter().all(|n| *n > 0), "each group of rows has at least one sample");
        let mut only = vec![None; rows];
        for (i, q) in groups.group.iter().enumerate() {
            only[*q as usize] = (count[*q as usize] == 1).then_some(i as u32);
        }
        keep_ascending(&mut only);
        let merged = merged_rows(data, groups, &only);
        // Each block of the input becomes one of the output, with what is merged between its rows.
        let input = data.source.borders();
        let mut borders = vec![0];
        for border in &input[1..input.len() - 1] {
            let next = only.iter().position(|i| i.is_some_and(|i| i as usize >= *border));
            borders.push(next.unwrap_or(rows));
        }
        borders.push(rows);
        borders.dedup();
        let of_merged: usize = merged.iter().map(|(_, row)| row.values.len()).sum();
        let stored = match data.is_sparse() {
            // Entries of merged rows are counted where they are; this is an upper bound for the estimates.
            true => data.n_stored() + of_merged,
            false => rows * data.n_features(),
        };
        GroupedBlocks {
            source: Arc::clone(&data.source),
            scale: groups.scale.clone(),
            only,
            merged,
            borders,
            stored,
        }
    }

    /// The blocks of each process: those that are made of its own. One that is made of merged rows alone
    /// goes with the block before it.
    pub(super) fn shares(&self, processes: &Processes) -> Vec<usize> {
        let blocks = self.borders.len() - 1;
        let mut shares = vec![0; processes.size()];
        let mut process = 0;
        for block in 0..blocks {
            let read = self.inputs(self.borders[block]..self.borders[block + 1]).next();
            while read.is_some_and(|read| read >= processes.blocks_of(process).end) {
                process += 1;
                shares[process] = block;
            }
        }
        shares[process + 1..].fill(blocks);
        shares.push(blocks);
        shares
    }

    /// The input blocks that hold the single rows of an output block.
    fn inputs(&self, rows: Range<usize>) -> Range<usize> {
        let place = |i: u32| self.source.borders().partition_point(|border| *border <= i as usize) - 1;
        let mut singles = self.only[rows].iter().flatten();
        match (singles.next(), singles.next_back()) {
            (Some(first), last) => place(*first)..place(*last.unwrap_or(first)) + 1,
            (None, _) => 0..0,
        }
    }
}

/// Leaves out samples that come after a later one, so that the others are in the order of the data. A class
/// with one sample has such a row: classes come first. It is treated as one that is made of several.
fn keep_ascending(only: &mut [Option<u32>]) {
    let mut next = u32::MAX;
    for single in only.iter_mut().rev() {
        match *single {
            Some(sample) if sample < next => next = sample,
            _ => *single = None,
        }
    }
}

/// What a block adds to the rows that are made of several; nothing where it has no sample of them.
struct Sums(Vec<Option<Vec<f64>>>);

impl Part for Sums {
    fn add(&mut self, later: &mut Self) {
        self.0.iter_mut().zip(&mut later.0).for_each(|(one, other)| one.add(other));
    }
}

/// The sums of rows that are merged, in `f64` in the order of the rows, blocks along their tree, times their
/// scale.
fn merged_rows<T: Real>(
    data: &BlockedMatrix<T>,
    groups: &RowGroups,
    only: &[Option<u32>],
) -> Vec<(u32, MergedRow<T>)> {
    let several: Vec<u32> = (0..only.len() as u32).filter(|q| only[*q as usize].is_none()).collect();
    if several.is_empty() {
        return Vec::new();
    }
    let d = data.n_features();
    let mut sum = TreeSum::default();
    data.for_each(|rows, block, _| {
        let mut part = vec![None; several.len()];
        for (at, i) in rows.enumerate() {
            let Ok(place) = several.binary_search(&groups.group[i]) else { continue };
            block.add_row(at, 1.0, part[place].get_or_insert_with(|| vec![0.0; d]));
        }
        sum.add(Sums(part));
    });
    let mut sums = sum.finish().map_or_else(|| vec![None; several.len()], |sums| sums.0);
    if let Some(processes) = data.processes() {
        for sum in &mut sums {
            processes.sum(sum.get_or_insert_with(|| vec![0.0; d]));
        }
    }
    let row = |(q, sum): (u32, Option<Vec<f64>>)| {
        let scale = groups.scale[q as usize];
        let sum = sum.unwrap_or_default();
        let columns: Vec<u32> = (0..).zip(&sum).filter(|(_, x)| **x != 0.0).map(|(j, _)| j).collect();
        let values = columns.iter().map(|j| T::from_f64(sum[*j as usize] * scale)).collect();
        (q, MergedRow { columns, values })
    };
    several.into_iter().zip(sums).map(row).collect()
}

impl<T: Real> RowBlocks<T> for GroupedBlocks<T> {
    fn n_features(&self) -> usize {
        self.source.n_features()
    }

    fn borders(&self) -> &[usize] {
        &self.borders
    }

    fn n_stored(&self) -> usize {
        self.stored
    }

    fn is_sparse(&self) -> bool {
        self.source.is_sparse()
    }

    fn sizes(&self) -> BlockSizes {
        let sizes = self.source.sizes();
        // The block that is grouped, and the vectors that grow to the result.
        BlockSizes { reading: sizes.reading + 2.0 * sizes.bytes, ..sizes }
    }

    fn read(&self, block: usize) -> Result<Box<dyn DataMatrix<T>>> {
        let rows = self.borders[block]..self.borders[block + 1];
        let (d, input) = (self.n_features(), self.inputs(rows.clone()));
        let borders = self.source.borders();
        let first = input.start;
        let inputs = input.map(|block| self.source.read(block)).collect::<Result<Vec<_>>>()?;
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut row = vec![0.0; d];
        let mut push = |columns: &[u32], numbers: &mut dyn Iterator<Item = T>| {
            indices.extend_from_slice(columns);
            values.extend(numbers);
            offsets.push(indices.len());
        };
        for q in rows.clone() {
            let Some(i) = self.only[q] else {
                let place = self.merged.binary_search_by_key(&(q as u32), |(q, _)| *q);
                let (_, merged) = &self.merged[place.expect("a row of several rows is merged")];
                push(&merged.columns, &mut merged.values.iter().copied());
                continue;
            };
            let place = borders.partition_point(|border| *border <= i as usize) - 1;
            let (data, at) = (&inputs[place - first], i as usize - borders[place]);
            let columns = data.non_zero_features(at);
            data.add_row(at, 1.0, &mut row);
            push(&columns, &mut columns.iter().map(|j| T::from_f64(row[*j as usize] * self.scale[q])));
            columns.iter().for_each(|j| row[*j as usize] = 0.0);
        }
        if self.is_sparse() {
            return Ok(Box::new(SparseMatrix::new(rows.len(), d, offsets, indices, values)?));
        }
        let mut dense = vec![T::ZERO; rows.len() * d];
        for (at, dense) in dense.chunks_exact_mut(d).enumerate() {
            let entries = offsets[at]..offsets[at + 1];
            for (j, x) in indices[entries.clone()].iter().zip(&values[entries]) {
                dense[*j as usize] = *x;
            }
        }
        Ok(Box::new(DenseMatrix::new(rows.len(), d, dense)?))
    }
}
