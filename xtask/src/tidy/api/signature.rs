//! Declarations as one line of text, without bodies, attributes and documentation.

use quote::ToTokens;
use syn::{Attribute, FnArg, Generics, Meta, Pat, Signature, token};

/// `fn path(arguments) -> Result<T>`.
pub(super) fn function(path: &str, signature: &Signature) -> String {
    let mut signature = signature.clone();
    for argument in &mut signature.inputs {
        match argument {
            // `mut self` says nothing to callers, `&mut self` does.
            FnArg::Receiver(receiver) => {
                receiver.attrs.clear();
                if text(&receiver).starts_with("mut ") {
                    *receiver = syn::parse_quote!(self);
                }
            }
            FnArg::Typed(typed) => {
                typed.attrs.clear();
                if let Pat::Ident(name) = &mut *typed.pat {
                    name.mutability = None;
                }
            }
        }
    }
    let generics = &signature.generics;
    let inputs = text(&signature.inputs);
    let inputs = inputs.trim_end_matches(',');
    let before =
        [text(&signature.constness), text(&signature.asyncness), text(&signature.safety), "fn".to_string()];
    let before: Vec<String> = before.into_iter().filter(|word| !word.is_empty()).collect();
    format!(
        "{} {path}{}({inputs}){}{}",
        before.join(" "),
        text(generics),
        spaced(&text(&signature.output)),
        bounds(generics)
    )
}

/// `where …` with the space before it.
pub(super) fn bounds(generics: &Generics) -> String {
    let bounds = generics.where_clause.as_ref().map(text).unwrap_or_default();
    spaced(bounds.trim_end_matches(','))
}

/// What the attributes of a type promise: that it may grow, and what it derives.
pub(super) fn promises(attributes: &[Attribute]) -> (&'static str, String) {
    let growing = attributes.iter().any(|attribute| attribute.path().is_ident("non_exhaustive"));
    let mut derived = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        if let Meta::List(list) = &attribute.meta {
            derived.extend(compact(&list.tokens.to_string()).split(',').map(|name| name.trim().to_string()));
        }
    }
    derived.retain(|name| !name.is_empty());
    derived.sort();
    let derives =
        if derived.is_empty() { String::new() } else { format!(" derives {}", derived.join(" + ")) };
    (if growing { "#[non_exhaustive] " } else { "" }, derives)
}

/// Whether the documentation leaves it out.
pub(super) fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("doc") => list.tokens.to_string() == "hidden",
        _ => false,
    })
}

/// The names and types of fields that are public: `, ..` stands for the others.
pub(super) fn fields(fields: &syn::Fields, all_public: bool) -> String {
    let shown = |field: &&syn::Field| all_public || matches!(field.vis, syn::Visibility::Public(_));
    let mut parts: Vec<String> = fields
        .iter()
        .filter(shown)
        .map(|field| match &field.ident {
            Some(name) => format!("{name}: {}", text(&field.ty)),
            None => text(&field.ty),
        })
        .collect();
    if fields.iter().any(|field| !shown(&field)) {
        parts.push("..".into());
    }
    match fields {
        syn::Fields::Named(_) => format!(" {{ {} }}", parts.join(", ")),
        syn::Fields::Unnamed(_) => format!("({})", parts.join(", ")),
        syn::Fields::Unit => String::new(),
    }
}

/// `: A + B`, or nothing.
pub(super) fn supertraits(bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, token::Plus>) -> String {
    if bounds.is_empty() { String::new() } else { format!(": {}", text(bounds)) }
}

/// Source as one line, spaced as people write it.
pub(super) fn text(source: &impl ToTokens) -> String {
    compact(&source.to_token_stream().to_string())
}

fn spaced(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" {text}") }
}

/// Tokens are printed with a space between any two; this takes out those that nobody writes.
fn compact(tokens: &str) -> String {
    let mut text = tokens.split_whitespace().collect::<Vec<_>>().join(" ");
    let closer = [
        (" ::", "::"),
        (":: ", "::"),
        (" ,", ","),
        (" ;", ";"),
        (" :", ":"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        ("& ", "&"),
        ("( ", "("),
        (" )", ")"),
        (" (", "("),
        ("->(", "-> ("),
        (":(", ": ("),
        (",(", ", ("),
        ("=(", "= ("),
        ("->&", "-> &"),
        (",)", ")"),
        (",>", ">"),
        ("? ", "?"),
    ];
    for (apart, together) in closer {
        text = text.replace(apart, together);
    }
    text
}
