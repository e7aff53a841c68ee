"""Believable filling for a shop: merchants, products with their variants, orders of the past."""

from __future__ import annotations

import datetime as dt
import random
from typing import Annotated, NamedTuple

from pydantic import Field

from lifegym.services.ecommerce.life import EcommerceLife
from lifegym.services.tools import generator
from lifegym.services.types import Currency
from lifegym.world import clock

__all__ = ["EcommerceInventory"]

_MERCHANTS = (
    ("Brightside Home", "brightside-home"),
    ("Kestrel Outdoor", "kestrel-outdoor"),
    ("Tinker & Volt", "tinker-volt"),
    ("Paper Crane", "paper-crane"),
    ("Little Acorn", "little-acorn"),
    ("Greenleaf Pantry", "greenleaf-pantry"),
)


class _Kind(NamedTuple):
    category: str
    merchant: int
    names: tuple[str, ...]
    brands: tuple[str, ...]
    option: str
    values: tuple[str, ...]
    percent: tuple[int, int]
    """Of the middling price: from, to."""
    keywords: str


_SIZES = ("S", "M", "L", "XL")
_COLOURS = ("black", "white", "grey", "navy", "green", "red")
_KINDS = (
    _Kind("home/kitchen", 0, ("kettle", "saucepan", "chef's knife", "cutting board", "toaster", "coffee grinder",
          "mixing bowl set", "kitchen scale"), ("Halden", "Orla", "Bristow"), "colour", _COLOURS[:3], (60, 240),
          "cooking cookware"),
    _Kind("home/bedding", 0, ("duvet cover", "pillow", "fitted sheet", "wool blanket", "mattress topper"),
          ("Orla", "Nightjar"), "size", ("single", "double", "king"), (80, 300), "bed linen sleep"),
    _Kind("home/lighting", 0, ("desk lamp", "floor lamp", "LED bulb pack", "night light"), ("Lumo", "Halden"),
          "colour", _COLOURS[:3], (40, 220), "light lighting"),
    _Kind("clothing/women", 1, ("rain jacket", "merino jumper", "linen shirt", "running tights"), ("Tarn", "Fennel"),
          "size", _SIZES, (120, 420), "womens ladies wear"),
    _Kind("clothing/men", 1, ("fleece jacket", "oxford shirt", "work trousers", "thermal vest"), ("Tarn", "Burrow"),
          "size", _SIZES, (120, 400), "mens wear"),
    _Kind("clothing/children", 4, ("school polo shirt", "dungarees", "knitted hat", "rain boots"), ("Little Acorn",),
          "size", ("4", "6", "8", "10"), (50, 150), "kids child wear"),
    _Kind("sport/outdoor", 1, ("two-person tent", "sleeping bag", "trekking poles", "day pack", "head torch"),
          ("Kestrel", "Tarn"), "colour", _COLOURS[2:5], (100, 700), "camping hiking"),
    _Kind("sport/fitness", 1, ("yoga mat", "resistance bands", "kettlebell", "foam roller"), ("Kestrel", "Stride"),
          "weight", ("light", "medium", "heavy"), (40, 200), "gym training exercise"),
    _Kind("sport/cycling", 1, ("bike light set", "floor pump", "cycling gloves", "pannier bag"), ("Spoke", "Kestrel"),
          "colour", _COLOURS[:3], (60, 260), "bicycle bike"),
    _Kind("electronics/audio", 2, ("wireless earbuds", "bluetooth speaker", "over-ear headphones"), ("Volt", "Aria"),
          "colour", _COLOURS[:3], (150, 800), "music sound"),
    _Kind("electronics/computing", 2, ("USB-C hub", "mechanical keyboard", "wireless mouse", "laptop stand", "webcam"),
          ("Volt", "Keyline"), "colour", _COLOURS[:2], (80, 500), "computer pc office"),
    _Kind("electronics/phone", 2, ("phone case", "charging cable", "power bank", "screen protector"), ("Volt", "Tacit"),
          "colour", _COLOURS[:4], (20, 160), "mobile smartphone"),
    _Kind("books/fiction", 3, ("The Salt Ferry", "A Winter in Lisbon", "Nine Bridges", "The Quiet Orchard"),
          ("Paper Crane",), "format", ("paperback", "hardback"), (30, 80), "novel book reading"),
    _Kind("books/reference", 3, ("bird guide", "bread handbook", "road atlas", "first aid manual"), ("Paper Crane",),
          "edition", ("2nd edition", "3rd edition"), (50, 160), "book guide"),
    _Kind("stationery", 3, ("dotted notebook", "fountain pen", "gel pen set", "wall planner"), ("Inkwell",),
          "colour", _COLOURS[:4], (15, 120), "office school paper"),
    _Kind("toys", 4, ("wooden train set", "building blocks", "jigsaw puzzle", "memory card game"), ("Little Acorn",),
          "age", ("2+", "4+", "7+"), (40, 200), "kids play game"),
    _Kind("garden", 0, ("pruning shears", "watering can", "raised bed kit", "bulb mix"), ("Hedgerow",),
          "size", ("small", "large"), (40, 260), "gardening plants"),
    _Kind("pantry", 5, ("olive oil", "green tea", "dark chocolate bars", "rolled oats", "coffee beans"), ("Greenleaf",),
          "pack", ("single", "pack of 3", "pack of 6"), (20, 100), "food groceries"),
)  # fmt: skip
_GRADES = ("", "Classic", "Compact", "Pro", "Everyday", "Plus", "Eco", "Studio", "Prime", "Lite")


class EcommerceInventory(EcommerceLife):
    """Generators of a shop."""

    @generator
    def products(
        self,
        rng: random.Random,
        currency: Currency,
        count: Annotated[int, Field(ge=1, le=2000)] = 200,
        price_minor: Annotated[int, Field(ge=10)] = 2500,
        categories: list[str] | None = None,
        tax_bp: Annotated[int, Field(ge=0, le=10_000)] = 0,
    ) -> None:
        """Put products of everyday categories on the shelves, with one to four SKUs each and six merchants.

        price_minor is what a middling thing costs. categories narrows them, by their beginnings (home, sport/cycling).
        """
        for number, (name, domain) in enumerate(_MERCHANTS):
            if self.find("merchants", f"mrg_{number}") is None:
                self.put(
                    "merchants",
                    merchant_id=f"mrg_{number}",
                    name=name,
                    email=f"orders@{domain}.example",
                    shipping_minor=price_minor // 5,
                    free_shipping_from_minor=price_minor * 2,
                    express_minor=price_minor // 3,
                    dispatch_days=rng.choice((0, 1, 1, 2)),
                    transit_days=rng.choice((1, 2, 3)),
                    return_days=rng.choice((14, 30)),
                )
        kinds = [kind for kind in _KINDS if not categories or kind.category.startswith(tuple(categories))] or _KINDS
        for number in range(1, count + 1):
            product_id = f"pg_{number:04d}"
            kind = kinds[number % len(kinds)]
            name = kind.names[number // len(kinds) % len(kind.names)]
            grade = _GRADES[number // (len(kinds) * len(kind.names)) % len(_GRADES)]
            brand = rng.choice(kind.brands)
            base = price_minor * rng.randint(*kind.percent) // 1000 * 10
            values = kind.values[: rng.randint(1, len(kind.values))]
            reviews = int(rng.paretovariate(0.9) * 8) % 4000
            if self.find("products", product_id) is not None:
                continue
            title = f"{brand} {name}{' ' + grade if grade else ''}".strip()
            self.put(
                "products",
                product_id=product_id,
                merchant_id=f"mrg_{kind.merchant}",
                title=title[0].upper() + title[1:],
                brand=brand,
                category=kind.category,
                description=f"{title}, {kind.option}: {', '.join(values)}.",
                keywords=kind.keywords,
                currency=currency,
                tax_bp=tax_bp,
                rating=rng.randint(31, 49) / 10,
                reviews=reviews,
                returnable=kind.category != "pantry",
                sku_ids=[f"{product_id}_{place}" for place in range(1, len(values) + 1)],
            )
            dearer = rng.random() < 0.3
            for place, value in enumerate(values, 1):
                price = max(1, base + (base // 10 * (place - 1) if dearer else 0))
                self.put(
                    "skus",
                    sku_id=f"{product_id}_{place}",
                    product_id=product_id,
                    options={kind.option: value},
                    price_minor=price,
                    list_price_minor=price * 5 // 4 if rng.random() < 0.25 else None,
                    stock=rng.choice((0, 2, 5, 12, 30, 80)),
                    weight_kg=rng.randint(1, 40) / 10,
                )

    @generator
    def past_orders(
        self,
        rng: random.Random,
        user_id: str,
        payment_method_id: str,
        count: Annotated[int, Field(ge=1, le=1000)] = 30,
        days: Annotated[int, Field(ge=20, le=2000)] = 360,
        city: str = "",
        detail: str = "",
    ) -> None:
        """Orders of the days before the window, of what is on the generated shelves; all of them delivered."""
        shelf = [row for row in self.rows("products") if row["product_id"].startswith("pg_")]
        if not shelf:
            return
        currency = shelf[0]["currency"]
        home = {"recipient": self.world.owner_name, "city": city, "detail": detail}
        ages = sorted((rng.randint(12, days) for _ in range(count)), reverse=True)
        for number, age in enumerate(ages, 1):
            order_id = f"ordg_{number:04d}"
            chosen = [rng.choice(shelf) for _ in range(rng.choice((1, 1, 2, 3)))]
            day = self.world.start - dt.timedelta(days=age)
            placed, came = (
                self.world.iso(clock.day_start(date, self.world.zone) + rng.randint(9 * 60, 20 * 60) * clock.MINUTE)
                for date in (day, day + dt.timedelta(days=rng.randint(2, 6)))
            )
            if self.find("orders", order_id) is not None:
                continue
            items, net = [], 0
            for place, product in enumerate(chosen, 1):
                sku = self._sku(rng.choice(product["sku_ids"]))
                whole = sku["price_minor"]
                net += whole
                items.append(f"{order_id}-{place}")
                self.put(
                    "order_items",
                    item_id=items[-1],
                    order_id=order_id,
                    product_id=product["product_id"],
                    sku_id=sku["sku_id"],
                    title=product["title"],
                    options=sku["options"],
                    qty=1,
                    unit_price_minor=whole,
                    net_minor=whole,
                    total_minor=whole,
                    status="delivered",
                    expected_at=came,
                    delivered_at=came,
                    return_until=self._return_until(product["product_id"], self.seconds(came)),
                )
            self.put(
                "orders",
                order_id=order_id,
                user_id=user_id,
                placed_at=placed,
                status="delivered",
                address=home,
                payment_method_id=payment_method_id,
                currency=currency,
                items_minor=net,
                total_minor=net,
                item_ids=items,
            )
