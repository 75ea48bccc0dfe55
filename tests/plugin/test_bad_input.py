"""Nothing that is wrong with a test or its settings passes, and the first line says what it is."""

from __future__ import annotations

from typing import Any

import pytest

HEAD = "from sagaproof import explore\nfrom shop import *\n"


def explored(body: str, **options: str) -> str:
    given = ", ".join(f"{name}={text}" for name, text in {"systems": "[Shop]", **options}.items())
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return HEAD + f"@explore({given})\ndef test_it(world):\n" + lines


def failure(ran: Any) -> str:
    """What the short summary says of the one failed test."""
    line: str = next(line for line in ran.output.splitlines() if line.startswith("FAILED"))
    return line.partition(" - ")[2]


@pytest.fixture(autouse=True)
def _whole_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")


def test_a_body_without_calls_is_incomplete(example: Any) -> None:
    ran = example({"test_it": explored("pass")}).run().came_to(1, failed=1)

    assert failure(ran).startswith("incomplete: script 'opaque' made no call that any tap saw")
    ran.says("Point the clients of the saga at the hosts", "1 explored test: 0 clean, 1 incomplete")


def test_a_campaign_that_was_cut_off_is_incomplete_and_counts_what_is_left(example: Any) -> None:
    ran = example({"test_it": explored("return read_only()", runs="5")}).run().came_to(1, failed=1)

    assert failure(ran).startswith("incomplete: ")
    ran.says("plans were skipped: the budget was used up", " covered: k<=2 not complete: >=", "skipped")


def test_findings_are_kept_when_the_budget_is_used_up(example: Any) -> None:
    ran = example({"test_it": explored("return two_orders()", runs="60")}).run().came_to(1, failed=1)

    assert " findings in 60 runs (k<=2 not complete" in failure(ran)
    ran.says("compensated-is-clean", " incomplete: ")


def test_a_campaign_without_any_fault_proves_nothing(example: Any) -> None:
    text = explored("return read_only()", exclude="{'shop.*': 'all of it'}")
    ran = example({"test_it": text}).run().came_to(1, failed=1)

    assert failure(ran).startswith("incomplete: no fault was injected")


def test_a_saga_that_hangs_is_a_finding(example: Any) -> None:
    ran = (
        example({"test_it": explored("while True: world.direct.shop.list()", faults="0")})
        .run()
        .came_to(1, failed=1)
    )

    ran.says("terminates", "it made more than 500 calls")


def test_a_saga_that_is_not_deterministic_is_a_harness_error(example: Any) -> None:
    text = "import itertools\ncount = itertools.count(1)\n" + explored(
        "send('POST', '/orders', {'amount': next(count)})"
    )
    ran = example({"test_it": text}).run().came_to(1, failed=1)

    assert failure(ran).startswith("harness error: not-deterministic: two runs without a fault differ")


def test_a_leak_is_a_harness_error_that_names_host_and_place(example: Any) -> None:
    ran = example({"test_it": explored("httpx.get('https://example.com/')")}).run().came_to(1, failed=1)

    assert failure(ran).startswith("harness error: leak: a connection to example.com:443")
    ran.says("test_it.py:5", "allow_hosts=['example.com']")


def test_a_leak_that_the_saga_swallows_is_a_harness_error_too(example: Any) -> None:
    body = "try: httpx.get('https://example.com/')\nexcept Exception: pass\nreturn read_only()"
    ran = example({"test_it": explored(body)}).run().came_to(1, failed=1)

    assert failure(ran).startswith("harness error: leak: ")


CHECK = """
class Fragile:
    slug = "fragile"
    def applies(self, facts): return True
    def judge(self, history):
        if len(history.effects) == 2:
            raise ZeroDivisionError("ouch")
        from sagaproof._checks.protocol import HELD
        return HELD
"""


def test_an_exception_in_a_check_is_a_harness_error_that_keeps_the_findings(example: Any) -> None:
    text = explored("return two_orders()", faults="1", checks="[Fragile()]").replace(HEAD, HEAD + CHECK)
    ran = example({"test_it": text}).run().came_to(1, failed=1)

    assert failure(ran).startswith("harness error: check fragile broke under plan '")
    ran.says("ZeroDivisionError: ouch", "compensated-is-clean", "replay  pytest", " covered: k<=1 complete")


def test_an_exception_in_applies_is_a_harness_error_too(example: Any) -> None:
    check = CHECK.replace("return True", "raise KeyError('ouch')")
    text = explored("return two_orders()", faults="1", checks="[Fragile()]").replace(HEAD, HEAD + check)
    ran = example({"test_it": text}).run().came_to(1, failed=1)

    assert "harness error: check fragile broke" in failure(ran)
    ran.says("check fragile broke in applies(): KeyError: 'ouch'", "compensated-is-clean")


def test_a_check_that_answers_with_a_bool_is_a_harness_error_that_keeps_the_findings(example: Any) -> None:
    check = CHECK.replace("return HELD", "return True")
    text = explored("return two_orders()", faults="1", checks="[Fragile()]").replace(HEAD, HEAD + check)
    ran = example({"test_it": text}).run().came_to(1, failed=1)

    assert failure(ran).startswith("harness error: check fragile broke under plan '")
    ran.says("TypeError: it answered True; return HELD, NOT_REACHED or violated(...)", "compensated-is-clean")


TWIN = "class Twin(System):\n    name = 'twin'\n    hosts = ('shop.test',)\n"


def test_two_systems_on_one_host_are_a_harness_error(example: Any) -> None:
    text = explored("return read_only()", systems="[Shop, Twin]").replace(HEAD, HEAD + TWIN)
    ran = example({"test_it": text}).run().came_to(1, failed=1)

    assert failure(ran).startswith("harness error: host-clash: ")
    ran.says("shop.test", "'twin'")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"systems": "['bilingg']"}, "no system is registered as 'bilingg'. Did you mean 'billing'?"),
        ({"systems": "['shop:Shp']"}, "system 'shop:Shp' cannot be loaded"),
        ({"systems": "[Shop, Shop]"}, "two systems are called 'shop'"),
        ({"systems": "[dict]"}, "which is no System"),
        ({"hosts": "{'shp': 'https://x.test'}"}, "hosts= names 'shp', which is no system"),
        ({"exclude": "{'shop.lst=503': 'why'}"}, "exclude= names 'shop.lst'"),
        ({"skip_checks": "{'reverse-ordr': 'why'}"}, "Did you mean 'reverse-order'?"),
        ({"skip_checks": "{'reverse-order': ' '}"}, "skipped without a reason"),
    ],
)
def test_a_wrong_option_is_a_harness_error_with_advice(
    example: Any, options: dict[str, str], says: str
) -> None:
    ran = example({"test_it": explored("return read_only()", **options)}).run().came_to(1, failed=1)

    assert failure(ran).startswith("harness error: usage: ")
    ran.says(says)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"fauls": "2"}, "there is no option 'fauls' (the arguments of @explore). Did you mean 'faults'?"),
        ({"faults": "-1"}, "faults = -1 will not do"),
        ({"faults": "'2'"}, "faults = '2' will not do"),
        ({"statuses": "'some'"}, "statuses = 'some' will not do"),
        ({"durations": "['onse']"}, "there is no duration 'onse'. Did you mean 'once'?"),
        ({"families": "['outge']"}, "there is no fault family 'outge'. Did you mean 'outage'?"),
        ({"exclude": "{'shop.list=503': ''}"}, "'shop.list=503' is excluded without a reason"),
        ({"exclude": "{'shop.list=5003': 'why'}"}, "excludes no known fault. Did you mean '503'?"),
        ({"systems": "'shop'"}, "systems= is the text 'shop'. Write systems=['shop']"),
        ({"checks": "['mine']"}, "checks= holds 'mine', which is no check"),
        ({"scripts": "['mine']"}, "scripts= and agent= belong together"),
        ({"agent": "Shop", "scripts": "[]"}, "scripts= and agent= belong together"),
    ],
)
def test_a_wrong_argument_of_the_decorator_fails_the_collection(
    example: Any, options: dict[str, str], says: str
) -> None:
    ran = example({"test_it": explored("return read_only()", **options)}).run().came_to(2, errors=1)

    ran.says(says, "test_it.py:3")


FIXTURES = {
    "tmp_path": "Instead: world.path is an empty folder of each run",
    "monkeypatch": "Instead: in the body, `with pytest.MonkeyPatch.context() as patch:`",
    "mine": "Instead: make it in the body, or widen its scope",
}


@pytest.mark.parametrize("name", FIXTURES)
def test_a_fixture_for_each_test_fails_with_what_to_do_instead(example: Any, name: str) -> None:
    text = explored("return read_only()").replace("(world)", f"(world, {name})")
    text = text.replace(HEAD, HEAD + "import pytest\n@pytest.fixture\ndef mine(): return 1\n")
    ran = example({"test_it": text}).run().came_to(1, failed=1)

    assert failure(ran).startswith(f"harness error: usage: fixture {name!r} is made once for the test")
    ran.says(FIXTURES[name], f"@explore(allow_fixtures=[{name!r}])")


@pytest.mark.parametrize("allowed", ["True", "['tmp_path']"])
def test_an_allowed_fixture_is_shared_by_all_runs(example: Any, allowed: str) -> None:
    text = explored("return read_only()", allow_fixtures=allowed).replace("(world)", "(world, tmp_path)")

    example({"test_it": text}).run().came_to(0, passed=1)


def test_usefixtures_is_looked_at_too(example: Any) -> None:
    mark = "import pytest\n@pytest.mark.usefixtures('tmp_path')\n@explore"
    text = explored("return read_only()").replace("@explore", mark)

    example({"test_it": text}).run().came_to(1, failed=1).says("fixture 'tmp_path' is made once")


def test_a_return_value_that_is_no_claim_is_a_harness_error_with_advice(example: Any) -> None:
    ran = example({"test_it": explored("read_only()\nreturn 42")}).run().came_to(1, failed=1)

    assert failure(ran).startswith("harness error: usage: the saga returned 42, which is no claim")


def test_explore_with_a_number_says_how_to_name_it(example: Any) -> None:
    text = HEAD + "@explore(2)\ndef test_it(world): pass\n"

    ran = example({"test_it": text}).run().came_to(2, errors=1)

    ran.says("@explore was given 2. Put it on a test function, and name its options: @explore(faults=2)")


def test_explore_on_a_class_says_where_it_belongs(example: Any) -> None:
    text = HEAD + "@explore(faults=2)\nclass TestIt:\n    def test_it(self, world): pass\n"

    example({"test_it": text}).run().came_to(2, errors=1).says("Put it on a test function")


@pytest.mark.parametrize(
    ("given", "meant"),
    [("--saga-plna=shop.place.1=503", "--saga-plan"), ("--saga-sharf=1/2", "--saga-shard")],
)
def test_an_option_that_is_misspelt_is_refused_with_the_one_that_was_meant(
    example: Any, given: str, meant: str
) -> None:
    ran = example({"test_it": explored("return read_only()")}).run(given)

    assert ran.result.ret == pytest.ExitCode.USAGE_ERROR
    ran.says(f"there is no option {given.partition('=')[0]}. Did you mean '{meant}'?")


def test_an_option_of_a_conftest_may_look_like_ours(example: Any) -> None:
    conftest = """
        def pytest_addoption(parser):
            parser.addoption("--saga-plans")
    """
    files = {"conftest": conftest, "test_it": explored("return read_only()", faults="0")}

    example(files).run("--saga-plans=all").came_to(0, passed=1)
