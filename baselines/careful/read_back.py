"""Reading back what was written: by which tool, and whether it stands as the write said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lifegym.services import catalogue

__all__ = ["READ_BACKS", "Look", "look", "stands"]


class Look(NamedTuple):
    """How a write is looked after.

    Attributes:
        tool: The tool that reads. Its arguments are those of the same names in the write's result or arguments.
        key: The field by which the record is found; "" compares the answers as a whole.
        mode: ``same``: all that both answers say of the record is equal. ``there``: the record is there. ``gone``: it
            is not, or is archived.
        given: Further arguments; ``=name`` stands for a value of the write.
    """

    tool: str
    key: str
    mode: str = "same"
    given: Mapping[str, Any] = {}


_MANY = {"limit": 50}
_PAGES = {"page_size": 50}

READ_BACKS: dict[str, Look] = {
    "banking.add_payee": Look("banking.list_payees", "payee_id"),
    "banking.cancel_payment": Look("banking.list_pending_payments", "payment_id"),
    "banking.cancel_recurring": Look("banking.list_recurring", "schedule_id"),
    "banking.pay_payee": Look("banking.list_transactions", "transaction_id", "there"),
    "banking.schedule_recurring": Look("banking.list_recurring", "schedule_id"),
    "banking.transfer": Look("banking.list_transactions", "transaction_id", "there"),
    "brokerage.cancel_order": Look("brokerage.list_orders", "order_id"),
    "brokerage.place_order": Look("brokerage.list_orders", "order_id"),
    "brokerage.redeem_fund": Look("brokerage.list_orders", "order_id"),
    "brokerage.subscribe_fund": Look("brokerage.list_orders", "order_id"),
    "calendar.create_event": Look("calendar.get_event", "event_id"),
    "calendar.delete_event": Look("calendar.get_event", "event_id", "gone"),
    "calendar.update_event": Look("calendar.get_event", "event_id"),
    "car_rental.cancel_booking": Look("car_rental.get_booking", "booking_ref"),
    "car_rental.change_booking": Look("car_rental.get_booking", "booking_ref"),
    "car_rental.create_rental_booking": Look("car_rental.get_booking", "booking_ref"),
    "car_rental.pay_charge": Look("car_rental.get_booking", "booking_ref"),
    "car_rental.report_incident": Look("car_rental.list_incident_reports", "incident_id", "there"),
    "content_platform.collect_note": Look("content_platform.list_collections", "note_id", "there", _MANY),
    "content_platform.post_comment": Look("content_platform.get_note_comments", "comment_id", "there", _MANY),
    "content_platform.publish_note": Look("content_platform.get_note", "note_id"),
    "content_platform.uncollect_note": Look("content_platform.list_collections", "note_id", "gone", _MANY),
    "credit_card.dispute_transaction": Look("credit_card.list_disputes", "dispute_id"),
    "credit_card.freeze_card": Look("credit_card.get_card", "card_id"),
    "credit_card.make_payment": Look("credit_card.list_unbilled", "tx_id", "there"),
    "credit_card.unfreeze_card": Look("credit_card.get_card", "card_id"),
    "delivery_logistics.cancel_shipment": Look("delivery_logistics.track_package", "tracking_no"),
    "delivery_logistics.change_address": Look("delivery_logistics.track_package", "tracking_no"),
    "delivery_logistics.report_issue": Look("delivery_logistics.list_issues", "issue_id"),
    "delivery_logistics.request_pickup": Look("delivery_logistics.get_shipment", "shipment_id"),
    "delivery_logistics.reschedule_delivery": Look("delivery_logistics.track_package", "tracking_no"),
    "ecommerce.add_address": Look("ecommerce.list_addresses", "address_id"),
    "ecommerce.add_to_cart": Look("ecommerce.get_cart", ""),
    "ecommerce.apply_coupon": Look("ecommerce.get_cart", ""),
    "ecommerce.cancel_order": Look("ecommerce.get_order", "order_id"),
    "ecommerce.cancel_order_line": Look("ecommerce.get_order", "refund_id", "there"),
    "ecommerce.message_merchant": Look("ecommerce.list_messages", "message_id", "there"),
    "ecommerce.place_order": Look("ecommerce.get_order", "order_id", "there"),
    "ecommerce.remove_coupon": Look("ecommerce.get_cart", ""),
    "ecommerce.remove_from_cart": Look("ecommerce.get_cart", ""),
    "ecommerce.request_refund": Look("ecommerce.get_order", "refund_id", "there"),
    "ecommerce.update_cart_item": Look("ecommerce.get_cart", ""),
    "email.create_folder": Look("email.get_folders", "name", "there"),
    "email.delete_email": Look("email.get_emails", "email_id", "there", {"folder": "=folder", **_PAGES}),
    "email.download_attachment": Look("workspace.list_files", "path", "there", _PAGES),
    "email.forward_email": Look("email.get_email_headers", "email_id"),
    "email.move_email": Look("email.get_emails", "email_id", "there", {"folder": "=folder", **_PAGES}),
    "email.reply_email": Look("email.get_email_headers", "email_id"),
    "email.save_draft": Look("email.get_drafts", "draft_id", "same", _PAGES),
    "email.send_email": Look("email.get_email_headers", "email_id"),
    "email.update_draft": Look("email.get_drafts", "draft_id", "same", _PAGES),
    "flight_booking.cancel_booking": Look("flight_booking.get_booking", "pnr"),
    "flight_booking.change_booking": Look("flight_booking.get_booking", "pnr"),
    "flight_booking.check_in": Look("flight_booking.get_booking", "segment_idx"),
    "flight_booking.confirm_hold": Look("flight_booking.get_booking", "pnr"),
    "flight_booking.create_booking": Look("flight_booking.get_booking", "pnr"),
    "flight_booking.select_seat": Look("flight_booking.get_booking", "segment_idx"),
    "health_tracker.log_workout": Look("health_tracker.get_workout", "workout_id"),
    "health_tracker.set_goal": Look("health_tracker.get_goals", "goal_id", "there"),
    "hotel_booking.cancel_reservation": Look("hotel_booking.get_reservation", "reservation_id"),
    "hotel_booking.create_reservation": Look("hotel_booking.get_reservation", "reservation_id"),
    "hotel_booking.modify_reservation": Look("hotel_booking.get_reservation", "reservation_id"),
    "hotel_booking.request_late_checkout": Look("hotel_booking.get_reservation", "reservation_id"),
    "hotel_booking.submit_special_request": Look("hotel_booking.get_reservation", "reservation_id"),
    "job_board.apply_job": Look("job_board.get_application_status", "application_id"),
    "job_board.chat_with_recruiter": Look("job_board.list_chats", "message_id", "there", _MANY),
    "job_board.save_job": Look("job_board.list_saved_jobs", "job_id", "there", _MANY),
    "job_board.unsave_job": Look("job_board.list_saved_jobs", "job_id", "gone", _MANY),
    "job_board.withdraw_application": Look("job_board.get_application_status", "application_id"),
    "legal_search.file_document": Look("legal_search.get_filing", "filing_id"),
    "legal_search.save_case": Look("legal_search.list_saved", "case_id", "there", _PAGES),
    "listing_platform.cancel_viewing": Look("listing_platform.list_viewings", "viewing_id"),
    "listing_platform.contact_agent": Look("listing_platform.list_messages", "message_id", "there", _MANY),
    "listing_platform.delete_search_subscription": Look(
        "listing_platform.list_search_subscriptions", "search_id", "gone"
    ),
    "listing_platform.delist": Look("listing_platform.get_listing", "listing_id"),
    "listing_platform.make_offer": Look("listing_platform.list_offers", "offer_id"),
    "listing_platform.post_listing": Look("listing_platform.get_listing", "listing_id"),
    "listing_platform.respond_offer": Look("listing_platform.list_offers", "offer_id"),
    "listing_platform.save_listing": Look("listing_platform.list_saved", "listing_id", "there", _MANY),
    "listing_platform.schedule_viewing": Look("listing_platform.list_viewings", "viewing_id"),
    "listing_platform.subscribe_search": Look("listing_platform.list_search_subscriptions", "search_id"),
    "listing_platform.unsave_listing": Look("listing_platform.list_saved", "listing_id", "gone", _MANY),
    "listing_platform.update_listing": Look("listing_platform.get_listing", "listing_id"),
    "notification_hub.create_price_alert": Look("notification_hub.list_price_alerts", "alert_id"),
    "notification_hub.create_subscription": Look("notification_hub.get_subscription", "subscription_id"),
    "notification_hub.delete_subscription": Look("notification_hub.get_subscription", "subscription_id", "gone"),
    "notion.create_a_comment": Look("notion.retrieve_a_comment", "id", "there"),
    "notion.delete_a_block": Look("notion.retrieve_a_block", "id", "gone"),
    "notion.patch_block_children": Look("notion.retrieve_a_block", "id", "same", {"block_id": "=id"}),
    "notion.patch_page": Look("notion.retrieve_a_page", "id"),
    "notion.post_page": Look("notion.retrieve_a_page", "id", "same", {"page_id": "=id"}),
    "notion.update_a_block": Look("notion.retrieve_a_block", "id"),
    "rail_booking.cancel_train_booking": Look("rail_booking.list_train_bookings", "booking_ref"),
    "rail_booking.change_train_booking": Look("rail_booking.list_train_bookings", "booking_ref", "there"),
    "rail_booking.create_train_booking": Look("rail_booking.list_train_bookings", "booking_ref"),
    "review_platform.cancel_reservation": Look("review_platform.list_reservations", "reservation_id"),
    "review_platform.reserve": Look("review_platform.list_reservations", "reservation_id"),
    "visa_and_advisory.start_visa_application": Look("visa_and_advisory.get_visa_application", "application_id"),
    "visa_and_advisory.submit_visa_application": Look("visa_and_advisory.get_visa_application", "application_id"),
    "visa_and_advisory.upload_document": Look("visa_and_advisory.get_visa_application", "document_id", "there"),
    "workspace.append_file": Look("workspace.list_files", "path", "same", _PAGES),
    "workspace.delete_file": Look("workspace.list_files", "path", "gone", _PAGES),
    "workspace.edit_file": Look("workspace.list_files", "path", "same", _PAGES),
    "workspace.move_file": Look("workspace.list_files", "path", "there", _PAGES),
    "workspace.write_file": Look("workspace.list_files", "path", "same", _PAGES),
}
"""Writes that can be read back. What is not here is taken at its word."""


def look(call: Mapping[str, Any], result: Mapping[str, Any], user: str) -> dict[str, Any] | None:
    """The call that reads a write back; None where there is none.

    Args:
        call: The write, as it was made.
        result: What it answered.
        user: Id of the person, for tools that want one.
    """
    spec = catalogue.find_tool(call["tool"])
    way = READ_BACKS.get(spec.name) if spec else None
    if way is None:
        return None
    known: dict[str, Any] = {"user_id": user}
    for source in (call["arguments"], result):
        for name, value in reversed(list(_named(source))):  # the first of a name counts
            known[name] = value
    if way.key and not known.get(way.key) and way.tool == "banking.list_transactions":  # not yet posted
        way = Look("banking.list_pending_payments", "payment_id")
    reader = catalogue.find_tool(way.tool)
    assert reader is not None
    arguments = {name: known.get(name) for name in reader.schema["required"]}
    for name, value in way.given.items():
        arguments[name] = known.get(value[1:]) if isinstance(value, str) and value.startswith("=") else value
    return None if None in arguments.values() else {"tool": way.tool, "arguments": arguments}


def stands(tool: str, result: Mapping[str, Any], seen: Mapping[str, Any] | None) -> bool:
    """Whether what a write said it did is there.

    Args:
        tool: Name of the write.
        result: What it answered.
        seen: What the read answered; None if it was refused.
    """
    spec = catalogue.find_tool(tool)
    assert spec is not None
    way = READ_BACKS[spec.name]
    if not way.key:
        return seen is not None and _agree(result, seen)
    names = [
        name
        for name in dict.fromkeys([way.key, "payment_id"])
        if any(n == name and v not in (None, "") for n, v in _named(result))
    ]
    key = next((v for n, v in _named(result) if n == names[0]), None)
    found = None if seen is None else _find(names[0], key, seen)
    if way.mode == "gone":
        return found is None or bool(found.get("archived"))
    said = _find(names[0], key, result)
    return found is not None and (way.mode == "there" or said is None or _agree(said, found))


def _agree(said: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    return all(_alike(value, found[name]) for name, value in said.items() if name in found and name != "reason")


def _alike(said: Any, found: Any) -> bool:
    """Equal; an address may be shown as one line."""
    if isinstance(said, Mapping) and isinstance(found, str):
        return all(said[name] in found for name in ("recipient", "detail", "city") if said.get(name))
    return bool(said == found)


def _named(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What stands under a name: at the top, then one level below."""
    yield from values.items()
    for value in values.values():
        if isinstance(value, list):
            value = next(iter(value), None)
        if isinstance(value, Mapping):
            yield from value.items()


def _find(name: str, key: Any, value: Any) -> Mapping[str, Any] | None:
    """The first record with this under this name."""
    if isinstance(value, Mapping):
        if name in value and value[name] == key:
            return value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            found = _find(name, key, each)
            if found is not None:
                return found
    return None
