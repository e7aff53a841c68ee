"""What runs say: scores of several runs, pass rates, intervals, parts, and behaviour. Scores are from 0 to 100."""

from __future__ import annotations

from lifegym.statistics.groups import factor_deltas, group_means, part_shares, position_curve, thirds
from lifegym.statistics.passing import PASS_THRESHOLD, difficulty, pass_all, pass_any, suite_pass
from lifegym.statistics.probes import Call, Probes, mean_probes, probe
from lifegym.statistics.runs import SuiteStatistics, TaskStatistics, suite_statistics, task_statistics
from lifegym.statistics.summary import summarize
from lifegym.statistics.uncertainty import Interval, bootstrap_mean, paired_difference, permutation_p, spearman

__all__ = [
    "PASS_THRESHOLD", "Call", "Interval", "Probes", "SuiteStatistics", "TaskStatistics", "bootstrap_mean",
    "difficulty", "factor_deltas", "group_means", "mean_probes", "paired_difference", "part_shares", "pass_all",
    "pass_any", "permutation_p", "position_curve", "probe", "spearman", "suite_pass", "suite_statistics", "summarize",
    "task_statistics", "thirds",
]  # fmt: skip
