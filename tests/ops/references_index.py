"""references_index.py: what operators mean that take and put elements where integers say, beside references.py.

What puts is written out: one element after the other, so that of several for one place the last one stays, which
PyTorch leaves open.
"""

import itertools

import torch
import torch.nn.functional as F

from references import REFERENCE


def select_at(input, index, dim):
    dim %= input.dim()
    return input.index_select(dim, index.reshape(-1)).reshape(*input.shape[:dim], *index.shape, *input.shape[dim + 1 :])


def joined(old, new):
    return old | new if old.dtype == torch.bool else old + new


def put(input, index, src, dim, adds=False):
    out = input.clone()
    dim %= input.dim()
    for at in itertools.product(*(range(size) for size in index.shape)):
        to = at[:dim] + (int(index[at]),) + at[dim + 1 :]
        out[to] = joined(out[to], src[at]) if adds else src[at]
    return out


def scatter(input, index, src=None, dim=0, value=None):
    return put(input, index, torch.full(index.shape, value, dtype=input.dtype) if src is None else src, dim)


def index_put(input, index0, values, index1=None, index2=None, index3=None, accumulate=False):
    out = input.clone()
    where = torch.broadcast_tensors(*(one for one in (index0, index1, index2, index3) if one is not None))
    filled = values.broadcast_to(*where[0].shape, *input.shape[len(where) :])
    for at in itertools.product(*(range(size) for size in where[0].shape)):
        to = tuple(int(one[at]) for one in where)
        out[to] = joined(out[to], filled[at]) if accumulate else filled[at]
    return out


def index(input, index0, index1=None, index2=None, index3=None):
    return input[tuple(one for one in (index0, index1, index2, index3) if one is not None)]


def sort(input, dim=-1, descending=False, stable=True):
    return torch.sort(input, dim=dim, descending=descending, stable=True)


def topk(input, k, dim=-1, largest=True, sorted=True):
    # As sort has it, so that of equal ones the first goes first, which PyTorch leaves open.
    return [one.narrow(dim, 0, k) for one in sort(input, dim, largest)]


REFERENCE.update({
    "sort": sort,
    "argsort": lambda *a, **more: sort(*a, **more)[1],
    "topk": topk,
    "topk_few": topk,
    "searchsorted": lambda sorted_sequence, input, right=False: torch.searchsorted(sorted_sequence.contiguous(), input.contiguous(), right=right),
    "positions": lambda input, size, wrap=False: torch.where(input < 0, input + size, input) if wrap else input,
    "embedding": lambda input, weight, padding_idx=None: weight[input],
    "index_select": lambda input, index, dim: input.index_select(dim, index),
    "select_at": select_at,
    "gather": lambda input, index, dim: input.gather(dim, index),
    "gather_at": lambda input, index, dim: input.gather(dim, index),
    "take_along_dim": lambda input, indices, dim=None: torch.take_along_dim(input, indices, dim),
    "take_along_at": lambda input, indices, dim: torch.take_along_dim(input, indices, dim),
    "index": index,
    "index_at": index,
    "one_hot": lambda tensor, num_classes: F.one_hot(tensor, num_classes),
    "scatter": scatter,
    "scatter_add": lambda input, index, src, dim: put(input, index, src, dim, True),
    "scatter_at_": lambda input, index, src, dim, accumulate=False: put(input, index, src, dim, accumulate),
    "index_put_": index_put,
    "index_put_at_": index_put,
})
