"""Put a service through what every service here keeps.

For a service of your own, enter it into ``lifegym.services.catalogue.SERVICES`` (name to ``"module:Class"``), then::

    from tests import conformance

    for problem in conformance.service_problems("my_service"):
        print(problem)

Every problem names the tool and says what to change. The parts are there one by one as well: ``documentation``,
``error_codes``, ``schemas``, ``renderings``, ``validation``, ``use``, ``record_problems``, ``happenings``, and
``reference_interface`` for a service that reproduces a given interface.
"""

from __future__ import annotations

import numpy as np

from .behaviour import filled_world, happenings, record_problems, use
from .error_codes import PAYMENT_REFUSALS, UNREACHABLE, raised_codes
from .interface import documentation, error_codes, reference_interface, renderings, schemas, validation

__all__ = [
    "PAYMENT_REFUSALS", "UNREACHABLE", "documentation", "error_codes", "filled_world", "happenings", "raised_codes",
    "record_problems", "reference_interface", "renderings", "schemas", "service_problems", "use", "validation",
]  # fmt: skip


def service_problems(name: str, seed: int = 0, count: int = 200) -> list[str]:
    """All that a service has to change, or nothing.

    Args:
        name: Its name in the catalogue.
        seed: Of the random arguments.
        count: How many argument sets and how many calls to try.
    """
    rng = np.random.default_rng(seed)
    on_paper = [*documentation(name), *error_codes(name), *schemas(name), *renderings(name)]
    services = [name] if name not in ("workspace", "assistant") else []
    world = filled_world(services, rng)
    used, _ = use(world, [name], rng, count)
    return [
        *on_paper,
        *validation(name, rng, count),
        *used,
        *record_problems(world),
        *happenings(name, world, rng),
    ]
