"""Looking for hotels, rooms and reservations."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.base import limited, paged
from lifegym.services.hotel_booking import places
from lifegym.services.hotel_booking.offers import HotelOffers, quote_id
from lifegym.services.tools import tool

__all__ = ["Guests", "HotelFilters", "HotelReading"]

Guests = Annotated[int, Field(ge=1, le=20)]
OFFERS_SHOWN = 3
HOTEL_SHOWN = (
    "hotel_id", "name", "city", "district", "address", "lat", "lng", "rating", "lift", "nearest_station",
    "station_distance_m", "amenities",
)  # fmt: skip
_HOTEL_HIDDEN = ("aliases", "request_answers", "rate_plan_ids")
_PLAN_HIDDEN = ("hotel_id", "rooms", "nights", "request_answers")
ROOM_SHOWN = ("currency", "payment", "late_checkout_latest", "late_checkout_ask_by", "breakfast", "notes")


class HotelFilters(TypedDict, total=False):
    """What a search keeps."""

    max_price_minor: Annotated[int, Field(gt=0)] | None
    lift: bool | None
    station_within_m: Annotated[int, Field(gt=0)] | None
    room_type: str | None
    min_rating: float | None
    refundable: bool | None
    amenities: list[str] | None


class HotelReading(HotelOffers):
    """Hotels of a portal, their rooms by the night, and the reservations of its guests."""

    @tool(write=False)
    def search_hotels(
        self,
        city_or_geo: str,
        check_in: str,
        check_out: str,
        guests: Guests,
        filters: HotelFilters | None = None,
        page: int = 1,
        page_size: int = 20,
    ) -> dict[str, Any]:
        """Search hotels that have a room for all nights of a stay, cheapest first.

        Hotels in the named place come before those whose name merely contains it; check city and district.

        Args:
            city_or_geo: City, district, station or hotel name, such as Kanazawa or "Osaka Tennoji"; or a point such
                as 34.646,135.514 or {"lat": 34.646, "lng": 135.514, "radius_km": 2} (5 km if left out).
            check_in: YYYY-MM-DD of the first night.
            check_out: YYYY-MM-DD of departure.
            guests: How many people share the room.
            filters: max_price_minor (a night, on average), lift (true), station_within_m, room_type, min_rating,
                refundable (true: free to cancel now), amenities (all of them).
            page: Page of results, from 1.
            page_size: Hotels on a page, up to 100.

        Returns:
            hotels: hotel_id, name, city, district, address, rating, lift, nearest_station, station_distance_m,
            amenities, distance_m (from a point), from_price_minor (a night, on average), currency and offers, the three
            cheapest: rate_plan_id (book with it), room_type, beds, nightly_minor, total_minor, currency, rooms_left,
            refundable, free_cancellation_until. total, page, pages; no_room (hotels there without a room to offer or
            filtered out); note.

        Errors:
            bad_date: A date is not YYYY-MM-DD.
            bad_dates: check_out is not after check_in, the stay is past, too long or too far off.
            bad_geo: The point is none.
            bad_page: page or page_size is out of range.
        """
        dates = self._stay(check_in, check_out, self._today_at(None))
        wishes = {key: value for key, value in (filters or {}).items() if value is not None and value is not False}
        spot = places.point(city_or_geo)
        complete = True
        if spot is None:
            found, complete = self.table("hotels").derive("directory", places.Directory).find(city_or_geo)
        else:
            found = places.near(spot, self.rows("hotels"))
        offers = self._offers(found, dates, guests, wishes)
        order = [
            (0 if spot else found[hotel_id][1], mine[0][0], -found[hotel_id][0]["rating"], hotel_id)
            for hotel_id, mine in offers.items()
        ]
        order.sort()
        part = paged(order, page, page_size)
        hotels = []
        for _, _, _, hotel_id in part.pop("rows"):
            hotel, metres = found[hotel_id]
            mine = offers[hotel_id]
            shown = [self._offered(offer, hotel, dates, check_out, guests) for offer in mine[:OFFERS_SHOWN]]
            hotels.append(
                {
                    **{key: hotel[key] for key in HOTEL_SHOWN},
                    **({"distance_m": metres} if spot else {}),
                    "from_price_minor": mine[0][0] // len(dates),
                    "currency": shown[0]["currency"],
                    "offers": shown,
                    "more_offers": max(0, len(mine) - OFFERS_SHOWN),
                }
            )
        note = ""
        if not found:
            note = "No hotel is known there; try the city's usual English name, a district, or a point lat,lng."
        elif not complete:
            note = f"No hotel fits all of {city_or_geo[:60]!r}; these fit a part of it."
        return {**part, "hotels": hotels, "no_room": len(found) - len(offers), "note": note}

    @tool(write=False)
    def get_hotel_details(self, hotel_id: str) -> dict[str, Any]:
        """Show a hotel: where it is, how to write to it, its hours, its rooms.

        Args:
            hotel_id: From search_hotels.

        Returns:
            The hotel: name, address, district, city, lat, lng, nearest_station, station_distance_m, lift, rating,
            amenities, phone, email (its genuine mail address), check_in_time, check_out_time, check_out_changes
            (other hours on some days), zone; rooms: rate_plan_id, room_type, beds, features, max_guests,
            amount_minor (usual price of a night), currency, payment, free_until or free_days_before (18:00 that day),
            non_refundable_after, late_keeps, free_change_until, change_fee_minor, late_checkout_latest,
            late_checkout_ask_by, breakfast, notes. Rules for given dates: get_room_availability.

        Errors:
            not_found: There is no such hotel.
        """
        hotel = self._hotel(hotel_id)
        shown = {key: value for key, value in hotel.items() if key not in _HOTEL_HIDDEN}
        rooms = [
            {key: value for key, value in plan.items() if key not in _PLAN_HIDDEN} for plan in self._plans(hotel_id)
        ]
        return {**shown, "zone": self._zone(hotel), "rooms": rooms}

    @tool(write=False)
    def get_room_availability(self, hotel_id: str, check_in: str, check_out: str, guests: Guests) -> dict[str, Any]:
        """Show what rooms a hotel has for a stay now, with the price of each night and the rules.

        Args:
            hotel_id: From search_hotels.
            check_in: YYYY-MM-DD of the first night.
            check_out: YYYY-MM-DD of departure.
            guests: How many people share the room.

        Returns:
            rooms, cheapest first: rate_plan_id (a quote for these dates; book with it), plan_id, room_type, beds,
            features, max_guests, nights (date, amount_minor), total_minor, currency, rooms_left, payment (at_booking
            or at_hotel: charged on arrival), refundable, free_cancellation_until, non_refundable_after,
            cancellation_rule, free_change_until, change_fee_minor, change_rule, late_checkout_latest,
            late_checkout_ask_by, breakfast, notes.
            sold_out: room types that lack a room on a night, with full_nights. too_small: room types for fewer guests.

        Errors:
            not_found: There is no such hotel.
            bad_date: A date is not YYYY-MM-DD.
            bad_dates: check_out is not after check_in, the stay is past, too long or too far off.
        """
        hotel = self._hotel(hotel_id)
        dates = self._stay(check_in, check_out, self._today_at(hotel))
        rooms, sold_out, too_small = [], [], []
        for plan in self._plans(hotel_id):
            prices, left = self._offer(plan, dates)
            if plan["max_guests"] < guests:
                too_small.append(plan["room_type"])
                continue
            if left < 1:
                full = [date for date in dates if self._left(plan, date) < 1]
                sold_out.append({"plan_id": plan["rate_plan_id"], "room_type": plan["room_type"], "full_nights": full})
                continue
            nights = [{"date": date, "amount_minor": price} for date, price in zip(dates, prices, strict=True)]
            rooms.append(
                {
                    "rate_plan_id": quote_id(plan["rate_plan_id"], check_in, check_out, guests),
                    "plan_id": plan["rate_plan_id"],
                    **{key: plan[key] for key in ("room_type", "beds", "features", "max_guests")},
                    "nights": nights,
                    "total_minor": sum(prices),
                    "rooms_left": left,
                    **self._told(self._terms(plan, hotel, check_in), plan["currency"]),
                    **{key: plan[key] for key in ROOM_SHOWN},
                }
            )
        rooms.sort(key=lambda room: room["total_minor"])
        return {
            "hotel_id": hotel_id,
            "hotel": hotel["name"],
            "check_in": check_in,
            "check_out": check_out,
            "guests": guests,
            "rooms": rooms,
            "sold_out": sold_out,
            "too_small": list(dict.fromkeys(too_small)),
        }

    @tool(write=False)
    def get_reservation(self, reservation_id: str) -> dict[str, Any]:
        """Show a reservation as it stands with the hotel now.

        Args:
            reservation_id: From create_reservation or list_reservations.

        Returns:
            The reservation: status (held, confirmed, cancelled, checked_in, checked_out), hotel, hotel_email,
            room_type, check_in, check_out, nights (date, amount_minor), total_minor, fees_minor, paid_minor,
            due_minor (still to be paid at the hotel), check_in_time, check_out_time (that hold for it),
            late_checkout, late_checkout_latest, late_checkout_ask_by, special_requests and history (the newest 20
            each), refundable, free_cancellation_until, cancellation_rule, free_change_until, change_rule.

        Errors:
            not_found: There is no such reservation.
        """
        return self._shown(self._reservation(reservation_id))

    @tool(write=False)
    def list_reservations(self, user_id: str, status_filter: str | None = None, limit: int = 50) -> dict[str, Any]:
        """List a user's reservations by their arrival.

        Args:
            user_id: Whose.
            status_filter: held, confirmed, cancelled, checked_in or checked_out; all if left out.
            limit: How many at most, up to 200.

        Returns:
            reservations: reservation_id, hotel_id, hotel, city, rate_plan_id, room_type, guest_name, guests, check_in,
            check_out, status, total_minor, paid_minor, currency; total (how many match).

        Errors:
            bad_limit: limit is not between 1 and 200.
        """
        found = [
            row
            for row in self.rows("reservations")
            if row["user_id"] == user_id and (status_filter is None or row["status"] == status_filter)
        ]
        found.sort(key=lambda row: row["check_in"])
        return {"reservations": [self._listed(row) for row in limited(found, limit)], "total": len(found)}

    @tool(write=False)
    def get_user_bookings_summary(self, user_id: str) -> dict[str, Any]:
        """Sum up a user's reservations: how many in each state, the stays to come, and the money.

        Args:
            user_id: Whose.

        Returns:
            counts (status to number), upcoming (up to 20 stays that have not ended: reservation_id, hotel_id, hotel,
            city, rate_plan_id, room_type, guest_name, guests, check_in, check_out, status, total_minor, paid_minor,
            currency), upcoming_nights, paid_minor and due_minor (each currency to amount in minor units; paid
            includes what cancelled stays kept).
        """
        mine = [row for row in self.rows("reservations") if row["user_id"] == user_id]
        counts: dict[str, int] = {}
        paid: dict[str, int] = {}
        due: dict[str, int] = {}
        for row in mine:
            counts[row["status"]] = counts.get(row["status"], 0) + 1
            currency = row["currency"]
            paid[currency] = paid.get(currency, 0) + row["paid_minor"]
            due[currency] = due.get(currency, 0) + self._due(row)
        coming = [row for row in mine if row["status"] in ("held", "confirmed", "checked_in")]
        coming.sort(key=lambda row: row["check_in"])
        return {
            "user_id": user_id,
            "counts": counts,
            "upcoming": [self._listed(row) for row in coming[:20]],
            "upcoming_nights": sum(len(row["nights"]) for row in coming),
            "paid_minor": paid,
            "due_minor": due,
        }
