"""shrink.py: a model.json that fails, made as small as it can be and still fail.

    small = shrink(model, fails)

`fails(model)` says whether a model still shows what is looked for; what it raises counts as no. Nothing is known here of
operators or of what is wrong: outputs are dropped, results become inputs, nodes are passed by, sizes become less, each
as long as it still fails. test_shrink.py holds it to that.
"""

import copy
import time


def names_in(node):
    """What a node reads; numbers in the place of tensors are none."""
    given = node.get("in", [])
    flat = [given] if isinstance(given, str) else list(given.values()) if isinstance(given, dict) else given
    names = [name for item in flat for name in (item if isinstance(item, list) else [item])]
    return [name for name in names if isinstance(name, str)]


def names_out(node):
    made = node["out"]
    flat = [made] if isinstance(made, str) else list(made.values()) if isinstance(made, dict) else made
    return [name for item in flat for name in (item if isinstance(item, list) else [item]) if name is not None]


def renamed(given, old, new):
    if isinstance(given, str):
        return new if given == old else given
    if isinstance(given, list):
        return [renamed(item, old, new) for item in given]
    if isinstance(given, dict):
        return {key: renamed(item, old, new) for key, item in given.items()}
    return given


def used_dims(model):
    """Texts of all shapes and attributes, in which names of dims may be."""
    texts = []

    def walk(value):
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, (list, dict)):
            for item in value.values() if isinstance(value, dict) else value:
                walk(item)

    for role in ("inputs", "params"):
        for tensor in model.get(role, {}).values():
            walk(tensor["shape"])
    for node in model["nodes"]:
        walk(node.get("attrs", {}))
    return {name for name in model.get("dims", {}) if any(name in text for text in texts)}


def cleaned(model):
    """Without what no output needs. What changes a tensor that is needed is needed itself: it is its value."""
    wanted, nodes = set(model["outputs"]), []
    for node in reversed(model["nodes"]):
        if wanted & set(names_out(node)):
            nodes.append(node)
            wanted.update(names_in(node))
    model["nodes"] = nodes[::-1]
    for role in ("inputs", "params"):
        model[role] = {name: tensor for name, tensor in model.get(role, {}).items() if name in wanted}
    if "dims" in model:
        used = used_dims(model)
        model["dims"] = {name: dim for name, dim in model["dims"].items() if name in used}
        if not model["dims"]:
            del model["dims"]
    return model


def measure(model):
    """What is to become less; first things first."""
    sizes = [size for role in ("inputs", "params") for tensor in model.get(role, {}).values() for size in tensor["shape"]]
    reads = sum(len(names_in(node)) for node in model["nodes"])
    return (
        len(model["nodes"]), len(model["outputs"]), reads, len(model.get("inputs", {})) + len(model.get("params", {})),
        len(sizes), len(model.get("dims", {})), sum(size for size in sizes if isinstance(size, int)),
        sum(dim["max"] for dim in model.get("dims", {}).values() if isinstance(dim, dict)))


def fewer_outputs(model, types):
    """One output alone, an earlier result in the place of all, half of them, all but one."""
    outputs = model["outputs"]
    made = [name for node in model["nodes"] for name in names_out(node)]
    for name in made:
        if [name] != outputs:
            yield {**model, "outputs": [name]}
    for part in (outputs[: len(outputs) // 2], outputs[len(outputs) // 2 :]):
        if part:
            yield {**model, "outputs": part}
    for name in outputs if len(outputs) > 1 else []:
        yield {**model, "outputs": [other for other in outputs if other != name]}


def results_as_inputs(model, types):
    """A node's results are given instead of computed; the last ones first, for they cut off the most."""
    known = types(model)
    for node in reversed(model["nodes"]):
        names = names_out(node)
        if any(name in model["outputs"] or name not in known for name in names):
            continue
        given = {name: {"dtype": known[name][0], "shape": list(known[name][1])} for name in names}
        nodes = [other for other in model["nodes"] if other is not node]
        yield {**model, "nodes": nodes, "inputs": {**model.get("inputs", {}), **given}}


def nodes_passed_by(model, types):
    """What read a node's result reads what the node has read."""
    known = types(model)
    for node in model["nodes"]:
        names = names_out(node)
        if len(names) != 1 or names[0] in model["outputs"]:
            continue
        for source in dict.fromkeys(names_in(node)):
            if source not in known or known[source] != known.get(names[0]):
                continue
            nodes = [{**other, "in": renamed(other["in"], names[0], source)} if "in" in other else other
                     for other in model["nodes"] if other is not node]
            yield {**model, "nodes": nodes}


def tensors_shared(model, types):
    """One input in the place of another one like it."""
    given = [(role, name) for role in ("inputs", "params") for name in model.get(role, {})]
    for role, name in given:
        for other_role, other in given:
            if other == name or model[role][name] != model[other_role][other]:
                continue
            nodes = [{**node, "in": renamed(node["in"], name, other)} if "in" in node else node for node in model["nodes"]]
            yield {**model, "nodes": nodes}


def with_size(value, old, new):
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return new if value == old else value
    if isinstance(value, list):
        return [with_size(item, old, new) for item in value]
    return value


def smaller_sizes(model, types):
    """A number is less wherever it is a size: in shapes, and in attributes that are lists, or beside them; a dim that has
    a name is a number, or has a smaller range."""
    sizes = {size for role in ("inputs", "params") for tensor in model.get(role, {}).values() for size in tensor["shape"]}
    for size in sorted((size for size in sizes if isinstance(size, int)), reverse=True):
        for less in dict.fromkeys([1, 2, size // 2, size - 1]):
            if not 0 < less < size:
                continue
            for attrs in (True, False):
                made = copy.deepcopy(model)
                for role in ("inputs", "params"):
                    for tensor in made.get(role, {}).values():
                        tensor["shape"] = with_size(tensor["shape"], size, less)
                for node in made["nodes"] if attrs else []:
                    for key, value in node.get("attrs", {}).items():
                        if isinstance(value, list):
                            node["attrs"][key] = with_size(value, size, less)
                yield made
    for name, dim in model.get("dims", {}).items():
        low, high = (dim.get("min", 1), dim["max"]) if isinstance(dim, dict) else (dim, dim)
        for less in dict.fromkeys([low, (low + high) // 2, high - 1]):
            if low <= less < high:
                yield {**model, "dims": {**model["dims"], name: {"min": low, "max": less}}}


MOVES = (fewer_outputs, results_as_inputs, nodes_passed_by, tensors_shared, smaller_sizes)


def shrink(model, fails, types=None, seconds=120.0):
    """types(model): {name: (dtype, shape)} of what it can tell of the model's tensors."""
    until = time.monotonic() + seconds

    def still(candidate):
        try:
            return fails(copy.deepcopy(candidate))
        except Exception:  # a model that is none, for whatever reason
            return False

    def typed(candidate):
        try:
            known = dict(types(copy.deepcopy(candidate))) if types else {}
        except Exception:
            known = {}
        for role in ("inputs", "params"):
            for name, tensor in candidate.get(role, {}).items():
                known[name] = (tensor["dtype"], tuple(tensor["shape"]))
        return {name: (dtype, tuple(shape)) for name, (dtype, shape) in known.items()}

    best = copy.deepcopy(model)
    if not still(best):
        raise ValueError("the model does not fail to begin with")
    found = True
    while found and time.monotonic() < until:
        found = False
        for move in MOVES:
            again = True
            while again and time.monotonic() < until:
                again = False
                for candidate in move(best, typed):
                    candidate = cleaned(copy.deepcopy(candidate))
                    if measure(candidate) < measure(best) and still(candidate):
                        best, found, again = candidate, True, True
                        break
                    if time.monotonic() >= until:
                        break
    return best
