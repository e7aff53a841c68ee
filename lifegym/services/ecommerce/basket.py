"""The cart: what is in it, coupons on it, addresses to send it to."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lifegym.services.ecommerce.reading import EcommerceReading
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["EcommerceBasket", "Pieces"]

Pieces = Annotated[int, Field(ge=1, le=999)]
Part = Annotated[str, Field(max_length=200)]
MOST_LINES = 50
MOST_ADDRESSES = 50


class EcommerceBasket(EcommerceReading):
    """The tools of the cart."""

    # -- tools: the cart -----------------------------------------------------------------------------------------

    @tool(write=False)
    def get_cart(self, user_id: str) -> dict[str, Any]:
        """Show a user's cart at today's prices, with coupons, tax and delivery: what place_order would charge.

        Args:
            user_id: Whose cart.

        Returns:
            items: cart_item_id, product_id, sku_id, title, options, qty, price_minor (now), price_added_minor (when
            it was put in), price_changed, line_minor, discount_minor, tax_minor, stock, problem (why it cannot be
            ordered, or empty); coupons: code, title, discount_minor, problem (why it gives nothing); items_minor,
            discount_minor, tax_minor, shipping_minor (standard delivery), total_minor, currency.
        """
        return self._shown_cart(user_id)

    @tool(write=True)
    def add_to_cart(self, user_id: str, product_id: str, sku_id: str, qty: Pieces) -> dict[str, Any]:
        """Put pieces of an SKU into the cart. Stock is only kept for the user once the order is placed.

        Args:
            user_id: Whose cart.
            product_id: From search_products.
            sku_id: One of the product's SKUs, from get_product.
            qty: How many more, 1 to 999.

        Returns:
            The cart as get_cart shows it, and cart_item_id of the line.

        Errors:
            not_found: There is no such product, or the product has no such SKU; the message lists its SKUs.
            unavailable: The product is not on sale any more.
            out_of_stock: Fewer are left than the cart would hold.
            other_currency: The cart holds things in another currency; order or remove those first.
            cart_full: The cart has 50 lines.
        """
        product = self.get("products", product_id, "product", "ecommerce.search_products finds them")
        sku = self.find("skus", sku_id)
        if sku is None or sku["product_id"] != product_id:
            raise ToolError("not_found", f"{product_id} has no SKU {sku_id[:60]!r}; it has: {_listed(product)}")
        cart = self._cart(user_id)
        line = next((row for row in cart if row["sku_id"] == sku_id), None)
        self._check_stock(sku, product, qty + (line["qty"] if line is not None else 0))
        if cart and self._product(cart[0]["product_id"])["currency"] != product["currency"]:
            raise ToolError("other_currency", "one order has one currency; place or empty the cart first")
        if line is None and len(cart) >= MOST_LINES:
            raise ToolError("cart_full", f"a cart has at most {MOST_LINES} lines; place the order or remove some")
        if line is not None:
            self.patch("cart_items", line["cart_item_id"], qty=line["qty"] + qty)
        else:
            line = self.put(
                "cart_items",
                cart_item_id=self.new_id("ci"),
                user_id=user_id,
                product_id=product_id,
                sku_id=sku_id,
                qty=qty,
                added_at=self.stamp(),
                price_added_minor=sku["price_minor"],
            )
        return {"cart_item_id": line["cart_item_id"], **self._shown_cart(user_id)}

    @tool(write=True)
    def update_cart_item(self, user_id: str, cart_item_id: str, qty: Pieces) -> dict[str, Any]:
        """Set how many pieces a line of the cart has.

        Args:
            user_id: Whose cart.
            cart_item_id: From get_cart.
            qty: How many in all, 1 to 999; remove_from_cart takes the line out.

        Returns:
            The cart as get_cart shows it.

        Errors:
            not_found: The cart has no such line.
            unavailable: The product is not on sale any more.
            out_of_stock: Fewer are left.
        """
        line = self._cart_line(user_id, cart_item_id)
        self._check_stock(self._sku(line["sku_id"]), self._product(line["product_id"]), qty)
        self.patch("cart_items", cart_item_id, qty=qty)
        return self._shown_cart(user_id)

    @tool(write=True)
    def remove_from_cart(self, user_id: str, cart_item_id: str) -> dict[str, Any]:
        """Take a line out of the cart.

        Args:
            user_id: Whose cart.
            cart_item_id: From get_cart.

        Returns:
            The cart as get_cart shows it.

        Errors:
            not_found: The cart has no such line.
        """
        self._cart_line(user_id, cart_item_id)
        self.drop("cart_items", cart_item_id)
        return self._shown_cart(user_id)

    # -- tools: coupons ------------------------------------------------------------------------------------------

    @tool(write=True)
    def apply_coupon(self, user_id: str, code: str) -> dict[str, Any]:
        """Put a coupon on the cart. One per order, unless all of them can be combined.

        Args:
            user_id: Whose cart.
            code: The coupon's code; capitals do not matter.

        Returns:
            The cart as get_cart shows it.

        Errors:
            not_found: There is no such coupon.
            empty_cart: The cart is empty.
            exists: It is on the cart already.
            not_stackable: Another coupon is on the cart and they cannot be combined; remove_coupon first.
            not_yet: It does not hold yet.
            expired: It holds no longer.
            used_up: It has been used as often as it can be, by all or by this user.
            not_applicable: It is for other goods, or another currency.
            below_threshold: The goods that it is for do not reach its threshold; the message says what is missing.
        """
        coupon = self._coupon(code)
        cart = self._cart(user_id)
        if not cart:
            raise ToolError("empty_cart", "put something into the cart first: add_to_cart")
        codes = self._codes(user_id)
        if coupon["code"] in codes:
            raise ToolError("exists", f"{coupon['code']} is on the cart already")
        others = [row for row in map(self.table("coupons").find, codes) if row is not None]
        if others and not (coupon["stackable"] and all(row["stackable"] for row in others)):
            raise ToolError("not_stackable", f"{codes[0]} is on the cart and cannot be combined; remove_coupon first")
        products = [self._product(row["product_id"]) for row in cart]
        lines = [
            self._line(self._sku(row["sku_id"]), product, row["qty"])
            for row, product in zip(cart, products, strict=True)
        ]
        refusal = self._why_not(coupon, user_id, lines, products[0]["currency"])
        if refusal is not None:
            raise ToolError(refusal[0], refusal[1])
        self.put("carts", user_id=user_id, codes=[*codes, coupon["code"]])
        return self._shown_cart(user_id)

    @tool(write=True)
    def remove_coupon(self, user_id: str, code: str) -> dict[str, Any]:
        """Take a coupon off the cart.

        Args:
            user_id: Whose cart.
            code: The coupon's code.

        Returns:
            The cart as get_cart shows it.

        Errors:
            not_found: The coupon is not on the cart.
        """
        codes = self._codes(user_id)
        kept = [one for one in codes if one.upper() != code.strip().upper()]
        if len(kept) == len(codes):
            raise ToolError("not_found", f"{code[:60]!r} is not on the cart; it has: {', '.join(codes) or 'none'}")
        self.put("carts", user_id=user_id, codes=kept)
        return self._shown_cart(user_id)

    # -- tools: addresses ----------------------------------------------------------------------------------------

    @tool(write=True)
    def add_address(
        self,
        user_id: str,
        recipient: Part,
        phone: Part,
        province: Part,
        city: Part,
        district: Part,
        detail: Part,
        postal_code: Part,
        is_default: bool = False,
        country: Part = "",
    ) -> dict[str, Any]:
        """Save an address to send orders to.

        Args:
            user_id: Whose.
            recipient: Who receives the parcels.
            phone: Their phone number.
            province: Province, state or region; may be empty.
            city: City.
            district: District; may be empty.
            detail: Street and number, or the locker.
            postal_code: Postal code; may be empty.
            is_default: Whether it becomes the default address.
            country: Country, where it matters.

        Returns:
            The address with its address_id.

        Errors:
            bad_address: recipient, city or detail is empty.
            exists: The same address is saved already; the message names it.
            too_many: The user has 50 addresses.
        """
        fields = {
            "recipient": recipient.strip(),
            "phone": phone.strip(),
            "country": country.strip(),
            "province": province.strip(),
            "city": city.strip(),
            "district": district.strip(),
            "detail": detail.strip(),
            "postal_code": postal_code.strip(),
        }
        if not (fields["recipient"] and fields["city"] and fields["detail"]):
            raise ToolError("bad_address", "an address has at least a recipient, a city and a detail (street, number)")
        mine = [row for row in self.rows("addresses") if row["user_id"] == user_id]
        for row in mine:
            if all(row[field] == text for field, text in fields.items()):
                raise ToolError("exists", f"this address is saved already as {row['address_id']}")
        if len(mine) >= MOST_ADDRESSES:
            raise ToolError("too_many", f"a user has at most {MOST_ADDRESSES} addresses; use one of list_addresses")
        if is_default:
            for row in mine:
                if row["is_default"]:
                    self.patch("addresses", row["address_id"], is_default=False)
        return self.put(
            "addresses",
            address_id=self.new_id("addr"),
            user_id=user_id,
            **fields,
            is_default=is_default or not mine,
        )

    # -- inside --------------------------------------------------------------------------------------------------

    def _cart_line(self, user_id: str, cart_item_id: str) -> Record:
        line = self.get("cart_items", cart_item_id, "line of the cart", "ecommerce.get_cart shows them")
        if line["user_id"] != user_id:
            raise ToolError("not_found", f"{cart_item_id} is in another user's cart")
        return line

    def _coupon(self, code: str) -> Record:
        """The coupon of a code, whatever its capitals."""
        typed = code.strip()
        coupon = self.find("coupons", typed)
        if coupon is None:
            wanted = typed.upper()
            coupon = next((row for row in self.rows("coupons") if row["code"].upper() == wanted), None)
        return coupon if coupon is not None else self.get("coupons", typed, "coupon", "check how it is written")

    def _shown_cart(self, user_id: str) -> dict[str, Any]:
        quote = self._quote(user_id)
        priced = quote["priced"]
        items = []
        for place, (row, sku, product, line) in enumerate(quote["entries"]):
            problem = "" if product["on_sale"] else "not on sale any more"
            if not problem and sku["stock"] < row["qty"]:
                problem = f"only {sku['stock']} left"
            items.append(
                {
                    **{field: row[field] for field in ("cart_item_id", "product_id", "sku_id", "qty")},
                    "title": product["title"],
                    "options": sku["options"],
                    "price_minor": sku["price_minor"],
                    "price_added_minor": row["price_added_minor"],
                    "price_changed": sku["price_minor"] != row["price_added_minor"],
                    "line_minor": line.net,
                    "discount_minor": priced.discounts[place],
                    "tax_minor": priced.taxes[place],
                    "stock": sku["stock"],
                    "problem": problem,
                }
            )
        return {"items": items, "coupons": quote["coupons"], **self._totals(quote)}


def _listed(product: Record) -> str:
    return ", ".join(product["sku_ids"][:30]) or "none"
