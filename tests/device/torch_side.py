"""torch_side.py: opgen's runtime from Python, with PyTorch's tensors on a device. For the checks beside this one."""

import ctypes
import glob
import json
import os
import re
import subprocess

import torch

TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "u8": torch.uint8, "i32": torch.int32, "i64": torch.int64, "bool": torch.bool}
CODES = {"f32": (2, 32), "f16": (2, 16), "bf16": (4, 16), "u8": (1, 8), "i32": (0, 32), "i64": (0, 64), "bool": (6, 8)}


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


def described(dtype, tensor, device):
    shape = (ctypes.c_int64 * max(1, tensor.dim()))(*tensor.shape)
    return Tensor(tensor.data_ptr(), device, 0, tensor.dim(), *CODES[dtype], 1, shape, None, 0), shape


def device_type(backend):
    """DLPack's number of the backend's devices."""
    with open(f"templates/{backend}/backend.json", encoding="utf-8") as file:
        name = json.load(file)["device"]["dlpack"]
    with open("runtime/opgen_dlpack.h", encoding="utf-8") as file:
        return int(re.search(rf"\b{name} = (\d+)", file.read()).group(1))


def compiled(model, folder, backend, arch, **more):
    """What the compiler said against it; None: it is there. model: as in model.json."""
    path = f"{folder}/{model['name']}.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(model, file)
    done = subprocess.run([os.environ["OPGEN"], "compile", path, "-b", backend, "--arch", arch, "-o", folder, "-j", "1"], capture_output=True, text=True, check=False, **more)
    return done.stderr if done.returncode else None


class Failed(Exception):
    """What opgen_last_error says."""


class Runtime:
    """The runtime, in a library of its own in this folder."""

    def __init__(self, folder):
        path = f"{folder}/runtime.so"
        subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-Iruntime", "-o", path, *glob.glob("runtime/*.c"), "-lm", "-lpthread", "-ldl"], check=True)
        self.library = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        self.library.opgen_last_error.restype = ctypes.c_char_p
        self.library.opgen_library_model.restype = ctypes.c_void_p
        self.library.opgen_library_model.argtypes = [ctypes.c_void_p, ctypes.c_int32]
        self.library.opgen_create.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        self.library.opgen_run.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p]
        for function in (self.library.opgen_wait, self.library.opgen_free):
            function.argtypes = [ctypes.c_void_p]

    def tried(self, status):
        if status:
            raise Failed(self.library.opgen_last_error().decode())

    def create(self, path):
        library, instance = ctypes.c_void_p(), ctypes.c_void_p()
        self.tried(self.library.opgen_open(path.encode(), ctypes.byref(library)))
        self.tried(self.library.opgen_create(self.library.opgen_library_model(library, 0), None, ctypes.byref(instance)))
        return instance

    def run(self, instance, inputs, outputs, types, device, stream=None):
        """types: of inputs, then outputs; device: DLPack's number, for all of them or one each."""
        devices = device if isinstance(device, list) else [device] * len(types)
        kept = [described(dtype, tensor, at) for dtype, tensor, at in zip(types, [*inputs, *outputs], devices)]
        n = len(inputs)
        given, made = (Tensor * n)(*(t for t, _ in kept[:n])), (Tensor * len(outputs))(*(t for t, _ in kept[n:]))
        self.tried(self.library.opgen_run(instance, given, n, made, len(outputs), stream))

    def wait(self, instance):
        self.tried(self.library.opgen_wait(instance))

    def free(self, instance):
        self.tried(self.library.opgen_free(instance))
