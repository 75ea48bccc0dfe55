"""What there is to say of a built-in check, or of an error: in a sentence, exactly, and on a page."""

from __future__ import annotations

import inspect
import re
import textwrap
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sagaproof._checks import catalogue
from sagaproof._checks.campaign_check import CampaignCheck, Check
from sagaproof._checks.protocol import RunCheck

__all__ = ["Explanation", "effect_of", "error_pages", "explain_command", "explanation", "explanations"]

_WIDTH = 110
_SOURCE = re.compile(r" \((?P<numbers>O\d+(?:, O\d+)*)\)")


class Explanation(NamedTuple):
    """A check in words.

    `effect` is one sentence, `exactly` the definition, `applies` what it says of whom it applies to,
    `source` its number among the definitions ("O8", "" where it has none), `judged` over what it is judged.
    It takes at least `faults_needed` faults to reach. `page` is written by hand, in Markdown, from the
    heading "Meaning" on; empty if there is none.
    """

    slug: str
    effect: str
    exactly: str
    applies: str
    source: str
    judged: str
    faults_needed: int
    page: str


def explanation(check: Check) -> Explanation:
    """All that is known of a check."""
    words = inspect.getdoc(type(check)) or ""
    source = _SOURCE.search(words)
    first, _, rest = _SOURCE.sub("", words).partition("\n\n")
    applies = " ".join((inspect.getdoc(type(check).applies) or "").split())
    return Explanation(
        slug=check.slug,
        effect=_effect(check),
        exactly=_wrapped(rest or first),
        applies=applies,
        source="" if source is None else source["numbers"],
        judged=_judged(check),
        faults_needed=getattr(check, "faults_needed", 1),
        page=_page(check.slug),
    )


@cache
def explanations() -> dict[str, Explanation]:
    """Every built-in check by its slug, in the order of reports."""
    return {check.slug: explanation(check) for check in catalogue.ALL}


def effect_of(slug: str) -> str:
    """The one sentence on a built-in check; empty for one that a user brought."""
    found = explanations().get(slug)
    return "" if found is None else found.effect


@cache
def error_pages() -> dict[str, str]:
    """What there is to say of each error, in Markdown, by its slug."""
    folder = files("sagaproof") / "_explain_errors"
    pages = (page for page in folder.iterdir() if page.name.endswith(".md"))
    return {
        page.name.removesuffix(".md"): page.read_text(encoding="utf-8") for page in sorted(pages, key=str)
    }


def explain_command(slug: str) -> str:
    """What to call to read the page of a check or an error; empty for a check that a user brought."""
    return f"sagaproof explain {slug}" if slug in explanations() or slug in error_pages() else ""


def _effect(check: Check) -> str:
    """What its module says of it, after the slug."""
    words = " ".join((inspect.getdoc(inspect.getmodule(type(check))) or "").partition("\n\n")[0].split())
    says = words.partition("`: ")[2]
    return says[:1].upper() + says[1:]


def _judged(check: Check) -> str:
    by_run, over_runs = isinstance(check, RunCheck), isinstance(check, CampaignCheck)
    if by_run and over_runs:
        return "each run, and all runs of a test together"
    return "each run" if by_run else "all runs of a test together"


def _page(slug: str) -> str:
    path = files("sagaproof") / "_explain" / f"{slug}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _wrapped(text: str) -> str:
    parts = (" ".join(part.split()) for part in text.split("\n\n"))
    return "\n\n".join(textwrap.fill(part, _WIDTH, break_on_hyphens=False) for part in parts)
