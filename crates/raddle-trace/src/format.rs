//! Which formats of profiles are there, and which facts hold for every file of each format?

use raddle_device::Vendor;

/// Formats of profiles that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProfileFormat {
    /// A trace of the PyTorch profiler, in JSON.
    Kineto,
    /// An SQLite export of Nsight Systems.
    NsysSqlite,
    /// The `cuda_gpu_trace` report of Nsight Systems, in CSV.
    NsysCsv,
    /// The trace of GPU work that nvprof prints, in CSV.
    NvprofCsv,
    /// A result of rocprof, version 1 or 3, in JSON.
    RocprofJson,
    /// A kernel table of rocprof, version 1, 2 or 3, in CSV.
    RocprofCsv,
    /// A database of rocprofv3, the default output of ROCm 7.
    Rocpd,
    /// A database of rocmProfileData, or the JSON converted from one.
    Rpd,
    /// A profile of JAX, XLA or TensorFlow as a protocol buffer (`.xplane.pb`).
    XPlane,
    /// A profile of JAX, XLA or TensorFlow as a trace in JSON (`trace.json.gz`).
    XlaJson,
    /// A launch table, the format of this project, in CSV.
    LaunchTable,
}

/// Properties of every file of one profile format: the format's name in results, the maker of the
/// devices, and the advice where kernels have no grid.
struct FormatRow {
    name: &'static str,
    maker: Option<Vendor>,
    advice: &'static str,
}

const RECORD_SHAPES: &str = "record grids and workgroup sizes too";
const GIVE_CAPTURE: &str = "give the trace of the graphs' capture, or a profile of the same kernels with shapes, as --shapes-from FILE; or record with rocprofv3 (--kernel-trace --hip-trace --output-format json), or with graphs switched off and a warm-up step before the recording";

/// Description of all kinds of files that can be read, for the message about a file of another
/// kind.
pub(crate) const READABLE: &str = "a trace of PyTorch (.json, .json.gz) or JAX (.xplane.pb), an SQLite \
    export or cuda_gpu_trace report (.csv) of Nsight Systems, a result (.json), database (.db) or \
    table of kernels (.csv) of rocprof, a database of rocmProfileData (.rpd), or a launch table";

impl ProfileFormat {
    const fn row(self) -> FormatRow {
        match self {
            Self::Kineto => FormatRow { name: "kineto", maker: None, advice: GIVE_CAPTURE },
            Self::NsysSqlite => FormatRow {
                name: "nsys-sqlite",
                maker: Some(Vendor::Nvidia),
                advice: "record with `nsys profile --cuda-graph-trace=node`",
            },
            Self::NsysCsv => {
                FormatRow { name: "nsys-csv", maker: Some(Vendor::Nvidia), advice: RECORD_SHAPES }
            }
            Self::NvprofCsv => {
                FormatRow { name: "nvprof-csv", maker: Some(Vendor::Nvidia), advice: RECORD_SHAPES }
            }
            Self::RocprofJson => FormatRow {
                name: "rocprof-json",
                maker: Some(Vendor::Amd),
                advice: "JSON of rocprof v1 holds no grids, so give the results.csv of the same run",
            },
            Self::RocprofCsv => {
                FormatRow { name: "rocprof-csv", maker: Some(Vendor::Amd), advice: RECORD_SHAPES }
            }
            Self::Rocpd => {
                FormatRow { name: "rocpd", maker: Some(Vendor::Amd), advice: RECORD_SHAPES }
            }
            Self::Rpd => FormatRow {
                name: "rpd",
                maker: Some(Vendor::Amd),
                advice: "give the database that it was made of, `raddle inspect FILE.rpd`",
            },
            Self::XPlane => FormatRow { name: "xplane", maker: None, advice: RECORD_SHAPES },
            Self::XlaJson => FormatRow { name: "xla-json", maker: None, advice: RECORD_SHAPES },
            Self::LaunchTable => {
                FormatRow { name: "launch-table", maker: None, advice: RECORD_SHAPES }
            }
        }
    }

    /// Returns the kebab-case name of the format in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the maker of the devices that files of this format are recorded on; `None` where a
    /// file may be of any maker.
    #[must_use]
    pub const fn maker(self) -> Option<Vendor> {
        self.row().maker
    }

    /// Returns advice on how to obtain the grids and workgroups of kernels, for files of this
    /// format that lack them.
    #[must_use]
    pub const fn shape_advice(self) -> &'static str {
        self.row().advice
    }
}
