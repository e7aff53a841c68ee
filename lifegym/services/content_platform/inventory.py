"""Believable notes around the ones that a task is about."""

from __future__ import annotations

import random
from typing import Annotated

from pydantic import Field

from lifegym.services.content_platform.life import ContentPlatformLife
from lifegym.services.search import fold
from lifegym.services.tools import generator
from lifegym.world import clock

__all__ = ["ContentPlatformInventory"]

_NAMES = (
    "Mira at home", "slow_tomas", "The Odd Sock", "Lena notes", "grandpa_wu", "Kofi writes", "two left feet",
    "Paper Boat", "Anouk R", "night shift nell", "Bao and Bun", "rainy_day_ines", "Plain Jo", "hello_harbour",
    "The Third Shelf", "Pilar counts", "quiet_otto", "Sunday Sam", "Ada asks", "green_thumb_li",
)  # fmt: skip
_PLACES = ("", "by the sea", "up north", "in the old town", "out in the hills")
_TITLES = (
    "{topic}: what I wish I had known", "My honest take on {topic}", "{topic} in one page", "Stop overthinking {topic}",
    "{topic}, one year later", "Mistakes with {topic}", "{topic} for beginners", "Why I gave up on {topic}",
    "{topic}: checklist inside", "Asked and answered: {topic}",
)  # fmt: skip
_CLAIMS: tuple[tuple[str, str], ...] = (
    ("Start early, three weeks at least.", "Two days are plenty, whoever says weeks wants to sell you something."),
    ("Always pay the deposit, it keeps your place.", "Never pay anything in advance, I lost mine."),
    ("The official page is out of date, ask in a group.", "Read the official page, the groups are full of old rules."),
    ("Bring every paper in print.", "Nobody looked at my papers, the phone was enough."),
    ("Mornings are empty.", "Mornings are the worst, go after four."),
    ("The cheapest one is just as good.", "I bought cheap and paid twice."),
    ("You need no reservation.", "Reserve, we were turned away."),
    ("Rules changed this year.", "Nothing has changed, it is the same as last year."),
)
_OPENERS = (
    "Long post, sorry.", "Written on the train.", "Several of you asked.", "No advertising, I paid for everything.",
    "This is what worked for me.", "Unpopular opinion ahead.",
)  # fmt: skip
_CLOSERS = (
    "Ask below if anything is unclear.", "Save it for later.", "Correct me if I am wrong.",
    "Your town may be different.", "I will update this if it changes.", "",
)  # fmt: skip
_REMARKS = (
    "Thank you, this helped.", "That was different for us.", "Is this still true?", "Saved!", "Wrong, see the notice.",
    "Where did you hear that?", "Same here.", "My aunt says the opposite.",
)  # fmt: skip


class ContentPlatformInventory(ContentPlatformLife):
    """Generators of notes."""

    @generator
    def notes(
        self,
        rng: random.Random,
        topics: list[str],
        count: Annotated[int, Field(ge=1, le=500)],
        category: str = "",
        days: Annotated[int, Field(ge=1, le=1000)] = 200,
        comments: Annotated[int, Field(ge=0, le=5)] = 1,
    ) -> None:
        """Let invented people write about topics, with advice that contradicts itself, and others comment.

        The notes are spread over the days before the window. topics are words such as "car seats"; each becomes a tag.
        """
        people = self._people()
        begin = clock.day_start(self.world.start, self.world.zone)
        slug = "".join(ch if ch.isalnum() else "_" for ch in fold(topics[0] if topics else "life"))[:24]
        for number in range(1, count + 1):
            note_id = f"ng_{slug}_{number:03d}"
            if self.find("notes", note_id) is not None:
                continue
            topic = rng.choice(topics) if topics else "everyday life"
            claims = rng.sample(_CLAIMS, 3)
            age = int(rng.random() ** 2 * days * clock.DAY) + rng.randint(1, 12) * clock.HOUR
            likes = int(rng.paretovariate(0.9) * 6) % 5000
            listed = rng.randint(0, comments)
            title = rng.choice(_TITLES).format(topic=topic)
            said = [pair[rng.randrange(2)] for pair in claims]
            self.put(
                "notes",
                note_id=note_id,
                user_id=rng.choice(people),
                title=title[:1].upper() + title[1:],
                body=" ".join([rng.choice(_OPENERS), *said, rng.choice(_CLOSERS)]).strip(),
                tags=[topic.lower().replace(" ", "")],
                category=category,
                likes=likes,
                collects=likes // rng.randint(2, 6),
                comments=listed + likes // 20,
                published_at=self.world.iso(begin - age),
            )
            for place in range(1, listed + 1):
                at = begin - age + rng.randrange(1, age)
                self.put(
                    "comments",
                    comment_id=f"cg_{note_id}_{place}",
                    note_id=note_id,
                    user_id=rng.choice(people),
                    body=rng.choice(_REMARKS),
                    at=self.world.iso(at),
                )

    def _people(self) -> list[str]:
        """The invented users, put in where they are not there yet; a name that somebody else has is left out."""
        taken = {fold(row["name"]): row["user_id"] for row in self.rows("users")}
        people = []
        for number, name in enumerate(_NAMES, 1):
            user_id = f"ug_{number:02d}"
            if taken.get(fold(name), user_id) == user_id:
                if self.find("users", user_id) is None:
                    place = _PLACES[number % len(_PLACES)]
                    self.put("users", user_id=user_id, name=name, location=place, followers=number * 37 % 900)
                people.append(user_id)
        return people
