#!/usr/bin/env python3
"""Compiles search.cu to PTX, which is committed beside it: `pip install nvidia-cuda-nvrtc-cu12==12.4.127`, then run this.

No GPU is needed. The first line of the PTX has a hash of the source, so that a test can tell whether both belong together.
"""
import ctypes
import glob
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))


def fnv(data):
    """FNV-1a with 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def library():
    for folder in sys.path:
        for path in glob.glob(os.path.join(folder, "nvidia", "cuda_nvrtc", "lib", "libnvrtc.so.*")):
            return ctypes.CDLL(path)
    return ctypes.CDLL("libnvrtc.so.12")


def compile_source(nvrtc, source, options):
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"search.cu", 0, None, None)
    result = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    if log.value:
        print(log.value.decode(), file=sys.stderr)
    if result != 0:
        sys.exit(1)
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, text)
    return text.value


with open(os.path.join(here, "search.cu"), "rb") as file:
    source = file.read()
nvrtc = library()
for name, options in {
    "narrow.ptx": [b"--gpu-architecture=compute_75"],
    "wide.ptx": [b"--gpu-architecture=compute_90", b"-DWIDE", b"--device-int128"],
}.items():
    text = compile_source(nvrtc, source, options)
    with open(os.path.join(here, name), "wb") as file:
        file.write(b"// search.cu %016x\n" % fnv(source) + text)
