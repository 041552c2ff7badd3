"""fused_cases.py: chains of maps, and reductions of what is computed on the way, for kernel_bench.py --fused.

A line is a name, tensors and nodes: x:i8[n,m] is an input, a=cast(x,dtype=f32) a node whose result is a. What ends with a reduction is beside a plain
sum, all else beside memcpy. Of rows there are as many as make 100 MiB of the widest tensor, of 4096, 1000, 200 and 100 elements.
"""

import json
import re

ROWS = 4096, 1000, 200, 100
TOTAL = 100 << 20
BYTES = {"bool": 1, "i8": 1, "u8": 1, "f16": 2, "bf16": 2, "i32": 4, "f32": 4, "f64": 8}
FOLDS = "sum", "mean", "amax", "amin", "argmax", "var", "any"
CASES = """
quantise_f32 x:f32[n];s:f32[];a=mul(x,s);b=round(a);c=clamp(b,min=-128,max=127);d=cast(c,dtype=i8)
quantise_f16 x:f16[n];s:f32[];e=cast(x,dtype=f32);a=mul(e,s);b=round(a);c=clamp(b,min=-128,max=127);d=cast(c,dtype=i8)
quantise_rows_f32 x:f32[n,m];s:f32[n,1];a=mul(x,s);b=round(a);c=clamp(b,min=-128,max=127);d=cast(c,dtype=i8)
quantise_rows_f16 x:f16[n,m];s:f32[n,1];e=cast(x,dtype=f32);a=mul(e,s);b=round(a);c=clamp(b,min=-128,max=127);d=cast(c,dtype=i8)
requantise_rows_i32 x:i32[n,m];s:f32[m];e=cast(x,dtype=f32);a=mul(e,s);b=round(a);c=clamp(b,min=-128,max=127);d=cast(c,dtype=i8)
requantised_silu_i8 x:i8[n];s:f32[];e=cast(x,dtype=f32);a=mul(e,s);f=silu(a);g=mul(f,31.5);b=round(g);c=clamp(b,min=-128,max=127);d=cast(c,dtype=i8)
floats_of_rows_i8 x:i8[n,m];s:f32[m];a=cast(x,dtype=f32);b=mul(a,s)
halves_of_rows_i8 x:i8[n,m];s:f16[m];a=cast(x,dtype=f16);b=mul(a,s)
bf16_of_rows_i8 x:i8[n,m];s:bf16[m];a=cast(x,dtype=bf16);b=mul(a,s)
gelu_of_rows_i8 x:i8[n,m];s:f32[m];a=cast(x,dtype=f32);b=mul(a,s);c=gelu(b)
added_i8 a:i8[n];b:i8[n];s:f32[];t:f32[];c=cast(a,dtype=f32);d=cast(b,dtype=f32);e=mul(c,s);f=mul(d,t);g=add(e,f);h=round(g);i=clamp(h,min=-128,max=127);j=cast(i,dtype=i8)
grey_u8 r:u8[n];g:u8[n];b:u8[n];a=cast(r,dtype=f32);c=cast(g,dtype=f32);d=cast(b,dtype=f32);e=mul(a,0.299);f=mul(c,0.587);h=mul(d,0.114);i=add(e,f);j=add(i,h);k=cast(j,dtype=u8)
swiglu_f32 x:f32[n];y:f32[n];a=silu(x);b=mul(a,y)
swiglu_bf16 x:bf16[n];y:bf16[n];a=silu(x);b=mul(a,y)
geglu_f16 x:f16[n];y:f16[n];a=gelu(x);b=mul(a,y)
geglu_bf16 x:bf16[n];y:bf16[n];a=gelu(x);b=mul(a,y)
scaled_rows_f16 x:f16[n,m];s:f16[n,1];a=mul(x,s)
bias_relu_f16 x:f16[n,m];b:f16[m];a=add(x,b);r=relu(a)
bias_silu_f16 x:f16[n,m];b:f16[m];a=add(x,b);r=silu(a)
bias_gelu_bf16 x:bf16[n,m];b:bf16[m];a=add(x,b);r=gelu(a)
bias_tanh_f32 x:f32[n,m];b:f32[m];a=add(x,b);r=tanh(a)
exp_less_f32 x:f32[n,m];k:f32[n,1];a=sub(x,k);b=exp(a)
exp_less_f16 x:f16[n,m];k:f16[n,1];a=sub(x,k);b=exp(a)
scale_shift_f16 x:f16[n,m];s:f16[m];b:f16[m];a=mul(x,s);c=add(a,b)
tanh_within_f16 x:f16[n];a=div(x,30);b=tanh(a);c=mul(b,30)
dropout_f16 x:f16[n];k:bool[n];a=where(k,x,0);b=mul(a,1.25)
squares_f32 x:f32[n,m];a=mul(x,x);r=sum(a,dim=-1)
squares_f16 x:f16[n,m];a=mul(x,x);r=sum(a,dim=-1)
squares_bf16 x:bf16[n,m];a=mul(x,x);r=sum(a,dim=-1)
sizes_f32 x:f32[n,m];a=abs(x);r=amax(a,dim=-1)
sizes_f16 x:f16[n,m];a=abs(x);r=amax(a,dim=-1)
place_of_size_f32 x:f32[n,m];a=abs(x);r=argmax(a,dim=-1)
products_f32 x:f32[n,m];y:f32[n,m];a=mul(x,y);r=sum(a,dim=-1)
products_f16 x:f16[n,m];y:f16[n,m];a=mul(x,y);r=sum(a,dim=-1)
product_with_row_f32 x:f32[n,m];y:f32[m];a=mul(x,y);r=sum(a,dim=-1)
product_with_row_f16 x:f16[n,m];y:f16[m];a=mul(x,y);r=sum(a,dim=-1)
product_with_row_i8 x:i8[n,m];y:f32[m];c=cast(x,dtype=f32);a=mul(c,y);r=sum(a,dim=-1)
floats_i8 x:i8[n,m];c=cast(x,dtype=f32);r=sum(c,dim=-1)
mean_of_columns_u8 x:u8[n,m];c=cast(x,dtype=f32);r=mean(c,dim=0)
bias_amax_f32 x:f32[n,m];b:f32[m];a=add(x,b);r=amax(a,dim=-1)
masked_f32 x:f32[n,m];k:bool[n,m];a=where(k,x,0);r=sum(a,dim=-1)
exponentials_f32 x:f32[n,m];k:f32[n,1];a=sub(x,k);b=exp(a);r=sum(b,dim=-1)
sigmoids_f32 x:f32[n,m];a=sigmoid(x);r=sum(a,dim=-1)
logarithms_f32 x:f32[n];a=log(x);r=sum(a)
squared_error_f32 x:f32[n];y:f32[n];a=sub(x,y);b=mul(a,a);r=mean(b)
losses_f32 x:f32[n];y:f32[n];a=softplus(x);b=mul(x,y);c=sub(a,b);r=mean(c)
weighed_columns_f16 x:f16[n,m];w:f16[n,1];a=mul(x,w);r=sum(a,dim=0)
"""


def value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def read(line):
    """The name, the inputs as (dtype, shape), and the nodes of a line."""
    name, rest = line.split(" ", 1)
    inputs, nodes = {}, []
    for part in rest.split(";"):
        tensor = re.fullmatch(r"(\w+):(\w+)\[([\w,]*)\]", part)
        if tensor:
            inputs[tensor[1]] = (tensor[2], [value(size) for size in tensor[3].split(",") if size])
            continue
        out, op, given = re.fullmatch(r"(\w+)=(\w+)\(([^)]*)\)", part).groups()
        given = given.split(",")
        node = {"op": op, "in": [value(one) for one in given if "=" not in one], "out": out}
        attrs = {key: value(text) for key, text in (one.split("=") for one in given if "=" in one)}
        nodes.append({**node, "attrs": attrs} if attrs else node)
    return name, inputs, nodes


def cases(pattern):
    """What it is beside, the model and the sizes of each row whose name the regular expression matches from its begin to its end."""
    for line in CASES.strip().split("\n"):
        name, inputs, nodes = read(line)
        rank = max(len(shape) for _, shape in inputs.values())
        count = TOTAL // max(BYTES[dtype] for dtype, shape in inputs.values() if len(shape) == rank)
        for columns in ROWS if rank == 2 else (1,):
            row = f"{name}_{columns}" if rank == 2 else name
            if not re.fullmatch(pattern, row):
                continue
            sizes = {"n": count // columns, **({"m": columns} if rank == 2 else {})}
            text = {"opgen": 1, "name": row, "dims": {dim: {"max": 1 << 30} for dim in sizes}, "nodes": nodes, "outputs": [nodes[-1]["out"]],
                    "inputs": {key: {"dtype": dtype, "shape": shape} for key, (dtype, shape) in inputs.items()}}
            yield "read" if nodes[-1]["op"] in FOLDS else "copy", text, sizes
