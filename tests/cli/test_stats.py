"""``stats``: the suite beside the paper."""

from __future__ import annotations

import json

from lifegym.task_suite import task_ids


def test_the_whole_suite(cli):
    found = json.loads(cli("stats", "--json").stdout)
    assert [row["task"] for row in found["tasks"]] == task_ids()
    assert found["suite"]["tasks"] == {"here": len(task_ids()), "paper": 200}
    assert set(found["suite"]["events"]) == {"here", "paper"}


def test_one_task_as_tables(cli, bundle):
    rows = [line.split() for line in cli("stats", bundle).stdout.splitlines()]
    assert ["days", "6", "29"] in rows
    assert ["mutation", "share", "25.0", "%", "19.9", "%"] in rows
    assert ["banking", "1", "100.0", "%"] in rows
    assert any(row[:10] == ["testing", "small-debts", "6", "3", "1", "4", "6", "3", "2", "1"] for row in rows)


def test_an_unknown_task_is_refused(cli):
    assert "there is no task" in cli("stats", "japan-tripp", code=2).stderr
