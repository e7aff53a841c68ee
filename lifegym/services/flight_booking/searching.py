"""Looking for flights: offers, their prices and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.base import paged
from lifegym.services.flight_booking.fares import Party, adult_child_infant, extras_total, fare
from lifegym.services.flight_booking.inventory import FlightBookingInventory
from lifegym.services.flight_booking.life import OVER
from lifegym.services.flight_booking.parameters import MOST_EXTRAS, ExtraSelection
from lifegym.services.flight_booking.records import Cabin
from lifegym.services.flight_booking.ways import Ways, flight_line, trips_of
from lifegym.services.search import fold
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["FlightBookingSearch", "Sort"]

Sort = Literal["price_asc", "price_desc", "duration_asc", "departure_asc"]
Travellers = Annotated[int, Field(ge=0, le=9)]


class FlightBookingSearch(FlightBookingInventory):
    """The tools that look at offers."""

    @tool(write=False)
    def search_flights(
        self,
        origin: str,
        destination: str,
        departure_date: str,
        return_date: str | None = None,
        adults: Annotated[int, Field(ge=1, le=9)] = 1,
        children: Travellers = 0,
        infants: Travellers = 0,
        cabin: Cabin = "ECONOMY",
        currency: str = "CNY",
        max_results: int = 20,
        sort: Sort = "price_asc",
        non_stop: bool = False,
        carriers: list[str] | None = None,
        page: int = 1,
    ) -> dict[str, Any]:
        """Search the offers between two places on given dates, for a party.

        With a return date there are round trips only, without one one-way trips only. A round trip may be an open jaw:
        the way back leaves from another city of the destination's country and ends where the trip began.

        Args:
            origin: City or IATA code; a city means all of its airports (Tokyo is NRT and HND).
            destination: City or IATA code.
            departure_date: YYYY-MM-DD, local date of the first departure.
            return_date: YYYY-MM-DD, local date on which the way back begins.
            adults: Travellers from 12 years, at least 1.
            children: Travellers from 2 to 11 years.
            infants: Travellers under 2 years, each on an adult's lap.
            cabin: ECONOMY, PREMIUM_ECONOMY, BUSINESS or FIRST.
            currency: ISO 4217 code of the currency that the offers are sold in; nothing is converted.
            max_results: How many offers on one page, up to 50.
            sort: price_asc, price_desc, duration_asc (all time under way) or departure_asc.
            non_stop: Only trips without a change of planes.
            carriers: Only trips flown by these carriers (codes such as HD, or names).
            page: Which page, from 1.

        Returns:
            offers: offer_id, price_total_minor (the whole party, minor units), price_adult_minor, currency, cabin,
            seats_left, valid_until, refundable, open_jaw, outbound and inbound (null if one-way), each with from, to,
            departs, arrives (local times), duration_minutes, stops and flights (flight_no, date, carrier, from, to,
            departs, arrives, equipment, connection_minutes before it); total, page, pages; note where something is
            worth knowing, such as offers in another currency.

        Errors:
            unknown_place: No airport is like origin or destination.
            same_place: Origin and destination are the same place.
            bad_date: A date is wrong, or return_date is before departure_date.
            bad_party: More than 9 travellers, or more infants than adults.
            bad_page: page is not 1 or more, or max_results is not between 1 and 50.
        """
        party = Party(adults, children, infants).checked()
        leaves = self.day(departure_date, "departure_date")
        returns = self.day(return_date, "return_date") if return_date else None
        if returns is not None and returns < leaves:
            raise ToolError("bad_date", "return_date is before departure_date")
        start, end = self._place(origin, "origin"), self._place(destination, "destination")
        if not {row["code"] for row in start}.isdisjoint(row["code"] for row in end):
            raise ToolError("same_place", f"origin and destination both mean {start[0]['city']}; name another place")
        on_route = self._on_route(start, end, departure_date, return_date)
        fitting = [
            offer
            for offer in on_route
            if offer["cabin"] == cabin
            and (not non_stop or (len(offer["outbound"]) == 1 and len(offer["inbound"]) < 2))
            and (not carriers or self._flown_by(offer, carriers))
        ]
        enough = [offer for offer in fitting if offer["seats_left"] >= party.seats]
        wanted = currency.strip().upper()
        found = [offer for offer in enough if offer["currency"] == wanted]
        self._sort(found, sort, party)
        result = paged(found, page, max_results, most=50)
        ways = self._ways()
        rows = [self._summary(offer, party, ways) for offer in result.pop("rows")]
        note = self._note(on_route, fitting, enough, wanted)
        return {"offers": rows, **result, **({"note": note} if note else {})}

    @tool(write=False)
    def get_flight_offer(self, offer_id: str) -> dict[str, Any]:
        """Show one offer with all of its conditions.

        Args:
            offer_id: From search_flights.

        Returns:
            offer_id; outbound and inbound with their flights; segments (segment_idx, flight_no, date, from, to,
            departs, arrives, equipment, status), as seats are chosen by segment_idx; prices per adult, child and
            infant; currency, cabin, seats_left, valid_until, still_valid and, if not, why_not; refundable,
            change_fee_minor and cancel_fee_minor (per passenger), hold_hours (0: no hold), baggage, fare_note, extras
            (code, title, price_minor per passenger and way).

        Errors:
            not_found: There is no such offer.
        """
        offer = self._offer(offer_id)
        obstacle = self._obstacle(offer)
        _, child, infant = adult_child_infant(offer)
        view = self._summary(offer, Party(1, 0, 0), self._ways())
        del view["price_total_minor"]
        return {
            **view,
            "segments": self._segments(offer),
            "price_child_minor": child,
            "price_infant_minor": infant,
            "still_valid": obstacle is None,
            **({"why_not": obstacle.message} if obstacle else {}),
            "hold_hours": offer["hold_hours"],
            "change_fee_minor": offer["change_fee_minor"],
            "cancel_fee_minor": offer["cancel_fee_minor"],
            "baggage": offer["baggage"],
            "fare_note": offer["fare_note"],
            "extras": offer["extras"],
        }

    @tool(write=False)
    def price_offer(
        self,
        offer_id: str,
        adults: Annotated[int, Field(ge=1, le=9)] = 1,
        children: Travellers = 0,
        infants: Travellers = 0,
        extras: Annotated[list[ExtraSelection], Field(max_length=MOST_EXTRAS)] | None = None,
    ) -> dict[str, Any]:
        """Reckon what an offer costs a party now, and whether it can still be booked. Nothing is reserved.

        Args:
            offer_id: From search_flights.
            adults: Travellers from 12 years, at least 1.
            children: Travellers from 2 to 11 years.
            infants: Travellers under 2 years.
            extras: Extras to include: code, and way (outbound or return) where it is not for all ways; passenger is
                an index from 0, adults first.

        Returns:
            valid (whether this party can book it now), why_not, currency, price_adult_minor, price_child_minor,
            price_infant_minor, fare_minor (the party), extras_minor, total_minor, seats_left, valid_until.

        Errors:
            not_found: There is no such offer.
            bad_party: More than 9 travellers, or more infants than adults.
            unknown_extra: The offer has no such extra, or no such way.
            unknown_passenger: An extra is for nobody of the party.
        """
        offer = self._offer(offer_id)
        party = Party(adults, children, infants).checked()
        nameless = [{"given_name": "Traveller", "family_name": str(n)} for n in range(sum(party))]
        chosen = self._extras_chosen(offer, nameless, extras or [])
        obstacle = self._obstacle(offer, party.seats)
        adult, child, infant = adult_child_infant(offer)
        cost = fare(offer, party)
        return {
            "offer_id": offer_id,
            "valid": obstacle is None,
            **({"why_not": obstacle.message} if obstacle else {}),
            "currency": offer["currency"],
            "price_adult_minor": adult,
            "price_child_minor": child,
            "price_infant_minor": infant,
            "fare_minor": cost,
            "extras_minor": extras_total(chosen),
            "total_minor": cost + extras_total(chosen),
            "seats_left": offer["seats_left"],
            "valid_until": offer["valid_until"],
        }

    # -- inside: offers ------------------------------------------------------------------------------------------

    def _offer(self, offer_id: str) -> Record:
        return self.get("offers", offer_id, "offer", "flight_booking.search_flights finds offers")

    def _obstacle(self, offer: Record, seats: int = 1) -> ToolError | None:
        """What keeps a party from booking an offer (offer_lapsed, flight_cancelled, sold_out), or None."""
        if self.seconds(offer["valid_until"]) < self.now:
            return ToolError("offer_lapsed", f"the offer ended at {offer['valid_until']}; search again")
        for flight_id in (*offer["outbound"], *offer["inbound"]):
            status = self._flight(flight_id)["status"]
            if status == "cancelled":
                return ToolError("flight_cancelled", f"the carrier has cancelled {flight_id}; choose another offer")
            if status in OVER:
                return ToolError("offer_lapsed", f"{flight_id} has departed; search for a later date")
        if offer["seats_left"] < seats:
            return ToolError("sold_out", f"{offer['seats_left']} seats are left at this fare; choose another offer")
        return None

    def _extras_chosen(
        self, offer: Record, passengers: Sequence[Any], wishes: Sequence[ExtraSelection]
    ) -> list[dict[str, Any]]:
        """The extras that are wished for, one entry per passenger and way.

        Raises:
            ToolError: ``unknown_extra``, ``unknown_passenger``.
        """
        ways = ("outbound", "return") if offer["inbound"] else ("outbound",)
        sold = {extra["code"]: extra for extra in offer["extras"]}
        chosen = []
        for wish in wishes:
            extra, way = sold.get(wish["code"]), wish.get("way")
            if extra is None or (way and way not in ways):
                known = ", ".join(sold) or "none"
                raise ToolError(
                    "unknown_extra", f"{wish['code'][:40]!r} is not sold here; extras: {known}; ways: {', '.join(ways)}"
                )
            index = self._passenger(passengers, wish.get("passenger", 0))
            chosen += [{**extra, "pax_idx": index, "direction": each} for each in ((way,) if way else ways)]
        return chosen

    # -- inside: the search --------------------------------------------------------------------------------------

    def _ways(self) -> Ways:
        return self.table("flights").derive("ways", Ways)

    def _on_route(
        self, start: tuple[Record, ...], end: tuple[Record, ...], leaves: str, returns: str | None
    ) -> list[Record]:
        """Offers that can be booked still, on these days between these airports."""
        names = self._names()
        ends = {row["code"] for row in end}
        homes = {code for row in start for code in names.of_city[row["city"], row["country"]]}
        abroad = {code for row in end for code in names.of_country[row["country"]]}
        ways, trips = self._ways(), self.table("offers").derive("trips", trips_of)
        now = self.now
        found: list[tuple[int, Record]] = []
        for flight_id in (each for row in start for each in ways.leaving(row["code"], leaves)):
            for (outbound, inbound), offers in trips.get((flight_id, returns or ""), {}).items():
                way = ways.of(outbound)
                if way.over or way.destination not in ends:
                    continue
                if inbound:
                    back = ways.of(inbound)
                    if back.over or back.destination not in homes or back.origin not in abroad:
                        continue
                found.extend(item for item in offers if self.seconds(item[1]["valid_until"]) >= now)
        found.sort(key=itemgetter(0))
        return [offer for _, offer in found]

    def _flown_by(self, offer: Record, carriers: Sequence[str]) -> bool:
        wanted = {fold(name).strip() for name in carriers}
        flights = [self._flight(flight_id) for flight_id in (*offer["outbound"], *offer["inbound"])]
        return all(fold(row["carrier"]) in wanted or fold(row["carrier_name"]) in wanted for row in flights)

    def _sort(self, offers: list[Record], sort: Sort, party: Party) -> None:
        way = self._ways().of

        def under_way(offer: Record) -> int:
            ways = [way(flights) for flights in (offer["outbound"], offer["inbound"]) if flights]
            return sum(each.arrives - each.leaves for each in ways)

        if sort == "duration_asc":
            offers.sort(key=lambda offer: (under_way(offer), fare(offer, party)))
        elif sort == "departure_asc":
            offers.sort(key=lambda offer: (way(offer["outbound"]).leaves, fare(offer, party)))
        else:
            offers.sort(key=lambda offer: fare(offer, party), reverse=sort == "price_desc")

    @staticmethod
    def _note(on_route: list[Record], fitting: list[Record], enough: list[Record], currency: str) -> str:
        """What somebody should know who finds little or nothing."""
        others = sorted({offer["currency"] for offer in enough} - {currency})
        if others:
            hidden = sum(offer["currency"] != currency for offer in enough)
            return f"{hidden} more offers are sold in {', '.join(others)}; search with that currency to see them"
        if enough:
            return ""
        if fitting:
            return "offers on these dates have fewer seats left than the party needs"
        if on_route:
            return "there are offers on these dates, but not with this cabin, non_stop and carriers"
        return "no offers on these dates; try other dates, or each way by itself without return_date"

    # -- inside: how offers look ---------------------------------------------------------------------------------

    def _summary(self, offer: Record, party: Party, ways: Ways) -> dict[str, Any]:
        """One offer of a list."""
        outbound = ways.of(offer["outbound"])
        inbound = ways.of(offer["inbound"]) if offer["inbound"] else None
        return {
            "offer_id": offer["offer_id"],
            "price_total_minor": fare(offer, party),
            "price_adult_minor": offer["price_adult_minor"],
            "currency": offer["currency"],
            "cabin": offer["cabin"],
            "seats_left": offer["seats_left"],
            "valid_until": offer["valid_until"],
            "refundable": offer["refundable"],
            "open_jaw": inbound is not None and not self._same_city(outbound.destination, inbound.origin),
            "outbound": outbound.shown,
            "inbound": inbound and inbound.shown,
        }

    def _segments(self, offer: Record) -> list[dict[str, Any]]:
        flights = [self._flight(flight_id) for flight_id in (*offer["outbound"], *offer["inbound"])]
        return [
            {"segment_idx": index, **flight_line(flight), "status": flight["status"]}
            for index, flight in enumerate(flights)
        ]
