//! What must a launch move and compute, by the tensors of the PyTorch op that made it?
//!
//! Ops whose meaning is known are listed here by name; of all others nothing is said. Every tensor
//! counts once, and a result that is no argument counts where its shape follows.

use super::tensors::{OpInputs, Tensor};
use crate::work::LaunchWork;

/// Class of PyTorch ops that read and write their arguments in the same way, so that the shapes of
/// the arguments give the bytes moved and the arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpMeaning {
    /// Product of two matrices, which are the arguments at this position and the next. An earlier
    /// argument is a matrix that is added to the product.
    Product(usize),
    /// A batch of matrix products, one for each index along the first axis; otherwise like
    /// `Product`.
    Products(usize),
    /// Product of the rows of the first argument with the transposed weights in the second.
    Linear,
    /// Convolution, with the positions of (stride, padding, dilation) among the arguments.
    Convolution([usize; 3]),
    /// Elementwise work, as (number of leading arguments that are read, bytes of an element of the
    /// result, `None` for as many as in the widest of these arguments). The result has the shape to
    /// which the arguments are broadcast. If there is a further tensor argument, it is the output,
    /// and the size of its elements counts instead.
    Map(usize, Option<u64>),
    /// The op overwrites its first tensor.
    Fill,
    /// The op reads or writes each of its tensor arguments once.
    Once,
    /// The op reads and writes this many leading tensors, and only reads the others.
    Update(usize),
    /// Rotary embedding: the op reads and writes its second and third tensor.
    Rotate,
    /// Reduction: the op reads its first tensor, and its result is too small to count.
    Reduce,
    /// Normalisation: the op reads all its tensors, and writes a result as large as the largest
    /// tensor.
    Normalise,
    /// Attention of queries, keys and values. True means that the axis of heads comes before the
    /// axis of tokens in the shapes of the tensors.
    Attention(bool),
    /// Embedding: the op copies one row of a table, its first tensor, for each element of its
    /// second tensor.
    Embedding,
}

/// Names of elementwise ops; a `_` appended to such a name means the same op in place.
const MAPS: [&str; 68] = [
    "_log_softmax",
    "_log_softmax_backward_data",
    "_softmax",
    "_softmax_backward_data",
    "abs",
    "add",
    "addcdiv",
    "addcmul",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "clamp",
    "clamp_max",
    "clamp_min",
    "cos",
    "cumsum",
    "div",
    "elu",
    "elu_backward",
    "erf",
    "exp",
    "floor",
    "floor_divide",
    "fmod",
    "gelu",
    "gelu_backward",
    "hardsigmoid",
    "hardswish",
    "hardswish_backward",
    "hardtanh",
    "hardtanh_backward",
    "leaky_relu",
    "leaky_relu_backward",
    "lerp",
    "log",
    "log1p",
    "masked_fill",
    "maximum",
    "minimum",
    "mish",
    "mse_loss_backward",
    "mul",
    "nan_to_num",
    "neg",
    "pow",
    "reciprocal",
    "relu",
    "remainder",
    "round",
    "rsqrt",
    "rsub",
    "sigmoid",
    "sigmoid_backward",
    "silu",
    "silu_backward",
    "sin",
    "softplus",
    "softplus_backward",
    "sqrt",
    "square",
    "sub",
    "tanh",
    "tanh_backward",
    "threshold",
    "threshold_backward",
    "tril",
    "triu",
    "where",
];
/// Names of elementwise ops that write one byte (a truth value) per element.
const COMPARES: [&str; 11] = [
    "eq",
    "ge",
    "gt",
    "isfinite",
    "isnan",
    "le",
    "logical_and",
    "logical_not",
    "logical_or",
    "lt",
    "ne",
];
const REDUCES: [&str; 18] = [
    "_adaptive_avg_pool2d",
    "all",
    "amax",
    "amin",
    "any",
    "argmax",
    "argmin",
    "linalg_vector_norm",
    "logsumexp",
    "max",
    "mean",
    "min",
    "norm",
    "prod",
    "std",
    "sum",
    "var",
    "var_mean",
];
const NORMALISES: [&str; 13] = [
    "_batch_norm_impl_index",
    "_fused_rms_norm",
    "_native_batch_norm_legit",
    "cudnn_batch_norm",
    "cudnn_batch_norm_backward",
    "miopen_batch_norm",
    "miopen_batch_norm_backward",
    "native_batch_norm",
    "native_batch_norm_backward",
    "native_group_norm",
    "native_group_norm_backward",
    "native_layer_norm",
    "native_layer_norm_backward",
];
/// Names of kernels of vLLM that write their result into their first argument, and read or write
/// each tensor once.
const ONCE: [&str; 6] = [
    "dynamic_scaled_fp8_quant",
    "gelu_and_mul",
    "gelu_tanh_and_mul",
    "rms_norm",
    "silu_and_mul",
    "static_scaled_fp8_quant",
];

impl OpMeaning {
    /// Returns the class of the op with this name; `None` where the name is unknown.
    pub(super) fn of(name: &str) -> Option<Self> {
        if let Some(own) = name.strip_prefix("_C::") {
            return match own {
                "fused_add_rms_norm" => Some(Self::Update(2)),
                "rotary_embedding" => Some(Self::Rotate),
                _ => ONCE.contains(&own).then_some(Self::Once),
            };
        }
        let name = name.strip_prefix("aten::")?;
        let known = match name {
            "mm" => Self::Product(0),
            "addmm" | "_addmm_activation" => Self::Product(1),
            "bmm" => Self::Products(0),
            "baddbmm" => Self::Products(1),
            "linear" => Self::Linear,
            "convolution" | "_convolution" | "cudnn_convolution_relu" => {
                Self::Convolution([3, 4, 5])
            }
            "cudnn_convolution" => Self::Convolution([3, 2, 4]),
            "miopen_convolution" => Self::Convolution([4, 3, 5]),
            "copy_" => Self::Once,
            "fill_" | "zero_" => Self::Fill,
            "_flash_attention_forward" | "_efficient_attention_forward" => Self::Attention(false),
            "_scaled_dot_product_flash_attention"
            | "_scaled_dot_product_efficient_attention"
            | "_scaled_dot_product_cudnn_attention" => Self::Attention(true),
            "embedding" => Self::Embedding,
            _ if is_one(&MAPS, name) => Self::Map(operands(name), None),
            _ if is_one(&COMPARES, name) => Self::Map(operands(name), Some(1)),
            _ if is_one(&REDUCES, name) => Self::Reduce,
            _ if is_one(&NORMALISES, name) => Self::Normalise,
            _ => {
                let own = name.strip_suffix('_')?;
                is_one(&MAPS, own).then_some(Self::Update(1))?
            }
        };
        Some(known)
    }

    /// Returns the work (bytes and arithmetic) of one launch that does a whole op of this class
    /// with the arguments `of`; `None` where their shapes do not determine it.
    pub(super) fn work(self, of: &OpInputs) -> Option<LaunchWork> {
        let moved = |bytes: u64| LaunchWork { bytes, flops: 0 };
        let bytes = |at: usize| of.tensor(at).and_then(Tensor::bytes);
        match self {
            Self::Product(first) => {
                let [m, k] = *of.tensor(first)?.dims.as_slice() else { return None };
                let [inner, n] = *of.tensor(first + 1)?.dims.as_slice() else { return None };
                (k == inner).then(|| product(of, (first, first + 2), [1, m, n, k]))?
            }
            Self::Products(first) => {
                let [b, m, k] = *of.tensor(first)?.dims.as_slice() else { return None };
                let [_, inner, n] = *of.tensor(first + 1)?.dims.as_slice() else { return None };
                (k == inner).then(|| product(of, (first, first + 2), [b, m, n, k]))?
            }
            Self::Linear => {
                let rows = of.tensor(0)?;
                let [n, k] = *of.tensor(1)?.dims.as_slice() else { return None };
                let m = rows.elements()?.checked_div(k)?;
                (rows.dims.last() == Some(&k)).then(|| product(of, (0, 3), [1, m, n, k]))?
            }
            Self::Convolution(places) => convolution(of, places),
            Self::Map(operands, width) => {
                let tensors = || of.first(operands).filter(|it| !it.dims.is_empty());
                let widest = tensors().map(|it| it.width).max()?;
                let given = of.all().skip(of.first(operands).count()).last().map(|it| it.width);
                let shape = tensors().try_fold(Vec::new(), |shape, it| common(shape, &it.dims))?;
                let written = shape.iter().try_fold(1u64, |all, &side| all.checked_mul(side))?;
                let written = written.checked_mul(given.or(width).unwrap_or(widest))?;
                Some(moved(of.bytes_of_first(operands)?.checked_add(written)?))
            }
            Self::Fill => Some(moved(bytes(0)?)),
            Self::Once => Some(moved(of.bytes()?)),
            Self::Update(count) => {
                let again = (0..count).try_fold(0u64, |sum, at| sum.checked_add(bytes(at)?))?;
                Some(moved(of.bytes()?.checked_add(again)?))
            }
            Self::Rotate => Some(moved(bytes(1)?.checked_add(bytes(2)?)?.checked_mul(2)?)),
            Self::Reduce => Some(moved(bytes(0)?)),
            Self::Normalise => {
                let largest = of.all().filter_map(Tensor::bytes).max()?;
                Some(moved(of.bytes()?.checked_add(largest)?))
            }
            Self::Attention(heads_first) => attention(of, heads_first),
            Self::Embedding => {
                let (table, rows) = (of.tensor(0)?, of.tensor(1)?);
                let row = table.dims.last()?.checked_mul(table.width)?;
                let copied = row.checked_mul(rows.elements()?)?.checked_mul(2)?;
                Some(moved(copied.checked_add(rows.bytes()?)?))
            }
        }
    }
}

/// Returns how many leading arguments the elementwise op `name` reads.
fn operands(name: &str) -> usize {
    match name {
        "addcdiv" | "addcmul" | "clamp" | "lerp" | "masked_fill" | "mse_loss_backward"
        | "where" => 3,
        "add" | "bitwise_and" | "bitwise_or" | "clamp_max" | "clamp_min" | "div"
        | "floor_divide" | "fmod" | "maximum" | "minimum" | "mul" | "pow" | "remainder"
        | "rsub" | "sub" => 2,
        "eq" | "ge" | "gt" | "le" | "logical_and" | "logical_or" | "lt" | "ne" => 2,
        // The last of its arguments, a tensor, stands behind four numbers.
        "elu_backward" => 6,
        _ if name.ends_with("_backward") || name.ends_with("_backward_data") => 2,
        _ => 1,
    }
}

/// Returns whether `name` is in the sorted list `sorted`.
fn is_one(sorted: &[&str], name: &str) -> bool {
    sorted.binary_search(&name).is_ok()
}

/// Returns the work (bytes and arithmetic) of `batch` products of an m x k with a k x n matrix. The
/// products read the first `read` arguments. An element of the result has as many bytes as one of
/// the argument at the position `first`.
fn product(
    of: &OpInputs,
    (first, read): (usize, usize),
    [batch, m, n, k]: [u64; 4],
) -> Option<LaunchWork> {
    let result = batch.checked_mul(m)?.checked_mul(n)?;
    let written = result.checked_mul(of.tensor(first)?.width)?;
    Some(LaunchWork {
        bytes: of.bytes_of_first(read)?.checked_add(written)?,
        flops: result.checked_mul(k)?.checked_mul(2)?,
    })
}

/// Returns the work (bytes and arithmetic) of a convolution. The first tensor has the axes (images,
/// channels, then height, width and so on), the second, the filter, (output channels, channels of a
/// group, extents). `stride`, `padding` and `dilation` are positions of arguments. `None` where a
/// size is unknown.
fn convolution(of: &OpInputs, [stride, padding, dilation]: [usize; 3]) -> Option<LaunchWork> {
    let (image, filter) = (of.tensor(0)?, of.tensor(1)?);
    let ([images, _, sides @ ..], [channels, _, kernel @ ..]) = (&*image.dims, &*filter.dims)
    else {
        return None;
    };
    let transposed = of.values.iter().skip(2).find(|value| matches!(&***value, "True" | "False"));
    // The first flag among the arguments of a general convolution says so; cuDNN's own have others.
    if stride == 3 && padding == 4 && transposed.is_some_and(|value| value == "True") {
        return None;
    }
    let [stride, padding, dilation] = [stride, padding, dilation].map(|at| of.numbers(at));
    let (stride, padding, dilation) = (stride?, padding?, dilation?);
    let mut written = images.checked_mul(*channels)?;
    for (axis, (&side, &kernel)) in sides.iter().zip(kernel).enumerate() {
        let at = |all: &[u64]| all.get(axis).or(all.first()).copied();
        let padded = side.checked_add(at(&padding)?.checked_mul(2)?)?;
        let covered = at(&dilation)?.checked_mul(kernel.checked_sub(1)?)?.checked_add(1)?;
        let places = padded.checked_sub(covered)?.checked_div(at(&stride)?)?.checked_add(1)?;
        written = written.checked_mul(places)?;
    }
    let each = filter.elements()?.checked_div(*channels)?;
    Some(LaunchWork {
        bytes: of.bytes()?.checked_add(written.checked_mul(image.width)?)?,
        flops: written.checked_mul(each)?.checked_mul(2)?,
    })
}

/// Returns the work (bytes and arithmetic) of attention, which reads queries, keys and values and
/// writes as many bytes as the queries have. `heads_first` is true where the axis of heads comes
/// before that of tokens. `None` where a size is unknown.
fn attention(of: &OpInputs, heads_first: bool) -> Option<LaunchWork> {
    let (queries, keys) = (of.tensor(0)?, of.tensor(1)?);
    let ([batch, one, other, side], [_, own, others, _]) = (&*queries.dims, &*keys.dims) else {
        return None;
    };
    let (heads, tokens, all) = if heads_first { (one, other, others) } else { (other, one, own) };
    let pairs = batch.checked_mul(*heads)?.checked_mul(*tokens)?.checked_mul(*all)?;
    let read = (0..3).try_fold(0u64, |sum, at| sum.checked_add(of.tensor(at)?.bytes()?))?;
    Some(LaunchWork {
        bytes: read.checked_add(queries.elements()?.checked_mul(queries.width)?)?,
        flops: pairs.checked_mul(*side)?.checked_mul(4)?,
    })
}

/// Returns the common shape to which two tensor shapes are broadcast, with their last axes aligned;
/// `None` where the shapes do not fit.
fn common(one: Vec<u64>, other: &[u64]) -> Option<Vec<u64>> {
    let axes = one.len().max(other.len());
    let side = |of: &[u64], axis: usize| (axis + of.len()).checked_sub(axes).map_or(1, |at| of[at]);
    (0..axes)
        .map(|axis| match (side(&one, axis), side(other, axis)) {
            (1, side) | (side, 1) => Some(side),
            (one, other) => (one == other).then_some(one),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(name: &str, dims: &str, types: &str, values: Option<&str>) -> Option<(u64, u64)> {
        let inputs = OpInputs::read([Some(dims), Some(types), None, values])?;
        OpMeaning::of(name)?.work(&inputs).map(|work| (work.bytes, work.flops))
    }

    #[test]
    fn ops_move_what_their_tensors_hold() {
        let of = |name, dims, types: &[&str]| {
            work(name, dims, &serde_json::to_string(types).unwrap(), None)
        };
        let (f, h) = ("float", "c10::Half");
        for (name, dims, types, found) in [
            ("aten::mm", "[[2,3],[3,5]]", vec![f, f], (4 * (6 + 15 + 10), 60)),
            (
                "aten::addmm",
                "[[5],[2,3],[3,5],[],[]]",
                vec![f, f, f, "Scalar", "Scalar"],
                (4 * (5 + 6 + 15 + 10), 60),
            ),
            ("aten::bmm", "[[7,2,3],[7,3,5]]", vec![h, h], (2 * 7 * (6 + 15 + 10), 420)),
            ("aten::linear", "[[4,2,3],[5,3],[5]]", vec![h, h, h], (2 * (24 + 15 + 5 + 40), 240)),
            ("aten::add", "[[4,1],[3],[]]", vec![f, f, "Scalar"], (4 * (4 + 3 + 12), 0)),
            ("aten::mul", "[[1000],[]]", vec![h, "double"], (2 * 2000 + 8, 0)),
            ("aten::eq", "[[8],[8]]", vec![f, f], (72, 0)),
            // The last tensor is the one that is written.
            ("aten::mul", "[[8],[8],[8]]", vec![f, "double", f], (32 + 64 + 32, 0)),
            ("aten::add", "[[8],[8],[],[8]]", vec![f, f, "Scalar", h], (32 + 32 + 16, 0)),
            ("aten::exp", "[[8],[8]]", vec![f, f], (64, 0)),
            ("aten::mm", "[[2,3],[3,5],[2,5]]", vec![f, f, f], (4 * (6 + 15 + 10), 60)),
            ("aten::mul_", "[[8],[8]]", vec![f, f], (96, 0)),
            ("aten::fill_", "[[8],[]]", vec![f, "Scalar"], (32, 0)),
            ("aten::copy_", "[[8],[8],[]]", vec![f, h, "Scalar"], (48, 0)),
            ("aten::sum", "[[4,8],[]]", vec![f, "ScalarList"], (128, 0)),
            ("aten::_softmax", "[[4,8],[],[]]", vec![f, "Scalar", "Scalar"], (256, 0)),
            (
                "aten::native_layer_norm",
                "[[4,8],[],[8],[8],[]]",
                vec![h, "ScalarList", h, h, "Scalar"],
                (2 * (32 + 8 + 8 + 32), 0),
            ),
            ("_C::fused_add_rms_norm", "[[4,8],[4,8],[8]]", vec![h; 3], (2 * (4 * 32 + 8), 0)),
            ("_C::rms_norm", "[[4,8],[4,8],[8]]", vec![h; 3], (2 * (2 * 32 + 8), 0)),
            (
                "aten::_scaled_dot_product_flash_attention",
                "[[1,8,1,64],[1,2,900,64],[1,2,900,64]]",
                vec![h; 3],
                (2 * (2 * 8 * 64 + 2 * 2 * 900 * 64), 4 * 8 * 900 * 64),
            ),
            ("aten::embedding", "[[50000,16],[3]]", vec![h, "long int"], (2 * 2 * 48 + 24, 0)),
        ] {
            assert_eq!(of(name, dims, &types), Some(found), "{name}");
        }
        // Shapes that do not fit the meaning, and names without one, say nothing.
        assert_eq!(of("aten::mm", "[[2,3],[4,5]]", &[f, f]), None);
        assert_eq!(of("aten::add", "[[4],[3]]", &[f, f]), None);
        assert_eq!(of("aten::sort", "[[4]]", &[f]), None);
        assert_eq!(of("aten::avg_pool2d", "[[1,1,4,4],[]]", &[f, "ScalarList"]), None);
        assert_eq!(of("mine::mm", "[[2,3],[3,5]]", &[f, f]), None);
    }

    #[test]
    fn a_convolution_writes_a_place_for_each_step_of_its_filter() {
        let dims = "[[10,3,224,224],[64,3,7,7],[],[],[],[],[]]";
        let types = r#"["float","float","","ScalarList","ScalarList","ScalarList","Scalar"]"#;
        let of = |name, values| work(name, dims, types, Some(values));
        let written = 10 * 64 * 112 * 112;
        let read = 10 * 3 * 224 * 224 + 64 * 3 * 7 * 7;
        let found = Some((4 * (read + written), 2 * written * 3 * 7 * 7));
        let miopen = r#"["","","","[3, 3]","[2, 2]","[1, 1]","1"]"#;
        assert_eq!(of("aten::miopen_convolution", miopen), found);
        let general = r#"["","","","[2, 2]","[3, 3]","[1, 1]","False","[0, 0]","1"]"#;
        assert_eq!(of("aten::convolution", general), found);
        let back = r#"["","","","[2, 2]","[3, 3]","[1, 1]","True","[0, 0]","1"]"#;
        assert_eq!(of("aten::convolution", back), None, "it makes the image larger");
        assert_eq!(of("aten::convolution", "[]"), None);
        assert_eq!(of("aten::convolution", r#"["","","","[0]","[3]","[1]"]"#), None);
    }

    #[test]
    fn the_lists_are_sorted_and_have_no_name_twice() {
        let lists = [&MAPS[..], &COMPARES, &REDUCES, &NORMALISES];
        assert!(lists.iter().all(|names| names.is_sorted()));
        let mut all = lists.concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
