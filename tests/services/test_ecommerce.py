"""The online shop: search, cart, coupons, orders, parcels, refunds, merchants, happenings."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services.ecommerce.pricing import allocate, half_up, share
from lifegym.world import clock

S = "ecommerce"
LOCKER = {"recipient": "Ann Lee", "city": "Winnipeg", "detail": "Locker 12, Portage Ave", "province": "MB"}
HOUSE = {"recipient": "Ann Lee", "city": "Winnipeg", "detail": "4 Elm St, Wolseley", "province": "MB"}
OLD = {"recipient": "Ann Lee", "city": "Winnipeg", "detail": "77 River Rd, St. Vital", "province": "MB"}


def product(d: Any, product_id: str, title: str, skus: dict[str, int], **more: Any) -> None:
    """A product with SKUs and their prices; ``sku`` fields for all of its SKUs."""
    of_sku = more.pop("sku", {})
    options = more.pop("options", {})
    fields = {"merchant_id": "m", "currency": "CAD", **more}
    d.put(f"{S}.products", product_id=product_id, title=title, **fields)
    for sku_id, price in skus.items():
        d.put(f"{S}.skus", sku_id=sku_id, product_id=product_id, price_minor=price, options=options.get(sku_id, {}),
              **{"stock": 10, **of_sku})  # fmt: skip


def shop(d: Any) -> Any:
    d.put(f"{S}.merchants", merchant_id="m", name="Prairie Kids", email="shop@prairie.example", address=OLD)
    d.put(f"{S}.merchants", merchant_id="slow", name="Karoo Wholesale", shipping_minor=48_000, refund_days=None,
          cancel_refund_days=2)  # fmt: skip
    d.put(f"{S}.merchants", merchant_id="fast", name="Bath & Rail", shipping_minor=500, free_shipping_from_minor=20_000,
          express_minor=900, dispatch_days=0, transit_days=3, return_days=30)  # fmt: skip
    kids = {"category": "clothing/children", "tax_bp": 500, "brand": "Northstar"}
    product(d, "suit5", "Snowsuit Polar size 5", {"SN-5": 10_999}, keywords="winter overall", **kids)
    product(d, "suit5w2", "Snowsuit Polar size 5, second warehouse", {"SN-5W2": 10_999}, **kids)
    product(d, "boots", "Winter boots", {"BT-K": 4_999, "BT-T": 4_499}, rating=4.6, reviews=120,
            options={"BT-K": {"size": "12"}, "BT-T": {"size": "9"}}, keywords="shoes snow", **kids)  # fmt: skip
    product(d, "mitts", "Mitts", {"MT-1": 1_499}, keywords="gloves", **kids)
    product(d, "seat", "Harness car seat 10-29 kg", {"CS-H": 19_999}, tax_bp=1200, category="baby/seats",
            keywords="carseat child safety", sku={"lot": "25-42"})  # fmt: skip
    product(d, "booster", "Booster seat from 18 kg", {"CS-B": 5_999}, tax_bp=1200, category="baby/seats")
    product(d, "hamper26", "Grocery hamper 2026", {"hmp_std26": 231_800}, merchant_id="slow", category="pantry",
            sku={"ships_on": "2026-05-05", "stock": 100}, currency="ZAR")  # fmt: skip
    product(d, "rail", "Grab rail 60 cm", {"bar_60": 6_490}, merchant_id="fast", category="bath", keywords="handrail",
            attrs={"length": "60 cm"}, brand="Halden")  # fmt: skip
    product(d, "mixer", "Thermostatic shower mixer 38 C", {"mix_38": 21_900}, merchant_id="fast", category="bath",
            brand="Halden", rating=4.1, returnable=False, sku={"stock": 2}, description="Limited to 38 degrees.",
            options={"mix_38": {"Finish": "Chrome"}})  # fmt: skip
    product(d, "frame", "Door frame", {"frm_900": 21_400, "frm_830": 18_900}, merchant_id="fast", category="doors",
            options={"frm_900": {"width": "900 mm"}, "frm_830": {"width": "830 mm"}}, keywords="narrow")  # fmt: skip
    for key, place, default in (("AD-1", HOUSE, True), ("AD-2", OLD, False), ("AD-4", LOCKER, False)):
        d.put(f"{S}.addresses", address_id=key, user_id="u_ann", is_default=default, **place)
    d.put(f"{S}.coupons", code="BULK4", title="4 % off bulk", percent=4, threshold_minor=3_000_000,
          ends_at="2026-04-24T23:59:59+08:00", currency="ZAR")  # fmt: skip
    d.put("banking.accounts", account_id="acc", user_id="u_ann", name="Main", currency="CAD", balance_minor=500_000)
    d.start()
    return d


@pytest.fixture
def d(desk: Any) -> Any:
    return shop(desk("ecommerce", "delivery_logistics", "notification_hub", "email", "banking"))


@pytest.fixture
def alone(desk: Any) -> Any:
    return shop(desk("ecommerce", "banking"))


def add(d: Any, sku_id: str, qty: int = 1) -> dict[str, Any]:
    product_id = d.service(S).find("skus", sku_id)["product_id"]
    return d.call(f"{S}.add_to_cart", user_id="u_ann", product_id=product_id, sku_id=sku_id, qty=qty)


def order(d: Any, *skus: str | tuple[str, int], method: str = "acc", **more: Any) -> dict[str, Any]:
    for sku in skus:
        add(d, *((sku,) if isinstance(sku, str) else sku))
    fields = {"user_id": "u_ann", "address_id": "AD-4", "payment_method": method, **more}
    return d.call(f"{S}.place_order", **fields)


def get(d: Any, order_id: str) -> dict[str, Any]:
    return d.call(f"{S}.get_order", order_id=order_id)


def line(d: Any, order_id: str, place: int = 0) -> dict[str, Any]:
    return get(d, order_id)["items"][place]


def balance(d: Any) -> int:
    return d.service("banking").find("accounts", "acc")["balance_minor"]


def stock(d: Any, sku_id: str) -> int:
    return d.service(S).find("skus", sku_id)["stock"]


def test_no_line_costs_less_than_nothing(d: Any) -> None:
    item_id = order(d, "bar_60")["items"][0]["item_id"]
    row = d.service(S).find("order_items", item_id)
    more = row["net_minor"] + row["tax_minor"] + 1
    d.service(S).patch("order_items", item_id, discount_minor=more, total_minor=-1)
    with pytest.raises(AssertionError):
        d.service(S).check_invariants()


# -- arithmetic --------------------------------------------------------------------------------------------------


def test_shares_add_up() -> None:
    assert allocate(850, [10_999, 4_499, 1_499]) == [550, 225, 75]
    assert allocate(10, [1, 1, 1]) == [4, 3, 3]
    assert allocate(0, [0, 0]) == [0, 0]
    assert [half_up(n, 10) for n in (14, 15, 25, -5)] == [1, 2, 3, 0]
    assert [share(100, 3, done, 1) for done in range(3)] == [33, 33, 34]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8), st.integers(0, 100))
def test_shares_never_exceed_what_they_are_of(weights: list[int], percent: int) -> None:
    total = half_up(sum(weights) * percent, 100)
    shares = allocate(total, weights)
    assert sum(shares) == total
    assert all(0 <= part <= weight for part, weight in zip(shares, weights, strict=True))


# -- search ------------------------------------------------------------------------------------------------------

GOLDEN = [
    ("snowsuit", ["suit5", "suit5w2"]),
    ("snowsuits", ["suit5", "suit5w2"]),
    ("snowsiut", ["suit5", "suit5w2"]),
    ("snow suit", ["suit5", "suit5w2"]),
    ("winter boots", ["boots"]),
    ("botts", ["boots"]),
    ("mittens", ["mitts"]),
    ("car seat", ["seat"]),
    ("booster seat", ["booster"]),
    ("grab bar", ["rail"]),
    ("handrail", ["rail"]),
    ("hamper", ["hamper26"]),
    ("grocery hampr", ["hamper26"]),
    ("thermostatic mixer", ["mixer"]),
    ("faucet", ["mixer"]),
    ("frm_830", ["frame"]),
    ("door frames", ["frame"]),
    ("degrees", ["mixer"]),
    ("halden", ["rail", "mixer"]),
]


@pytest.mark.parametrize(("query", "expected"), GOLDEN)
def test_golden_searches(d: Any, query: str, expected: list[str]) -> None:
    found = d.call(f"{S}.search_products", query=query)
    assert [row["product_id"] for row in found["products"]][: len(expected)] == expected


def search(d: Any, query: str = "", **more: Any) -> list[str]:
    return [row["product_id"] for row in d.call(f"{S}.search_products", query=query, **more)["products"]]


def test_searches_are_narrowed_and_sorted(d: Any) -> None:
    assert len(search(d)) == 10
    assert search(d, category="clothing", sort="price_asc") == ["mitts", "boots", "suit5", "suit5w2"]
    assert search(d, category="Baby / Seats") == ["seat", "booster"]
    assert search(d, category="dors") == ["frame"]
    assert search(d, category="bath", sort="price_desc") == ["mixer", "rail"]
    assert search(d, sort="rating")[:2] == ["boots", "mixer"]
    assert search(d, sort="reviews")[0] == "boots"
    assert search(d, filters={"brand": "halden"}) == ["rail", "mixer"]
    assert search(d, filters={"rating": 4.5}) == ["boots"]
    assert search(d, filters={"attrs": {"Length": "60 CM"}}) == ["rail"]
    assert search(d, filters={"attrs": {"finish": "chrome"}}) == ["mixer"]
    [boots] = d.call(f"{S}.search_products", query="boots", filters={"max_price_minor": 4_600})["products"]
    assert (boots["sku_ids"], boots["price_from_minor"], boots["price_to_minor"]) == (["BT-T"], 4_499, 4_499)
    assert search(d, filters={"min_price_minor": 200_000}) == ["hamper26"]
    d.happen(f"{S}.set_stock", ref="boots", stock=0)
    assert "boots" not in search(d, filters={"in_stock": True})
    assert search(d, "zzzzzz") == []
    d.happen(f"{S}.set_on_sale", product_id="boots", on_sale=False)
    assert search(d, "boots") == []
    shown = d.call(f"{S}.search_products", query="", limit=2)
    assert (len(shown["products"]), shown["total"], shown["categories"]["clothing/children"]) == (2, 9, 3)
    assert d.refused(f"{S}.search_products", query="", category="zzz") == "unknown_category"
    assert d.refused(f"{S}.search_products", query="", limit=0) == "bad_limit"
    assert d.refused(f"{S}.search_products", query="", sort="newest") == "bad_arguments"


def test_a_product_page(d: Any) -> None:
    page = d.call(f"{S}.get_product", product_id="seat")
    assert (page["tax_percent"], page["return_days"], page["merchant"]["name"]) == (12.0, 14, "Prairie Kids")
    [sku] = page["skus"]
    assert (sku["lot"], sku["stock"], sku["ships_at"]) == ("25-42", 10, "2026-04-20T16:00:00+08:00")
    assert sku["expected_at"] == "2026-04-22T14:00:00+08:00"
    assert d.call(f"{S}.get_product", product_id="CS-H") == page
    assert d.call(f"{S}.get_product", product_id="mixer")["return_days"] == 0
    [sku] = d.call(f"{S}.get_product", product_id="hamper26")["skus"]
    assert sku["ships_at"] == "2026-05-05T16:00:00+08:00"
    d.service(S).patch("products", "seat", description="x" * 30_000)
    assert d.call(f"{S}.get_product", product_id="seat")["description"].endswith("x [cut]")
    assert d.refused(f"{S}.get_product", product_id="zz") == "not_found"


# -- the cart ----------------------------------------------------------------------------------------------------


def test_a_cart_at_todays_prices(d: Any) -> None:
    add(d, "SN-5")
    add(d, "BT-T")
    cart = add(d, "MT-1")
    assert (cart["items_minor"], cart["tax_minor"], cart["total_minor"]) == (16_997, 850, 17_847)
    assert [item["tax_minor"] for item in cart["items"]] == [550, 225, 75]
    assert add(d, "MT-1", 2)["items"][2]["qty"] == 3
    d.happen(f"{S}.set_price", ref="SN-5", price_minor=8_999)
    cart = d.call(f"{S}.get_cart", user_id="u_ann")
    first = cart["items"][0]
    assert (first["price_minor"], first["price_added_minor"], first["price_changed"]) == (8_999, 10_999, True)
    assert cart["items"][1]["price_changed"] is False
    cart = d.call(f"{S}.update_cart_item", user_id="u_ann", cart_item_id=first["cart_item_id"], qty=2)
    assert cart["items"][0]["line_minor"] == 17_998
    cart = d.call(f"{S}.remove_from_cart", user_id="u_ann", cart_item_id=first["cart_item_id"])
    assert [item["sku_id"] for item in cart["items"]] == ["BT-T", "MT-1"]
    d.happen(f"{S}.set_stock", ref="MT-1", stock=1)
    d.happen(f"{S}.set_on_sale", product_id="boots", on_sale=False)
    problems = [item["problem"] for item in d.call(f"{S}.get_cart", user_id="u_ann")["items"]]
    assert problems == ["not on sale any more", "only 1 left"]
    empty = d.call(f"{S}.get_cart", user_id="u_bob")
    assert (empty["items"], empty["total_minor"], empty["currency"]) == ([], 0, "")
    d.check()


def test_what_a_cart_refuses(d: Any) -> None:
    tool = f"{S}.add_to_cart"
    who = {"user_id": "u_ann", "product_id": "boots"}
    assert d.refused(tool, **{**who, "product_id": "zz"}, sku_id="BT-T", qty=1) == "not_found"
    assert d.refused(tool, **who, sku_id="zz", qty=1) == "not_found"
    assert d.refused(tool, **who, sku_id="SN-5", qty=1) == "not_found"
    assert d.refused(tool, **who, sku_id="BT-T", qty=11) == "out_of_stock"
    assert d.refused(tool, **who, sku_id="BT-T", qty=0) == "bad_arguments"
    add(d, "BT-T", 6)
    assert d.refused(tool, **who, sku_id="BT-T", qty=5) == "out_of_stock"
    assert d.refused(tool, user_id="u_ann", product_id="hamper26", sku_id="hmp_std26", qty=1) == "other_currency"
    d.happen(f"{S}.set_on_sale", product_id="boots", on_sale=False)
    assert d.refused(tool, **who, sku_id="BT-T", qty=1) == "unavailable"
    [item] = d.call(f"{S}.get_cart", user_id="u_ann")["items"]
    change = {"user_id": "u_ann", "cart_item_id": item["cart_item_id"]}
    assert d.refused(f"{S}.update_cart_item", **change, qty=2) == "unavailable"
    d.happen(f"{S}.set_on_sale", product_id="boots", on_sale=True)
    assert d.refused(f"{S}.update_cart_item", **change, qty=11) == "out_of_stock"
    assert d.refused(f"{S}.update_cart_item", **{**change, "user_id": "u_bob"}, qty=1) == "not_found"
    assert d.refused(f"{S}.update_cart_item", **{**change, "cart_item_id": "zz"}, qty=1) == "not_found"
    assert d.refused(f"{S}.remove_from_cart", user_id="u_ann", cart_item_id="zz") == "not_found"
    d.happen(f"{S}.set_notice", ref="BT-K", notice="ask for stock")
    d.happen(f"{S}.set_stock", ref="BT-K", stock=0)
    refused = d.outcome(tool, **who, sku_id="BT-K", qty=1)
    assert "ask for stock" in refused.text


def test_a_cart_has_an_end(d: Any) -> None:
    for number in range(51):
        product(d, f"p{number}", f"Thing {number}", {f"s{number}": 100})
    d.service(S).start()
    for number in range(50):
        add(d, f"s{number}")
    who = {"user_id": "u_ann", "product_id": "p50", "sku_id": "s50"}
    assert d.refused(f"{S}.add_to_cart", **who, qty=1) == "cart_full"
    assert add(d, "s49")["items"][49]["qty"] == 2


# -- coupons -----------------------------------------------------------------------------------------------------


def coupon(d: Any, code: str, **more: Any) -> None:
    d.put(f"{S}.coupons", code=code, **more)


def apply(d: Any, code: str) -> dict[str, Any]:
    return d.call(f"{S}.apply_coupon", user_id="u_ann", code=code)


def test_hampers_with_a_bulk_coupon(d: Any) -> None:
    add(d, "hmp_std26", 12)
    who = {"user_id": "u_ann", "code": "bulk4"}
    assert d.refused(f"{S}.apply_coupon", **who) == "below_threshold"
    add(d, "hmp_std26", 2)
    cart = apply(d, "bulk4")
    assert (cart["items_minor"], cart["discount_minor"], cart["shipping_minor"], cart["total_minor"]) == (
        3_245_200, 129_808, 48_000, 3_163_392,
    )  # fmt: skip
    assert cart["coupons"] == [{"code": "BULK4", "title": "4 % off bulk", "discount_minor": 129_808, "problem": ""}]
    placed = order(d, method="eft")
    assert (placed["total_minor"], placed["codes"]) == (3_163_392, ["BULK4"])
    [item] = placed["items"]
    assert item["expected_at"] == "2026-05-07T14:00:00+08:00"
    [charge] = d.world.table("world.charges").rows()
    assert (charge["method"], charge["amount_minor"], charge["payee"]) == ("eft", 3_163_392, "Karoo Wholesale")
    d.happen(f"{S}.set_price", ref="hmp_std26", price_minor=235_200)
    assert get(d, placed["order_id"])["total_minor"] == 3_163_392
    d.check()


def test_what_coupons_ask_for(d: Any) -> None:
    coupon(d, "SOON", percent=10, starts_at="2026-05-01T00:00:00+08:00")
    coupon(d, "WINTER", percent=10, ends_at="2026-04-16T00:00:00+08:00")
    coupon(d, "GARDEN", percent=10, categories=["garden"])
    coupon(d, "OUT", percent=10, uses_left=0)
    coupon(d, "BABY", amount_minor=1_000, categories=["baby"], merchant_id="m")
    coupon(d, "RAIL", amount_minor=1_000, merchant_id="fast", most_minor=200)
    tool = f"{S}.apply_coupon"
    assert d.refused(tool, user_id="u_ann", code="BABY") == "empty_cart"
    add(d, "CS-H")
    for code, expected in (
        ("SOON", "not_yet"), ("WINTER", "expired"), ("GARDEN", "not_applicable"), ("OUT", "used_up"),
        ("RAIL", "not_applicable"), ("BULK4", "not_applicable"), ("NOPE", "not_found"),
    ):  # fmt: skip
        assert d.refused(tool, user_id="u_ann", code=code) == expected
    cart = apply(d, "baby")
    assert (cart["discount_minor"], cart["tax_minor"]) == (1_000, 2_280)
    assert d.refused(tool, user_id="u_ann", code="BABY") == "exists"
    assert d.refused(tool, user_id="u_ann", code="SOON") == "not_stackable"
    assert d.refused(f"{S}.remove_coupon", user_id="u_ann", code="SOON") == "not_found"
    assert d.call(f"{S}.remove_coupon", user_id="u_ann", code="baby")["discount_minor"] == 0
    add(d, "bar_60")
    assert apply(d, "RAIL")["discount_minor"] == 200
    d.check()


def test_coupons_that_go_together(d: Any) -> None:
    coupon(d, "TEN", percent=10, stackable=True, uses_left=1)
    coupon(d, "FIVER", amount_minor=500, stackable=True, once_per_user=True)
    coupon(d, "ALL", amount_minor=99_999_999)
    add(d, "CS-H")
    apply(d, "TEN")
    cart = apply(d, "FIVER")
    assert [shown["discount_minor"] for shown in cart["coupons"]] == [2_000, 500]
    assert d.refused(f"{S}.apply_coupon", user_id="u_ann", code="ALL") == "not_stackable"
    placed = order(d)
    assert (placed["discount_minor"], placed["codes"]) == (2_500, ["TEN", "FIVER"])
    add(d, "CS-H")
    assert d.refused(f"{S}.apply_coupon", user_id="u_ann", code="TEN") == "used_up"
    assert d.refused(f"{S}.apply_coupon", user_id="u_ann", code="FIVER") == "used_up"
    d.call(f"{S}.cancel_order", order_id=placed["order_id"], reason="again")
    assert apply(d, "FIVER")["discount_minor"] == 500
    d.call(f"{S}.remove_coupon", user_id="u_ann", code="FIVER")
    assert apply(d, "ALL")["total_minor"] == 0
    free = order(d)
    assert (free["total_minor"], free["items"][0]["total_minor"]) == (0, 0)
    done = d.call(f"{S}.cancel_order", order_id=free["order_id"], reason="x")
    assert done["refunds"][0]["status"] == "refunded"
    d.check()


def test_a_coupon_that_ends_in_the_cart(d: Any) -> None:
    made = {"code": "SPRING", "title": "Spring", "percent": 10, "categories": ["baby"]}
    assert d.happen(f"{S}.new_coupon", **made) == ["SPRING"]
    assert d.happen(f"{S}.new_coupon", **made) == []
    assert d.happen(f"{S}.new_coupon", **{**made, "code": "X"}, merchant_id="nobody") == []
    add(d, "CS-H")
    assert apply(d, "SPRING")["discount_minor"] == 2_000
    assert d.happen(f"{S}.end_coupon", code="SPRING") == ["SPRING"]
    assert d.happen(f"{S}.end_coupon", code="SPRING") == []
    cart = d.call(f"{S}.get_cart", user_id="u_ann")
    assert (cart["discount_minor"], cart["coupons"][0]["problem"][:12]) == (0, "SPRING ended")
    place = {"user_id": "u_ann", "address_id": "AD-4", "payment_method": "acc"}
    assert d.refused(f"{S}.place_order", **place) == "coupon_invalid"
    d.service(S).drop("coupons", "SPRING")
    assert d.call(f"{S}.get_cart", user_id="u_ann")["coupons"][0]["problem"] == "SPRING is gone"


# -- addresses ---------------------------------------------------------------------------------------------------

FULL = {
    "user_id": "u_ann", "recipient": "Ann", "phone": "1", "province": "MB", "city": "Brandon", "district": "",
    "detail": "1 First St", "postal_code": "R7A",
}  # fmt: skip


def test_addresses(d: Any) -> None:
    added = d.call(f"{S}.add_address", **FULL, is_default=True)
    listed = d.call(f"{S}.list_addresses", user_id="u_ann")["addresses"]
    assert [row["address_id"] for row in listed if row["is_default"]] == [added["address_id"]]
    assert d.refused(f"{S}.add_address", **FULL) == "exists"
    assert d.refused(f"{S}.add_address", **{**FULL, "city": " "}) == "bad_address"
    assert d.call(f"{S}.add_address", **{**FULL, "user_id": "u_bob"})["is_default"] is True
    for number in range(46):
        d.call(f"{S}.add_address", **{**FULL, "detail": f"{number} Side St"})
    assert d.refused(f"{S}.add_address", **{**FULL, "detail": "99 Side St"}) == "too_many"
    d.check()


def test_a_profile_sync_renumbers_addresses(d: Any) -> None:
    placed = order(d, "CS-H")
    assert d.happen(f"{S}.rekey_addresses", keys={"AD-2": "AD-4", "AD-4": "AD-5"}) == ["AD-4", "AD-5"]
    listed = {row["address_id"]: row["detail"] for row in d.call(f"{S}.list_addresses", user_id="u_ann")["addresses"]}
    assert listed == {"AD-1": HOUSE["detail"], "AD-4": OLD["detail"], "AD-5": LOCKER["detail"]}
    assert get(d, placed["order_id"])["address"]["detail"] == LOCKER["detail"]
    slipped = order(d, "CS-B")
    assert slipped["address"]["detail"] == OLD["detail"]
    assert d.happen(f"{S}.rekey_addresses", keys={"AD-4": "AD-1"}) == []
    assert d.happen(f"{S}.rekey_addresses", keys={"zz": "AD-9"}) == []
    assert d.happen(f"{S}.set_address", address_id="AD-1", detail="5 Elm St") == ["AD-1"]
    assert d.happen(f"{S}.set_address", address_id="AD-1") == []
    assert d.happen(f"{S}.set_address", address_id="zz", detail="5 Elm St") == []
    d.check()


# -- ordering ----------------------------------------------------------------------------------------------------


def test_an_order_takes_stock_and_money_and_sends_a_parcel(d: Any) -> None:
    placed = order(d, ("SN-5", 1), "BT-T", "MT-1", note="leave in the locker")
    assert (placed["status"], placed["total_minor"], placed["note"]) == ("placed", 17_847, "leave in the locker")
    assert [item["total_minor"] for item in placed["items"]] == [11_549, 4_724, 1_574]
    assert (balance(d), stock(d, "SN-5")) == (500_000 - 17_847, 9)
    assert d.call(f"{S}.get_cart", user_id="u_ann")["items"] == []
    assert placed["address"] == {
        "address_id": "AD-4",
        **LOCKER,
        "phone": "",
        "country": "",
        "district": "",
        "postal_code": "",
    }
    [number] = {item["tracking_no"] for item in placed["items"]}
    parcel = d.call("delivery_logistics.get_shipment", shipment_id=number)
    assert (parcel["ref"], parcel["sender"], len(parcel["items"])) == (placed["order_id"], "Prairie Kids", 3)
    assert (parcel["destination"]["detail"], parcel["items"][1]) == (
        LOCKER["detail"], {"description": "Winter boots (9)", "qty": 1, "ref": "BT-T"},
    )  # fmt: skip
    assert parcel["deliver_at"] == placed["items"][0]["expected_at"] == "2026-04-22T14:00:00+08:00"
    mails = [row["subject"] for row in d.service("email").rows("mails")]
    assert mails == [f"Your order {placed['order_id']}"]
    d.check()
    states = []
    for when in ("20T13:00", "20T16:00", "22T08:00", "22T14:00"):
        d.until(f"2026-04-{when}:00")
        states.append(get(d, placed["order_id"])["status"])
        d.check()
    assert states == ["packed", "shipped", "out_for_delivery", "delivered"]
    item = line(d, placed["order_id"])
    assert (item["delivered_at"], item["return_until"]) == ("2026-04-22T14:00:00+08:00", "2026-05-06")
    titles = [row["title"] for row in d.service("notification_hub").rows("notifications")]
    assert titles[-1] == f"Order {placed['order_id']} was delivered"
    assert d.world.openings == []


def test_without_a_carrier_the_shop_tracks_itself(alone: Any) -> None:
    d = alone
    placed = order(d, "SN-5")
    seen = []
    for when in ("17T10:00", "20T13:00", "20T16:00", "22T08:00", "22T14:00"):
        d.until(f"2026-04-{when}:00")
        tracked = d.call(f"{S}.track_order", order_id=placed["order_id"])
        seen.append((tracked["status"], tracked["parcels"][0]["status"]))
        d.check()
    assert [status for status, _ in seen] == ["placed", "packed", "shipped", "out_for_delivery", "delivered"]
    assert all(one == two for one, two in seen)
    assert tracked["parcels"][0]["items"][0]["sku_id"] == "SN-5"
    late = order(d, "BT-T")
    assert d.happen(f"{S}.deliver", ref=late["order_id"]) == [late["items"][0]["item_id"]]
    assert d.happen(f"{S}.deliver", ref=late["order_id"]) == []
    assert get(d, late["order_id"])["status"] == "delivered"


def test_what_an_order_refuses(d: Any) -> None:
    tool = f"{S}.place_order"
    good = {"user_id": "u_ann", "address_id": "AD-4", "payment_method": "acc"}
    assert d.refused(tool, **good) == "empty_cart"
    add(d, "mix_38", 2)
    assert d.refused(tool, **{**good, "address_id": "zz"}) == "not_found"
    bob = d.call(f"{S}.add_address", **{**FULL, "user_id": "u_bob"})
    assert d.refused(tool, **{**good, "address_id": bob["address_id"]}) == "not_found"
    d.happen(f"{S}.set_stock", ref="mix_38", stock=1)
    assert d.refused(tool, **good) == "out_of_stock"
    d.happen(f"{S}.set_stock", ref="mix_38", stock=2)
    d.happen(f"{S}.set_on_sale", product_id="mixer", on_sale=False)
    assert d.refused(tool, **good) == "unavailable"
    d.happen(f"{S}.set_on_sale", product_id="mixer", on_sale=True)
    d.service("banking").patch("accounts", "acc", balance_minor=10)
    assert d.refused(tool, **good) == "insufficient_funds"
    d.world.table("world.methods").put({"method_id": "acc"})
    assert d.refused(tool, **{**good, "payment_method": "gold"}) == "unknown_payment_method"
    add(d, "SN-5")
    assert d.refused(tool, **good, delivery="express") == "no_express"
    d.service("banking").patch("accounts", "acc", balance_minor=500_000)
    assert d.call(tool, **good)["order_id"] == "ord_0001"


def test_delivery_fees_and_express(d: Any) -> None:
    cart = add(d, "bar_60", 3)
    assert cart["shipping_minor"] == 500
    d.until("2026-04-17T15:59:00")
    express = order(d, delivery="express")
    assert (express["shipping_minor"], express["delivery"]) == (1_400, "express")
    assert express["items"][0]["ships_at"] == "2026-04-17T16:00:00+08:00"
    assert express["items"][0]["expected_at"] == "2026-04-20T14:00:00+08:00"
    assert add(d, "bar_60", 4)["shipping_minor"] == 0
    d.until("2026-04-17T16:00:00")
    usual = order(d)
    assert usual["items"][0]["ships_at"] == "2026-04-20T16:00:00+08:00"
    assert usual["items"][0]["expected_at"] == "2026-04-23T14:00:00+08:00"
    d.check()


def test_lines_that_leave_on_other_days_travel_apart(d: Any) -> None:
    d.happen(f"{S}.set_stock", ref="CS-B", stock=5, ships_on="2026-05-11")
    placed = order(d, "CS-H", "CS-B", "bar_60")
    assert len({item["tracking_no"] for item in placed["items"]}) == 3
    assert placed["items"][1]["expected_at"] == "2026-05-13T14:00:00+08:00"
    d.until("2026-04-25T00:00:00")
    assert get(d, placed["order_id"])["status"] == "partly_shipped"
    tracked = d.call(f"{S}.track_order", order_id=placed["order_id"])
    assert [parcel["status"] for parcel in tracked["parcels"]] == ["delivered", "placed", "delivered"]
    d.check()


def test_orders_are_listed_newest_first(d: Any) -> None:
    first = order(d, "CS-H")
    d.until("2026-04-17T11:00:00")
    second = order(d, "MT-1")
    d.call(f"{S}.cancel_order", order_id=first["order_id"], reason="x")
    found = d.call(f"{S}.list_orders", user_id="u_ann")
    assert [row["order_id"] for row in found["orders"]] == [second["order_id"], first["order_id"]]
    assert found["orders"][0]["items"][0]["title"] == "Mitts"
    assert d.call(f"{S}.list_orders", user_id="u_ann", status_filter="cancelled")["total"] == 1
    assert d.call(f"{S}.list_orders", user_id="u_bob")["total"] == 0
    assert d.refused(f"{S}.list_orders", user_id="u_ann", limit=101) == "bad_limit"
    assert d.refused(f"{S}.get_order", order_id="zz") == "not_found"
    assert d.refused(f"{S}.track_order", order_id="zz") == "not_found"


# -- cancelling --------------------------------------------------------------------------------------------------


def test_cancelling_an_order_brings_everything_back(d: Any) -> None:
    placed = order(d, ("bar_60", 2), "frm_900")
    order_id = placed["order_id"]
    done = d.call(f"{S}.cancel_order", order_id=order_id, reason="changed my mind")
    assert (done["status"], sum(row["amount_minor"] for row in done["refunds"])) == ("cancelled", 34_380)
    assert (balance(d), stock(d, "bar_60"), stock(d, "frm_900")) == (500_000, 10, 10)
    number = placed["items"][0]["tracking_no"]
    assert d.call("delivery_logistics.track_package", tracking_no=number)["status"] == "cancelled"
    assert d.refused(f"{S}.cancel_order", order_id=order_id, reason="x") == "already_cancelled"
    assert d.refused(f"{S}.cancel_order", order_id="zz", reason="x") == "not_found"
    d.check()
    d.until("2026-05-01T00:00:00")
    assert get(d, order_id)["status"] == "cancelled"
    d.check()


def test_delivery_fee_comes_back_with_the_last_line(d: Any) -> None:
    placed = order(d, ("bar_60", 2))
    order_id, item_id = placed["order_id"], placed["items"][0]["item_id"]
    tool = f"{S}.cancel_order_line"
    first = d.call(tool, order_id=order_id, item_id=item_id, qty=1, reason="one is enough")
    assert (first["amount_minor"], first["item_status"], first["order_status"]) == (6_490, "placed", "placed")
    parcel = d.call("delivery_logistics.get_shipment", shipment_id=placed["items"][0]["tracking_no"])
    assert parcel["items"][0]["qty"] == 1
    assert d.refused(tool, order_id=order_id, item_id=item_id, qty=2) == "bad_qty"
    assert d.refused(tool, order_id=order_id, item_id="zz") == "not_found"
    assert d.refused(tool, order_id="zz", item_id=item_id) == "not_found"
    last = d.call(tool, order_id=order_id, item_id=item_id)
    assert (last["amount_minor"], last["order_status"]) == (6_490, "cancelled")
    assert get(d, order_id)["refunded_minor"] == placed["total_minor"] == 13_480
    assert d.refused(tool, order_id=order_id, item_id=item_id) == "already_cancelled"
    d.check()


def test_what_is_shipped_cannot_be_cancelled(d: Any) -> None:
    d.happen(f"{S}.set_stock", ref="CS-B", stock=5, ships_on="2026-05-11")
    placed = order(d, "CS-H", "CS-B")
    order_id, (seat, booster) = placed["order_id"], [item["item_id"] for item in placed["items"]]
    d.until("2026-04-21T00:00:00")
    refusal = d.outcome(f"{S}.cancel_order", order_id=order_id, reason="x")
    assert (refusal.code, booster in refusal.text) == ("shipped", True)
    assert d.refused(f"{S}.cancel_order_line", order_id=order_id, item_id=seat) == "shipped"
    assert get(d, order_id)["can_cancel"] == [booster]
    d.call(f"{S}.cancel_order_line", order_id=order_id, item_id=booster)
    assert get(d, order_id)["status"] == "shipped"
    assert d.refused(f"{S}.cancel_order", order_id=order_id, reason="x") == "shipped"
    d.check()


def test_a_refund_that_takes_days(d: Any) -> None:
    placed = order(d, "hmp_std26", method="eft")
    done = d.call(f"{S}.cancel_order", order_id=placed["order_id"], reason="x")
    assert {row["status"] for row in done["refunds"]} == {"requested"}
    assert done["refunds"][0]["due_at"] == "2026-04-19T10:00:00+08:00"
    d.until("2026-04-19T10:00:00")
    assert get(d, placed["order_id"])["refunded_minor"] == placed["total_minor"]
    d.check()


def test_a_cancelled_line_is_refunded_by_its_sku(d: Any) -> None:
    d.world.table("ecommerce.merchants").patch("m", cancel_refund_days=None)
    placed = order(d, "CS-H")
    d.call(f"{S}.cancel_order", order_id=placed["order_id"], reason="x")
    [refund] = get(d, placed["order_id"])["refunds"]
    assert (refund["status"], refund["due_at"]) == ("requested", None)
    assert d.happen(f"{S}.refund", ref="CS-H") == [refund["refund_id"]]
    assert d.happen(f"{S}.refund", ref="CS-H") == []
    assert balance(d) == 500_000
    d.check()


def test_a_refund_that_does_not_go_through(d: Any) -> None:
    placed = order(d, "CS-H")
    d.world.table("world.methods").put({"method_id": "other"})
    d.call(f"{S}.cancel_order", order_id=placed["order_id"], reason="x")
    [refund] = get(d, placed["order_id"])["refunds"]
    assert (refund["status"], get(d, placed["order_id"])["status"]) == ("failed", "cancelled")
    assert "did not go through" in list(d.service("notification_hub").rows("notifications"))[-1]["title"]
    d.world.table("world.methods").put({"method_id": "acc"})
    assert d.happen(f"{S}.refund", ref=refund["refund_id"]) == [refund["refund_id"]]
    assert balance(d) == 500_000
    d.check()


# -- giving back -------------------------------------------------------------------------------------------------


def refund(order_id: str, item_id: str, qty: int = 1) -> dict[str, Any]:
    return {"order_id": order_id, "item_id": item_id, "qty": qty, "reason": "wrong size"}


def test_giving_back_within_the_window(d: Any) -> None:
    tool = f"{S}.request_refund"
    placed = order(d, ("BT-K", 2), "mix_38")
    order_id, (boots, mixer) = placed["order_id"], [item["item_id"] for item in placed["items"]]
    d.until("2026-04-25T09:00:00")
    asked = d.call(tool, **refund(order_id, boots))
    assert (asked["status"], asked["amount_minor"], asked["due_at"]) == (
        "requested",
        5_249,
        "2026-04-28T10:00:00+08:00",
    )
    assert asked["send_to"]["detail"] == OLD["detail"]
    assert d.refused(tool, **refund(order_id, boots, 2)) == "bad_qty"
    assert d.refused(tool, **refund(order_id, mixer)) == "not_returnable"
    assert d.refused(tool, **refund(order_id, "zz")) == "not_found"
    assert d.refused(tool, **refund("zz", boots)) == "not_found"
    before = balance(d)
    d.until("2026-04-28T10:00:00")
    assert balance(d) == before + 5_249
    assert line(d, order_id)["refunded_minor"] == 5_249
    d.until("2026-05-06T23:00:00")
    d.call(tool, **refund(order_id, boots))
    d.until("2026-05-10T10:00:00")
    assert line(d, order_id)["refunded_minor"] == line(d, order_id)["total_minor"]
    assert d.refused(tool, **refund(order_id, boots)) == "bad_qty"
    late = order(d, "BT-T")
    d.until("2026-06-10T00:00:00")
    assert d.refused(tool, **refund(late["order_id"], late["items"][0]["item_id"])) == "window_closed"
    d.check()


def test_a_refund_of_what_is_not_shipped_cancels_it(d: Any) -> None:
    placed = order(d, "SN-5", "BT-T")
    order_id, item_id = placed["order_id"], placed["items"][0]["item_id"]
    done = d.call(f"{S}.request_refund", **refund(order_id, item_id))
    assert (done["status"], done["amount_minor"], done["item_status"]) == ("refunded", 11_549, "cancelled")
    assert d.refused(f"{S}.request_refund", **refund(order_id, item_id)) == "already_cancelled"
    assert get(d, order_id)["status"] == "placed"
    d.check()


def test_a_merchant_that_decides_itself(d: Any) -> None:
    d.service(S).patch("merchants", "m", refund_days=None)
    placed = order(d, "CS-H")
    order_id, item_id = placed["order_id"], placed["items"][0]["item_id"]
    d.until("2026-04-25T09:00:00")
    asked = d.call(f"{S}.request_refund", **refund(order_id, item_id))
    assert (asked["status"], asked["due_at"]) == ("requested", None)
    d.until("2026-05-25T09:00:00")
    assert get(d, order_id)["refunds"][0]["status"] == "requested"
    assert d.happen(f"{S}.refund", ref="CS-H", amount_minor=19_999) == [asked["refund_id"]]
    [row] = get(d, order_id)["refunds"]
    assert (row["status"], row["refunded_minor"]) == ("partly_refunded", 19_999)
    assert d.happen(f"{S}.refund", ref="CS-H", amount_minor=9_999, note="tax") == [asked["refund_id"]]
    [row] = get(d, order_id)["refunds"]
    assert (row["status"], row["refunded_minor"], row["note"]) == ("refunded", 22_399, "tax")
    assert d.happen(f"{S}.refund", ref="CS-H", amount_minor=100) == []  # nothing is left of what was paid
    assert d.happen(f"{S}.refund", ref="zz", amount_minor=100) == []
    assert d.happen(f"{S}.refund", ref="", amount_minor=100) == []
    d.check()


def test_goodwill_lowers_what_is_given_back(d: Any) -> None:
    placed = order(d, "SN-5W2")
    order_id, item_id = placed["order_id"], placed["items"][0]["item_id"]
    assert d.happen(f"{S}.refund", ref="SN-5W2") == []
    assert len(d.happen(f"{S}.refund", ref="SN-5W2", amount_minor=2_100, note="price match")) == 1
    assert get(d, order_id)["refunded_minor"] == 2_100
    d.until("2026-04-25T09:00:00")
    assert d.call(f"{S}.request_refund", **refund(order_id, item_id))["amount_minor"] == 9_449
    d.check()


def test_a_declined_request_can_be_made_again(d: Any) -> None:
    placed = order(d, "CS-H")
    order_id, item_id = placed["order_id"], placed["items"][0]["item_id"]
    d.until("2026-04-25T09:00:00")
    first = d.call(f"{S}.request_refund", **refund(order_id, item_id))
    assert d.happen(f"{S}.decline_refund", ref=item_id, note="used") == [first["refund_id"]]
    assert d.happen(f"{S}.decline_refund", ref=item_id, note="used") == []
    d.until("2026-04-30T09:00:00")
    assert get(d, order_id)["refunded_minor"] == 0
    again = d.call(f"{S}.request_refund", **refund(order_id, item_id))
    assert again["amount_minor"] == 22_399
    d.check()


# -- merchants ---------------------------------------------------------------------------------------------------


def test_messages_both_ways(d: Any) -> None:
    placed = order(d, "SN-5", "bar_60")
    order_id = placed["order_id"]
    wrote = d.call(f"{S}.message_merchant", user_id="u_ann", body="Price match?", order_id=order_id)
    assert wrote["merchant"] == "Prairie Kids"
    other = d.call(f"{S}.message_merchant", user_id="u_ann", body="Long?", order_id=order_id, product_id="rail")
    assert other["merchant"] == "Bath & Rail"
    [answer] = d.happen(f"{S}.merchant_message", body="y" * 2_000, order_id=order_id)
    d.happen(f"{S}.merchant_message", body="New in stock", product_id="boots")
    assert d.happen(f"{S}.merchant_message", body="?", order_id="zz") == []
    assert d.happen(f"{S}.merchant_message", body="?") == []
    found = d.call(f"{S}.list_messages", user_id="u_ann", order_id=order_id)
    assert [row["sender"] for row in found["messages"]] == ["merchant", "user", "user"]
    with_stray = d.world.fork().service(S)
    [message_id] = with_stray.merchant_message("About it", order_id=order_id, product_id="no such product")
    assert with_stray.find("messages", message_id)["product_id"] == ""
    assert f"[500 more characters: list_messages with message_id {answer}]" in found["messages"][0]["body"]
    [whole] = d.call(f"{S}.list_messages", user_id="u_ann", message_id=answer)["messages"]
    assert len(whole["body"]) == 2_000
    assert d.call(f"{S}.list_messages", user_id="u_ann")["total"] == 4
    assert d.refused(f"{S}.list_messages", user_id="u_ann", limit=51) == "bad_limit"
    tool = f"{S}.message_merchant"
    assert d.refused(tool, user_id="u_ann", body="x") == "nothing_named"
    assert d.refused(tool, user_id="u_ann", body="x", order_id="zz") == "not_found"
    assert d.refused(tool, user_id="u_bob", body="x", order_id=order_id) == "not_found"
    assert d.refused(tool, user_id="u_bob", body="x", product_id="zz") == "not_found"
    d.check()


# -- happenings on orders ----------------------------------------------------------------------------------------


def test_a_line_is_split_off_and_back_ordered(d: Any) -> None:
    placed = order(d, "SN-5", "BT-T")
    order_id = placed["order_id"]
    d.until("2026-04-18T12:00:00")
    touched = d.happen(f"{S}.back_order", ref="SN-5", until="2026-04-28")
    assert touched == [placed["items"][0]["item_id"]]
    suit, boots = get(d, order_id)["items"]
    assert (suit["status"], suit["reason"], suit["expected_at"]) == (
        "back_ordered", "back-ordered to 2026-04-28", "2026-04-30T14:00:00+08:00",
    )  # fmt: skip
    assert suit["tracking_no"] != boots["tracking_no"]
    parcel = d.call("delivery_logistics.get_shipment", shipment_id=boots["tracking_no"])
    assert [item["ref"] for item in parcel["items"]] == ["BT-T"]
    d.check()
    d.until("2026-04-22T15:00:00")
    assert get(d, order_id)["status"] == "partly_shipped"
    done = d.call(f"{S}.cancel_order_line", order_id=order_id, item_id=suit["item_id"], reason="too late")
    assert (done["amount_minor"], done["order_status"]) == (11_549, "delivered")
    carrier = d.call("delivery_logistics.track_package", tracking_no=suit["tracking_no"])
    assert carrier["status"] == "cancelled"
    assert d.happen(f"{S}.back_order", ref="BT-T", until="2026-05-28") == []
    assert d.happen(f"{S}.back_order", ref="SN-5", until="2026-03-01") == []
    d.check()


def test_a_back_ordered_line_comes_when_nobody_cancels_it(d: Any) -> None:
    placed = order(d, "SN-5")
    d.happen(f"{S}.back_order", ref=placed["order_id"], until="2026-04-28")
    d.until("2026-04-28T13:00:00")
    assert line(d, placed["order_id"])["status"] == "packed"
    d.until("2026-04-30T14:00:00")
    assert line(d, placed["order_id"])["status"] == "delivered"
    d.check()


def test_a_seller_sends_something_else(d: Any) -> None:
    d.put(f"{S}.orders", order_id="ord_771", user_id="u_ann", placed_at="2026-04-10T10:00:00+08:00", address=HOUSE,
          payment_method_id="leie_invoice", currency="CAD")  # fmt: skip
    d.put(f"{S}.order_items", item_id="ord_771-1", order_id="ord_771", product_id="frame", sku_id="frm_900", qty=1,
          unit_price_minor=21_400, ships_at="2026-04-23T16:00:00+08:00")  # fmt: skip
    d.service(S).start()
    d.check()
    assert (get(d, "ord_771")["total_minor"], line(d, "ord_771")["title"]) == (21_400, "Door frame")
    assert line(d, "ord_771")["expected_at"] == "2026-04-28T14:00:00+08:00"
    assert d.happen(f"{S}.substitute", ref="ord_771", new_sku_id="frm_830") == ["ord_771-1"]
    assert d.happen(f"{S}.substitute", ref="ord_771", new_sku_id="frm_830") == []
    assert d.happen(f"{S}.substitute", ref="ord_771", new_sku_id="zz") == []
    item = line(d, "ord_771")
    assert (item["sku_id"], item["substituted_for"], item["options"]) == ("frm_830", "frm_900", {"width": "830 mm"})
    assert (stock(d, "frm_900"), stock(d, "frm_830")) == (11, 9)
    parcel = d.call("delivery_logistics.get_shipment", shipment_id=item["tracking_no"])
    assert parcel["items"] == [{"description": "Door frame (830 mm)", "qty": 1, "ref": "frm_830"}]
    d.until("2026-04-24T10:00:00")
    asked = d.call(f"{S}.request_refund", **refund("ord_771", "ord_771-1"))
    assert (asked["item_status"], asked["amount_minor"]) == ("shipped", 21_400)
    d.until("2026-08-24T10:00:00")
    [charge] = d.world.table("world.charges").rows()
    assert (charge["method"], charge["amount_minor"]) == ("leie_invoice", -21_400)
    d.check()


def test_what_was_swapped_or_recalled_goes_back_any_day(d: Any) -> None:
    placed = order(d, "CS-H", "mix_38")
    order_id, (seat, mixer) = placed["order_id"], [item["item_id"] for item in placed["items"]]
    d.until("2026-06-10T00:00:00")
    assert d.refused(f"{S}.request_refund", **refund(order_id, seat)) == "window_closed"
    assert d.refused(f"{S}.request_refund", **refund(order_id, mixer)) == "not_returnable"
    assert d.happen(f"{S}.recall", ref="CS-H", text="Recall 26-03", lots=["25-40", "25-42"]) == ["seat", seat]
    assert d.happen(f"{S}.recall", ref="mixer", text="Recall 26-04", lots=["none"]) == ["mixer"]
    assert (line(d, order_id)["recall"], line(d, order_id, 1)["recall"]) == ("Recall 26-03", "")
    assert d.call(f"{S}.get_product", product_id="seat")["notice"] == "Recall 26-03"
    assert search(d, "harness seat")[:1] == ["booster"]
    assert d.call(f"{S}.request_refund", **refund(order_id, seat))["amount_minor"] == 22_399
    assert d.happen(f"{S}.recall", ref="zz", text="x") == []
    d.check()


def test_delays_reach_the_carrier_and_back(d: Any) -> None:
    placed = order(d, "SN-5", "BT-T")
    order_id = placed["order_id"]
    number = placed["items"][0]["tracking_no"]
    assert len(d.happen(f"{S}.delay_order", ref=order_id, days=2)) == 2
    assert line(d, order_id)["ships_at"] == "2026-04-22T16:00:00+08:00"
    carrier = d.call("delivery_logistics.get_shipment", shipment_id=number)
    assert (carrier["collect_at"], carrier["deliver_at"]) == ("2026-04-22T16:00:00+08:00", "2026-04-24T14:00:00+08:00")
    d.until("2026-04-22T20:00:00")
    assert get(d, order_id)["status"] == "shipped"
    d.happen("delivery_logistics.slip", parcel=number, days=1)
    assert line(d, order_id)["expected_at"] == "2026-04-25T14:00:00+08:00"
    assert len(d.happen(f"{S}.delay_order", ref="SN-5", days=1)) == 1
    assert [item["expected_at"][:10] for item in get(d, order_id)["items"]] == ["2026-04-27"] * 2
    assert d.call("delivery_logistics.track_package", tracking_no=number)["deliver_at"][:10] == "2026-04-27"
    d.until("2026-04-27T14:00:00")
    assert get(d, order_id)["status"] == "delivered"
    assert d.happen(f"{S}.delay_order", ref=order_id, days=1) == []
    d.check()


def test_a_slip_before_collection_leaves_the_packing(d: Any) -> None:
    placed = order(d, "SN-5")
    d.happen("delivery_logistics.slip", parcel=placed["order_id"], days=1)
    d.until("2026-04-20T13:00:00")
    assert get(d, placed["order_id"])["status"] == "packed"
    d.until("2026-04-23T14:00:00")
    assert get(d, placed["order_id"])["status"] == "delivered"


def test_delays_without_a_carrier(alone: Any) -> None:
    d = alone
    placed = order(d, "SN-5")
    d.happen(f"{S}.delay_order", ref=placed["order_id"], days=3)
    d.until("2026-04-22T14:00:00")
    assert get(d, placed["order_id"])["status"] == "placed"
    d.until("2026-04-27T14:00:00")
    assert get(d, placed["order_id"])["status"] == "delivered"
    d.check()


def test_a_delay_over_a_weekend_keeps_the_order_of_things(d: Any) -> None:
    placed = order(d, "SN-5")
    d.happen(f"{S}.delay_order", ref=placed["order_id"], days=5)
    item = line(d, placed["order_id"])
    assert (item["ships_at"], item["expected_at"]) == ("2026-04-27T16:00:00+08:00", "2026-04-28T14:00:00+08:00")
    d.check()


def test_a_line_that_is_shipped_without_a_number_can_be_late(d: Any) -> None:
    d.put(f"{S}.orders", order_id="old", user_id="u_ann", placed_at="2026-04-10T10:00:00+08:00", address=HOUSE,
          payment_method_id="acc", currency="CAD")  # fmt: skip
    d.put(f"{S}.order_items", item_id="old-1", order_id="old", product_id="seat", sku_id="CS-H", qty=1,
          unit_price_minor=100, status="shipped", ships_at="2026-04-15T10:00:00+08:00",
          expected_at="2026-04-20T10:00:00+08:00")  # fmt: skip
    d.service(S).start()
    assert d.happen(f"{S}.delay_order", ref="old", days=1) == ["old-1"]
    assert d.call("delivery_logistics.list_shipments", user_id="u_ann")["total"] == 0
    d.until("2026-04-20T11:00:00")
    assert get(d, "old")["status"] == "shipped"
    d.until("2026-04-21T10:00:00")
    assert get(d, "old")["status"] == "delivered"
    d.check()


def test_an_order_of_somebody_else_is_not_confirmed_to_the_owner(d: Any) -> None:
    bob = d.call(f"{S}.add_address", **{**FULL, "user_id": "u_bob"})
    d.call(f"{S}.add_to_cart", user_id="u_bob", product_id="seat", sku_id="CS-H", qty=1)
    d.call(f"{S}.place_order", user_id="u_bob", address_id=bob["address_id"], payment_method="acc")
    assert len(d.service("email").rows("mails")) == 0


def test_records_that_refer_to_nothing_are_named(d: Any) -> None:
    with pytest.raises(LookupError, match="merchant 'zz'"):
        d.service(S)._merchant("zz")


def test_a_merchant_cancels(d: Any) -> None:
    placed = order(d, ("SN-5", 2), "BT-T")
    order_id = placed["order_id"]
    assert d.happen(f"{S}.cancel_by_merchant", ref="SN-5", reason="lost in the warehouse") == [f"{order_id}-1"]
    suit = line(d, order_id)
    assert (suit["status"], suit["reason"], suit["refunded_minor"]) == (
        "cancelled",
        "lost in the warehouse",
        suit["total_minor"],
    )
    assert d.happen(f"{S}.cancel_by_merchant", ref=order_id, reason="closing") == [f"{order_id}-2"]
    assert (get(d, order_id)["status"], balance(d)) == ("cancelled", 500_000)
    assert d.happen(f"{S}.cancel_by_merchant", ref=order_id, reason="closing") == []
    d.check()


def test_a_parcel_that_comes_back_is_refunded(d: Any) -> None:
    placed = order(d, "SN-5")
    d.until("2026-04-21T10:00:00")
    d.happen("delivery_logistics.return_to_sender", parcel=placed["order_id"], reason="refused")
    assert get(d, placed["order_id"])["status"] == "returned"
    d.until("2026-04-24T10:00:00")
    assert (balance(d), stock(d, "SN-5")) == (500_000, 10)
    item_id = placed["items"][0]["item_id"]
    assert d.refused(f"{S}.request_refund", **refund(placed["order_id"], item_id)) == "bad_qty"
    assert d.happen(f"{S}.delay_order", ref=placed["order_id"], days=1) == []
    d.check()


# -- happenings on the shelves -----------------------------------------------------------------------------------


def test_price_alerts_ring(d: Any) -> None:
    for ref in ("SN-5W2", "boots"):
        d.call("notification_hub.create_price_alert", user_id="u_ann", item_ref=ref, target_price_minor=9_000)
    assert d.happen(f"{S}.set_price", ref="SN-5W2", price_minor=8_999) == ["SN-5W2"]
    assert len(d.world.openings) == 1
    d.happen(f"{S}.set_price", ref="boots", price_minor=4_000, list_price_minor=5_000)
    assert len(d.world.openings) == 2
    skus = d.call(f"{S}.get_product", product_id="boots")["skus"]
    assert [(sku["price_minor"], sku["list_price_minor"]) for sku in skus] == [(4_000, 5_000)] * 2
    assert d.happen(f"{S}.set_price", ref="zz", price_minor=1) == []


def test_an_announced_price_comes_on_its_day(d: Any) -> None:
    d.happen(f"{S}.set_price", ref="hmp_std26", price_minor=235_200, from_at="2026-04-25T00:00:00+08:00")
    [sku] = d.call(f"{S}.get_product", product_id="hamper26")["skus"]
    assert (sku["price_minor"], sku["next_price_minor"]) == (231_800, 235_200)
    d.until("2026-04-24T23:59:59")
    assert d.call(f"{S}.get_product", product_id="hamper26")["skus"][0]["price_minor"] == 231_800
    d.happen(f"{S}.set_price", ref="mix_38", price_minor=1, from_at="2026-04-26T00:00:00+08:00")
    d.happen(f"{S}.set_price", ref="mix_38", price_minor=20_000)
    d.until("2026-04-27T00:00:00")
    [sku] = d.call(f"{S}.get_product", product_id="hamper26")["skus"]
    assert (sku["price_minor"], sku["next_price_minor"], sku["next_price_at"]) == (235_200, None, None)
    assert d.service(S).find("skus", "mix_38")["price_minor"] == 20_000
    d.check()


def test_notices_ratings_and_days(d: Any) -> None:
    assert d.happen(f"{S}.set_notice", ref="frame", notice="ships from 4 May", ships_on="2026-05-04") == ["frame"]
    page = d.call(f"{S}.get_product", product_id="frame")
    assert (page["notice"], page["skus"][0]["ships_at"][:10]) == ("ships from 4 May", "2026-05-04")
    assert d.happen(f"{S}.set_notice", ref="frm_830", notice="last ones") == ["frm_830"]
    assert d.call(f"{S}.get_product", product_id="frame")["skus"][1]["notice"] == "last ones"
    assert d.happen(f"{S}.set_notice", ref="zz", notice="x") == []
    assert d.happen(f"{S}.set_rating", product_id="frame", rating=4.5) == ["frame"]
    assert d.happen(f"{S}.set_rating", product_id="zz", rating=4.5) == []
    assert d.happen(f"{S}.set_on_sale", product_id="zz", on_sale=True) == []


# -- records of before -------------------------------------------------------------------------------------------


def test_orders_of_before_go_on(desk: Any) -> None:
    d = desk("ecommerce", "delivery_logistics", "banking")
    d.put(f"{S}.merchants", merchant_id="m", name="Clay Works", return_days=10)
    product(d, "tiles", "Clay roof tiles, pallet", {"til_clay": 50_000}, tax_bp=1000)
    common = {"order_id": "ord_551", "product_id": "tiles", "sku_id": "til_clay", "unit_price_minor": 50_000}
    d.put(f"{S}.orders", order_id="ord_551", user_id="u_ann", placed_at="2026-04-01T10:00:00+08:00", address=HOUSE,
          payment_method_id="acc", currency="CAD", shipping_minor=1_000)  # fmt: skip
    d.put(f"{S}.order_items", item_id="l1", qty=3, status="delivered", **common)
    d.put(f"{S}.order_items", item_id="l2", qty=2, status="shipped", tracking_no="trk_88211", **common)
    d.put(f"{S}.order_items", item_id="l3", qty=1, status="placed", **common)
    d.put("delivery_logistics.shipments", tracking_no="trk_88211", user_id="u_ann", status="in_transit",
          destination=HOUSE, created_at="2026-04-10T10:00:00+08:00",
          deliver_at="2026-04-21T10:00:00+08:00")  # fmt: skip
    d.put(f"{S}.orders", order_id="own", user_id="u_ann", placed_at="2026-04-10T10:00:00+08:00", address=HOUSE,
          payment_method_id="acc", currency="CAD")  # fmt: skip
    d.put(f"{S}.order_items", item_id="o1", status="shipped", tracking_no="X", qty=1, **{**common, "order_id": "own"},
          ships_at="2026-04-15T10:00:00+08:00", expected_at="2026-04-20T10:00:00+08:00")  # fmt: skip
    d.put(f"{S}.refunds", refund_id="r1", order_id="ord_551", item_id="l1", qty=1, kind="return", amount_minor=100,
          currency="CAD", requested_at="2026-04-16T10:00:00+08:00", due_at="2026-04-18T10:00:00+08:00")  # fmt: skip
    d.put(f"{S}.skus", sku_id="til_x", product_id="tiles", price_minor=5, next_price_minor=9,
          next_price_at="2026-04-18T00:00:00+08:00")  # fmt: skip
    d.put("banking.accounts", account_id="acc", user_id="u_ann", name="Main", currency="CAD", balance_minor=0)
    d.put(f"{S}.orders", order_id="bare", user_id="u_ann", placed_at="2026-04-10T10:00:00+08:00", address=HOUSE,
          payment_method_id="acc", currency="CAD")  # fmt: skip
    d.put(f"{S}.refunds", refund_id="r2", order_id="bare", kind="goodwill", amount_minor=7, currency="CAD",
          requested_at="2026-04-16T10:00:00+08:00", due_at="2026-04-18T10:00:00+08:00")  # fmt: skip
    d.start()
    d.check()
    shown = get(d, "ord_551")
    assert (shown["status"], shown["total_minor"], shown["tax_minor"]) == ("partly_shipped", 331_000, 30_000)
    assert (shown["items"][0]["return_until"], shown["items"][2]["status"]) == ("2026-04-11", "placed")
    assert get(d, "own")["status"] == "shipped"
    d.until("2026-04-22T14:00:00")
    d.check()
    assert [item["status"] for item in get(d, "ord_551")["items"]] == ["delivered"] * 3
    assert get(d, "ord_551")["refunded_minor"] == 100
    assert (get(d, "bare")["refunded_minor"], balance(d)) == (7, 107)
    assert get(d, "own")["status"] == "delivered"
    assert d.service(S).find("skus", "til_x")["price_minor"] == 9


# -- filling, fuzzing ------------------------------------------------------------------------------------------


def fill(d: Any, count: int = 400, **more: Any) -> None:
    d.service(S).products(random.Random(3), currency="EUR", count=count, **more)
    d.service(S).past_orders(random.Random(4), user_id="u_ann", payment_method_id="acc", count=60, city="Utrecht")


def test_generated_shops_are_believable_and_repeatable(desk: Any) -> None:
    worlds = [desk("ecommerce") for _ in range(2)]
    for d in worlds:
        fill(d)
        d.start()
        d.check()
    assert worlds[0].world.dump() == worlds[1].world.dump()
    before = worlds[0].world.dump()
    fill(worlds[0])
    assert worlds[0].world.dump() == before
    d, service = worlds[0], worlds[0].service(S)
    assert len(service.rows("products")) == 400
    assert len({row["title"] for row in service.rows("products")}) > 300
    assert {row["status"] for row in service.rows("orders")} == {"delivered"}
    assert all(row["placed_at"] < "2026-04-17" for row in service.rows("orders"))
    assert search(d, "wireles earbuds")[0].startswith("pg_")
    d.until("2026-05-30T00:00:00")
    d.check()
    small = desk("ecommerce")
    small.service(S).past_orders(random.Random(4), user_id="u_ann", payment_method_id="acc")
    assert len(small.service(S).rows("orders")) == 0
    fill(small, 20, categories=["garden", "sport/cycling"])
    assert {row["category"] for row in small.service(S).rows("products")} == {"garden", "sport/cycling"}


SKUS = ("SN-5", "BT-T", "mix_38", "bar_60", "frm_900", "hmp_std26")
STEP = st.tuples(st.integers(0, 19), st.sampled_from(SKUS), st.integers(0, 9))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=30), carrier=st.booleans())
def test_any_sequence_keeps_the_books(desk: Any, steps: list[tuple[int, str, int]], carrier: bool) -> None:
    d = shop(desk("ecommerce", "delivery_logistics", "banking") if carrier else desk("ecommerce", "banking"))
    service = d.service(S)
    coupon(d, "TEN", percent=10, stackable=True, once_per_user=True)
    for what, sku, number in steps:
        items = list(service.rows("order_items"))
        item = items[number % len(items)] if items else {"item_id": "none", "order_id": "none", "tracking_no": ""}
        one = {"order_id": item["order_id"], "item_id": item["item_id"]}
        ref = (item["order_id"], item["item_id"], sku)[number % 3]
        owner = service.find("skus", sku)["product_id"]
        if what <= 2:
            d.outcome(f"{S}.add_to_cart", user_id="u_ann", product_id=owner, sku_id=sku, qty=1 + number % 3)
        elif what == 3:
            d.outcome(f"{S}.apply_coupon", user_id="u_ann", code=("TEN", "BULK4")[number % 2])
        elif what <= 5:
            d.outcome(f"{S}.place_order", user_id="u_ann", address_id="AD-4",
                      payment_method=("acc", "cash")[number % 2])  # fmt: skip
        elif what == 6:
            d.outcome(f"{S}.cancel_order", order_id=item["order_id"], reason="x")
        elif what == 7:
            d.outcome(f"{S}.cancel_order_line", **one, qty=1 if number % 2 else None)
        elif what == 8:
            d.outcome(f"{S}.request_refund", **one, qty=1 + number % 2, reason="x")
        elif what <= 10:
            d.world.run_to(d.world.now + number * clock.DAY // 2 + clock.HOUR)
        elif what == 11:
            d.happen(f"{S}.set_price", ref=sku, price_minor=number * 777)
        elif what == 12:
            d.happen(f"{S}.set_stock", ref=sku, stock=number)
        elif what == 13:
            d.happen(f"{S}.back_order", ref=ref, until=f"2026-05-{10 + number}")
        elif what == 14:
            d.happen(f"{S}.substitute", ref=ref, new_sku_id=SKUS[number % 5])
        elif what == 15:
            d.happen(f"{S}.delay_order", ref=ref, days=1 + number)
        elif what == 16:
            d.happen(f"{S}.cancel_by_merchant", ref=ref, reason="x")
        elif what == 17:
            d.happen(f"{S}.refund", ref=ref, amount_minor=number * 500 or None)
            d.happen(f"{S}.decline_refund", ref=ref, note="no")
        elif what == 18:
            d.happen(f"{S}.recall", ref=sku, text="recalled")
        elif carrier:
            verb = ("slip", "return_to_sender", "hold", "deliver", "lose")[number % 5]
            more = {"slip": {"days": 2}, "return_to_sender": {"reason": "x"}, "hold": {"reason": "x"}}.get(verb, {})
            d.happen(f"delivery_logistics.{verb}", parcel=item["tracking_no"], **more)
        else:
            d.happen(f"{S}.deliver", ref=ref)
        d.check()
