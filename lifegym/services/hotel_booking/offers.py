"""Rooms on offer for a stay, their quotes, and reservations as they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from lifegym.services.hotel_booking import places
from lifegym.services.hotel_booking.inventory import HotelBookingInventory
from lifegym.services.tools import ToolError
from lifegym.world.record import Record

__all__ = ["HotelOffers", "Offer", "quote_id"]

NOTES_SHOWN = 20


Offer = tuple[int, Record, int]
"""What a stay costs on a rate plan that has a room on every night, the plan, and how many rooms are left."""

_price = itemgetter(0)


def quote_id(plan_id: str, check_in: str, check_out: str, guests: int) -> str:
    """The id by which a room is booked for a stay."""
    return f"{plan_id}|{check_in}|{check_out}|{guests}"


class HotelOffers(HotelBookingInventory):
    """What is on offer, and how reservations are shown."""

    def _offers(
        self, found: dict[str, tuple[Record, int]], dates: Sequence[str], guests: int, wishes: dict[str, Any]
    ) -> dict[str, list[Offer]]:
        """What fits the wishes, by hotel, each hotel's cheapest first."""
        count = len(dates)
        ceiling = wishes.get("max_price_minor", 0) * count
        room_type, refundable = wishes.get("room_type"), "refundable" in wishes
        offers: dict[str, list[Offer]] = {}
        plans = self.table("rate_plans").derive("by_id", _by_id)
        for hotel_id, (hotel, _) in found.items():
            if wishes and not _suits(hotel, wishes):
                continue
            mine: list[Offer] = []
            for plan_id in hotel["rate_plan_ids"]:
                plan = plans.get(plan_id)
                if plan is None or plan["max_guests"] < guests:
                    continue
                if room_type and not places.has_words(room_type, plan["room_type"]):
                    continue
                nights = plan["nights"]
                if nights and not nights.keys().isdisjoint(dates):
                    prices, left = self._offer(plan, dates)
                    total = sum(prices)
                else:
                    total, left = plan["amount_minor"] * count, plan["rooms"]
                if left < 1 or (ceiling and total > ceiling):
                    continue
                if refundable and not self._still(self._free_end(self._terms(plan, hotel, dates[0]))):
                    continue
                mine.append((total, plan, left))
            if mine:
                if len(mine) > 1:
                    mine.sort(key=_price)
                offers[hotel_id] = mine
        return offers

    def _offered(
        self, offer: Offer, hotel: Record, dates: Sequence[str], check_out: str, guests: int
    ) -> dict[str, Any]:
        """An offer as a search shows it."""
        total, plan, left = offer
        free = self._free_end(self._terms(plan, hotel, dates[0]))
        return {
            "rate_plan_id": quote_id(plan["rate_plan_id"], dates[0], check_out, guests),
            "room_type": plan["room_type"],
            "beds": plan["beds"],
            "nightly_minor": total // len(dates),
            "total_minor": total,
            "currency": plan["currency"],
            "rooms_left": left,
            "refundable": self._still(free),
            "free_cancellation_until": free,
        }

    def _quoted(
        self, rate_plan_id: str, check_in: str | None, check_out: str | None, guests: int | None
    ) -> tuple[Record, str, str, int]:
        """Plan, dates and guests that a quote names; what is given beside it counts before what the quote says.

        Raises:
            ToolError: ``not_found``, ``bad_quote``.
        """
        plan_id, *parts = rate_plan_id.split("|")
        if parts and (len(parts) != 3 or not parts[2].isascii() or not parts[2].isdigit() or len(parts[2]) > 2):
            raise ToolError(
                "bad_quote", "copy rate_plan_id from get_room_availability; it has plan|check_in|check_out|guests"
            )
        plan = self._plan(plan_id)
        quoted_in, quoted_out, quoted_guests = parts or ("", "", "0")
        first, last, people = check_in or quoted_in, check_out or quoted_out, guests or int(quoted_guests)
        if not (first and last and people):
            raise ToolError(
                "bad_quote",
                "a plan's id alone does not say for when and for how many; copy rate_plan_id from"
                " get_room_availability, or give check_in, check_out and guests",
            )
        return plan, first, last, people

    # -- reservations --------------------------------------------------------------------------------------------

    def _reservation(self, reservation_id: str) -> Record:
        return self.get("reservations", reservation_id, "reservation", "hotel_booking.list_reservations shows them")

    @staticmethod
    def _due(row: Record) -> int:
        """What the hotel will still charge."""
        if row["status"] not in ("held", "confirmed", "checked_in"):
            return 0
        due: int = row["total_minor"] + row["fees_minor"] - row["paid_minor"]
        return due

    def _listed(self, row: Record) -> dict[str, Any]:
        """A reservation in a list."""
        hotel = self.find("hotels", row["hotel_id"]) or {"name": "", "city": ""}
        keys = (
            "rate_plan_id", "room_type", "guest_name", "guests", "check_in", "check_out", "status", "total_minor",
            "paid_minor", "currency",
        )  # fmt: skip
        return {
            "reservation_id": row["reservation_id"],
            "hotel_id": row["hotel_id"],
            "hotel": hotel["name"],
            "city": hotel["city"],
            **{key: row[key] for key in keys},
        }

    def _shown(self, row: Record) -> dict[str, Any]:
        """A reservation with its hotel, its rules, and what is still to pay."""
        hotel, plan = self._hotel(row["hotel_id"]), self._plan(row["rate_plan_id"])
        return {
            **row,
            **self._told(row, row["currency"]),
            "special_requests": row["special_requests"][-NOTES_SHOWN:],
            "history": row["history"][-NOTES_SHOWN:],
            "hotel": hotel["name"],
            "city": hotel["city"],
            "address": hotel["address"],
            "hotel_email": hotel["email"],
            "beds": plan["beds"],
            "check_in_time": hotel["check_in_time"],
            "late_checkout_latest": plan["late_checkout_latest"],
            "late_checkout_ask_by": plan["late_checkout_ask_by"],
            "due_minor": self._due(row),
        }


def _by_id(plans: Iterable[Record]) -> dict[str, Record]:
    return {plan["rate_plan_id"]: plan for plan in plans}


def _suits(hotel: Record, wishes: dict[str, Any]) -> bool:
    if "lift" in wishes and not hotel["lift"]:
        return False
    if hotel["rating"] < wishes.get("min_rating", 0.0):
        return False
    metres = hotel["station_distance_m"]
    if "station_within_m" in wishes and (metres is None or metres > wishes["station_within_m"]):
        return False
    return all(any(places.has_words(wish, own) for own in hotel["amenities"]) for wish in wishes.get("amenities", ()))
