//! Which options does `raddle serve` have?

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The port [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(super) port: u16,
    /// Only print the address
    #[arg(long)]
    pub(super) no_open: bool,
    /// Write the application to a file that needs no server, and exit
    #[arg(long, value_name = "FILE", conflicts_with_all = ["port", "no_open"])]
    pub(super) save: Option<PathBuf>,
    /// The engine for that file [default: raddle.wasm beside the program]
    #[arg(long, value_name = "FILE", requires = "save")]
    pub(super) wasm: Option<PathBuf>,
}
