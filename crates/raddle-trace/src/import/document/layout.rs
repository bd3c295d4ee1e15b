//! Where does a document have its records, and what takes them?

use crate::report::ImportReport;

/// The members of an object that matter, by key.
pub(in crate::import) type LayoutMembers<S> = &'static [(&'static str, DocumentLayout<S>)];

/// The places where a document has records. Everything that a layout does not name is skipped.
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

/// A receiver of the records of a document.
pub(in crate::import) trait RecordSink {
    /// The kinds of records.
    type Section: Copy + 'static;

    /// The word for the items that are counted against the limit of records, for messages.
    const RECORDS: &'static str;

    /// Notes that a section begins.
    fn begin(&mut self, section: Self::Section);

    /// Takes the record at the start of `text`, and returns its length.
    ///
    /// # Errors
    /// When the text is not such a record, or ends before the record does. Nothing was taken then.
    fn record(&mut self, section: Self::Section, text: &[u8]) -> serde_json::Result<usize>;

    /// Counts a record that cannot be read.
    fn malformed(&mut self, section: Self::Section);

    /// Returns the first key of every record of this section; after damaged text, reading goes on
    /// at the next one. `None` where the records have no first key in common.
    fn first_key(section: Self::Section) -> Option<&'static [u8]>;

    /// Counts the records that are kept.
    fn kept(&self) -> usize;

    /// Counts the kernels that were met, also those left out.
    fn kernels_seen(&self) -> u64;

    /// Returns the report in which quirks are counted.
    fn report(&mut self) -> &mut ImportReport;
}

/// The way in which the reading of a document ended, and what was met.
#[derive(Debug, Default)]
pub(in crate::import) struct DocumentEnd {
    /// The position that the reading came to.
    pub(in crate::import) position: u64,
    /// True if the input ended before the document did.
    pub(in crate::import) truncated: bool,
    /// The position where the text stopped being JSON.
    pub(in crate::import) broken_at: Option<u64>,
    /// The number of values among the records that are no records.
    pub(in crate::import) strange: u64,
    /// The first keys of the outermost object.
    pub(in crate::import) keys: Vec<String>,
    /// The number of records known to be lost.
    pub(super) lost: u64,
}
