//! Which tensors did an op of the host work on, and how large are they?

/// A tensor that an op of the host got as an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tensor {
    pub(super) dims: Vec<u64>,
    /// Number of elements that the tensor has in memory; an axis with stride 0, along which
    /// elements repeat, counts as 1.
    pub(super) stored: u64,
    /// Size of an element of the tensor in bytes.
    pub(super) width: u64,
}

impl Tensor {
    /// Returns the number of elements of the tensor, the product of its sides; `None` where it
    /// overflows.
    pub(super) fn elements(&self) -> Option<u64> {
        volume(&self.dims)
    }

    pub(super) fn bytes(&self) -> Option<u64> {
        self.stored.checked_mul(self.width)
    }
}

/// Arguments that an op of the host got, as the event of the op lists them.
#[derive(Debug, Default)]
pub(super) struct OpInputs {
    /// Tensor arguments by position; `None` where an argument is no tensor.
    pub(super) tensors: Vec<Option<Tensor>>,
    /// Values of all arguments by position, as text; empty where the event does not give them.
    pub(super) values: Vec<String>,
}

impl OpInputs {
    /// Reads the arguments from the texts of the event's members `Input Dims`, `Input type`, `Input
    /// Strides` and `Concrete Inputs`. `None` where dimensions or types are missing, or an argument
    /// is a list of tensors or a tensor of an unknown type.
    pub(super) fn read([dims, types, strides, values]: [Option<&str>; 4]) -> Option<Self> {
        let (dims, strides) = (lists(dims?)?, strides.and_then(lists).unwrap_or_default());
        let mut types = strings(types?);
        let tensor = |(at, dims): (usize, Option<Vec<u64>>)| -> Option<Option<Tensor>> {
            let kind = types.next()?;
            if matches!(kind, "" | "Scalar" | "ScalarList") {
                return Some(None);
            }
            let (dims, width) = (dims?, width(kind)?);
            let stored = match strides.get(at).and_then(Option::as_ref) {
                Some(strides) if strides.len() == dims.len() => {
                    let kept = dims.iter().zip(strides).filter(|&(_, &stride)| stride != 0);
                    volume(kept.map(|(side, _)| side))?
                }
                _ => volume(&dims)?,
            };
            Some(Some(Tensor { stored, dims, width }))
        };
        let tensors = dims.into_iter().enumerate().map(tensor).collect::<Option<Vec<_>>>()?;
        if types.next().is_some() {
            return None;
        }
        let values =
            values.map_or_else(Vec::new, |text| strings(text).map(str::to_owned).collect());
        Some(Self { tensors, values })
    }

    /// Returns the tensor at the argument position `at`; `None` where the argument is no tensor.
    pub(super) fn tensor(&self, at: usize) -> Option<&Tensor> {
        self.tensors.get(at)?.as_ref()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Tensor> {
        self.tensors.iter().flatten()
    }

    /// Returns the tensors among the first `count` arguments.
    pub(super) fn first(&self, count: usize) -> impl Iterator<Item = &Tensor> {
        self.tensors.iter().take(count).flatten()
    }

    /// Returns the sum of the bytes of all tensor arguments; `None` where it overflows.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.bytes_of_first(self.tensors.len())
    }

    /// Returns the sum of the bytes of the tensors among the first `count` arguments; `None` where
    /// it overflows.
    pub(super) fn bytes_of_first(&self, count: usize) -> Option<u64> {
        self.first(count).try_fold(0u64, |sum, tensor| sum.checked_add(tensor.bytes()?))
    }

    /// Returns the whole numbers of a list argument such as `[2, 2]` at the position `at`; `None`
    /// where the argument is no such list.
    pub(super) fn numbers(&self, at: usize) -> Option<Vec<u64>> {
        numbers(self.values.get(at)?)
    }
}

/// Reads a list of lists of whole numbers; an entry that contains further lists becomes `None`. A
/// trace has tens of thousands of such texts, so they are read without building JSON values.
fn lists(text: &str) -> Option<Vec<Option<Vec<u64>>>> {
    let inside = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (mut all, mut depth, mut begin) = (Vec::new(), 0usize, 0);
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'[' => {
                begin = if depth == 0 { at } else { begin };
                depth += 1;
            }
            b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    all.push(numbers(&inside[begin..=at]));
                }
            }
            _ => {}
        }
    }
    Some(all)
}

/// Reads a list of whole numbers such as `[2, 2]`; `None` where the text is no such list.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let inside = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    if inside.is_empty() {
        return Some(Vec::new());
    }
    inside.split(',').map(|number| number.trim().parse().ok()).collect()
}

/// Returns the strings of a JSON list of strings, which must not contain escapes.
fn strings(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

fn volume<'d>(dims: impl IntoIterator<Item = &'d u64>) -> Option<u64> {
    dims.into_iter().try_fold(1u64, |volume, side| volume.checked_mul(*side))
}

/// Returns the size in bytes of an element of a tensor, by the C++ name of the element's type;
/// `None` for an unknown type.
fn width(kind: &str) -> Option<u64> {
    Some(match kind {
        "bool" | "char" | "signed char" | "unsigned char" => 1,
        "short" | "short int" | "c10::Half" | "c10::BFloat16" => 2,
        "int" | "unsigned int" | "float" => 4,
        "long" | "long int" | "long long" | "double" | "c10::complex<float>" => 8,
        "c10::complex<double>" => 16,
        _ if kind.starts_with("c10::Float8") => 1,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_tensors_with_their_bytes_or_none() {
        let read = |dims, types, strides| OpInputs::read([Some(dims), Some(types), strides, None]);
        let found = read("[[10,512],[],[3]]", r#"["c10::Half","Scalar","long int"]"#, None);
        let found = found.expect("they are arguments");
        let bytes = |at| found.tensor(at).and_then(Tensor::bytes);
        assert_eq!([0, 1, 2, 3].map(bytes), [Some(10_240), None, Some(24), None]);
        assert_eq!(found.bytes(), Some(10_264));
        // Along the last axis the tensor repeats itself.
        let found = read("[[10,512]]", r#"["float"]"#, Some("[[1,0]]")).expect("one argument");
        assert_eq!((found.bytes(), found.all().next().unwrap().elements()), (Some(40), Some(5120)));
        for (dims, types) in [
            ("[[[1],[2]]]", r#"["TensorList"]"#),
            ("[[1]]", r#"["c10::Wide"]"#),
            ("[[1],[2]]", r#"["float"]"#),
            ("[[1],null]", r#"["float","float"]"#),
            ("[[-1]]", r#"["float"]"#),
            ("[[4294967296,4294967296]]", r#"["float"]"#),
            ("7", "[]"),
        ] {
            assert!(read(dims, types, None).is_none(), "{dims} {types}");
        }
    }
}
