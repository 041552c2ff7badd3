#!/usr/bin/python3
"""Random models: with all passes over the graph and without each of some, the values are NumPy's.

    SEED=1 COUNT=40 OPGEN=build/opgen tests/emit/test_random_models.py

Each graph is a handful of maps, views, reductions, norms and matrix products over inputs and params of random shapes,
some of a named dim, which is run with two sizes. Several graphs are one model, so that compilers are called seldom. A
graph whose values differ is made smaller, as long as they do, and the small model.json is what is shown.
"""

import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
SEED = int(os.environ.get("SEED", "20261121"))
COUNT = int(os.environ.get("COUNT", "24"))
TOLERANCE = 2e-4  # of the largest value: sums of f32 in another order, a dozen operators deep
DIM, SIZES = "batch", (3, 5)
WAYS = ([], ["--without", "fuse"], ["--without", "fold"], ["--without", "cancel"], ["--without", "rewrite"])


class Graph:
    """Nodes over tensors whose shapes are tuples of integers and DIM; `run` is NumPy's word on it."""

    def __init__(self, rng, prefix):
        self.rng, self.prefix = rng, prefix
        self.inputs, self.nodes, self.shapes, self.steps = {}, [], {}, {}  # inputs: params as well

    # ---- making it
    def size(self):
        return self.rng.choice([1, 2, 3, 4, 5, 7, 8, 16, 17])

    def shape(self):
        rank = self.rng.choice([1, 2, 2, 3, 3, 4])
        sizes = [self.size() for _ in range(rank)]
        if self.rng.random() < 0.4:
            sizes[0] = DIM
        return tuple(sizes)

    def input(self, shape):
        name = f"{self.prefix}x{len(self.inputs)}"
        self.inputs[name] = shape
        self.shapes[name] = shape
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
        given = node["in"]
        flat = list(given.values()) if isinstance(given, dict) else given
        names = [name for item in flat for name in (item if isinstance(item, list) else [item])]
        return [name for name in names if isinstance(name, str)]  # others are numbers

    def outputs(self):
        read = {name for node in self.nodes for name in self.names_of(node)}
        last = [node["out"] for node in self.nodes if node["out"] not in read]
        some = [node["out"] for i, node in enumerate(self.nodes) if node["out"] in read and i % 7 == 3]
        return last + some

    def needed(self, outputs):
        """The nodes and inputs that these outputs are made of."""
        wanted, nodes = set(outputs), []
        for node in reversed(self.nodes):
            if node["out"] in wanted:
                nodes.append(node)
                wanted.update(self.names_of(node))
        return nodes[::-1], {name: shape for name, shape in self.inputs.items() if name in wanted}

    def run(self, values):
        made = {name: value.astype("f8") for name, value in values.items()}
        for node in self.nodes:
            if all(name in made for name in self.names_of(node)):
                step, _ = self.steps[node["out"]]
                made[node["out"]] = step(*(made[name] for name in self.names_of(node)))
        return made


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
    """parts: (nodes, inputs, outputs) each."""
    dims = any(DIM in shape for _, inputs, _ in parts for shape in inputs.values())
    model = {"opgen": 1, "name": "random"}
    if dims:
        model["dims"] = {DIM: {"min": 1, "max": 8}}
    given = {name: {"dtype": "f32", "shape": list(shape)} for _, inputs, _ in parts for name, shape in inputs.items()}
    model["inputs"] = {name: tensor for name, tensor in given.items() if not is_param(name)}
    model["params"] = {name: tensor for name, tensor in given.items() if is_param(name)}
    model["nodes"] = [node for nodes, _, _ in parts for node in nodes]
    model["outputs"] = [name for _, _, outputs in parts for name in outputs]
    return model


def values_for(inputs, size, seed):
    random_values = numpy.random.default_rng(seed)
    made = {}
    for name, shape in inputs.items():
        made[name] = random_values.uniform(-1.5, 1.5, [size if s == DIM else s for s in shape]).astype("f4")
    return made


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


def run_model(work, parts, way):
    """{size: {output: array}} as opgen computes it."""
    model = model_of(parts)
    folder = os.path.join(work, "way" + "".join(way).replace("-", ""))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    path = os.path.join(folder, "model.json")
    with open(path, "w") as out:
        json.dump(model, out, indent=1)
    call([OPGEN, "compile", path, "-o", folder] + way, env=os.environ | {"CFLAGS": "-O1 -DOPGEN_NO_CLONES"})
    library = os.path.join(folder, "random", "librandom.so")
    results = {}
    for size in SIZES if "dims" in model else SIZES[:1]:
        inputs = {name: shape for _, own, _ in parts for name, shape in own.items()}
        command = [OPGEN, "run", library]
        values = values_for(inputs, size, SEED)
        if model["params"]:
            write_weights(os.path.join(folder, "random.safetensors"), {name: values[name] for name in model["params"]})
            command += ["--weights", os.path.join(folder, "random.safetensors")]
        for name in model["inputs"]:
            value = values[name]
            numpy.save(os.path.join(folder, f"{name}.npy"), value)
            command += ["--in", f"{name}={folder}/{name}.npy"]
        for name in model["outputs"]:
            command += ["--out", f"{name}={folder}/{name}.npy"]
        call(command)
        results[size] = {name: numpy.load(os.path.join(folder, f"{name}.npy")) for name in model["outputs"]}
    return results


def difference(got, wanted):
    if got.shape != wanted.shape:
        return f"shape {got.shape}, not {wanted.shape}"
    if got.size == 0:
        return None
    error = numpy.abs(got.astype("f8") - wanted)
    limit = TOLERANCE * max(1.0, float(numpy.abs(wanted).max()))
    if not (error <= limit).all():  # NaN is not
        return f"differs by {error.max():.3g} from values up to {numpy.abs(wanted).max():.3g}"
    return None


def wrong_in(work, graphs_and_parts, way):
    """[(graph, output, what)] of all that is not NumPy's value."""
    results = run_model(work, [part for _, part in graphs_and_parts], way)
    found = []
    for size, outputs in results.items():
        inputs = {name: shape for _, (_, own, _) in graphs_and_parts for name, shape in own.items()}
        values = values_for(inputs, size, SEED)
        for graph, (_, own, names) in graphs_and_parts:
            wanted = graph.run({name: values[name] for name in own})
            for name in names:
                what = difference(outputs[name], wanted[name])
                if what:
                    found.append((graph, name, f"{DIM}={size}: {name} {what}"))
    return found


def shrink(work, graph, output, way):
    """The smallest model that a few tries find: one output, and then those before it, each by itself."""
    names = [output]
    for node in graph.nodes:  # the first node in the way that is wrong by itself
        nodes, _ = graph.needed([output])
        if node in nodes:
            names.append(node["out"])
    best = None
    for name in sorted(set(names), key=lambda n: len(graph.needed([n])[0])):
        nodes, inputs = graph.needed([name])
        try:
            found = wrong_in(work, [(graph, (nodes, inputs, [name]))], way)
        except Wrong as error:
            found = [(graph, name, str(error))]
        if found:
            best = (nodes, inputs, [name])
            break
    if best is None:
        nodes, inputs = graph.needed([output])
        best = (nodes, inputs, [output])
    return json.dumps(model_of([best]), indent=1)


def main():
    graphs = [make_graph(i) for i in range(COUNT)]
    parts = []
    for graph in graphs:
        outputs = graph.outputs()
        nodes, inputs = graph.needed(outputs)
        parts.append((graph, (nodes, inputs, outputs)))
    passed, failed = 0, 0
    work = tempfile.mkdtemp(prefix="opgen_random_")
    try:
        for way in WAYS:
            try:
                found = wrong_in(work, parts, way)
            except Wrong as error:
                found = []
                print(f"seed {SEED} {' '.join(way)}: {error}")
                failed += 1
            bad = {id(graph): (graph, name, what) for graph, name, what in reversed(found)}
            for graph, name, what in list(bad.values())[:3]:
                print(f"seed {SEED} {' '.join(way)}: {what}\n{shrink(work, graph, name, way)}")
            failed += len(bad)
            passed += len(parts) - len(bad)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


main()
