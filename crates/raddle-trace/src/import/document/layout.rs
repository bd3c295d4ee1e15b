//! Where does a JSON document have its records, and which trait receives them?

use crate::report::ImportReport;

/// Keys of a JSON object that lead to records, each with the layout of its value.
pub(in crate::import) type LayoutMembers<S> = &'static [(&'static str, DocumentLayout<S>)];

/// Places where a JSON document has records. All values that a layout does not name are skipped.
#[derive(Clone, Copy, Debug)]
pub(in crate::import) enum DocumentLayout<S: 'static> {
    /// A JSON object, with its keys that lead to records.
    Object(LayoutMembers<S>),
    /// An array of objects. Each object begins the section (a kind of records) anew; its keys lead
    /// to records.
    Objects(S, LayoutMembers<S>),
    /// An array of records of one section (a kind of records), which begins with the array.
    Records(S),
    /// An object or array that is itself one record, of the section (kind of records) that is named
    /// here.
    Record(S),
}

/// A receiver of the records of a JSON document; an importer is one.
pub(in crate::import) trait RecordSink {
    /// Kinds of records that the document holds, such as events and devices.
    type Section: Copy + 'static;

    /// Plural noun for the records whose number an import limits, for error messages.
    const RECORDS: &'static str;

    /// Called when a section (a kind of records) of the document begins, before its records.
    fn begin(&mut self, section: Self::Section);

    /// Reads the record at the start of `text`, and returns its length in bytes.
    ///
    /// # Errors
    /// When the text is no record of this section, or ends before the record does. The receiver
    /// then keeps nothing of it.
    fn record(&mut self, section: Self::Section, text: &[u8]) -> serde_json::Result<usize>;

    /// Called for each record of this section that cannot be read, so that the receiver counts it.
    fn malformed(&mut self, section: Self::Section);

    /// Returns the key that comes first in every record of this section, or `None` where records
    /// have no such key. After damaged text, reading goes on at the next object that begins with
    /// this key.
    fn first_key(section: Self::Section) -> Option<&'static [u8]>;

    /// Returns the number of records that the receiver has kept. Reading stops where the number
    /// exceeds the limit of an import.
    fn kept(&self) -> usize;

    /// Returns the number of kernels in the document, including those that were left out.
    fn kernels_seen(&self) -> u64;

    /// Returns the import report, to count faults of the document in it.
    fn report(&mut self) -> &mut ImportReport;
}

/// How the reading of a document ended, and how many faults it met.
#[derive(Debug, Default)]
pub(in crate::import) struct DocumentEnd {
    /// Position in the document's text, in bytes, at which the reading ended.
    pub(in crate::import) position: u64,
    /// True if the input ended before the JSON document did.
    pub(in crate::import) truncated: bool,
    /// Offset in the text, in bytes, at which the text stops being JSON; `None` where all of it is
    /// JSON.
    pub(in crate::import) broken_at: Option<u64>,
    /// Number of values in arrays of records that are no records.
    pub(in crate::import) strange: u64,
    /// First keys of the document's outermost object, for messages.
    pub(in crate::import) keys: Vec<String>,
    /// Number of records that are lost because the document ends within them, or because they are
    /// too large.
    pub(super) lost: u64,
}
