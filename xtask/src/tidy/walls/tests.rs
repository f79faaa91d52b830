use super::*;

const LIST: &str = "\
# What the list is.

# The crates.
[crates]
# The library.
partwise = []

[modules.partwise]

# Layer 0
# Numbers.
real = []

# Layer 1
# The loop.
fit = [\"real\"]
";

fn edges(pairs: &[(&str, &str)]) -> Edges {
    let place = |user: &str| Place { file: format!("{user}.rs"), line: 7, path: "p".into(), is_use: true };
    pairs.iter().map(|(user, used)| ((user.to_string(), used.to_string()), vec![place(user)])).collect()
}

fn messages(findings: &[(String, Finding)]) -> Vec<String> {
    let shown = |(file, finding): &(String, Finding)| format!("{file}:{} {}", finding.line, finding.message);
    findings.iter().map(shown).collect()
}

#[test]
fn the_list_is_written_as_it_was_read() {
    let walls = Walls::parse(LIST).unwrap();
    let again = walls.to_text();
    assert_eq!(Walls::parse(&again).unwrap().to_text(), again);
    for line in LIST.lines().filter(|line| !line.is_empty()) {
        assert!(again.lines().any(|other| other == line), "{line} is missing in\n{again}");
    }
}

#[test]
fn an_edge_that_is_not_listed_and_a_listed_one_that_is_gone_fail() {
    let table = Walls::parse(LIST).unwrap().table("modules.partwise");
    let modules = ["real", "fit"];
    assert!(table.compare_modules("partwise", &modules, &edges(&[("fit", "real")])).is_empty());
    let found = messages(&table.compare_modules("partwise", &modules, &edges(&[("real", "fit")])));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("xtask/walls.toml:16 fit no longer uses real"), "{found:?}");
    assert!(found[1].starts_with("real.rs:7 real may not use fit"), "{found:?}");
}

#[test]
fn the_list_names_exactly_the_modules_that_exist() {
    let table = Walls::parse(LIST).unwrap().table("modules.partwise");
    let found = messages(&table.compare_modules("partwise", &["fit", "new"], &edges(&[("fit", "real")])));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("the module new is not listed"));
    assert!(found[1].contains("partwise has no module real"));
}

#[test]
fn writing_keeps_reasons_and_takes_those_of_new_modules_from_their_documentation() {
    let mut walls = Walls::parse(LIST).unwrap();
    let modules = BTreeMap::from([("real", "Other words."), ("fit", ""), ("new", "Does it.")]);
    let table = walls.table("modules.partwise");
    walls.set("modules.partwise", table.with_modules(&modules, &edges(&[("real", "new")])));
    let text = walls.to_text();
    let lists =
        "# Layer 0\n# The loop.\nfit = []\n# Does it.\nnew = []\n\n# Layer 1\n# Numbers.\nreal = [\"new\"]";
    assert!(text.contains(lists), "{text}");
}

#[test]
fn outside_paths_stay_in_their_modules() {
    let walls = Walls::parse("[outside.partwise]\n# One pool.\n\"std::thread\" = [\"pool\"]\n").unwrap();
    let table = walls.table("outside.partwise");
    let place = Place { file: "fit.rs".into(), line: 3, path: "std::thread::spawn".into(), is_use: false };
    let users =
        BTreeMap::from([("std::thread".to_string(), BTreeMap::from([("fit".to_string(), vec![place])]))]);
    let found = messages(&table.compare_outside(&users));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0], "fit.rs:3 fit may not name std::thread, only pool may");
    assert!(table.with_outside(&users).lines["std::thread"].names.contains("fit"));
}

#[test]
fn dependencies_of_every_kind_and_spelling_are_found() {
    let crates: BTreeSet<String> = ["a", "b", "c", "d"].map(String::from).into();
    let manifest = "[dependencies]\na.workspace = true\nserde = \"1\"\n[dev-dependencies]\nb = { path = \"b\" }\n\
                    [target.'cfg(unix)'.dependencies]\nother = { package = \"c\", version = \"1\" }\n";
    let used = dependencies(manifest, &crates).unwrap();
    assert_eq!(used.into_iter().collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn crates_are_compared_and_absent_ones_named() {
    let walls = Walls::parse("[crates]\n# A.\na = [\"b\", \"later\"]\n# B.\nb = [\"a\"]\n# L.\nlater = []\n")
        .unwrap();
    let crates = BTreeMap::from([
        ("a".to_string(), BTreeSet::from(["b".to_string()])),
        ("b".to_string(), BTreeSet::new()),
        ("c".to_string(), BTreeSet::new()),
    ]);
    let (found, absent) = walls.table("crates").compare_crates(&crates);
    let found = messages(&found);
    assert_eq!(absent, ["later"]);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("b does not depend on a"));
    assert!(found[1].contains("the crate c is not listed"));
}
