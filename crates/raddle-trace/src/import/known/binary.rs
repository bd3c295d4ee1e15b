//! Which other tool's file is this, by its first bytes or its name?

use super::ForeignFile;

const NSYS: &str = "export the report again with `nsys export --type sqlite REPORT.nsys-rep`";
pub(super) const NCU: &str = "record the time line of the same program with `nsys profile --trace=cuda \
                   --cuda-graph-trace=node --export=sqlite -o run APPLICATION`";
const ROCPROF: &str = "record again with `rocprofv3 --kernel-trace --hip-trace --memory-copy-trace \
                       --output-format json -o run -- APPLICATION`";

const HPCTOOLKIT: &str = "record the same program with `nsys profile --trace=cuda --export=sqlite -o run \
                          APPLICATION`, or on AMD with `rocprofv3 --kernel-trace --hip-trace \
                          --output-format json -o run -- APPLICATION`";
pub(super) const PERFETTO: &str = ROCPROF;

const PICTURE: &str = "give the profile that it shows, as the profiler wrote it (docs/profiles.md)";

/// First bytes of files that are no profiles, each with a description of the file and advice.
const BEGINNINGS: [(&[u8], &str, &str); 22] = [
    (
        b"HPCTOOLKIT",
        "a database of HPCToolkit, which keeps no time line of kernels with grids",
        HPCTOOLKIT,
    ),
    (b"HPCRUN-", "a measurement of HPCToolkit, which keeps no grids", HPCTOOLKIT),
    (
        b"version https://git-lfs",
        "a Git LFS pointer, which git left in the place of the file",
        "fetch the file itself with `git lfs pull`",
    ),
    (b"\x89PNG\r\n", "a picture (PNG)", PICTURE),
    (b"\xff\xd8\xff", "a picture (JPEG)", PICTURE),
    (b"%PDF-", "a document (PDF)", PICTURE),
    (b"PK\x03\x04", "a zip archive", "unpack it with `unzip FILE` and give the profile inside"),
    (b"\x28\xb5\x2f\xfd", "a zstd file", "unpack it with `zstd -d FILE`"),
    (b"\xfd7zXZ", "an xz file", "unpack it with `xz -d FILE`"),
    (b"BZh", "a bzip2 file", "unpack it with `bzip2 -d FILE`"),
    (b"\x1f\x8b", "a gzip file within a gzip file", "unpack it once with `gzip -d FILE.gz`"),
    (
        b"<",
        "HTML or XML, perhaps the page of a site that shows the file",
        "fetch the file itself with `curl -LO ADDRESS-OF-THE-RAW-FILE`",
    ),
    (b"NVR\0", "a report of Nsight Compute (ncu), which has no time line", NCU),
    (b"==PROF==", "the output of Nsight Compute (ncu), which has no time line", NCU),
    (b"PAR1", "a Parquet table, such as Nsight Systems exports (parquetdir)", NSYS),
    (b"ARROW1", "an Arrow table, such as Nsight Systems exports (arrow)", NSYS),
    (b"\xff\xff\xff\xff", "an Arrow stream, such as Nsight Systems exports (arrow)", NSYS),
    (b"\x89HDF\r\n", "an HDF5 file, such as Nsight Systems exports (hdf)", NSYS),
    (b"OTF2", "an OTF2 archive of Score-P or rocprofv3", ROCPROF),
    (
        b"\xff\xfe",
        "a text in UTF-16, as `>` of a Windows shell (PowerShell) writes it",
        "write it as UTF-8 with `iconv -f UTF-16 -t UTF-8 FILE > NEW`",
    ),
    (
        b"\xfe\xff",
        "a text in UTF-16, as tools on Windows write it",
        "write it as UTF-8 with `iconv -f UTF-16 -t UTF-8 FILE > NEW`",
    ),
    (
        b"\x80\x04\x95",
        "a pickle of Python, such as a memory snapshot of PyTorch",
        "record the kernels with `torch.profiler.profile()`, then `export_chrome_trace(\"trace.json.gz\")`",
    ),
];

/// Name endings of files whose format is not documented, each with a description of the file and
/// advice. These files alone are recognised by name.
const ENDINGS: [(&[&str], &str, &str); 3] = [
    (
        &[".nsys-rep", ".qdrep", ".qdstrm"],
        "a report of Nsight Systems (nsys), which only its own tools can read",
        NSYS,
    ),
    (&[".ncu-rep"], "a report of Nsight Compute (ncu), which has no time line", NCU),
    (&[".otf2"], "an OTF2 archive of Score-P or rocprofv3", ROCPROF),
];

/// Recognises a file that is no profile by its first bytes; `None` where its kind is unknown.
pub(super) fn by_bytes(head: &[u8]) -> Option<ForeignFile> {
    let markup = &head[..head.len().min(512)];
    if head.starts_with(b"<") && markup.windows(10).any(|part| part == b"HPCToolkit") {
        let what = "an experiment of HPCToolkit, which holds sums and no launches";
        return Some(ForeignFile::Other(what, HPCTOOLKIT));
    }
    let found = BEGINNINGS.iter().find(|(magic, ..)| head.starts_with(magic));
    if let Some(&(_, what, advice)) = found {
        return Some(ForeignFile::Other(what, advice));
    }
    if head.get(257..262) == Some(b"ustar".as_slice()) {
        let advice = "unpack it with `tar -xf FILE` and give the profile inside";
        return Some(ForeignFile::Other("a tar archive", advice));
    }
    None
}

/// Recognises a file of protocol buffers (packets of Perfetto), which is no profile; `None` for
/// other files. Must be called before blanks are skipped, since the first byte of such a file
/// counts as a blank in a text.
pub(in crate::import) fn by_packets(head: &[u8]) -> Option<ForeignFile> {
    match first_field(head)? {
        // Names come first in the timelines of raddle.
        12 => Some(ForeignFile::Other(
            "a timeline of raddle",
            "look at it in ui.perfetto.dev, and give the profile that was replayed",
        )),
        _ => {
            let perfetto = "a trace of Perfetto, such as rocprofv3 and rocprof-sys write (pftrace)";
            Some(ForeignFile::Other(perfetto, ROCPROF))
        }
    }
}

/// Recognises a file that is no profile by the ending of its name; `None` where the ending is
/// unknown.
pub(in crate::import) fn by_name(file: &str) -> Option<ForeignFile> {
    let stem = file.strip_suffix(".gz").unwrap_or(file);
    let ends = |endings: &[&str]| endings.iter().any(|ending| stem.ends_with(ending));
    let found = ENDINGS.iter().find(|(endings, ..)| ends(endings));
    found.map(|&(_, what, advice)| ForeignFile::Other(what, advice))
}

/// Returns whether a file that begins with these bytes is an XPlane: its first field is a plane (a
/// device), which begins with a number and a name.
pub(in crate::import) fn is_xplane(head: &[u8]) -> bool {
    let Some(mut plane) = first_message(head) else {
        return false;
    };
    if plane.first() == Some(&8) {
        plane = &plane[1..];
        if varint(&mut plane).is_none() {
            return false;
        }
    }
    let name = plane.strip_prefix(&[0x12]).and_then(|mut rest| {
        let len = usize::try_from(varint(&mut rest)?).ok()?;
        Some(&rest[..len.min(rest.len())])
    });
    name.is_some_and(|name| name.starts_with(b"/") || name == b"Task Environment")
}

/// Returns the number of the first field of the first packet, if these bytes are packets of
/// Perfetto; otherwise `None`.
fn first_field(head: &[u8]) -> Option<u64> {
    // The fields: times, sequences, clocks, names, a configuration, descriptors, events,
    // synchronisation.
    const FIRST: [u64; 16] = [3, 6, 8, 10, 11, 12, 13, 33, 35, 36, 42, 43, 44, 58, 60, 89];
    let is_text = |b: &u8| b.is_ascii_graphic() || b.is_ascii_whitespace();
    let mut packet = first_message(head).filter(|_| !head.iter().take(64).all(is_text))?;
    let key = varint(&mut packet)?;
    (FIRST.contains(&(key >> 3)) && matches!(key & 7, 0 | 2)).then_some(key >> 3)
}

/// Returns the message that is the first field of a protocol buffer, as far as `head` holds it;
/// `None` where the bytes are no protocol buffer.
fn first_message(head: &[u8]) -> Option<&[u8]> {
    let mut rest = head.strip_prefix(b"\n")?;
    let len = usize::try_from(varint(&mut rest)?).ok()?;
    (len > 1).then(|| &rest[..len.min(rest.len())])
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}
