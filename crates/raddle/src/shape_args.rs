//! Which options of the command line are about kernels without shapes?

use std::path::PathBuf;

use clap::Args;
use raddle_study::ShapeRules;

use crate::disk::named;

/// The options for kernels without shapes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct ShapeArgs {
    /// Accept profiles in which more than a tenth of the kernel time has no shape; such kernels
    /// fill the wave slots of the device while they run
    #[arg(long)]
    pub(crate) partial: bool,
    /// Shapes for kernels without one: the trace that vLLM or SGLang wrote while it captured its
    /// graphs, or a profile of the same kernels that has shapes; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) shapes_from: Vec<PathBuf>,
}

impl ShapeArgs {
    /// Returns the rules that the options describe for kernels whose shapes (grid and workgroup
    /// sizes) the profile does not hold.
    pub(crate) fn rules(&self) -> ShapeRules {
        ShapeRules { partial: self.partial, shapes_from: named(&self.shapes_from) }
    }
}
