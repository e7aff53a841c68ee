"""Looking for trains: stations by any of their names, departures, offers, what the board says, what is booked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, get_args

from lifegym.services.base import limited
from lifegym.services.rail_booking.fares import most_together, sit_together
from lifegym.services.rail_booking.inventory import RailInventory
from lifegym.services.rail_booking.life import offer_key, train_key
from lifegym.services.rail_booking.records import SeatClass
from lifegym.services.search import Index, fold, words
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["RailReading"]

_CLASSES = get_args(SeatClass)
_CLASS_WORDS = {
    "2nd": "standard",
    "second": "standard",
    "economy": "standard",
    "ordinary": "standard",
    "reserved": "standard",
    "1st": "first",
    "green": "first",
    "premium": "business",
    "berth": "sleeper",
    "couchette": "sleeper",
}
_STATION_WORD = re.compile(r"(?:\s+(?:railway|train))?\s+(?:station|stn|sta)\.?$")


class RailReading(RailInventory):
    """The tools that change nothing."""

    @tool(write=False)
    def search_trains(
        self,
        origin: str,
        dest: str,
        date: str,
        passengers: list[dict[str, Any]] | None = None,
        seat_class: str | None = None,
        max_results: int = 20,
    ) -> dict[str, Any]:
        """Find direct trains between two stations or cities on a date, by departure, with their offers.

        A city means all of its stations. Trains that are cancelled, sold out or gone are listed too, with can_book
        false. Times are those of the timetable; expected_departs differs where a train is late.

        Args:
            origin: Station or city to leave from, by name or station code, e.g. Ueno or Tokyo.
            dest: Station or city to go to.
            date: YYYY-MM-DD of the departure, by the clocks at the origin.
            passengers: Who travels, as in create_train_booking; one adult if left out.
            seat_class: standard, first, business or sleeper; all classes if left out.
            max_results: How many trains at most, 1 to 100.

        Returns:
            origin, dest: the stations that were understood. trains: train_no, date, name, origin, dest, departs,
            arrives, expected_departs, duration_min, status (scheduled, running, delayed, cancelled, departed, arrived),
            note, offers (offer_id, seat_class, price_minor for one adult, total_minor for all with reductions,
            currency, seats_left, seats_together (the most side by side), can_sit_together (all passengers),
            refund_fee_minor per person, valid_until, can_book, why_not). total: how many trains there are.

        Errors:
            unknown_station: origin or dest is like no station or city.
            bad_date: date is no date.
            bad_passengers: A passenger has no name or a wrong type, is listed twice, or there are none or too many.
            bad_seat_class: There is no such class.
            bad_limit: max_results is not between 1 and 100.
        """
        start, end = self._stations(origin, "origin"), self._stations(dest, "dest")
        day = self.day(date, "date").isoformat()
        party = [{"name": "", "type": "adult", "user_id": ""}] if passengers is None else self._party(passengers)
        classes = _CLASSES if seat_class is None else (_seat_class(seat_class),)
        found = []
        for train in self.table("trains").derive("by_day", _by_day).get(day, ()):
            if train["origin"] in start and train["dest"] in end:
                keys = [offer_key(train["train_key"], name) for name in classes]
                offers = [offer for key in keys if (offer := self.find("offers", key)) is not None]
                if offers:
                    found.append((self.seconds(train["departs"]), train["train_no"], train, offers))
        found.sort(key=lambda item: item[:2])
        shown = limited(found, max_results, 100)
        return {
            "origin": list(start.values()),
            "dest": list(end.values()),
            "date": day,
            "trains": [self._listing(train, offers, party) for _, _, train, offers in shown],
            "total": len(found),
        }

    @tool(write=False)
    def get_train_offer(self, offer_id: str) -> dict[str, Any]:
        """Show one offer: its train, price, seats, and what giving the ticket back costs.

        Args:
            offer_id: From search_trains.

        Returns:
            offer_id, seat_class, price_minor (one adult), currency, child_percent, student_percent, senior_percent
            (of the price), seats_left, seats_together (the most side by side), refund_fee_minor per person,
            valid_until, sale_opens, can_book, why_not; train: train_no, date, name, origin, dest, departs, arrives,
            expected_departs, duration_min, status, note.

        Errors:
            not_found: There is no such offer.
        """
        offer = self._offer(offer_id)
        train = self._train_of(offer)
        percents = {key: offer[key] for key in ("child_percent", "student_percent", "senior_percent")}
        adult = [{"name": "", "type": "adult", "user_id": ""}]
        return {
            **self._offered(offer, adult),
            **percents,
            "sale_opens": train["sale_opens"],
            "train": self._timing(train),
        }

    @tool(write=False)
    def price_train_offer(self, offer_id: str, passengers: list[dict[str, Any]]) -> dict[str, Any]:
        """Reckon what an offer costs these passengers, with the reductions for children, students and seniors.

        A student pays the student price with both proofs verified, a discount_zone whose two cities the train joins,
        and a student journey left; otherwise the full fare, and notes says why.

        Args:
            offer_id: From search_trains.
            passengers: For each: name (or given_name and family_name), type (adult, child, student or senior; adult
                if left out), user_id (needed for the student price).

        Returns:
            offer_id; passengers (name, type, user_id, fare_minor, discount); total_minor, currency;
            refund_fee_minor per person; seats_left, can_sit_together, can_book, why_not; notes.

        Errors:
            not_found: There is no such offer.
            bad_passengers: A passenger has no name or a wrong type, is listed twice, or there are none or too many.
        """
        offer = self._offer(offer_id)
        party = self._party(passengers)
        quote = self._quote(offer, party)
        offered = self._offered(offer, party)
        kept = ("currency", "refund_fee_minor", "seats_left", "can_sit_together", "can_book", "why_not")
        return {
            "offer_id": offer_id,
            "passengers": quote.tickets,
            "total_minor": quote.total_minor,
            **{key: offered[key] for key in kept},
            "notes": quote.notes,
        }

    @tool(write=False)
    def get_train_status(self, train_no: str, date: str) -> dict[str, Any]:
        """Show what the departure board says of a train: whether it runs, when, from which platform.

        Args:
            train_no: Number of the train, e.g. TH22.
            date: YYYY-MM-DD of its departure.

        Returns:
            train_no, date, name, origin, dest, departs, arrives (timetable), expected_departs, expected_arrives,
            delay_min (at departure), arrival_delay_min, status (scheduled, running, delayed, cancelled, departed,
            arrived), platform, note, as_of; refund_if_cancelled (full or less_fee) where the railway cancelled it.

        Errors:
            bad_date: date is no date.
            not_found: No train of that number leaves on that date.
        """
        day = self.day(date, "date").isoformat()
        train = self.find("trains", train_key(train_no, day))
        if train is None:
            raise ToolError("not_found", f"no train {train_no[:20]!r} leaves on {day}{self._running_days(train_no)}")
        late = self._departure(train) - self.seconds(train["departs"])
        reached = self._arrival(train) - self.seconds(train["arrives"])
        status = self._live_status(train)
        shown = {
            **self._timing(train),
            "expected_arrives": train["expected_arrives"] or train["arrives"],
            "delay_min": late // clock.MINUTE,
            "arrival_delay_min": reached // clock.MINUTE,
            "platform": train["platform"],
            "as_of": self.stamp(),
        }
        return {**shown, "refund_if_cancelled": train["cancel_refund"]} if status == "cancelled" else shown

    @tool(write=False)
    def list_train_bookings(
        self, user_id: str | None = None, status_filter: str | None = None, limit: int = 50
    ) -> dict[str, Any]:
        """List train bookings as they were bought, by departure. Whether a train runs is told by get_train_status.

        Args:
            user_id: Only bookings that this user made or travels on; all if left out.
            status_filter: confirmed, cancelled or completed; all if left out.
            limit: How many at most, 1 to 200.

        Returns:
            bookings: booking_ref, user_id, status (of the booking), offer_id, train_no, date, origin, dest, departs,
            arrives (as on the ticket), seat_class, passengers (name, type, user_id, seat, fare_minor, discount),
            seats_together, total_minor, currency, refund_fee_minor per person, method, contact, created_at; when
            cancelled: cancelled_at, reason, refund_minor, fee_minor, changed_to. total: how many match.

        Errors:
            bad_limit: limit is not between 1 and 200.
        """
        found = [
            booking
            for booking in self.rows("bookings")
            if (status_filter is None or booking["status"] == status_filter)
            and (
                user_id is None
                or booking["user_id"] == user_id
                or any(ticket.get("user_id") == user_id for ticket in booking["passengers"])
            )
        ]
        found.sort(key=lambda booking: self.seconds(booking["departs"]))
        return {"bookings": [self._shown(booking) for booking in limited(found, limit)], "total": len(found)}

    @tool(write=False)
    def get_student_profile(self, user_id: str) -> dict[str, Any]:
        """Show a student's proofs and whether they get the student price.

        Args:
            user_id: Whose profile.

        Returns:
            user_id, name, school, xuexin_status and school_proof_status (not_submitted, pending, verified, rejected,
            expired), discount_zone ("City - City"), uses_left (student journeys), note, updated_at; eligible, lacking.

        Errors:
            not_found: This user has no student profile.
        """
        return self._profile(self.get("students", user_id, "student profile", "update_student_verification begins one"))

    # -- inside --------------------------------------------------------------------------------------------------

    def _profile(self, student: Record) -> dict[str, Any]:
        lacking = self._unproven(student) + ([] if student["uses_left"] else ["no student journeys are left"])
        return {**student, "eligible": not lacking, "lacking": lacking}

    def _offer(self, offer_id: str) -> Record:
        return self.get("offers", offer_id, "offer", "rail_booking.search_trains shows offers")

    def _train_of(self, offer: Record) -> Record:
        return self.get("trains", offer["train_key"], "train")

    def _stations(self, text: str, argument: str) -> dict[str, str]:
        """The stations that somebody means: code to name.

        Raises:
            ToolError: ``unknown_station``.
        """
        wanted = _STATION_WORD.sub("", fold(text).strip())
        stations = self.table("stations")
        called = stations.derive("called", _called)
        if found := called.get(wanted):
            return found
        meant = stations.derive("names", _names).rank(wanted, need_all=True) if words(wanted) else []
        if not meant:
            known = ", ".join(list(dict.fromkeys(row["name"] for row in stations.rows()))[:12])
            raise ToolError("unknown_station", f"{argument}: {text[:60]!r} is no station or city here; such as {known}")
        return called[fold(meant[0])]

    def _running_days(self, train_no: str) -> str:
        number = train_key(train_no, "").rstrip("@")
        days = [train["date"] for train in self.rows("trains") if train["train_no"] == number]
        return f"; it leaves on {', '.join(sorted(days)[:8])}" if days else "; search_trains shows train numbers"

    def _timing(self, train: Record) -> dict[str, Any]:
        return {
            "train_no": train["train_no"],
            "date": train["date"],
            "name": train["name"],
            "origin": self._station_name(train["origin"]),
            "dest": self._station_name(train["dest"]),
            "departs": train["departs"],
            "arrives": train["arrives"],
            "expected_departs": train["expected_departs"] or train["departs"],
            "duration_min": (self.seconds(train["arrives"]) - self.seconds(train["departs"])) // clock.MINUTE,
            "status": self._live_status(train),
            "note": train["note"],
        }

    def _listing(self, train: Record, offers: list[Record], party: list[dict[str, str]]) -> dict[str, Any]:
        listed = []
        for offer in offers:
            offered = self._offered(offer, party)
            listed.append({**offered, "total_minor": self._quote(offer, party).total_minor})
        return {**self._timing(train), "offers": listed}

    def _offered(self, offer: Record, party: list[dict[str, str]]) -> dict[str, Any]:
        """An offer as a traveller sees it."""
        why_not = self._why_not(offer, len(party))
        return {
            "offer_id": offer["offer_id"],
            "seat_class": offer["seat_class"],
            "price_minor": offer["price_minor"],
            "currency": offer["currency"],
            "seats_left": offer["seats_left"],
            "seats_together": most_together(offer),
            "can_sit_together": sit_together(offer, len(party)),
            "refund_fee_minor": offer["refund_fee_minor"],
            "valid_until": offer["valid_until"],
            "can_book": not why_not,
            "why_not": why_not,
        }

    @staticmethod
    def _shown(booking: Record) -> dict[str, Any]:
        """A booking as its holder sees it: the ticket, which does not change when the train does."""
        return {key: value for key, value in booking.items() if key not in ("train_status", "train_key")}


def _by_day(trains: Iterable[Record]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for train in trains:
        found.setdefault(train["date"], []).append(train)
    return found


def _called(stations: Iterable[Record]) -> dict[str, dict[str, str]]:
    """Folded code, name, city or alias to the stations that it means: code to name."""
    found: dict[str, dict[str, str]] = {}
    for row in stations:
        for text in (row["name"], row["city"], row["code"], *row["aliases"]):
            found.setdefault(fold(text), {})[row["code"]] = row["name"]
    return found


def _names(stations: Iterable[Record]) -> Index[str]:
    """Names, cities and aliases; those of fewer words first: "Kanazwa" means Kanazawa before Kanazawa-hakkei."""
    names = dict.fromkeys(name for row in stations for name in (row["name"], row["city"], *row["aliases"]))
    return Index(sorted(names, key=lambda name: len(re.findall(r"\w+", name))), lambda name: ((name, 1.0),))


def _seat_class(text: str) -> str:
    word = fold(text).strip().removesuffix(" class").strip()
    word = _CLASS_WORDS.get(word, word)
    if word not in _CLASSES:
        raise ToolError("bad_seat_class", f"seat_class is one of {', '.join(_CLASSES)}")
    return word
