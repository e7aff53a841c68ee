"""An online shop: ordering, cancelling, giving back, writing to merchants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.ecommerce.basket import EcommerceBasket, Pieces
from lifegym.services.ecommerce.parcels import UNSHIPPED
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["Ecommerce"]

Reason = Annotated[str, Field(max_length=1000)]
Body = Annotated[str, Field(min_length=1, max_length=4000)]


class Ecommerce(EcommerceBasket):
    """Products, carts and orders of the person. Prices are minor units."""

    # -- tools: ordering -----------------------------------------------------------------------------------------

    @tool(write=True)
    def place_order(
        self,
        user_id: str,
        address_id: str,
        payment_method: str,
        note: Annotated[str, Field(max_length=500)] | None = None,
        delivery: Literal["standard", "express"] = "standard",
    ) -> dict[str, Any]:
        """Order everything in the cart at the prices that get_cart shows, and pay for it.

        The cart is empty afterwards; stock is taken. Things that leave a merchant on the same day share a parcel.

        Args:
            user_id: Whose cart.
            address_id: Where to, from list_addresses.
            payment_method: What to pay with: an account, a card or another method of the person.
            note: A note to the merchants.
            delivery: standard, or express where every merchant in the cart offers it (get_product: express_minor).

        Returns:
            The order as get_order shows it: order_id, status, address, total_minor, currency, items (item_id, sku_id,
            status, ships_at, expected_at, tracking_no) and so on.

        Errors:
            empty_cart: The cart is empty.
            not_found: The user has no such address.
            unavailable: Something in the cart is not on sale any more.
            out_of_stock: Fewer are left of something than the cart holds.
            coupon_invalid: A coupon on the cart gives nothing any more; remove_coupon, or do what the message says.
            no_express: A merchant does not deliver express; the message names it.
            unknown_payment_method: The person has no such payment method. Banks and cards may also refuse with
                insufficient_funds, account_closed or currency_mismatch.
        """
        if not self._cart(user_id):
            raise ToolError("empty_cart", "the cart is empty; add_to_cart first")
        address = self.get("addresses", address_id, "address", "ecommerce.list_addresses shows them")
        if address["user_id"] != user_id:
            raise ToolError("not_found", f"{address_id} is another user's address; use one of list_addresses")
        express = delivery == "express"
        quote = self._quote(user_id, express)
        for row, sku, product, _ in quote["entries"]:
            self._check_stock(sku, product, row["qty"])
            merchant = self._merchant(product["merchant_id"])
            if express and merchant["express_minor"] is None:
                raise ToolError("no_express", f"{merchant['name']} does not deliver express; use standard")
        for coupon in quote["coupons"]:
            if coupon["problem"]:
                raise ToolError("coupon_invalid", f"{coupon['problem']}; remove_coupon takes it off the cart")
        order_id = self._paid(payment_method, quote)
        self._book(order_id, user_id, address, payment_method, note or "", delivery, quote)
        return self.get_order(order_id)

    @tool(write=True)
    def cancel_order(self, order_id: str, reason: Reason) -> dict[str, Any]:
        """Cancel a whole order of which nothing is shipped. What was paid comes back.

        Args:
            order_id: From list_orders.
            reason: Why, in a few words.

        Returns:
            order_id, status (cancelled), refunds (refund_id, item_id, amount_minor, status, due_at).

        Errors:
            not_found: There is no such order.
            already_cancelled: It is cancelled.
            shipped: Some of it is shipped; cancel_order_line cancels the lines that the message names, request_refund
                gives back the others.
        """
        order = self._order(order_id)
        live = [item for item in self._items(order) if item["status"] != "cancelled"]
        if not live:
            raise ToolError("already_cancelled", f"order {order_id} is cancelled; get_order shows its refunds")
        gone = [item for item in live if item["status"] not in UNSHIPPED]
        if gone:
            open_ids = ", ".join(item["item_id"] for item in live if item["status"] in UNSHIPPED) or "nothing"
            raise ToolError(
                "shipped",
                f"{len(gone)} line(s) are shipped: request_refund for them; cancel_order_line can cancel {open_ids}",
            )
        for item in live:
            self._take_out(self._known_order(order_id), item, self._remaining(item), reason)
        refunds = [row for row in self.rows("refunds") if row["order_id"] == order_id]
        return {
            "order_id": order_id,
            "status": self._known_order(order_id)["status"],
            "refunds": [_told(row) for row in refunds],
        }

    @tool(write=True)
    def cancel_order_line(
        self, order_id: str, item_id: str, qty: Pieces | None = None, reason: Reason = ""
    ) -> dict[str, Any]:
        """Cancel one line of an order, or some pieces of it, before it is shipped. What was paid for it comes back.

        Args:
            order_id: From list_orders.
            item_id: The line, from get_order.
            qty: How many pieces; all that are left if left out.
            reason: Why, in a few words.

        Returns:
            refund_id, item_id, qty, amount_minor, currency, status, due_at; item_status, order_status.

        Errors:
            not_found: There is no such order, or it has no such line.
            already_cancelled: The line is cancelled.
            shipped: It is shipped; request_refund gives it back.
            bad_qty: The line has fewer pieces left.
        """
        order = self._order(order_id)
        item = self._item(order, item_id)
        if item["status"] not in UNSHIPPED:
            raise ToolError("shipped", f"{item_id} is {item['status'].replace('_', ' ')}; request_refund gives it back")
        refund = self._take_out(order, item, self._pieces(item, qty), reason)
        return self._after(refund)

    @tool(write=True)
    def request_refund(self, order_id: str, item_id: str, qty: Pieces, reason: Reason) -> dict[str, Any]:
        """Ask for the money of pieces of a line back.

        Pieces that are not shipped are cancelled at once. What is shipped can be asked back until the line's
        return_until (days after delivery); what was recalled, or is not what was ordered, at any time. The merchant
        pays after some days, or answers.

        Args:
            order_id: From list_orders.
            item_id: The line, from get_order.
            qty: How many pieces.
            reason: What is wrong, in a few words.

        Returns:
            refund_id, item_id, qty, amount_minor, currency, status (requested; refunded if it was paid at once), due_at
            (null if the merchant decides); item_status, order_status, send_to (the merchant's address).

        Errors:
            not_found: There is no such order, or it has no such line.
            already_cancelled: The line is cancelled.
            bad_qty: The line has fewer pieces left that are neither cancelled nor asked back.
            not_returnable: This product cannot be given back.
            window_closed: The last day for it is over.
        """
        order = self._order(order_id)
        item = self._item(order, item_id)
        pieces = self._pieces(item, qty)
        if item["status"] in UNSHIPPED:
            return self._after(self._take_out(order, item, pieces, reason))
        product = self._product(item["product_id"])
        if not (item["recall"] or item["substituted_for"]):
            if not product["returnable"]:
                raise ToolError("not_returnable", f"{product['title']} cannot be given back; message_merchant may help")
            if item["return_until"] and self.today() > clock.parse_day(item["return_until"]):
                raise ToolError("window_closed", f"{item_id} could be given back until {item['return_until']}")
        amount = self._worth(item, pieces)
        self.patch("order_items", item_id, returned_qty=item["returned_qty"] + pieces)
        days = self._merchant(product["merchant_id"])["refund_days"]
        return self._after(self._open_refund(order, item, pieces, amount, "return", reason, days))

    # -- tools: merchants ----------------------------------------------------------------------------------------

    @tool(write=True)
    def message_merchant(
        self, user_id: str, body: Body, order_id: str | None = None, product_id: str | None = None
    ) -> dict[str, Any]:
        """Write to the merchant of an order or of a product; list_messages shows the answer when there is one.

        Args:
            user_id: Who writes.
            body: The message.
            order_id: The order that it is about.
            product_id: The product that it is about; in an order of several merchants it says whom to write to.

        Returns:
            message_id, merchant_id, merchant (name), order_id, product_id, at.

        Errors:
            nothing_named: Neither order_id nor product_id is given.
            not_found: There is no such order of this user, or no such product.
        """
        if order_id is None and product_id is None:
            raise ToolError("nothing_named", "give the order_id or the product_id that the message is about")
        about = product_id
        if order_id is not None:
            order = self._order(order_id)
            if order["user_id"] != user_id:
                raise ToolError("not_found", f"{order_id} is another user's order; list_orders shows this user's")
            about = about or next((item["product_id"] for item in self._items(order)), None)
        product = self.get("products", about or "", "product", "ecommerce.search_products finds them")
        merchant = self._merchant(product["merchant_id"])
        message = self._write(user_id, merchant["merchant_id"], "user", body, order_id or "", product_id or "")
        fields = ("message_id", "merchant_id", "order_id", "product_id", "at")
        return {**{field: message[field] for field in fields}, "merchant": merchant["name"]}

    # -- inside --------------------------------------------------------------------------------------------------

    def _item(self, order: Record, item_id: str) -> Record:
        item = self.find("order_items", item_id)
        if item is None or item["order_id"] != order["order_id"]:
            raise ToolError(
                "not_found", f"the order has no line {item_id[:60]!r}; it has {', '.join(order['item_ids'])}"
            )
        if item["status"] == "cancelled":
            raise ToolError("already_cancelled", f"{item_id} is cancelled; get_order shows its refund")
        return item

    def _pieces(self, item: Record, qty: int | None) -> int:
        left = self._remaining(item)
        if left < (qty or 1):
            raise ToolError("bad_qty", f"{item['item_id']} has {left} piece(s) that are not cancelled or asked back")
        return left if qty is None else qty

    def _after(self, refund: Record) -> dict[str, Any]:
        """What became of a line of which something was cancelled or asked back."""
        item = self._known_item(refund["item_id"])
        order = self._known_order(refund["order_id"])
        merchant = self._merchant(self._product(item["product_id"])["merchant_id"])
        return {
            **_told(refund),
            "currency": refund["currency"],
            "item_status": item["status"],
            "order_status": order["status"],
            "send_to": {"recipient": merchant["name"], **merchant["address"]},
        }

    def _paid(self, payment_method: str, quote: Mapping[str, Any]) -> str:
        """Charge an order, and give it its id."""
        counters = self.world.counters.copy()
        order_id = self.new_id("ord")
        names = dict.fromkeys(self._merchant(entry[2]["merchant_id"])["name"] for entry in quote["entries"])
        try:
            self.check_method(payment_method)
            if quote["total_minor"]:
                self.pay(payment_method, quote["total_minor"], quote["currency"], ", ".join(names)[:120], order_id)
        except ToolError:
            self.world.counters = counters  # a refused order uses up no id
            raise
        return order_id

    def _book(
        self,
        order_id: str,
        user_id: str,
        address: Record,
        payment_method: str,
        note: str,
        delivery: str,
        quote: Mapping[str, Any],
    ) -> None:
        """Write down an order that is paid: its lines, its parcels; and take the goods from the shelves."""
        codes = [coupon["code"] for coupon in quote["coupons"]]
        express = delivery == "express"
        item_ids = []
        for place, (row, sku, product, line) in enumerate(quote["entries"]):
            item_ids.append(f"{order_id}-{place + 1}")
            discount, tax = quote["priced"].discounts[place], quote["priced"].taxes[place]
            self.put(
                "order_items",
                item_id=item_ids[-1],
                order_id=order_id,
                product_id=product["product_id"],
                sku_id=sku["sku_id"],
                title=product["title"],
                options=sku["options"],
                qty=row["qty"],
                unit_price_minor=sku["price_minor"],
                net_minor=line.net,
                discount_minor=discount,
                tax_bp=line.tax_bp,
                tax_minor=tax,
                total_minor=line.net - discount + tax,
                lot=sku["lot"],
                **self._times(sku, product, self.now, express),
            )
            self.patch("skus", sku["sku_id"], stock=sku["stock"] - row["qty"])
            self.drop("cart_items", row["cart_item_id"])
        order = self.put(
            "orders",
            order_id=order_id,
            user_id=user_id,
            placed_at=self.stamp(),
            address={field: text for field, text in address.items() if field not in ("user_id", "is_default")},
            payment_method_id=payment_method,
            delivery=delivery,
            codes=codes,
            note=note,
            item_ids=item_ids,
            **self._totals(quote),
        )
        for code in codes:
            coupon = self.find("coupons", code)
            if coupon is not None and coupon["uses_left"]:
                self.patch("coupons", code, uses_left=coupon["uses_left"] - 1)
        self.put("carts", user_id=user_id, codes=[])
        self._send(order)
        self._confirm(order)

    def _confirm(self, order: Record) -> None:
        """Let each merchant confirm its part of an order by mail."""
        if order["user_id"] != self.world.owner:
            return
        parts: dict[str, list[Record]] = {}
        for item in self._items(order):
            parts.setdefault(self._product(item["product_id"])["merchant_id"], []).append(item)
        for merchant_id, items in parts.items():
            merchant = self._merchant(merchant_id)
            if not merchant["email"]:
                continue
            lines = "\n".join(f"{item['qty']} x {item['title']} ({item['sku_id']})" for item in items)
            self.world.emit(
                "mail_in",
                to=self.world.owner_email,
                sender=merchant["email"],
                sender_name=merchant["name"],
                subject=f"Your order {order['order_id']}",
                body=(
                    f"Thank you for your order {order['order_id']}.\n\n{lines}\n\n"
                    f"To: {order['address'].get('recipient', '')}, {order['address'].get('detail', '')}, "
                    f"{order['address'].get('city', '')}\n"
                    f"Total of the order: {order['total_minor']} {order['currency']} (minor units).\n"
                    f"Expected: {(items[0]['expected_at'] or '')[:10]}.\n\n{merchant['name']}"
                ),
                attachments=[],
            )


def _told(refund: Record) -> dict[str, Any]:
    return {field: refund[field] for field in ("refund_id", "item_id", "qty", "amount_minor", "status", "due_at")}
