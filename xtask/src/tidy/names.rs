//! The names of the methods: where the registry says them, and where else they are spelled as string
//! literals.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use anyhow::{Context, Result};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Expr, Item, Lit, Meta};

use super::attributes::{attributes, is_test};
use super::python_source::PythonSource;
use super::workspace;

/// The folders of the library with one method a file.
const METHOD_FOLDERS: [&str; 2] = ["crates/partwise/src/methods", "crates/partwise/src/models"];

/// The crates of experiments and comparisons, which name methods as they like.
const LABORATORY: [&str; 1] = ["crates/partwise-lab"];

/// Other folders that may spell names of methods: benchmarks, generators of pages, these commands.
const MAY_SPELL: [&str; 3] = ["bench", "docs", "xtask"];

/// The names in the values `…Spec { name: …, … }` of the files with one method each.
pub(super) fn registry(root: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for file in workspace::files(root, &["rs"])? {
        if METHOD_FOLDERS.iter().any(|folder| file.starts_with(folder)) {
            let text = workspace::read(&root.join(&file))?;
            names.extend(spec_names(&text).with_context(|| format!("{} is not valid Rust", file.display()))?);
        }
    }
    Ok(names)
}

fn spec_names(text: &str) -> Result<BTreeSet<String>> {
    let file = syn::parse_file(text)?;
    let mut specs = Specs::default();
    specs.visit_file(&file);
    let Specs { constants, literal, by_constant } = specs;
    let constants = by_constant.iter().filter_map(|name| constants.get(name).cloned());
    Ok(literal.into_iter().chain(constants).filter(|name| !name.is_empty()).collect())
}

#[derive(Default)]
struct Specs {
    /// The texts of `const NAME: &str = "…"`.
    constants: BTreeMap<String, String>,
    literal: BTreeSet<String>,
    by_constant: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Specs {
    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        if let Some(text) = text_of(&item.expr) {
            self.constants.insert(item.ident.to_string(), text);
        }
        visit::visit_item_const(self, item);
    }

    fn visit_expr_struct(&mut self, value: &'ast syn::ExprStruct) {
        let is_spec = value.path.segments.last().is_some_and(|last| last.ident.to_string().ends_with("Spec"));
        let named =
            |field: &&syn::FieldValue| matches!(&field.member, syn::Member::Named(name) if name == "name");
        if let Some(field) = value.fields.iter().find(named).filter(|_| is_spec) {
            self.literal.extend(text_of(&field.expr));
            if let Expr::Path(path) = &field.expr {
                self.by_constant.extend(path.path.segments.last().map(|last| last.ident.to_string()));
            }
        }
        visit::visit_expr_struct(self, value);
    }
}

fn text_of(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Words that are the name of a method and of something else: a start, a field of model files.
const OTHER_MEANINGS: &[(&str, &str)] = &[
    ("crates/partwise/src/engine/settings.rs", "guided"),
    ("crates/partwise-io/src/guidance_record.rs", "guided"),
];

/// Whether the word means something else in this file.
pub(super) fn means_something_else(file: &Path, name: &str) -> bool {
    OTHER_MEANINGS.iter().any(|(place, word)| file == Path::new(place) && name == *word)
}

/// Whether the rule against spelled names holds in this file.
pub(super) fn is_checked(file: &Path) -> bool {
    let parts: Vec<&str> = file
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let is_test = parts.iter().any(|part| ["tests", "benches", "tests.rs", "conftest.py"].contains(part));
    let may = METHOD_FOLDERS.iter().chain(&MAY_SPELL).any(|folder| file.starts_with(folder));
    !is_test && !may && !is_laboratory(file)
}

/// Whether the file belongs to a crate of experiments.
pub(super) fn is_laboratory(file: &Path) -> bool {
    LABORATORY.iter().any(|folder| file.starts_with(folder))
}

/// The lines (from 1) of the string literals in `text` that are exactly one of `names`, tests aside.
pub(super) fn spelled(extension: &str, text: &str, names: &BTreeSet<String>) -> Result<Vec<(usize, String)>> {
    let literals = match extension {
        "rs" => rust_literals(text)?,
        "py" | "pyi" => {
            let strings = PythonSource::of(text).strings.into_iter();
            strings.map(|string| (string.line, string.text)).collect()
        }
        _ => Vec::new(),
    };
    Ok(literals.into_iter().filter(|(_, literal)| names.contains(literal)).collect())
}

fn rust_literals(text: &str) -> Result<Vec<(usize, String)>> {
    let file = syn::parse_file(text)?;
    let mut literals = Literals::default();
    literals.visit_file(&file);
    Ok(literals.found)
}

#[derive(Default)]
struct Literals {
    found: Vec<(usize, String)>,
}

impl Literals {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    let line = literal.span().start().line;
                    if let Lit::Str(text) = Lit::new(literal) {
                        self.found.push((line, text.value()));
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Literals {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_lit_str(&mut self, literal: &'ast syn::LitStr) {
        self.found.push((literal.span().start().line, literal.value()));
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_literals_and_constants_of_specs() {
        let text = "pub(crate) const NAME: &str = \"ws-nmf\";\n\
                    pub(super) static SPEC: ModelSpec = ModelSpec { name: NAME, title: \"T\", ..PLAIN };\n\
                    const OTHER: MethodSpec = MethodSpec { name: \"nmf\" };\n\
                    const PLAIN: ModelSpec = ModelSpec { name: \"\" };\n\
                    const ELSE: Thing = Thing { name: \"no\" };\n";
        let names: Vec<String> = spec_names(text).unwrap().into_iter().collect();
        assert_eq!(names, ["nmf", "ws-nmf"]);
    }

    #[test]
    fn literals_are_found_in_code_macros_and_attributes_but_not_in_words_and_tests() {
        let names = BTreeSet::from(["nmf".to_string()]);
        let text = "/// \"nmf\"\nfn a() { b(\"nmf\"); }\nfn c() { println!(\"{}\", \"nmf\"); }\n\
                    #[arg(default_value = \"nmf\")]\nstruct D;\nconst E: &str = \"nmf-alpha\";\n\
                    #[cfg(test)]\nmod tests { const F: &str = \"nmf\"; }\n";
        let lines: Vec<usize> =
            spelled("rs", text, &names).unwrap().into_iter().map(|(line, _)| line).collect();
        assert_eq!(lines, [2, 3, 4]);
        let python = "\"\"\"nmf\"\"\"\na = 'nmf'  # 'nmf'\n";
        assert_eq!(spelled("py", python, &names).unwrap(), [(2, "nmf".to_string())]);
    }

    #[test]
    fn methods_tests_and_experiments_may_spell_names() {
        for file in
            ["crates/partwise-cli/src/fit.rs", "python/partwise/_base.py", "crates/partwise/src/fit.rs"]
        {
            assert!(is_checked(Path::new(file)), "{file}");
        }
        for file in [
            "crates/partwise/src/methods/nmf.rs",
            "crates/partwise/tests/bits.rs",
            "crates/partwise-lab/src/main.rs",
            "python/tests/test_x.py",
        ] {
            assert!(!is_checked(Path::new(file)), "{file}");
        }
    }
}
