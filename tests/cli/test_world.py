"""``world``: pages of a task's world on disk."""

from __future__ import annotations


def test_pages_are_written_and_named(cli, bundle, tmp_path):
    done = cli("world", bundle, "--at", "S2", "--out", tmp_path / "pages")
    assert f"3 pages, 2026-03-05 11:59: {tmp_path / 'pages' / 'index.html'}" in done.stdout
    bank = (tmp_path / "pages" / "banking.html").read_text()
    assert "Bo Berg" in bank
    assert "played by reference" in bank


def test_the_beginning_needs_no_agent_and_a_folder_of_its_own_is_the_default(cli, bundle, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "worlds/small-debts-start/index.html" in cli("world", bundle).stdout
    assert "played by" not in (tmp_path / "worlds/small-debts-start/index.html").read_text()


def test_variants(cli, bundle, tmp_path, monkeypatch):
    cli("world", bundle, "--variant", "train", "--seed", "3", "--out", tmp_path / "pages")
    assert "(train 3)" in (tmp_path / "pages" / "index.html").read_text()
    monkeypatch.chdir(tmp_path)
    assert (
        "worlds/small-debts-train-3-start/index.html"
        in cli("world", bundle, "--variant", "train", "--seed", "3").stdout
    )


def test_what_cannot_be_done_is_told(cli, bundle, tmp_path):
    assert "'S9' is no moment of this task" in cli("world", bundle, "--at", "S9", code=2).stderr
    assert "there is no agent 'nobody'" in cli("world", bundle, "--at", "S1", "--agent", "nobody", code=2).stderr
    (tmp_path / "file").write_text("")
    assert "name another folder" in cli("world", bundle, "--out", tmp_path / "file" / "x", code=2).stderr


def test_a_recorded_episode_is_shown_as_it_went(cli, bundle, tmp_path):
    cli(
        "evaluate",
        "--agent",
        "reference",
        "--tasks",
        bundle,
        "--runs",
        "1",
        "--workers",
        "0",
        "--out",
        tmp_path / "run",
    )
    file = tmp_path / "run" / "trajectories" / "small-debts" / "canonical-0-0.json.gz"
    cli("world", bundle, "--trajectory", file, "--at", "end", "--out", tmp_path / "recorded")
    cli("world", bundle, "--at", "end", "--out", tmp_path / "played")
    for page in ("index", "banking", "workspace"):
        same = [(tmp_path / folder / f"{page}.html").read_text() for folder in ("recorded", "played")]
        assert same[0] == same[1]
    said = cli("world", bundle, "--trajectory", tmp_path / "recorded/index.html", code=2).stderr
    assert "is no trajectory" in said
    assert "RUN/trajectories/" in said
    assert "cannot be read" in cli("world", bundle, "--trajectory", tmp_path / "none", code=2).stderr
    assert "not of japan-trip" in cli("world", "japan-trip", "--trajectory", file, code=2).stderr
