use super::*;

fn parse(files: &[(&str, &str)]) -> Result<CrateTree> {
    CrateTree::parse(Path::new("src/lib.rs"), &mut |file| {
        let found = files.iter().find(|(name, _)| Path::new("src").join(name) == file);
        Ok(found.map(|(_, text)| text.to_string()))
    })
}

/// The paths that the root of a crate of one file mentions, without `use`.
fn paths(text: &str, kind: MentionKind) -> Vec<String> {
    let tree = parse(&[("lib.rs", text)]).unwrap();
    let mentions = tree.modules[0].mentions.iter().filter(|mention| mention.kind == kind);
    mentions.map(|mention| mention.path.join("::")).collect()
}

#[test]
fn every_form_of_use_is_taken_apart() {
    let text = "use crate::{\n    a::{self, b, c as d},\n    e::*,\n};\npub(crate) use super::f;\n\
                fn g() { use self::h; }\n";
    assert_eq!(
        paths(text, MentionKind::Use),
        ["crate::a", "crate::a::b", "crate::a::c", "crate::e", "self::h"]
    );
    assert_eq!(paths(text, MentionKind::Reexport), ["super::f"]);
    let tree = parse(&[("lib.rs", text)]).unwrap();
    assert_eq!(tree.modules[0].aliases["d"], ["crate", "a", "c"]);
    let lines: Vec<usize> = tree.modules[0].mentions.iter().map(|mention| mention.line).collect();
    assert_eq!(lines, [2, 2, 2, 3, 5, 6]);
}

#[test]
fn paths_in_types_calls_patterns_and_bounds_are_seen() {
    let text = "fn f<T: crate::a::Bound>(x: &dyn crate::b::Of<crate::c::D>) -> super::E {\n\
                match x { crate::f::G::H => i(j), _ => crate::k::l::<M>() } }";
    let seen = paths(text, MentionKind::Code);
    for path in ["crate::a::Bound", "crate::b::Of", "crate::c::D", "super::E", "crate::f::G::H", "i", "M"] {
        assert!(seen.contains(&path.to_string()), "{path} in {seen:?}");
    }
    // `j` may be a variable.
    assert!(!seen.contains(&"j".to_string()), "{seen:?}");
}

#[test]
fn paths_in_macros_and_attributes_are_seen_and_single_names_are_not() {
    let text = "fn f() { println!(\"{}\", crate::a::b(C, x.d)); }\n\
                macro_rules! g { () => { $crate::h::i() } }\n\
                #[arg(value_parser = crate::j::k)]\nstruct L;\n";
    let seen = paths(text, MentionKind::Code);
    for path in ["println", "crate::a::b", "crate::h::i", "crate::j::k"] {
        assert!(seen.contains(&path.to_string()), "{path} in {seen:?}");
    }
    assert!(!seen.iter().any(|path| path == "C" || path == "d"), "{seen:?}");
}

#[test]
fn tests_are_left_out() {
    let text = "#[cfg(test)]\nuse crate::a;\n#[test]\nfn b() { crate::c::d(); }\n\
                #[cfg(all(test, unix))]\nmod tests { use crate::e; }\n#[cfg(unix)]\nfn f() { crate::g::h(); }";
    assert_eq!(paths(text, MentionKind::Code), ["crate::g::h"]);
    assert!(paths(text, MentionKind::Use).is_empty());
}

#[test]
fn modules_are_found_in_every_place() {
    let tree = parse(&[
        ("lib.rs", "mod a; mod b { mod c; } #[path = \"other/name.rs\"] mod d; #[cfg(test)] mod t;"),
        ("a/mod.rs", "//! What a does. More of it.\nmod e;"),
        ("a/e.rs", "mod f;"),
        ("a/e/f.rs", ""),
        ("b/c.rs", ""),
        ("other/name.rs", ""),
        ("t.rs", ""),
    ])
    .unwrap();
    let mut found: Vec<String> = tree
        .modules
        .iter()
        .map(|module| format!("{} {}", module.path.join("::"), module.file.display()))
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            " src/lib.rs",
            "a src/a/mod.rs",
            "a::e src/a/e.rs",
            "a::e::f src/a/e/f.rs",
            "b src/lib.rs",
            "b::c src/b/c.rs",
            "d src/other/name.rs",
            "t src/t.rs",
        ]
    );
    let named = |name: &str| tree.modules.iter().find(|module| module.path == [name]).unwrap();
    assert_eq!(named("a").summary, "What a does.");
    assert!(named("t").test && !named("a").test);
}

#[test]
fn a_module_without_a_file_is_a_fault() {
    let fault = parse(&[("lib.rs", "mod gone;")]).unwrap_err();
    assert!(fault.to_string().contains("declares the module gone"), "{fault}");
}
