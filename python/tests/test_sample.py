# SPDX-License-Identifier: MIT
"""Compares sampling (sweep/sample.h), called by cffi, with the equivalents in NumPy and SciPy."""
import sys

import numpy as np
import pytest

from conftest import ROOT
from tandem._native import ffi, lib


def words(*values):
    return ffi.new("uint64_t[]", [int(v) for v in values])


def philox(counter, key):
    bits = ffi.new("uint64_t[4]")
    lib.td_philox(words(*counter), words(*key), bits)
    return list(bits)


def random_points(seed, first, n, dimensions):
    points = np.empty((n, dimensions))
    lib.td_random_points(seed, first, n, dimensions, ffi.from_buffer("double[]", points))
    return points


def sobol_points(seed, first, n, dimensions):
    points = np.empty((n, dimensions))
    assert lib.td_sobol_points(seed, first, n, dimensions, ffi.from_buffer("double[]", points)) == lib.TD_OK
    return points


def test_philox_is_numpys():
    random = np.random.default_rng(5)
    for _ in range(50):
        counter, key = random.integers(0, 2**64, 4, dtype=np.uint64), random.integers(0, 2**64, 2, dtype=np.uint64)
        counter[0] = min(int(counter[0]), 2**64 - 2)
        numpys = np.random.Philox(counter=counter, key=key).random_raw(4)  # which increments its counter first
        counter[0] += np.uint64(1)
        assert philox(counter, key) == list(map(int, numpys))


@pytest.mark.parametrize("first", [0, 1, 10**11])
@pytest.mark.parametrize("dimensions", [1, 4, 21])
def test_points_of_the_examples_are_the_librarys(monkeypatch, first, dimensions):
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT / "examples")])
    import sweep_multiprocessing

    theirs = sweep_multiprocessing.points(first, 37, dimensions)
    assert np.array_equal(theirs, random_points(sweep_multiprocessing.SEED, first, 37, dimensions))


def test_sobol_is_scipys():
    stats = pytest.importorskip("scipy.stats")
    if tuple(map(int, pytest.importorskip("scipy").__version__.split(".")[:2])) < (1, 9):
        pytest.skip("SciPy before 1.9 has 30 bits alone")
    dimensions = 128  # TD_SOBOL_DIMENSIONS
    theirs = stats.qmc.Sobol(dimensions, scramble=False, bits=52).random(4096) + 2.0**-53
    assert np.array_equal(theirs, sobol_points(0, 0, 4096, dimensions))
    assert np.array_equal(theirs[1000:1100, :9], sobol_points(0, 1000, 100, 9))


def test_quantiles_are_scipys():
    stats = pytest.importorskip("scipy.stats")
    p = np.concatenate([np.geomspace(1e-300, 0.5, 500), np.linspace(0.01, 0.99, 99), 1 - 2.0**-np.arange(1, 54)])
    ours = [lib.td_normal_quantile(x) for x in p]
    assert ours == pytest.approx(stats.norm.ppf(p), rel=4e-15, abs=1e-15)
