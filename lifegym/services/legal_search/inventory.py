"""Believable courts, statutes and judgments around those that a task is about. All of them are invented."""

from __future__ import annotations

import datetime as dt
import random
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.legal_search.life import LegalSearchLife
from lifegym.services.legal_search.records import CaseType
from lifegym.services.tools import generator

__all__ = ["LegalSearchInventory"]

_SURNAMES = (
    "Abbott", "Adeyemi", "Bauer", "Bishop", "Castell", "Chandra", "Dorsey", "Eklund", "Farrow", "Gallo", "Hartmann",
    "Ibarra", "Jansen", "Kessler", "Lindqvist", "Moreau", "Nakamura", "Okafor", "Petrov", "Quinlan", "Rossi", "Sandhu",
    "Tremblay", "Ueda", "Vasquez", "Winter", "Yilmaz", "Zeller",
)  # fmt: skip
_FIRMS = (
    "Alder Logistics", "Bright Dairy", "Crown Lettings", "Delta Insurance", "Elm Housing", "Fulmar Foods",
    "Granite Works", "Harrow Motors", "Iris Telecom", "Juno Retail", "Kestrel Freight", "Lumen Care",
)  # fmt: skip
_ENDINGS = ("GmbH", "Ltd", "plc", "SA", "Co-operative")

_TOPICS: dict[CaseType, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "employment": (
        ("dismissal without a warning", "unpaid overtime", "a fixed-term contract", "holiday not taken", "a reference"),
        ("the employer had not heard the works council", "the notice was not in writing", "the hours were proven"),
    ),
    "tenancy": (
        ("a rent increase", "the return of a deposit", "damp in a bedroom", "repossession", "subletting"),
        ("the form of notice was wrong", "the defect was reported in time", "the increase exceeded the usual rent"),
    ),
    "contract": (
        ("late delivery", "a defective machine", "a cancelled order", "an unpaid invoice", "a deposit for a wedding"),
        ("time was of the essence", "the buyer had inspected the goods", "the term was not part of the contract"),
    ),
    "consumer": (
        ("a used car", "a gym membership", "an online purchase", "a delayed flight", "a phone contract"),
        ("the right of withdrawal had not expired", "the seller bears the burden of proof", "the fee was hidden"),
    ),
    "insurance": (
        ("a burst pipe", "a stolen bicycle", "late notification", "a travel policy", "an exclusion for wear"),
        ("the insurer was told in time", "the exclusion was unclear", "the damage was gradual"),
    ),
    "small_claim": (
        ("a repaired instrument", "a dented car door", "dry cleaning", "a faulty boiler", "removal costs"),
        ("the loss was not documented", "half of the price was fair", "the quote was binding"),
    ),
    "family": (
        ("maintenance", "contact at weekends", "the sale of a house", "school fees"),
        ("the child's interests come first", "income was undisclosed", "the agreement was fair when made"),
    ),
    "property": (
        ("a boundary hedge", "a right of way", "noise from a workshop", "a shared wall"),
        ("use had lasted twenty years", "the nuisance was substantial", "the plan was inconclusive"),
    ),
}  # fmt: skip
_STREETS = ("Court Street", "Market Square", "Station Road")
_CODES = (
    "Consumer Sales", "Courts Fees", "Employment Relations", "Fair Dealing", "Home Leases", "Insurance Contracts",
    "Limitation", "Neighbour Relations", "Procedure", "Public Registers", "Small Claims", "Working Time",
)  # fmt: skip
_KINDS = (("Act", "A"), ("Code", "C"), ("Ordinance", "O"), ("Regulations", "R"))
_HEADINGS = (
    "Scope", "Definitions", "Form of notice", "Time limits", "Burden of proof", "Fees", "Evidence",
    "Service of documents", "Duty to inform", "Interest", "Remedies", "Void terms", "Jurisdiction", "Appeals",
    "Transitional provisions",
)  # fmt: skip
_RULES = (
    "A declaration under this part is made in writing and takes effect when it reaches the other side.",
    "The period begins on the day after the event and ends with its last day; a day on which offices are closed is not "
    "counted as the last.",
    "Whoever relies on a fact proves it, unless the other side alone can know it.",
    "A term that departs from this article to the weaker side's disadvantage has no effect.",
    "Interest is simple and is reckoned by the day from the day after payment was due.",
    "The court may allow a document that comes late where the delay is excused and nobody is harmed by it.",
    "The fee follows the sum in dispute and falls due when the document is filed.",
)
_REASONS = (
    "The facts are not in dispute as far as they matter.",
    "The court heard two witnesses and read the correspondence.",
    "The wording of the provision leaves room for both readings; its purpose does not.",
    "Earlier decisions point the same way.",
    "What was said on the telephone was denied and could not be proven.",
    "Costs follow the event.",
)


class LegalSearchInventory(LegalSearchLife):
    """Generators of courts, statutes and judgments."""

    @generator
    def courts(self, rng: random.Random, cities: list[str], jurisdiction: str = "") -> None:
        """Give each city a district court and a labour court with desk hours."""
        for number, city in enumerate(cities, 1):
            for kind in ("District Court", "Labour Court"):
                court_id = f"ctg_{number:02d}_{kind.partition(' ')[0].lower()}"
                if self.find("courts", court_id) is not None:
                    continue
                opens = rng.choice(("08:30", "09:00", "09:30"))
                weekdays = ("mon", "tue", "wed", "thu", "fri")
                self.put(
                    "courts",
                    court_id=court_id,
                    name=f"{kind} {city}",
                    city=city,
                    address=f"{rng.randint(1, 80)} {rng.choice(_STREETS)}, {city}",
                    jurisdiction=jurisdiction,
                    phone=f"+00 {rng.randint(100, 999)} {rng.randint(1000, 9999)}",
                    hours=[_desk(weekday, opens, rng.choice(("12:00", "13:00", "15:00"))) for weekday in weekdays],
                    electronic_filing=rng.random() < 0.6,
                )

    @generator
    def statutes(
        self,
        rng: random.Random,
        count: Annotated[int, Field(ge=1, le=48)],
        articles: Annotated[int, Field(ge=1, le=100)] = 12,
        jurisdiction: str = "",
    ) -> None:
        """Fill the database with statutes of some articles each; one article in eight was amended once."""
        names = rng.sample([(code, *kind) for code in _CODES for kind in _KINDS], count)
        for number, (code, kind, letter) in enumerate(names, 1):
            statute_id = f"stg_{number:02d}"
            if self.find("statutes", statute_id) is not None:
                continue
            year = rng.randint(1962, 2015)
            self.put(
                "statutes",
                statute_id=statute_id,
                title=f"{code} {kind} {year}",
                abbreviation="".join(word[0] for word in code.split()) + f"{letter} {year}",
                jurisdiction=jurisdiction,
                enacted_on=f"{year}-07-01",
                summary=f"Rules on {code.lower()}.",
            )
            for place in range(1, articles + 1):
                versions = [{"valid_from": f"{year}-07-01", "text": _text(rng, place)}]
                if rng.random() < 0.125:
                    versions.append({"valid_from": f"{rng.randint(2016, 2025)}-01-01", "text": _text(rng, place)})
                article_id = f"arg_{number:02d}_{place:03d}"
                if self.find("articles", article_id) is None:
                    self.put(
                        "articles",
                        article_id=article_id,
                        statute_id=statute_id,
                        number=str(place),
                        heading=_HEADINGS[(place - 1) % len(_HEADINGS)],
                        versions=versions,
                    )

    @generator
    def cases(
        self,
        rng: random.Random,
        count: Annotated[int, Field(ge=1, le=1000)],
        case_type: CaseType | None = None,
        years: Annotated[int, Field(ge=1, le=60)] = 12,
    ) -> None:
        """Fill the database with judgments of its courts from the years before the window; without courts, none.

        Most cite generated articles and older judgments; one in twenty was overruled by a later one.
        """
        courts = [row["court_id"] for row in self.rows("courts")]
        if not courts:
            return
        laws = [row["article_id"] for row in self.rows("articles") if row["article_id"].startswith("arg_")]
        kinds: list[CaseType] = [case_type] if case_type in _TOPICS else list(_TOPICS)
        days = sorted(rng.randint(1, years * 365) for _ in range(count))
        days.reverse()
        made: list[str] = []
        for number, ago in enumerate(days, 1):
            case_id = f"cag_{number:04d}"
            if self.find("cases", case_id) is not None:
                continue
            day = self.world.start - dt.timedelta(days=ago)
            kind = rng.choice(kinds)
            overruled = made[-rng.randint(1, min(len(made), 30))] if made and rng.random() < 0.05 else ""
            cites = list(dict.fromkeys(rng.choice(made) for _ in range(rng.randint(0, 2)))) if made else []
            self.put(
                "cases",
                case_id=case_id,
                court_id=rng.choice(courts),
                case_type=case_type or kind,
                number=f"{rng.randint(1, 30)} C {rng.randint(10, 999)}/{day.year % 100:02d}",
                decided_on=day.isoformat(),
                cites_articles=sorted({rng.choice(laws) for _ in range(rng.randint(0, 3))}) if laws else [],
                cites_cases=cites,
                **_story(rng, kind),
            )
            if overruled:
                self.overrule_case(overruled, case_id, "The earlier reading was given up.")
            made.append(case_id)


def _desk(weekday: str, opens: str, closes: str) -> dict[str, str | None]:
    return {"weekday": weekday, "opens": opens, "closes": closes, "from_day": None, "until_day": None}


def _text(rng: random.Random, place: int) -> str:
    rules = rng.sample(_RULES, rng.randint(1, 3))
    heading = _HEADINGS[(place - 1) % len(_HEADINGS)]
    return f"{heading}. " + " ".join(f"({number}) {rule}" for number, rule in enumerate(rules, 1))


def _story(rng: random.Random, kind: CaseType) -> dict[str, Any]:
    """Parties and texts of a judgment."""
    matters, reasons = _TOPICS[kind]
    person, matter, reason = rng.choice(_SURNAMES), rng.choice(matters), rng.choice(reasons)
    other = f"{rng.choice(_FIRMS)} {rng.choice(_ENDINGS)}" if rng.random() < 0.7 else rng.choice(_SURNAMES)
    granted = rng.choice(("The claim succeeds", "The claim is dismissed", "The claim succeeds in part"))
    facts = " ".join(rng.sample(_REASONS, 3))
    return {
        "title": f"{person} v {other}",
        "parties": [person, other],
        "summary": f"The parties disputed {matter}. {granted}, because {reason}.",
        "holding": f"{granted}: {reason}.",
        "body": f"1. {person} and {other} disagree about {matter}.\n2. {facts}\n3. {granted}, because {reason}.",
    }
