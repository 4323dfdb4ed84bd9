# SPDX-License-Identifier: MIT
"""Faults, where they stand, and what tests say of them: see test/mutate.py."""
