//! Which functions, variables and statements does the text of a PTX module have?
//!
//! Directives, functions and their statements, by line. Nothing of the text is judged here.

use crate::Error;

/// Function of a PTX module, as found in the text; `entry` is true for a kernel.
#[derive(Debug)]
pub(crate) struct Function<'t> {
    pub(crate) name: &'t str,
    pub(crate) entry: bool,
    pub(crate) parameters: Vec<Variable<'t>>,
    pub(crate) results: Vec<Variable<'t>>,
    pub(crate) statements: Vec<Statement<'t>>,
    /// Line of the PTX text with the function's name, from 1.
    pub(crate) line: u32,
    /// True if the function has a body, false if it is only declared.
    pub(crate) defined: bool,
    /// Byte offset in the PTX text behind the function's declarations, where its first instruction,
    /// label or scope begins; `None` where it has none.
    pub(crate) first_instruction: Option<usize>,
    /// Byte offset in the source of the parenthesis that closes the list of parameters; `None`
    /// where there is no list.
    pub(crate) parameters_end: Option<usize>,
    /// Byte offset in the PTX text behind the function's name.
    pub(crate) name_end: usize,
}

/// Variable of a PTX module or of a function in it, or parameter of a function.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Variable<'t> {
    pub(crate) name: &'t str,
    /// State space in which PTX declares the variable: `global`, `const`, `shared`, `local`,
    /// `param` or `reg`.
    pub(crate) space: &'t str,
    /// Number of bytes of one element of the variable.
    pub(crate) size: u32,
    /// True if the variable is declared as a pointer (`.ptr`).
    pub(crate) pointer: bool,
    /// True if the variable is an array, such as a structure handed over by value.
    pub(crate) array: bool,
}

#[derive(Debug)]
pub(crate) enum Statement<'t> {
    Label(&'t str),
    /// The beginning of a scope (text between braces), which can declare registers and variables of
    /// its own.
    Open,
    Close,
    /// A declaration of registers or other variables.
    Declare(Vec<DeclaredName<'t>>),
    Instruction(PtxInstruction<'t>),
}

/// Name that a PTX function declares. `count` is n for a declaration `name<n>`, which declares the
/// registers `name0`, `name1` and so on; `None` for a single name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct DeclaredName<'t> {
    pub(crate) variable: Variable<'t>,
    pub(crate) count: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct PtxInstruction<'t> {
    pub(crate) line: u32,
    /// Predicate of the instruction as (register, value that lets the instruction run): true for
    /// `@p`, false for `@!p`; `None` without a predicate.
    pub(crate) predicate: Option<(&'t str, bool)>,
    /// Words of the opcode, split at dots: `ld`, `global` and `u32` for `ld.global.u32`.
    pub(crate) words: Vec<&'t str>,
    /// Texts of the operands, in order; within brackets a comma does not separate.
    pub(crate) operands: Vec<&'t str>,
}

#[derive(Debug, Default)]
pub(crate) struct PtxModule<'t> {
    pub(crate) functions: Vec<Function<'t>>,
    pub(crate) variables: Vec<Variable<'t>>,
}

/// Reads the text of a PTX module; a text that is not PTX is an error with its line.
pub(crate) fn read(text: &str) -> Result<PtxModule<'_>, Error> {
    let mut reader = Reader { text, at: 0, line: 1 };
    let mut module = PtxModule::default();
    let mut known = false;
    loop {
        reader.skip();
        if reader.rest().is_empty() {
            break;
        }
        let word = reader.word();
        match word {
            ".version" => known = true,
            ".entry" | ".func" => module.functions.push(reader.function(word == ".entry")?),
            ".visible" | ".extern" | ".weak" | ".common" => {}
            ".global" | ".const" | ".shared" | ".local" => {
                let statement = reader.until_semicolon()?;
                module.variables.extend(variables(word, statement).into_iter().map(|d| d.variable));
            }
            ".section" => reader.braces()?,
            ".target" | ".address_size" | ".file" | ".loc" | ".pragma" | ".alias" | ".noreturn"
            | ".branchtargets" | ".minnctapersm" => {
                reader.skip_line();
            }
            "" => return Err(reader.error("a directive was expected")),
            _ if known => reader.skip_line(),
            _ => return Err(reader.error("PTX begins with .version")),
        }
    }
    if known { Ok(module) } else { Err(reader.error("PTX begins with .version")) }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: u32,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn error(&self, why: &str) -> Error {
        Error::Ptx { line: self.line, why: why.to_owned() }
    }

    fn advance(&mut self, bytes: usize) {
        let passed = self.text.get(self.at..self.at.saturating_add(bytes)).unwrap_or("");
        let lines = passed.bytes().filter(|byte| *byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.at += passed.len();
    }

    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            if blank > 0 {
                self.advance(blank);
            } else if rest.starts_with("//") {
                self.advance(rest.find('\n').unwrap_or(rest.len()));
            } else if let Some(inner) = rest.strip_prefix("/*") {
                self.advance(inner.find("*/").map_or(rest.len(), |end| end + 4));
            } else {
                return;
            }
        }
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest
            .char_indices()
            .find(|&(at, c)| !(is_name(c) || (at == 0 && c == '.')))
            .map_or(rest.len(), |(at, _)| at);
        let word = &rest[..end];
        self.advance(end);
        word
    }

    fn take(&mut self, wanted: char) -> bool {
        self.skip();
        let found = self.rest().starts_with(wanted);
        if found {
            self.advance(wanted.len_utf8());
        }
        found
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.advance(rest.find('\n').unwrap_or(rest.len()));
    }

    /// Reads the PTX text up to the next semicolon outside of braces (an initial value stands in
    /// braces), and returns it without the semicolon; an error where there is none.
    fn until_semicolon(&mut self) -> Result<&'t str, Error> {
        let rest = self.rest();
        let mut depth = 0_u32;
        for (at, c) in rest.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                ';' if depth == 0 => {
                    self.advance(at + 1);
                    return Ok(&rest[..at]);
                }
                _ => {}
            }
        }
        Err(self.error("a statement does not end with a semicolon"))
    }

    /// Skips text in braces, with braces within it; an error where it does not end.
    fn braces(&mut self) -> Result<(), Error> {
        let rest = self.rest();
        let mut depth = 0_u32;
        for (at, c) in rest.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.advance(at + 1);
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        Err(self.error("a section does not end"))
    }

    /// Reads a list in parentheses, and returns its text without them; `None` where no list begins
    /// here, an error where the list does not end.
    fn parenthesis(&mut self) -> Result<Option<&'t str>, Error> {
        if !self.take('(') {
            return Ok(None);
        }
        let rest = self.rest();
        let Some(end) = rest.find(')') else { return Err(self.error("a list has no end")) };
        self.advance(end + 1);
        Ok(Some(&rest[..end]))
    }

    fn function(&mut self, entry: bool) -> Result<Function<'t>, Error> {
        let results = if entry { None } else { self.parenthesis()? };
        self.skip();
        let (line, name) = (self.line, self.word());
        if name.is_empty() {
            return Err(self.error("a function has no name"));
        }
        let name_end = self.at;
        let parameters = self.parenthesis()?;
        let parameters_end = parameters.map(|_| self.at - 1);
        let list = |text: Option<&'t str>| {
            let text = text.unwrap_or("").split(',').filter(|part| !part.trim().is_empty());
            text.flat_map(|part| variables("", part)).map(|d| d.variable).collect::<Vec<_>>()
        };
        let mut function = Function {
            name,
            entry,
            parameters: list(parameters),
            results: list(results),
            statements: Vec::new(),
            line,
            defined: false,
            first_instruction: None,
            parameters_end,
            name_end,
        };
        // Directives such as .maxntid stand before the body.
        loop {
            self.skip();
            match self.rest().chars().next() {
                Some('{') => break,
                Some(';') => {
                    self.advance(1);
                    return Ok(function);
                }
                Some(c) => self.advance(c.len_utf8()),
                None => return Err(self.error("a function has no body")),
            }
        }
        self.advance(1);
        function.defined = true;
        let mut depth = 0_u32;
        loop {
            self.skip();
            let declares = self.rest().starts_with('.');
            if !declares && function.first_instruction.is_none() {
                function.first_instruction = Some(self.at);
            }
            if self.take('}') {
                if depth == 0 {
                    return Ok(function);
                }
                depth -= 1;
                function.statements.push(Statement::Close);
            } else if self.take('{') {
                depth += 1;
                function.statements.push(Statement::Open);
            } else {
                let statement = self.statement()?;
                function.statements.extend(statement);
            }
        }
    }

    fn statement(&mut self) -> Result<Option<Statement<'t>>, Error> {
        let rest = self.rest();
        if rest.is_empty() {
            return Err(self.error("a function does not end"));
        }
        // A label: a name, then a colon that is not doubled.
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        let behind = rest[end..].trim_start();
        if end > 0 && behind.starts_with(':') && !behind.starts_with("::") {
            self.advance(end);
            self.take(':');
            return Ok(Some(Statement::Label(&rest[..end])));
        }
        if rest.starts_with('.') {
            let word = self.word();
            return match word {
                ".loc" | ".file" => {
                    self.skip_line();
                    Ok(None)
                }
                ".reg" | ".param" | ".shared" | ".local" | ".global" | ".const" => {
                    let statement = self.until_semicolon()?;
                    Ok(Some(Statement::Declare(variables(word, statement))))
                }
                _ => {
                    self.until_semicolon()?;
                    Ok(None)
                }
            };
        }
        let line = self.line;
        let text = self.until_semicolon()?.trim();
        Ok(instruction(text, line).map(Statement::Instruction))
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%')
}

fn instruction(text: &str, line: u32) -> Option<PtxInstruction<'_>> {
    let (predicate, text) = match text.strip_prefix('@') {
        Some(rest) => {
            let name = rest.trim_start().trim_start_matches('!').trim_start();
            let negated = rest[..rest.len() - name.len()].matches('!').count() % 2 == 1;
            let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
            (Some((&name[..end], !negated)), name[end..].trim_start())
        }
        None => (None, text),
    };
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let words: Vec<&str> =
        text[..end].split('.').map(str::trim).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return None;
    }
    Some(PtxInstruction { line, predicate, words, operands: split(&text[end..]) })
}

/// Splits a PTX text at its commas, except at those within brackets, and returns the parts.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0_u32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[begin..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns the names in a variable declaration of PTX. `space` is the state space; `text` is the
/// declaration behind it, such as `.align 8 .b8 name[16], other`.
fn variables<'t>(space: &'t str, text: &'t str) -> Vec<DeclaredName<'t>> {
    let mut space = space.trim_start_matches('.');
    let (mut size, mut pointer, mut names) = (0, false, Vec::new());
    for part in split(text.split('=').next().unwrap_or("")) {
        let mut words = part.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word.strip_prefix('.') {
                Some("align") => _ = words.next(),
                Some("ptr") => pointer = true,
                Some("reg" | "param" | "const" | "shared" | "local" | "global") if !pointer => {
                    space = word.trim_start_matches('.');
                }
                Some(ty) => size = type_size(ty).unwrap_or(size),
                None => {
                    let end = word.find(['[', '<']).unwrap_or(word.len());
                    let count = word[end..]
                        .strip_prefix('<')
                        .and_then(|count| count.trim_end_matches('>').parse().ok());
                    let array = word[end..].starts_with('[')
                        || words.peek().is_some_and(|next| next.starts_with('['));
                    if end > 0 {
                        let name = &word[..end];
                        let variable = Variable { name, space, size, pointer, array };
                        names.push(DeclaredName { variable, count });
                    }
                }
            }
        }
    }
    names
}

/// Returns the number of bytes of a PTX type, given its word without the dot, such as `u32`; `None`
/// for a word that is no type.
pub(crate) fn type_size(word: &str) -> Option<u32> {
    Some(match word {
        "pred" => 1,
        "b8" | "u8" | "s8" | "e4m3" | "e5m2" => 1,
        "b16" | "u16" | "s16" | "f16" | "bf16" | "e4m3x2" | "e5m2x2" => 2,
        "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" | "tf32" => 4,
        "b64" | "u64" | "s64" | "f64" | "f32x2" => 8,
        "b128" => 16,
        _ => return None,
    })
}
