"""PyTorch's top-level names that minigrad does not have, each with what to use instead."""

from __future__ import annotations

ABSENT: dict[str, str] = {
    "export": "There is no compiler: save module.state_dict() and rebuild the module from its code.",
    "nested": "Pad sequences of several lengths, or pack them: nn.utils.rnn.",
    "quantization": "There are no quantised types.",
}
"""The error of ``minigrad.<name>`` says this."""
