//! Promise: no bytes make a reader panic, hang, or take memory beyond 20 times the file and 64 MB.
//!
//! Every file of `tests/corpus` is mutated, by bytes and by structure, and read; each mutation also cut short
//! and spliced with another file. The default runs for about 40 seconds of processor time.
//! `PARTWISE_FUZZ_INPUTS=1000000` runs that many inputs instead, and `PARTWISE_FUZZ_SEED=1` others. An input
//! that fails is written to the folder for temporary files of the build, and named. `PARTWISE_FUZZ_FILES=h5`
//! mutates only files with this in their names.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod mutators;
mod readers;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cpu_time::ThreadTime;
use mutators::{Mutator, Random};
use peak_alloc::PeakAlloc;
use readers::{KINDS, Kind};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What an input may take beside 20 times its size.
const ROOM: usize = 64 << 20;
const LONGEST: Duration = Duration::from_secs(5);
const DEFAULT_TIME: Duration = Duration::from_secs(40);

/// A file of the corpus.
struct Seed {
    kind: Kind,
    name: String,
    bytes: Vec<u8>,
}

fn corpus() -> Vec<Seed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut seeds = Vec::new();
    for kind in KINDS {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(root.join(kind.folder())).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files {
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let bytes = std::fs::read(&file).unwrap();
            seeds.push(Seed { kind, name, bytes });
        }
    }
    if cfg!(feature = "hdf5") {
        seeds.extend(cells(&root.join("../cells")));
    }
    seeds
}

/// The files of cells, which are stored compressed.
fn cells(folder: &Path) -> impl Iterator<Item = Seed> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    // The one in Latin-1 is refused.
    files.retain(|file| {
        file.extension().is_some_and(|extension| extension == "gz") && !file.ends_with("latin.h5ad.gz")
    });
    files.into_iter().map(|file| {
        let mut bytes = Vec::new();
        let stored = std::fs::File::open(&file).unwrap();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(stored), &mut bytes).unwrap();
        Seed { kind: Kind::Cells, name: file.file_stem().unwrap().to_string_lossy().into_owned(), bytes }
    })
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(
        text.replace('_', "")
            .parse()
            .unwrap_or_else(|_| panic!("{variable} is {text:?}, but must be a whole number")),
    )
}

/// Aborts, with the input on disk, when one input runs for a minute: a loop without end can't be caught from
/// within.
fn watch(done: Arc<AtomicUsize>, current: PathBuf) {
    std::thread::spawn(move || {
        let mut before = usize::MAX;
        loop {
            std::thread::sleep(Duration::from_secs(60));
            let now = done.load(Ordering::Relaxed);
            if now == before {
                eprintln!("input {now} has run for a minute; see {}", current.display());
                std::process::abort();
            }
            before = now;
        }
    });
}

#[test]
fn every_file_of_the_corpus_is_read() {
    for seed in corpus() {
        assert!(readers::read(seed.kind, &seed.name, &seed.bytes, 0), "{} is not read", seed.name);
    }
}

#[test]
fn mutated_files_neither_panic_nor_hang_nor_take_much_memory() {
    let mut seeds = corpus();
    if let Ok(part) = std::env::var("PARTWISE_FUZZ_FILES") {
        seeds.retain(|seed| seed.name.contains(&part));
    }
    let wanted = number("PARTWISE_FUZZ_INPUTS").map(|count| count as usize);
    let mut random = Random::new(number("PARTWISE_FUZZ_SEED").unwrap_or(0));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let done = Arc::new(AtomicUsize::new(0));
    watch(done.clone(), folder.join("mutations-current"));
    std::panic::set_hook(Box::new(|_| {}));
    let (began, mut faults) = (ThreadTime::now(), Vec::new());
    let (mut read, mut most) = (0, 0);
    while wanted
        .map_or_else(|| began.elapsed() < DEFAULT_TIME, |wanted| done.load(Ordering::Relaxed) < wanted)
    {
        let seed = &seeds[random.below(seeds.len())];
        let other = &seeds[random.below(seeds.len())];
        let mut mutator = Mutator { random: &mut random };
        let mutated = mutator.mutate(&seed.name, &seed.bytes);
        let cut = mutator.truncated(&mutated);
        let spliced = mutator.spliced(&mutated, &other.bytes);
        for bytes in [mutated, cut, spliced] {
            let way = random.below(readers::WAYS);
            let name = if bytes.starts_with(&[0x1f, 0x8b]) {
                format!("{}.gz", seed.name)
            } else {
                seed.name.clone()
            };
            let count = done.fetch_add(1, Ordering::Relaxed);
            MEMORY.reset_peak_usage();
            let (before, clock) = (MEMORY.current_usage(), ThreadTime::now());
            let found = catch_unwind(AssertUnwindSafe(|| readers::read(seed.kind, &name, &bytes, way)));
            let taken = MEMORY.peak_usage().saturating_sub(before);
            most = most.max(taken);
            read += usize::from(matches!(found, Ok(true)));
            let fault = match found {
                Err(panic) => Some(format!("panics: {}", message(panic.as_ref()))),
                Ok(_) if taken > 20 * bytes.len() + ROOM => Some(format!("takes {taken} bytes")),
                Ok(_) if clock.elapsed() > LONGEST => Some(format!("takes {:?}", clock.elapsed())),
                Ok(_) => None,
            };
            if let Some(fault) = fault {
                let path = folder.join(format!("mutation-{count}-{name}"));
                std::fs::write(&path, &bytes).unwrap();
                faults.push(format!("{} ({:?}, way {way}) {fault}", path.display(), seed.kind));
            }
        }
        assert!(faults.len() < 20, "{} inputs, {}", done.load(Ordering::Relaxed), faults.join("\n"));
    }
    let _ = std::panic::take_hook();
    let count = done.load(Ordering::Relaxed);
    println!(
        "{count} inputs, {read} of them read, {} faults, at most {most} bytes; {} panics of the HDF5 crate caught",
        faults.len(),
        readers::CAUGHT.load(Ordering::Relaxed)
    );
    assert!(faults.is_empty(), "{count} inputs:\n{}", faults.join("\n"));
    assert!(read > count / 50, "only {read} of {count} inputs were read: the mutations are too coarse");
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}
