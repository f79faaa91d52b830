//! The files of cNMF, under its names: tables separated by tabs as pandas writes and reads them, and the
//! statistics for the choice of k as a data frame in an .npz archive.
//!
//! The result folder is cNMF's `output_dir/name`, so `cNMF(output_dir, name).load_results(...)` reads it.

use std::io::{Cursor, Write};

use csv::{Terminator, WriterBuilder};
use partwise::recipes::{CellPrograms, SelectionRow};
use partwise::{Matrix, Real};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::csv_write::number_text;
use crate::formats::write_npy;

/// The threshold that leaves no component out, as cNMF's file names spell it.
const NO_THRESHOLD: f64 = 2.0;

/// The names of the files of a run that cNMF calls `name`.
#[derive(Clone, Debug)]
pub struct CnmfNames {
    name: String,
    threshold: String,
}

impl CnmfNames {
    /// `threshold`: that of the local density, where there is one.
    pub fn new(name: &str, threshold: Option<f64>) -> Self {
        // Python writes 2.0, not 2.
        let threshold = format!("{:?}", threshold.unwrap_or(NO_THRESHOLD)).replace('.', "_");
        CnmfNames { name: name.into(), threshold }
    }

    fn of_k(&self, what: &str, rank: usize, ending: &str) -> String {
        format!("{}.{what}.k_{rank}.dt_{}{ending}.txt", self.name, self.threshold)
    }

    /// The genes that were factored.
    pub fn genes(&self) -> String {
        format!("{}.overdispersed_genes.txt", self.name)
    }

    /// The statistics for the choice of k.
    pub fn selection(&self) -> String {
        format!("{}.k_selection_stats.df.npz", self.name)
    }

    /// Spectra, usages, scores, TPM and the starCAT reference of one k.
    pub fn matrices(&self, rank: usize) -> [String; 5] {
        [
            self.of_k("spectra", rank, ".consensus"),
            self.of_k("usages", rank, ".consensus"),
            self.of_k("gene_spectra_score", rank, ""),
            self.of_k("gene_spectra_tpm", rank, ""),
            self.of_k("starcat_spectra", rank, ""),
        ]
    }

    /// All files for these k.
    pub fn all(&self, ranks: &[usize]) -> Vec<String> {
        let of_k = ranks.iter().flat_map(|rank| self.matrices(*rank));
        of_k.chain([self.genes(), self.selection()]).collect()
    }
}

/// Which of the five matrices of a k, in the order of [`CnmfNames::matrices`], is written.
///
/// # Errors
/// What `writer` reports.
pub fn write_cnmf_matrix<T: Real>(
    writer: &mut dyn Write,
    which: usize,
    programs: &CellPrograms<T>,
    cells: &[String],
    (all, factored): (&[String], &[String]),
) -> std::io::Result<()> {
    let numbers: Vec<String> = (1..=programs.usages.columns()).map(|c| c.to_string()).collect();
    match which {
        0 => write_frame(writer, &programs.spectra, &numbers, factored),
        1 => write_frame(writer, &programs.usages, cells, &numbers),
        2 => write_frame(writer, &programs.scores, &numbers, all),
        3 => write_frame(writer, &programs.tpm, &numbers, all),
        _ => {
            let names: Vec<String> = numbers.iter().map(|number| format!("GEP{number}")).collect();
            write_frame(writer, &programs.reference, &names, factored)
        }
    }
}

/// A data frame as pandas writes it with tabs. Names are not guarded against formulas: the tools that read
/// these files would not remove an apostrophe.
fn write_frame<T: Real>(
    writer: &mut dyn Write,
    matrix: &Matrix<T>,
    rows: &[String],
    columns: &[String],
) -> std::io::Result<()> {
    let mut writer =
        WriterBuilder::new().delimiter(b'\t').terminator(Terminator::Any(b'\n')).from_writer(writer);
    let blank = String::new();
    writer.write_record(std::iter::once(&blank).chain(columns))?;
    for (i, name) in rows.iter().enumerate() {
        let values = matrix.row(i).iter().map(|value| number_text(*value));
        writer.write_record(std::iter::once(name.clone()).chain(values))?;
    }
    writer.flush()
}

/// Writes the statistics as cNMF does: `load_df_from_npz` reads them.
///
/// # Errors
/// What `writer` reports.
pub fn write_cnmf_selection(
    writer: &mut dyn Write,
    rows: &[SelectionRow],
    threshold: Option<f64>,
) -> std::io::Result<()> {
    let threshold = threshold.unwrap_or(NO_THRESHOLD);
    let data = Matrix::<f64>::from_fn(rows.len(), 4, |i, j| {
        [rows[i].rank as f64, threshold, rows[i].silhouette, rows[i].squared_error][j]
    });
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let begin = |archive: &mut ZipWriter<_>, name: &str| {
        archive.start_file(name, options).map_err(std::io::Error::other)
    };
    begin(&mut archive, "data.npy")?;
    write_npy(&mut archive, &data)?;
    begin(&mut archive, "index.npy")?;
    let index: Vec<u8> = (0..rows.len() as i64).flat_map(i64::to_le_bytes).collect();
    write_array(&mut archive, "<i8", rows.len(), &index)?;
    begin(&mut archive, "columns.npy")?;
    let names = ["k", "local_density_threshold", "silhouette", "prediction_error"];
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
    let code = |name: &str| {
        let padded = name.chars().chain(std::iter::repeat('\0')).take(width).collect::<Vec<_>>();
        padded.into_iter().flat_map(|c| (c as u32).to_le_bytes()).collect::<Vec<u8>>()
    };
    let columns: Vec<u8> = names.iter().flat_map(|name| code(name)).collect();
    write_array(&mut archive, &format!("<U{width}"), names.len(), &columns)?;
    writer.write_all(&archive.finish().map_err(std::io::Error::other)?.into_inner())
}

/// A one-dimensional .npy array of these bytes.
fn write_array(writer: &mut impl Write, descr: &str, count: usize, bytes: &[u8]) -> std::io::Result<()> {
    let dictionary = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({count},), }}");
    // The data are to start at a multiple of 64: magic and length take 10 bytes, the line feed one.
    let padded = (dictionary.len() + 11).next_multiple_of(64) - 11;
    let header = format!("{dictionary:<padded$}\n");
    writer.write_all(b"\x93NUMPY\x01\x00")?;
    writer.write_all(&(header.len() as u16).to_le_bytes())?;
    writer.write_all(header.as_bytes())?;
    writer.write_all(bytes)
}

/// README.txt of such a folder.
pub fn cnmf_readme(names: &CnmfNames, ranks: &[usize], steps: &str) -> String {
    let k = ranks.first().copied().unwrap_or(1);
    let [spectra, usages, score, tpm, starcat] = names.matrices(k);
    let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
    format!(
        "Gene expression programs by Partwise, in the files of cNMF. k = {ranks}.\n\
        Consensus: {steps}.\n\
        Of each matrix there is one per k; the names below are those of k = {k}.\n\
        \n\
        {usages}\n    Usages (cells x programs). Unit: none; divide each row by its sum for fractions of a cell.\n    \
        Use these for plots and comparisons of cells. Cells without a count have usages of 0.\n\
        {score}\n    Scores (programs x all genes). Unit: standard deviations of a gene's TPM per unit of usage.\n    \
        May be negative. Use these to rank marker genes of a program.\n\
        {tpm}\n    Spectra (programs x all genes). Unit: TPM (transcripts per million).\n    \
        Use these to compare how much programs express.\n\
        {spectra}\n    Spectra (programs x factored genes) of counts at unit variance. Unit: fractions, rows sum to 1.\n    \
        The raw consensus; rarely what you want.\n\
        {starcat}\n    The reference for starCAT (programs x factored genes): TPM spectra with sum 1e6, each gene\n    \
        divided by its standard deviation.\n\
        {genes}\n    The genes that were factored, one per line.\n\
        {selection}\n    Per k: silhouette of the components of all fits (-1 to 1), prediction_error (squared error of\n    \
        the counts at unit variance). It does not choose k: see `partwise rank`.\n\
        consensus.csv, stability.csv, consensus.json, report.html\n    \
        How often each program returns from other starts, by the matched consensus of Partwise.\n    \
        stability.csv numbers its components by size; with --steps cnmf this may be another order than\n    \
        that of the files above.\n\
        run.json\n    The data, the settings, and a hash of each file.\n",
        ranks = ranks.join(", "),
        genes = names.genes(),
        selection = names.selection(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_cnmf() {
        let names = CnmfNames::new("worm", Some(0.5));
        assert_eq!(names.matrices(7)[0], "worm.spectra.k_7.dt_0_5.consensus.txt");
        assert_eq!(names.matrices(7)[2], "worm.gene_spectra_score.k_7.dt_0_5.txt");
        assert_eq!(CnmfNames::new("a", None).matrices(3)[1], "a.usages.k_3.dt_2_0.consensus.txt");
        assert_eq!(names.all(&[2, 3]).len(), 12);
    }

    #[test]
    fn frames_have_tabs_and_a_blank_corner() {
        let mut out = Vec::new();
        let matrix = Matrix::from_vec(1, 2, vec![0.5, 1e-9]).unwrap();
        write_frame(&mut out, &matrix, &["=c1".into()], &["1".into(), "2".into()]).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "\t1\t2\n=c1\t0.5\t1e-9\n");
    }
}
