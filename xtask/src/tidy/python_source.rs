//! [`PythonSource`]: the comments and string literals of a Python file. Not a parser of Python: it knows
//! comments, strings and brackets.

/// A Python file, taken apart.
#[derive(Debug, Default)]
pub(super) struct PythonSource {
    /// Whether a line has a comment or belongs to a docstring.
    pub(super) prose: Vec<bool>,
    /// The string literals, docstrings left out.
    pub(super) strings: Vec<PythonString>,
}

/// A string literal of Python.
#[derive(Debug, PartialEq)]
pub(super) struct PythonString {
    /// Counted from 1.
    pub(super) line: usize,
    /// What stands between the quotes, escapes left as they are.
    pub(super) text: String,
}

impl PythonSource {
    /// Takes `text` apart.
    pub(super) fn of(text: &str) -> Self {
        let characters: Vec<char> = text.chars().collect();
        let mut source =
            PythonSource { prose: vec![false; text.split('\n').count()], ..PythonSource::default() };
        let (mut place, mut line, mut depth) = (0, 0, 0_i32);
        // Whether only blanks (and the prefix of a string) stand before this place on its logical line.
        let mut begins = true;
        while place < characters.len() {
            let character = characters[place];
            match character {
                '\n' => {
                    line += 1;
                    begins = depth == 0 && (place == 0 || characters[place - 1] != '\\');
                }
                '#' => {
                    source.prose[line] = true;
                    while place + 1 < characters.len() && characters[place + 1] != '\n' {
                        place += 1;
                    }
                }
                '"' | '\'' => {
                    let (inner, length) = string(&characters[place..]);
                    let breaks = inner.matches('\n').count();
                    if begins && depth == 0 {
                        source.prose[line..=line + breaks].fill(true);
                    } else {
                        source.strings.push(PythonString { line: line + 1, text: inner });
                    }
                    line += breaks;
                    place += length - 1;
                    begins = false;
                }
                '(' | '[' | '{' => (depth, begins) = (depth + 1, false),
                ')' | ']' | '}' => (depth, begins) = (depth - 1, false),
                _ if character.is_whitespace() => {}
                _ if prefixes_a_string(&characters[place..]) => {}
                _ => begins = false,
            }
            place += 1;
        }
        source
    }
}

fn prefixes_a_string(rest: &[char]) -> bool {
    let letters = rest.iter().take_while(|character| "rRbBuUfF".contains(**character)).count();
    letters > 0 && letters <= 2 && matches!(rest.get(letters), Some('"' | '\''))
}

/// The text of the string that starts here, and its length with the quotes. A quote behind a backslash
/// doesn't end it, not even in a raw string.
fn string(rest: &[char]) -> (String, usize) {
    let quote = rest[0];
    let quotes = if rest.starts_with(&[quote; 3]) { 3 } else { 1 };
    let mut place = quotes;
    while place < rest.len() {
        if rest[place] == '\\' {
            place += 2;
        } else if rest[place..].starts_with(&vec![quote; quotes]) {
            return (rest[quotes..place].iter().collect(), place + quotes);
        } else if quotes == 1 && rest[place] == '\n' {
            break;
        } else {
            place += 1;
        }
    }
    let end = place.min(rest.len());
    (rest[quotes.min(end)..end].iter().collect(), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_docstrings_and_strings_are_told_apart() {
        let source = PythonSource::of(concat!(
            "\"\"\"What the\nfile does.\"\"\"\n",
            "a = 'nmf'  # a 'comment'\n",
            "def f(b=\"# no comment\"):\n    r'''Docs.'''\n    return f\"x{b}\" 'y'\n",
            "c = [\n    \"cnmf\",\n]\n",
        ));
        let prose: Vec<usize> = (0..source.prose.len()).filter(|&line| source.prose[line]).collect();
        assert_eq!(prose, [0, 1, 2, 4]);
        let strings: Vec<(usize, &str)> =
            source.strings.iter().map(|string| (string.line, string.text.as_str())).collect();
        assert_eq!(strings, [(3, "nmf"), (4, "# no comment"), (6, "x{b}"), (6, "y"), (8, "cnmf")]);
    }

    #[test]
    fn escaped_quotes_and_long_strings_end_where_they_do() {
        let source = PythonSource::of("a = 'it\\'s'\nb = \"\"\"two\n\"lines\" \"\"\"\nc = 'last'\n");
        let lines: Vec<usize> = source.strings.iter().map(|string| string.line).collect();
        assert_eq!(lines, [1, 2, 4]);
    }
}
