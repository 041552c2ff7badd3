#!/usr/bin/python3
"""Random models: with nodes joined into functions and with a function for each node, the values are NumPy's.

    SEED=1 COUNT=40 OPGEN=build/opgen tests/emit/test_random_models.py

Each graph is a handful of maps, views, reductions, norms and matrix products over tensors of random shapes, some of a
named dim, which is run with two sizes. Several graphs are one model, so that compilers are called seldom. A graph whose
values differ is made smaller, as long as they do, and the small model.json is what is shown.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import numpy

OPGEN = os.path.abspath(os.environ.get("OPGEN", "build/opgen"))
SEED = int(os.environ.get("SEED", "20261121"))
COUNT = int(os.environ.get("COUNT", "24"))
TOLERANCE = 2e-4  # of the largest value: sums of f32 in another order, a dozen operators deep
DIM, SIZES = "batch", (3, 5)


class Graph:
    """Nodes over tensors whose shapes are tuples of integers and DIM; `run` is NumPy's word on it."""

    def __init__(self, rng, prefix):
        self.rng, self.prefix = rng, prefix
        self.inputs, self.nodes, self.shapes, self.steps = {}, [], {}, {}

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
            other = self.rng.choice(same) if self.rng.random() < 0.6 else self.input(self.broadcastable(shape))
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
            weight = self.input((n, shape[-1]))
            if self.rng.random() < 0.5:
                bias = self.input((n,))
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
            weight = [self.input((shape[-1],))] if self.rng.random() < 0.6 else []
            name = self.add("layer_norm", [x] + weight, shape, layer, eps=1e-2)
            self.nodes[-1]["in"] = dict(zip(("input", "weight"), [x] + weight))
            return name

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
            other = self.input(shape[:dim] + (self.size(),) + shape[dim + 1 :])
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
        return [name for item in flat for name in (item if isinstance(item, list) else [item])]

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
    wanted = graph.rng.randint(3, 14)
    tries = 0
    while len(graph.nodes) < wanted and tries < 200:
        graph.grow()
        tries += 1
    return graph


def model_of(parts):
    """parts: (nodes, inputs, outputs) each."""
    dims = any(DIM in shape for _, inputs, _ in parts for shape in inputs.values())
    model = {"opgen": 1, "name": "random"}
    if dims:
        model["dims"] = {DIM: {"min": 1, "max": 8}}
    model["inputs"] = {name: {"dtype": "f32", "shape": list(shape)} for _, inputs, _ in parts for name, shape in inputs.items()}
    model["nodes"] = [node for nodes, _, _ in parts for node in nodes]
    model["outputs"] = [name for _, _, outputs in parts for name in outputs]
    return model


def values_for(inputs, size, seed):
    random_values = numpy.random.default_rng(seed)
    made = {}
    for name, shape in inputs.items():
        made[name] = random_values.uniform(-1.5, 1.5, [size if s == DIM else s for s in shape]).astype("f4")
    return made


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
        for name, value in values_for(inputs, size, SEED).items():
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
        for way in ([], ["--without", "fuse"]):
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
