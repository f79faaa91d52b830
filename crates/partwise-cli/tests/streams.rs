//! Promise: what is printed is whole or the exit code says so, nothing printed can steer a terminal, and
//! standard input serves as a file.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{groups, json, partwise, run, stderr, stdout, succeed};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

/// Every command that prints on standard output.
const PRINTING: [&str; 13] = [
    "evaluate first --labels labels.csv",
    "evaluate first --labels labels.csv --json",
    "suggest first",
    "suggest first --json",
    "suggest first --links --json",
    "methods",
    "methods --json",
    "completions bash",
    "fit x.npy -k 2 --max-iter 2 --quiet --json --out OUT",
    "fit x.npy -k 2 --max-iter 2 --out OUT",
    "transform first x.npy --json --out OUT",
    "sweep x.npy --labels labels.csv --max-iter 2 --scales 1 --json --out OUT",
    "fit --help",
];

fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    succeed(folder.path(), "fit x.npy --labels labels.csv --max-iter 3 --quiet --out first");
    folder
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_standard_output_is_an_error_of_every_command() {
    let folder = prepared();
    for (at, command) in PRINTING.iter().enumerate() {
        let command = command.replace("OUT", &format!("out{at}"));
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut process = partwise();
        process.current_dir(folder.path()).args(command.split_whitespace()).stdout(full);
        let output = process.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{command}: {}", stderr(&output));
        assert!(stderr(&output).contains("standard output"), "{command}: {}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_away_ends_every_command_quietly_and_a_result_is_written_all_the_same() {
    let folder = prepared();
    for (at, command) in PRINTING.iter().enumerate() {
        let command = command.replace("OUT", &format!("out{at}"));
        let mut process = partwise();
        process.current_dir(folder.path()).args(command.split_whitespace());
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let child = process.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(141), "{command}: {}", stderr(&output));
        assert!(!stderr(&output).contains("error: "), "{command}: {}", stderr(&output));
        if command.contains("--out") {
            assert!(folder.path().join(format!("out{at}/run.json")).is_file(), "{command}");
        }
    }
}

#[test]
fn the_help_of_every_command_says_what_the_exit_codes_mean() {
    let folder = tempfile::tempdir().unwrap();
    for command in [
        "",
        "fit",
        "classify",
        "transform",
        "sweep",
        "compare",
        "evaluate",
        "suggest",
        "methods",
        "demo",
        "completions",
    ] {
        let help = succeed(folder.path(), &format!("{command} --help"));
        for code in ["Exit codes", "130", "141"] {
            assert!(help.contains(code), "{command}: {help}");
        }
    }
}

fn fed(folder: &Path, arguments: &str, input: &[u8]) -> Output {
    let mut process = partwise();
    process.current_dir(folder).args(arguments.split_whitespace());
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = process.spawn().unwrap();
    // A program that refuses its arguments doesn't read.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn standard_input_serves_as_any_file() {
    let folder = prepared();
    let at = folder.path();
    let file = |name: &str| fs::read(at.join(name)).unwrap();
    fs::write(at.join("ref.csv"), "1,1,1,0,0,0,0,0,0\n0,0,0,1,1,1,0,0,0\n").unwrap();
    fs::write(at.join("topics.csv"), "topic,word\na,0\nb,4\n").unwrap();
    fs::write(at.join("links.csv"), "0,3,must\n0,1,cannot\n").unwrap();
    fs::write(at.join("graph.csv"), "source,target\n0,3\n1,4\n").unwrap();
    fs::write(at.join("terms.txt"), "a\nb\nc\nd\ne\nf\ng\nh\ni\n").unwrap();
    fs::write(at.join("guidance.toml"), "[topics]\nleft = [0, 1]\nright = [4, 5]\n").unwrap();
    let table: String =
        (0..30).map(|i| format!("{}\n", [1, 2, i % 5].map(|v| v.to_string()).join(","))).collect();
    fs::write(at.join("t.csv"), &table).unwrap();
    let weights = "1,1,1,1,1,1,1,1,1\n".repeat(30);
    fs::write(at.join("weights.csv"), weights).unwrap();
    let model = "first/model.safetensors";
    // (arguments with FILE for the input, the file)
    let cases = [
        ("fit FILE -k 2 --max-iter 2 --quiet --out OUT", "x.npy"),
        ("fit FILE --format npy -k 2 --max-iter 2 --quiet --out OUT", "x.npy"),
        ("fit FILE -k 2 --max-iter 2 --quiet --out OUT", "t.csv"),
        ("fit FILE --format csv -k 2 --max-iter 2 --quiet --out OUT", "t.csv"),
        ("fit x.npy --labels FILE --max-iter 2 --quiet --out OUT", "labels.csv"),
        ("classify x.npy --labels FILE --quiet --out OUT", "labels.csv"),
        ("classify FILE --labels labels.csv --quiet --out OUT", "x.npy"),
        ("fit x.npy -k 2 --reference FILE --max-iter 2 --quiet --out OUT", "ref.csv"),
        ("fit x.npy -k 2 --topics FILE --max-iter 2 --quiet --out OUT", "topics.csv"),
        ("fit x.npy -k 2 --links FILE --max-iter 2 --quiet --out OUT", "links.csv"),
        ("fit x.npy -k 2 --graph FILE --method gnmf --max-iter 2 --quiet --out OUT", "graph.csv"),
        ("fit x.npy -k 2 --feature-names FILE --max-iter 2 --quiet --out OUT", "terms.txt"),
        ("fit x.npy -k 2 --guidance FILE --max-iter 2 --quiet --out OUT", "guidance.toml"),
        ("fit x.npy -k 2 --method guided --entry-weights FILE --max-iter 2 --quiet --out OUT", "weights.csv"),
        ("fit x.npy --start FILE --max-iter 2 --quiet --out OUT", model),
        ("transform FILE x.npy --quiet --out OUT", model),
        ("transform first FILE --quiet --out OUT", "x.npy"),
        ("sweep x.npy --labels FILE --max-iter 2 --scales 1 --quiet --out OUT", "labels.csv"),
        ("evaluate first --labels FILE", "labels.csv"),
        ("evaluate FILE --labels labels.csv", model),
        ("suggest FILE", model),
        ("suggest first --labels FILE", "labels.csv"),
    ];
    for (number, (arguments, name)) in cases.iter().enumerate() {
        let (named, piped) = (format!("named{number}"), format!("piped{number}"));
        let expected = run(at, &arguments.replace("FILE", name).replace("OUT", &named));
        assert!(expected.status.success(), "{arguments}: {}", stderr(&expected));
        let output = fed(at, &arguments.replace("FILE", "-").replace("OUT", &piped), &file(name));
        assert!(output.status.success(), "{arguments}: {}", stderr(&output));
        assert_eq!(stdout(&output), stdout(&expected), "{arguments}");
        if arguments.contains("OUT") {
            let table = if arguments.starts_with("sweep") { "sweep.csv" } else { "memberships.csv" };
            assert_eq!(file(&format!("{piped}/{table}")), file(&format!("{named}/{table}")), "{arguments}");
        }
    }
}

#[test]
fn standard_input_is_one_file_and_standard_output_is_no_folder() {
    let folder = prepared();
    let at = folder.path();
    for (arguments, said) in [
        ("fit - --labels - --out o", "the data and --labels"),
        ("classify - --labels - --out o", "the data and --labels"),
        ("fit - -k 2 --start - --out o", "the data and --start"),
        ("fit x.npy --topics - --links - --graph - -k 2 --out o", "--topics and --links and --graph"),
        ("sweep - --labels - --out o", "the data and --labels"),
        ("transform - - --out o", "the model and the data"),
        ("evaluate - --labels -", "the result and --labels"),
        ("suggest - --labels -", "the result and --labels"),
    ] {
        let output = fed(at, arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(
            stderr(&output).contains("only one file can be read from standard input"),
            "{}",
            stderr(&output)
        );
        assert!(stderr(&output).contains(said), "{arguments}: {}", stderr(&output));
    }
    for command in [
        "fit x.npy -k 2",
        "sweep x.npy --labels labels.csv",
        "classify x.npy --labels labels.csv",
        "transform first x.npy",
        "demo",
    ] {
        let output = run(at, &format!("{command} --out -"));
        assert_eq!(output.status.code(), Some(2), "{command}");
        assert!(stderr(&output).contains("they need a folder, not standard output"), "{}", stderr(&output));
        assert!(!at.join("-").exists());
    }
    assert!(stderr(&fed(at, "fit - -k 2 --out o", b"")).contains("standard input: the file is empty"));
}

const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31mname";

/// No byte sequence that a terminal would obey.
fn assert_harmless(output: &Output, what: &str) {
    for text in [stdout(output), stderr(output)] {
        let bad = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(bad, None, "{what}: {text:?}");
    }
}

#[test]
fn names_can_not_steer_the_terminal_in_any_output() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    let labels: String = (0..12).map(|i| format!("{i},{}{}\n", HOSTILE, i % 3)).collect();
    fs::write(at.join("evil.csv"), format!("index,label\n{labels}")).unwrap();
    let rows: String = (0..6).map(|i| format!("{HOSTILE}{i},{},{}\n", i % 2, (i + 1) % 2)).collect();
    fs::write(at.join("data.csv"), format!("id,{HOSTILE}a,{HOSTILE}b\n{rows}")).unwrap();
    fs::write(at.join("bad.csv"), format!("id,a\nx,{HOSTILE}\ny,1\nz,2\nv,3\n")).unwrap();
    fs::write(at.join("links.csv"), format!("{HOSTILE}9,{HOSTILE}1,must\n")).unwrap();
    let format = format!("fit x.npy -k 2 --out o --format {HOSTILE}");
    for arguments in [
        "fit x.npy --labels evil.csv --out labelled",
        "classify x.npy --labels evil.csv --out classified",
        "fit x.npy --labels evil.csv --method guided --out guided",
        "evaluate labelled --labels evil.csv",
        "evaluate labelled --labels evil.csv --json",
        "evaluate guided --labels labels.csv",
        "suggest labelled",
        "suggest labelled --json",
        "fit x.npy --labels evil.csv --quiet --json --out quiet",
        "sweep x.npy --labels evil.csv --scales 1 --out sweep",
        "fit data.csv -k 2 --out data",
        "fit data.csv -k 2 --links links.csv --out linked",
        "fit bad.csv -k 1 --out bad",
        "fit x.npy -k 2 --label-column evil --labels evil.csv --out column",
        format.as_str(),
    ] {
        let output = run(at, arguments);
        assert_harmless(&output, arguments);
        if arguments.contains("--json") {
            let found: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
            assert!(found.to_string().contains("name0"), "{arguments}");
        }
    }
    // The names themselves are as they were.
    let names = &json(at.join("labelled/run.json"))["guidance"]["labels"]["class_names"];
    assert_eq!(names[0], format!("{HOSTILE}0"));
    let printed: serde_json::Value =
        serde_json::from_str(&stdout(&run(at, "evaluate labelled --labels evil.csv --json"))).unwrap();
    assert_eq!(printed["class_names"][0], format!("{HOSTILE}0"));
}

#[test]
fn the_report_shows_hostile_names_as_text_and_lets_nothing_run_or_load() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    groups(at);
    let attack = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'&</style></title>";
    let quoted = attack.replace('"', "\"\"");
    let labels: String = (0..12).map(|i| format!("{i},\"{quoted}{}\"\n", i % 3)).collect();
    fs::write(at.join("evil.csv"), format!("index,label\n{labels}")).unwrap();
    let rows: String = (0..8).map(|i| format!("\"{quoted}r{i}\",{},{}\n", i % 2, (i + 1) % 2)).collect();
    let named = format!("<b>{}", "data.csv");
    fs::write(at.join(&named), format!("id,\"{quoted}a\",\"{quoted}b\"\n{rows}")).unwrap();
    fs::write(
        at.join("links.csv"),
        format!("\"{quoted}r0\",\"{quoted}r1\",must\n\"{quoted}r0\",\"{quoted}r2\",cannot\n"),
    )
    .unwrap();
    for arguments in [
        "fit x.npy --labels evil.csv --out o1".to_string(),
        "fit x.npy --labels evil.csv --method guided --out o2".to_string(),
        "sweep x.npy --labels evil.csv --scales 1 --out o3".to_string(),
        format!("fit {named} -k 2 --out o4"),
        format!("fit {named} -k 2 --links links.csv --out o5"),
    ] {
        succeed(at, &arguments);
        let out = arguments.rsplit(' ').next().unwrap();
        let page = fs::read_to_string(at.join(out).join("report.html")).unwrap();
        for markup in ["<img src=x", "<script>alert", "onerror=alert(1)>", "<b>data", "</style></title>"] {
            assert!(!page.contains(markup), "{arguments}: {markup}");
        }
        // The page of a fit has one script, which the policy names by its hash; no other page has any.
        let scripts = usize::from(arguments.starts_with("fit"));
        assert_eq!(page.matches("<script").count(), scripts, "{arguments}");
        assert_eq!(page.matches("script-src 'sha256-").count(), scripts, "{arguments}");
        let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';";
        assert!(page.find(policy).is_some_and(|at| at < page.find("<style").unwrap()), "{arguments}");
        // What the policy must allow, and nothing besides.
        for loaded in ["src=\"", "href=\""] {
            for (at, _) in page.match_indices(loaded) {
                assert!(
                    page[at + loaded.len()..].starts_with("data:image/png;base64,"),
                    "{}",
                    &page[at..at + 40]
                );
            }
        }
    }
}

#[test]
fn a_number_out_of_range_is_refused_with_the_range() {
    let folder = tempfile::tempdir().unwrap();
    groups(folder.path());
    let whole = "whole number";
    for (flags, said) in [
        ("--threads", whole),
        ("--seed", whole),
        ("--max-iter", whole),
        ("-k", "1 or more"),
        ("--inner", "1 or more"),
        ("--graph-neighbours", "1 or more"),
        ("--labels-per-class", "1 or more"),
        ("--tol", "below 1"),
        ("--time-limit", "above 0"),
        ("--heat-width", "above 0"),
        ("--svm-cost", "positive"),
        ("--graph-weight", "0 or more"),
        ("--label-weight", "0 or more"),
        ("--coupling", "0 or more"),
        ("--margin-weight", "0 or more"),
        ("--delta", "from 0 (no smoothing) to 1"),
        ("--strength", "0 or more"),
        ("--l1", "0 or more"),
        ("--l2", "0 or more"),
    ] {
        for value in ["many", "1e5x", "0x10"] {
            let output = run(folder.path(), &format!("fit x.npy --out o {flags} {value}"));
            assert_eq!(output.status.code(), Some(2));
            assert!(stderr(&output).contains(said), "{flags} {value}: {}", stderr(&output));
        }
        if said == whole || said == "1 or more" {
            for value in ["-1", "1.5", "99999999999999999999999"] {
                let output = run(folder.path(), &format!("fit x.npy --out o {flags} {value}"));
                assert!(stderr(&output).contains(said), "{flags} {value}: {}", stderr(&output));
            }
        }
    }
}
