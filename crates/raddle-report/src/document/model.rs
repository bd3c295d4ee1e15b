//! What is a document made of?

use super::chart::{Chart, ChartBar};
use super::table::Table;

/// The place where a block is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// A block for the terminal and the page.
    Any,
    /// A block for a terminal only.
    Terminal,
    /// A block for the page only.
    Page,
}

/// The result of a verb, for people.
#[derive(Debug, Default)]
pub struct Document {
    /// The heading of the page; a terminal does without it.
    pub title: String,
    /// The line below the title on the page.
    pub summary: String,
    /// The place where the rest of a shortened list can be found, in words.
    pub full: &'static str,
    /// Columns of a line of text; `None`: 100. Tables may be wider.
    pub columns: Option<usize>,
    /// True if a terminal shows the blocks that the page folds away.
    pub verbose: bool,
    /// The number of blocks before the part that is folded away, if any part is.
    pub(super) open: Option<usize>,
    pub(super) blocks: Vec<(Medium, Block)>,
}

/// A part of a document. Text between backticks is code.
#[derive(Debug)]
pub enum Block {
    /// The beginning of a section, which ends at the next one. A terminal shows no heading for it.
    Section {
        /// The anchor of the section on the page.
        id: &'static str,
        /// The heading of the section.
        title: &'static str,
    },
    /// A heading within a section.
    Heading(String),
    /// Text, after its label if it has one.
    Paragraph {
        /// The subject of the text.
        label: String,
        /// The text, of one or more sentences.
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
    /// The recommendation, and its reason.
    Verdict {
        /// True if the verdict recommends a recipe, or a prediction holds; the page colours it.
        good: bool,
        /// The part of the sentence that stands out, if the sentence has it.
        name: String,
        /// The verdict in one sentence.
        text: String,
        /// The reason, if there is one.
        why: Option<String>,
    },
    /// Short facts, each with its label.
    Chips(Vec<(&'static str, String)>),
    /// Blocks beside each other, where there is room.
    Beside(Vec<Vec<Block>>),
    /// A link to a place of the page, or to a file beside it.
    Link {
        /// The text of the link.
        text: String,
        /// An anchor with its `#`, or a path.
        to: String,
    },
    /// Pictures with one legend, the names of the series by their looks.
    Charts(Vec<String>, Vec<Chart>),
    /// A picture of horizontal bars.
    Bars {
        /// The meaning of a full bar.
        title: String,
        /// The meanings of the looks of the parts, where a list gives them.
        names: Vec<(usize, &'static str)>,
        /// The bars, from the top.
        bars: Vec<ChartBar>,
    },
    /// Files beside the page.
    Files {
        /// The purpose of the files.
        text: String,
        /// The paths of the files from the page.
        paths: Vec<String>,
    },
    /// Commands under one label.
    Commands {
        /// The purpose of the commands, in a word.
        label: &'static str,
        /// The commands, one a line.
        commands: Vec<String>,
    },
}

/// Lines of equal kind.
#[derive(Debug)]
pub struct List {
    /// The subject of the lines; empty: they need no introduction.
    pub label: String,
    /// The lines, one sentence or clause each.
    pub items: Vec<String>,
    /// True if a terminal shows the lines as one paragraph.
    pub inline: bool,
}

impl Document {
    /// Returns the verdict, in one sentence.
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

    /// Adds the lines that can overturn an answer, each a warning.
    pub fn warn(&mut self, lines: &[String]) {
        lines.iter().for_each(|line| self.add(Block::Warning(line.clone())));
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

    /// Ends page one and the first screen: all blocks that follow are folded away.
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

    /// Returns the blocks that a medium shows.
    pub(super) fn on(&self, medium: Medium) -> impl Iterator<Item = &Block> {
        let shown = move |of: Medium| of == Medium::Any || of == medium;
        let hides = medium == Medium::Terminal && !self.verbose;
        let most = self.open.filter(|_| hides).unwrap_or(self.blocks.len());
        self.blocks[..most].iter().filter(move |(of, _)| shown(*of)).map(|(_, block)| block)
    }
}
