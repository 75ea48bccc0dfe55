"""The runtime for production: a saga of tool calls that is undone, finished or handed to a person."""

from __future__ import annotations

from sagaproof.saga.admission import Call
from sagaproof.saga.advice import advice
from sagaproof.saga.aio import AsyncRuntime, AsyncSaga
from sagaproof.saga.case import Case, CaseStep
from sagaproof.saga.classify import Verdict
from sagaproof.saga.decision import Decision, DecisionRefused
from sagaproof.saga.decision_choice import Choice
from sagaproof.saga.decision_state import Decided
from sagaproof.saga.desk import CallableDesk, Desk, LogDesk
from sagaproof.saga.effect import EffectClass
from sagaproof.saga.errors import NotApplied, NothingToUndo, PartialEffect, SagaError, SagaMisuse, ToolMistake
from sagaproof.saga.final import Ending, Status
from sagaproof.saga.journal import Journal, JournalError, Leased, Parked, Superseded, UnreadableJournal
from sagaproof.saga.lease import Lease, LeasedJournal, ParkedSaga
from sagaproof.saga.pivot import PivotView
from sagaproof.saga.record import Record
from sagaproof.saga.result import Outcome, Result
from sagaproof.saga.retry import Retry
from sagaproof.saga.runtime import Runtime
from sagaproof.saga.saga import Saga
from sagaproof.saga.sighting import ABSENT, IN_FLIGHT, Found, Unseen
from sagaproof.saga.sqlite_journal import SqliteJournal
from sagaproof.saga.step import Step
from sagaproof.saga.tool import Tool, tool

__all__ = [
    "ABSENT",
    "IN_FLIGHT",
    "AsyncRuntime",
    "AsyncSaga",
    "Call",
    "CallableDesk",
    "Case",
    "CaseStep",
    "Choice",
    "Decided",
    "Decision",
    "DecisionRefused",
    "Desk",
    "EffectClass",
    "Ending",
    "Found",
    "Journal",
    "JournalError",
    "Lease",
    "Leased",
    "LeasedJournal",
    "LogDesk",
    "NotApplied",
    "NothingToUndo",
    "Outcome",
    "Parked",
    "ParkedSaga",
    "PartialEffect",
    "PivotView",
    "Record",
    "Result",
    "Retry",
    "Runtime",
    "Saga",
    "SagaError",
    "SagaMisuse",
    "SqliteJournal",
    "Status",
    "Step",
    "Superseded",
    "Tool",
    "ToolMistake",
    "UnreadableJournal",
    "Unseen",
    "Verdict",
    "advice",
    "tool",
]
