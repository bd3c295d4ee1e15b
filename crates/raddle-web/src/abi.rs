//! How does the script of a web page call the engine (raddle as WebAssembly)?
//!
//! The page writes a question (a study and its profiles) into the memory that `question(bytes)`
//! returns, and then calls `answer()`. Each line of the answer goes to the imported function
//! `raddle.line(text, bytes)`. An instance answers one question: a page cancels by ending its
//! worker.
#![expect(unsafe_code, reason = "the interface of WebAssembly is that of C")]

use std::sync::{Mutex, PoisonError};

static QUESTION: Mutex<Vec<u8>> = Mutex::new(Vec::new());

#[link(wasm_import_module = "raddle")]
unsafe extern "C" {
    fn line(text: *const u8, bytes: usize);
}

/// Provides `bytes` bytes of memory and returns their address. The web page writes a question into
/// them: a study and the profiles for it.
// SAFETY: no other item of the module has this name.
#[unsafe(no_mangle)]
extern "C" fn question(bytes: usize) -> *mut u8 {
    let mut room = QUESTION.lock().unwrap_or_else(PoisonError::into_inner);
    // The version must be in every engine, so the compiler must not remove it.
    std::hint::black_box(crate::MARK);
    *room = vec![0; bytes];
    room.as_mut_ptr()
}

/// Carries out the study in the question that the web page wrote into the memory that `question`
/// returned. The page's function `line` gets each line of progress, and last the result.
// SAFETY: no other item of the module has this name.
#[unsafe(no_mangle)]
extern "C" fn answer() {
    let question = std::mem::take(&mut *QUESTION.lock().unwrap_or_else(PoisonError::into_inner));
    let registry = raddle_study::Registry::bundled();
    crate::answer(&question, &registry, &|text| {
        // SAFETY: the text lives until the call returns, and the page copies it.
        unsafe { line(text.as_ptr(), text.len()) };
        true
    });
}
