//! Of which blocks is a document made?

use super::chart::{Chart, ChartBar, SeriesLook};
use super::table::Table;

/// Where a block of a document is shown: on the terminal, on the HTML page, or on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// The block is shown on the terminal and on the HTML page.
    Any,
    /// The block is shown on a terminal only.
    Terminal,
    /// The block is shown on the HTML page only.
    Page,
}

/// Result of a command for people, as a list of blocks that are written for a terminal and as an
/// HTML page.
#[derive(Debug, Default)]
pub struct Document {
    /// Title of the HTML page; a terminal does not show it.
    pub title: String,
    /// Line of text below the title of the HTML page.
    pub summary: String,
    /// Hint where the items that a shortened list leaves out can be found, such as "with --format
    /// json".
    pub full: &'static str,
    /// Number of characters in a line of text on a terminal; `None` means 100. Tables may be wider.
    pub columns: Option<usize>,
    /// True if a terminal also shows the blocks that the HTML page folds away (hides until they are
    /// opened).
    pub verbose: bool,
    /// Number of blocks before the first block that is folded away (hidden until it is opened);
    /// `None` if no block is.
    pub(super) open: Option<usize>,
    pub(super) blocks: Vec<(Medium, Block)>,
}

/// A part of a document. Text between backticks is code.
#[derive(Debug)]
pub enum Block {
    /// Beginning of a section, which ends where the next one begins. A terminal shows no heading
    /// for it.
    Section {
        /// Anchor of the section on the HTML page.
        id: &'static str,
        /// Heading of the section on the HTML page.
        title: &'static str,
    },
    /// Text of a heading within a section.
    Heading(String),
    /// Paragraph of text, with its subject in front.
    Paragraph {
        /// Subject of the paragraph, such as "Memory", shown in front of its text; empty for none.
        label: String,
        /// Text of the paragraph, in one or more sentences.
        text: String,
    },
    /// Note that explains how a figure or a table is read.
    Note(String),
    /// List of items of one kind, each a line of text.
    List(List),
    /// Warning that a reader should see before using the figures.
    Warning(String),
    /// Table of figures, such as those of each recipe (way of sharing the device).
    Table(Table),
    /// Verdict: which recipe (way of sharing the device) is recommended, or whether a prediction
    /// holds, and the reason.
    Verdict {
        /// True if the verdict recommends a recipe (way of sharing the device), or a prediction
        /// holds; the HTML page then colours the verdict.
        good: bool,
        /// Part of the verdict's sentence that is drawn bolder, such as the name of the recommended
        /// recipe (way of sharing the device); empty for none.
        name: String,
        /// Text of the verdict, in one or a few sentences.
        text: String,
        /// Reason for the verdict; `None` to give no reason.
        why: Option<String>,
    },
    /// Short facts about the result, each as (label, text), shown in one row on the HTML page.
    Chips(Vec<(&'static str, String)>),
    /// Columns, each a list of blocks, shown side by side where there is room.
    Beside(Vec<Vec<Block>>),
    /// Link to a place on the HTML page, or to a file in the folder of the page.
    Link {
        /// Text that a reader sees and follows as the link.
        text: String,
        /// Target of the link: an anchor with its `#`, or a path.
        to: String,
    },
    /// Legend of charts, as pairs (look of a series, name), and the charts that it explains.
    Charts(Vec<(SeriesLook, String)>, Vec<Chart>),
    /// Picture of horizontal bars with a common scale, a title and a legend.
    Bars {
        /// Title of the picture, which says what a bar of full width means.
        title: String,
        /// Legend of the parts of bars: (index of the colour or pattern, meaning); empty for no
        /// legend.
        names: Vec<(usize, &'static str)>,
        /// Bars of the picture, from top to bottom.
        bars: Vec<ChartBar>,
    },
    /// Links to files in the folder of the HTML page.
    Files {
        /// Text that says what the linked files are for.
        text: String,
        /// Paths of the linked files, relative to the page.
        paths: Vec<String>,
        /// Text of the link behind each file's name, such as "download".
        how: &'static str,
    },
    /// Title, and blocks that the HTML page hides until the reader opens the title.
    Fold(String, Vec<Block>),
    /// Commands that a user may type next, under one label.
    Commands {
        /// Word that says what the commands are for.
        label: &'static str,
        /// Commands that a user may type next, one line of text each.
        commands: Vec<String>,
    },
}

/// List of items of one kind, each a line of text.
#[derive(Debug)]
pub struct List {
    /// Subject of the list, shown in front of its items; empty for none.
    pub label: String,
    /// Items of the list, one sentence or clause each.
    pub items: Vec<String>,
    /// True if a terminal shows the items as one paragraph; false for one line each.
    pub inline: bool,
    /// Name by which links of the HTML page lead to item `n` of the list, as `#NAME-n`; empty for
    /// none.
    pub anchor: &'static str,
}

impl Document {
    /// Returns the text of the document's verdict; `None` where it has none.
    #[must_use]
    pub fn sentence(&self) -> Option<&str> {
        self.blocks.iter().find_map(|(_, block)| match block {
            Block::Verdict { text, .. } => Some(&**text),
            _ => None,
        })
    }

    /// Adds a block, which the terminal and the HTML page show, at the end of the document.
    pub fn add(&mut self, block: Block) {
        self.add_on(Medium::Any, block);
    }

    /// Adds each line as a warning of something that can make the answer wrong; the terminal and
    /// the HTML page show it.
    pub fn warn(&mut self, lines: &[String]) {
        lines.iter().for_each(|line| self.add(Block::Warning(line.clone())));
    }

    /// Adds the commands that the user may run next, one in each line; only a terminal shows them.
    pub fn next(&mut self, lines: Vec<String>) {
        self.add_on(Medium::Terminal, Block::Commands { label: "Next", commands: lines });
    }

    /// Adds a block, which only `medium` (the terminal or the HTML page) shows, at the end of the
    /// document.
    pub fn add_on(&mut self, medium: Medium, block: Block) {
        self.blocks.push((medium, block));
    }

    /// Adds all blocks of the document `other` behind the blocks of this document.
    pub fn append(&mut self, other: Self) {
        self.blocks.extend(other.blocks);
    }

    /// Adds a block that only the HTML page shows, not a terminal.
    pub fn page(&mut self, block: Block) {
        self.add_on(Medium::Page, block);
    }

    /// Folds away all blocks that are added later: the HTML page hides them until they are opened,
    /// and a terminal shows them only if [`Document::verbose`] is true.
    pub fn fold(&mut self) {
        self.open = Some(self.blocks.len());
    }

    /// Begins a section with an anchor and a title; the section ends where the next one begins.
    pub fn section(&mut self, id: &'static str, title: &'static str) {
        self.add(Block::Section { id, title });
    }

    /// Adds a paragraph of text with its subject (`label`, which may be empty) in front.
    pub fn paragraph(&mut self, label: &str, text: impl Into<String>) {
        self.add(Block::Paragraph { label: label.to_owned(), text: text.into() });
    }

    /// Adds a list of items under a label; does nothing if there are no items.
    pub fn list(&mut self, label: impl Into<String>, items: Vec<String>) {
        if !items.is_empty() {
            self.add(Block::List(List { label: label.into(), items, inline: false, anchor: "" }));
        }
    }

    /// Adds a table to the document; does nothing if the table has no rows.
    pub fn table(&mut self, table: Table) {
        if !table.is_empty() {
            self.add(Block::Table(table));
        }
    }

    /// Returns the blocks that a medium shows, in order.
    pub(super) fn on(&self, medium: Medium) -> impl Iterator<Item = &Block> {
        let shown = move |of: Medium| of == Medium::Any || of == medium;
        let hides = medium == Medium::Terminal && !self.verbose;
        let most = self.open.filter(|_| hides).unwrap_or(self.blocks.len());
        self.blocks[..most].iter().filter(move |(of, _)| shown(*of)).map(|(_, block)| block)
    }
}
