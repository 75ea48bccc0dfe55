"""Made-up people for set-up that names nobody: the n-th is the same in every run and on every machine."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from faker import Faker

__all__ = ["Person", "person"]


class Person(NamedTuple):
    """A name with an address in a domain that is reserved for examples (RFC 2606)."""

    name: str
    email: str


@cache
def person(number: int) -> Person:
    """The person with this number; whom others asked for before makes no difference."""
    faker = _faker()
    faker.seed_instance(f"person {number}")
    first, last = faker.first_name(), faker.last_name()
    return Person(f"{first} {last}", f"{first}.{last}.{number}@example.com".lower())


@cache
def _faker() -> Faker:
    from faker import Faker  # noqa: PLC0415  # takes a quarter of a second, and many runs name everybody

    return Faker("en_US")
