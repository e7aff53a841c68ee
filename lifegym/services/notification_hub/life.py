"""What the hub does by itself: it keeps notifications, and lets alerts and subscriptions fire."""

from __future__ import annotations

from lifegym.services.base import Service
from lifegym.services.notification_hub.conditions import price_meets, status_meets, watches_price
from lifegym.services.notification_hub.records import Account, Follow, Notification, Post, PriceAlert, Subscription
from lifegym.services.search import fold
from lifegym.services.tools import happening, listens
from lifegym.world.record import Record

__all__ = ["EVERYTHING", "NotificationHubLife"]

EVERYTHING = "*"
"""The target of a subscription to all that a source reports."""


class NotificationHubLife(Service):
    """The hub's own behaviour."""

    name = "notification_hub"
    title = "Notifications, alerts and official accounts"
    records = {
        "notifications": Notification,
        "subscriptions": Subscription,
        "price_alerts": PriceAlert,
        "accounts": Account,
        "posts": Post,
        "follows": Follow,
    }

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def push(
        self, source: str, type: str, title: str, body: str, ref: str = "", user_id: str | None = None
    ) -> list[str]:
        """A notification lands in the hub, silently."""
        return [self._store(source, type, title, body, ref, user_id or self.world.owner)["notification_id"]]

    @happening
    def post_to_feed(self, account_id: str, title: str, body: str, post_id: str | None = None) -> list[str]:
        """An official account publishes. Who follows it finds a silent notification; subscriptions to it fire.

        A post_id that the feed has already touches nothing.
        """
        account = self.find("accounts", account_id)
        if account is None or (post_id is not None and self.find("posts", post_id) is not None):
            return []
        post = self.put(
            "posts",
            post_id=post_id or self.new_id("post"),
            account_id=account_id,
            at=self.stamp(),
            title=title,
            body=body,
        )
        for follow in list(self.rows("follows")):
            if follow["account_id"] == account_id:
                self._store(account_id, "post", f"{account['name']}: {title}", body, post["post_id"], follow["user_id"])
        for row in list(self.rows("subscriptions")):
            if row["source"] == account_id and _wants_post(row, post):
                self._fire(row, f"{account['name']}: {title}", body, post["post_id"], "posted")
        return [post["post_id"]]

    @happening
    def revise_post(self, post_id: str, title: str | None = None, body: str | None = None) -> list[str]:
        """A post that is in a feed reads differently from now on. Nobody is told."""
        post = self.find("posts", post_id)
        if post is None:
            return []
        self.patch(
            "posts",
            post_id,
            title=post["title"] if title is None else title,
            body=post["body"] if body is None else body,
        )
        return [post_id]

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for kind in ("notifications", "posts"):
            rows = list(self.rows(kind))
            ordered = sorted(rows, key=lambda row: self.seconds(row["at"]))
            if rows != ordered:  # later ones are appended, so that no listing needs to sort
                key = self.table(kind).key
                for row in ordered:
                    self.drop(kind, row[key])
                    self.put(kind, **row)

    def hears(self, topic: str) -> bool:
        return topic == "notify" or bool(self.rows("subscriptions") or self.rows("price_alerts"))

    @listens("notify")
    def keep_notification(self, source: str, type: str, title: str, body: str, ref: str, user_id: str) -> None:
        """Keep what a service tells the person."""
        self._store(source, type, title, body, ref, user_id)

    @listens("price")
    def take_price(self, ref: str, amount_minor: int, currency: str, title: str, source: str = "") -> None:
        """Compare a reported price with the price alerts and the subscriptions to prices."""
        for alert in list(self.rows("price_alerts")):
            if alert["status"] == "active" and alert["item_ref"] == ref and _reached(alert, amount_minor):
                self._trigger(alert, amount_minor, currency, title)
        for row in list(self.rows("subscriptions")):
            aimed = row["target"] == ref or (row["target"] == EVERYTHING and row["source"] == source)
            if aimed and row["status"] == "active" and watches_price(row):
                text = f"{title}: {amount_minor} {currency} (minor units)."
                if price_meets(row["condition"], amount_minor, row["last_seen"]):
                    self._fire(row, f"Price: {title}", text, ref, str(amount_minor))
                else:
                    self.patch("subscriptions", row["subscription_id"], last_seen=str(amount_minor))

    @listens("status")
    def take_status(self, source: str, ref: str, status: str, title: str, body: str) -> None:
        """Compare a reported status with the subscriptions to its source."""
        for row in list(self.rows("subscriptions")):
            if (
                row["source"] == source
                and row["target"] in (ref, EVERYTHING)
                and row["status"] == "active"
                and not watches_price(row)
            ):
                if status_meets(row["condition"], status, row["last_seen"]):
                    self._fire(row, title, body, ref, status)
                else:
                    self.patch("subscriptions", row["subscription_id"], last_seen=status)

    # -- inside --------------------------------------------------------------------------------------------------

    def _newest_first(self, kind: str) -> list[Record]:
        """The rows of a table that is in the order of time, the last one first."""
        return list(self.rows(kind))[::-1]

    def _store(self, source: str, type: str, title: str, body: str, ref: str, user_id: str) -> Record:
        return self.put(
            "notifications",
            notification_id=self.new_id("ntf"),
            user_id=user_id,
            source=source,
            type=type,
            title=title,
            body=body,
            ref=ref,
            at=self.stamp(),
        )

    def _fire(self, subscription: Record, title: str, body: str, ref: str, seen: str) -> None:
        """Tell the agent what it subscribed to."""
        self.patch(
            "subscriptions",
            subscription["subscription_id"],
            last_seen=seen,
            last_fired_at=self.stamp(),
            fired=subscription["fired"] + 1,
        )
        self._alert(subscription, subscription["source"], subscription["type"], title, body, ref)

    def _trigger(self, alert: Record, amount_minor: int, currency: str, title: str) -> None:
        """Let a price alert ring, once."""
        self.patch(
            "price_alerts",
            alert["alert_id"],
            status="triggered",
            triggered_at=self.stamp(),
            triggered_price_minor=amount_minor,
            currency=currency,
        )
        text = (
            f"{title} ({alert['item_ref']}) is at {amount_minor} {currency} in minor units, at or {alert['direction']} "
            f"the {alert['target_price_minor']} of price alert {alert['alert_id']}."
        )
        self._alert(alert, self.name, "price_alert", f"Price alert: {title}", text, alert["item_ref"])

    def _alert(self, wish: Record, source: str, type: str, title: str, body: str, ref: str) -> None:
        self.world.notify(source, type, title, body, ref=ref, user_id=wish["user_id"], opens="alert")

    def check_invariants(self) -> None:
        for alert in self.rows("price_alerts"):
            rung = alert["status"] == "triggered"
            assert rung == (alert["triggered_at"] is not None), alert
            assert rung == (alert["triggered_price_minor"] is not None), alert
            if rung:
                assert _reached(alert, alert["triggered_price_minor"]), alert
        for row in self.rows("subscriptions"):
            assert (row["fired"] > 0) == (row["last_fired_at"] is not None), row
        pairs = [(row["user_id"], row["account_id"]) for row in self.rows("follows")]
        assert len(set(pairs)) == len(pairs), pairs
        for post in self.rows("posts"):
            assert self.find("accounts", post["account_id"]) is not None, post


def _reached(alert: Record, amount_minor: int) -> bool:
    target: int = alert["target_price_minor"]
    return amount_minor <= target if alert["direction"] == "below" else amount_minor >= target


def _wants_post(subscription: Record, post: Record) -> bool:
    """Whether a post is what an active subscription is about: all posts, or those with a text in them."""
    target = subscription["target"]
    wanted = target in (EVERYTHING, post["account_id"]) or fold(target) in fold(f"{post['title']}\n{post['body']}")
    return bool(subscription["status"] == "active" and wanted)
