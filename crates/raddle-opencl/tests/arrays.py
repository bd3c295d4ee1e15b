"""Arrays of pyopencl: element by element, reductions, scans, indices, compared with numpy's."""

import numpy
import pyopencl
import pyopencl.array as arrays
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import InclusiveScanKernel

context = pyopencl.create_some_context(interactive=False)
queue = pyopencl.CommandQueue(context)
draw = numpy.random.default_rng(1)
a = draw.integers(0, 1000, 50000).astype(numpy.int32)
b = draw.integers(1, 1000, 50000).astype(numpy.int32)
A, B = arrays.to_device(queue, a), arrays.to_device(queue, b)
equal = {}
equal["sums"] = ((A + B * 3 - A).get() == a + b * 3 - a).all()
equal["sum"] = int(arrays.sum(A).get()) == int(a.sum())
equal["maximum"] = int(arrays.max(A).get()) == a.max()
scanned = A.copy()
InclusiveScanKernel(context, numpy.int32, "a+b", neutral="0")(scanned)
equal["scan"] = (scanned.get() == numpy.cumsum(a)).all()
product = ReductionKernel(
    context, numpy.int64, neutral="0", reduce_expr="a+b", map_expr="(long)x[i]*y[i]",
    arguments="__global int *x, __global int *y")
equal["product"] = int(product(A, B).get()) == int((a.astype(numpy.int64) * b).sum())
in_place = ElementwiseKernel(context, "int *x, int *y, int k", "x[i] = x[i] * k + y[i]")
chain, expected = A.copy(), a.copy()
for step in range(60):
    in_place(chain, B, numpy.int32(step % 3))
    expected = (expected * numpy.int32(step % 3) + b).astype(numpy.int32)
equal["chain in place"] = (chain.get() == expected).all()
every_third = arrays.to_device(queue, numpy.arange(0, 50000, 3, dtype=numpy.int32))
equal["indices"] = (arrays.take(A, every_third).get() == a[::3]).all()
equal["choice"] = (arrays.if_positive(A - 500, A, B).get() == numpy.where(a > 500, a, b)).all()
wrong = [name for name, right in equal.items() if not right]
print("wrong:", wrong)
