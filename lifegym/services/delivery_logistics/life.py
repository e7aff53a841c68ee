"""What happens to parcels: the clock moves them, the timeline gets in their way, shops hand them in."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.delivery_logistics.addresses import Address, in_one_line
from lifegym.services.delivery_logistics.network import DONE, DeliveryNetwork
from lifegym.services.delivery_logistics.records import Item, Status, Window
from lifegym.services.tools import happening, listens
from lifegym.services.types import Day, Instant
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["DeliveryLogisticsLife"]

REVIEW_AFTER = 4 * clock.HOUR
RETURN_TIME = "18:00"


class DeliveryLogisticsLife(DeliveryNetwork):
    """The carrier's own behaviour. Happenings find ``parcel`` by tracking number, shipment id or sender's reference.

    Where none of these fits, every parcel on its way whose contents, sender or destination have the text is meant.
    """

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def create_shipment(
        self,
        tracking_no: str,
        sender: str,
        items: list[Item],
        destination: Address,
        deliver_at: Instant | None = None,
        collect_at: Instant | None = None,
        origin: Address | None = None,
        status: Literal["created", "picked_up", "in_transit"] = "created",
        direction: Literal["incoming", "outgoing"] = "incoming",
        service_type: str = "standard",
        time_window: Window | None = None,
        ref: str = "",
        user_id: str | None = None,
        shipment_id: str = "",
    ) -> list[str]:
        """Somebody sends something. Without collect_at it waits as a label that nobody has used.

        A tracking number that exists, and a delivery before the collection, touch nothing.
        """
        if self.find("shipments", tracking_no) is not None or not tracking_no:
            return []
        begun = collect_at or (self.stamp() if status != "created" else None)
        if begun and deliver_at and self.seconds(deliver_at) <= self.seconds(begun):
            return []
        row = self._enter(
            tracking_no=tracking_no,
            shipment_id=shipment_id or self.new_id("shp"),
            user_id=user_id or self.world.owner,
            direction=direction,
            status=status,
            service_type=service_type,
            sender=sender,
            origin=origin or {},
            destination=destination,
            items=items,
            ref=ref,
            collect_at=begun,
            deliver_at=deliver_at,
            time_window=time_window or "",
        )
        return [row["tracking_no"]]

    @happening
    def slip(self, parcel: str, days: Annotated[int, Field(ge=1, le=60)]) -> list[str]:
        """Delivery comes some days later than planned, on the next day on which vans are out."""
        rows = [row for row in self._meant(parcel) if row["deliver_at"] and row["status"] != "exception"]
        for row in rows:
            moment = clock.local(self.seconds(row["deliver_at"]), self.world.zone)
            day = self._next_open(moment.date() + dt.timedelta(days=days))
            self._delay(row, self._at(day, moment.strftime("%H:%M")), row["time_window"])
        return [row["tracking_no"] for row in rows]

    @happening
    def set_eta(self, parcel: str, deliver_at: Instant, time_window: Window | None = None) -> list[str]:
        """Plan delivery for another moment after its collection, with another time window if one is given."""
        at = self.seconds(deliver_at)
        rows = [
            row
            for row in self._meant(parcel)
            if row["status"] != "exception" and at > max(self.now, self.seconds(row["collect_at"] or self.stamp()))
        ]
        for row in rows:
            self._delay(row, at, row["time_window"] if time_window is None else time_window)
        return [row["tracking_no"] for row in rows]

    @happening
    def deliver(self, parcel: str, signed_by: str = "") -> list[str]:
        """Hand the parcel over now, whatever was planned."""
        rows = self._meant(parcel)
        for row in rows:
            self._hand_over(row, signed_by)
        return [row["tracking_no"] for row in rows]

    @happening
    def hold(self, parcel: str, reason: str, location: str = "", return_on: Day | None = None) -> list[str]:
        """The parcel stops, with an exception: address incomplete, nobody there, customs, no scan for days.

        On return_on it goes back, unless it is readdressed, given another day, released or delivered before.
        """
        rows = self._meant(parcel)
        for row in rows:
            text = f"{reason[:1].upper()}{reason[1:].rstrip('.')}."
            if return_on:
                text += f" Return planned for {return_on}."
            self._stop(row, text, location, trouble="held", reason=reason, return_on=return_on)
        return [row["tracking_no"] for row in rows]

    @happening
    def release(self, parcel: str, deliver_at: Instant | None = None, reason: str = "") -> list[str]:
        """A parcel that was held or lost goes on; delivered at deliver_at, else on the next working day."""
        rows = [row for row in self._meant(parcel) if row["status"] == "exception"]
        for row in rows:
            at = self.seconds(deliver_at) if deliver_at else self._next_run()
            self._resume(row, max(at, self.now + 1), reason or "The parcel is on its way again.")
        return [row["tracking_no"] for row in rows]

    @happening
    def lose(self, parcel: str, reason: str = "The parcel cannot be found.") -> list[str]:
        """The parcel is lost."""
        rows = self._meant(parcel)
        for row in rows:
            self._stop(row, reason, "", trouble="lost", reason=reason, return_on=None)
        return [row["tracking_no"] for row in rows]

    @happening
    def damage(self, parcel: str, reason: str = "The packaging is damaged.") -> list[str]:
        """A scan says that the parcel is damaged; it goes on."""
        rows = self._meant(parcel)
        for row in rows:
            self._tell(self._scan(row, reason, "", reason=reason), reason)
        return [row["tracking_no"] for row in rows]

    @happening
    def return_to_sender(self, parcel: str, reason: str) -> list[str]:
        """The parcel goes back to its sender."""
        rows = self._meant(parcel)
        for row in rows:
            self._return(row, reason)
        return [row["tracking_no"] for row in rows]

    @happening
    def readdress(self, parcel: str, destination: Address, text: str = "Destination changed.") -> list[str]:
        """Somebody has the parcel sent elsewhere; the day of delivery stays."""
        rows = self._meant(parcel)
        for row in rows:
            row = self.patch("shipments", row["tracking_no"], destination=destination)
            self._tell(self._scan(row, text, ""), f"{text} Now to {in_one_line(destination)}.")
        return [row["tracking_no"] for row in rows]

    @happening
    def set_items(self, parcel: str, items: list[Item]) -> list[str]:
        """The record of what is in the parcel reads differently, delivered or not."""
        rows = self._meant(parcel, live=False)
        for row in rows:
            self.patch("shipments", row["tracking_no"], items=items)
        return [row["tracking_no"] for row in rows]

    @happening
    def add_scan(
        self, parcel: str, text: str, location: str = "", at: Instant | None = None, status: Status = "exception"
    ) -> list[str]:
        """A scan appears in the record, also of the past (at) and of a parcel that was delivered long ago.

        The status is that of the scan; the parcel's own stays. Nothing is scanned in the future.
        """
        if at is not None and self.seconds(at) > self.now:
            return []
        rows = self._meant(parcel, live=False)
        for row in rows:
            scan = {"at": at or self.stamp(), "status": status, "location": location, "text": text}
            scans = sorted([*row["scans"], scan], key=lambda one: self.seconds(one["at"]))
            self.patch("shipments", row["tracking_no"], scans=scans)
        return [row["tracking_no"] for row in rows]

    @happening
    def resolve_issue(
        self, parcel: str, resolution: str, status: Literal["resolved", "rejected"] = "resolved"
    ) -> list[str]:
        """Close the open issues of a parcel."""
        numbers = {row["tracking_no"] for row in self._meant(parcel, live=False)}
        open_ids = [
            row["issue_id"]
            for row in self.rows("issues")
            if row["tracking_no"] in numbers and row["status"] in ("open", "investigating")
        ]
        for issue_id in open_ids:
            self.patch("issues", issue_id, status=status, resolution=resolution, updated_at=self.stamp())
        return open_ids

    @happening
    def close_day(self, day: Day, name: str = "") -> list[str]:
        """The carrier does not work on a day (a strike, snow); parcels due then come on the next day vans are out."""
        if self.find("closed_days", day) is not None or clock.parse_day(day) < self.today():
            return []
        self.put("closed_days", day=day, name=name)
        touched = [day]
        for row in list(self.rows("shipments")):
            if row["status"] in DONE or row["status"] == "exception" or not row["deliver_at"]:
                continue
            moment = clock.local(self.seconds(row["deliver_at"]), self.world.zone)
            if moment.date().isoformat() == day:
                at = self._at(self._next_open(moment.date()), moment.strftime("%H:%M"))
                self._delay(row, at, row["time_window"])
                touched.append(row["tracking_no"])
        return touched

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for row in list(self.rows("shipments")):
            changes: dict[str, Any] = {}
            if not row["shipment_id"]:
                changes["shipment_id"] = row["tracking_no"]
            if row["promised_on"] is None and row["deliver_at"]:
                changes["promised_on"] = self._day_of(self.seconds(row["deliver_at"])).isoformat()
            if changes:
                row = self.patch("shipments", row["tracking_no"], **changes)
            if not row["scans"]:
                known = row["created_at"] if row["status"] == "created" else row["collect_at"]
                at = row["delivered_at"] or known or row["created_at"]
                row = self._scan(row, _spoken(row["status"]), "", at=at)
            self._await_next(row)
            self._await_return(row)
        for issue in self.rows("issues"):
            if issue["status"] == "open":
                self.later(self.seconds(issue["created_at"]) + REVIEW_AFTER, "review", issue_id=issue["issue_id"])

    def review(self, issue_id: str) -> None:
        """Take up a reported issue."""
        issue = self.find("issues", issue_id)
        if issue is not None and issue["status"] == "open":
            self.patch("issues", issue_id, status="investigating", updated_at=self.stamp())

    def send_back(self, tracking_no: str, plan: int) -> None:
        """Return a parcel that was held too long."""
        row = self.find("shipments", tracking_no)
        if row is not None and row["status"] == "exception" and row["plan"] == plan:
            self._return(row, row["reason"])

    @listens("ship")
    def take_parcel(
        self,
        tracking_no: str,
        user_id: str,
        sender: str,
        origin: Mapping[str, str],
        destination: Mapping[str, str],
        items: Sequence[Mapping[str, Any]],
        ref: str,
        collect_at: str = "",
        deliver_at: str = "",
        service_type: str = "standard",
        weight_kg: float = 1.0,
    ) -> None:
        """Take the parcel of a shop that announces it, or what has become of one that it announced before.

        Of a parcel that is known, contents and times change, and not the destination; with nothing left in it, it is
        called off.
        """
        row = self.find("shipments", tracking_no)
        if row is None:
            self._enter(
                tracking_no=tracking_no,
                shipment_id=self.new_id("shp"),
                user_id=user_id,
                service_type=service_type,
                sender=sender,
                origin=origin,
                destination=destination,
                items=items,
                weight_kg=weight_kg,
                ref=ref,
                collect_at=collect_at or None,
                deliver_at=deliver_at or None,
            )
        elif row["status"] not in DONE:
            if not items:
                self._call_off(row, "Called off by the sender.")
                return
            row = self.patch("shipments", tracking_no, items=items)
            if row["status"] == "created":
                times = {"collect_at": collect_at, "deliver_at": deliver_at}
                changed = {field: at for field, at in times.items() if at and at != row[field]}
                if changed:
                    self._tell(self._replan(row, **changed), "The sender has changed when it is collected.")
            elif row["status"] != "exception" and deliver_at and deliver_at != row["deliver_at"]:
                self._delay(row, self.seconds(deliver_at), "")

    # -- inside --------------------------------------------------------------------------------------------------

    def _enter(self, **fields: Any) -> Record:
        """Register a parcel, and let the clock have it."""
        arrives = fields["deliver_at"]
        if arrives is not None:
            fields["promised_on"] = self._day_of(self.seconds(arrives)).isoformat()
        row = self.put("shipments", **fields, created_at=self.stamp())
        row = self._scan(row, _spoken(row["status"]), row["origin"].get("city", ""))
        self._await_next(row)
        return row

    def _delay(self, row: Record, at: int, time_window: str) -> None:
        """Plan delivery for another moment. A parcel that is on the van goes back to the depot for another day."""
        day = self._day_of(at)
        back = row["status"] == "out_for_delivery" and day != self.today()
        text = f"Delivery is now planned for {day.isoformat()}{' ' + time_window if time_window else ''}."
        status: Status = "in_transit" if back else row["status"]
        row = self._scan(row, text, "", status)
        self._tell(self._replan(row, deliver_at=self.world.iso(at), time_window=time_window), text)

    def _stop(self, row: Record, text: str, location: str, **changes: Any) -> None:
        self._close_pickups(row["tracking_no"], "cancelled" if row["status"] == "created" else "done")
        row = self._replan(self._scan(row, text, location, "exception"), **changes)
        self._await_return(row)
        self._tell(row, text)

    def _await_return(self, row: Record) -> None:
        if row["status"] == "exception" and row["return_on"]:
            at = self._at(clock.parse_day(row["return_on"]), RETURN_TIME)
            self.later(max(at, self.now), "send_back", tracking_no=row["tracking_no"], plan=row["plan"])

    def _resume(self, row: Record, at: int, text: str, **changes: Any) -> Record:
        """Let a stopped parcel go on to be delivered at an instant."""
        row = self._scan(row, text, "", "in_transit")
        if row["collect_at"] is None or self.seconds(row["collect_at"]) > self.now:
            row = self.patch("shipments", row["tracking_no"], collect_at=self.stamp())
        changes = {"time_window": "", "trouble": "", "reason": "", "return_on": None, **changes}
        row = self._replan(row, deliver_at=self.world.iso(at), **changes)
        self._tell(row, text)
        return row

    def _next_run(self) -> int:
        """When a parcel that is freed now is delivered: at noon of the next working day."""
        return self._at(self._working_day(self.today(), 1), "12:00")

    def _return(self, row: Record, reason: str) -> None:
        text = f"Returned to the sender: {reason}"
        self._close_pickups(row["tracking_no"], "cancelled" if row["status"] == "created" else "done")
        row = self._scan(row, text, row["origin"].get("city", ""), "returned")
        row = self.patch("shipments", row["tracking_no"], reason=reason, return_on=None, plan=row["plan"] + 1)
        self._tell(row, text)

    def _call_off(self, row: Record, text: str) -> Record:
        """Cancel a parcel that its sender does not want to send any more."""
        ended = {"trouble": "", "return_on": None, "plan": row["plan"] + 1}
        row = self._scan(row, text, "", "cancelled", reason=text, **ended)
        self._close_pickups(row["tracking_no"], "cancelled")
        self._tell(row, text)
        return row

    def check_invariants(self) -> None:
        for row in self.rows("shipments"):
            assert (row["delivered_at"] is not None) == (row["status"] == "delivered"), row
            assert row["trouble"] == "" or row["status"] in ("exception", "returned"), row
            assert row["return_on"] is None or row["status"] == "exception", row
            moments = [self.seconds(scan["at"]) for scan in row["scans"]]
            assert moments == sorted(moments), row
            assert not moments or moments[-1] <= self.now, row
            if row["collect_at"] and row["deliver_at"] and row["status"] not in DONE:
                assert self.seconds(row["collect_at"]) < self.seconds(row["deliver_at"]), row
        waiting: set[str] = set()
        for pickup in self.rows("pickups"):
            if pickup["status"] == "scheduled":
                row = self._shipment(pickup["tracking_no"])
                assert row["status"] == "created", pickup
                assert row["collect_at"] is not None, pickup
                assert pickup["tracking_no"] not in waiting, pickup
                waiting.add(pickup["tracking_no"])
        for issue in self.rows("issues"):
            assert bool(issue["resolution"]) <= (issue["status"] in ("resolved", "rejected")), issue
        for wish in self.rows("subscriptions"):
            assert (wish["fired"] > 0) == (wish["last_fired_at"] is not None), wish


def _spoken(status: str) -> str:
    """What the first scan of a parcel says."""
    return {"created": "The sender has announced the parcel."}.get(status, f"{status.replace('_', ' ').capitalize()}.")
