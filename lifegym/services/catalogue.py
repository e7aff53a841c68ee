"""Which services there are, and their tools by name. Service modules are imported on first use."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal

from lifegym.services.base import Service
from lifegym.services.tools import Arguments, Documentation, ToolSpec

__all__ = [
    "ALWAYS", "SERVICES", "find_tool", "generator_arguments", "generators_of", "happening_arguments", "happenings_of",
    "listeners", "render_tools", "service_class", "table_keys", "tool_names", "tools_of", "world_keys",
]  # fmt: skip

SERVICES: dict[str, str] = {
    "banking": "lifegym.services.banking:Banking",
    "brokerage": "lifegym.services.brokerage:Brokerage",
    "calendar": "lifegym.services.calendar:Calendar",
    "car_rental": "lifegym.services.car_rental:CarRental",
    "content_platform": "lifegym.services.content_platform:ContentPlatform",
    "credit_card": "lifegym.services.credit_card:CreditCard",
    "delivery_logistics": "lifegym.services.delivery_logistics:DeliveryLogistics",
    "ecommerce": "lifegym.services.ecommerce:Ecommerce",
    "email": "lifegym.services.email:Email",
    "flight_booking": "lifegym.services.flight_booking:FlightBooking",
    "health_tracker": "lifegym.services.health_tracker:HealthTracker",
    "hotel_booking": "lifegym.services.hotel_booking:HotelBooking",
    "job_board": "lifegym.services.job_board:JobBoard",
    "legal_search": "lifegym.services.legal_search:LegalSearch",
    "listing_platform": "lifegym.services.listing_platform:ListingPlatform",
    "maps": "lifegym.services.maps:Maps",
    "notification_hub": "lifegym.services.notification_hub:NotificationHub",
    "notion": "lifegym.services.notion:Notion",
    "rail_booking": "lifegym.services.rail_booking:RailBooking",
    "review_platform": "lifegym.services.review_platform:ReviewPlatform",
    "visa_and_advisory": "lifegym.services.visa_and_advisory:VisaAndAdvisory",
    "weather": "lifegym.services.weather:Weather",
}
"""The services that a task may enable, and where each is."""

ALWAYS: dict[str, str] = {
    "workspace": "lifegym.services.workspace:WorkspaceFiles",
    "assistant": "lifegym.services.assistant:Assistant",
}
"""What every task has."""


@cache
def service_class(name: str) -> type[Service]:
    """The class of a service.

    Raises:
        KeyError: There is no such service.
    """
    where = SERVICES.get(name) or ALWAYS[name]
    module, _, attribute = where.partition(":")
    found: type[Service] = getattr(importlib.import_module(module), attribute)
    return found


@cache
def tools_of(name: str) -> dict[str, ToolSpec]:
    """The tools of a service by their short names, in the order of their definition."""
    return {
        attribute: ToolSpec(name, attribute, method, method._lifegym_tool["write"])
        for attribute, method in _marked(name, "_lifegym_tool").items()
    }


_found: dict[str, ToolSpec] = {}


def find_tool(name: str) -> ToolSpec | None:
    """The tool of this name, written ``service.tool`` or ``service__tool``; None if there is none."""
    spec = _found.get(name)
    if spec is None:
        service, dot, tool = name.partition("." if "." in name else "__")
        if dot and (service in SERVICES or service in ALWAYS):
            spec = tools_of(service).get(tool)
            if spec is not None:
                _found[name] = spec
    return spec


def tool_names(services: Iterable[str]) -> list[str]:
    """All tools of a world with these services, ``workspace`` and ``assistant`` included."""
    return [spec.name for service in [*services, *ALWAYS] for spec in tools_of(service).values()]


@cache
def _marked(name: str, mark: str) -> dict[str, Any]:
    """The methods of a service that carry a mark, in the order of their definition, base classes first."""
    return {
        attribute: method
        for cls in reversed(service_class(name).__mro__)
        for attribute, method in vars(cls).items()
        if getattr(method, mark, False)
    }


def happenings_of(name: str) -> dict[str, Any]:
    """The happenings of a service: verb to method."""
    return _marked(name, "_lifegym_happening")


def generators_of(name: str) -> dict[str, Any]:
    """The generators of a service: verb to method."""
    return _marked(name, "_lifegym_generator")


@cache
def happening_arguments(service: str, verb: str) -> Arguments:
    """Validation of a happening's arguments.

    Raises:
        KeyError: The service has no such happening.
    """
    method = happenings_of(service)[verb]
    return Arguments(f"{service}_{verb}", method, Documentation.parse(method.__doc__))


@cache
def generator_arguments(service: str, verb: str) -> Arguments:
    """Validation of a generator's arguments (its random source left out).

    Raises:
        KeyError: The service has no such generator.
    """
    method = generators_of(service)[verb]
    return Arguments(f"{service}_{verb}", method, Documentation.parse(method.__doc__), skip=2)


@cache
def listeners(name: str, topic: str) -> tuple[str, ...]:
    """The methods of a service that hear a topic."""
    return tuple(
        attribute for attribute, method in _marked(name, "_lifegym_topic").items() if method._lifegym_topic == topic
    )


@cache
def hearers(services: tuple[str, ...], topic: str) -> tuple[tuple[str, str], ...]:
    """Pairs of service and method that hear a topic, in the order of the services."""
    return tuple((name, method) for name in services for method in listeners(name, topic))


def table_keys(services: Iterable[str]) -> dict[str, str]:
    """Full table name to unique key (the first field of the record's model) for these services."""
    return {
        f"{name}.{kind}": next(iter(model.model_fields))
        for name in [*services, *ALWAYS]
        for kind, model in service_class(name).records.items()
    }


def world_keys(services: Iterable[str]) -> dict[str, str]:
    """The same with the tables that every world has for itself."""
    return {"world.charges": "charge_id", "world.methods": "method_id", **table_keys(services)}


Format = Literal["openai", "anthropic", "mcp", "json-schema"]


def render_tools(services: Iterable[str], format: Format = "openai") -> list[dict[str, Any]]:
    """The tools of these services in a model provider's form.

    Args:
        services: Names; ``workspace`` and ``assistant`` are added.
        format: ``openai`` (function tools), ``anthropic``, ``mcp``, or ``json-schema`` (name, description,
            schema, write).

    Raises:
        ValueError: Another format.
    """
    rendered: list[dict[str, Any]] = []
    for service in [*services, *(name for name in ALWAYS if name not in services)]:
        for spec in tools_of(service).values():
            name = f"{spec.service}__{spec.tool}"
            if format == "openai":
                function = {"name": name, "description": spec.description, "parameters": spec.schema}
                rendered.append({"type": "function", "function": function})
            elif format == "anthropic":
                rendered.append({"name": name, "description": spec.description, "input_schema": spec.schema})
            elif format == "mcp":
                hints = {"readOnlyHint": not spec.write}
                rendered.append(
                    {"name": name, "description": spec.description, "inputSchema": spec.schema, "annotations": hints}
                )
            elif format == "json-schema":
                rendered.append(
                    {"name": spec.name, "description": spec.description, "schema": spec.schema, "write": spec.write}
                )
            else:
                raise ValueError(f"unknown format {format!r}; use openai, anthropic, mcp or json-schema")
    return rendered
