"""The walk through a tool's code finds the codes that it can raise, and only those."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NoReturn

import pytest

from lifegym.services import Service, ToolError, ToolSpec, paged
from lifegym.services.base import limited
from lifegym.world import Workspace, WorkspaceError

from .error_codes import raised_codes, uncaught_errors

WORDS = {"a": "code_a", "b": "code_b"}
CONSTANT = "constant_code"


def refuse(code: str = "default_code") -> NoReturn:
    raise ToolError(code, "no")


def quiet(number: int) -> int:
    return number


class Ledger:
    """An object that a service works with."""

    def __init__(self, strict: bool) -> None:
        if strict:
            raise ToolError("made_badly", "no")

    def book(self) -> None:
        raise ToolError("not_booked", "no")


class Base(Service):
    name = "walked"

    def check(self) -> None:
        raise ToolError("base_check", "no")

    @property
    def open(self) -> bool:
        raise ToolError("closed", "no")


class Walked(Base):
    """One method for each way to raise."""

    def check(self) -> None:
        super().check()
        raise ToolError("own_check", "no")

    def _deep(self, left: int) -> int:
        if left == 0:
            raise ToolError("bottom", "no")
        return self._deep(left - 1)

    def _pass_on(self, code: str, text: str = "") -> None:
        if text:
            refuse(code)

    def _why(self, x: int) -> tuple[str, str] | None:
        if x > 1:
            return "too_many", "many"
        return ("too_few", "few") if x < 0 else None

    def _obstacle(self, x: int) -> ToolError | None:
        return ToolError("obstacle", "no") if x else None

    def _ledger(self) -> Ledger:
        return Ledger(False)

    # -- each one a tool

    def nothing(self) -> None:
        quiet(1)

    def helpers(self) -> Any:
        self.get("rows", "x", "row")
        self.instant("x", "since")
        return self.day("x", "on")

    def pages(self) -> Any:
        return paged([], 1, 1), limited([], 1)

    def pays(self) -> str:
        return self.pay("card", 1, "EUR", "x", "y")

    def inherited(self) -> None:
        self.check()

    def from_property(self) -> bool:
        return self.open

    def recursion(self) -> int:
        return self._deep(3)

    def passed_on(self) -> None:
        self._pass_on("given", "x")
        self._pass_on(code="named")
        refuse()

    def chosen(self, x: int) -> None:
        raise ToolError("one" if x else "two", "no")

    def looked_up(self, x: str) -> None:
        code = WORDS.get(x, "neither")
        raise ToolError(code, "no")

    def subscript(self, x: str) -> None:
        raise ToolError(WORDS[x], "no")

    def constant(self) -> None:
        raise ToolError(CONSTANT, "no")

    def looped(self) -> None:
        for code, wrong in (("first", True), ("second", False)):
            if wrong:
                raise ToolError(code, "no")

    def unpacked(self) -> None:
        refusal = self._why(3)
        if refusal:
            raise ToolError(*refusal)

    def made_elsewhere(self) -> None:
        obstacle = self._obstacle(1)
        if obstacle:
            raise obstacle

    def only_looked_at(self) -> str:
        obstacle = self._obstacle(1)
        return obstacle.code if obstacle else ""

    def caught(self) -> None:
        try:
            self.check()
        except ToolError:
            raise ToolError("instead", "no") from None

    def caught_and_raised_again(self, x: int) -> None:
        try:
            self.check()
        except ToolError:
            if x:
                raise

    def caught_by_another(self) -> None:
        try:
            self.check()
        except (ValueError, KeyError):
            pass
        else:
            refuse("in_else")
        finally:
            quiet(1)

    def suppressed(self) -> None:
        with suppress(ToolError):
            self.check()

    def in_a_lambda(self) -> Any:
        return sorted([1], key=lambda x: refuse("in_lambda"))

    def handed_on(self) -> Any:
        return [*map(self._deep, [1])]

    def objects(self) -> None:
        ledger = self._ledger()
        ledger.book()

    def translated(self, path: str) -> str:
        try:
            return Workspace.normalise(path)
        except WorkspaceError as error:
            self._translate(error)

    def untranslated(self, path: str) -> str:
        return Workspace.normalise(path)

    def unknown(self, code: str) -> None:
        raise ToolError(code + "x", "no")

    @staticmethod
    def _translate(error: WorkspaceError) -> NoReturn:
        raise ToolError(error.code, str(error))


PAYMENT = {"unknown_payment_method", "insufficient_funds", "account_closed", "currency_mismatch"}


@pytest.mark.parametrize(
    ("method", "codes"),
    [
        (Walked.nothing, set()),
        (Walked.helpers, {"not_found", "bad_time", "bad_date"}),
        (Walked.pages, {"bad_page", "bad_limit"}),
        (Walked.pays, PAYMENT),
        (Walked.inherited, {"own_check", "base_check"}),
        (Walked.from_property, {"closed"}),
        (Walked.recursion, {"bottom"}),
        (Walked.passed_on, {"given", "named", "default_code"}),
        (Walked.chosen, {"one", "two"}),
        (Walked.looked_up, {"code_a", "code_b", "neither"}),
        (Walked.subscript, {"code_a", "code_b"}),
        (Walked.constant, {"constant_code"}),
        (Walked.looped, {"first", "second"}),
        (Walked.unpacked, {"too_many", "too_few"}),
        (Walked.made_elsewhere, {"obstacle"}),
        (Walked.only_looked_at, set()),
        (Walked.caught, {"instead"}),
        (Walked.caught_and_raised_again, {"own_check", "base_check"}),
        (Walked.caught_by_another, {"own_check", "base_check", "in_else"}),
        (Walked.suppressed, set()),
        (Walked.in_a_lambda, {"in_lambda"}),
        (Walked.handed_on, {"bottom"}),
        (Walked.objects, {"made_badly", "not_booked"}),
        (Walked.translated, {"bad_path"}),
        (Walked.untranslated, set()),
        (Walked.unknown, {"?"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_codes_that_a_method_can_raise(method: Any, codes: set[str]) -> None:
    assert raised_codes(Walked, ToolSpec("walked", method.__name__, method, write=True)) == codes


def test_errors_of_another_kind_must_be_caught() -> None:
    loose = ToolSpec("walked", "untranslated", Walked.untranslated, write=True)
    assert uncaught_errors(Walked, loose) == ["WorkspaceError('bad_path')"]
    caught = ToolSpec("walked", "translated", Walked.translated, write=True)
    assert uncaught_errors(Walked, caught) == []
