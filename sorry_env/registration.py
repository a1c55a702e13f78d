"""Names in Gymnasium's and PettingZoo's registries, written when `sorry_env` is imported."""

from __future__ import annotations

from typing import Final

import gymnasium

GYM_ID: Final = "Sorry-v0"
AEC_ID: Final = "sorry_v0"


def register_everywhere() -> None:
    """Registers `Sorry-v0` with Gymnasium and `sorry_v0` with PettingZoo where it has a registry (from 1.27)."""
    if GYM_ID not in gymnasium.registry:
        gymnasium.register(
            id=GYM_ID,
            entry_point="sorry_env.gym_env:SorryEnv",
            vector_entry_point="sorry_env.vector_env:SorryVectorEnv",
        )
    try:
        import pettingzoo
    except ImportError:  # pragma: no cover  # a broken install must not hide the Gymnasium side
        return
    registry = getattr(pettingzoo, "aec_registry", None)
    if registry is not None and AEC_ID not in registry:
        pettingzoo.register("aec", AEC_ID, "sorry_env.sorry_v0:env")
