# SPDX-License-Identifier: MIT
"""Faults, their locations, and which tests detect them: see test/mutate.py."""
