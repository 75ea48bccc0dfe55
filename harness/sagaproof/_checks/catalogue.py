"""The one place that lists the checks, in the order in which reports name them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sagaproof._checks.ambiguous_pivot_is_pivot import AmbiguousPivotIsPivot
from sagaproof._checks.applied_once import AppliedOnce
from sagaproof._checks.books_balance import BooksBalance
from sagaproof._checks.campaign_check import Check
from sagaproof._checks.cancellation_safe import CancellationSafe
from sagaproof._checks.compensated_is_clean import CompensatedIsClean
from sagaproof._checks.completed_is_complete import CompletedIsComplete
from sagaproof._checks.corrupt_journal_is_loud import CorruptJournalIsLoud
from sagaproof._checks.desk_failure_survives import DeskFailureSurvives
from sagaproof._checks.empty_undo_succeeds import EmptyUndoSucceeds
from sagaproof._checks.errors_classified import ErrorsClassified
from sagaproof._checks.forward_after_pivot import ForwardAfterPivot
from sagaproof._checks.full_picture import FullPicture
from sagaproof._checks.late_effect_fenced import LateEffectFenced
from sagaproof._checks.no_clobber import NoClobber
from sagaproof._checks.no_forward_in_unwind import NoForwardInUnwind
from sagaproof._checks.no_silent_residue import NoSilentResidue
from sagaproof._checks.no_silent_undo_failure import NoSilentUndoFailure
from sagaproof._checks.no_undo_skipped import NoUndoSkipped
from sagaproof._checks.no_unwind_past_pivot import NoUnwindPastPivot
from sagaproof._checks.nothing_forgotten import NothingForgotten
from sagaproof._checks.one_irreversible_per_step import OneIrreversiblePerStep
from sagaproof._checks.one_key_per_intent import OneKeyPerIntent
from sagaproof._checks.one_runner import OneRunner
from sagaproof._checks.original_error_kept import OriginalErrorKept
from sagaproof._checks.own_effects_only import OwnEffectsOnly
from sagaproof._checks.recovery_idempotent import RecoveryIdempotent
from sagaproof._checks.rejected_pivot_unwinds import RejectedPivotUnwinds
from sagaproof._checks.rest_is_rest import RestIsRest
from sagaproof._checks.retry_budgets import RetryBudgets
from sagaproof._checks.reverse_order import ReverseOrder
from sagaproof._checks.same_as_twin import SameAsTwin
from sagaproof._checks.terminates import Terminates
from sagaproof._checks.truthful_claim import TruthfulClaim
from sagaproof._checks.truthful_to_agent import TruthfulToAgent
from sagaproof._checks.undo_commutes import UndoCommutes
from sagaproof._checks.undo_tries_as_hard import UndoTriesAsHard
from sagaproof._checks.undo_twice_is_once import UndoTwiceIsOnce
from sagaproof._checks.undone_once import UndoneOnce
from sagaproof._checks.user_assertion import UserAssertion
from sagaproof._checks.user_invariant import UserInvariant
from sagaproof._checks.written_ahead import WrittenAhead

__all__ = ["ALL", "checks"]


def checks(
    *,
    invariants: int = 0,
    independent: Iterable[tuple[str, str]] = (),
    attempts: Mapping[str, int] | None = None,
) -> tuple[Check, ...]:
    """Every check, for a campaign with that many user invariants.

    `independent` are pairs of glob patterns on full operation names whose undos may come in either order.
    `attempts` says, by such patterns, how often a call is to be tried in all.
    """
    return (
        Terminates(),
        CompletedIsComplete(),
        CompensatedIsClean(),
        NoSilentResidue(),
        NoSilentUndoFailure(),
        TruthfulClaim(),
        TruthfulToAgent(),
        RestIsRest(),
        SameAsTwin(),
        AppliedOnce(),
        UndoneOnce(),
        UndoTwiceIsOnce(),
        EmptyUndoSucceeds(),
        LateEffectFenced(),
        UndoCommutes(),
        NoClobber(),
        OwnEffectsOnly(),
        BooksBalance(),
        ReverseOrder(independent),
        NoUndoSkipped(),
        NoForwardInUnwind(),
        NoUnwindPastPivot(),
        AmbiguousPivotIsPivot(),
        RejectedPivotUnwinds(),
        ForwardAfterPivot(),
        OneIrreversiblePerStep(),
        OneKeyPerIntent(),
        OriginalErrorKept(),
        FullPicture(),
        DeskFailureSurvives(),
        CancellationSafe(),
        WrittenAhead(),
        RecoveryIdempotent(),
        OneRunner(),
        NothingForgotten(),
        CorruptJournalIsLoud(),
        ErrorsClassified(),
        RetryBudgets(attempts),
        UndoTriesAsHard(),
        UserInvariant(invariants),
        UserAssertion(),
    )


ALL: tuple[Check, ...] = checks()
