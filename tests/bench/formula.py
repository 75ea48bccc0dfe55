"""How many plans there are for the saga in `steps`, on paper.

A plan with k faults is counted by x to the power of k. With f faults at each try of a call and r retries,

    A = 1 + fx + ... + (fx)^r      counts how a call comes to be done,
    B = (fx)^(r+1)                 how it fails for good, and A fx more if faults may last,
    E = 1 + fx + (fx)^2 + ...      how one ends that is tried for ever,

and all plans for a saga of n steps are

    A^n + (the sum over i from 1 to n of) A^(i-1) B (A + B E)^i :

it completes, or step i fails for good and i steps are undone, each of them or the desk is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from tests.bench.steps import Shape

__all__ = ["about", "plans"]


def plans(shape: Shape) -> list[int]:
    """The number of plans with 0, 1, ... k faults."""
    size = shape.k + 1
    tries = [shape.faults**power for power in range(size)]
    done = [count if power <= shape.retries else 0 for power, count in enumerate(tries)]
    failed = [count if power == shape.retries + 1 else 0 for power, count in enumerate(tries)]
    if shape.lasting:
        failed = _sum(failed, [0, *(shape.faults * count for count in done[:-1])])
    undone = _sum(done, _product(failed, tries))
    total = _power(done, shape.steps)
    for step in range(1, shape.steps + 1):
        forward = _product(_power(done, step - 1), failed)
        total = _sum(total, _product(forward, _power(undone, step)))
    return total


def about(shape: Shape) -> list[int]:
    """The short form: k faults on n steps, any number of them on each; lasting ones are faults of their own.

    It is exact up to two faults, and without lasting ones up to three. For a fault at one of the m calls
    that lie ahead leaves another number of calls ahead at each: from there on those to the end if it is tried
    again, and those back to the beginning if it is not. Either way each number from 1 to m occurs once.
    """
    options = shape.faults * (1 + shape.lasting)
    return [options**k * comb(shape.steps + k - 1, k) for k in range(shape.k + 1)]


def _sum(one: Sequence[int], other: Sequence[int]) -> list[int]:
    return [a + b for a, b in zip(one, other, strict=True)]


def _product(one: Sequence[int], other: Sequence[int]) -> list[int]:
    """Of two polynomials, cut off at the power at which they are."""
    return [sum(one[i] * other[power - i] for i in range(power + 1)) for power in range(len(one))]


def _power(base: Sequence[int], exponent: int) -> list[int]:
    result = [1] + [0] * (len(base) - 1)
    for _ in range(exponent):
        result = _product(result, base)
    return result
