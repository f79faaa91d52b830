use anyhow::Context;

use super::*;

/// The listing of a crate `c` of the given files.
fn lines(files: &[(&str, &str)]) -> Vec<String> {
    let text = |file: &Path| {
        let found = files.iter().find(|(name, _)| Path::new("src").join(name) == file);
        found.map(|(_, text)| text.to_string())
    };
    let tree = CrateTree::parse(Path::new("src/lib.rs"), &mut |file| Ok(text(file))).unwrap();
    let surface = Surface::of(&tree, "c", &mut |file| text(file).context("no file")).unwrap();
    surface.entries.into_iter().map(|entry| entry.line).collect()
}

#[test]
fn reexports_are_followed_and_what_is_hidden_or_private_is_left_out() {
    let found = lines(&[
        (
            "lib.rs",
            "pub mod a; mod b; pub use b::{shown, Kept as Renamed, Never}; pub use a::Twice;\n\
             #[doc(hidden)] pub mod internals { pub use crate::b::secret; }\n\
             pub(crate) fn inside() {} #[cfg(test)] pub fn tested() {}",
        ),
        ("a.rs", "pub use crate::b::deep::*; pub struct Twice;"),
        (
            "b.rs",
            "pub fn shown() {} #[doc(hidden)] pub struct Never; pub fn secret() {} pub struct Kept { pub field: u8, own: u8 }\n\
             pub mod deep { pub const DEEP: u8 = 1; fn private() {} }",
        ),
    ]);
    assert_eq!(
        found,
        [
            "mod c",
            "struct c::Renamed",
            "field c::Renamed::field: u8",
            "struct c::Twice",
            "mod c::a",
            "const c::a::DEEP: u8",
            "use c::a::Twice = c::Twice",
            "fn c::shown()",
        ]
    );
}

#[test]
fn what_the_macro_of_names_writes_is_listed() {
    let found = lines(&[(
        "lib.rs",
        "pub enum A { B } names! { A, \"letter\", { B = \"b\" } }\n\
         pub enum E { F } names! { E, { F = \"f\" } }\n\
         pub enum C { D } names! { #[doc(hidden)] C, \"letter\", { D = \"d\" } }",
    )]);
    let own: Vec<&String> = found.iter().filter(|line| line.contains("(")).collect();
    assert_eq!(
        own,
        [
            "fn c::A::from_name(name: &str) -> Result<Self>",
            "fn c::A::name(self) -> &'static str",
            "fn c::E::name(self) -> &'static str"
        ]
    );
    assert!(found.contains(&"const c::A::ALL: &'static [A]".to_string()), "{found:?}");
}

#[test]
fn signatures_are_spelled_as_people_write_them() {
    let found = lines(&[(
        "lib.rs",
        "#[non_exhaustive] #[derive(Debug, Clone)] pub enum E<T: Copy> { A, B { x: Vec<T> }, C(u8, T) }\n\
         impl<T: Copy> E<T> { pub const N: usize = 3; fn own(&self) {}\n\
         pub fn f<'a>(&'a mut self, mut x: &[T; 3], y: impl Fn(usize) -> (u8, T)) -> Option<&'a T> \
         where T: Send { None } #[doc(hidden)] pub fn hidden() {} }\n\
         pub trait Tr<T>: Send + Sync { type Of; fn must(&self); fn may(&self) -> u8 { 1 } }\n\
         impl<T: Copy> Default for E<T> { fn default() -> Self { E::A } }\n\
         impl<T: Copy> Own for E<T> {} trait Own {}",
    )]);
    assert_eq!(
        found,
        [
            "mod c",
            "#[non_exhaustive] enum c::E<T: Copy> derives Clone + Debug",
            "variant c::E::A",
            "variant c::E::B { x: Vec<T> }",
            "variant c::E::C(u8, T)",
            "impl Default for c::E",
            "const c::E::N: usize",
            "fn c::E::f<'a>(&'a mut self, x: &[T; 3], y: impl Fn(usize) -> (u8, T)) -> Option<&'a T> \
             where T: Send",
            "trait c::Tr<T>: Send + Sync",
            "type c::Tr::Of",
            "fn c::Tr::may(&self) -> u8 { .. }",
            "fn c::Tr::must(&self)",
        ]
    );
}
