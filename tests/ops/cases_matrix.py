"""cases_matrix.py: the cases of matrix products. Large ones are of whole numbers, so that one term left out shows.

The functions are long, and compilers take their time, so sizes go through models with named dims, where one function
serves them all; what knows its sizes gets a few.
"""

from values import FLOATS

SMALL = ("f32",)
BOTH = ("f32", "i32")
SIZES = [(3, 5, 4), (1, 1, 1), (7, 9, 13), (1, 17, 5), (5, 1, 3), (33, 65, 17), (16, 16, 16), (0, 3, 2), (2, 0, 3), (2, 3, 0), (1, 300, 1), (64, 70, 129), (6, 32, 64), (97, 3, 31)]
FIXED = [(3, 5, 4), (1, 1, 1), (5, 1, 3), (2, 0, 3), (17, 40, 33)]


def cases(ops):
    made = []

    def add(name, op, shapes, attrs=None, types=SMALL, k=1, values=None, **more):
        """k: how many terms there are in a sum, which bounds its error. types None: all."""
        if op not in ops:
            return
        types = ops[op].dtypes() if types is None else types
        shapes = shapes if isinstance(shapes, list) else [shapes]
        inputs = {i.name: "normal" for i in ops[op].inputs}
        types = [t for t in types if isinstance(t, dict) or t in ops[op].dtypes()]
        if types:
            made.append({"name": name, "op": op, "shapes": shapes, "values": {**inputs, **(values or {})}, "attrs": attrs or {}, "types": types, "rel": 8, "abs": 4 * max(k, 4), **more})

    # Every dtype: of one operator in general, of the others with a single column, whose functions are short.
    add("mm.types", "mm", {"input": [7, 19], "mat2": [19, 21]}, types=None, k=19)
    add("bmm.types", "bmm", {"input": [2, 7, 19], "mat2": [2, 19, 1]}, types=None, k=19)
    add("matmul.types", "matmul", {"input": [7, 19], "other": [19]}, types=None, k=19)
    add("mv.types", "mv", {"input": [7, 19], "vec": [19]}, types=None, k=19)
    add("addmv.types", "addmv", {"input": [7], "mat": [7, 19], "vec": [19]}, types=None, k=19)
    add("addmm.types", "addmm", {"input": [7, 1], "mat1": [7, 19], "mat2": [19, 1]}, types=None, k=19)
    add("baddbmm.types", "baddbmm", {"input": [2, 7, 1], "batch1": [2, 7, 19], "batch2": [2, 19, 1]}, types=None, k=19)
    add("linear.types", "linear", {"input": [7, 19], "weight": [1, 19], "bias": [1]}, types=None, k=19)
    add("einsum.types", "einsum", {"input": [7, 19], "other": [19]}, {"equation": "ij,j->i"}, None, k=19)
    add("dot.types", "dot", {"input": [37], "tensor": [37]}, types=None, k=37)
    add("outer.types", "outer", {"input": [3], "vec2": [5]}, types=None)
    add("inner.types", "inner", {"input": [7, 19], "other": [19]}, types=None, k=19)
    add("addr.types", "addr", {"input": [4, 5], "vec1": [4], "vec2": [5]}, {"beta": 2, "alpha": 3}, None, k=4)
    add("addr_apply.0", "addr_apply", {"input": [4, 5], "vec1": [4, 1], "vec2": [5]}, {"beta": 2, "alpha": 3}, None, k=4)
    add("addr_apply.1", "addr_apply", {"input": [5], "vec1": [4, 1], "vec2": [5]}, {}, BOTH, k=4)
    for at, (m, k, n) in enumerate(FIXED):
        add(f"mm.{at}", "mm", {"input": [m, k], "mat2": [k, n]}, k=k)
        add(f"linear.{at}", "linear", {"input": [m, k], "weight": [n, k], "bias": [n]}, types=BOTH if at == 0 else SMALL, k=k)
        add(f"mv.{at}", "mv", {"input": [m, k], "vec": [k]}, types=BOTH if at == 0 else SMALL, k=k)
        add(f"outer.{at}", "outer", {"input": [m], "vec2": [n]}, types=BOTH)
    add("linear.plain", "linear", {"input": [3, 5], "weight": [4, 5]}, types=("f32", "f16"), k=5)
    add("linear.vector", "linear", {"input": [5], "weight": [3, 5], "bias": [3]}, k=5)
    add("linear.batch", "linear", {"input": [2, 3, 4, 5], "weight": [7, 5], "bias": [7]}, k=5)
    add("linear.row", "linear", {"input": [2, 3, 5], "weight": [5]}, k=5)
    for at, (beta, alpha) in enumerate([(2, 3), (0.5, 2), (0, 1), (1, 0)]):
        scales, types = {"beta": beta, "alpha": alpha}, BOTH if at == 0 else SMALL
        add(f"addmm.scaled{at}", "addmm", {"input": [4, 6], "mat1": [4, 9], "mat2": [9, 6]}, scales, types, k=45)
        if at < 2:
            add(f"baddbmm.scaled{at}", "baddbmm", {"input": [2, 4, 6], "batch1": [2, 4, 9], "batch2": [2, 9, 6]}, scales, types, k=45)
        add(f"addmv.scaled{at}", "addmv", {"input": [4], "mat": [4, 9], "vec": [9]}, scales, types, k=45)
        add(f"addr.scaled{at}", "addr", {"input": [4, 5], "vec1": [4], "vec2": [5]}, scales, SMALL, k=4)
    # What is multiplied by zero is not looked at: the input may hold anything.
    add("addmm.nan", "addmm", {"input": [4, 6], "mat1": [4, 9], "mat2": [9, 6]}, {"beta": 0, "alpha": 1}, SMALL, k=9, values={"input": ["list", ["nan", "inf", 1, 2]]})
    for at, shape in enumerate([[4, 6], [6], [4, 1], []]):
        add(f"addmm.spread{at}", "addmm", {"input": shape, "mat1": [4, 9], "mat2": [9, 6]}, types=SMALL, k=9)
    for at, shape in enumerate([[6], [2, 1, 6], [1]]):
        add(f"baddbmm.spread{at}", "baddbmm", {"input": shape, "batch1": [2, 4, 9], "batch2": [2, 9, 6]}, types=SMALL, k=9)
    for at, shape in enumerate([[4], [1], []]):
        add(f"addmv.spread{at}", "addmv", {"input": shape, "mat": [4, 9], "vec": [9]}, k=9)
    for at, shape in enumerate([[4, 5], [5], [4, 1], []]):
        add(f"addr.spread{at}", "addr", {"input": shape, "vec1": [4], "vec2": [5]})
    add("matmul.plain", "matmul", {"input": [3, 5], "other": [5, 4]}, types=BOTH, k=5)
    for at, (a, b) in enumerate([([5], [5]), ([3, 5], [5]), ([5], [5, 4]), ([2, 3, 5], [5]), ([5], [2, 5, 4]), ([2, 3, 5], [2, 5, 4]), ([2, 3, 5], [5, 4]), ([3, 5], [2, 5, 4]),
                                 ([6, 1, 3, 5], [2, 5, 4]), ([2, 1, 3, 5], [1, 3, 5, 4]), ([0, 3, 5], [5, 4]), ([2, 3, 0], [0, 4]), ([0], [0])]):
        add(f"matmul.shapes{at}", "matmul", {"input": a, "other": b}, k=5)
    for at, n in enumerate((1, 0, 1025, 40009)):
        more = {"values": {"input": ["whole", -4, 4], "tensor": ["whole", -4, 4]}, "exact": True} if n >= 1025 else {}
        add(f"dot.{at}", "dot", {"input": [n], "tensor": [n]}, k=n, **more)
    for at, (a, b) in enumerate([([3], [3]), ([2, 5, 3], [4, 6, 3]), ([], [4, 3]), ([4, 3], []), ([], []), ([2, 3], [3])]):
        add(f"inner.shapes{at}", "inner", {"input": a, "other": b}, k=3)
    equations = [("ij,jk->ik", [3, 5], [5, 4]), ("ij,ij->", [3, 5], [3, 5]), ("i,j->ij", [3], [4]), ("bhid,bhjd->bhij", [2, 2, 3, 5], [2, 2, 4, 5]), ("ij,ij->ij", [3, 5], [3, 5]),
                 ("ijk,k->ji", [2, 3, 5], [5]), ("ab,cd->abcd", [2, 3], [1, 4]), ("ij,ik->jk", [5, 3], [5, 4]), ("iij,j->ij", [3, 3, 4], [4]), ("...ij,...jk", [2, 1, 3, 5], [7, 5, 4]),
                 ("ij,jk->ki", [2, 1], [3, 4]), ("i , j -> j i", [2], [3]), ("i...,...->...", [2, 3], [3]), ("ba,ac", [2, 3], [3, 4]), ("ij,jk->ik", [2, 0], [0, 4])]
    for at, (equation, a, b) in enumerate(equations):
        add(f"einsum.{at}", "einsum", {"input": a, "other": b}, {"equation": equation}, BOTH if at == 0 else SMALL, k=15)
    for at, row in enumerate((["nan", 1, 2], ["inf", 1, 2], ["inf", "-inf", 1])):
        add(f"mm.special{at}", "mm", {"input": [7, 9], "mat2": [9, 21]}, types=("f32", "bf16"), k=3, values={"input": ["list", row], "mat2": ["list", [1]]})
    whole = {"exact": True, "every": 37}
    for op, one, two in (("mm", "input", "mat2"), ("linear", "input", "weight")):
        m, k, n = 200, 301, 250
        shapes = {one: [m, k], two: [k, n] if op == "mm" else [n, k]}
        add(f"{op}.large", op, shapes, values={name: ["whole", -4, 4] for name in shapes}, **whole)
    # Sizes that are known at run time only; exactly, in whole numbers.
    exact = {"exact": True, "least": 0}
    near = {name: ["whole", -4, 4] for name in ("input", "mat1", "mat2", "batch1", "batch2", "weight", "bias", "other", "vec")}

    def named(op, **names):
        """One model with dims m, k, n (and b), run with all sizes."""
        sets = [{name: [{"m": m, "k": k, "n": n, "b": 1 + at % 3}[dim] for dim in shape.split()] for name, shape in names.items()} for at, (m, k, n) in enumerate(SIZES)]
        types = ("f32", "f16", "i32") if op == "mm" else ("f32", "bf16") if op == "linear" else SMALL
        own = {name: near[name] for name in names}
        add(f"{op}.symbolic{len(names)}", op, sets, types=types, values=own, dims={name: shape.split() for name, shape in names.items()}, **exact)

    named("mm", input="m k", mat2="k n")
    named("bmm", input="b m k", mat2="b k n")
    named("matmul", input="b m k", other="k n")
    named("linear", input="m k", weight="n k", bias="n")
    named("linear", input="m k", weight="n k")
    named("addmm", input="m n", mat1="m k", mat2="k n")
    named("baddbmm", input="b m n", batch1="b m k", batch2="b k n")
    named("mv", input="m k", vec="k")
    return {"matrix": made}
