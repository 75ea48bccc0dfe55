"""What a saga says of itself at the end, and the chain of errors that reached its caller."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sagaproof._drivers.claims import error_links, read_claim
from sagaproof._model.claim import Claim
from sagaproof.errors import UsageError


@pytest.mark.parametrize("claim", list(Claim))
def test_a_claim_may_be_itself_its_name_or_a_status(claim: Claim) -> None:
    for said in (
        claim,
        claim.value,
        claim.value.upper(),
        SimpleNamespace(status=claim.value),
        SimpleNamespace(status=claim),
        SimpleNamespace(status=SimpleNamespace(value=claim.value)),
    ):
        assert read_claim(said) is claim


def test_none_means_completed() -> None:
    assert read_claim(None) is Claim.COMPLETED


@pytest.mark.parametrize("said", ["done", 0, False, {}, {"status": "completed"}, SimpleNamespace(status=3)])
def test_anything_else_is_refused_with_what_could_be_said(said: object) -> None:
    with pytest.raises(UsageError, match="which is no claim") as caught:
        read_claim(said)
    assert "completed, compensated, escalated, refused, raised" in caught.value.advice
    assert "claim=" in caught.value.advice


def test_a_translation_comes_before_the_reading() -> None:
    assert read_claim(3, lambda value: {3: "escalated"}[value]) is Claim.ESCALATED
    assert read_claim(None, lambda _: None) is Claim.COMPLETED


def test_a_translation_without_a_word_for_it_is_refused_and_not_taken_for_completed() -> None:
    with pytest.raises(UsageError, match="claim= returned None for 'escalated'") as caught:
        read_claim("escalated", {"cancelled": "compensated"}.get)
    assert "completed, compensated, escalated, refused, raised" in caught.value.advice


def test_an_error_of_the_translation_is_none_of_the_saga() -> None:
    with pytest.raises(UsageError, match=r"claim= raised KeyError \('escalated'\) for 'escalated'"):
        read_claim("escalated", lambda value: {"cancelled": "compensated"}[value])


def test_an_assertion_in_the_translation_stays_one() -> None:
    def strict(value: object) -> str:
        assert value == "cancelled"
        return "compensated"

    with pytest.raises(AssertionError):
        read_claim("escalated", strict)


def test_a_translation_into_another_word_is_told_with_both() -> None:
    with pytest.raises(UsageError, match="claim= made 'undone' of 'cancelled', which is no claim"):
        read_claim("cancelled", {"cancelled": "undone"}.get)


def names(error: BaseException) -> list[str]:
    return [link.text for link in error_links(error)]


def raised(error: BaseException, cause: BaseException | None, *, suppress: bool = False) -> BaseException:
    """The error as it comes out of the handling of `cause`: as its context, or raised from it."""
    if suppress:
        error.__suppress_context__ = True
    error.__context__ = cause
    return error


def test_causes_and_contexts_follow_newest_first() -> None:
    first = ValueError("first")
    second = raised(KeyError("second"), first)
    third = RuntimeError("third")
    third.__cause__ = second
    assert names(third) == ["third", "'second'", "first"]


def test_a_context_that_was_hidden_on_purpose_does_not_count() -> None:
    assert names(raised(RuntimeError("new"), ValueError("old"), suppress=True)) == ["new"]


def test_the_members_of_a_group_belong_to_the_chain() -> None:
    group = ExceptionGroup("unwind", [ValueError("a"), ExceptionGroup("inner", [KeyError("b")])])
    group.__cause__ = OSError("root")
    assert names(group) == ["unwind (2 sub-exceptions)", "a", "inner (1 sub-exception)", "root", "'b'"]


def test_a_chain_that_bites_its_tail_ends() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert names(one) == ["one", "other"]


def test_an_error_that_a_tap_marked_belongs_to_its_call() -> None:
    error = TimeoutError("lost")
    error.sagaproof_call = 3  # type: ignore[attr-defined]
    outer = RuntimeError("gave up")
    outer.__cause__ = error
    assert [link.call for link in error_links(outer)] == [None, 3]


def test_an_error_that_carries_a_marked_response_belongs_to_its_call() -> None:
    error = RuntimeError("503")
    error.response = SimpleNamespace(extensions={"sagaproof_call": 4})  # type: ignore[attr-defined]
    assert [link.call for link in error_links(error)] == [4]


def test_an_exception_that_cannot_be_printed_is_told_all_the_same() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    (link,) = error_links(Mute())
    assert (link.type, link.text) == ("Mute", "(its text raised RuntimeError)")
