//! Which tensors did an op of the host work on, and how large are they?

use serde_json::Value;

use crate::import::document::string;

/// Tensor that an op of the host was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tensor {
    pub(super) dims: Vec<u64>,
    /// Number of elements that lie in memory: an axis along which the tensor repeats itself counts
    /// once.
    pub(super) stored: u64,
    /// Number of bytes of an element.
    pub(super) width: u64,
}

impl Tensor {
    /// Returns the number of elements; `None` where it is too large to count.
    pub(super) fn elements(&self) -> Option<u64> {
        volume(&self.dims)
    }

    pub(super) fn bytes(&self) -> Option<u64> {
        self.stored.checked_mul(self.width)
    }
}

/// Arguments that an op of the host was given, as the event of the op writes them.
#[derive(Debug, Default)]
pub(super) struct OpInputs {
    /// Tensor at each position; `None` where the argument is no tensor.
    pub(super) tensors: Vec<Option<Tensor>>,
    /// Values of the other arguments, as text; empty where the event does not give them.
    pub(super) values: Vec<String>,
}

impl OpInputs {
    /// Reads the arguments from the texts of the members `Input Dims`, `Input type`, `Input
    /// Strides` and `Concrete Inputs`. `None` where dimensions or types are missing, or a tensor is
    /// of an unknown type, or one of a list.
    pub(super) fn read([dims, types, strides, values]: [Option<&str>; 4]) -> Option<Self> {
        let list = |text: &str| match serde_json::from_str(text) {
            Ok(Value::Array(all)) => Some(all),
            _ => None,
        };
        let (dims, types) = (list(dims?)?, list(types?)?);
        let strides = strides.and_then(list).unwrap_or_default();
        let tensor = |(at, dims): (usize, &Value)| -> Option<Option<Tensor>> {
            let kind = types.get(at)?.as_str()?;
            if matches!(kind, "" | "Scalar" | "ScalarList") {
                return Some(None);
            }
            let (dims, width) = (numbers(dims)?, width(kind)?);
            let strides = strides.get(at).and_then(numbers).unwrap_or_default();
            let repeats = |axis: usize| strides.len() == dims.len() && strides[axis] == 0;
            let kept: Vec<u64> =
                (0..dims.len()).filter(|&axis| !repeats(axis)).map(|axis| dims[axis]).collect();
            Some(Some(Tensor { stored: volume(&kept)?, dims, width }))
        };
        let tensors = dims.iter().enumerate().map(tensor).collect::<Option<Vec<_>>>()?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let values = values.and_then(list).unwrap_or_default().iter().map(text).collect();
        Some(Self { tensors, values })
    }

    /// Returns the tensor at a position; `None` where there is none.
    pub(super) fn tensor(&self, at: usize) -> Option<&Tensor> {
        self.tensors.get(at)?.as_ref()
    }

    /// Lists the tensors in their order, without the other arguments.
    pub(super) fn all(&self) -> impl Iterator<Item = &Tensor> {
        self.tensors.iter().flatten()
    }

    /// Returns the bytes of all tensors, each counted once; `None` where there are too many.
    pub(super) fn bytes(&self) -> Option<u64> {
        self.all().try_fold(0u64, |sum, tensor| sum.checked_add(tensor.bytes()?))
    }

    /// Returns the whole numbers of the list that is the argument at a position, as in `[2, 2]`.
    pub(super) fn numbers(&self, at: usize) -> Option<Vec<u64>> {
        numbers(&serde_json::from_str(self.values.get(at)?).ok()?)
    }
}

/// Returns the name of an op of the host without quotes; `None` where the text is no string.
pub(super) fn op_name(text: Option<&str>) -> Option<String> {
    text.and_then(string).map(|name| name.into_owned())
}

fn numbers(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(Value::as_u64).collect()
}

fn volume(dims: &[u64]) -> Option<u64> {
    dims.iter().try_fold(1u64, |volume, &side| volume.checked_mul(side))
}

/// Returns the number of bytes of an element of a tensor by its type, as C++ names it.
fn width(kind: &str) -> Option<u64> {
    Some(match kind {
        "bool" | "char" | "signed char" | "unsigned char" => 1,
        "short" | "short int" | "c10::Half" | "c10::BFloat16" => 2,
        "int" | "float" => 4,
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
            ("[[-1]]", r#"["float"]"#),
            ("[[4294967296,4294967296]]", r#"["float"]"#),
            ("7", "[]"),
        ] {
            assert!(read(dims, types, None).is_none(), "{dims} {types}");
        }
    }
}
