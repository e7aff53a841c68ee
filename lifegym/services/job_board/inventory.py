"""Believable jobs around the ones that a task is about."""

from __future__ import annotations

import datetime as dt
import random
from typing import Annotated

from pydantic import Field

from lifegym.services.job_board.happenings import JobBoardHappenings
from lifegym.services.job_board.records import EDUCATION, Period
from lifegym.services.tools import generator
from lifegym.services.types import Currency
from lifegym.world import clock

__all__ = ["JobBoardInventory"]

_FIRST = (
    "Alder", "Beacon", "Bluebird", "Brightwater", "Cobalt", "Copperfield", "Eastbank", "Fernhill", "Foxglove",
    "Granite", "Hollis", "Ironbridge", "Kestrel", "Larkspur", "Meridian", "Northfield", "Oakley", "Pinecrest",
    "Quarry", "Redwood", "Silverline", "Stonegate", "Thornton", "Westmoor",
)  # fmt: skip
_SECOND = {
    "software": ("Software", "Data", "Systems"),
    "logistics": ("Freight", "Logistics", "Warehousing"),
    "manufacturing": ("Works", "Manufacturing", "Industries"),
    "health": ("Clinic", "Health", "Care"),
    "finance": ("Accounting", "Finance", "Insurance"),
    "education": ("Academy", "Learning", "School"),
    "hospitality": ("Hotels", "Kitchens", "Events"),
    "retail": ("Stores", "Retail", "Market"),
    "engineering": ("Engineering", "Water", "Energy"),
    "office": ("Services", "Consulting", "Group"),
}
# Title, skills, how much of the base salary it pays (percent), education.
_ROLES: dict[str, tuple[tuple[str, tuple[str, ...], int, str], ...]] = {
    "software": (
        ("Backend developer", ("python", "sql", "linux", "apis"), 150, "bachelor"),
        ("Frontend developer", ("javascript", "css", "accessibility", "testing"), 140, "bachelor"),
        ("Data analyst", ("sql", "statistics", "reporting", "spreadsheets"), 125, "bachelor"),
        ("Test engineer", ("testing", "python", "reporting", "automation"), 130, "associate"),
    ),
    "logistics": (
        ("Delivery driver", ("driving licence", "route planning", "customer service"), 80, "none"),
        ("Warehouse associate", ("forklift", "stock control", "packing"), 70, "none"),
        ("Transport scheduler", ("scheduling", "route planning", "spreadsheets"), 95, "high_school"),
        ("Supply planner", ("planning", "stock control", "spreadsheets", "erp"), 120, "associate"),
    ),
    "manufacturing": (
        ("Machine operator", ("machine setting", "quality checks", "safety"), 80, "high_school"),
        ("Maintenance technician", ("maintenance", "hydraulics", "safety", "welding"), 100, "vocational"),
        ("Production planner", ("planning", "scheduling", "erp"), 115, "associate"),
        ("Quality inspector", ("quality checks", "measuring", "reporting"), 95, "vocational"),
    ),
    "health": (
        ("Registered nurse", ("nursing", "medication", "patient care"), 120, "bachelor"),
        ("Care assistant", ("patient care", "first aid", "cooking"), 70, "none"),
        ("Medical receptionist", ("scheduling", "customer service", "records"), 75, "high_school"),
    ),
    "finance": (
        ("Accountant", ("bookkeeping", "tax", "spreadsheets", "reporting"), 125, "bachelor"),
        ("Payroll clerk", ("payroll", "spreadsheets", "records"), 85, "associate"),
        ("Claims handler", ("insurance", "customer service", "records"), 90, "high_school"),
    ),
    "education": (
        ("Mathematics teacher", ("teaching", "mathematics", "lesson planning"), 110, "master"),
        ("Classroom assistant", ("teaching", "first aid", "child care"), 65, "high_school"),
        ("Course coordinator", ("scheduling", "lesson planning", "records"), 95, "bachelor"),
    ),
    "hospitality": (
        ("Line cook", ("cooking", "food safety", "ordering"), 75, "none"),
        ("Front desk agent", ("customer service", "reservations", "languages"), 75, "high_school"),
        ("Event coordinator", ("scheduling", "budgeting", "customer service"), 95, "associate"),
    ),
    "retail": (
        ("Shop assistant", ("customer service", "cash desk", "stock control"), 65, "none"),
        ("Store manager", ("budgeting", "scheduling", "stock control", "leadership"), 110, "associate"),
        ("Buyer", ("negotiation", "ordering", "spreadsheets"), 115, "bachelor"),
    ),
    "engineering": (
        ("Process engineer", ("process design", "safety", "reporting", "pumps"), 145, "bachelor"),
        ("Electrical engineer", ("circuits", "safety", "testing", "cad"), 145, "bachelor"),
        ("Draughtsperson", ("cad", "measuring", "drawing"), 100, "vocational"),
        ("Project engineer", ("planning", "budgeting", "leadership", "cad"), 150, "master"),
    ),
    "office": (
        ("Office administrator", ("records", "scheduling", "customer service"), 80, "high_school"),
        ("Human resources adviser", ("recruiting", "records", "negotiation"), 110, "bachelor"),
        ("Project manager", ("planning", "budgeting", "leadership"), 140, "bachelor"),
    ),
}
_LEVELS = (
    ("Junior ", "entry", 85),
    ("", "1-3", 100),
    ("", "3-5", 110),
    ("Senior ", "5-10", 130),
    ("Lead ", "10+", 150),
)
_SHIFTS = ("day", "day", "day", "evening", "night", "rotating")


class JobBoardInventory(JobBoardHappenings):
    """Generators of companies and their jobs."""

    @generator
    def jobs(
        self,
        rng: random.Random,
        city: str,
        count: Annotated[int, Field(ge=1, le=2000)],
        currency: Currency,
        base_salary_minor: Annotated[int, Field(gt=0, le=10**10)],
        salary_period: Period = "month",
        categories: list[str] | None = None,
        companies: Annotated[int, Field(ge=1, le=200)] = 24,
        open_days: Annotated[int, Field(ge=1, le=400)] = 60,
    ) -> None:
        """Fill a city with companies and their open jobs, posted in the weeks before the window.

        base_salary_minor is what a middling job pays in salary_period. Deadlines lie up to open_days after the start.
        categories: some of education, engineering, finance, health, hospitality, logistics, manufacturing, office,
        retail, software; others are left out, all if none is left.
        """
        kinds = [kind for kind in dict.fromkeys(categories or ()) if kind in _ROLES] or list(_ROLES)
        slug = "".join(ch if ch.isalnum() else "_" for ch in city.lower())
        firms: dict[str, list[tuple[str, str]]] = {kind: [] for kind in kinds}
        names = rng.sample([f"{first}|{number}" for first in _FIRST for number in range(3 * len(kinds))], companies)
        for number, name in enumerate(names, 1):
            first, place = name.split("|")
            kind = kinds[(number - 1) % len(kinds)]
            company_id = f"co_{slug}_{number:03d}"
            title = f"{first} {_SECOND[kind][int(place) % 3]}"
            firms[kind].append((company_id, title))
            if self.find("companies", company_id) is None:
                self.put(
                    "companies",
                    company_id=company_id,
                    name=title,
                    industry=kind,
                    city=city,
                    headcount=rng.choice((8, 14, 25, 40, 75, 120, 260, 600, 1500)),
                    rating=round(rng.uniform(2.6, 4.8), 1),
                    about=f"{title} is an employer in {kind} with its office in {city}.",
                    website=f"https://{title.lower().replace(' ', '-')}-{slug.replace('_', '-')}.example",
                )
        staffed = [kind for kind in kinds if firms[kind]]
        start = clock.day_start(self.world.start, self.world.zone)
        for number in range(1, count + 1):
            job_id = f"job_{slug}_{number:04d}"
            kind = rng.choice(staffed)
            title, skills, percent, education = rng.choice(_ROLES[kind])
            prefix, experience, share = rng.choice(_LEVELS)
            company_id, company = rng.choice(firms[kind])
            low = max(1, base_salary_minor * percent * share // 1_000_000) * 100
            high = low * rng.randint(105, 135) // 100
            stated = rng.random() < 0.85
            shift = rng.choice(_SHIFTS)
            posted = start - rng.randint(1, 45 * 24) * clock.HOUR
            last = self.world.start + dt.timedelta(days=rng.randint(3, open_days + 3))
            draws = rng.random(), rng.randint(4, 96), rng.choice(tuple(EDUCATION)[:2])
            if self.find("jobs", job_id) is not None:
                continue
            name = f"{prefix}{title.lower() if prefix else title}"
            self.put(
                "jobs",
                job_id=job_id,
                title=name,
                company_id=company_id,
                city=city,
                location=city,
                category=kind,
                shift=shift,
                employment="part_time" if draws[0] < 0.1 else "contract" if draws[0] < 0.2 else "full_time",
                salary_min_minor=low if stated else None,
                salary_max_minor=high if stated else None,
                currency=currency,
                salary_period=salary_period,
                experience=experience,
                education=education if draws[0] < 0.8 else draws[2],
                skills=list(skills),
                description=f"{company} is looking for a {name.lower()} in {city}, {shift} shift. "
                f"The work asks for {', '.join(skills[:-1])} and {skills[-1]}.",
                recruiter=f"Recruiting at {company}",
                posted_at=self.world.iso(posted),
                deadline=last.isoformat() if draws[0] < 0.7 else None,
                viewed_after_h=draws[1],
            )
