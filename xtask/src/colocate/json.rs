//! What does a JSON document say, for a tool without dependencies?
//!
//! As much as the output of `raddle --format json` needs: numbers keep their digits, and an escape
//! in a string stays as it is written.

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    /// `null`, `true`, `false` or a number, as written.
    Word(String),
    Text(String),
    List(Vec<Self>),
    Table(Vec<(String, Self)>),
}

impl Json {
    /// Reads a document.
    ///
    /// # Errors
    /// When it is none, with the byte at which it ends to be one.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
        let value = reader.value(0)?;
        reader.blank();
        if reader.at == reader.bytes.len() { Ok(value) } else { Err(reader.wrong("its end")) }
    }

    /// What lies at a path of keys and positions: `recipes.0.summary`.
    pub(super) fn at(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |value, key| match value {
            Self::Table(entries) => {
                entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            Self::List(values) => values.get(key.parse::<usize>().ok()?),
            Self::Word(_) | Self::Text(_) => None,
        })
    }

    /// A number or another word at a path.
    ///
    /// # Errors
    /// When there is none that reads as a `T`.
    pub(super) fn word<T: std::str::FromStr>(&self, path: &str) -> Result<T, String> {
        let word = match self.at(path) {
            Some(Self::Word(word)) => word.parse().ok(),
            _ => None,
        };
        word.ok_or_else(|| format!("the output of raddle has no figure at {path}"))
    }
}

/// Documents nest no deeper.
const DEEPEST: usize = 64;

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn wrong(&self, wanted: &str) -> String {
        format!("byte {} of the JSON should be {wanted}", self.at)
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Takes this byte, after blanks.
    fn take(&mut self, byte: u8) -> bool {
        self.blank();
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > DEEPEST {
            return Err(self.wrong("less deep"));
        }
        self.blank();
        match self.peek() {
            Some(b'"') => self.text().map(Json::Text),
            Some(b'[') => self.list(depth),
            Some(b'{') => self.table(depth),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Json, String> {
        let part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        let from = self.at;
        while self.peek().is_some_and(part) {
            self.at += 1;
        }
        if from == self.at {
            return Err(self.wrong("a value"));
        }
        Ok(Json::Word(self.since(from)))
    }

    fn since(&self, from: usize) -> String {
        String::from_utf8_lossy(&self.bytes[from..self.at]).into_owned()
    }

    fn text(&mut self) -> Result<String, String> {
        if !self.take(b'"') {
            return Err(self.wrong("a string"));
        }
        let from = self.at;
        loop {
            match self.peek() {
                Some(b'"') => break,
                // Whatever is escaped does not end it.
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(self.wrong("the end of a string")),
            }
        }
        let text = self.since(from);
        self.at += 1;
        Ok(text)
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        let mut values = Vec::new();
        self.at += 1;
        if self.take(b']') {
            return Ok(Json::List(values));
        }
        loop {
            values.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Ok(Json::List(values));
            }
            if !self.take(b',') {
                return Err(self.wrong("a comma or the end of a list"));
            }
        }
    }

    fn table(&mut self, depth: usize) -> Result<Json, String> {
        let mut entries = Vec::new();
        self.at += 1;
        if self.take(b'}') {
            return Ok(Json::Table(entries));
        }
        loop {
            self.blank();
            let key = self.text()?;
            if !self.take(b':') {
                return Err(self.wrong("a colon"));
            }
            entries.push((key, self.value(depth + 1)?));
            if self.take(b'}') {
                return Ok(Json::Table(entries));
            }
            if !self.take(b',') {
                return Err(self.wrong("a comma or the end of a table"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_by_paths() {
        let text = r#" {"a": [1, -2.5e3, {"b-c": "x\"y"}], "n": null, "e": {}, "l": [ ]} "#;
        let json = Json::parse(text).expect("JSON");
        assert_eq!(json.word("a.0"), Ok(1_u64));
        assert_eq!(json.word("a.1"), Ok(-2500.0));
        assert_eq!(json.at("a.2.b-c"), Some(&Json::Text("x\\\"y".to_owned())));
        assert_eq!(json.at("l"), Some(&Json::List(Vec::new())));
        assert_eq!(json.at("e"), Some(&Json::Table(Vec::new())));
        for missing in ["n", "a.3", "a.2", "a.0.b", "b", "a.0.0"] {
            let why = json.word::<u64>(missing).expect_err("no number");
            assert!(why.ends_with(missing), "{why}");
        }
    }

    #[test]
    fn what_is_no_document_is_refused_where_it_ends_to_be_one() {
        for (text, byte) in [
            ("", 0),
            ("{", 1),
            ("[1 2]", 3),
            ("[1,]", 3),
            ("{\"a\" 1}", 5),
            ("{\"a\":1,}", 7),
            ("{a:1}", 1),
            ("\"x", 2),
            ("\"x\\", 4),
            ("[1]]", 3),
        ] {
            let why = Json::parse(text).expect_err("no document");
            assert!(why.starts_with(&format!("byte {byte} ")), "{text}: {why}");
        }
        assert!(Json::parse(&"[".repeat(1000)).is_err_and(|why| why.contains("less deep")));
    }
}
