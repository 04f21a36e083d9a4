#!/usr/bin/env python3
"""scipy's BSpline as oracle: the output of a kan layer from the coefficients and knots in its model.bin, on a uniform grid
and on adapted knots, degrees 0 to 5, inside the grid, on its knots and outside. Needs numpy and scipy.

    GTRAIN=build/gtrain tests/oracle/splines.py [--device DEVICE]

Ends with `N passed, N failed`."""

import argparse
import os
import sys

import numpy
from scipy.interpolate import BSpline

import gtrain

CELLS, LOW, HIGH = 6, -1.0, 2.0


def train(name, degree, follows, device):
    """A network of one edge, after a few training steps."""
    settings = {"units": 1, "grid": CELLS, "degree": degree, "range": [LOW, HIGH], "base": "none", "noise": 2,
                "spline_scale": False}
    if follows:
        settings["grid_update"] = {"every": 2, "blend": 0.1}
    config = {"seed": degree, "data": {"formula": "sin(3*x0) + x0^2", "range": [LOW, HIGH], "samples": 200},
              "model": [{"kan": settings}], "loss": "mse", "optimizer": {"type": "adam", "lr": 0.05}}
    return gtrain.train(name, config, 6, device)


def knots_of(tensors, degree):
    if "kan1.knots" in tensors:
        return tensors["kan1.knots"][:, 0].astype(float)
    step = (HIGH - LOW) / CELLS
    return LOW + (numpy.arange(CELLS + 2 * degree + 1) - degree) * step


def points(knots):
    """Points in cells, on knots (the right side counts) and outside; floats."""
    inside = [knots[:-1] + part * numpy.diff(knots) for part in (0, 0.1, 0.37, 0.5, 0.93)]
    beyond = [[knots[0] - 0.5, knots[-1] + 0.5, knots[-1] + 1000]]
    return numpy.sort(numpy.concatenate(inside + beyond)).astype(numpy.float32)


def predictions(folder, x, device):
    path, written = os.path.join(folder, "points.npy"), os.path.join(folder, "values.npy")
    numpy.save(path, x[:, None])
    gtrain.call("predict", os.path.join(folder, "model.bin"), path, "--output", written, "--device", device, "--quiet")
    return numpy.load(written).reshape(-1)


def check(degree, follows, device):
    name = f"spline-{degree}{'-follows' if follows else ''}"
    folder = train(name, degree, follows, device)
    tensors = gtrain.model(folder)
    knots, coefficients = knots_of(tensors, degree), tensors["kan1.coefficients"].reshape(-1).astype(float)
    x = points(knots)
    # On a knot, float and double may choose different sides of a discontinuous spline.
    x = x[numpy.min(numpy.abs(x[:, None] - knots), 1) > 1e-5] if degree == 0 else x
    # Without a knot beyond the ends, scipy's splines would continue there.
    padded = BSpline(numpy.concatenate([[knots[0] - 3] * (degree + 1), knots, [knots[-1] + 3] * (degree + 1)]),
                     numpy.concatenate([numpy.zeros(degree + 1), coefficients, numpy.zeros(degree + 1)]), degree,
                     extrapolate=False)
    want = numpy.nan_to_num(padded(x))
    error = numpy.max(numpy.abs(predictions(folder, x, device) - want)) / numpy.max(numpy.abs(coefficients))
    good = error < 4e-6
    print(f"{'ok' if good else 'not ok'} {name}: largest error {error:.1e} of the largest coefficient")
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    device = parser.parse_known_args()[0].device
    results = [check(degree, follows, device) for degree in range(6) for follows in (False, True)]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(0 if all(results) else 1)


main()
