"""The page about machines: its programs run against an agent with tools of these names, its table is true."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

PAGE = "docs/agent_machine.md"
MY_AGENT = '''
"""A desk with two tools, that takes no answer for nothing done."""


class Dispatcher:
    def __init__(self, world):
        self._direct, self._credits = world.direct, []

    def call(self, tool, args, call_id):
        if tool == "reply":
            return self._direct.mail.send(to=args["to"], subject="Your credit", body="It is on its way.")
        credit = self._direct.billing.issue_credit(customer=args["customer"], amount=args["amount"])
        self._credits.append(credit["id"])
        return credit

    def give_up(self):
        while self._credits:
            self._direct.billing.reverse_credit(credit_id=self._credits.pop())
        return "compensated"

    def finish(self):
        return "completed"
'''
RECORDED = [
    {"tool": "issue_credit", "args": {"customer": "cus_7", "amount": 2000}, "call_id": "call_1"},
    {"tool": "reply", "args": {"to": "kim@acme.test"}, "call_id": "call_2"},
]


@pytest.mark.slow
def test_what_the_page_shows_runs(page: Callable[[str], Any], walk: Any) -> None:
    shown = page(PAGE)
    walk.take(shown)
    folder = walk.pytester.path
    (folder / "my_agent.py").write_text(MY_AGENT, encoding="utf-8")
    (folder / "runs").mkdir()
    (folder / "runs/ticket_9104.json").write_text(json.dumps(RECORDED), encoding="utf-8")
    found, around = (block.text for block in shown.of("python") if not block.name)
    imports = "from sagaproof import Script, ToolCall\nfrom test_agent import SupportAgent\n"
    (folder / "test_found.py").write_text(imports + found, encoding="utf-8")
    (folder / "test_around.py").write_text(f"from my_agent import Dispatcher\n{around}", encoding="utf-8")
    assert "compensated-is-clean" in walk.pytest("test_found.py")
    assert re.search(r"1 explored test: .*\d+ runs, [1-9]\d* findings", walk.pytest("-q", "test_around.py"))
    # In a process of its own: what Hypothesis keeps of this one is not to be meddled with.
    played = walk.pytester.runpytest_subprocess("-q", "test_agent.py", "-p", "_sagaproof_pytest")
    played.stdout.re_match_lines([r"SupportAgent  \d+ examples in \d+ runs: [1-5] findings?"])


def test_every_rule_and_profile_is_in_its_table(page: Callable[[str], Any]) -> None:
    rules = pytest.importorskip("sagaproof._machine.rules").RULES
    text = page(PAGE).text
    part = text.partition("## What is drawn")[2].partition("\n## ")[0]
    shown = {
        name
        for row in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    assert shown == set(rules)
    profiles = pytest.importorskip("sagaproof.machine").PROFILES
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|", text, re.MULTILINE)
    assert {name: (int(examples), int(steps)) for name, examples, steps in rows} == {
        name: (one["max_examples"], one["stateful_step_count"]) for name, one in profiles.items()
    }
