//! Which kernels does a PTX module hold, and what do they do to memory?

mod lower;
pub(crate) mod text;

use crate::{Error, Kernel};

/// Returns the kernels (`.entry`) of a PTX module, with their lines in the PTX. A text that is not
/// PTX is an error.
pub(crate) fn kernels(text: &str) -> Result<Vec<Kernel>, Error> {
    let module = text::read(text)?;
    let entries = module.functions.iter().filter(|function| function.entry && function.defined);
    Ok(entries
        .map(|function| Kernel {
            name: function.name.to_owned(),
            line: function.line,
            body: lower::body(&module, function),
        })
        .collect())
}
