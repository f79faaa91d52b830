//! Data that are read in row blocks, because they don't fit into memory or because --memory says how much
//! there is.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use partwise::blocks::{BlockSizes, BlockedMatrix, RowBlocks, of_fit_in_blocks};
use partwise::memory::{self, DataSize, in_words};
use partwise::{Guidance, Model, Real, Settings};
use partwise_classify::Spreading;
use partwise_io::machine::{available_memory, peak_memory};
use partwise_io::{BLOCK_VALUES, BlockFile, FileBlocks, sha256_of_path};

use crate::input::Source;
use crate::job::Job;
use crate::request::choices::Components;
use crate::request::{FitRequest, Precision};
use crate::shared::Shared;
use crate::words::counted;

/// The number of components that is assumed while it is not known yet.
const USUAL_RANK: usize = 20;

/// The data as a file of row blocks, if they are to be read block by block.
pub(crate) fn file_of(request: &FitRequest) -> Result<Option<BlockFile>> {
    let (path, limit, shared) = (&request.data.path, request.long.memory, request.shared.as_ref());
    let found = match request.data.text {
        Some(_) => None,
        None => BlockFile::open(path, &request.data.options, BLOCK_VALUES)?,
    };
    let Some(file) = found else {
        if let Some(shared) = shared {
            let (name, pwx) = (path.display(), path.with_extension("pwx"));
            bail!(
                "{name}: {} processes share the row blocks of a .pwx file, or of an .h5ad or 10x .h5 file that is \
                 not compressed as a whole, which this is not; `partwise convert {name} {}` writes one",
                shared.transport.size(),
                pwx.display()
            );
        }
        return Ok(None);
    };
    let number = if is_single(&file, request.dtype) { 4 } else { 8 };
    if limit.is_none() && shared.is_none() && fits(&file, number, request) {
        return Ok(None);
    }
    let in_memory_only = [
        (request.similarities.is_some(), "a graph of nearest neighbours in place of the data"),
        (request.degree_normalized, "--degree-normalized"),
        (request.known.missing, "--missing"),
        (request.spread == Spreading::On, "--spread on"),
    ];
    if let Some((_, what)) = in_memory_only.iter().find(|(asked, _)| *asked) {
        let why = match (shared, limit) {
            (Some(_), _) => "several processes share them",
            (None, Some(_)) => "--memory was given",
            (None, None) => "they don't fit into memory",
        };
        bail!("{what} needs all of the data in memory, but they are read in blocks, because {why}");
    }
    if file.is_by_columns() {
        return by_rows(request, file).map(Some);
    }
    Ok(Some(file))
}

/// A matrix that is stored by columns, as row blocks in a temporary file beside the result.
fn by_rows(request: &FitRequest, file: BlockFile) -> Result<BlockFile> {
    let (name, pwx) = (request.data.path.display(), request.data.path.with_extension("pwx"));
    if let Some(shared) = &request.shared {
        bail!(
            "{name}: the matrix is stored by columns, so {} processes can't read rows of it; `partwise convert {name} \
             {}` writes it as row blocks",
            shared.transport.size(),
            pwx.display()
        );
    }
    // The folder that the result will be in, as far as it is there.
    let out = request.write.out();
    let above = out.ancestors().skip(1).find(|folder| folder.is_dir());
    let folder = above.unwrap_or(Path::new("."));
    request.write.verbosity().say(&format!(
        "the matrix is stored by columns: its rows are written to a temporary file in {} first (`partwise convert \
         {name} {}` does so once for several fits)",
        folder.display(),
        pwx.display()
    ));
    Ok(file.transposed(folder)?)
}

/// Whether a fit of the whole file in memory leaves some of what is available.
fn fits(file: &BlockFile, number: usize, request: &FitRequest) -> bool {
    let Some(available) = available_memory() else { return true };
    let (samples, features) = file.shape();
    let (stored, sparse) = (file.n_stored(), file.is_sparse());
    let size = DataSize { samples, features, stored, sparse, number };
    let settings = Settings::new(match request.rank {
        Some(Components::Number(rank)) => rank,
        Some(Components::Auto) | None => USUAL_RANK,
    });
    let needed = memory::of_fit(size, &Model::of(request.method, Guidance::default()), &settings);
    // While the file is read, its last block is there twice.
    needed.bytes() as f64 + size.bytes() + 2.0 * file.largest_block(number) < available as f64
}

/// Whether to compute in f32.
pub(crate) fn is_single(file: &BlockFile, asked: Precision) -> bool {
    asked == Precision::F32 || asked == Precision::Auto && file.precision() == "f32"
}

/// What is known of the file, beside its numbers.
pub(crate) fn source(request: &FitRequest, file: &BlockFile) -> Result<Source> {
    let path = &request.data.path;
    let (rows, columns) = file.shape();
    let image_shape = match request.data.image_shape {
        Some((h, w)) if h.checked_mul(w) != Some(columns) => {
            bail!("--image-shape {h}x{w} does not fit the {columns} features of the data")
        }
        shape => shape.or(file.image_shape()),
    };
    // Process 0 writes it down, also for the others.
    let writes = request.shared.as_ref().is_none_or(Shared::is_first);
    Ok(Source {
        name: path.display().to_string(),
        sha256: if writes { sha256_of_path(path)? } else { String::new() },
        format: file.format().into(),
        layer: request.data.options.layer.clone(),
        rows,
        columns,
        stored: file.n_stored(),
        sparse: file.is_sparse(),
        notes: file.notes().to_vec(),
        row_names: file.row_names().map(<[_]>::to_vec),
        feature_names: file.column_names().map(<[_]>::to_vec),
        image_shape,
        labels: file.labels().map(<[_]>::to_vec),
        ..Source::default()
    })
}

/// The data of a file, each row scaled when it is read.
pub(crate) fn data<T: Real>(
    file: &Arc<BlockFile>,
    scaling: &partwise::Scaling,
    shared: Option<&Shared>,
) -> partwise::Result<BlockedMatrix<T>> {
    let blocks: Arc<dyn RowBlocks<T>> = Arc::new(FileBlocks::new(Arc::clone(file), scaling.clone()));
    match shared {
        None => BlockedMatrix::new(blocks, 0),
        Some(shared) => BlockedMatrix::shared(blocks, 0, Arc::clone(&shared.transport)),
    }
}

/// A name of a row, and that of its topic.
const NAME_BYTES: usize = 200;
/// How many matrices of the size of the codes every loop has beside the codes, which are free by then.
const OTHER_CODES: usize = 2;

/// Decides how many blocks stay in memory, refuses a fit that needs more than there is, and says so before
/// the run. `limit` is that of each process.
pub(crate) fn plan<T: Real>(job: &mut Job<'_, T>, limit: Option<u64>, shared: Option<&Shared>) -> Result<()> {
    let Some(blocks) = job.data.blocks() else { return Ok(()) };
    let on_this_machine = shared.map_or(1, |shared| shared.on_this_machine.max(1) as u64);
    let available = || available_memory().map(|available| available / on_this_machine);
    let Some(limit) = limit.or_else(available) else { return Ok(()) };
    let used = peak_memory().unwrap_or(0);
    let needed = job.memory().bytes() + used + results(job);
    let (sizes, count) = (blocks.sizes(), blocks.own_count());
    if needed > limit {
        bail!(
            "a fit of {} x {} with {} components, read in blocks, needs about {} of memory, but {} may be used; \
             it needs less with fewer components, --dtype f32, or smaller blocks (convert --block-values)",
            job.source.rows,
            job.source.columns,
            job.settings.rank,
            in_words(needed),
            in_words(limit)
        );
    }
    // What is left holds blocks; sparse ones store their columns too.
    let columns = if job.data.is_sparse() { 2.0 } else { 1.0 };
    let with = |kept| {
        let sizes = BlockSizes { kept, ..sizes };
        of_fit_in_blocks(DataSize::of(job.data), sizes, &job.model, &job.settings).bytes()
    };
    let each = (with(columns * sizes.bytes) - with(0.0)).max(1);
    let kept = usize::try_from((limit - needed) / each).unwrap_or(count).min(count);
    blocks.keep(kept);
    let needed = needed + kept as u64 * each;
    job.settings.memory_limit = Some(limit.saturating_sub(used));
    let rest = match count - kept {
        0 => "all blocks stay in memory".to_string(),
        rest => format!("{} read once an iteration", counted(rest, "block is", "blocks are")),
    };
    let each = match shared {
        None => String::new(),
        Some(shared) => {
            format!(" for {}, in each of which", counted(shared.transport.size(), "process", "processes"))
        }
    };
    job.chosen.push(format!(
        "data in {}{each}: about {} of memory of {}; {rest}",
        counted(sizes.count, "block", "blocks"),
        in_words(needed),
        in_words(limit)
    ));
    Ok(())
}

/// Refuses a fit of data that were read as a whole, if it needs more than --memory.
pub(crate) fn check_in_memory<T: Real>(job: &mut Job<'_, T>, path: &Path, limit: u64) -> Result<()> {
    let (needed, used) = (job.memory().bytes(), peak_memory().unwrap_or(0));
    if needed + used > limit {
        let (name, pwx) = (path.display(), path.with_extension("pwx"));
        bail!(
            "{name}: the data in memory and a fit of them need about {}, but {} may be used; `partwise convert \
             {name} {}` writes them as row blocks, which a fit reads one by one",
            in_words(needed + used),
            in_words(limit),
            pwx.display()
        );
    }
    job.settings.memory_limit = Some(limit.saturating_sub(used));
    Ok(())
}

/// Bytes that the result needs while it is written, beyond what the loop needed: the codes of the page in
/// 64 bits, memberships, and the names of the rows and their topics; less what the loop needed for other
/// matrices of the size of the codes.
fn results<T: Real>(job: &Job<'_, T>) -> u64 {
    let (rows, entries) = (job.source.rows, job.source.rows * job.settings.rank);
    let needed = entries * (size_of::<f64>() + size_of::<T>()) + rows * NAME_BYTES;
    needed.saturating_sub(entries * OTHER_CODES * size_of::<T>()) as u64
}
