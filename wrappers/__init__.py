"""What stands between an env and a policy: Gymnasium wrappers that compose, pickle, and record their arguments."""

from lifegym.wrappers.candidates import CandidateActions, Candidates
from lifegym.wrappers.chat import Chat, ChatObservation, Messages
from lifegym.wrappers.features import FeatureObservation
from lifegym.wrappers.noise import FAULTS, NoisyTools
from lifegym.wrappers.recording import RecordTrajectory
from lifegym.wrappers.reward import CallCost, DenseReward, SafetyReward, SparseReward
from lifegym.wrappers.staging import StageStart
from lifegym.wrappers.text_actions import CallResults, ModelOutput, TextActions
from lifegym.wrappers.tools import RenamedTools, ToolSubset

__all__ = [
    "FAULTS", "CallCost", "CallResults", "CandidateActions", "Candidates", "Chat", "ChatObservation", "DenseReward",
    "FeatureObservation", "Messages", "ModelOutput", "NoisyTools", "RecordTrajectory", "RenamedTools",
    "SafetyReward", "SparseReward", "StageStart", "TextActions", "ToolSubset",
]  # fmt: skip
