"""What a railway does by itself: trains that run, run late or do not run, and the bookings on them."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.base import Service
from lifegym.services.rail_booking.records import Booking, Offer, SeatClass, Station, Student, Train
from lifegym.services.tools import happening
from lifegym.services.types import Currency, Instant, Minor
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["RailLife", "offer_key", "train_key"]


def train_key(train_no: str, date: str) -> str:
    """The key of a train on a date. ``th 22`` is ``TH22``."""
    return f"{train_no.replace(' ', '').upper()}@{date}"


def offer_key(key: str, seat_class: str) -> str:
    """The id of a train's offer in a class."""
    return f"{key}/{seat_class}"


class RailLife(Service):
    """The railway's own behaviour."""

    name = "rail_booking"
    title = "Rail tickets"
    records = {"stations": Station, "trains": Train, "offers": Offer, "bookings": Booking, "students": Student}

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def cancel_train(
        self, train_no: str, date: str, note: str = "", refund: Literal["full", "less_fee"] = "full"
    ) -> list[str]:
        """The railway cancels a train. Bookings on it stay until their holders cancel them, with what it refunds.

        Touches the train and every confirmed booking on it.
        """
        train = self._coming(train_no, date)
        if train is None:
            return []
        self.patch("trains", train["train_key"], status="cancelled", cancel_refund=refund, note=note or train["note"])
        return self._announce(train["train_key"])

    @happening
    def delay_train(
        self,
        train_no: str,
        date: str,
        minutes: Annotated[int, Field(gt=0)] | None = None,
        departs: Instant | None = None,
        arrives: Instant | None = None,
        note: str = "",
    ) -> list[str]:
        """A train runs late: by minutes against its timetable, or with a new departure or arrival.

        Without ``arrives`` it arrives as much later as it leaves; once it has left only its arrival moves. Touches the
        train and every confirmed booking on it.
        """
        train = self.find("trains", train_key(train_no, date))
        if train is None or train["status"] == "cancelled" or self.now >= self._arrival(train):
            return []
        leave, reach = self.seconds(train["departs"]), self.seconds(train["arrives"])
        late = (minutes or 0) * clock.MINUTE if departs is None else self.seconds(departs) - leave
        new_reach = reach + late if arrives is None else self.seconds(arrives)
        gone = self.now >= self._departure(train)
        new_leave = self._departure(train) if gone else leave + late
        if new_reach <= max(new_leave, self.now) or (not gone and new_leave <= self.now):
            raise ValueError(f"{train['train_key']} cannot leave in the past, or arrive before it leaves")
        self.patch(
            "trains",
            train["train_key"],
            status="delayed",
            expected_departs=_shifted(train["departs"], new_leave - leave),
            expected_arrives=_shifted(train["arrives"], new_reach - reach),
            note=note or train["note"],
        )
        return self._announce(train["train_key"])

    @happening
    def run_train(self, train_no: str, date: str, note: str = "") -> list[str]:
        """The railway confirms that a train runs as in its timetable, also where it had been cancelled or delayed.

        Touches the train and every confirmed booking on it.
        """
        train = self.find("trains", train_key(train_no, date))
        if train is None or self.now >= self.seconds(train["departs"]):
            return []
        self.patch(
            "trains", train["train_key"], status="running", expected_departs=None, expected_arrives=None, note=note
        )
        return self._announce(train["train_key"])

    @happening
    def note_train(self, train_no: str, date: str, note: str, platform: str | None = None) -> list[str]:
        """Something to know about a train: a lift out of use, another platform. Touches the train."""
        train = self.find("trains", train_key(train_no, date))
        if train is None:
            return []
        shown = train["platform"] if platform is None else platform
        self._tell(self.patch("trains", train["train_key"], note=note, platform=shown))
        return [train["train_key"]]

    @happening
    def set_price(
        self,
        train_no: str,
        date: str,
        price_minor: Annotated[int, Field(ge=0)],
        seat_class: SeatClass = "standard",
    ) -> list[str]:
        """A train's tickets change their price (what is booked keeps its own). Touches the offer."""
        offer = self.find("offers", offer_key(train_key(train_no, date), seat_class))
        if offer is None:
            return []
        self.patch("offers", offer["offer_id"], price_minor=price_minor)
        self.world.emit(
            "price",
            ref=offer["offer_id"],
            amount_minor=price_minor,
            currency=offer["currency"],
            title=f"{train_no} on {date}, {seat_class}",
        )
        return [offer["offer_id"]]

    @happening
    def set_seats_left(
        self,
        train_no: str,
        date: str,
        seats_left: Annotated[int, Field(ge=0)],
        seats_together: Annotated[int, Field(ge=0)] | None = None,
        seat_class: SeatClass = "standard",
    ) -> list[str]:
        """Seats are sold to others, or come back. Touches the offer."""
        offer = self.find("offers", offer_key(train_key(train_no, date), seat_class))
        if offer is None:
            return []
        together = offer["seats_together"] if seats_together is None else seats_together
        self.patch("offers", offer["offer_id"], seats_left=seats_left, seats_together=together)
        return [offer["offer_id"]]

    @happening
    def add_train(
        self,
        train_no: str,
        origin: str,
        dest: str,
        departs: Instant,
        arrives: Instant,
        price_minor: Minor,
        currency: Currency,
        seats_left: Annotated[int, Field(ge=0)] = 40,
        seats_together: Annotated[int, Field(ge=0)] = 5,
        refund_fee_minor: Minor = 0,
        name: str = "",
        note: str = "",
        seat_class: SeatClass = "standard",
    ) -> list[str]:
        """A train is put on between two stations (their codes), with one class. Touches the new train and its offer.

        Nothing happens where a train of that number runs on that date, or a station is unknown.
        """
        stations = (self.find("stations", origin), self.find("stations", dest))
        key = train_key(train_no, departs[:10])
        if None in stations or self.find("trains", key) is not None:
            return []
        if self.seconds(departs) >= self.seconds(arrives):
            raise ValueError(f"{key} cannot arrive before it leaves")
        self.put(
            "trains",
            train_key=key,
            train_no=key.partition("@")[0],
            date=departs[:10],
            name=name,
            origin=origin,
            dest=dest,
            departs=departs,
            arrives=arrives,
            note=note,
        )
        offer = self.put(
            "offers",
            offer_id=offer_key(key, seat_class),
            train_key=key,
            seat_class=seat_class,
            price_minor=price_minor,
            currency=currency,
            seats_left=seats_left,
            seats_together=seats_together,
            refund_fee_minor=refund_fee_minor,
        )
        return [key, offer["offer_id"]]

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for booking in self.rows("bookings"):
            if booking["status"] == "confirmed":
                self._await_arrival(booking)

    def complete_booking(self, booking_ref: str) -> None:
        """A journey is over once its train has arrived."""
        booking = self.find("bookings", booking_ref)
        if booking is None or booking["status"] != "confirmed":
            return
        train = self.table("trains").find(booking["train_key"])
        if train is not None and train["status"] != "cancelled" and self.now >= self._arrival(train):
            self.patch("bookings", booking_ref, status="completed")

    # -- inside --------------------------------------------------------------------------------------------------

    def _departure(self, train: Record) -> int:
        return self.seconds(train["expected_departs"] or train["departs"])

    def _arrival(self, train: Record) -> int:
        return self.seconds(train["expected_arrives"] or train["arrives"])

    def _live_status(self, train: Record) -> str:
        """What the departure board says now."""
        if train["status"] == "cancelled" or self.now < self._departure(train):
            return str(train["status"])
        return "departed" if self.now < self._arrival(train) else "arrived"

    def _coming(self, train_no: str, date: str) -> Record | None:
        """The train of this number and date, if it is yet to leave."""
        train = self.find("trains", train_key(train_no, date))
        return train if train is not None and self.now < self._departure(train) else None

    def _announce(self, key: str) -> list[str]:
        """Bring the bookings on a train in line with it and tell those who watch it. Returns what was touched."""
        train = self.table("trains").find(key)
        assert train is not None
        touched = [key]
        for booking in list(self.rows("bookings")):
            if booking["train_key"] == key and booking["status"] == "confirmed":
                self._await_arrival(self.patch("bookings", booking["booking_ref"], train_status=train["status"]))
                touched.append(booking["booking_ref"])
        self._tell(train)
        return touched

    def _tell(self, train: Record) -> None:
        status = self._live_status(train)
        body = f"{train['train_no']} of {train['date']} {train['departs'][11:16]}: {status}"
        if status == "delayed":
            body += f", leaves {train['expected_departs'][11:16]}, arrives {train['expected_arrives'][11:16]}"
        self.world.emit(
            "status",
            source=self.name,
            ref=train["train_key"],
            status=status,
            title=f"Train {train['train_no']} on {train['date']}: {status}",
            body=f"{body}. {train['note']}".rstrip(),
        )

    def _await_arrival(self, booking: Record) -> None:
        train = self.find("trains", booking["train_key"])
        if train is not None:
            self.later(max(self._arrival(train), self.now), "complete_booking", booking_ref=booking["booking_ref"])

    def check_invariants(self) -> None:
        taken: set[tuple[str, str]] = set()
        for train in self.rows("trains"):
            assert train["train_key"] == train_key(train["train_no"], train["date"]), train
            assert train["date"] == train["departs"][:10], train
            assert self._departure(train) < self._arrival(train), train
        for offer in self.rows("offers"):
            assert offer["offer_id"] == offer_key(offer["train_key"], offer["seat_class"]), offer
        for booking in self.rows("bookings"):
            tickets: list[dict[str, Any]] = booking["passengers"]
            assert sum(ticket["fare_minor"] for ticket in tickets) == booking["total_minor"], booking
            gone = booking["status"] == "cancelled"
            assert gone == (booking["refund_minor"] is not None) == (booking["fee_minor"] is not None), booking
            if gone:
                assert booking["refund_minor"] + booking["fee_minor"] == booking["total_minor"], booking
                assert booking["refund_minor"] >= 0, booking
                assert booking["fee_minor"] >= 0, booking
                continue
            train = self.table("trains").find(booking["train_key"])  # type: ignore[assignment]
            if booking["status"] == "confirmed":
                assert booking["train_status"] == train["status"], booking
            for ticket in tickets:
                seat = (booking["offer_id"], ticket["seat"])
                assert seat not in taken, seat
                taken.add(seat)


def _shifted(stamp: str, seconds: int) -> str:
    """An ISO instant moved by some seconds, with the offset that it has."""
    return (dt.datetime.fromisoformat(stamp) + dt.timedelta(seconds=seconds)).isoformat()
