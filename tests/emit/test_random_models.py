#!/usr/bin/python3
"""Random models: with all passes over the graph and without each of some, and with frozen weights, the values are NumPy's.

    SEED=1 COUNT=40 OPGEN=build/opgen tests/emit/test_random_models.py

Each graph is a handful of maps, views, reductions, norms and matrix products over inputs and params of random shapes,
some of a named dim, which is run with two sizes; with parts of f16, bf16, i32 and bool, operators in place, operators of
several results, and several outputs. Several graphs are one model, so that compilers are called seldom. A graph whose
values differ is made smaller, as long as they do (shrink.py), and the small model.json is written and shown.

    SEED=1 ONLY=17 tests/emit/test_random_models.py     one graph of a seed alone
"""

import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from shrink import names_in, names_out, shrink  # noqa: E402

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
SEED = int(os.environ.get("SEED", "20261121"))
COUNT = int(os.environ.get("COUNT", "14"))
# Of the largest value. f32: sums in another order, a dozen operators deep. What goes through 16 bits is rounded in other
# places where nodes are joined.
TOLERANCE = {"f32": 2e-4, "f16": 2e-2, "bf16": 1.5e-1}
SHRINK_SECONDS = float(os.environ.get("SHRINK_SECONDS", "120"))
DIM, SIZES = "batch", (3, 5)
WAYS = ([], ["--without", "fuse"], ["--without", "fold"], ["--without", "cancel"], ["--without", "rewrite"], ["--freeze"])


class Graph:
    """Nodes over tensors whose shapes are tuples of integers and DIM; `run` is NumPy's word on it."""

    def __init__(self, rng, prefix):
        self.rng, self.prefix = rng, prefix
        self.inputs, self.nodes, self.shapes, self.steps = {}, [], {}, {}  # inputs: params as well
        self.dtypes = {}  # of inputs that are not f32
        self.more = []  # results that are outputs as well, whoever reads them

    # ---- making it
    def size(self):
        return self.rng.choice([1, 2, 3, 4, 5, 7, 8, 16, 17])

    def shape(self):
        rank = self.rng.choice([1, 2, 2, 3, 3, 4])
        sizes = [self.size() for _ in range(rank)]
        if self.rng.random() < 0.4:
            sizes[0] = DIM
        return tuple(sizes)

    def input(self, shape, dtype="f32"):
        name = f"{self.prefix}x{len(self.inputs)}"
        self.inputs[name] = shape
        if dtype == "f32":
            self.shapes[name] = shape  # for others to read
        else:
            self.dtypes[name] = dtype
        return name

    def given(self, shape):
        """A param or an input, or what was computed of params alone."""
        if DIM in shape or self.rng.random() < 0.5:
            return self.input(shape)
        name = f"{self.prefix}w{len(self.inputs)}"
        self.inputs[name] = self.shapes[name] = shape
        if self.rng.random() < 0.6:
            name = self.add("tanh", [name], shape, numpy.tanh)
        elif self.rng.random() < 0.5:
            name = self.add("flip", [name], shape, lambda a: numpy.flip(a, 0), dims=[0])
        return name

    def pick(self):
        names = list(self.shapes)
        return self.rng.choice(names[-4:] if self.rng.random() < 0.7 else names)

    def add(self, op, inputs, made_shape, step, **attrs):
        name = f"{self.prefix}t{len(self.nodes)}"
        node = {"op": op, "in": inputs, "out": name}
        if attrs:
            node["attrs"] = attrs
        self.nodes.append(node)
        self.shapes[name] = tuple(made_shape)
        self.steps[name] = (step, inputs)
        return name

    def add_several(self, op, inputs, made_shapes, step, **attrs):
        """Of an operator with several results; `step` gives a list. A shape of None: not for others to read."""
        first = self.add(op, inputs, (), step, **attrs)
        del self.shapes[first]
        names = [first] + [f"{first}_{i}" for i in range(1, len(made_shapes))]
        self.nodes[-1]["out"] = names
        self.shapes.update({name: tuple(shape) for name, shape in zip(names, made_shapes) if shape is not None})
        return names

    def broadcastable(self, shape):
        """A shape that broadcasts to this one."""
        own = [size if self.rng.random() < 0.6 else 1 for size in shape]
        return tuple(own[self.rng.randrange(len(own)) if self.rng.random() < 0.4 else 0 :])

    def grow(self):
        choice = self.rng.random()
        x = self.pick()
        shape = self.shapes[x]
        rank = len(shape)
        dim = self.rng.randrange(rank)
        if self.rng.random() < 0.3:
            self.rng.choice([self.sixteen, self.whole, self.truths, self.parts, self.in_place, self.diamond, self.two_results])(x, shape, rank, dim)
            return
        if self.rng.random() < 0.12:
            self.undone(x, shape, rank, dim)
            return
        if self.rng.random() < 0.12 and shape[-1] != DIM:
            self.written_out(x, shape)
            return
        if choice < 0.30:
            op, step = self.rng.choice(
                [
                    ("relu", lambda a: numpy.maximum(a, 0)),
                    ("neg", lambda a: -a),
                    ("abs", numpy.abs),
                    ("tanh", numpy.tanh),
                    ("tanh", numpy.tanh),
                    ("sigmoid", lambda a: 1 / (1 + numpy.exp(-a))),
                    ("silu", lambda a: a / (1 + numpy.exp(-a))),
                ]
            )
            self.add(op, [x], shape, step)
        elif choice < 0.50:
            op, step = self.rng.choice([("add", numpy.add), ("sub", numpy.subtract), ("mul", numpy.multiply), ("maximum", numpy.maximum)])
            same = [name for name in self.shapes if self.shapes[name] == shape]
            other = self.rng.choice(same) if self.rng.random() < 0.6 else self.given(self.broadcastable(shape))
            pair = [x, other] if self.rng.random() < 0.5 else [other, x]
            self.add(op, pair, shape, step)
        elif choice < 0.68:
            self.view(x, shape, rank, dim)
        elif choice < 0.78:
            keep = self.rng.random() < 0.5
            left = [1 if i == dim else size for i, size in enumerate(shape) if keep or i != dim]
            if not left:
                return
            op, step = self.rng.choice([("sum", numpy.sum), ("mean", numpy.mean), ("amax", numpy.max)])
            self.add(op, [x], left, lambda a: step(a, axis=dim, keepdims=keep), dim=dim, keepdim=keep)
        elif choice < 0.90:
            self.norm(x, shape, dim)
        elif rank >= 2:
            n = self.size()
            if shape[-1] == DIM:
                return
            weight = self.given((n, shape[-1]))
            if self.rng.random() < 0.5:
                bias = self.given((n,))
                made = self.add("linear", [x, weight, bias], shape[:-1] + (n,), lambda a, w, b: a @ w.swapaxes(0, 1) + b)
            else:
                turned = self.add("transpose", [weight], (shape[-1], n), lambda a: a.T, dim0=0, dim1=1)
                made = self.add("matmul", [x, turned], shape[:-1] + (n,), lambda a, w: a @ w)
            self.add("tanh", [made], shape[:-1] + (n,), numpy.tanh)

    def norm(self, x, shape, dim):
        def softmax(a):
            e = numpy.exp(a - a.max(dim, keepdims=True))
            return e / e.sum(dim, keepdims=True)

        def layer(a, *weight):
            centred = a - a.mean(-1, keepdims=True)
            y = centred / numpy.sqrt((centred**2).mean(-1, keepdims=True) + 1e-2)
            return y * weight[0] if weight else y

        if self.rng.random() < 0.5:
            self.add("softmax", [x], shape, softmax, dim=dim)
        elif shape[-1] != DIM:
            weight = [self.given((shape[-1],))] if self.rng.random() < 0.6 else []
            name = self.add("layer_norm", [x] + weight, shape, layer, eps=1e-2)
            self.nodes[-1]["in"] = dict(zip(("input", "weight"), [x] + weight))
            return name

    def weight(self, shape):
        name = f"{self.prefix}w{len(self.inputs)}"
        self.inputs[name] = self.shapes[name] = shape
        return name

    def sixteen(self, x, shape, rank, dim):
        """Some of the way in 16 bits, with a view now and then."""
        dtype = self.rng.choice(["f16", "bf16"])
        at, shapes = self.hidden("cast", [x], shape, lambda a: a, dtype=dtype), shape
        for _ in range(self.rng.randint(1, 3)):
            kind = self.rng.choice(["relu", "neg", "abs", "add", "mul", "flip"])
            if kind in ("add", "mul"):
                other = self.input(self.broadcastable(shapes), dtype)
                at = self.hidden(kind, [at, other], shapes, numpy.add if kind == "add" else numpy.multiply)
            elif kind == "flip":
                at = self.hidden(kind, [at], shapes, lambda a: numpy.flip(a, dim), dims=[dim])
            else:
                at = self.hidden(kind, [at], shapes, {"relu": lambda a: numpy.maximum(a, 0), "neg": numpy.negative, "abs": numpy.abs}[kind])
        if self.rng.random() < 0.3:
            self.more.append(at)
        self.add("cast", [at], shape, lambda a: a, dtype="f32")

    def whole(self, x, shape, rank, dim):
        """Integers, exactly, and what they make of a tensor of floats."""
        own = self.broadcastable(shape)
        at = self.input(own, "i32")
        for _ in range(self.rng.randint(1, 3)):
            kind = self.rng.choice(["add", "sub", "mul", "maximum", "neg", "bitwise_and", "flip"])
            if kind == "neg":
                at = self.hidden(kind, [at], own, numpy.negative)
            elif kind == "flip":
                at = self.hidden(kind, [at], own, lambda a: numpy.flip(a, 0), dims=[0])
            else:
                step = {"add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply, "maximum": numpy.maximum, "bitwise_and": numpy.bitwise_and}[kind]
                at = self.hidden(kind, [at, self.input(own, "i32")], own, step)
        if self.rng.random() < 0.3:
            self.more.append(at)
        made = self.add("cast", [at], own, lambda a: a.astype("f8"), dtype="f32")
        kind, step = self.rng.choice([("add", numpy.add), ("sub", numpy.subtract)])
        self.add(kind, [x, made], shape, step)

    def truths(self, x, shape, rank, dim):
        """Comparisons of what is exact, and a choice by them."""
        one, two = self.input(shape), self.input(self.broadcastable(shape))
        kind, step = self.rng.choice([("gt", numpy.greater), ("le", numpy.less_equal)])
        at = self.hidden(kind, [one, two], shape, step)
        if self.rng.random() < 0.5:
            at = self.hidden("logical_not", [at], shape, numpy.logical_not)
        if self.rng.random() < 0.5:
            given = self.input(self.broadcastable(shape), "bool")
            kind, step = self.rng.choice([("logical_and", numpy.logical_and), ("logical_or", numpy.logical_or), ("logical_xor", numpy.logical_xor)])
            at = self.hidden(kind, [at, given], shape, step)
        if self.rng.random() < 0.3:
            self.more.append(at)
        pair = [x, one] if self.rng.random() < 0.5 else [one, x]
        self.add("where", [at] + pair, shape, numpy.where)

    def hidden(self, op, inputs, shape, step, **attrs):
        """A result of another type than the rest, so not for others to read."""
        name = self.add(op, inputs, shape, step, **attrs)
        del self.shapes[name]
        return name

    def parts(self, x, shape, rank, dim):
        """A list of results, of which some are joined again, turned around."""
        size = shape[dim]
        if size == DIM or size < 2:
            return
        kind = self.rng.choice(["chunk", "split", "unbind"])
        if kind == "unbind" and size <= 5 and rank > 1:
            names = self.add_several(kind, [x], [shape[:dim] + shape[dim + 1 :]] * size, lambda a: [a.take(i, dim) for i in range(size)], dim=dim)
            self.add("add", [names[0], names[-1]], shape[:dim] + shape[dim + 1 :], numpy.add)
            return
        if kind == "chunk":
            each = -(-size // 2)
            sizes, attrs = [each, size - each], {"chunks": 2, "dim": dim}
        else:
            first = self.rng.randint(1, size - 1)
            kind, sizes, attrs = "split", [first, size - first], {"split_size_or_sections": [first, size - first], "dim": dim}
        shapes = [shape[:dim] + (n,) + shape[dim + 1 :] for n in sizes]
        names = self.add_several(kind, [x], shapes, lambda a: numpy.split(a, [sizes[0]], dim), **attrs)
        if self.rng.random() < 0.6:
            some = self.add("tanh", [names[0]], shapes[0], numpy.tanh)
            self.add("cat", [names[1], some], shape, lambda a, b: numpy.concatenate([a, b], dim), dim=dim)
            self.nodes[-1]["in"] = [[names[1], some]]

    def in_place(self, x, shape, rank, dim):
        """What an operator changes is not read afterwards, and is no output."""
        if x in self.more or is_param(x) or sum(name in names_in(node) for node in self.nodes for name in [x]) > 2:
            return
        if self.rng.random() < 0.5:
            self.add("relu_", [x], shape, lambda a: numpy.maximum(a, 0))
        else:
            other = self.given(self.broadcastable(shape))
            self.add("mul_", [x, other], shape, numpy.multiply)
        del self.shapes[x]

    def diamond(self, x, shape, rank, dim):
        """One value goes two ways, which meet: through views, too."""
        left = self.add("sigmoid", [x], shape, lambda a: 1 / (1 + numpy.exp(-a)))
        right = self.add("flip", [x], shape, lambda a: numpy.flip(a, dim), dims=[dim])
        right = self.add("abs", [right], shape, numpy.abs)
        if self.rng.random() < 0.5:
            right = self.add("flip", [right], shape, lambda a: numpy.flip(a, 0), dims=[0])
        meet = self.add("mul", [left, right], shape, numpy.multiply)
        if self.rng.random() < 0.5:
            self.more += [left, right]
        if rank >= 2:
            self.add("transpose", [meet], shape[:-2] + (shape[-1], shape[-2]), lambda a: a.swapaxes(-1, -2), dim0=-1, dim1=-2)

    def two_results(self, x, shape, rank, dim):
        """Reductions that make two things at once."""
        left = shape[:dim] + shape[dim + 1 :]
        if not left:
            return
        if self.rng.random() < 0.5 and shape[dim] != 1:
            self.add_several("var_mean", [x], [left, left], lambda a: [a.var(dim), a.mean(dim)], dim=[dim], correction=0)
        else:  # of what is exact, so that the place is the same whatever is joined
            given = self.input(shape)
            names = self.add_several("max", [given], [left, None], lambda a: [a.max(dim), a.argmax(dim)], dim=dim)
            self.more += names[1:]

    def undone(self, x, shape, rank, dim):
        """What is done and undone, or does nothing: the pass "cancel" takes it away."""
        kind = self.rng.choice(["transpose", "flip", "roll", "unsqueeze", "reshape", "cast", "clone", "slice", "pad"])
        size = shape[dim]
        if kind == "transpose" and rank >= 2:
            other = self.rng.randrange(rank)
            order = list(shape)
            order[dim], order[other] = order[other], order[dim]
            there = self.add(kind, [x], order, lambda a: a.swapaxes(dim, other), dim0=dim, dim1=other)
            self.add(kind, [there], shape, lambda a: a.swapaxes(dim, other), dim0=other - rank, dim1=dim)
        elif kind == "flip":
            there = self.add(kind, [x], shape, lambda a: numpy.flip(a, dim), dims=[dim])
            self.add(kind, [there], shape, lambda a: numpy.flip(a, dim), dims=[dim])
        elif kind == "roll" and size != DIM:
            far = self.rng.randrange(size)
            there = self.add(kind, [x], shape, lambda a: numpy.roll(a, far, dim), shifts=[far], dims=[dim])
            self.add(kind, [there], shape, lambda a: numpy.roll(a, -far, dim), shifts=[size - far], dims=[dim])
        elif kind == "unsqueeze" and rank < 4:
            there = self.add(kind, [x], shape[:dim] + (1,) + shape[dim:], lambda a: numpy.expand_dims(a, dim), dim=dim)
            self.add("squeeze", [there], shape, lambda a: a.squeeze(dim), dim=dim)
        elif kind == "reshape" and rank >= 2 and DIM not in shape[-2:]:
            flat = shape[:-2] + (shape[-2] * shape[-1],)
            there = self.add(kind, [x], flat, lambda a: a.reshape(a.shape[:-2] + (-1,)), shape=list(flat))
            self.add(kind, [there], shape, lambda a: a.reshape(a.shape[:-1] + shape[-2:]), shape=list(shape))
        elif kind == "cast":
            there = self.add(kind, [x], shape, lambda a: a, dtype="f64")
            del self.shapes[there]  # for others to read: the rest is f32
            self.add(kind, [there], shape, lambda a: a, dtype="f32")
        elif kind == "clone":
            self.add(kind, [x], shape, lambda a: a)
        elif kind == "slice":
            self.add(kind, [x], shape, lambda a: a, dim=dim)
        elif kind == "pad":
            self.add(kind, [x], shape, lambda a: a, pad=[0, 0])

    def written_out(self, x, shape):
        """What is written out of small operators: rules of opdefs/rewrites know a better one."""
        kind = self.rng.choice(["layer_norm", "layer_norm", "rms_norm", "gelu", "gelu_tanh", "batch_norm", "batch_norm", "log_softmax", "twice"])
        one, last = shape[:-1] + (1,), shape[-1]

        def mean(of):
            return self.add("mean", [of], one, lambda a: a.mean(-1, keepdims=True), dim=[-1], keepdim=True)

        def divided(of, square):
            power = self.add("add", [mean(square), 0.01], one, lambda a: a + 0.01)
            if self.rng.random() < 0.5:
                by = self.add("sqrt", [power], one, numpy.sqrt)
                y = self.add("div", [of, by], shape, numpy.divide)
            else:
                by = self.add("rsqrt", [power], one, lambda a: 1 / numpy.sqrt(a))
                y = self.add("mul", [by, of], shape, numpy.multiply)
            if self.rng.random() < 0.5:
                y = self.add("mul", [y, self.given((last,))], shape, numpy.multiply)
            if self.rng.random() < 0.5:
                self.add("add", [y, self.given((last,))], shape, numpy.add)

        def squared(of):
            if self.rng.random() < 0.5:
                return self.add("pow", [of, 2], shape, numpy.square)
            return self.add("mul", [of, of], shape, numpy.multiply)

        if kind == "layer_norm":
            centred = self.add("sub", [x, mean(x)], shape, numpy.subtract)
            divided(centred, squared(centred))
        elif kind == "rms_norm":
            divided(x, squared(x))
        elif kind in ("gelu", "gelu_tanh"):
            if kind == "gelu":
                inner = self.add("div", [x, 2**0.5], shape, lambda a: a / 2**0.5)
                bent = self.add("erf", [inner], shape, numpy.vectorize(math.erf))
            else:
                cube = self.add("pow", [x, 3], shape, lambda a: a**3)
                small = self.add("mul", [cube, 0.044715], shape, lambda a: a * 0.044715)
                inner = self.add("add", [x, small], shape, numpy.add)
                inner = self.add("mul", [(2 / math.pi) ** 0.5, inner], shape, lambda a: a * (2 / math.pi) ** 0.5)
                bent = self.add("tanh", [inner], shape, numpy.tanh)
            share = self.add("add", [bent, 1], shape, lambda a: a + 1)
            half = self.add("mul", [x, 0.5], shape, lambda a: a * 0.5)
            self.add("mul", [half, share], shape, numpy.multiply)
        elif kind == "batch_norm" and len(shape) == 2:
            n = self.size()
            made = self.add("linear", [x, self.weight((n, last))], (shape[0], n), lambda a, w: a @ w.T)
            var = self.add("sigmoid", [self.weight((n,))], (n,), lambda a: 1 / (1 + numpy.exp(-a)))
            more = [self.weight((n,)) for _ in range(self.rng.randrange(3))]

            def norm(a, at, spread, gain=1, shift=0):
                return (a - at) / numpy.sqrt(spread + 1e-2) * gain + shift

            self.add("batch_norm", [made, self.weight((n,)), var] + more, (shape[0], n), norm, eps=1e-2)
        elif kind == "log_softmax":
            made = self.add("softmax", [x], shape, lambda a: numpy.exp(a) / numpy.exp(a).sum(-1, keepdims=True), dim=-1)
            self.add("log", [made], shape, numpy.log)
        elif kind == "twice":
            there = self.add("neg", [x], shape, lambda a: -a)
            there = self.add("neg", [there], shape, lambda a: -a)
            there = self.add("mul", [there, 1], shape, lambda a: a)
            self.add("sub", [there, 0], shape, lambda a: a)

    def view(self, x, shape, rank, dim):
        kind = self.rng.choice(["transpose", "flip", "narrow", "unsqueeze", "reshape", "cat", "pad"])
        size = shape[dim]
        if kind == "transpose" and rank >= 2:
            other = self.rng.randrange(rank)
            order = list(shape)
            order[dim], order[other] = order[other], order[dim]
            self.add(kind, [x], order, lambda a: a.swapaxes(dim, other), dim0=dim, dim1=other)
        elif kind == "flip":
            self.add(kind, [x], shape, lambda a: numpy.flip(a, dim), dims=[dim])
        elif kind == "narrow" and size != DIM and size > 1:
            start = self.rng.randrange(size - 1)
            length = self.rng.randint(1, size - start)
            self.add(
                kind, [x], shape[:dim] + (length,) + shape[dim + 1 :],
                lambda a: numpy.take(a, range(start, start + length), dim), dim=dim, start=start, length=length)
        elif kind == "unsqueeze" and rank < 4:
            self.add(kind, [x], shape[:dim] + (1,) + shape[dim:], lambda a: numpy.expand_dims(a, dim), dim=dim)
        elif kind == "reshape" and rank >= 2 and shape[-1] != DIM and shape[-2] != DIM:
            self.add(
                kind, [x], shape[:-2] + (shape[-2] * shape[-1],), lambda a: a.reshape(a.shape[:-2] + (-1,)),
                shape=list(shape[:-2]) + [shape[-2] * shape[-1]])
        elif kind == "cat" and size != DIM:
            other = self.given(shape[:dim] + (self.size(),) + shape[dim + 1 :])
            total = size + self.shapes[other][dim]
            name = self.add(kind, [x, other], shape[:dim] + (total,) + shape[dim + 1 :], lambda a, b: numpy.concatenate([a, b], dim), dim=dim)
            self.nodes[-1]["in"] = [[x, other]]
            return name
        elif kind == "pad" and shape[-1] != DIM:
            left, right = self.rng.randrange(3), self.rng.randrange(3)
            self.add(
                kind, [x], shape[:-1] + (shape[-1] + left + right,),
                lambda a: numpy.pad(a, [(0, 0)] * (rank - 1) + [(left, right)]), pad=[left, right])

    # ---- what it is
    def names_of(self, node):
        return names_in(node)

    def outputs(self):
        read = {name for node in self.nodes for name in names_in(node)}
        changed = {names_in(node)[0] for node in self.nodes if node["op"].endswith("_")}
        last = [name for node in self.nodes for name in names_out(node) if name not in read]
        some = [names_out(node)[0] for i, node in enumerate(self.nodes) if i % 7 == 3] + self.more
        return list(dict.fromkeys(last + [name for name in some if name in read and name not in changed]))

    def model(self):
        """The nodes and inputs that the outputs are made of."""
        outputs = self.outputs()
        wanted, nodes = set(outputs), []
        for node in reversed(self.nodes):
            if wanted & set(names_out(node)):
                nodes.append(node)
                wanted.update(names_in(node))
        given = {
            name: {"dtype": self.dtypes.get(name, "f32"), "shape": list(shape)}
            for name, shape in self.inputs.items() if name in wanted}
        return model_of([(nodes[::-1], given, outputs)])


def make_graph(number):
    graph = Graph(random.Random(f"{SEED}-{number}"), f"g{number}_")
    graph.input(graph.shape())
    if graph.rng.random() < 0.5:  # a chain that no input has a part in
        graph.given(tuple(size for size in graph.shape() if size != DIM) or (4,))
    wanted = graph.rng.randint(3, 14)
    tries = 0
    while len(graph.nodes) < wanted and tries < 200:
        graph.grow()
        tries += 1
    return graph


def is_param(name):
    return "_w" in name


def model_of(parts):
    """parts: (nodes, inputs and params, outputs) each."""
    given = {name: tensor for _, inputs, _ in parts for name, tensor in inputs.items()}
    model = {"opgen": 1, "name": "random"}
    if any(DIM in tensor["shape"] for tensor in given.values()):
        model["dims"] = {DIM: {"min": 1, "max": 8}}
    model["inputs"] = {name: tensor for name, tensor in given.items() if not is_param(name)}
    model["params"] = {name: tensor for name, tensor in given.items() if is_param(name)}
    model["nodes"] = [node for nodes, _, _ in parts for node in nodes]
    model["outputs"] = [name for _, _, outputs in parts for name in outputs]
    return model


def joined(models):
    return model_of([(model["nodes"], {**model["inputs"], **model["params"]}, model["outputs"]) for model in models])


# ---- values

def rounded_bf16(value):
    """The bits of f32 values in bf16."""
    bits = value.astype("f4").view("u4").astype("u8")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("u2")


def of_bf16(bits):
    return (bits.astype("u4") << 16).view("f4")


def values_for(model, size):
    """Of inputs and params, as files have them: by seed and name alone."""
    made = {}
    for name, tensor in (model["inputs"] | model["params"]).items():
        random_values = numpy.random.default_rng([SEED, zlib.crc32(name.encode())])
        shape = [size if s == DIM else s for s in tensor["shape"]]
        if tensor["dtype"] == "i32":
            made[name] = random_values.integers(-4, 5, shape).astype("i4")
        elif tensor["dtype"] == "bool":
            made[name] = random_values.integers(0, 2, shape) == 1
        else:
            value = random_values.uniform(-1.5, 1.5, shape)
            made[name] = rounded_bf16(value).view("V2") if tensor["dtype"] == "bf16" else value.astype({"f32": "f4", "f16": "f2"}[tensor["dtype"]])
    return made


def exact(value):
    """What NumPy computes with, and what is compared."""
    if value.dtype == numpy.dtype("V2"):
        return of_bf16(value.view("u2")).astype("f8")
    return value if value.dtype == bool else value.astype("i8" if value.dtype.kind == "i" else "f8")


def numpy_says(model, steps, values):
    made = {name: exact(value) for name, value in values.items()}
    for node in model["nodes"]:
        names = names_out(node)
        if all(name in made for name in names):
            continue
        step, _ = steps[names[0]]
        result = step(*(made[name] for name in names_in(node)))
        made.update(zip(names, result if isinstance(node["out"], list) else [result]))
    return made


def tolerance_of(model, output):
    """By the shortest type on the way to the output."""
    makers = {name: node for node in model["nodes"] for name in names_out(node)}
    seen, left, found = set(), [output], {"f32"}
    while left:
        name = left.pop()
        if name in seen:
            continue
        seen.add(name)
        tensor = model["inputs"].get(name) or model["params"].get(name)
        found.add(tensor["dtype"] if tensor else makers[name].get("attrs", {}).get("dtype", "f32"))
        left += names_in(makers[name]) if name in makers else []
    return max(TOLERANCE.get(dtype, 0) for dtype in found)


def write_weights(path, values):
    """A safetensors file, its data aligned."""
    header, data = {}, b""
    for name, value in values.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


class Wrong(Exception):
    pass


def call(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, **more)
    if done.returncode != 0:
        raise Wrong(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout.decode(errors='replace')[-3000:]}")


def run_model(work, model, way):
    """{size: {output: array}} as opgen computes it."""
    folder = os.path.join(work, "way" + "".join(way).replace("-", ""))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    path, weights = os.path.join(folder, "model.json"), os.path.join(folder, "random.safetensors")
    frozen = "--freeze" in way
    if frozen and model["params"]:
        values = values_for(model, SIZES[0])
        write_weights(weights, {name: values[name] for name in model["params"]})
        model = model | {"weights": "random.safetensors"}
    with open(path, "w") as out:
        json.dump(model, out, indent=1)
    call([OPGEN, "compile", path, "-o", folder] + way, env=os.environ | {"CFLAGS": "-O1 -DOPGEN_NO_CLONES"})
    library = os.path.join(folder, "random", "librandom.so")
    results = {}
    dim = model.get("dims", {}).get(DIM)
    sizes = sorted({max(dim["min"], min(size, dim["max"])) for size in SIZES}) if dim else SIZES[:1]
    for size in sizes:
        command = [OPGEN, "run", library]
        values = values_for(model, size)
        if model["params"] and not frozen:
            write_weights(weights, {name: values[name] for name in model["params"]})
            command += ["--weights", weights]
        for name in model["inputs"]:
            numpy.save(os.path.join(folder, f"{name}.npy"), values[name])
            command += ["--in", f"{name}={folder}/{name}.npy"]
        for name in model["outputs"]:
            command += ["--out", f"{name}={folder}/{name}.npy"]
        if DIM in model.get("dims", {}) and not any(DIM in tensor["shape"] for tensor in model["inputs"].values()):
            command += ["--dim", f"{DIM}={size}"]
        call(command)
        results[size] = {name: numpy.load(os.path.join(folder, f"{name}.npy")) for name in model["outputs"]}
    return results


def difference(got, wanted, tolerance):
    if got.shape != wanted.shape:
        return f"shape {got.shape}, not {wanted.shape}"
    if got.size == 0:
        return None
    got = exact(got)
    if wanted.dtype.kind != "f":
        wrong = int((got != wanted).sum())
        return f"differs in {wrong} of {wanted.size} elements" if wrong else None
    error = numpy.abs(got.astype("f8") - wanted)
    limit = tolerance * max(1.0, float(numpy.abs(wanted).max()))
    if not (error <= limit).all():  # NaN is not
        return f"differs by {error.max():.3g} from values up to {numpy.abs(wanted).max():.3g}"
    return None


def wrong_in(work, model, steps, way):
    """{output: what} of all that is not NumPy's value."""
    results = run_model(work, model, way)
    found = {}
    for size, outputs in results.items():
        wanted = numpy_says(model, steps, values_for(model, size))
        for name in model["outputs"]:
            what = difference(outputs[name], numpy.asarray(wanted[name]), tolerance_of(model, name))
            if what:
                found.setdefault(name, f"{DIM}={size}: {name} {what}")
    return found


def wasted(work, model, way):
    """Where memory is planned for more than a tenth above what lives at once, or for two things at one place."""
    path = os.path.join(work, "memory.json")
    with open(path, "w") as out:
        json.dump(model, out)
    done = subprocess.run([OPGEN, "graph", path, "--memory", "--json"] + [word for word in way if word != "--freeze"], stdout=subprocess.PIPE, timeout=60, check=True)
    plan = json.loads(done.stdout)
    slots = plan["slots"]
    for i, a in enumerate(slots):
        for b in slots[:i]:
            together = a["first"] <= b["last"] and b["first"] <= a["last"]
            if together and a["offset"] < b["offset"] + b["bytes"] and b["offset"] < a["offset"] + a["bytes"]:
                return f"{a} and {b} are at one place"
    if plan["arena"] > 1.1 * plan["largest_sum"]:
        return f"an arena of {plan['arena']} bytes for {plan['largest_sum']} that live at once"
    return None


# ---- what is wrong, made small

def types_of(work, model):
    """{name: (dtype, shape)}, as opgen tells them."""
    path = os.path.join(work, "types.json")
    with open(path, "w") as out:
        json.dump(model, out)
    done = subprocess.run([OPGEN, "graph", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=True)
    known = {}
    for line in done.stdout.decode().splitlines():
        for name, dtype, shape in re.findall(r"(\w+) (\w+)\(([^()]*)\)", line.partition(" = ")[0]) if " = " in line else []:
            sizes = [size.strip() for size in shape.split(",") if size.strip()]
            known[name] = (dtype, tuple(int(size) if size.isdigit() else size for size in sizes))
    return known


def small_model(work, model, steps, way, said):
    """said: what opgen complained of, or None where values differ."""

    def fails(candidate):
        types_of(work, candidate)  # raises where it is no model
        try:
            found = wrong_in(work, candidate, steps, way)
        except Wrong as error:
            return said is not None and str(error).split(":")[0].split()[1] == said
        return said is None and any(" shape (" not in what for what in found.values())

    try:
        return shrink(model, fails, lambda candidate: types_of(work, candidate), SHRINK_SECONDS)
    except ValueError:
        return model  # by itself it does not


def report(work, number, graph, way, what, said):
    small = small_model(work, graph.model(), graph.steps, way, said)
    folder = os.path.join(os.environ.get("BUILD", "build"), "random_models")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "_".join([str(SEED), f"g{number}"] + [word.strip("-") for word in way]) + ".json")
    text = json.dumps(small, indent=1)
    with open(path, "w") as out:
        out.write(text + "\n")
    print(f"seed {SEED}, graph {number} {' '.join(way)}: {what}")
    print(f"    again: SEED={SEED} ONLY={number} {os.path.relpath(__file__)}")
    print(f"    small: {path}; {OPGEN} verify {path} -o {folder}/out {' '.join(way)}")
    print(text)


def check_way(work, graphs, way):
    """How many are wrong."""
    steps = {name: step for graph in graphs.values() for name, step in graph.steps.items()}
    bad = {}
    try:
        found = wrong_in(work, joined([graph.model() for graph in graphs.values()]), steps, way)
        for number, graph in graphs.items():
            whats = [found[name] for name in graph.outputs() if name in found]
            if whats:
                bad[number] = (whats[0], None)
    except Wrong as error:  # which of them is it?
        for number, graph in graphs.items():
            try:
                alone = wrong_in(work, graph.model(), steps, way)
                if alone:
                    bad[number] = (next(iter(alone.values())), None)
            except Wrong as own:
                bad[number] = (str(own), str(own).split(":")[0].split()[1])
        if not bad:
            print(f"seed {SEED} {' '.join(way)}, all together: {error}")
            return len(graphs)
    for number, graph in graphs.items():
        what = wasted(work, graph.model(), way)
        if what and number not in bad:
            print(f"seed {SEED}, graph {number} {' '.join(way)}: {what}\n{json.dumps(graph.model(), indent=1)}")
            bad[number] = None
    for number, (what, said) in [item for item in bad.items() if item[1]][:3]:
        report(work, number, graphs[number], way, what, said)
    return len(bad)


def main():
    only = os.environ.get("ONLY")
    graphs = {number: make_graph(number) for number in ([int(only)] if only else range(COUNT))}
    passed = failed = 0
    work = tempfile.mkdtemp(prefix="opgen_random_")
    try:
        for way in WAYS:
            wrong = check_way(work, graphs, way)
            failed += wrong
            passed += len(graphs) - wrong
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
