"""Believable advice and visas for countries that a task is not about."""

from __future__ import annotations

import datetime as dt
import random
from typing import Annotated

from pydantic import Field

from lifegym.services.tools import generator
from lifegym.services.types import Currency
from lifegym.services.visa_and_advisory.countries import COUNTRIES, country_code, country_name
from lifegym.services.visa_and_advisory.life import VisaAndAdvisoryLife
from lifegym.world import clock

__all__ = ["VisaAndAdvisoryInventory"]

_ADVICE = {
    1: ("Usual care", "Take the care you would take at home. Pickpockets work in crowded stations and markets."),
    2: ("More care", "Demonstrations can block streets at short notice. Follow local news and keep away from crowds."),
    3: ("Think again", "Some regions are unsafe after dark. Stay on main roads and register your journey."),
    4: ("Do not travel", "Help for travellers is hardly possible. Leave while commercial flights still run."),
}
_SEASONS = (
    "The rainy season brings floods and landslides.",
    "Heat above 38 degrees is common in summer.",
    "Snow closes mountain roads in winter.",
    "Tap water is safe in the cities only.",
    "Carry some cash; cards fail outside the cities.",
)
_VALIDITY = ("for the whole stay", "three months beyond departure", "six months beyond arrival")
_MEDICINE = (
    "Personal medicines for thirty days are allowed in their original packing.",
    "Carry a prescription for every medicine; some painkillers are controlled.",
    "Medicines for more than fourteen days need a permit before arrival.",
)


class VisaAndAdvisoryInventory(VisaAndAdvisoryLife):
    """Generators of advice and visas."""

    @generator
    def other_countries(
        self,
        rng: random.Random,
        count: Annotated[int, Field(ge=1, le=80)],
        nationalities: list[str],
        currency: Currency,
        exclude: list[str] | None = None,
    ) -> None:
        """Add advisories, entry rules for these nationalities, and visas of countries that are not excluded."""
        own = [code for code in map(country_code, nationalities) if code]
        left_out = {*own, *(country_code(text) for text in exclude or ())}
        others = [code for code in COUNTRIES if code not in left_out]
        for code in sorted(rng.sample(others, min(count, len(others)))):
            updated = self.world.iso(clock.day_start(self._past_day(rng), self.world.zone) + 10 * clock.HOUR)
            if self.find("advisories", code) is None:
                level = rng.choices((1, 2, 3, 4), (55, 30, 11, 4))[0]
                title, text = _ADVICE[level]
                text = f"{text} {rng.choice(_SEASONS)}"
                self.put("advisories", country_code=code, level=level, title=title, text=text, updated_at=updated)
            for nationality in own:
                self._entry(rng, nationality, code, currency, updated)

    def _past_day(self, rng: random.Random) -> dt.date:
        return self.world.start - dt.timedelta(days=rng.randint(5, 300))

    def _entry(self, rng: random.Random, nationality: str, code: str, currency: str, updated: str) -> None:
        """Entry rules of one country for one nationality, with a visa where it needs one."""
        requirement_id = f"req_{nationality}_{code}_tourism".lower()
        if self.find("requirements", requirement_id) is not None:
            return
        needs_visa = rng.random() < 0.5
        days = rng.choice((14, 30, 60, 90))
        stay = "A visa is needed for any stay." if needs_visa else f"No visa for stays of up to {days} days."
        texts = {
            "visa": stay,
            "passport_validity": f"The passport must be valid {rng.choice(_VALIDITY)}.",
            "onward_ticket": "A ticket out of the country is asked for at check-in.",
            "medicines": rng.choice(_MEDICINE),
        }
        self.put(
            "requirements",
            requirement_id=requirement_id,
            nationality=nationality,
            destination=code,
            purpose="tourism",
            summary=stay,
            visa_required=needs_visa,
            rules=[{"code": k, "text": v, "valid_from": None, "valid_until": None} for k, v in texts.items()],
            updated_at=updated,
        )
        product_id = f"visa_{nationality}_{code}_tourist".lower()
        if needs_visa and self.find("products", product_id) is None:
            self.put(
                "products",
                product_id=product_id,
                nationalities=[nationality],
                destination=code,
                name=f"{country_name(code)} {rng.choice(('e-visa', 'tourist visa'))}",
                fee_minor=rng.randint(10, 90) * 100,
                currency=currency,
                processing_days=rng.choice((3, 5, 7, 10, 15)),
                required_documents=["passport", "photo"],
                optional_documents=["itinerary", "hotel_booking"],
                questions=["arrival_date", "address"],
                stay_days=days,
                validity_days=rng.choice((90, 180, 365)),
            )
