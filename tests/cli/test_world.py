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


def test_variants(cli, bundle, tmp_path):
    cli("world", bundle, "--variant", "train", "--seed", "3", "--out", tmp_path / "pages")
    assert "(train 3)" in (tmp_path / "pages" / "index.html").read_text()


def test_what_cannot_be_done_is_told(cli, bundle, tmp_path):
    assert "'S9' is no moment of this task" in cli("world", bundle, "--at", "S9", code=2).stderr
    assert "there is no agent 'nobody'" in cli("world", bundle, "--at", "S1", "--agent", "nobody", code=2).stderr
    (tmp_path / "file").write_text("")
    assert "name another folder" in cli("world", bundle, "--out", tmp_path / "file" / "x", code=2).stderr
