//! What do the words of a PTX instruction stand for?

use rspirv::spirv::BuiltIn;

/// Returns (name, constant) of an address of PTX, `[name+constant]`; the constant is 0 where there
/// is none.
pub(super) fn address(text: &str) -> (&str, i64) {
    let inner = text.trim_start_matches('[').trim_end_matches(']').trim();
    match inner.split_once('+') {
        Some((name, offset)) => (name.trim(), integer(offset.trim()).unwrap_or(0)),
        None => (inner, 0),
    }
}

/// Returns the name of a PTX register without the number at its end.
pub(super) fn stem(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit())
}

pub(super) fn integer(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let digits = digits.strip_suffix('U').unwrap_or(digits);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let value = match digits.get(..2) {
        Some("0x" | "0X") => u64::from_str_radix(&digits[2..], 16).ok()?.cast_signed(),
        Some("0b" | "0B") => i64::from_str_radix(&digits[2..], 2).ok()?,
        // Floating-point constants by their bits.
        Some("0f" | "0F" | "0d" | "0D") => return None,
        _ => digits.parse().ok()?,
    };
    Some(if negative { value.wrapping_neg() } else { value })
}

/// Returns whether a name is that of a special register of PTX, such as `%tid`.
pub(super) fn is_special(name: &str) -> bool {
    const SPECIAL: [&str; 17] = [
        "%tid",
        "%ntid",
        "%ctaid",
        "%nctaid",
        "%laneid",
        "%warpid",
        "%nwarpid",
        "%smid",
        "%nsmid",
        "%gridid",
        "%clock",
        "%globaltimer",
        "%lanemask",
        "%clusterid",
        "%nclusterid",
        "%cluster",
        "%dynamic_smem_size",
    ];
    SPECIAL.iter().any(|special| name.starts_with(special))
        || name.starts_with("%total_smem_size")
        || is_counter(name)
}

/// Returns the SPIR-V built-in with the same value as a special register of PTX, and its dimension:
/// (built-in, 0 to 2 for x to z). The dimension is -1 for a register with all three. `None` where
/// no built-in has the same value.
pub(super) fn number(name: &str) -> Option<(BuiltIn, i64)> {
    let (vector, dimension) = name.split_once('.').unwrap_or((name, ""));
    let number = match vector {
        "%nctaid" => BuiltIn::NumWorkgroups,
        "%ntid" => BuiltIn::WorkgroupSize,
        "%ctaid" => BuiltIn::WorkgroupId,
        "%tid" => BuiltIn::LocalInvocationId,
        _ => return None,
    };
    let dimension = match dimension {
        "x" => 0,
        "y" => 1,
        "z" => 2,
        _ => -1,
    };
    Some((number, dimension))
}

/// Returns whether a special register of PTX may differ from run to run: clocks, counters, and
/// registers that say on which hardware a work-item runs.
pub(super) fn is_unsteady(name: &str) -> bool {
    ["%clock", "%globaltimer", "%smid", "%warpid", "%gridid"].iter().any(|it| name.starts_with(it))
        || is_counter(name)
}

/// Returns whether a name is that of a performance counter, `%pm0` to `%pm7` or `%pm0_64` to
/// `%pm7_64`.
fn is_counter(name: &str) -> bool {
    let number = name.strip_prefix("%pm").map(|rest| rest.strip_suffix("_64").unwrap_or(rest));
    number.is_some_and(|number| matches!(number.as_bytes(), [b'0'..=b'7']))
}

/// Operations of PTX whose result depends on the operands alone.
pub(super) const PURE: [&str; 66] = [
    "abs",
    "add",
    "and",
    "bfe",
    "bfi",
    "bfind",
    "bmsk",
    "brev",
    "clz",
    "cnot",
    "copysign",
    "cos",
    "cvt",
    "div",
    "dp2a",
    "dp4a",
    "ex2",
    "fma",
    "fns",
    "isspacep",
    "lg2",
    "lop3",
    "mad",
    "mad24",
    "max",
    "min",
    "mma",
    "mov",
    "mul",
    "mul24",
    "neg",
    "not",
    "or",
    "popc",
    "prmt",
    "rcp",
    "rem",
    "rsqrt",
    "sad",
    "selp",
    "set",
    "setp",
    "shf",
    "shl",
    "shr",
    "sin",
    "slct",
    "sqrt",
    "sub",
    "szext",
    "tanh",
    "testp",
    "vabsdiff",
    "vadd",
    "vmad",
    "vmax",
    "vmin",
    "vset",
    "vshl",
    "vshr",
    "vsub",
    "xor",
    "movmatrix",
    "mapa",
    "getctarank",
    "createpolicy",
];
