//! What would the hardware have to answer, and how does it come to that answer?
#![forbid(unsafe_code)]
