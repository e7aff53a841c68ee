"""``list``, ``tools``, ``services`` and ``agents``."""

from __future__ import annotations

import json

import pytest

from lifegym.baselines import agent_names
from lifegym.services import catalogue


def test_list_as_json(cli, shipped):
    assert json.loads(cli("list", "--json").stdout) == [
        {
            "task": "small-debts",
            "title": "Two small debts",
            "domain": "testing",
            "start": "2026-03-02",
            "days": 6,
            "zone": "Europe/Berlin",
            "services": ["banking"],
            "stages": 3,
            "events": 4,
            "checks": 6,
        }
    ]


def test_list_as_a_table(cli, shipped):
    text = cli("list").stdout
    row = next(line for line in text.splitlines() if "small-debts" in line)
    assert row.split() == ["small-debts", "Two", "small", "debts", "2026-03-02,", "6", "days", "1", "3", "4", "6"]
    assert "testing" in text
    assert "1 task." in text


def test_list_says_which_task_is_broken_and_lists_the_others(cli, shipped):
    (shipped / "checks.yaml").write_text("checks: [}\n")
    result = cli("list", code=2)
    assert "small_debts/checks.yaml:1: not YAML" in result.stderr
    assert "0 tasks." in result.stdout


@pytest.mark.parametrize("form", ["openai", "anthropic", "mcp", "json-schema"])
def test_tools_are_the_catalogue_s(cli, bundle, form):
    assert json.loads(cli("tools", bundle, "--format", form).stdout) == catalogue.render_tools(("banking",), form)


def test_tools_default_to_openai(cli, bundle):
    assert json.loads(cli("tools", bundle).stdout)[0]["type"] == "function"


def test_tools_in_an_unknown_form(cli, bundle):
    assert "unknown format 'yaml'; use openai, anthropic" in cli("tools", bundle, "--format", "yaml", code=2).stderr


def test_services_lists_all_with_their_numbers_of_tools(cli):
    lines = [line.split() for line in cli("services").stdout.splitlines() if line.strip()]
    rows = {words[0]: words for words in lines}
    for name in [*catalogue.SERVICES, *catalogue.ALWAYS]:
        specs = catalogue.tools_of(name).values()
        assert rows[name][-2:] == [str(len(specs)), str(sum(spec.write for spec in specs))]


def test_services_shows_the_tools_of_one(cli):
    text = cli("services", "banking").stdout
    for spec in catalogue.tools_of("banking").values():
        assert spec.name in text
        for name in spec.schema["properties"]:
            assert name in text
    assert "banking.pay_payee  writes" in text
    assert "whole number more than 0 at most" in text
    assert "Errors: " in text


def test_an_unknown_service_gets_the_nearest(cli):
    assert "there is no service 'bankin'; do you mean banking" in cli("services", "bankin", code=2).stderr
    assert "; there are: banking, " in cli("services", "qqq", code=2).stderr


def test_agents_lists_all(cli):
    text = cli("agents").stdout
    for name in agent_names():
        assert name in text
    assert "Ends every turn in silence." in text


def test_an_agent_of_an_installed_package_is_listed(cli, monkeypatch):
    monkeypatch.setattr("lifegym.baselines.agent._FACTORIES", {"mine": object})
    assert "mine" in cli("agents").stdout
