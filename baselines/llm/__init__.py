"""A language model behind an OpenAI-compatible endpoint as an agent (extra ``[llm]``)."""

from lifegym.baselines.llm.agent import LLMAgent

__all__ = ["LLMAgent"]
