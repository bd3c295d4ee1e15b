//! May launches of a kernel be cut into ranges of workgroups, and does the text tell them their place?

use raddle_kernel::Ranges;
use raddle_kernel::instrument::{Look, opencl_in_ranges};

use crate::corpus::compiler;

const SOURCE: &str = include_str!("../ranges.cl");

/// The kernels of the source with what stands behind `// RANGES ` above each.
fn expected() -> Vec<(String, Ranges)> {
    let lines: Vec<&str> = SOURCE.lines().collect();
    let two = lines.windows(2).filter_map(|two| {
        let word = two[0].strip_prefix("// RANGES ")?;
        let name = two[1].split_once("void ")?.1.split_once('(')?.0;
        let ranges = match word {
            "plain" => Ranges::Plain,
            "told" => Ranges::Told,
            "never" => Ranges::Never,
            other => panic!("{other}"),
        };
        Some((name.to_owned(), ranges))
    });
    two.collect()
}

#[test]
fn workgroups_that_wait_for_others_are_not_cut() {
    let Some(compiler) = compiler() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ranges.cl");
    std::fs::write(&file, SOURCE).expect("a file");
    let kernels = compiler.kernels(&file, &[]).expect("OpenCL C");
    let mut found: Vec<_> = kernels.iter().map(|it| (it.name().to_owned(), it.ranges())).collect();
    let mut expected = expected();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(expected.len() > 14);
    assert_eq!(found, expected);
}

#[test]
fn a_kernel_is_told_its_place_where_it_alone_asks() {
    let told = |source: &str| opencl_in_ranges(source, |_| Look::Never, |_| true);
    let own = "kernel void f(global int *x) { x[get_group_id(0)] = (int)get_num_groups(0); }\n";
    let done = told(own);
    assert_eq!(done.told, ["f"]);
    assert!(done.source.contains("uint raddle_axis"), "{}", done.source);
    assert!(done.source.contains("x[raddle_get_group_id(0)] = (int)raddle_get_num_groups(0)"));
    for other in [
        "size_t g(void) { return get_group_id(0); }\n",
        "#define G get_global_size(0)\n",
        "#define G(n) get_##n(0)\n",
        "#include \"other.h\"\n",
    ] {
        let done = told(&format!("{other}{own}"));
        assert_eq!((done.told.len(), done.kernels.len()), (0, 1), "{other}");
        assert!(!done.source.contains("raddle_axis"), "{}", done.source);
    }
    let comment = format!("// get_group_id(0)\nint g(int a) {{ return a + 1; }}\n{own}");
    assert_eq!(told(&comment).told, ["f"]);
}
