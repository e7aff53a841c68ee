"""What a verification found: per gate its figures, and for each failure what shows it and what to change."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Finding", "GateReport", "TaskReport"]


@dataclass(frozen=True)
class Finding:
    """One reason why a gate is not passed.

    Attributes:
        message: What is wrong.
        subject: The check, step, event or file that it is about.
        stage: Its stage, or "".
        run: The run that shows it, such as ``train seed 3, drop U3/book``.
        advice: What to change.
    """

    message: str
    subject: str = ""
    stage: str = ""
    run: str = ""
    advice: str = ""

    def __str__(self) -> str:
        where = " ".join(part for part in (self.subject, f"({self.stage})" if self.stage else "") if part)
        parts = [f"{where}: {self.message}" if where else self.message]
        if self.run:
            parts.append(f"shown by: {self.run}")
        if self.advice:
            parts.append(f"to do: {self.advice}")
        return "; ".join(parts)


@dataclass
class GateReport:
    """The outcome of one gate.

    Attributes:
        gate: Its name.
        figures: What was measured.
        findings: Why it is not passed; empty where it is.
        notes: What an author should know though it does not fail.
    """

    gate: str
    figures: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def fail(self, message: str, **details: str) -> None:
        """Record a finding."""
        self.findings.append(Finding(message, **details))


@dataclass
class TaskReport:
    """All gates of one task.

    Attributes:
        task: Task id.
        gates: In the order in which they ran.
        seconds: How long it took.
    """

    task: str
    gates: list[GateReport] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether every gate is passed."""
        return all(gate.passed for gate in self.gates)

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "task": self.task,
            "passed": self.passed,
            "seconds": round(self.seconds, 2),
            "gates": [{**asdict(gate), "passed": gate.passed} for gate in self.gates],
        }
