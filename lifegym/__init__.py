"""lifegym: Gymnasium environments for long-horizon life assistants.

``import lifegym`` registers every task as ``LifeBench/<id>-v0``. The engine lives in ``lifegym.world``,
``lifegym.services`` and ``lifegym.checks``; environments in ``lifegym.envs``; tasks in ``lifegym.task_suite``.
"""

from pathlib import Path

__version__ = "0.1.0"

# In a checkout the sub-packages envs, task_suite, wrappers and baselines are siblings of this folder (setup.cfg maps
# them); without this they could not be imported where the checkout's root comes first on sys.path.
if (Path(__file__).parent.parent / "setup.cfg").is_file():
    __path__.append(str(Path(__file__).parent.parent))

from lifegym.envs.registration import register_tasks

register_tasks()

__all__ = ["__version__", "register_tasks"]
