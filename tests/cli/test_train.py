"""``train``: a checkpoint, a curve, and an agent that plays what was learnt."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET

import pytest

from lifegym.baselines.reinforce import ReinforceAgent


def test_a_checkpoint_and_a_curve_that_a_second_start_goes_on_from(cli, bundle, tmp_path):
    out = tmp_path / "learnt"
    words = ("train", "--tasks", bundle, "--out", out, "--episodes", 1, "--measure-every", 30)
    said = cli(*words, "--states", 40, "--json")
    curve = json.loads(said.stdout)
    assert curve == json.loads((out / "curve.json").read_text())
    assert [curve["points"][0]["states"], curve["points"][-1]["states"]] == [0, 40]
    ET.parse(out / "curve.svg")
    further = json.loads(cli(*words, "--states", 60, "--json").stdout)
    assert further["points"][: len(curve["points"])] == curve["points"]
    assert further["points"][-1]["states"] == 60
    said = cli(*words, "--states", 60)
    assert "points on test variants after 60 states" in said.stdout
    said = cli(
        "evaluate", "--agent", "reinforce", "--set", f"checkpoint={out / 'policy.npz'}", "--tasks", bundle,
        "--variant", "test", "--runs", 1, "--workers", 0, "--json",
    )  # fmt: skip
    assert json.loads(said.stdout)["episodes"]["scored"] == 1


def test_quiet_prints_nothing(cli, bundle, tmp_path):
    assert cli("train", "--tasks", bundle, "--out", tmp_path, "--states", 3, "--episodes", 1, "--quiet").output == ""


def test_what_cannot_be_done(cli, bundle, tmp_path):
    cli("train", "--tasks", bundle, "--out", tmp_path, "--states", 3, "--episodes", 1, "--quiet")
    said = cli("train", "--tasks", bundle, "--out", tmp_path, "--seed", 5, code=2)
    assert "use another folder" in said.output
    said = cli("train", "--out", tmp_path / "x", "--reward", "y", code=2)
    assert "use one of: dense, stage, sparse" in said.output
    assert "there is no task" in cli("train", "--out", tmp_path / "x", "--tasks", "nothing", code=2).output
    said = cli(
        "evaluate", "--agent", "reinforce", "--set", "checkpoint=none.npz", "--tasks", bundle, "--workers", 0, code=2
    )
    assert "none.npz" in said.output
    assert "lifegym train --out" in said.output


@pytest.mark.parametrize("text", [b"junk", b"", b"PK\x03\x04torn"])
def test_a_damaged_checkpoint_is_told(cli, bundle, tmp_path, text):
    (tmp_path / "policy.npz").write_bytes(text)
    said = cli("train", "--tasks", bundle, "--out", tmp_path, "--states", 3, code=2)
    assert "policy.npz is no checkpoint of this version; remove it" in said.stderr
    with pytest.raises(
        ValueError, match=r"policy\.npz is no checkpoint; give policy\.npz of a folder that lifegym train"
    ):
        ReinforceAgent(checkpoint=str(tmp_path / "policy.npz"))


def test_a_damaged_curve_is_told(cli, bundle, tmp_path):
    (tmp_path / "curve.json").write_text("{")
    said = cli("train", "--tasks", bundle, "--out", tmp_path, "--states", 3, code=2)
    assert "curve.json is damaged; remove it" in said.stderr


def test_a_folder_that_cannot_be_written_is_told(cli, bundle, tmp_path):
    (tmp_path / "file").write_text("")
    for out in ("file", "file/below"):
        said = cli("train", "--tasks", bundle, "--out", tmp_path / out, "--states", 3, code=2)
        assert "cannot be written" in said.stderr
        assert "name another folder with --out" in said.stderr


def test_an_interruption_says_what_was_kept(cli, bundle, tmp_path, monkeypatch):
    words = ("train", "--tasks", bundle, "--out", tmp_path, "--states", 3, "--episodes", 1)

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(sys.modules["lifegym.cli.train"], "_train", interrupted)
        assert "nothing was kept" in cli(*words, code=130).stderr
    cli(*words)
    monkeypatch.setattr(sys.modules["lifegym.cli.train"], "_train", interrupted)
    assert f"goes on from {tmp_path / 'policy.npz'}" in cli(*words, code=130).stderr
