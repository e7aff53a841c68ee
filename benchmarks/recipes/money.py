"""Recipes for the bank, the broker, the card, the shop and the carrier."""

from __future__ import annotations

from typing import Any

from lifegym.world import clock
from recipes.scene import Recipe, Scene

__all__ = ["MONEY"]

Arguments = dict[str, Any]
_HOME = {"recipient": "Ann Lee", "city": "Shanghai", "detail": "12 Harbour Road"}
_AWAY = {"recipient": "Bo Chen", "city": "Shanghai", "detail": "3 Tower Street"}


# -- bank ----------------------------------------------------------------------------------------------------------


def _payment(s: Scene) -> Arguments:
    account = s.pick("banking.accounts", lambda row: row["balance_minor"] > 9000, status="open", user_id=s.owner)
    payee = s.pick("banking.payees", user_id=s.owner)
    return {
        "account_id": account["account_id"],
        "payee_id": payee["payee_id"],
        "amount_minor": s.number(1, 9000),
    }


def pay_payee(s: Scene) -> Arguments:
    return _payment(s) | ({"scheduled_for": s.day(1, 20)} if s.chance(0.4) else {"memo": s.text()})


def schedule_recurring(s: Scene) -> Arguments:
    return _payment(s) | {"freq": s.choose(("weekly", "monthly", "yearly")), "start_date": s.day(1, 30)}


def cancel_recurring(s: Scene) -> Arguments:
    found = s.pick_after(lambda s: s.make("banking.schedule_recurring"), "banking.schedules", status="active")
    return {"schedule_id": found["schedule_id"]}


def cancel_payment(s: Scene) -> Arguments:
    def order(s: Scene) -> Any:
        return s.make("banking.pay_payee", scheduled_for=s.day(1, 20))

    return {"payment_id": s.pick_after(order, "banking.payments", status="scheduled")["payment_id"]}


def transfer(s: Scene) -> Arguments:
    source = s.pick("banking.accounts", lambda row: row["balance_minor"] > 5000, status="open")
    target = s.pick(
        "banking.accounts",
        lambda row: row["account_id"] != source["account_id"],
        status="open",
        currency=source["currency"],
    )
    ids = {"from_account_id": source["account_id"], "to_account_id": target["account_id"]}
    return ids | {"amount_minor": s.number(1, 5000)}


def add_payee(s: Scene) -> Arguments:
    user = s.pick("banking.accounts")["user_id"]
    return {"user_id": user, "name": s.text(), "account_no": f"62{s.number(10**9, 10**10)}", "bank_name": "Lantern"}


# -- broker --------------------------------------------------------------------------------------------------------


def place_order(s: Scene) -> Arguments:
    account = s.pick("brokerage.accounts", lambda row: row["cash_minor"] > 10**6, status="open")
    paper = s.pick(
        "brokerage.instruments",
        lambda row: row["kind"] != "option" and 0 < row["price_minor"] * row["lot_size"] < 200_000,
        currency=account["currency"],
    )
    order = {
        "account_id": account["account_id"],
        "symbol": paper["symbol"],
        "side": "buy",
        "qty": paper["lot_size"],
    }
    if s.chance(0.4):
        return order | {"order_type": "market"}
    tick = paper["tick_minor"]
    limit = max(tick, paper["price_minor"] * s.number(50, 110) // 100 // tick * tick)
    return order | {"order_type": "limit", "limit_price_minor": limit, "tif": "gtc"}


def cancel_order(s: Scene) -> Arguments:
    found = s.pick_after(lambda s: s.make("brokerage.place_order"), "brokerage.orders", status="open")
    return {"order_id": found["order_id"]}


def subscribe_fund(s: Scene) -> Arguments:
    account = s.pick("brokerage.accounts", lambda row: row["cash_minor"] > 10**6, status="open")
    fund = s.pick("brokerage.funds", status="open", currency=account["currency"])
    amount = fund["minimum_minor"] + s.number(0, 9000)
    return {"account_id": account["account_id"], "fund_code": fund["fund_code"], "amount_minor": amount}


def redeem_fund(s: Scene) -> Arguments:
    funds = {row["fund_code"] for row in s.rows("brokerage.funds")}
    lot = s.pick("brokerage.lots", lambda row: row["symbol"] in funds)
    units = s.number(1, max(1, min(5000, lot["units"] // 20)))
    return {"account_id": lot["account_id"], "fund_code": lot["symbol"], "units_milli": units}


def exercise_option(s: Scene) -> Arguments:
    grant = s.pick("brokerage.grants", lambda row: row["vested"] > row["used"] + 5, status="open")
    return {"account_id": grant["account_id"], "grant_id": grant["grant_id"], "qty": s.number(1, 3)}


# -- card ----------------------------------------------------------------------------------------------------------


def make_payment(s: Scene) -> Arguments:
    card = s.pick("credit_card.cards", currency="CNY")
    account = s.pick("banking.accounts", lambda row: row["balance_minor"] > 2000, status="open", currency="CNY")
    return {"card_id": card["card_id"], "amount_minor": s.number(1, 900), "source_hint": account["account_id"]}


def freeze_card(s: Scene) -> Arguments:
    card = s.pick_after(lambda s: s.make("credit_card.unfreeze_card"), "credit_card.cards", status="active")
    return {"card_id": card["card_id"]}


def unfreeze_card(s: Scene) -> Arguments:
    frozen = s.rows("credit_card.cards", status="frozen")
    if not frozen:
        active = s.pick("credit_card.cards", status="active")
        s.call("credit_card.freeze_card", card_id=active["card_id"])
        return {"card_id": active["card_id"]}
    return {"card_id": s.choose(frozen)["card_id"]}


def dispute_transaction(s: Scene) -> Arguments:
    known = {row["tx_id"] for row in s.rows("credit_card.disputes")}
    since = s.world.now - 59 * clock.DAY
    bought = s.pick_after(
        _charge,
        "credit_card.transactions",
        lambda row: row["tx_id"] not in known and s.seconds(row["posted_at"]) > since,
        kind="purchase",
    )
    return {"tx_id": bought["tx_id"], "reason": s.text()}


def _charge(s: Scene) -> None:
    card = s.pick("credit_card.cards", status="active")
    s.happen("credit_card.post_charge", card_id=card["card_id"], merchant="Greenleaf", amount_minor=s.number(1, 900))


def redeem_rewards(s: Scene) -> Arguments:
    card = s.pick("credit_card.cards", lambda row: row["points"] > 300 and row["status"] != "blocked")
    reward = s.pick(
        "credit_card.rewards",
        lambda row: row["points_cost"] <= card["points"] and row["card_id"] in ("", card["card_id"]),
    )
    return {"card_id": card["card_id"], "redemption_code": reward["redemption_code"]}


# -- shop ----------------------------------------------------------------------------------------------------------


def add_to_cart(s: Scene) -> Arguments:
    on_sale = {row["product_id"] for row in s.rows("ecommerce.products", on_sale=True)}
    sku = s.pick("ecommerce.skus", lambda row: row["stock"] > 3 and row["product_id"] in on_sale)
    return {"user_id": s.owner, "product_id": sku["product_id"], "sku_id": sku["sku_id"], "qty": 1}


def update_cart_item(s: Scene) -> Arguments:
    line = _line(s)
    return {"user_id": line["user_id"], "cart_item_id": line["cart_item_id"], "qty": s.number(1, 2)}


def remove_from_cart(s: Scene) -> Arguments:
    line = _line(s)
    return {"user_id": line["user_id"], "cart_item_id": line["cart_item_id"]}


def _line(s: Scene) -> Any:
    return s.pick_after(lambda s: s.make("ecommerce.add_to_cart"), "ecommerce.cart_items", user_id=s.owner)


def apply_coupon(s: Scene) -> Arguments:
    for _ in range(3):
        s.make("ecommerce.add_to_cart")
    for cart in s.rows("ecommerce.carts", lambda row: row["codes"], user_id=s.owner):
        s.call("ecommerce.remove_coupon", user_id=s.owner, code=cart["codes"][-1])
    coupon = s.pick(
        "ecommerce.coupons",
        lambda row: row["uses_left"] != 0 and not (row["ends_at"] and not s.coming(row["ends_at"])),
        merchant_id="",
        categories=[],
        threshold_minor=0,
    )
    return {"user_id": s.owner, "code": coupon["code"]}


def remove_coupon(s: Scene) -> Arguments:
    cart = s.pick_after(lambda s: s.make("ecommerce.apply_coupon"), "ecommerce.carts", lambda row: row["codes"])
    return {"user_id": cart["user_id"], "code": s.choose(cart["codes"])}


def add_address(s: Scene) -> Arguments:
    parts = ("recipient", "phone", "province", "city", "district", "detail", "postal_code")
    return {"user_id": s.owner, **{part: s.text() for part in parts}}


def place_order_in_shop(s: Scene) -> Arguments:
    _line(s)
    address = s.pick("ecommerce.addresses", user_id=s.owner)
    return {"user_id": s.owner, "address_id": address["address_id"], "payment_method": "wallet"}


def cancel_order_in_shop(s: Scene) -> Arguments:
    order = s.pick_after(lambda s: s.make("ecommerce.place_order"), "ecommerce.orders", status="placed")
    return {"order_id": order["order_id"], "reason": s.text()}


def cancel_order_line(s: Scene) -> Arguments:
    line = s.pick_after(lambda s: s.make("ecommerce.place_order"), "ecommerce.order_items", status="placed")
    return {"order_id": line["order_id"], "item_id": line["item_id"]}


def request_refund(s: Scene) -> Arguments:
    kept = {row["product_id"] for row in s.rows("ecommerce.products", returnable=True)}

    def returnable(row: Any) -> bool:
        left = row["qty"] - row["cancelled_qty"] - row["returned_qty"]
        today = s.world.today().isoformat()
        return left > 0 and row["product_id"] in kept and (row["return_until"] or today) >= today

    line = s.pick_after(_bought, "ecommerce.order_items", returnable, status=("shipped", "delivered"))
    return {"order_id": line["order_id"], "item_id": line["item_id"], "qty": 1, "reason": s.text()}


def _bought(s: Scene) -> None:
    order = s.make("ecommerce.place_order")
    s.wait_until(s.world.now + 8 * clock.DAY)
    s.call("ecommerce.get_order", order_id=order["order_id"])


def message_merchant(s: Scene) -> Arguments:
    order = s.pick("ecommerce.orders", user_id=s.owner)
    return {"user_id": s.owner, "order_id": order["order_id"], "body": s.text()}


# -- carrier -------------------------------------------------------------------------------------------------------


def estimate_delivery(s: Scene) -> Arguments:
    tariff = s.pick("delivery_logistics.tariffs", lambda row: row["max_kg"] >= 2)
    return {
        "origin_addr": _HOME,
        "dest_addr": _AWAY,
        "weight_kg": s.number(1, 20) / 10,
        "service_type": tariff["service_type"],
    }


def request_pickup(s: Scene) -> Arguments:
    closed = {row["day"] for row in s.rows("delivery_logistics.closed_days")}
    days = [day for ahead in range(1, 20) if (day := s.day(ahead, ahead)) not in closed]
    day = s.choose([day for day in days if clock.parse_day(day).weekday() != 6])
    quote = estimate_delivery(s)
    return {
        "user_id": s.owner,
        "pickup_addr": quote["origin_addr"],
        "dest_addr": quote["dest_addr"],
        "item_desc": s.text(),
        "weight_kg": quote["weight_kg"],
        "service_type": quote["service_type"],
        "scheduled_at": s.hour(day, 9, 11),
    }


def _parcel(s: Scene) -> None:
    day = clock.day_start(s.world.today(), s.world.zone) + s.number(4, 12) * clock.DAY + 14 * clock.HOUR
    s.happen(
        "delivery_logistics.create_shipment",
        tracking_no=s.name("TX"),
        sender="Tall Tents",
        items=[{"description": "Tent", "qty": 1, "ref": "tent"}],
        destination=_HOME,
        deliver_at=s.world.iso(day),
        status="in_transit",
    )


def _moving(s: Scene, **fields: Any) -> Any:
    return s.pick_after(
        _parcel,
        "delivery_logistics.shipments",
        lambda row: row["trouble"] == "" and s.coming(row["deliver_at"]),
        status=("created", "picked_up", "in_transit"),
        **fields,
    )


def change_address(s: Scene) -> Arguments:
    return {"tracking_no": _moving(s)["tracking_no"], "new_address": s.choose((_HOME, _AWAY))}


def reschedule_delivery(s: Scene) -> Arguments:
    shown = s.call("delivery_logistics.get_shipment", shipment_id=_moving(s)["tracking_no"])
    window = s.choose(shown["offered_windows"])
    return {
        "tracking_no": shown["tracking_no"],
        "new_date": s.choose(shown["offered_days"]),
        "time_window": window,
    }


def cancel_shipment(s: Scene) -> Arguments:
    parcel = s.pick_after(
        lambda s: s.make("delivery_logistics.request_pickup"),
        "delivery_logistics.shipments",
        status="created",
        direction="outgoing",
    )
    return {"tracking_no": parcel["tracking_no"], "reason": s.text()}


def report_issue(s: Scene) -> Arguments:
    known = {row["tracking_no"] for row in s.rows("delivery_logistics.issues")}
    recent = s.world.now - 29 * clock.DAY
    parcel = s.pick_after(
        _parcel,
        "delivery_logistics.shipments",
        lambda row: row["tracking_no"] not in known and s.seconds(row["delivered_at"] or s.world.iso()) > recent,
        status=("in_transit", "picked_up", "delivered"),
    )
    return {
        "tracking_no": parcel["tracking_no"],
        "issue_type": s.choose(("damaged", "other", "wrong_address")),
        "description": s.text(),
    }


def subscribe_status(s: Scene) -> Arguments:
    target = s.choose((("push", s.owner), ("email", f"{s.name('a')}@mail.example"), ("sms", "+8613900000000")))
    return {"tracking_no": _moving(s)["tracking_no"], "channel": target[0], "target": target[1]}


def unsubscribe(s: Scene) -> Arguments:
    found = s.pick_after(
        lambda s: s.make("delivery_logistics.subscribe_status"), "delivery_logistics.subscriptions", status="active"
    )
    return {"subscription_id": found["subscription_id"]}


MONEY: dict[str, Recipe] = {
    "banking.add_payee": add_payee,
    "banking.cancel_payment": cancel_payment,
    "banking.cancel_recurring": cancel_recurring,
    "banking.pay_payee": pay_payee,
    "banking.schedule_recurring": schedule_recurring,
    "banking.transfer": transfer,
    "brokerage.cancel_order": cancel_order,
    "brokerage.exercise_option": exercise_option,
    "brokerage.place_order": place_order,
    "brokerage.redeem_fund": redeem_fund,
    "brokerage.subscribe_fund": subscribe_fund,
    "credit_card.dispute_transaction": dispute_transaction,
    "credit_card.freeze_card": freeze_card,
    "credit_card.make_payment": make_payment,
    "credit_card.redeem_rewards": redeem_rewards,
    "credit_card.unfreeze_card": unfreeze_card,
    "delivery_logistics.cancel_shipment": cancel_shipment,
    "delivery_logistics.change_address": change_address,
    "delivery_logistics.estimate_delivery": estimate_delivery,
    "delivery_logistics.report_issue": report_issue,
    "delivery_logistics.request_pickup": request_pickup,
    "delivery_logistics.reschedule_delivery": reschedule_delivery,
    "delivery_logistics.subscribe_status": subscribe_status,
    "delivery_logistics.unsubscribe": unsubscribe,
    "ecommerce.add_address": add_address,
    "ecommerce.add_to_cart": add_to_cart,
    "ecommerce.apply_coupon": apply_coupon,
    "ecommerce.cancel_order": cancel_order_in_shop,
    "ecommerce.cancel_order_line": cancel_order_line,
    "ecommerce.message_merchant": message_merchant,
    "ecommerce.place_order": place_order_in_shop,
    "ecommerce.remove_coupon": remove_coupon,
    "ecommerce.remove_from_cart": remove_from_cart,
    "ecommerce.request_refund": request_refund,
    "ecommerce.update_cart_item": update_cart_item,
}
