# SPDX-License-Identifier: MIT
import os
import pathlib

import pytest

import tandem

ROBOTS = pathlib.Path(os.environ.get("TANDEM_ROBOTS", pathlib.Path(__file__).parents[2] / "urdf" / "robots"))
ROOT = pathlib.Path(os.environ.get("TANDEM_SOURCE_ROOT", pathlib.Path(__file__).parents[2]))


def load(name, **options):
    return tandem.load(ROBOTS / (name + ".urdf"), **options)


@pytest.fixture(scope="session")
def arm():
    return load("arm7")


@pytest.fixture(scope="session")
def hand():
    return load("hand_a")


@pytest.fixture(scope="session")
def stewart():
    return load("stewart")
