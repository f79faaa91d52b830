//! Pages that stand alone: the head with its style, sections, tables. All text from outside goes through
//! [`escaped`].

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

const STYLE: &str = include_str!("style.css");

/// Enlarges components, lists their samples, finds a sample, saves pictures. A page is whole without it.
const SCRIPT: &str = include_str!("script.js");

/// What a browser may load for a page: nothing but its own styles and the pictures that are in it. Were a
/// name ever to become markup, no script of it would run and nothing would be fetched.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// What a page with the script allows besides: this one script, by its hash.
fn policy_of_script() -> String {
    let hexadecimal = partwise_io::sha256_hex(SCRIPT.as_bytes());
    let byte = |at: usize| u8::from_str_radix(&hexadecimal[at..at + 2], 16).unwrap_or(0);
    let digest: Vec<u8> = (0..hexadecimal.len()).step_by(2).map(byte).collect();
    format!("; script-src 'sha256-{}'", STANDARD.encode(digest))
}

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

/// The page up to its sections, without a script.
pub fn head(title: &str, lead: &str) -> String {
    head_of(title, lead, "lead", "")
}

/// The page up to its sections, for one that ends with [`end_with_script`]; `story` is its first sentence.
pub fn head_with_script(title: &str, story: &str) -> String {
    head_of(title, story, "story", &policy_of_script())
}

fn head_of(title: &str, lead: &str, class: &str, allowed: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}{allowed}\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title} – Partwise</title><style>{STYLE}</style></head><body><main>\
         <header><p class=\"brand\">Partwise {}</p><h1>{title}</h1><p class=\"{class}\">{}</p></header>",
        env!("CARGO_PKG_VERSION"),
        escaped(lead)
    )
}

/// The end of a page.
pub fn end() -> &'static str {
    "</main></body></html>\n"
}

/// The end of a page that has the script.
pub fn end_with_script() -> String {
    format!("</main><script>{SCRIPT}</script></body></html>\n")
}

/// A section that a reader opens; closed at first.
pub fn folded(title: &str, body: &str) -> String {
    format!("<section><details><summary><h2>{}</h2></summary>{body}</details></section>", escaped(title))
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

/// A table that scrolls where it is wide. Columns of numbers stand on the right, text on the left.
pub fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let is_number = |cell: &String| {
        let mut rest = cell.trim_start_matches(['-', '−', '+', '±', '×', '–', '<', '>', ' ']).chars();
        cell.is_empty() || cell == "–" || cell == "-" || rest.next().is_some_and(|c| c.is_ascii_digit())
    };
    let numeric: Vec<bool> = (0..header.len())
        .map(|column| rows.iter().filter_map(|row| row.get(column)).all(is_number))
        .collect();
    let row = |cells: &[String], tag: &str| {
        let cell = |(column, cell): (usize, &String)| {
            let class = if numeric.get(column).is_some_and(|n| *n) { "" } else { " class=\"t\"" };
            format!("<{tag}{class}>{}</{tag}>", escaped(cell))
        };
        format!("<tr>{}</tr>", cells.iter().enumerate().map(cell).collect::<String>())
    };
    let body: String = rows.iter().map(|cells| row(cells, "td")).collect();
    let head = row(header, "th");
    format!(
        "<div class=\"scroll\"><table class=\"numbers\"><thead>{head}</thead><tbody>{body}</tbody></table></div>"
    )
}

/// A count with commas: 2,225.
pub fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 sample`, `2,225 samples`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", thousands(count), if count == 1 { one } else { many })
}

/// `34 %`, `1.2 %`, `0.03 %`.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        p if p >= 9.95 => format!("{p:.0} %"),
        p if p >= 0.95 => format!("{p:.1} %"),
        0.0 => "0 %".into(),
        p => format!("{p:.2} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_can_not_become_markup() {
        assert_eq!(escaped("<a href=\"x\">&'\u{1}"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\u{fffd}");
    }

    #[test]
    fn the_one_script_of_a_page_is_allowed_by_its_hash_and_no_other_is() {
        let page = head_with_script("t", "s") + &end_with_script();
        let (_, after) = page.split_once("script-src 'sha256-").unwrap();
        let (hash, _) = after.split_once('\'').unwrap();
        let digest: String =
            STANDARD.decode(hash).unwrap().iter().map(|byte| format!("{byte:02x}")).collect();
        let (_, script) = page.split_once("<script>").unwrap();
        let (script, _) = script.split_once("</script>").unwrap();
        assert_eq!(digest, partwise_io::sha256_hex(script.as_bytes()));
        assert!(!head("t", "s").contains("script-src"));
    }

    #[test]
    fn columns_of_text_stand_on_the_left() {
        let cells = |row: &[&str]| row.iter().map(|c| c.to_string()).collect::<Vec<_>>();
        let page = table(&cells(&["k", "why"]), &[cells(&["3", "small"]), cells(&["–", "2 of them"])]);
        assert!(page.contains("<th>k</th><th class=\"t\">why</th>"), "{page}");
        assert!(page.contains("<td>3</td><td class=\"t\">small</td>"), "{page}");
    }

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!([0, 999, 1000, 2_225_000].map(thousands), ["0", "999", "1,000", "2,225,000"]);
        assert_eq!([0.5, 0.012, 0.0003, 0.0].map(percent), ["50 %", "1.2 %", "0.03 %", "0 %"]);
        assert_eq!(counted(1, "sample", "samples"), "1 sample");
    }
}
