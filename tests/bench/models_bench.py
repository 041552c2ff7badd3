"""models_bench.py: whole models beside ONNX Runtime and PyTorch, on the CPU, in f32, with the same random weights.

    PYTHON models_bench.py --opgen build/opgen --work DIR [--threads 2] [--runs 15] [--only NAME]... [--json]

PYTHON has torch, torchvision, transformers, safetensors, onnx and onnxruntime, all on PyPI; `make bench-models` makes a virtual
environment with them, once. BERT-base at 128 tokens, ViT-B/16 and ResNet-50 for one picture, a decoder of 100 million parameters:
128 tokens at once, and one token behind 128. The three take turns in one process, a run each, so that whatever else the machine
does hits all of them; compared are the medians. Outputs are compared first: what computes something else is not timed. Besides: what
opgen takes to generate and to compile each model. Exit status 1 where opgen is slower than the faster of the two, or wrong.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import time
import warnings

warnings.filterwarnings("ignore")
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
import torch  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

# What differs from PyTorch's result, at most, as a part of the largest element.
CLOSE = 1e-4


# ---- the runtime's C interface, as opgen.h has it


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


class Named(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("tensor", Tensor)]


class Options(ctypes.Structure):
    """The first fields of OpgenOptions; the rest is zeros."""

    _fields_ = [("size", ctypes.c_size_t), ("contexts", ctypes.c_int32), ("busy", ctypes.c_int32), ("threads", ctypes.c_int32),
                ("device_id", ctypes.c_int32), ("weights", ctypes.c_char_p), ("rest", ctypes.c_uint8 * 512)]


CODES = {"f": 2, "i": 0, "u": 1, "b": 6}


def tensor(array):
    """An array as a DLTensor; both have to stay."""
    shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
    made = Tensor(array.ctypes.data, Device(1, 0), array.ndim, DataType(CODES[array.dtype.kind], array.itemsize * 8, 1), shape, None, 0)
    made.keep = (shape, array)
    return made


class Model:
    """An instance of a generated library's only model."""

    def __init__(self, path, threads):
        self.lib = ctypes.CDLL(path)
        self.lib.opgen_last_error.restype = ctypes.c_char_p
        self.lib.opgen_library_model.restype = ctypes.c_void_p
        library = ctypes.c_void_p()
        self.call("opgen_open", path.encode(), ctypes.byref(library))
        model = ctypes.c_void_p(self.lib.opgen_library_model(library, 0))
        options = Options(size=OPTIONS_SIZE, threads=threads)
        self.instance = ctypes.c_void_p()
        start = time.perf_counter()
        self.call("opgen_create", model, ctypes.byref(options), ctypes.byref(self.instance))
        self.load = time.perf_counter() - start

    def call(self, name, *args):
        if getattr(self.lib, name)(*args):
            raise RuntimeError(f"{name}: {self.lib.opgen_last_error().decode()}")

    def bind(self, inputs, outputs):
        """A run with these arrays, by name."""
        def named(arrays):
            made = (Named * len(arrays))()
            made.keep = [tensor(a) for a in arrays.values()]
            for at, (name, t) in enumerate(zip(arrays, made.keep)):
                made[at] = Named(name.encode(), t)
            return made
        ins, outs = named(inputs), named(outputs)
        return lambda: self.call("opgen_run_named", self.instance, ins, len(ins), outs, len(outs), None)


# sizeof(OpgenOptions): read from the header by compiling, so that it cannot be out of date.
OPTIONS_SIZE = 0


def options_size(folder, work):
    program = os.path.join(work, "size")
    subprocess.run(["cc", "-I", folder, "-x", "c", "-o", program, "-"], check=True, text=True,
                   input='#include <stdio.h>\n#include "opgen.h"\nint main(void) { printf("%zu", sizeof(OpgenOptions)); }\n')
    return int(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


# ---- the models


def seeded(make):
    torch.manual_seed(1)
    return make().eval()


def bert():
    import transformers
    config = transformers.BertConfig()
    config.architectures = ["BertModel"]
    model = seeded(lambda: transformers.BertModel(config, add_pooling_layer=True))
    ids = torch.randint(0, config.vocab_size, (1, 128))
    inputs = {"input_ids": ids, "attention_mask": torch.ones_like(ids), "token_type_ids": torch.zeros_like(ids)}

    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask, token_type_ids):
            made = self.model(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids, return_dict=False)
            return made[0], made[1]
    return "models/bert.json.j2", config.to_dict(), {}, model, Both(), inputs


def vit():
    import transformers
    config = transformers.ViTConfig(num_labels=1000)
    config.architectures = ["ViTForImageClassification"]
    model = seeded(lambda: transformers.ViTForImageClassification(config))

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, pixel_values):
            return self.model(pixel_values=pixel_values, return_dict=False)[0]
    return "models/vit.json.j2", config.to_dict(), {}, model, Logits(), {"pixel_values": torch.randn(1, 3, 224, 224)}


def resnet():
    import torchvision
    model = seeded(lambda: torchvision.models.resnet50(weights=None))
    # Statistics as they are behind training, so that values stay in range.
    with torch.no_grad():
        for module in model.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.running_mean.normal_(0, 0.1)
                module.running_var.uniform_(0.5, 1.5)
    return "models/resnet.json.j2", {"arch": "resnet50"}, {}, model, model, {"x": torch.randn(1, 3, 224, 224)}


class Decoder(torch.nn.Module):
    """transformers' Llama, as it computes; caches come and go as tensors, so that it can be exported."""

    def __init__(self, model, past):
        super().__init__()
        self.model, self.config, self.past = model.model, model.config, past
        self.head = model.lm_head

    def forward(self, tokens, *caches):
        c, functional = self.config, torch.nn.functional
        groups = c.num_attention_heads // c.num_key_value_heads
        at = torch.arange(self.past, self.past + tokens.shape[1])[None]
        x = self.model.embed_tokens(tokens)
        cos, sin = self.model.rotary_emb(x, at)
        cos, sin = cos[:, None], sin[:, None]

        def turned(t):
            half = t.shape[-1] // 2
            return t * cos + torch.cat((-t[..., half:], t[..., :half]), -1) * sin
        kept = []
        for i, layer in enumerate(self.model.layers):
            h = layer.input_layernorm(x)
            q, k, v = (p(h).view(1, tokens.shape[1], -1, c.head_dim).transpose(1, 2)
                       for p in (layer.self_attn.q_proj, layer.self_attn.k_proj, layer.self_attn.v_proj))
            q, k = turned(q), turned(k)
            if self.past:
                k, v = torch.cat((caches[2 * i], k), 2), torch.cat((caches[2 * i + 1], v), 2)
            kept += [k, v]
            a = functional.scaled_dot_product_attention(q, k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1), is_causal=self.past == 0)
            x = x + layer.self_attn.o_proj(a.transpose(1, 2).reshape(1, tokens.shape[1], -1))
            x = x + layer.mlp(layer.post_attention_layernorm(x))
        return (self.head(self.model.norm(x[:, -1])), *kept)


def decoder(past, length):
    """A prompt, or what comes behind one: of as many tokens as `past`."""
    import transformers
    config = transformers.LlamaConfig(vocab_size=32000, hidden_size=768, num_hidden_layers=12, num_attention_heads=12, num_key_value_heads=4,
                                      intermediate_size=2048, max_position_embeddings=2048, tie_word_embeddings=True)
    model = seeded(lambda: transformers.LlamaForCausalLM(config))
    tokens = torch.randint(0, config.vocab_size, (1, past + length))
    caches = []
    if past:
        with torch.inference_mode():
            caches = [c.clone() for c in Decoder(model, 0)(tokens[:, :past])[1:]]
    inputs = {"tokens": tokens[:, past:], **{f"{'kv'[i % 2]}{i // 2}": c for i, c in enumerate(caches)}}
    ours = {"tokens": tokens[:, past:].numpy(), "lengths": np.array([past]), "last": np.array([length - 1])}
    for i in range(2 * config.num_hidden_layers):
        cache = np.zeros((1, config.num_key_value_heads, 256, config.head_dim), np.float32)
        if past:
            cache[:, :, :past] = caches[i].numpy()
        ours[f"{('key', 'value')[i % 2]}_cache_{i // 2}"] = cache
    return "models/llama.json.j2", config.to_dict(), {}, model, Decoder(model, past), inputs, ours


MODELS = {"bert": bert, "vit": vit, "resnet50": resnet, "prefill": lambda: decoder(0, 128), "decode": lambda: decoder(128, 1)}


# ---- one model


def prepare(name, args):
    """Everything made for a model; its runs by who does them, and what is known of it."""
    template, config, sets, owner, module, inputs, *ours = MODELS[name]()
    folder = os.path.join(args.work, name)
    os.makedirs(folder, exist_ok=True)
    if hasattr(owner, "save_pretrained"):
        owner.save_pretrained(folder)  # under the names that checkpoints have
    else:
        save_file({k: v.contiguous() for k, v in owner.state_dict().items()}, os.path.join(folder, "model.safetensors"))
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file)
    given = [f"--set={k}={v}" for k, v in sets.items()]
    text = subprocess.run([args.opgen, "render", template, os.path.join(folder, "config.json"), *given], check=True, capture_output=True).stdout
    path = os.path.join(folder, "model.json")
    with open(path, "wb") as file:
        file.write(text)
    known = {}
    for command in ("generate", "compile"):
        start = time.perf_counter()
        subprocess.run([args.opgen, command, path, "-o", os.path.join(folder, command), *(["--threads"] if command == "compile" else [])], check=True,
                       stdout=subprocess.DEVNULL)
        known[command] = time.perf_counter() - start
    model_name = json.loads(text)["name"]
    made = os.path.join(folder, "compile", model_name)
    global OPTIONS_SIZE
    OPTIONS_SIZE = options_size(made, args.work)
    model = Model(os.path.join(made, f"lib{model_name}.so"), args.threads)
    known["load"] = model.load

    with torch.inference_mode():
        want = module(*inputs.values())
    described = json.loads(text)
    want = [want] if isinstance(want, torch.Tensor) else list(want)[:len(described["outputs"])]
    ins = ours[0] if ours else {n: np.ascontiguousarray(t.numpy()) for n, t in zip(described["inputs"], inputs.values())}
    outs = {n: np.full(tuple(w.shape), np.nan, np.float32) for n, w in zip(described["outputs"], want)}
    run = model.bind(ins, outs)
    run()
    known["error"] = max(float(np.abs(o - w.numpy()).max() / np.abs(w.numpy()).max()) for o, w in zip(outs.values(), want))

    onnx = os.path.join(folder, "model.onnx")
    if not os.path.exists(onnx):
        torch.onnx.export(module, tuple(inputs.values()), onnx, input_names=list(inputs), opset_version=17, dynamo=False)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = args.threads
    session = onnxruntime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])
    names = [i.name for i in session.get_inputs()]
    feed = {n: t.numpy() for n, t in inputs.items() if n in names}
    known["onnx error"] = max(float(np.abs(o - w.numpy()).max() / np.abs(w.numpy()).max()) for o, w in zip(session.run(None, feed), want))

    def eager():
        with torch.inference_mode():
            module(*inputs.values())
    return {"opgen": run, "onnxruntime": lambda: session.run(None, feed), "pytorch": eager}, known


def race(runs, count):
    """Milliseconds of each, taking turns; all threads of the others are idle by then."""
    times = {who: [] for who in runs}
    for at in range(count + 2):
        for who, run in runs.items():
            start = time.perf_counter()
            run()
            took = time.perf_counter() - start
            if at >= 2:
                times[who].append(took * 1e3)
            time.sleep(0.005)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opgen", default="build/opgen")
    parser.add_argument("--work", default="build/bench/models")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--only", action="append", choices=sorted(MODELS))
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.work, exist_ok=True)
    torch.set_num_threads(args.threads)
    rows, missed = [], False
    for name in args.only or MODELS:
        runs, known = prepare(name, args)
        row = {"model": name, **known}
        if known["error"] <= CLOSE:
            times = race(runs, args.runs)
            for who, took in times.items():
                row[who] = {"least": min(took), "median": statistics.median(took)}
            row["ratio"] = min(row[who]["median"] for who in row if who in ("onnxruntime", "pytorch")) / row["opgen"]["median"]
        missed |= row.get("ratio", 0) < 1
        rows.append(row)
        if not args.json:
            if len(rows) == 1:
                print(f"{args.threads} threads; milliseconds, median (least); ratio: the faster of the others to opgen")
                print(f"{'model':<12}{'opgen':>16}{'onnxruntime':>16}{'pytorch':>16}{'ratio':>8}{'generate':>10}{'compile':>9}{'load':>8}{'error':>9}")
            if "ratio" in row:
                cells = "".join(f"{row[who]['median']:>8.1f} ({row[who]['least']:.1f})".rjust(16) for who in ("opgen", "onnxruntime", "pytorch"))
                print(f"{name:<12}{cells}{row['ratio']:>8.2f}{known['generate']:>9.2f}s{known['compile']:>8.1f}s{known['load'] * 1e3:>6.0f}ms{known['error']:>9.1g}", flush=True)
            else:
                print(f"{name:<12}differs from PyTorch by {known['error']:.2g} of its largest element", flush=True)
    if args.json:
        print(json.dumps(rows, indent=1))
    sys.exit(missed)


if __name__ == "__main__":
    main()
