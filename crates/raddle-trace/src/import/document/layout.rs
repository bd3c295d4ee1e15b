//! Where does a document have its records, and what takes them?

use crate::report::ImportReport;

/// The members of an object that matter, by key.
pub(in crate::import) type LayoutMembers<S> = &'static [(&'static str, DocumentLayout<S>)];

/// Where a document has records. Everything that a layout does not name is skipped.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) enum DocumentLayout<S: 'static> {
    /// An object.
    Object(LayoutMembers<S>),
    /// An array of objects, each of which begins this section.
    Objects(S, LayoutMembers<S>),
    /// An array of records, which begins this section.
    Records(S),
    /// An object or array that is one record of this section.
    Record(S),
}

/// What takes the records of a document.
pub(in crate::import) trait RecordSink {
    /// The kinds of records.
    type Section: Copy + 'static;

    /// What is counted against the limit of records, for messages.
    const RECORDS: &'static str;

    /// A section begins.
    fn begin(&mut self, section: Self::Section);

    /// Takes the record at the start of `text` and tells its length.
    ///
    /// # Errors
    /// When the text is not such a record, or ends before the record does. Nothing was taken then.
    fn record(&mut self, section: Self::Section, text: &[u8]) -> serde_json::Result<usize>;

    /// Counts a record that cannot be read.
    fn malformed(&mut self, section: Self::Section);

    /// The first key of every record of this section; after damaged text, reading goes on there.
    /// `None` where records have none in common.
    fn first_key(section: Self::Section) -> Option<&'static [u8]>;

    /// How many records are kept.
    fn kept(&self) -> usize;

    /// How many kernels were met, also those left out.
    fn kernels_seen(&self) -> u64;

    /// Where quirks are counted.
    fn report(&mut self) -> &mut ImportReport;
}

/// How the reading of a document ended, and what it met.
#[derive(Debug, Default)]
pub(in crate::import) struct DocumentEnd {
    /// How far it came.
    pub(in crate::import) position: u64,
    /// Whether the input ended before the document did.
    pub(in crate::import) truncated: bool,
    /// Where the text stopped being JSON.
    pub(in crate::import) broken_at: Option<u64>,
    /// Values among the records that are no records.
    pub(in crate::import) strange: u64,
    /// The first keys of the outermost object.
    pub(in crate::import) keys: Vec<String>,
    /// Records known to be lost.
    pub(super) lost: u64,
}
