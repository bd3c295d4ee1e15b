//! How is a result shown: as text, as a page, as a timeline?
#![forbid(unsafe_code)]
