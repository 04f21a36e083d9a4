#!/usr/bin/env python3
"""Times gtrain and PyTorch in turn on one CUDA GPU, and prints a table of ratios.

usage: compare-torch.py [--gtrain PATH] [--before PATH] [--tune SECONDS] [--set KEY=VALUE]... [--peers DIR] [CASE]...

The cases:
  gemm        products of square matrices, against cuBLAS in fp32 (SGEMM) and bf16
  mlp         a network of widths 784-512-256-10
  bytes       the same network; gtrain's inputs are bytes, as in MNIST, PyTorch's are floats
  big         4096 inputs, four hidden layers of 4096 units, 1000 classes
  deep        256 inputs, 32 hidden layers of 256 units, 10 classes
  cnn         two convolutions on images of 28x28
  resnet9     the residual network of that name on images of 32x32x3, channels last
  lstm, gru   128 units; each of the 28 rows of an image is one time step
  lstm-chars  an embedding, two layers of 512 units and 65 classes at each of 128 time steps
  kan         widths 784-64-10, against efficient-kan, FastKAN (checkouts of both in DIR) and a Chebyshev layer

PyTorch trains each network as a CUDA graph of the whole step, with fused Adam, the fastest method without a compiler;
KANs also with torch.compile (mode="reduce-overhead"), which fuses many of their kernels. Both programs train on random
data in device memory. Every figure is a median; each row shows PyTorch's time, gtrain's, and their ratio: above 1,
gtrain is faster. PyTorch runs in a process of its own, which ends before gtrain's starts: while another process has a
CUDA context on the device, a step takes up to a tenth longer. --before adds an older binary, --tune the step time after
SECONDS of `gtrain tune`."""
import argparse
import functools
import importlib
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

MLPS = {"mlp": ([784, 512, 256, 10], [128, 1024, 8192]),  # case: (widths, batch sizes)
        "bytes": ([784, 512, 256, 10], [128, 1024, 8192]),
        "big": ([4096] * 5 + [1000], [1024, 8192]),
        "deep": ([256] * 33 + [10], [256, 4096])}
IMAGES = {"cnn": (784, [128, 1024]), "resnet9": (3072, [512])}  # case: (values per image, batch sizes)
RECURRENT = {"lstm": [128, 1024], "gru": [128, 1024]}  # case: batch sizes
CHARS, CHAR_STEPS, CHAR_UNITS = 65, 128, 512
KANS = {"efficient-kan": "bspline", "FastKAN": "rbf", "Chebyshev": "chebyshev"}  # PyTorch's network: gtrain's basis
GEMM_SIZES = [512, 1024, 2048, 4096, 8192]
PRECISIONS = ("fp32 graph", "bf16 graph")


def seconds(run, repeat, measurements=7):
    """Median time of one run(), from `measurements` loops of `repeat` runs."""
    for _ in range(repeat):
        run()
    torch.cuda.synchronize()
    times = []
    for _ in range(measurements):
        start = time.perf_counter()
        for _ in range(repeat):
            run()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) / repeat)
    return statistics.median(times)


def in_a_process(function, *arguments):
    """Returns function(*arguments), called in a child process, so that this process has no CUDA context."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(function, arguments)


def set_backend_flags():
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True


def torch_gemm(n, dtype):
    set_backend_flags()
    a, b = (torch.randn(n, n, device="cuda", dtype=dtype) for _ in range(2))
    return seconds(lambda: a @ b, max(3, int(2e11 / n**3)))


def mlp(widths):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.body(x)


def block(in_channels, out_channels, pool=False):
    layers = [nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False), nn.BatchNorm2d(out_channels), nn.ReLU()]
    return nn.Sequential(*layers, *([nn.MaxPool2d(2)] if pool else []))


def torch_images(case):
    if case == "cnn":
        return nn.Sequential(nn.Unflatten(1, (1, 28, 28)), nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                             nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                             nn.Linear(3136, 128), nn.ReLU(), nn.Linear(128, 10))
    net = nn.Sequential(nn.Unflatten(1, (3, 32, 32)), block(3, 64), block(64, 128, True),
                        Residual(block(128, 128), block(128, 128)), block(128, 256, True), block(256, 512, True),
                        Residual(block(512, 512), block(512, 512)), nn.AdaptiveMaxPool2d(1), nn.Flatten(),
                        nn.Linear(512, 10))
    return net.to(memory_format=torch.channels_last)


class RowsNet(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.cells = getattr(nn, kind.upper())(28, 128, batch_first=True)
        self.out = nn.Linear(128, 10)

    def forward(self, x):
        return self.out(self.cells(x.unflatten(1, (28, 28)))[0][:, -1])


class CharsNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(CHARS, CHAR_UNITS)
        self.cells = nn.LSTM(CHAR_UNITS, CHAR_UNITS, 2, batch_first=True)
        self.out = nn.Linear(CHAR_UNITS, CHARS)

    def forward(self, x):
        return self.out(self.cells(self.embedding(x))[0]).flatten(0, 1)


class Chebyshev(nn.Module):
    def __init__(self, inputs, outputs, degree=4):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs, degree + 1) / (inputs * (degree + 1)))
        self.register_buffer("order", torch.arange(degree + 1.0))

    def forward(self, x):
        angle = torch.acos(torch.tanh(x).unsqueeze(-1).clamp(-1 + 1e-6, 1 - 1e-6))
        return torch.einsum("bid,iod->bo", torch.cos(angle * self.order), self.weight)


def torch_kan(name, peers):
    sys.path[:0] = [f"{peers}/efficient-kan/src", f"{peers}/fast-kan"]
    if name == "efficient-kan":
        return importlib.import_module("efficient_kan").KAN([784, 64, 10])
    if name == "FastKAN":
        return importlib.import_module("fastkan").FastKAN([784, 64, 10])
    return nn.Sequential(Chebyshev(784, 64), Chebyshev(64, 10))


def capture_graph(step):
    """Returns a function that replays step() as a CUDA graph. Five runs before the capture allocate memory and choose
    kernels."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(5):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def torch_step(model, width, classes, batch, mode, model_reads_tokens=False):
    """mode: "fp32 graph", "bf16 graph", or "compiled" (torch.compile in fp32, the optimizer not compiled). Returns the
    seconds per step, or the reason why torch.compile failed."""
    set_backend_flags()
    torch.manual_seed(0)
    model = model().cuda()
    if mode == "compiled":
        os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # a worker process of a pool cannot start others
        model = torch.compile(model, mode="reduce-overhead")
    x = torch.randn(batch, width, device="cuda")
    y = torch.randint(0, classes, (batch,), device="cuda")
    if model_reads_tokens:
        x = torch.randint(0, classes, (batch, width), device="cuda")
        y = torch.randint(0, classes, (batch * width,), device="cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True, fused=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=mode == "bf16 graph"):
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()

    if mode != "compiled":
        return seconds(capture_graph(step), 20)
    try:
        for _ in range(10):  # warm-up: compiled, recorded, then replayed
            step()
        return seconds(step, 20)
    except Exception as error:  # torch.compile needs Triton and a C compiler, which may be missing
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def gtrain(binary, *arguments, cache=None):
    """Runs gtrain and returns its JSON output. cache: folder for tuning results, instead of the user's"""
    environment = dict(os.environ, GTRAIN_CACHE_DIR=cache) if cache else None
    done = subprocess.run([binary, *arguments, "--device", "vulkan", "--json"], check=True, capture_output=True,
                          text=True, env=environment)
    return json.loads(done.stdout)


def linear_layers(widths):
    return "".join(f"  - linear: {n}\n  - relu\n" for n in widths[1:-1]) + f"  - linear: {widths[-1]}\n"


def convolution(channels, pool=False, indent="  ", name=None):
    relu = f"{indent}- relu: {{name: {name}}}\n" if name else f"{indent}- relu\n"
    return (f"{indent}- conv2d: {{out_channels: {channels}, kernel_size: 3, padding: 1, bias: false}}\n"
            f"{indent}- batch_norm\n{relu}" + (f"{indent}- max_pool2d: 2\n" if pool else ""))


def residual(channels):
    indent, name = " " * 8, f"body_{channels}_"
    return ("  - repeat:\n      times: 1\n      layers:\n" + convolution(channels, indent=indent) +
            convolution(channels, indent=indent, name=name) + f"{indent}- add: {{from: [block_input, {name}]}}\n")


def image_layers(case):
    if case == "cnn":
        plain = "".join(f"  - conv2d: {{out_channels: {n}, kernel_size: 3, padding: 1}}\n  - relu\n  - max_pool2d: 2\n"
                        for n in (32, 64))
        return "  - reshape: [28, 28, 1]\n" + plain + "  - flatten\n  - linear: 128\n  - relu\n  - linear: 10\n"
    return ("  - reshape: [32, 32, 3]\n" + convolution(64) + convolution(128, True) + residual(128) +
            convolution(256, True) + convolution(512, True) + residual(512) +
            "  - adaptive_max_pool: 1\n  - flatten\n  - linear: 10\n")


def write_config(folder, layers, width, classes, batch, kind):
    """kind: of the inputs, "floats", "bytes" or "tokens" (each with a label)"""
    samples = max(batch, 8192)
    random = numpy.random.default_rng(0)
    tokens = kind == "tokens"
    numpy.save(f"{folder}/x.npy", random.standard_normal((samples, width), dtype=numpy.float32) if kind == "floats" else
               random.integers(0, classes if tokens else 256, (samples, width), dtype=numpy.uint8))
    numpy.save(f"{folder}/y.npy", random.integers(0, classes, (samples, width) if tokens else samples, dtype=numpy.int32))
    with open(f"{folder}/config.yaml", "w", encoding="utf-8") as config:
        config.write(f"data:\n  format: npy\n  task: classification\n  classes: {classes}\n"
                     f"{'  integers: [input]' if tokens else ''}\n"
                     f"  train: {{inputs: {folder}/x.npy, targets: {folder}/y.npy}}\n"
                     f"model:\n{layers}optimizer: {{type: adam, lr: 1.0e-4}}\n"
                     f"train: {{steps: 100, batch_size: {batch}}}\n")


def print_row(name, mode, torch_time, gtrain_times):
    """torch_time: seconds, or a message; gtrain_times: (label, seconds) of each binary"""
    if isinstance(torch_time, str):
        print(f"{name:22} {mode:10} {torch_time}", flush=True)
        return
    cells = "  ".join(f"{label} {t * 1e6:9.1f} us ({torch_time / t:4.2f}x)" for label, t in gtrain_times)
    print(f"{name:22} {mode:10} {torch_time * 1e6:9.1f} us  {cells}", flush=True)


def gemms(binaries):
    gtrain_times = {}
    for label, binary in binaries:
        for result in gtrain(binary, "bench", "gemm")["results"]:
            gtrain_times.setdefault(result["name"], []).append((label, result["us"]["median"] * 1e-6))
    for n in GEMM_SIZES:
        times = gtrain_times.get(f"gemm {n}x{n}x{n}")
        if times:
            print_row(f"gemm {n}", "fp32", in_a_process(torch_gemm, n, torch.float32), times)
            print_row(f"gemm {n}", "bf16", in_a_process(torch_gemm, n, torch.bfloat16), times)


def steps(case, layers, model, width, classes, batch, binaries, options, modes, kind="floats"):
    """Prints a row for each of PyTorch's modes (torch_step). layers: YAML of gtrain's model; model() creates PyTorch's;
    kind: of the inputs (write_config)"""
    with tempfile.TemporaryDirectory() as folder:
        write_config(folder, layers, width, classes, batch, kind)
        config, cache = f"{folder}/config.yaml", f"{folder}/cache"
        os.mkdir(cache)  # empty, so that the user's tuning results are not used
        count = "20" if case in ("big", "resnet9", "lstm-chars") else "200"
        gtrain_times = []

        def measure(label, binary, extra):
            result = gtrain(binary, "bench", "train", config, "--steps", count, *extra, cache=cache)
            gtrain_times.append((label, result["us_per_step"]["median"] * 1e-6))

        settings = [word for setting in options.set for word in ("--set", setting)]
        for label, binary in binaries:
            measure(label, binary, settings if label == "gtrain" else [])
        if options.tune:
            gtrain(options.gtrain, "tune", config, "--seconds", options.tune, *settings, cache=cache)
            measure("tuned", options.gtrain, settings)
    for mode in modes:
        torch_time = in_a_process(torch_step, model, width, classes, batch, mode, kind == "tokens")
        print_row(f"{case} batch {batch}", mode, torch_time, gtrain_times)


def run(case, binaries, options):
    if case == "gemm":
        gemms(binaries)
    elif case == "kan":
        for name, basis in KANS.items():
            layers = "".join(f"  - kan: {{units: {n}, basis: {basis}}}\n" for n in (64, 10))
            for batch in (64, 1024, 8192):
                steps(f"kan {basis}", layers, functools.partial(torch_kan, name, options.peers), 784, 10, batch, binaries,
                      options, ("fp32 graph", "compiled"))
    elif case in IMAGES:
        width, batches = IMAGES[case]
        for batch in batches:
            steps(case, image_layers(case), functools.partial(torch_images, case), width, 10, batch, binaries, options,
                  PRECISIONS)
    elif case in RECURRENT:
        layers = f"  - reshape: [28, 28]\n  - {case}: {{hidden_size: 128, return: last}}\n  - linear: 10\n"
        for batch in RECURRENT[case]:
            steps(case, layers, functools.partial(RowsNet, case), 784, 10, batch, binaries, options, PRECISIONS)
    elif case == "lstm-chars":
        layers = (f"  - embedding: {{num_embeddings: {CHARS}, embedding_dim: {CHAR_UNITS}}}\n"
                  f"  - lstm: {{hidden_size: {CHAR_UNITS}, num_layers: 2}}\n  - linear: {CHARS}\n")
        steps(case, layers, CharsNet, CHAR_STEPS, CHARS, 64, binaries, options, PRECISIONS, "tokens")
    else:
        widths, batches = MLPS[case]
        for batch in batches:
            steps(case, linear_layers(widths), functools.partial(mlp, widths), widths[0], widths[-1], batch, binaries,
                  options, PRECISIONS, "bytes" if case == "bytes" else "floats")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gtrain", default=os.environ.get("GTRAIN", "build/gtrain"))
    parser.add_argument("--before")
    parser.add_argument("--tune")
    parser.add_argument("--peers", default=".")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("cases", nargs="*", default=[])
    options = parser.parse_args()
    binaries = [("before", options.before)] if options.before else []
    binaries.append(("gtrain", options.gtrain))
    print(f"{in_a_process(torch.cuda.get_device_name)}, PyTorch {torch.__version__}", flush=True)
    for case in options.cases or ["gemm", *MLPS, *IMAGES, *RECURRENT, "lstm-chars"]:
        run(case, binaries, options)


main()
