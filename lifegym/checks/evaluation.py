"""Deciding a check at one moment."""

from __future__ import annotations

from typing import Any

from lifegym.checks.check import Check, Let, Verdict
from lifegym.checks.evidence import Evidence
from lifegym.checks.expressions import Expression, ExpressionError, Macro, Missing, plain
from lifegym.checks.kept import same, standing

__all__ = ["decide", "explain", "trips"]


def decide(check: Check, evidence: Evidence) -> Verdict:
    """Whether a check holds at a moment (violations in the past aside).

    Missing evidence fails it, whatever the clause's polarity. Anything else that goes wrong is a fault of the task.
    """
    if check.each is None:
        return _decided(check, evidence)
    stands = standing(check.reads, evidence)
    before, verdict = evidence.kept.verdicts.get(check.id, (None, None))
    if verdict is not None and same(before, stands):
        return Verdict(verdict.passed, verdict.reason, evidence.world.now)
    verdict = _decided(check, evidence)
    if stands is not None and not verdict.fault:
        evidence.kept.verdicts[check.id] = (stands, verdict)
    return verdict


def _decided(check: Check, evidence: Evidence) -> Verdict:
    now = evidence.world.now
    kind, clause = "", ""
    try:
        scope = evidence.names.scope()
        for let in check.let:
            kind, clause = "let ", let.name
            _bind(let, scope, evidence)
        for kind, expressions in (("gate: ", check.gate), ("all: ", check.all), ("never: ", check.never)):
            for expression in expressions:
                clause = expression.source
                if bool(expression.evaluate(scope)) is (kind == "never: "):
                    return Verdict(False, kind + clause, now)
    except Missing as error:
        return Verdict(False, f"{kind}{clause}: {error}", now)
    except ExpressionError as error:
        return Verdict(False, kind + clause, now, fault=f"{check.id}: {kind}{clause}: {error}")
    except Exception as error:
        return Verdict(False, kind + clause, now, fault=f"{check.id}: {kind}{clause}: {type(error).__name__}: {error}")
    return Verdict(True, "", now)


def _bind(let: Let, scope: dict[str, Any], evidence: Evidence) -> None:
    if let.shared:
        evidence.names.bind(let)
    elif let.parameters:
        scope[let.name] = Macro(let.parameters, let.expression, scope)
    else:
        scope[let.name] = let.expression.evaluate(scope)


def trips(check: Check, evidence: Evidence) -> str:
    """The never-clause that is violated at a moment, or "". Evidence that is not there yet violates nothing."""
    stands = standing(check.reads, evidence)
    if same(evidence.kept.clean.get(check.id), stands):
        return ""
    clause = _tripped(check, evidence)
    if not clause and stands is not None:
        evidence.kept.clean[check.id] = stands
    return clause


def _tripped(check: Check, evidence: Evidence) -> str:
    scope = evidence.names.scope()
    for let in check.let:
        try:
            _bind(let, scope, evidence)
        except (Missing, ExpressionError):
            continue
    for expression in check.never:
        try:
            if expression.evaluate(scope):
                return expression.source
        except (Missing, ExpressionError):
            continue
    return ""


def explain(check: Check, evidence: Evidence) -> list[dict[str, Any]]:
    """What each clause read, expected and found at a moment: ``clause``, ``kind``, ``value``, and its ``sides``."""
    scope = evidence.names.scope()
    rows = []
    for let in check.let:
        if let.parameters:
            _bind(let, scope, evidence)
        else:
            rows.append(_explained("let", let.expression, scope, let, evidence))
    for kind in ("gate", "all", "never"):
        rows.extend(_explained(kind, expression, scope) for expression in getattr(check, kind))
    return rows


def _explained(
    kind: str, expression: Expression, scope: dict[str, Any], let: Let | None = None, evidence: Evidence | None = None
) -> dict[str, Any]:
    clause = f"{let.name} = {expression.source}" if let else expression.source
    row: dict[str, Any] = {"kind": kind, "clause": clause}
    try:
        if let and evidence:
            _bind(let, scope, evidence)
            row["value"] = _shown(scope[let.name])
        else:
            row["value"] = _shown(expression.evaluate(scope))
    except (Missing, ExpressionError) as error:
        row["missing"] = str(error)
    sides = {}
    for part in [] if kind == "let" else expression.parts():
        try:
            sides[part.source] = _shown(part.evaluate(scope))
        except (Missing, ExpressionError) as error:
            sides[part.source] = f"({error})"
    if sides:
        row["sides"] = sides
    return row


_SHOWN = 600
"""Characters of a value that are shown of one that is longer."""


def _shown(value: Any) -> Any:
    if isinstance(value, (list, tuple)):  # often thousands of records, of which the first few fill what is shown
        text = "["
        for item in value:
            text += repr(plain(item))
            if len(text) > _SHOWN:
                return text[:_SHOWN]
            text += ", "
    value = plain(value)
    text = repr(value)
    known = isinstance(value, (str, int, float, bool, list, dict, type(None)))
    return value if known and len(text) <= _SHOWN else text[:_SHOWN]
