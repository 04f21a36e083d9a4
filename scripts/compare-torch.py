#!/usr/bin/env python3
"""Times gtrain beside PyTorch on one CUDA GPU, in turn, and prints a table of ratios.

usage: compare-torch.py [--gtrain PATH] [--before PATH] [--set KEY=VALUE]... [gemm] [mlp] [big] [deep]

gemm: square products against cuBLAS in fp32 (SGEMM) and bf16. mlp: 784-512-256-10. big: five layers of 4096 and
1000 classes. deep: 32 layers of 256. PyTorch trains each as a CUDA graph of the whole step, with fused Adam, which is
the fastest that it offers by hand. Both sides train on random data in device memory. Every figure is a median; each
row says the peer's time, gtrain's, and peer / gtrain, so that more than 1 is faster. --before adds an older binary."""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

import numpy
import torch
import torch.nn as nn
import torch.nn.functional as F

STEPS = {"mlp": ([784, 512, 256, 10], [128, 1024, 8192]),
         "big": ([4096] * 5 + [1000], [1024, 8192]),
         "deep": ([256] * 33 + [10], [256, 4096])}
SIZES = [512, 1024, 2048, 4096, 8192]


def seconds(run, repeat, times=7):
    for _ in range(repeat):
        run()
    torch.cuda.synchronize()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        for _ in range(repeat):
            run()
        torch.cuda.synchronize()
        taken.append((time.perf_counter() - start) / repeat)
    return statistics.median(taken)


def torch_gemm(n, dtype):
    a, b = (torch.randn(n, n, device="cuda", dtype=dtype) for _ in range(2))
    return seconds(lambda: a @ b, max(3, int(2e11 / n**3)))


def torch_step(widths, batch, bf16):
    torch.manual_seed(0)
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    model = nn.Sequential(*layers[:-1]).cuda()
    x = torch.randn(batch, widths[0], device="cuda")
    y = torch.randint(0, widths[-1], (batch,), device="cuda")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True, fused=True)

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=bf16):
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(5):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    optimizer.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        step()
    return seconds(graph.replay, 20)


def gtrain(binary, *arguments):
    done = subprocess.run([binary, "bench", *arguments, "--device", "vulkan", "--json"], check=True,
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def write_config(folder, widths, batch):
    samples = max(batch, 8192)
    random = numpy.random.default_rng(0)
    numpy.save(f"{folder}/x.npy", random.standard_normal((samples, widths[0]), dtype=numpy.float32))
    numpy.save(f"{folder}/y.npy", random.integers(0, widths[-1], samples, dtype=numpy.int32))
    layers = "".join(f"  - linear: {n}\n  - relu\n" for n in widths[1:-1]) + f"  - linear: {widths[-1]}\n"
    with open(f"{folder}/config.yaml", "w", encoding="utf-8") as config:
        config.write(f"data:\n  format: npy\n  classes: {widths[-1]}\n"
                     f"  train: {{inputs: {folder}/x.npy, targets: {folder}/y.npy}}\n"
                     f"model:\n{layers}optimizer: {{type: adam, lr: 1.0e-4}}\n"
                     f"train: {{steps: 100, batch_size: {batch}}}\n")


def row(name, peer, peer_time, own):
    cells = "  ".join(f"{label} {t * 1e6:9.1f} us ({peer_time / t:4.2f}x)" for label, t in own)
    print(f"{name:22} {peer:10} {peer_time * 1e6:9.1f} us  {cells}", flush=True)


def gemms(binaries):
    own = {}
    for label, binary in binaries:
        for result in gtrain(binary, "gemm")["results"]:
            own.setdefault(result["name"], []).append((label, result["us"]["median"] * 1e-6))
    for n in SIZES:
        times = own.get(f"gemm {n}x{n}x{n}")
        if times:
            row(f"gemm {n}", "fp32", torch_gemm(n, torch.float32), times)
            row(f"gemm {n}", "bf16", torch_gemm(n, torch.bfloat16), times)


def steps(case, binaries, settings):
    widths, batches = STEPS[case]
    with tempfile.TemporaryDirectory() as folder:
        for batch in batches:
            write_config(folder, widths, batch)
            count = "20" if case == "big" else "200"
            own = []
            for label, binary in binaries:
                extra = [word for setting in settings if label == "gtrain" for word in ("--set", setting)]
                result = gtrain(binary, "train", f"{folder}/config.yaml", "--steps", count, *extra)
                own.append((label, result["us_per_step"]["median"] * 1e-6))
            for name, bf16 in (("fp32 graph", False), ("bf16 graph", True)):
                row(f"{case} batch {batch}", name, torch_step(widths, batch, bf16), own)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gtrain", default=os.environ.get("GTRAIN", "build/gtrain"))
    parser.add_argument("--before")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("cases", nargs="*", default=[])
    options = parser.parse_args()
    binaries = [("before", options.before)] if options.before else []
    binaries.append(("gtrain", options.gtrain))
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}", flush=True)
    torch.backends.cuda.matmul.allow_tf32 = False
    for case in options.cases or ["gemm", *STEPS]:
        if case == "gemm":
            gemms(binaries)
        else:
            steps(case, binaries, options.set)


main()
