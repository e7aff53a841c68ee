"""What changes on the shelves and in the user's profile: prices, stock, notices, coupons, addresses, messages."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.ecommerce.settling import EcommerceSettling
from lifegym.services.tools import happening
from lifegym.services.types import Currency, Day, Instant
from lifegym.world.record import Record

__all__ = ["EcommerceShelves"]

Amount = Annotated[int, Field(ge=0)]


class EcommerceShelves(EcommerceSettling):
    """The merchants' side of the shop. ``ref`` is an SKU, or a product for all of its SKUs."""

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def set_price(
        self, ref: str, price_minor: Amount, list_price_minor: Amount | None = None, from_at: Instant | None = None
    ) -> list[str]:
        """Change a price, now or from a later moment on (the product shows it before). Price alerts hear of it."""
        skus = self._skus_meant(ref)
        for sku in skus:
            changes = {} if list_price_minor is None else {"list_price_minor": list_price_minor}
            if from_at is not None and self.seconds(from_at) > self.now:
                sku = self.patch("skus", sku["sku_id"], next_price_minor=price_minor, next_price_at=from_at, **changes)
                self._await_price(sku)
            else:
                self.patch("skus", sku["sku_id"], **changes)
                self._reprice(sku["sku_id"], price_minor)
        return [sku["sku_id"] for sku in skus]

    @happening
    def set_stock(self, ref: str, stock: Amount, ships_on: Day | None = None) -> list[str]:
        """Set how many are to be had; ships_on is the day from which on new orders of it leave."""
        skus = self._skus_meant(ref)
        for sku in skus:
            self.patch("skus", sku["sku_id"], stock=stock, ships_on=ships_on or sku["ships_on"])
        return [sku["sku_id"] for sku in skus]

    @happening
    def set_notice(self, ref: str, notice: str, ships_on: Day | None = None) -> list[str]:
        """Put a sentence such as "ships from 14 April" on a product's or an SKU's page, with the day if it says one."""
        if self.find("products", ref) is not None:
            self.patch("products", ref, notice=notice)
        skus = self._skus_meant(ref)
        for sku in skus:
            text = sku["notice"] if self.find("products", ref) is not None else notice
            self.patch("skus", sku["sku_id"], notice=text, ships_on=ships_on or sku["ships_on"])
        return [ref] if self.find("products", ref) is not None else [sku["sku_id"] for sku in skus]

    @happening
    def set_on_sale(self, product_id: str, on_sale: bool) -> list[str]:
        """Take a product off sale, or put it back."""
        if self.find("products", product_id) is None:
            return []
        self.patch("products", product_id, on_sale=on_sale)
        return [product_id]

    @happening
    def set_rating(
        self, product_id: str, rating: Annotated[float, Field(ge=0, le=5)], reviews: Amount | None = None
    ) -> list[str]:
        """Buyers have rated a product."""
        product = self.find("products", product_id)
        if product is None:
            return []
        count = product["reviews"] if reviews is None else reviews
        self.patch("products", product_id, rating=float(rating), reviews=count)
        return [product_id]

    @happening
    def new_coupon(
        self,
        code: str,
        title: str,
        percent: Annotated[int, Field(ge=0, le=100)] = 0,
        amount_minor: Amount = 0,
        currency: Currency | Literal[""] = "",
        threshold_minor: Amount = 0,
        ends_at: Instant | None = None,
        categories: list[str] | None = None,
        merchant_id: str = "",
        stackable: bool = False,
    ) -> list[str]:
        """A coupon comes out, of some percent or of an amount. A code that is known touches nothing."""
        unknown_merchant = bool(merchant_id) and self.find("merchants", merchant_id) is None
        if not code or self.find("coupons", code) is not None or unknown_merchant:
            return []
        self.put(
            "coupons",
            code=code,
            title=title,
            percent=percent,
            amount_minor=amount_minor,
            currency=currency,
            threshold_minor=threshold_minor,
            ends_at=ends_at,
            categories=categories or [],
            merchant_id=merchant_id,
            stackable=stackable,
        )
        return [code]

    @happening
    def end_coupon(self, code: str) -> list[str]:
        """A coupon ends before its time. Carts that have it are priced without."""
        coupon = self.find("coupons", code)
        if coupon is None or (coupon["ends_at"] and self.seconds(coupon["ends_at"]) < self.now):
            return []
        self.patch("coupons", code, ends_at=self.world.iso(self.now - 1))
        return [code]

    @happening
    def rekey_addresses(self, keys: dict[str, str]) -> list[str]:
        """A profile sync gives addresses other numbers, old to new, such as {"AD-2": "AD-4", "AD-4": "AD-5"}.

        Orders keep the address that they were placed with.
        """
        moved = [row for row in map(self.table("addresses").find, keys) if row is not None]
        taken = {row["address_id"] for row in self.rows("addresses")} - {row["address_id"] for row in moved}
        targets = [keys[row["address_id"]] for row in moved]
        if taken.intersection(targets) or len(set(targets)) < len(targets):
            return []
        for row in moved:
            self.drop("addresses", row["address_id"])
        for row, address_id in zip(moved, targets, strict=True):
            self.put("addresses", **{**row, "address_id": address_id})
        return targets

    @happening
    def set_address(
        self,
        address_id: str,
        recipient: str | None = None,
        detail: str | None = None,
        city: str | None = None,
        district: str | None = None,
        province: str | None = None,
        postal_code: str | None = None,
        phone: str | None = None,
    ) -> list[str]:
        """A saved address reads differently from now on. What is left out stays."""
        given = {
            "recipient": recipient,
            "detail": detail,
            "city": city,
            "district": district,
            "province": province,
            "postal_code": postal_code,
            "phone": phone,
        }
        changes = {field: text for field, text in given.items() if text is not None}
        if self.find("addresses", address_id) is None or not changes:
            return []
        self.patch("addresses", address_id, **changes)
        return [address_id]

    # -- reactions -----------------------------------------------------------------------------------------------

    def change_price(self, sku_id: str, at: str) -> None:
        """Let an announced price hold, if it is still announced for this moment."""
        sku = self.find("skus", sku_id)
        if sku is not None and sku["next_price_at"] == at and sku["next_price_minor"] is not None:
            self._reprice(sku_id, sku["next_price_minor"])

    # -- inside --------------------------------------------------------------------------------------------------

    def _fill_shelves(self) -> None:
        """Let products know their SKUs, and let announced prices come."""
        by_product: dict[str, list[str]] = {}
        for sku in self.rows("skus"):
            by_product.setdefault(sku["product_id"], []).append(sku["sku_id"])
            if sku["next_price_at"]:
                self._await_price(sku)
        for product in list(self.rows("products")):
            ids = by_product.get(product["product_id"], [])
            if product["sku_ids"] != ids:
                self.patch("products", product["product_id"], sku_ids=ids)

    def _await_price(self, sku: Record) -> None:
        at = sku["next_price_at"]
        self.later(max(self.seconds(at), self.now), "change_price", sku_id=sku["sku_id"], at=at)

    def _reprice(self, sku_id: str, price_minor: int) -> None:
        """Change a price and report it: of the SKU, and of the product that it is the cheapest of."""
        sku = self.patch("skus", sku_id, price_minor=price_minor, next_price_minor=None, next_price_at=None)
        product = self._product(sku["product_id"])
        options = ", ".join(sku["options"].values())
        title = f"{product['title']}{f' ({options})' if options else ''}"
        facts = {"currency": product["currency"], "source": self.name}
        self.world.emit("price", ref=sku_id, amount_minor=price_minor, title=title, **facts)
        if product["product_id"] != sku_id:
            cheapest = min((row["price_minor"] for row in self._skus(product)), default=price_minor)
            facts = {"currency": product["currency"], "title": product["title"]}
            self.world.emit("price", ref=product["product_id"], amount_minor=cheapest, **facts)

    def _write(self, user_id: str, merchant_id: str, sender: str, body: str, order_id: str, product_id: str) -> Record:
        return self.put(
            "messages",
            message_id=self.new_id("msg"),
            user_id=user_id,
            merchant_id=merchant_id,
            order_id=order_id,
            product_id=product_id,
            sender=sender,
            body=body,
            at=self.stamp(),
        )
