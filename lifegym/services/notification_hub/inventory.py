"""Believable noise: promotions in the hub and in the feeds of accounts."""

from __future__ import annotations

import datetime as dt
import random

from lifegym.services.notification_hub.life import NotificationHubLife
from lifegym.services.tools import generator
from lifegym.world import clock

__all__ = ["NotificationHubInventory"]

_OFFERS = (
    ("Lantern Noodles", "Two bowls for one", "Only today from five o'clock, in all branches."),
    ("Greenleaf Market", "Strawberries are in", "A bowl for half the price while stocks last."),
    ("Pulse Gym", "We miss you", "Your first week back costs nothing."),
    ("Wanderlight Travel", "Seven lakes, one ticket", "Weekend fares until the end of the month."),
    ("Harbour Books", "Signed copies", "The author reads on Friday at seven."),
    ("Brightwire", "Twice as fast", "Ask for the new line; the price stays for half a year."),
    ("Metro Transit", "Lift out of order", "The lift at the north exit is being repaired this week."),
    ("Photo Cloud", "A year ago today", "You have three new memories."),
)
_NOTICES = (
    ("Opening hours on the holiday", "The counter is closed on the holiday. The answering service takes messages."),
    ("Annual report is out", "The report with all figures can be read at the counter and on our pages."),
    ("Thank you for two thousand followers", "We are glad that so many read along."),
    ("Survey: three minutes for us", "Tell us what we can do better. Taking part is voluntary."),
    ("Maintenance on Sunday night", "Our pages rest between one and four in the night to Monday."),
    ("New colleagues at the counter", "Two new colleagues help to keep the waiting short."),
    ("Open day", "Come and look behind the scenes; soup and music from eleven."),
    ("Read this before you call", "The ten questions that are asked most, with their answers."),
    ("Lost and found", "A grey umbrella and a child's glove wait at the counter."),
    ("Photo of the month", "The winner is the picture of the frozen fountain."),
)


class NotificationHubInventory(NotificationHubLife):
    """Generators of what has piled up before the window."""

    @generator
    def promotional_noise(
        self, rng: random.Random, days: int = 30, per_day: float = 1.5, user_id: str | None = None
    ) -> None:
        """Fill the days before the window with promotions, most of them read."""
        moments = sorted(
            self._moment(rng, day)
            for day in range(1, days + 1)
            for _ in range(int(per_day) + (rng.random() < per_day % 1))
        )
        for moment in moments:
            name, title, body = rng.choice(_OFFERS)
            self.put(
                "notifications",
                notification_id=self.new_id("ntf"),
                user_id=user_id or self.world.owner,
                source=name,
                type="promotion",
                title=f"{name}: {title}",
                body=body,
                at=self.world.iso(moment),
                read=rng.random() < 0.7,
            )

    @generator
    def feed_noise(self, rng: random.Random, account_id: str, posts: int = 12, days: int = 90) -> None:
        """Fill an account's feed before the window with notices that matter to nobody."""
        if self.find("accounts", account_id) is None:
            return
        moments = sorted(self._moment(rng, rng.randint(1, max(1, days))) for _ in range(posts))
        for moment in moments:
            title, body = rng.choice(_NOTICES)
            self.put(
                "posts",
                post_id=self.new_id("post"),
                account_id=account_id,
                at=self.world.iso(moment),
                title=title,
                body=body,
            )

    def _moment(self, rng: random.Random, days_before: int) -> int:
        day = self.world.start - dt.timedelta(days=days_before)
        return clock.day_start(day, self.world.zone) + rng.randint(8 * 60, 21 * 60) * 60
