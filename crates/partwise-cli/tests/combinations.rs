//! Promise: whatever stands in a file of guidance, with whatever flags and in whatever command, the program
//! ends with a result (0), a refusal (1 or 2) and never with a panic.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use std::path::Path;

use common::{run, stderr};

/// Choices drawn one after the other.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }

    fn one<'v>(&mut self, of: &[&'v str]) -> &'v str {
        of[self.below(of.len())]
    }

    /// The text, at this many of a hundred.
    fn perhaps(&mut self, percent: usize, text: impl FnOnce(&mut Self) -> String) -> String {
        if self.below(100) < percent { text(self) } else { String::new() }
    }
}

/// Data with names, zeros and a row of nothing, and the files that guidance names.
fn write_files(folder: &Path) {
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).unwrap();
    let mut data = "name,w0,w1,w2,w3,w4,w5\n".to_string();
    let mut draw = Draw(5);
    for i in 0..14 {
        let cell = |draw: &mut Draw| if i == 13 { 0 } else { draw.below(6) };
        let cells: Vec<String> = (0..6).map(|_| cell(&mut draw).to_string()).collect();
        data.push_str(&format!("s{i},{}\n", cells.join(",")));
    }
    write("x.csv", data);
    write("l.csv", "index,label\n0,sport\n1,law\n2,sport\n5,law\n13,law\n".into());
    write("r.csv", "topic,w0,w1,w2,w3,w4,w5\nsport,1,2,0,0,1,0\n".into());
    write("e.csv", "source,target\n0,2\n1,5\n3,13\n".into());
}

/// Guidance of every kind, at random.
fn guidance(draw: &mut Draw) -> String {
    let strengths = ["0", "0.3", "0.9", "1", "\"auto\"", "{ raw = 0.5 }"];
    let strength = |draw: &mut Draw| match draw.below(3) {
        0 => String::new(),
        _ => format!(", strength = {}", draw.one(&strengths)),
    };
    let mut out = draw.perhaps(25, |draw| format!("strength = {}\n", draw.one(&strengths)));
    out += &draw.perhaps(75, |draw| {
        let rule = draw.one(&["view", "view", "components", "same-codes"]);
        let several = draw.perhaps(15, |_| ", per_class = 2".into());
        format!("labels = {{ file = \"l.csv\", rule = \"{rule}\"{several}{} }}\n", strength(draw))
    });
    out += &draw.perhaps(35, |draw| {
        let cannot = draw.perhaps(50, |_| ", cannot = [[3, \"s4\"]]".into());
        format!("links = {{ must = [[\"s1\", 8], [12, \"s6\"], [0, 9]]{cannot}{} }}\n", strength(draw))
    });
    out += &draw.perhaps(25, |draw| format!("references = {{ file = \"r.csv\"{} }}\n", strength(draw)));
    out += &draw.perhaps(30, |draw| match draw.below(2) {
        0 => format!("graph = {{ file = \"e.csv\"{} }}\n", strength(draw)),
        _ => {
            let weights = draw.one(&["binary", "cosine", "self-tuning", "dot"]);
            format!(
                "graph = {{ neighbours = {}, weights = \"{weights}\"{} }}\n",
                1 + draw.below(4),
                strength(draw)
            )
        }
    });
    out += &draw.perhaps(15, |_| "feature_weights = { w1 = 3, w4 = 0 }\n".into());
    for name in ["sport", "a", "law"] {
        out += &draw.perhaps(35, |draw| {
            let seeds =
                draw.one(&["[]", "[\"w1\"]", "[{ word = \"w2\", weight = 5 }, \"w5\"]", "[\"nosuch\"]"]);
            let forbidden = draw.perhaps(30, |_| "forbidden = [\"w3\", \"w4\"]\n".into());
            let own =
                draw.perhaps(40, |draw| format!("strength = {}\n", draw.one(&["0", "0.5", "1", "\"auto\""])));
            format!("[[topics]]\nname = \"{name}\"\nseeds = {seeds}\n{forbidden}{own}")
        });
    }
    out
}

fn flags(draw: &mut Draw) -> String {
    let mut out = format!(" --max-iter {} --threads 1 -q", draw.below(4));
    out += &draw.perhaps(50, |draw| format!(" -k {}", 1 + draw.below(8)));
    let choices: [(usize, &str, &[&str]); 8] = [
        (
            35,
            "--init",
            &[
                "random",
                "nndsvd",
                "nndsvda",
                "nndsvdar",
                "spectral",
                "labels",
                "exemplars",
                "guided",
                "published",
            ],
        ),
        (25, "--first", &["codes", "components"]),
        (25, "--solver", &["hals", "bpp", "mu", "nesterov", "nesterov-running"]),
        (15, "--acceleration", &["on", "off"]),
        (20, "--dtype", &["f32", "f64"]),
        (25, "--loss", &["frobenius", "kullback-leibler"]),
        (15, "--scale", &["unit-rows", "max", "tfidf"]),
        (20, "--l1", &["0.1,0", "0.1,0.1"]),
    ];
    for (percent, flag, values) in choices {
        out += &draw.perhaps(percent, |draw| format!(" {flag} {}", draw.one(values)));
    }
    out
}

#[test]
fn every_file_of_guidance_ends_in_a_result_or_a_refusal() {
    let count = std::env::var("PARTWISE_COMBINATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(150);
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_files(at);
    let (mut fits, mut wrong) = (0, Vec::new());
    for seed in 0..count {
        let mut draw = Draw(seed * 7919 + 3);
        let file = guidance(&mut draw);
        std::fs::write(at.join("g.toml"), &file).unwrap();
        let command = match draw.below(5) {
            0 => "sweep x.csv --guidance g.toml --out out --force --scales 0,1,10",
            _ => "fit x.csv --guidance g.toml --out out --force",
        };
        let command = format!("{command}{}", flags(&mut draw));
        let mut commands = vec![command.clone()];
        if command.starts_with("fit") && draw.below(3) == 0 {
            commands.push("transform out x.csv --out codes --force -q".into());
            commands.push("suggest out".into());
        }
        for (place, command) in commands.iter().enumerate() {
            let output = run(at, command);
            let said = stderr(&output);
            let code = output.status.code();
            let usage = said.contains("unexpected argument") || said.contains("invalid value");
            if !matches!(code, Some(0..=2)) || said.contains("panicked") || usage {
                wrong.push(format!("{seed}: {command}: {code:?} {said}\n{file}"));
            }
            if place == 0 && code != Some(0) {
                break;
            }
            fits += usize::from(code == Some(0));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
    assert!(fits * 4 > count as usize, "only {fits} of {count} are results");
}

/// The labels of a view reach the samples that they belong to, also beside links that put rows together.
#[test]
fn labels_as_a_view_are_served_alone_and_beside_fixed_links() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write_files(at);
    for links in ["", "links = { must = [[\"s1\", 8], [12, \"s6\"], [0, 9]], strength = 1 }\n"] {
        let file = format!("labels = {{ file = \"l.csv\", rule = \"view\" }}\n{links}");
        std::fs::write(at.join("g.toml"), file).unwrap();
        for init in ["", " --init random", " --init nndsvda", " --init guided"] {
            let output = run(at, &format!("fit x.csv --guidance g.toml -k 2 --out out --force -q{init}"));
            assert!(output.status.success(), "{links}{init}: {}", stderr(&output));
        }
    }
}
