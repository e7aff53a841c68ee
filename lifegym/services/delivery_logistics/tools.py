"""A parcel carrier: sending, reporting what went wrong, being told of changes."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.delivery_logistics.addresses import Address, band
from lifegym.services.delivery_logistics.changing import DeliveryLogisticsChanging
from lifegym.services.delivery_logistics.life import REVIEW_AFTER
from lifegym.services.delivery_logistics.network import DONE
from lifegym.services.delivery_logistics.reading import CLOSES, OPENS, Weight
from lifegym.services.delivery_logistics.records import Channel, IssueType
from lifegym.services.search import fold
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["DeliveryLogistics"]

REPORT_DAYS = 30
PICKUP_DAYS = 30
Text = Annotated[str, Field(min_length=1, max_length=2000)]


class DeliveryLogistics(DeliveryLogisticsChanging):
    """Parcels that the person sends and expects. Prices are minor units."""

    # -- tools: sending ------------------------------------------------------------------------------------------

    @tool(write=True)
    def request_pickup(
        self,
        user_id: str,
        pickup_addr: Address,
        dest_addr: Address,
        item_desc: Text,
        weight_kg: Weight,
        service_type: str,
        scheduled_at: str,
        payment_method: str | None = None,
    ) -> dict[str, Any]:
        """Have a parcel collected and sent. Vans collect Monday to Saturday, 08:00 to 20:00, not on closed days.

        An item_desc that names the tracking number or shipment id of a label that waits to be used orders the
        collection of that parcel: its own destination and service hold, and nothing is charged.

        Args:
            user_id: Who sends it.
            pickup_addr: Where it is fetched; detail and city at least.
            dest_addr: Where it goes, in the same form; with a recipient, whose name stands on signed proofs.
            item_desc: What is in it; the label's number if there is one.
            weight_kg: Weight in kg, more than 0.
            service_type: From estimate_delivery, e.g. standard, express, same_day, registered.
            scheduled_at: When to fetch it (ISO 8601 date-time), within 30 days.
            payment_method: What to charge; without it the price goes on the sender's account with the carrier.

        Returns:
            pickup_id, tracking_no, shipment_id, scheduled_at, deliver_at (expected), price_minor, currency,
            destination, label (whether a waiting label was used).

        Errors:
            bad_address: An address lacks detail or city.
            unknown_service: There is no such service; the message lists them.
            too_heavy: The service does not take that weight.
            not_served: The service does not go that far; the message names those that do.
            bad_time: scheduled_at is no ISO 8601 date-time.
            in_past: scheduled_at is not in the future.
            not_offered: Nobody collects then; the message says when.
            exists: The collection of that label is ordered already.
            unknown_payment_method: The person has no such payment method. Banks and cards may also refuse with
                insufficient_funds, account_closed or currency_mismatch.
        """
        self._check_address(pickup_addr, "pickup_addr")
        self._check_address(dest_addr, "dest_addr")
        tariff = self._tariff(service_type)
        label = self._label(user_id, item_desc)
        if label is not None and label["collect_at"]:
            raise ToolError("exists", f"collection of {label['tracking_no']} is ordered for {label['collect_at']}")
        if label is None:
            self._check_service(tariff, band(pickup_addr, dest_addr), weight_kg)
        collect_at = self._collection(tariff if label is None else None, scheduled_at)
        if label is not None:
            row = self._used(label, pickup_addr, collect_at)
        else:
            row = self._sent(user_id, pickup_addr, dest_addr, item_desc, weight_kg, tariff, collect_at, payment_method)
        pickup = self.put(
            "pickups",
            pickup_id=self.new_id("pickup"),
            tracking_no=row["tracking_no"],
            user_id=user_id,
            pickup_addr=pickup_addr,
            item_desc=item_desc,
            service_type=row["service_type"],
            scheduled_at=row["collect_at"],
            requested_at=self.stamp(),
        )
        return {
            "pickup_id": pickup["pickup_id"],
            **{field: row[field] for field in ("tracking_no", "shipment_id")},
            "scheduled_at": row["collect_at"],
            **{field: row[field] for field in ("deliver_at", "price_minor", "currency", "destination")},
            "label": label is not None,
        }

    # -- tools: reporting and following --------------------------------------------------------------------------

    @tool(write=True)
    def report_issue(self, tracking_no: str, issue_type: IssueType, description: Text) -> dict[str, Any]:
        """Report what is wrong with a parcel. The carrier takes it up within hours; list_issues shows the answer.

        Args:
            tracking_no: From list_shipments.
            issue_type: lost, damaged, late, wrong_item, missing_item, wrong_address, not_received or other.
            description: What happened, what is asked for.

        Returns:
            issue_id, tracking_no, issue_type, description, status (open), created_at.

        Errors:
            not_found: There is no such parcel.
            cancelled: The parcel was cancelled and never sent.
            delivered: It is delivered, so it is not lost; use not_received if it did not arrive.
            not_late: The promised day is not over and delivery is still planned for it.
            too_late: It was delivered more than 30 days ago.
            exists: The same is reported already and open; the message names it.
        """
        row = self._shipment(tracking_no)
        if row["status"] == "cancelled":
            raise ToolError("cancelled", "this parcel was cancelled; there is nothing to report")
        if row["delivered_at"]:
            if issue_type == "lost":
                raise ToolError("delivered", f"it was delivered at {row['delivered_at']}; report not_received instead")
            if self.now > self.seconds(row["delivered_at"]) + REPORT_DAYS * clock.DAY:
                raise ToolError("too_late", f"issues are taken up to {REPORT_DAYS} days after delivery")
        if issue_type == "late" and not self._late(row):
            raise ToolError("not_late", f"it is planned for {row['deliver_at'] or 'no day yet'}; wait for that day")
        for issue in self.rows("issues"):
            same = issue["tracking_no"] == tracking_no and issue["issue_type"] == issue_type
            if same and issue["status"] in ("open", "investigating"):
                raise ToolError("exists", f"{issue['issue_id']} reports this already ({issue['status']})")
        issue = self.put(
            "issues",
            issue_id=self.new_id("issue"),
            tracking_no=tracking_no,
            user_id=row["user_id"],
            issue_type=issue_type,
            description=description,
            created_at=self.stamp(),
            updated_at=self.stamp(),
        )
        self.later(self.now + REVIEW_AFTER, "review", issue_id=issue["issue_id"])
        return issue

    @tool(write=True)
    def subscribe_status(self, tracking_no: str, channel: Channel, target: str) -> dict[str, Any]:
        """Ask to be told of every change of a parcel's status. Each time, a turn opens for it.

        Args:
            tracking_no: From list_shipments.
            channel: push, email or sms.
            target: The user id for push, a mail address for email, a phone number for sms.

        Returns:
            subscription_id, tracking_no, channel, target, status (active), created_at.

        Errors:
            not_found: There is no such parcel.
            finished: It is delivered, returned or cancelled; nothing will change.
            bad_target: target does not fit the channel.
            exists: The same subscription is there already; the message names it.
        """
        row = self._shipment(tracking_no)
        if row["status"] in DONE:
            raise ToolError("finished", f"this parcel is {row['status']}; track_package shows its history")
        goal = target.strip()
        digits = sum(letter.isdigit() for letter in goal)
        fits = {"push": bool(goal), "email": "@" in goal[1:-1] and " " not in goal, "sms": digits >= 5}
        if not fits[channel] or len(goal) > 200:
            raise ToolError(
                "bad_target", "push takes a user id, email a mail address such as ann@mail.example, sms a phone number"
            )
        for wish in self.rows("subscriptions"):
            same = (wish["tracking_no"], wish["channel"], wish["target"]) == (tracking_no, channel, goal)
            if same and wish["status"] == "active":
                raise ToolError("exists", f"{wish['subscription_id']} tells {goal} already")
        return self.put(
            "subscriptions",
            subscription_id=self.new_id("psub"),
            tracking_no=tracking_no,
            user_id=row["user_id"],
            channel=channel,
            target=goal,
            created_at=self.stamp(),
        )

    @tool(write=True)
    def unsubscribe(self, subscription_id: str) -> dict[str, Any]:
        """End the alerts on a parcel.

        Args:
            subscription_id: From subscribe_status.

        Returns:
            The subscription, now ended.

        Errors:
            not_found: There is no such subscription.
            not_active: It has ended already.
        """
        wish = self.get("subscriptions", subscription_id, "subscription", "subscribe_status returns its id")
        if wish["status"] != "active":
            raise ToolError("not_active", f"{subscription_id} has ended already")
        return self.patch("subscriptions", subscription_id, status="ended")

    # -- inside --------------------------------------------------------------------------------------------------

    def _late(self, row: Record) -> bool:
        """Whether a parcel comes, or came, after the day that was promised, or nobody knows when."""
        if row["status"] in ("exception", "returned"):
            return True
        promised = row["promised_on"]
        came = row["delivered_at"] or row["deliver_at"]
        if not promised or not came:
            return False
        return bool(self._day_of(self.seconds(came)).isoformat() > promised)

    def _label(self, user_id: str, item_desc: str) -> Record | None:
        """The announced parcel of the user that a description names."""
        text = f" {fold(item_desc)} "
        for sign in ",.;:()[]#\"'":
            text = text.replace(sign, " ")
        for row in self.rows("shipments"):
            if row["user_id"] == user_id and row["direction"] == "outgoing" and row["status"] == "created":
                names = (row["tracking_no"], row["shipment_id"])
                if any(f" {fold(name)} " in text for name in names if name):
                    return row
        return None

    def _collection(self, tariff: Record | None, scheduled_at: str) -> int:
        """When a parcel is fetched, checked against the hours of work."""
        at = self.instant(scheduled_at, "scheduled_at")
        if at <= self.now:
            raise ToolError("in_past", f"scheduled_at must be after now, {self.stamp()}")
        day = self._day_of(at)
        same_day = tariff is not None and tariff["days_local"] == 0
        closes = tariff["order_by"] if tariff is not None and same_day else CLOSES
        if not self._open(day) or not self._at(day, OPENS) <= at <= self._at(day, closes):
            following = self._next_open(day if self._open(day) and at < self._at(day, OPENS) else _after(day))
            raise ToolError(
                "not_offered",
                f"collection is Monday to Saturday from {OPENS} to {closes}, not on closed days; "
                f"the next is {following.isoformat()} from {OPENS} on",
            )
        if at > self.now + PICKUP_DAYS * clock.DAY:
            raise ToolError("not_offered", f"collection can be ordered at most {PICKUP_DAYS} days ahead")
        return at

    def _used(self, label: Record, origin: Address, collect_at: int) -> Record:
        """Let a label be collected."""
        tariff = self.find("tariffs", label["service_type"])
        arrives = self._arrival(tariff, band(origin, label["destination"]), collect_at)
        times = {"collect_at": self.world.iso(collect_at), "deliver_at": self.world.iso(arrives)}
        day = self._day_of(arrives).isoformat()
        label = self._scan(label, "Collection ordered.", origin.get("city", ""))
        return self._replan(label, origin=origin, promised_on=day, **times)

    def _sent(
        self,
        user_id: str,
        origin: Address,
        destination: Address,
        item_desc: str,
        weight_kg: float,
        tariff: Record,
        collect_at: int,
        payment_method: str | None,
    ) -> Record:
        """Register a parcel that the person sends, and charge it where there is a payment method."""
        distance = band(origin, destination)
        price = self._price(tariff, distance, weight_kg)
        counters = self.world.counters.copy()
        tracking_no = f"TN{self.world.code('tracking', 9, '0123456789')}"
        if payment_method is not None:
            try:
                self.pay(payment_method, price, tariff["currency"], "Parcel carrier", tracking_no)
            except ToolError:
                self.world.counters = counters  # a refused request uses up no number
                raise
        arrives = self._arrival(tariff, distance, collect_at)
        row = self._enter(
            tracking_no=tracking_no,
            shipment_id=self.new_id("shp"),
            user_id=user_id,
            direction="outgoing",
            service_type=tariff["service_type"],
            sender=origin.get("recipient") or self.world.owner_name,
            origin=origin,
            destination=destination,
            items=[{"description": item_desc, "qty": 1, "ref": ""}],
            weight_kg=float(weight_kg),
            collect_at=self.world.iso(collect_at),
            deliver_at=self.world.iso(arrives),
            signature=tariff["signature"],
            price_minor=price,
            currency=tariff["currency"],
            payment_method_id=payment_method or "",
        )
        return row


def _after(day: dt.date) -> dt.date:
    return day + dt.timedelta(days=1)
