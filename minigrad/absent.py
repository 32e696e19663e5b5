"""PyTorch's top-level names that minigrad does not have, each with what to use instead."""

from __future__ import annotations

ABSENT: dict[str, str] = {
    "export": "There is no compiler: save module.state_dict() and rebuild the module from its code.",
    "nested": "Pad sequences of several lengths, or pack them: nn.utils.rnn.",
    "eig": "It left PyTorch too: use linalg.eig, whose results are complex.",
    "lstsq": "It left PyTorch too: use linalg.lstsq(A, B), with A first.",
    "matrix_rank": "It left PyTorch too: use linalg.matrix_rank.",
    "quantization": "There are no quantised types.",
    "quasirandom": "There are no Sobol sequences: draw with rand, or make the points with scipy.stats.qmc.",
    "solve": "It left PyTorch too: use linalg.solve(A, B), with A first.",
    "symeig": "It left PyTorch too: use linalg.eigh(A), or linalg.eigvalsh(A) without eigenvectors.",
}
"""The text of the error for ``minigrad.<name>``, by name."""
