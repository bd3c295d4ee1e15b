//! Of which blocks is a document made?

use super::chart::{Chart, ChartBar, SeriesLook};
use super::table::Table;

/// Where a block of a document is shown: on the terminal, on the page, or on both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// The block is shown on the terminal and on the page.
    Any,
    /// The block is shown on a terminal only.
    Terminal,
    /// The block is shown on the page only.
    Page,
}

/// Result of a command for people: a list of blocks.
#[derive(Debug, Default)]
pub struct Document {
    /// Heading of the page; a terminal does not show it.
    pub title: String,
    /// Line below the title on the page.
    pub summary: String,
    /// Words that tell where the rest of a shortened list can be found, such as "with --format
    /// json".
    pub full: &'static str,
    /// Number of characters in a line of text on a terminal; `None` means 100. Tables may be wider.
    pub columns: Option<usize>,
    /// True if a terminal also shows the blocks that the page folds away (hides until they are
    /// opened).
    pub verbose: bool,
    /// Number of blocks before the first that is folded away (hidden until opened); `None` if no
    /// block is.
    pub(super) open: Option<usize>,
    pub(super) blocks: Vec<(Medium, Block)>,
}

/// A part of a document. Text between backticks is code.
#[derive(Debug)]
pub enum Block {
    /// Begin of a section, which ends at the next one. A terminal shows no heading for it.
    Section {
        /// Anchor of the section on the page.
        id: &'static str,
        /// Heading of the section.
        title: &'static str,
    },
    /// Heading within a section, as text.
    Heading(String),
    /// Text with its subject before it.
    Paragraph {
        /// Subject of the text, such as "Memory", shown before it; empty for none.
        label: String,
        /// Text of the paragraph, in one or more sentences.
        text: String,
    },
    /// Text that explains how a figure or a table is read.
    Note(String),
    /// List of lines of one kind.
    List(List),
    /// Warning that a reader should see before using the figures.
    Warning(String),
    /// Table of figures, such as those of each recipe.
    Table(Table),
    /// Verdict: the recommendation and its reason.
    Verdict {
        /// True if the verdict recommends a recipe, or a prediction holds; the page then colours
        /// it.
        good: bool,
        /// Part of the sentence that is drawn bolder, such as the recipe; empty for none.
        name: String,
        /// Verdict in a sentence or a few.
        text: String,
        /// Reason for the verdict; `None` for none.
        why: Option<String>,
    },
    /// Short facts, each as (label, text), shown in one row.
    Chips(Vec<(&'static str, String)>),
    /// Columns of blocks, shown beside each other where there is room.
    Beside(Vec<Vec<Block>>),
    /// Link to a place on the page, or to a file in the folder of the page.
    Link {
        /// Text of the link that a reader sees.
        text: String,
        /// Target of the link: an anchor with its `#`, or a path.
        to: String,
    },
    /// Legend of charts, as pairs (look, name), and the charts that it explains.
    Charts(Vec<(SeriesLook, String)>, Vec<Chart>),
    /// Picture of horizontal bars of one scale, with a title and a legend.
    Bars {
        /// Title, which says what a full bar means.
        title: String,
        /// Legend of the parts: (index of the colour, meaning); empty for no legend.
        names: Vec<(usize, &'static str)>,
        /// Bars, from the top.
        bars: Vec<ChartBar>,
    },
    /// Links to files in the folder of the page.
    Files {
        /// Purpose of the linked files, as text.
        text: String,
        /// Paths of the files from the page.
        paths: Vec<String>,
        /// Text of the link behind each file's name, such as "download".
        how: &'static str,
    },
    /// Title, and blocks of the page that are hidden until somebody opens the title.
    Fold(String, Vec<Block>),
    /// Commands that a user may type, under one label.
    Commands {
        /// Purpose of the commands, in a word.
        label: &'static str,
        /// Commands, one line each.
        commands: Vec<String>,
    },
}

/// List of lines of one kind.
#[derive(Debug)]
pub struct List {
    /// Subject of the lines, shown before them; empty for none.
    pub label: String,
    /// Lines, one sentence or clause each.
    pub items: Vec<String>,
    /// True if a terminal shows the lines as one paragraph; false for one line each.
    pub inline: bool,
    /// Name by which links of the page lead to line `n`, as `#NAME-n`; empty for none.
    pub anchor: &'static str,
}

impl Document {
    /// Returns the text of the verdict; `None` where the document has none.
    #[must_use]
    pub fn sentence(&self) -> Option<&str> {
        self.blocks.iter().find_map(|(_, block)| match block {
            Block::Verdict { text, .. } => Some(&**text),
            _ => None,
        })
    }

    /// Adds a block at the end, which the terminal and the page show.
    pub fn add(&mut self, block: Block) {
        self.add_on(Medium::Any, block);
    }

    /// Adds each line as a warning of something that can make an answer wrong; the terminal and the
    /// page show it.
    pub fn warn(&mut self, lines: &[String]) {
        lines.iter().for_each(|line| self.add(Block::Warning(line.clone())));
    }

    /// Adds the commands to run next, one in each line, which only a terminal shows.
    pub fn next(&mut self, lines: Vec<String>) {
        self.add_on(Medium::Terminal, Block::Commands { label: "Next", commands: lines });
    }

    /// Adds a block at the end, which only `medium` (the terminal or the page) shows.
    pub fn add_on(&mut self, medium: Medium, block: Block) {
        self.blocks.push((medium, block));
    }

    /// Adds all blocks of `other` behind the blocks of this document.
    pub fn append(&mut self, other: Self) {
        self.blocks.extend(other.blocks);
    }

    /// Adds a block that only the page shows, and no terminal.
    pub fn page(&mut self, block: Block) {
        self.add_on(Medium::Page, block);
    }

    /// Folds away all blocks that follow: the page hides them until they are opened, and a terminal
    /// shows them only with the option for more detail.
    pub fn fold(&mut self) {
        self.open = Some(self.blocks.len());
    }

    /// Begins a section with an anchor and a title; it ends at the next section.
    pub fn section(&mut self, id: &'static str, title: &'static str) {
        self.add(Block::Section { id, title });
    }

    /// Adds a paragraph of text behind a label; the label may be empty.
    pub fn paragraph(&mut self, label: &str, text: impl Into<String>) {
        self.add(Block::Paragraph { label: label.to_owned(), text: text.into() });
    }

    /// Adds a list of lines under a label, unless it has no line.
    pub fn list(&mut self, label: impl Into<String>, items: Vec<String>) {
        if !items.is_empty() {
            self.add(Block::List(List { label: label.into(), items, inline: false, anchor: "" }));
        }
    }

    /// Adds a table, unless it has no row.
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
