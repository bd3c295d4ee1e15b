//! Can any bytes break the importer named by this file?
#![no_main]

use libfuzzer_sys::fuzz_target;
use raddle_fuzz::{Target, import};

fuzz_target!(|bytes: &[u8]| import(Target::Sqlite, bytes));
