//! Pages that stand alone: the head with its style, sections, tables. All text from outside goes through
//! [`escaped`].

const STYLE: &str = include_str!("style.css");

/// What a browser may load for the page: nothing but its own styles and the pictures that are in it. Were a
/// name ever to become markup, no script of it would run and nothing would be fetched.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Text for HTML and for attributes in double quotes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() && c != '\n' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// The page up to its sections.
pub fn head(title: &str, lead: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} – Partwise</title><style>{STYLE}</style></head><body><main>\
         <header><p class=\"brand\">Partwise {}</p><h1>{title}</h1><p class=\"lead\">{}</p></header>",
        env!("CARGO_PKG_VERSION"),
        escaped(lead)
    )
}

/// A section with its heading; `lead` (text) may be empty, `body` is HTML.
pub fn section(title: &str, lead: &str, body: &str) -> String {
    let lead =
        if lead.is_empty() { String::new() } else { format!("<p class=\"lead\">{}</p>", escaped(lead)) };
    format!("<section><h2>{}</h2>{lead}{body}</section>", escaped(title))
}

/// Key numbers; what stands in brackets goes to the caption.
pub fn tiles(numbers: &[(&str, String)]) -> String {
    let tile = |(name, value): &(&str, String)| {
        let (value, rest) = value.split_once(" (").unwrap_or((value, ""));
        let rest = rest.trim_end_matches(')');
        let rest = if rest.is_empty() { String::new() } else { format!(" – {}", escaped(rest)) };
        format!("<div class=\"tile\"><b>{}</b><span>{}{rest}</span></div>", escaped(value), escaped(name))
    };
    format!("<div class=\"tiles\">{}</div>", numbers.iter().map(tile).collect::<String>())
}

/// Names and what they are, as a list.
pub fn pairs<'a>(items: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let pair = |(k, v): (&str, &str)| format!("<div><dt>{}</dt><dd>{}</dd></div>", escaped(k), escaped(v));
    format!("<dl>{}</dl>", items.map(pair).collect::<String>())
}

/// A table that scrolls where it is wide.
pub fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let row = |cells: &[String], tag: &str| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect();
        format!("<tr>{cells}</tr>")
    };
    let body: String = rows.iter().map(|cells| row(cells, "td")).collect();
    let head = row(header, "th");
    format!(
        "<div class=\"scroll\"><table class=\"numbers\"><thead>{head}</thead><tbody>{body}</tbody></table></div>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_can_not_become_markup() {
        assert_eq!(escaped("<a href=\"x\">&'\u{1}"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\u{fffd}");
    }
}
