"""Compiles four kernels for sm_80 into Triton's cache. No GPU is needed."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile
@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * BLOCK + tl.arange(0, BLOCK)
    m = offs < n
    x = tl.load(x_ptr + offs, mask=m)
    y = tl.load(y_ptr + offs, mask=m)
    tl.store(out_ptr + offs, x + y, mask=m)
@triton.jit
def scale_in_place(x_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = offs < n
    tl.store(x_ptr + offs, tl.load(x_ptr + offs, mask=m) * 2.0, mask=m)
@triton.jit
def softmax_rows(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    m = offs < n
    x = tl.load(x_ptr + row * n + offs, mask=m, other=-float("inf"))
    x = x - tl.max(x, axis=0)
    e = tl.exp(x)
    tl.store(out_ptr + row * n + offs, e / tl.sum(e, axis=0), mask=m)
@triton.jit
def count(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offs, mask=offs < n, other=0)
    tl.atomic_add(out_ptr, tl.sum(x, axis=0))
sigs = {add_kernel: {"x_ptr":"*fp32","y_ptr":"*fp32","out_ptr":"*fp32","n":"i32","BLOCK":"constexpr"},
 scale_in_place: {"x_ptr":"*fp32","n":"i32","BLOCK":"constexpr"},
 softmax_rows: {"x_ptr":"*fp32","out_ptr":"*fp32","n":"i32","BLOCK":"constexpr"},
 count: {"x_ptr":"*i32","out_ptr":"*i32","n":"i32","BLOCK":"constexpr"}}
for k,s in sigs.items():
    src=ASTSource(fn=k, signature=s, constexprs={"BLOCK":256})
    c=compile(src, target=GPUTarget("cuda", 80, 32))
    print(k.__name__, list(c.asm.keys()), len(c.asm["ptx"]))
