//! [`Source`]: a Rust file taken apart just enough to count and search: code and comments on their lines,
//! strings emptied, tests marked. Not a parser of Rust: it knows comments, strings, characters and brackets.

/// A Rust file, line by line.
#[derive(Debug)]
pub(super) struct Source {
    /// The code of each line: comments taken out, the content of strings and characters too.
    pub(super) code: Vec<String>,
    /// The comments of each line, with their marks.
    pub(super) comments: Vec<String>,
    /// Whether a line belongs to an item under `#[cfg(test)]`.
    pub(super) test: Vec<bool>,
}

/// A function and where it stands, in lines counted from 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Function {
    pub(super) name: String,
    /// The line of its name.
    pub(super) line: usize,
    /// The line of the closing bracket.
    pub(super) end: usize,
}

impl Source {
    /// Takes `text` apart.
    pub(super) fn of(text: &str) -> Self {
        let (code, comments) = separated(text);
        let code: Vec<String> = code.split('\n').map(str::to_string).collect();
        let comments: Vec<String> = comments.split('\n').map(str::to_string).collect();
        let mut source = Source { test: vec![false; code.len()], code, comments };
        source.mark_tests();
        source
    }

    /// Whether the line has code.
    pub(super) fn has_code(&self, line: usize) -> bool {
        !self.code[line].trim().is_empty()
    }

    /// The lines of code from `first` to `last`, both included.
    pub(super) fn code_lines(&self, first: usize, last: usize) -> usize {
        (first..=last).filter(|&line| self.has_code(line)).count()
    }

    /// The functions with a body, in order.
    pub(super) fn functions(&self) -> Vec<Function> {
        let mut functions = Vec::new();
        for (line, code) in self.code.iter().enumerate() {
            for (place, _) in code.match_indices("fn ") {
                if code[..place].chars().next_back().is_some_and(is_word) {
                    continue;
                }
                let name: String =
                    code[place + 3..].trim_start().chars().take_while(|&c| is_word(c)).collect();
                // `fn (` is a type.
                if name.is_empty() {
                    continue;
                }
                if let Some(end) = self.end_of_item(line, place) {
                    functions.push(Function { name, line, end });
                }
            }
        }
        functions
    }

    /// The line of the bracket that closes the first block from the given place on; `None` for an item that
    /// ends with a semicolon.
    fn end_of_item(&self, line: usize, place: usize) -> Option<usize> {
        let mut round = 0_i32;
        let mut curly = 0_i32;
        for (number, code) in self.code.iter().enumerate().skip(line) {
            let begin = if number == line { place } else { 0 };
            for character in code[begin..].chars() {
                match character {
                    '(' | '[' => round += 1,
                    ')' | ']' => round -= 1,
                    '{' => curly += 1,
                    '}' => {
                        curly -= 1;
                        if curly == 0 {
                            return Some(number);
                        }
                    }
                    ';' if round == 0 && curly == 0 => return None,
                    _ => {}
                }
            }
        }
        None
    }

    fn mark_tests(&mut self) {
        for line in 0..self.code.len() {
            if self.test[line] || !self.code[line].trim_start().starts_with("#[cfg(test)]") {
                continue;
            }
            let after = self.code[line].find("]").map_or(0, |place| place + 1);
            // A module in a file of its own (`mod tests;`) is one line long here.
            let end = self.end_of_item(line, after).unwrap_or(line + 1).min(self.code.len() - 1);
            self.test[line..=end].fill(true);
        }
    }
}

/// Whether a character can be part of a name.
pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The code and the comments of `text`, both with all its line breaks.
fn separated(text: &str) -> (String, String) {
    let characters: Vec<char> = text.chars().collect();
    let (mut code, mut comments) = (String::new(), String::new());
    let mut place = 0;
    while place < characters.len() {
        let rest = &characters[place..];
        let previous = place.checked_sub(1).map(|before| characters[before]);
        let (length, is_comment) = if rest.starts_with(&['/', '/']) {
            (line_comment(rest), true)
        } else if rest.starts_with(&['/', '*']) {
            (block_comment(rest), true)
        } else if let Some(length) = string(rest, previous) {
            code.push_str("\"\"");
            (length, false)
        } else if let Some(length) = character_literal(rest) {
            code.push_str("' '");
            (length, false)
        } else {
            if rest[0] == '\n' {
                comments.push('\n');
            }
            code.push(rest[0]);
            place += 1;
            continue;
        };
        for &character in &rest[..length] {
            if character == '\n' {
                code.push('\n');
                comments.push('\n');
            } else if is_comment {
                comments.push(character);
            }
        }
        place += length;
    }
    (code, comments)
}

fn line_comment(rest: &[char]) -> usize {
    rest.iter().position(|&character| character == '\n').unwrap_or(rest.len())
}

/// Block comments nest.
fn block_comment(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut place = 0;
    while place < rest.len() {
        if rest[place..].starts_with(&['/', '*']) {
            depth += 1;
            place += 2;
        } else if rest[place..].starts_with(&['*', '/']) {
            depth -= 1;
            place += 2;
            if depth == 0 {
                return place;
            }
        } else {
            place += 1;
        }
    }
    rest.len()
}

/// The length of the string that starts here, with its prefix (`b`, `r`, `c`, `br`, `cr`) and hashes.
fn string(rest: &[char], previous: Option<char>) -> Option<usize> {
    if previous.is_some_and(is_word) && rest[0] != '"' {
        return None;
    }
    let mut place = 0;
    let mut raw = false;
    while place < 2 && place < rest.len() && matches!(rest[place], 'b' | 'r' | 'c') {
        raw |= rest[place] == 'r';
        place += 1;
    }
    let hashes = rest[place..].iter().take_while(|&&character| character == '#').count();
    if hashes > 0 && !raw {
        return None;
    }
    place += hashes;
    if rest.get(place) != Some(&'"') {
        return None;
    }
    place += 1;
    while place < rest.len() {
        if rest[place] == '\\' && !raw {
            place += 2;
        } else if rest[place] == '"'
            && rest[place + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes
        {
            return Some(place + 1 + hashes);
        } else {
            place += 1;
        }
    }
    Some(rest.len())
}

/// The length of the character literal that starts here; `None` for a lifetime.
fn character_literal(rest: &[char]) -> Option<usize> {
    if rest[0] != '\'' {
        return None;
    }
    if rest.get(1) == Some(&'\\') {
        // The escaped character itself may be a quote.
        let end = rest.iter().skip(3).position(|&character| character == '\'')?;
        return Some(end + 4);
    }
    (rest.get(2) == Some(&'\'')).then_some(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_told_apart() {
        let source = Source::of(concat!(
            "let a = \"// no comment {\"; // a comment \"{\n",
            "let b = r#\"raw \" } \"#; /* block /* nested */ still */ let c = '{';\n",
            "fn d<'a>(e: &'a str) -> char { '\\'' }\n",
            "let f = b\"bytes }\"; let g = '\\u{7d}';",
        ));
        assert_eq!(source.code[0].trim_end(), "let a = \"\";");
        assert_eq!(source.comments[0], "// a comment \"{");
        assert_eq!(source.code[1], "let b = \"\";  let c = ' ';");
        assert_eq!(source.comments[1], "/* block /* nested */ still */");
        assert_eq!(source.code[2], "fn d<'a>(e: &'a str) -> char { ' ' }");
        assert_eq!(source.code[3], "let f = \"\"; let g = ' ';");
    }

    #[test]
    fn strings_over_several_lines_keep_the_line_numbers() {
        let source = Source::of("let a = \"one\n two\";\nlet b = 1;\n");
        assert_eq!(source.code.len(), 4);
        assert_eq!(source.code[2], "let b = 1;");
        assert!(source.has_code(1) && !source.has_code(3));
    }

    #[test]
    fn functions_end_at_their_closing_bracket() {
        let source = Source::of(concat!(
            "fn one(a: [u8; 3]) {\n    if a[0] > 0 {\n    }\n}\n",
            "trait T {\n    fn without_body(&self);\n    fn with_body(&self) -> fn(u8) -> u8 {\n        x\n    }\n}\n",
        ));
        assert_eq!(
            source.functions(),
            [
                Function { name: "one".into(), line: 0, end: 3 },
                Function { name: "with_body".into(), line: 6, end: 8 }
            ]
        );
    }

    #[test]
    fn items_under_cfg_test_are_marked() {
        let source = Source::of("fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n");
        assert_eq!(source.test, [false, true, true, true, true, false, false]);
        let elsewhere = Source::of("#[cfg(test)]\nmod tests;\nfn c() {}\n");
        assert_eq!(elsewhere.test, [true, true, false, false]);
    }
}
