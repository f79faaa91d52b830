//! A parser for the Python literals in the header of a NumPy array.

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Text(String),
    Bool(bool),
    Whole(u64),
    /// A tuple or a list.
    Sequence(Vec<Literal>),
    Dictionary(Vec<(String, Literal)>),
}

impl Literal {
    /// The value of a key of a dictionary.
    pub(crate) fn entry(&self, name: &str) -> Option<&Literal> {
        match self {
            Literal::Dictionary(entries) => {
                entries.iter().find(|(key, _)| key == name).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// A tuple of whole numbers.
    pub(crate) fn whole_numbers(&self) -> Option<Vec<usize>> {
        let Literal::Sequence(items) = self else { return None };
        let whole = |item: &Literal| match item {
            Literal::Whole(number) => usize::try_from(*number).ok(),
            _ => None,
        };
        items.iter().map(whole).collect()
    }
}

/// Parses one literal; the error states what was expected, and at which byte.
pub(crate) fn parse(text: &str) -> Result<Literal, String> {
    let mut parser = Parser { bytes: text.as_bytes(), at: 0 };
    let literal = parser.literal(0)?;
    parser.skip_space();
    if parser.at < parser.bytes.len() {
        return Err(parser.expected("the end"));
    }
    Ok(literal)
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Structured types nest a few levels; more is not a header of NumPy's.
const MAX_DEPTH: usize = 16;

impl Parser<'_> {
    fn expected(&self, what: &str) -> String {
        format!("{what} is expected at byte {} of it", self.at)
    }

    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    /// Takes `byte` if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn literal(&mut self, depth: usize) -> Result<Literal, String> {
        if depth > MAX_DEPTH {
            return Err(self.expected("less nesting"));
        }
        self.skip_space();
        let rest = &self.bytes[self.at..];
        match rest.first() {
            Some(b'\'' | b'"') => self.text().map(Literal::Text),
            Some(b'(') => self.sequence(b')', depth),
            Some(b'[') => self.sequence(b']', depth),
            Some(b'{') => self.dictionary(depth),
            Some(b'0'..=b'9') => self.whole(),
            _ if rest.starts_with(b"True") => {
                self.at += 4;
                Ok(Literal::Bool(true))
            }
            _ if rest.starts_with(b"False") => {
                self.at += 5;
                Ok(Literal::Bool(false))
            }
            _ => Err(self.expected("a value")),
        }
    }

    fn text(&mut self) -> Result<String, String> {
        let quote = self.bytes[self.at];
        let start = self.at + 1;
        let length = self.bytes[start..].iter().position(|byte| *byte == quote);
        let length = length.ok_or_else(|| self.expected("a closed string"))?;
        self.at = start + length + 1;
        Ok(String::from_utf8_lossy(&self.bytes[start..start + length]).into_owned())
    }

    fn whole(&mut self) -> Result<Literal, String> {
        let digits = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = String::from_utf8_lossy(&self.bytes[self.at..self.at + digits]);
        let number = text.parse().map_err(|_| self.expected("a smaller number"))?;
        self.at += digits;
        // Python 2 wrote long integers as `5L`.
        self.at += usize::from(self.bytes.get(self.at) == Some(&b'L'));
        Ok(Literal::Whole(number))
    }

    fn sequence(&mut self, close: u8, depth: usize) -> Result<Literal, String> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            if self.take(close) {
                return Ok(Literal::Sequence(items));
            }
            items.push(self.literal(depth + 1)?);
            if !self.take(b',') && self.bytes.get(self.at) != Some(&close) {
                return Err(self.expected("a comma or the end of a tuple"));
            }
        }
    }

    fn dictionary(&mut self, depth: usize) -> Result<Literal, String> {
        self.at += 1;
        let mut entries = Vec::new();
        loop {
            if self.take(b'}') {
                return Ok(Literal::Dictionary(entries));
            }
            self.skip_space();
            if !matches!(self.bytes.get(self.at), Some(b'\'' | b'"')) {
                return Err(self.expected("a key in quotes"));
            }
            let key = self.text()?;
            if !self.take(b':') {
                return Err(self.expected("a colon"));
            }
            entries.push((key, self.literal(depth + 1)?));
            if !self.take(b',') && self.bytes.get(self.at) != Some(&b'}') {
                return Err(self.expected("a comma or the end of the dictionary"));
            }
        }
    }
}
