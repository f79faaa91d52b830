//! `partwise consensus`: its files, going on after a kill with the same bits, the files of cNMF, and what it
//! refuses.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{json, numbers, partwise, read_npy, run, stderr, succeed, write_npy};

/// Counts of `n` cells with three programs over `d` genes, with names; the last cell is empty.
fn cells(folder: &Path, n: usize, d: usize) {
    let drawn = numbers(n * d, 3);
    let count = |i: usize, j: usize| {
        let program = (i % 3 == j % 3) as usize as f64;
        let level = 1.0 + (i / 3 % 4) as f64;
        if i + 1 == n {
            0
        } else {
            (level * (0.4 + 6.0 * program * (j % 7) as f64) * drawn[i * d + j]) as u32
        }
    };
    let header: String = (0..d).map(|j| format!(",gene{j}")).collect();
    let row =
        |i: usize| format!("cell{i}{}", (0..d).map(|j| format!(",{}", count(i, j))).collect::<String>());
    let rows: Vec<String> = (0..n).map(row).collect();
    std::fs::write(folder.join("x.csv"), format!("cell{header}\n{}\n", rows.join("\n"))).unwrap();
}

fn text(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// The bytes of all files but those with times in them.
fn results(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let file = |entry: std::fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap())
    };
    entries.map(file).filter(|(name, _)| !matches!(name.as_str(), "run.json" | "report.html")).collect()
}

/// Finished fits that are kept.
fn kept(folder: &Path) -> usize {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries.flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "piece")).count()
}

#[test]
fn the_folder_explains_itself_and_its_tables_agree() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    cells(at, 40, 21);
    let said = succeed(at, "consensus x.csv -k 2-4 --restarts 6 --out out");
    assert!(said.contains("memory: about") && said.contains("the data once"), "{said}");
    let (out, tables) = (at.join("out"), json(at.join("out/consensus.json")));
    assert!(!at.join("out-unfinished").exists(), "finished fits go with the work");
    let readme = text(&out, "README.txt");
    for (name, _) in results(&out) {
        let stem = name.replace("_k3", "_k2").replace("_k4", "_k2").replace(".npy", ".csv");
        assert!(stem == "README.txt" || readme.contains(&stem), "{stem} is not in {readme}");
    }
    assert_eq!(tables.as_array().unwrap().len(), 3);
    for of_k in tables.as_array().unwrap() {
        assert!(said.contains(of_k["explanation"].as_str().unwrap()), "{said}");
        assert_eq!(of_k["fits"], 6);
    }
    assert!(tables[1]["stability"].as_f64().unwrap() > 0.9, "three programs were planted: {tables}");
    let stability = text(&out, "stability.csv");
    assert!(stability.starts_with("k,component,named,share,distance_5,"), "{stability}");
    assert_eq!(stability.lines().count(), 1 + 2 + 3 + 4);
    assert_eq!(text(&out, "consensus.csv").lines().count(), 1 + 3);
    assert!(text(&out, "components_k3.csv").starts_with("component,gene0,gene1,"));
    let components = read_npy(&out.join("components_k3.npy"));
    components.chunks_exact(21).for_each(|row| assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9));
    let codes = read_npy(&out.join("codes_k3.npy"));
    assert_eq!(codes.len(), 40 * 3, "the empty cell keeps its row");
    assert!(codes[39 * 3..].iter().all(|w| *w == 0.0));
    let page = text(&out, "report.html");
    assert!(page.contains("k = 3") && page.contains("gene") && !page.contains("NaN"), "{page}");
    let record = json(out.join("run.json"));
    assert_eq!((&record["command"], &record["fits"]), (&"consensus".into(), &18.into()));
}

#[test]
fn a_killed_run_goes_on_with_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_npy(&at.join("x.npy"), &[200, 80], &numbers(200 * 80, 1));
    let command = "consensus x.npy -k 3-6 --restarts 12 --tol 0 --max-iter 120 --quiet";
    succeed(at, &format!("{command} --out whole"));
    let whole = results(&at.join("whole"));
    let unfinished = at.join("killed-unfinished");
    // Each run is killed with some more finished fits than the one before, the last one is let through.
    for wanted in [0, 1, 9, 17, 40] {
        let arguments = format!("{command} --out killed");
        let mut child = partwise()
            .current_dir(at)
            .args(arguments.split_whitespace())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while kept(&unfinished) < wanted && child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(120), "it makes no progress");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    if !at.join("killed").exists() {
        assert!(kept(&unfinished) >= 40);
        let said = succeed(at, &format!("{} --out killed", command.replace(" --quiet", "")));
        assert!(said.contains("resumed: ") && said.contains("finished fits are in"), "{said}");
    }
    assert!(results(&at.join("killed")) == whole, "the result has the same bits");
    assert!(!unfinished.exists());
}

#[test]
fn fits_of_another_run_are_refused_and_a_time_limit_gives_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_npy(&at.join("x.npy"), &[200, 80], &numbers(200 * 80, 1));
    let command = "consensus x.npy -k 4-5 --tol 0 --max-iter 100 --restarts 30 --out out";
    let late = run(at, &format!("{command} --time-limit 0.000001"));
    let message = stderr(&late);
    assert!(!late.status.success() && message.contains("after 0 of 60 fits"), "{message}");
    assert!(at.join("out-unfinished").exists() && !at.join("out").exists());
    let other = run(at, &format!("{command} --seed 1"));
    let message = stderr(&other);
    assert!(message.contains("finished fits of another run (seed: 0 there, 1 here)"), "{message}");
    // A limit that comes after some fits, however slow the machine is.
    let mut seconds = 0.2;
    loop {
        let limited = run(at, &format!("{command} --time-limit {seconds}"));
        if limited.status.success() {
            let note = stderr(&limited);
            let fits = json(at.join("out/run.json"))["fits"].as_u64().unwrap();
            assert!(
                fits == 60
                    || note.contains("the result is made from these") && kept(&at.join("out-unfinished")) > 0,
                "{note}"
            );
            break;
        }
        seconds *= 2.0;
    }
    // The same command with --force goes on.
    succeed(at, &format!("{command} --force"));
    assert_eq!(json(at.join("out/run.json"))["fits"], 60);
    assert!(!at.join("out-unfinished").exists());
}

#[test]
fn the_files_of_cnmf_have_its_names_and_shapes() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    cells(at, 60, 30);
    for (steps, dt) in [("", "2_0"), (" --steps cnmf --density-threshold 0.5", "0_5")] {
        let command =
            format!("consensus x.csv -k 2,3 --restarts 8 --layout cnmf --genes 20{steps} --out prog --force");
        succeed(at, &command);
        let out = at.join("prog");
        let rows = |name: &str| {
            let table = text(&out, &format!("prog.{name}.txt"));
            let columns = table.lines().next().unwrap().split('\t').count();
            (table.lines().count() - 1, columns - 1)
        };
        assert_eq!(rows(&format!("usages.k_3.dt_{dt}.consensus")), (60, 3), "the empty cell keeps its row");
        assert_eq!(rows(&format!("spectra.k_3.dt_{dt}.consensus")), (3, 20));
        assert_eq!(rows(&format!("gene_spectra_score.k_3.dt_{dt}")), (3, 30));
        assert_eq!(rows(&format!("gene_spectra_tpm.k_2.dt_{dt}")), (2, 30));
        assert_eq!(rows(&format!("starcat_spectra.k_3.dt_{dt}")), (3, 20));
        assert_eq!(text(&out, "prog.overdispersed_genes.txt").split('\n').count(), 20);
        let usages = text(&out, &format!("prog.usages.k_3.dt_{dt}.consensus.txt"));
        assert!(usages.starts_with("\t1\t2\t3\ncell0\t"), "{usages}");
        assert!(text(&out, &format!("prog.starcat_spectra.k_3.dt_{dt}.txt")).contains("\nGEP1\t"));
        assert!(std::fs::read(out.join("prog.k_selection_stats.df.npz")).unwrap().starts_with(b"PK"));
        // Cells of one program use it most: all of a third of them have the same largest usage.
        let largest = |line: &str| {
            let values: Vec<f64> = line.split('\t').skip(1).map(|x| x.parse().unwrap()).collect();
            (0..3).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap()
        };
        let of_cell: Vec<usize> = usages.lines().skip(1).map(largest).collect();
        let agree = (0..59).filter(|i| of_cell[*i] == of_cell[i % 3]).count();
        assert!(agree > 50 && of_cell[0] != of_cell[1] && of_cell[1] != of_cell[2], "{agree}: {of_cell:?}");
        assert!(text(&out, "README.txt").contains("Unit: TPM"));
    }
}

#[test]
fn guidance_names_components_and_k_comes_from_rank_json() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    cells(at, 40, 21);
    std::fs::write(at.join("topics.csv"), "topic,word\nsecond,gene1\nsecond,gene4\n").unwrap();
    std::fs::write(at.join("rank.json"), "{\"rank\": 3}").unwrap();
    succeed(at, "consensus x.csv -k rank.json --restarts 4 --topics topics.csv --out out");
    let stability = text(&at.join("out"), "stability.csv");
    assert!(stability.contains("\n3,second,1,"), "{stability}");
    assert!(text(&at.join("out"), "components_k3.csv").contains("\nsecond,"));
}

#[test]
fn what_can_not_be_done_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    cells(at, 12, 9);
    write_npy(&at.join("zero.npy"), &[6, 5], &[0.0; 30]);
    std::fs::write(at.join("other.json"), "{}").unwrap();
    for (flags, part) in [
        ("x.csv", "-k is required"),
        ("x.csv -k 5-3", "the range 5-3 is empty: write 3-5"),
        ("x.csv -k 0", "1 or more"),
        ("x.csv -k 2-10", "k is 10, but must be at most 9"),
        ("x.csv -k 2 --restarts 0", "restarts is 0, but must be 2 or more"),
        ("x.csv -k 2 --restarts 1", "restarts is 1, but must be 2 or more"),
        ("zero.npy -k 2", "every entry is 0"),
        ("x.csv -k other.json", "not a rank.json"),
        ("x.csv -k missing.json", "cannot read it"),
        ("x.csv -k 2 --genes 5", "only with --layout cnmf"),
        ("x.csv -k 2 --layout cnmf --density-threshold 0.3", "only with --steps cnmf"),
        ("x.csv -k 2 --layout cnmf --scale max", "remove --scale"),
        ("x.csv -k 2 --layout cnmf --steps cnmf --density-threshold 3", "at most 2"),
    ] {
        let output = run(at, &format!("consensus {flags} --out out"));
        let message = stderr(&output);
        assert!(!output.status.success() && message.contains(part), "{flags}: {message}");
        assert!(!at.join("out").exists() && kept(&at.join("out-unfinished")) == 0, "{flags}");
    }
}
