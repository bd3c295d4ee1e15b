//! Which resource does a kernel need most, by its name, its grid and its length?
//!
//! No counter is needed: libraries name the tile of a matrix product, and a kernel that is short or
//! has few workgroups cannot make full use of any resource. A kernel whose name tells no resource
//! is [`KernelNeed::Unknown`], which is neither memory nor compute: it is counted, and widens the
//! predicted intervals.
//!
//! The thresholds and the rule for the smaller side of a tile come from one decoder and one
//! training loop on an H200 (`docs/demand.md`).

use crate::{assumed_activity, is_communication};

/// Duration in nanoseconds below which a kernel counts as bound by latency: it is too short for
/// memory bandwidth or arithmetic to limit it.
const SHORT_NS: u64 = 4_000;
/// Largest smaller side, in elements, of the tile of a matrix product that is taken to need memory
/// most: the product computes few rows, and reads all of the weights for them.
const NARROW: u32 = 16;
/// Largest smaller side, in elements, of the tile of a matrix product that is taken to need compute
/// most, with less certainty: the product may have few rows, and then it needs memory.
const SMALL: u32 = 64;

/// The resource that a kernel needs most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KernelNeed {
    /// The kernel needs the bandwidth of the device's memory most.
    Memory,
    /// The kernel needs the arithmetic units of the compute units most.
    Compute,
    /// The kernel is small. Its duration depends on the latency of the launch and of memory
    /// accesses that wait for each other, not on memory bandwidth or arithmetic.
    Latency,
    /// No resource is known: neither the name nor the size of the kernel shows what it needs most.
    #[default]
    Unknown,
}

impl KernelNeed {
    /// All resources that a kernel may need most, in the order in which results show them.
    pub const ALL: [Self; 4] = [Self::Memory, Self::Compute, Self::Latency, Self::Unknown];

    /// Returns the name of the resource in options and results, such as `memory`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Compute => "compute",
            Self::Latency => "latency",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the resource with this name, such as `memory`; `None` for an unknown name.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|need| need.name() == word)
    }
}

/// Evidence from which the resource that a launch needs most is derived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NeedSource {
    /// A rule of the user names the resource that the kernel needs most.
    Said,
    /// The kernel's name, without the size of a tile in it, shows the resource that it needs most.
    Name,
    /// The kernel is a matrix product, and the size of the tile in its name shows the resource that
    /// it needs most.
    Tile,
    /// The kernel is a matrix product, and the tile in its name is small: it is taken to need
    /// compute most, but with few rows it would need memory.
    SmallTile,
    /// The kernel computes attention; its grid shows whether it needs memory or compute most.
    Grid,
    /// The shapes of the tensors of the PyTorch op that made the launch show how many bytes the
    /// launch must move and how much arithmetic it must do.
    Shapes,
    /// The number of workgroups, or the duration of the launch, shows the resource that it needs
    /// most.
    Size,
    /// There is no evidence: the resource that the launch needs most is unknown.
    #[default]
    Nothing,
}

impl NeedSource {
    /// Returns the name of this kind of evidence in results, such as `tile`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Said => "said",
            Self::Name => "name",
            Self::Tile => "tile",
            Self::SmallTile => "small-tile",
            Self::Grid => "grid",
            Self::Shapes => "shapes",
            Self::Size => "size",
            Self::Nothing => "nothing",
        }
    }
}

/// Sizes and duration of a launch, from which the resource that it needs most is derived.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaunchSize {
    /// Number of workgroups of the launch; 0 if unknown.
    pub workgroups: u64,
    /// Number of workgroups along the x axis of the grid.
    pub grid_x: u32,
    /// Number of compute units of the device.
    pub units: u64,
    /// Number of workgroups as large as those of the launch that the device holds at the same time.
    pub at_once: u64,
    /// Duration of the launch when it runs alone, in nanoseconds.
    pub duration_ns: u64,
}

/// The resource that launches of a kernel need most, as far as the name of the kernel shows it.
///
/// ```
/// use raddle_trace::{KernelNeed, LaunchSize, NamedNeed};
/// let size = LaunchSize { workgroups: 96, grid_x: 4, units: 132, at_once: 132, duration_ns: 25_000 };
/// let need = |name| NamedNeed::of(name).of_launch(&size).0;
/// assert_eq!(need("nvjet_sm90_tst_128x8_64x12_4x1_v_bz_TNT"), KernelNeed::Memory);
/// assert_eq!(need("nvjet_sm90_tst_128x256_64x4_2x1_v_bz_coopA_NTN"), KernelNeed::Compute);
/// assert_eq!(need("k"), KernelNeed::Unknown);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedNeed(NamedKind);

impl NamedNeed {
    /// Returns what a kernel's name shows. This searches the name for many words, so a profile
    /// with many launches is asked once a kernel.
    #[must_use]
    pub fn of(kernel: &str) -> Self {
        Self(NamedKind::of(kernel))
    }

    /// Returns whether the kernel moves data between devices ([`is_communication`]).
    #[must_use]
    pub const fn communicates(&self) -> bool {
        matches!(self.0, NamedKind::Communication)
    }

    /// Returns (the resource that a launch of the kernel needs most, the evidence for it).
    #[must_use]
    pub fn of_launch(&self, size: &LaunchSize) -> (KernelNeed, NeedSource) {
        let few = size.workgroups > 0 && size.workgroups.saturating_mul(4) < size.units;
        match self.0 {
            // The length of a communication kernel depends on other devices, whatever its size.
            NamedKind::Communication => (KernelNeed::Unknown, NeedSource::Nothing),
            _ if few || size.duration_ns < SHORT_NS => (KernelNeed::Latency, NeedSource::Size),
            NamedKind::Memory => (KernelNeed::Memory, NeedSource::Name),
            NamedKind::Product(Some((wide, high))) => match wide.min(high) {
                side if side <= NARROW => (KernelNeed::Memory, NeedSource::Tile),
                side if side <= SMALL => (KernelNeed::Compute, NeedSource::SmallTile),
                _ => (KernelNeed::Compute, NeedSource::Tile),
            },
            NamedKind::Product(None) => (KernelNeed::Compute, NeedSource::Name),
            NamedKind::Attention(Some(true)) => (KernelNeed::Memory, NeedSource::Name),
            NamedKind::Attention(Some(false)) => (KernelNeed::Compute, NeedSource::Name),
            NamedKind::Attention(None) => attention(size),
            NamedKind::Unknown => (KernelNeed::Unknown, NeedSource::Nothing),
        }
    }
}

/// Returns (the resource that an attention kernel needs most, the evidence for it). Attention of
/// one token, which needs memory most, has one block of queries along the x axis of its grid.
///
/// Attention of whole prompts has several blocks, or about as many workgroups as the device holds,
/// which work through all blocks. Such attention needs compute most.
fn attention(size: &LaunchSize) -> (KernelNeed, NeedSource) {
    let LaunchSize { workgroups, at_once, grid_x, .. } = *size;
    if workgroups == 0 {
        return (KernelNeed::Unknown, NeedSource::Nothing);
    }
    let eighths = workgroups.saturating_mul(8);
    let fills = eighths >= at_once.saturating_mul(7) && eighths <= at_once.saturating_mul(9);
    let one_block = grid_x <= 1;
    let need = if one_block && !fills { KernelNeed::Memory } else { KernelNeed::Compute };
    (need, NeedSource::Grid)
}

/// Kind of a kernel, as far as its name alone shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NamedKind {
    /// A kernel that moves data between devices.
    Communication,
    /// Memory-bound work: elementwise work, normalisation, reduction, softmax, optimisers, copies.
    Memory,
    /// A product of matrices or a convolution, with both sides of its tile in elements; `None`
    /// where the name has no tile.
    Product(Option<(u32, u32)>),
    /// Attention kernel: true if its name says that it handles a single token, false if it names a
    /// backward pass, `None` where it says neither.
    Attention(Option<bool>),
    /// No known word occurs in the kernel's name.
    Unknown,
}

/// Words in the names of memory-bound kernels that are tried first. Such a name may also have a
/// word of matrix products or attention: the kernel then does a step before or after one.
const MEMORY_FIRST: [&str; 27] = [
    "elementwise",
    "splitkreduce",
    "splitk_reduce",
    "reduce_kernel",
    "softmax",
    "layer_norm",
    "layernorm",
    "rms_norm",
    "rmsnorm",
    "batch_norm",
    "group_norm",
    "multi_tensor",
    "gemv",
    "dot_kernel",
    "depthwise",
    "im2col",
    "im3d2col",
    "col2im",
    "kvcache",
    "nchwtonhwc",
    "nhwctonchw",
    "rotary",
    "copy",
    "combine",
    "dot_do_o",
    "convert_dq",
    "reshape_and_cache",
];
/// Further words in the names of memory-bound kernels. A kernel also counts as memory-bound if
/// [`assumed_activity`] knows a class for it that is not matrix products.
const MEMORY_TOO: [&str; 24] = [
    "triton_poi",
    "triton_red",
    "triton_per",
    "adam",
    "sgd",
    "optimizer",
    "silu",
    "swiglu",
    "act_and_mul",
    "rope",
    "quant",
    "grad_weight",
    "gammabeta",
    "bn_fw",
    "bn_bw",
    "histogram",
    "segment",
    "distribution",
    "partial",
    "mask",
    "indices",
    "epilogue",
    "subtensorop",
    "repeat_interleave",
];
const ATTENTION: [&str; 5] = ["attention", "flash", "fmha", "sdpa", "attn"];
/// Words in names of attention kernels for one token, which split or page the keys and values.
const DECODES: [&str; 5] = ["splitkv", "split_kv", "decode", "paged", "attention_3d"];
const BACKWARD: [&str; 2] = ["bwd", "backward"];
/// Further words in the names of matrix products, besides those by which [`assumed_activity`]
/// recognises them.
const PRODUCT_TOO: [&str; 4] = ["triton_mm", "triton_tem", "nvjet", "bmm_"];

impl NamedKind {
    fn of(kernel: &str) -> Self {
        if is_communication(kernel) {
            return Self::Communication;
        }
        let (class, _) = assumed_activity(kernel);
        let name = kernel.to_ascii_lowercase();
        let holds = |words: &[&str]| words.iter().any(|word| name.contains(word));
        // Arguments of a template name the work inside of a general kernel, so its own name counts
        // first.
        let own = family(&name);
        if MEMORY_FIRST.iter().any(|word| own.contains(word)) {
            return Self::Memory;
        }
        if holds(&ATTENTION) {
            let backward = holds(&BACKWARD).then_some(false);
            return Self::Attention(holds(&DECODES).then_some(true).or(backward));
        }
        let found = tile(&name);
        // Kernels of cuDNN for convolutions are named by their tile alone: `volta_scudnn_128x64`.
        let convolves = name.contains("cudnn_") && found.is_some();
        if class == "matrix" || holds(&PRODUCT_TOO) || convolves {
            return Self::Product(found);
        }
        if class != "other" || holds(&MEMORY_TOO) { Self::Memory } else { Self::Unknown }
    }
}

/// Returns the name of a kernel without its template arguments and parameters: the text before the
/// first angle bracket or parenthesis that follows the name.
fn family(name: &str) -> &str {
    let name = name.strip_prefix("void ").unwrap_or(name);
    let mut from = 0;
    // The parentheses of an anonymous namespace hold no parameters.
    const ANONYMOUS: &str = "(anonymous namespace)::";
    while let Some(at) = name[from..].find(ANONYMOUS) {
        if name[..from + at].contains('<') {
            break;
        }
        from += at + ANONYMOUS.len();
    }
    let end = name[from..].find(['<', '(']).map_or(name.len(), |at| from + at);
    &name[..end]
}

/// Returns the two sides of a matrix product's tile, as its kernel's name gives them: the first two
/// numbers joined by an `x` that can be a tile (`128x64`, `MT128x128x16`), or those of
/// `GemmShape<128, 64, 32>`. `None` where the name has no tile.
fn tile(name: &str) -> Option<(u32, u32)> {
    if let Some((_, behind)) = name.split_once("gemmshape<") {
        let mut sides = behind.split([',', '>']).map(|side| side.trim().parse().ok());
        if let (Some(Some(wide)), Some(Some(high))) = (sides.next(), sides.next()) {
            return Some((wide, high));
        }
    }
    let bytes = name.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|it| it.is_ascii_digit()).count();
    let mut at = 0;
    while at < bytes.len() {
        let first = digits(at);
        if first == 0 {
            at += 1;
            continue;
        }
        let by = at + first;
        if bytes.get(by) == Some(&b'x') {
            let second = digits(by + 1);
            let side = |text: &str| text.parse().ok().filter(|side| (4..=1024).contains(side));
            let sides = side(&name[at..by]).zip(side(&name[by + 1..by + 1 + second]));
            // Numbers as of `3x3` and `5x5` are of filters.
            if let Some((wide, high)) =
                sides.filter(|&(wide, high): &(u32, u32)| wide.max(high) >= 16)
            {
                return Some((wide, high));
            }
        }
        at = by;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A launch that is neither short nor small, so that its name alone decides what it needs.
    const LARGE: LaunchSize = LaunchSize {
        workgroups: 4_000,
        grid_x: 4_000,
        units: 132,
        at_once: 264,
        duration_ns: 50_000,
    };

    #[test]
    fn names_of_real_profiles_tell_needs() {
        use KernelNeed::{Compute, Memory, Unknown};
        for (kernel, need) in [
            ("nvjet_sm90_tst_256x8_64x6_4x1_v_bz_TNT", Memory),
            ("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NTN", Compute),
            ("ampere_sgemm_128x64_tn", Compute),
            ("volta_sgemm_128x32_sliced1x4_nn", Compute),
            ("ampere_bf16_s16816gemm_bf16_64x64_ldg8_f2f_stages_64x5_tn", Compute),
            (
                "void cutlass::Kernel<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8>(x)",
                Memory,
            ),
            (
                "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
                Compute,
            ),
            ("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT16x16x128_MI16x16x1", Memory),
            ("Cijk_Ailk_Bljk_HB_MT128x128x16_SE", Compute),
            ("void cutlass::device_kernel<GemmShape<128, 8, 64>>", Memory),
            ("void implicit_convolve_sgemm<float, float, 128, 6, 7, 3, 3, 5, 1>", Compute),
            ("void winograd_3x3_kernel", Compute),
            ("volta_scudnn_128x64_stridedB_splitK_interior_nn_v1", Compute),
            (
                "bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x8x512u2_s6_et64x8_m64x8x32_dynBatch_sm100f",
                Memory,
            ),
            ("void cublasLt::epilogue::impl::globalKernel<8, 32>", Memory),
            ("void (anonymous namespace)::store_kvcache<128l>", Memory),
            ("SubTensorOpWithScalar1d", Memory),
            ("Im3d2Col", Memory),
            ("cublasLt::splitKreduce_kernel<32, 16, int, float>", Memory),
            ("void gemv2T_kernel_val<int, int, float>", Memory),
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>",
                Memory,
            ),
            ("void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>", Memory),
            ("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>", Memory),
            ("void (anonymous namespace)::softmax_warp_forward<float>", Memory),
            ("multi_tensor_apply_kernel", Memory),
            ("triton_poi_fused_add_mul_0", Memory),
            ("void cudnn::ops::nchwToNhwcKernel<__half>", Memory),
            ("void vllm::act_and_mul_kernel<c10::BFloat16>", Memory),
            ("void vllm::paged_attention_v2_kernel<c10::BFloat16>", Memory),
            ("void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128>>", Memory),
            ("void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128>>", Memory),
            ("void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd>", Compute),
            ("cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<gemm>>>", Compute),
            ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", Unknown),
            ("k", Unknown),
            ("", Unknown),
        ] {
            assert_eq!(NamedNeed::of(kernel).of_launch(&LARGE).0, need, "{kernel}");
        }
    }

    #[test]
    fn what_is_short_or_small_waits_for_nothing_but_itself() {
        let name = "ampere_sgemm_128x64_tn";
        let found = |size| NamedNeed::of(name).of_launch(&size);
        let (latency, compute) = (KernelNeed::Latency, KernelNeed::Compute);
        assert_eq!(found(LaunchSize { workgroups: 32, ..LARGE }), (latency, NeedSource::Size));
        assert_eq!(found(LaunchSize { workgroups: 33, ..LARGE }), (compute, NeedSource::SmallTile));
        assert_eq!(found(LaunchSize { duration_ns: 3_999, ..LARGE }), (latency, NeedSource::Size));
        // Communication waits for other devices, with few workgroups or many.
        let nccl = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
        let few = LaunchSize { workgroups: 24, ..LARGE };
        assert_eq!(NamedNeed::of(nccl).of_launch(&few), (KernelNeed::Unknown, NeedSource::Nothing));
        // The number of workgroups of a kernel in a graph is often unknown.
        assert_eq!(found(LaunchSize { workgroups: 0, ..LARGE }), (compute, NeedSource::SmallTile));
    }

    #[test]
    fn a_product_of_small_tiles_may_need_memory() {
        for (tile, found) in [
            ("128x16", (KernelNeed::Memory, NeedSource::Tile)),
            ("128x17", (KernelNeed::Compute, NeedSource::SmallTile)),
            ("256x64", (KernelNeed::Compute, NeedSource::SmallTile)),
            ("256x65", (KernelNeed::Compute, NeedSource::Tile)),
        ] {
            assert_eq!(
                NamedNeed::of(&format!("ampere_sgemm_{tile}_tn")).of_launch(&LARGE),
                found,
                "{tile}"
            );
        }
    }

    #[test]
    fn attention_of_one_token_has_one_block_of_queries() {
        let name = "cudnn_generated_fort_native_sdpa_sm80_flash_fprop";
        let of = |workgroups, grid_x, at_once| {
            NamedNeed::of(name).of_launch(&LaunchSize { workgroups, grid_x, at_once, ..LARGE }).0
        };
        assert_eq!(of(128, 1, 264), KernelNeed::Memory);
        assert_eq!(of(132, 132, 132), KernelNeed::Compute);
        assert_eq!(of(2_048, 16, 264), KernelNeed::Compute);
        assert_eq!(of(0, 0, 264), KernelNeed::Unknown);
    }

    #[test]
    fn a_tile_is_the_first_pair_that_can_be_one() {
        for (name, found) in [
            ("mt128x128x16_se", Some((128, 128))),
            ("s16816gemm_bf16_64x128_ldg8", Some((64, 128))),
            ("gemm_1x1_2x1", None),
            ("conv_3x3", None),
            ("gemmshape<256, 16, 32>", Some((256, 16))),
            ("x", None),
            ("9x", None),
            ("99999999999999999999x64", None),
        ] {
            assert_eq!(tile(name), found, "{name}");
        }
    }

    #[test]
    fn words_of_needs_are_read_back() {
        for need in KernelNeed::ALL {
            assert_eq!(KernelNeed::of_word(need.name()), Some(need));
        }
        assert_eq!(KernelNeed::of_word("fast"), None);
    }
}
