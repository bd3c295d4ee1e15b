//! What is a document made of?

use super::chart::{Chart, ChartBar};
use super::table::Table;

/// Where a block is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Wherever the document is.
    Any,
    /// Only on a terminal.
    Terminal,
    /// Only on the page.
    Page,
}

/// The result of a verb, for people.
#[derive(Debug, Default)]
pub struct Document {
    /// The heading of the page; a terminal does without it.
    pub title: String,
    /// What stands below it on the page.
    pub summary: String,
    /// Where what a list leaves out can be found.
    pub full: &'static str,
    /// Columns of a line of text, where they are not 100; tables may be wider.
    pub columns: Option<usize>,
    /// Whether a terminal shows what the page folds away.
    pub verbose: bool,
    /// How many blocks come before what is folded away, if anything is.
    pub(super) open: Option<usize>,
    pub(super) blocks: Vec<(Medium, Block)>,
}

/// A part of a document. Text between backticks is code.
#[derive(Debug)]
pub enum Block {
    /// What follows, up to the next one, is a section. A terminal shows no heading for it.
    Section {
        /// Its anchor on the page.
        id: &'static str,
        /// Its heading.
        title: &'static str,
    },
    /// A heading within a section.
    Heading(String),
    /// Text, after its label if it has one.
    Paragraph {
        /// What it is about.
        label: String,
        /// One or more sentences.
        text: String,
    },
    /// Text that explains a figure or a table.
    Note(String),
    /// Lines of equal kind.
    List(List),
    /// Something that a reader should know before using the figures.
    Warning(String),
    /// Rows of figures.
    Table(Table),
    /// What to do, and why.
    Verdict {
        /// Whether it says that something should change.
        good: bool,
        /// What of the sentence stands out, if it is in it.
        name: String,
        /// One sentence.
        text: String,
        /// The reason, if there is one.
        why: Option<String>,
    },
    /// Short facts, each with what it is.
    Chips(Vec<(&'static str, String)>),
    /// Blocks beside each other, where there is room.
    Beside(Vec<Vec<Block>>),
    /// A place of the page, or a file beside it.
    Link {
        /// What is shown.
        text: String,
        /// An anchor with its `#`, or a path.
        to: String,
    },
    /// Pictures with one legend, the names of the series by their looks.
    Charts(Vec<String>, Vec<Chart>),
    /// A picture of horizontal bars.
    Bars {
        /// What a full bar is.
        title: String,
        /// What the looks of their parts mean, where a list says it.
        names: Vec<(usize, &'static str)>,
        /// From the top.
        bars: Vec<ChartBar>,
    },
    /// Files beside the page.
    Files {
        /// What they are for.
        text: String,
        /// Their paths from the page.
        paths: Vec<String>,
    },
    /// Commands, each with what it does.
    Commands {
        /// What they are for, in a word.
        label: &'static str,
        /// One a line.
        commands: Vec<String>,
    },
}

/// Lines of equal kind.
#[derive(Debug)]
pub struct List {
    /// What they are; empty: they need no introduction.
    pub label: String,
    /// One sentence or clause each.
    pub items: Vec<String>,
    /// Whether a terminal shows them as one paragraph.
    pub inline: bool,
}

impl Document {
    /// The verdict, in one sentence.
    #[must_use]
    pub fn sentence(&self) -> Option<&str> {
        self.blocks.iter().find_map(|(_, block)| match block {
            Block::Verdict { text, .. } => Some(&**text),
            _ => None,
        })
    }

    /// Adds a block for every medium.
    pub fn add(&mut self, block: Block) {
        self.add_on(Medium::Any, block);
    }

    /// Adds a block for one medium.
    pub fn add_on(&mut self, medium: Medium, block: Block) {
        self.blocks.push((medium, block));
    }

    /// Adds the blocks of another document.
    pub fn append(&mut self, other: Self) {
        self.blocks.extend(other.blocks);
    }

    /// Adds a block that only the page shows.
    pub fn page(&mut self, block: Block) {
        self.add_on(Medium::Page, block);
    }

    /// Ends page one and the first screen: what follows is folded away.
    pub fn fold(&mut self) {
        self.open = Some(self.blocks.len());
    }

    /// Begins a section.
    pub fn section(&mut self, id: &'static str, title: &'static str) {
        self.add(Block::Section { id, title });
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, label: &str, text: impl Into<String>) {
        self.add(Block::Paragraph { label: label.to_owned(), text: text.into() });
    }

    /// Adds a list, unless it is empty.
    pub fn list(&mut self, label: impl Into<String>, items: Vec<String>) {
        if !items.is_empty() {
            self.add(Block::List(List { label: label.into(), items, inline: false }));
        }
    }

    /// Adds a table, unless it is empty.
    pub fn table(&mut self, table: Table) {
        if !table.is_empty() {
            self.add(Block::Table(table));
        }
    }

    /// What a medium shows.
    pub(super) fn on(&self, medium: Medium) -> impl Iterator<Item = &Block> {
        let shown = move |of: Medium| of == Medium::Any || of == medium;
        let hides = medium == Medium::Terminal && !self.verbose;
        let most = self.open.filter(|_| hides).unwrap_or(self.blocks.len());
        self.blocks[..most].iter().filter(move |(of, _)| shown(*of)).map(|(_, block)| block)
    }
}
