//! Names and attributes of items: what they say of tests, files and documentation.

use syn::{Attribute, Expr, Item, Meta};

/// The file that `#[path = "…"]` names.
pub(super) fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|attribute| named_text(attribute, "path"))
}

/// The text of `#[name = "text"]`.
fn named_text(attribute: &Attribute, name: &str) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    let Expr::Lit(literal) = &pair.value else { return None };
    match &literal.lit {
        syn::Lit::Str(text) if pair.path.is_ident(name) => Some(text.value()),
        _ => None,
    }
}

/// The first sentence of the documentation in `attributes`.
pub(super) fn summary(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| named_text(attribute, "doc"));
    let lines: Vec<String> = lines.map(|line| line.trim().to_string()).collect();
    let paragraph = lines.split(|line| line.is_empty()).find(|part| !part.is_empty());
    let text = paragraph.map(|part| part.join(" ")).unwrap_or_default();
    match text.find(". ") {
        Some(end) => text[..=end].to_string(),
        None => text,
    }
}

/// Whether the item only exists in tests: `#[test]`, `#[cfg(test)]`, `#[cfg(all(test, …))]`,
/// `#[cfg(doctest)]`.
pub(super) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        if attribute.path().is_ident("test") {
            return true;
        }
        let Meta::List(list) = &attribute.meta else { return false };
        let condition: String = list.tokens.to_string().split_whitespace().collect();
        list.path.is_ident("cfg")
            && (condition == "test" || condition == "doctest" || condition.starts_with("all(test,"))
    })
}

/// The attributes of an item.
pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name that an item defines.
pub(super) fn item_name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
