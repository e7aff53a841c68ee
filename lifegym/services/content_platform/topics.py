"""Topics: what notes are tagged with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from lifegym.services.content_platform.reading import LISTED, ContentReading, Sort, page
from lifegym.services.search import fold, rank, resolve
from lifegym.services.tools import ToolError, tool

__all__ = ["ContentTopics"]


class ContentTopics(ContentReading):
    """The tools that look at topics."""

    @tool(write=False)
    def search_topics(self, keyword: str) -> dict[str, Any]:
        """Find topics (tags) by name or description, the one with the most notes first among equals.

        Args:
            keyword: Words, e.g. "tiling"; "" for the topics with the most notes.

        Returns:
            topics (at most 20): topic, description, notes (how many); total.
        """
        counts = self._topic_counts()
        names = sorted(counts, key=lambda name: (-counts[name], name))
        found = rank(keyword, names, self._topic_texts)
        shown = [
            {"topic": name, "description": self._topic_field(name, "description"), "notes": counts[name]}
            for name in found[:LISTED]
        ]
        return {"topics": shown, "total": len(found)}

    @tool(write=False)
    def get_topic_feed(self, topic: str, limit: int | None = None, sort: Sort = "new") -> dict[str, Any]:
        """List the notes of a topic, newest first.

        Args:
            topic: From search_topics, with or without #.
            limit: How many at most, 1 to 50; 20 if left out.
            sort: new, hot or likes.

        Returns:
            topic (as it is written here), notes (as search_notes shows them), total.

        Errors:
            not_found: There is no topic like it.
            bad_limit: limit is not between 1 and 50.
        """
        name = self._topic(topic)
        wanted = _bare(name)
        found = [row for row in self._visible() if wanted in map(_bare, row["tags"])]
        shown = [self._brief(row) for row in page(self._in_order(found, sort), limit)]
        return {"topic": name, "notes": shown, "total": len(found)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _topic_counts(self) -> dict[str, int]:
        """Each topic to the number of its notes; ways of writing the same are one topic."""
        counts = {row["topic"]: 0 for row in self.rows("topics")}
        written = {_bare(name): name for name in counts}
        for note in self._visible():
            for tag in dict.fromkeys(_bare(tag) for tag in note["tags"]):
                name = written.setdefault(tag, tag)
                counts[name] = counts.get(name, 0) + 1
        return counts

    def _topic_texts(self, name: str) -> Sequence[tuple[str, float]]:
        aliases = self._topic_field(name, "aliases")
        return ((name, 3.0), *((alias, 3.0) for alias in aliases), (self._topic_field(name, "description"), 1.0))

    def _topic_field(self, name: str, field: str) -> Any:
        topic = self.find("topics", name)
        return topic[field] if topic is not None else ""

    def _topic(self, topic: str) -> str:
        """The topic that is meant.

        Raises:
            ToolError: ``not_found``.
        """
        wanted = _bare(topic)
        for row in self.rows("topics"):
            if wanted in map(_bare, (row["topic"], *row["aliases"])):
                return str(row["topic"])
        if any(wanted in map(_bare, row["tags"]) for row in self._visible()):
            return wanted
        near = resolve(topic.lstrip("#"), self._topic_counts())
        if near is None:
            raise ToolError("not_found", f"there is no topic {topic[:60]!r}; search_topics finds topics")
        return near


@lru_cache(maxsize=8192)
def _bare(topic: str) -> str:
    """A topic without what people write differently: ``#Car Seats`` is ``carseats``."""
    return fold(topic).replace("#", "").replace(" ", "")
