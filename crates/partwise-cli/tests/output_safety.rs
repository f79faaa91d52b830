//! Promise: every command replaces only what Partwise wrote, refuses what it may not touch before it works,
//! and two runs into one folder never lose or mix a result.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{groups, json, numbers, partwise, run, stderr, succeed, write_npy};
use std::fs;
use std::path::Path;

/// Every command that writes a folder of results with --force.
const FORCED: [&str; 5] = [
    "fit x.npy -k 2 --max-iter 3 --quiet --out out --force",
    "classify x.npy --labels labels.csv --quiet --out out --force",
    "transform first x.npy --quiet --out out --force",
    "sweep x.npy --labels labels.csv --max-iter 3 --scales 1 --quiet --out out --force",
    "fit x.npy --labels labels.csv --method guided -k 3 --max-iter 3 --quiet --out out --force",
];

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    succeed(folder.path(), "fit x.npy -k 2 --max-iter 3 --quiet --out first");
    folder
}

#[test]
fn force_leaves_every_file_that_partwise_did_not_write() {
    for command in FORCED {
        let folder = prepared();
        let out = folder.path().join("out");
        succeed(folder.path(), command);
        fs::create_dir_all(out.join(".git/objects")).unwrap();
        for file in ["thesis.md", ".git/objects/ab", ".git/HEAD", "mydata.csv"] {
            fs::write(out.join(file), "mine").unwrap();
        }
        succeed(folder.path(), command);
        for file in ["thesis.md", ".git/objects/ab", ".git/HEAD", "mydata.csv"] {
            assert_eq!(fs::read_to_string(out.join(file)).unwrap(), "mine", "{command}");
        }
        let listed: Vec<String> =
            json(out.join("run.json"))["files"].as_object().unwrap().keys().cloned().collect();
        let mut expected = listed.clone();
        expected.extend([".git", "mydata.csv", "run.json", "thesis.md"].map(str::to_string));
        expected.sort();
        assert_eq!(names(&out), expected, "{command}");
        assert!(!listed.is_empty());
    }
}

#[test]
fn every_command_makes_the_folders_that_are_missing_on_the_way() {
    for command in FORCED {
        for force in ["", " --force"] {
            let folder = prepared();
            let deep = command.replace(" --out out --force", &format!(" --out deep/er/out{force}"));
            succeed(folder.path(), &deep);
            assert!(folder.path().join("deep/er/out/run.json").is_file(), "{deep}");
            assert_eq!(names(&folder.path().join("deep/er")), ["out"], "{deep}");
        }
    }
}

#[test]
fn a_result_of_another_command_is_replaced_whole() {
    let folder = prepared();
    let out = folder.path().join("out");
    for command in FORCED {
        succeed(folder.path(), command);
        let mut listed: Vec<String> =
            json(out.join("run.json"))["files"].as_object().unwrap().keys().cloned().collect();
        listed.push("run.json".into());
        listed.sort();
        assert_eq!(names(&out), listed, "{command}");
    }
}

#[test]
fn folders_and_files_that_are_not_ours_are_refused_before_the_work() {
    for command in FORCED {
        let folder = prepared();
        let out = folder.path().join("out");
        fs::create_dir_all(out.join(".git")).unwrap();
        fs::write(out.join("run.json"), "{\"scripts\": {}}").unwrap();
        fs::write(out.join("thesis.md"), "mine").unwrap();
        // Data that can't be read: a message on the folder shows that it was looked at first.
        fs::write(folder.path().join("x.npy"), "broken").unwrap();
        let output = run(folder.path(), command);
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(
            stderr(&output).contains("run.json was not written by Partwise"),
            "{command}: {}",
            stderr(&output)
        );
        assert_eq!(names(&out), [".git", "run.json", "thesis.md"], "{command}");
        fs::remove_dir_all(&out).unwrap();
        fs::write(&out, "a file").unwrap();
        let output = run(folder.path(), command);
        assert!(stderr(&output).contains("it is a file"), "{command}: {}", stderr(&output));
        assert_eq!(fs::read_to_string(&out).unwrap(), "a file");
    }
}

#[test]
fn an_input_that_lies_in_the_replaced_folder_stays() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.csv"), "1,0,2\n0,3,1\n2,0,4\n").unwrap();
    succeed(folder.path(), "fit x.csv -k 2 --quiet --out r");
    fs::copy(folder.path().join("x.csv"), folder.path().join("r/mydata.csv")).unwrap();
    succeed(folder.path(), "fit r/mydata.csv -k 2 --quiet --out r --force");
    assert!(folder.path().join("r/mydata.csv").is_file());
}

#[test]
fn a_result_of_version_0_1_0_is_replaced_by_its_names() {
    let folder = prepared();
    let out = folder.path().join("first");
    let mut record = json(out.join("run.json"));
    record.as_object_mut().unwrap().remove("files");
    fs::write(out.join("run.json"), record.to_string()).unwrap();
    // That version wrote no picture.
    fs::remove_file(out.join("components.png")).unwrap();
    fs::write(out.join("guidance_report.csv"), "of a guided fit").unwrap();
    fs::write(out.join("notes.md"), "mine").unwrap();
    succeed(folder.path(), "transform first x.npy --quiet --out t");
    succeed(folder.path(), "classify x.npy --labels labels.csv --quiet --out first --force");
    // What a classification also writes is new; the report of the guidance is gone.
    let expected = [
        "codes.csv",
        "codes.npy",
        "components.csv",
        "components.npy",
        "memberships.csv",
        "memberships.npy",
        "model.safetensors",
        "notes.md",
        "report.html",
        "run.json",
    ];
    assert_eq!(names(&out), expected);
}

#[test]
fn the_demo_replaces_its_own_files_and_leaves_others() {
    let folder = tempfile::tempdir().unwrap();
    let demo = "demo --max-iter 1 --out shown";
    succeed(folder.path(), demo);
    let out = folder.path().join("shown");
    fs::write(out.join("notes.md"), "mine").unwrap();
    succeed(folder.path(), demo);
    assert_eq!(fs::read_to_string(out.join("notes.md")).unwrap(), "mine");
    // The result of another command is replaced only on request.
    fs::remove_file(out.join(".partwise-demo")).unwrap();
    let refused = stderr(&run(folder.path(), demo));
    assert!(refused.contains("was not written by the demo") && refused.contains("--force"), "{refused}");
    succeed(folder.path(), &format!("{demo} --force"));
    assert_eq!(fs::read_to_string(out.join("notes.md")).unwrap(), "mine");
    fs::write(out.join("report.html"), "mine").unwrap();
    let output = run(folder.path(), demo);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("report.html: it was changed"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(out.join("report.html")).unwrap(), "mine");
}

/// A killed container and the next one have equal process ids: the leftover has the very name that the
/// version before chose.
#[cfg(unix)]
#[test]
fn a_leftover_of_a_process_with_the_same_id_is_not_in_the_way() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    let program = env!("CARGO_BIN_EXE_partwise");
    let script = format!(
        "for n in 0 1 2 3; do mkdir .out.partial-$$-$n; done; exec {program} fit x.npy -k 2 --max-iter 3 --quiet --out out"
    );
    let mut shell = std::process::Command::new("bash");
    let output = shell.args(["-c", &script]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(folder.path().join("out/run.json").is_file());
}

/// Many runs into one folder, begun together: those that don't win are told, and what is there in the end is
/// one whole result.
#[test]
fn runs_into_one_folder_at_once_leave_one_whole_result() {
    for force in ["", " --force"] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        write_npy(&at.join("x.npy"), &[400, 30], &numbers(12_000, 3));
        if !force.is_empty() {
            succeed(at, "fit x.npy -k 2 --max-iter 1 --quiet --out out");
        }
        let begin = |seed: usize| {
            let arguments = format!(
                "fit x.npy -k 5 --init random --seed {seed} --max-iter 20 --threads 1 --quiet --out out{force}"
            );
            let mut command = partwise();
            command.current_dir(at).args(arguments.split_whitespace()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        };
        let runs: Vec<_> = (0..6).map(begin).collect();
        let outputs: Vec<_> = runs.into_iter().map(|run| run.wait_with_output().unwrap()).collect();
        let done = outputs.iter().filter(|output| output.status.success()).count();
        assert!(done >= 1, "{}", stderr(&outputs[0]));
        for output in outputs.iter().filter(|output| !output.status.success()) {
            let said = stderr(output);
            assert_eq!(output.status.code(), Some(2), "{said}");
            assert!(
                said.contains("another run of Partwise is writing it") || said.contains("already exists"),
                "{said}"
            );
        }
        let record = json(at.join("out/run.json"));
        for (name, file) in record["files"].as_object().unwrap() {
            let content = fs::read(at.join("out").join(name)).unwrap();
            assert_eq!(file["sha256"], partwise_io::sha256_hex(&content), "{name} is of this result");
        }
        assert_eq!(names(at), ["out", "x.npy"]);
    }
}

/// A run that is killed, and then the next.
#[cfg(unix)]
#[test]
fn what_a_killed_run_left_is_removed_by_the_next() {
    use std::io::{BufRead, BufReader};
    for exists in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        write_npy(&at.join("x.npy"), &[400, 100], &numbers(40_000, 3));
        let force = if exists { " --force" } else { "" };
        if exists {
            succeed(at, "fit x.npy -k 2 --max-iter 1 --quiet --out out");
        }
        let mut child = partwise()
            .current_dir(at)
            .args(format!("fit x.npy -k 8 --tol 0 --max-iter 100000000 --out out{force}").split_whitespace())
            .stderr(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().contains("iteration ")), "the fit began");
        child.kill().unwrap();
        child.wait().unwrap();
        let place = if exists { at.join("out") } else { at.to_path_buf() };
        assert!(names(&place).iter().any(|name| name.contains("partwise-")), "{:?}", names(&place));
        if exists {
            assert_eq!(json(at.join("out/run.json"))["settings"]["rank"], 2, "the old result stays");
        }
        succeed(at, &format!("fit x.npy -k 3 --max-iter 1 --quiet --out out{force}"));
        assert_eq!(json(at.join("out/run.json"))["settings"]["rank"], 3);
        assert_eq!(names(at), ["out", "x.npy"]);
        assert!(!names(&at.join("out")).iter().any(|name| name.starts_with('.')));
    }
}

/// A folder that can't be renamed, as a volume of a container.
#[cfg(target_os = "linux")]
#[test]
fn a_mount_point_is_written_into() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    fs::create_dir(at.join("out")).unwrap();
    let mount = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=20m", "tmpfs"])
        .arg(at.join("out"))
        .output();
    if !mount.is_ok_and(|output| output.status.success()) {
        eprintln!("left out: this process may not mount anything");
        return;
    }
    let outputs: Vec<_> =
        (0..2).map(|_| run(at, "fit x.npy -k 2 --max-iter 3 --quiet --out out --force")).collect();
    let found = names(&at.join("out"));
    assert!(std::process::Command::new("umount").arg(at.join("out")).status().unwrap().success());
    for output in outputs {
        assert!(output.status.success(), "{}", stderr(&output));
    }
    assert!(
        found.contains(&"run.json".to_string()) && found.contains(&"model.safetensors".to_string()),
        "{found:?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_place_that_can_not_be_written_is_refused_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    // Neither data nor folder are right; the folder is said.
    fs::write(folder.path().join("x.npy"), "broken").unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for out in ["/proc/partwise-out", "file/out", "/proc/sys/out/deep"] {
        let output = run(folder.path(), &format!("fit x.npy -k 2 --out {out}"));
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("cannot") && !said.contains("x.npy"), "{said}");
    }
}
