"""What PyTorch has at the top and minigrad has not, with what to do in its place."""

from __future__ import annotations

ABSENT: dict[str, str] = {
    "amp": "No op changes the type of numbers unasked: convert where you want it, with x.bfloat16() or module.half(); "
    "float32 needs no GradScaler.",
    "autocast": "No op changes the type of numbers unasked: convert where you want it, with x.bfloat16() or "
    "module.half().",
    "compile": "There is no compiler: leave compile() away, the results are the same.",
    "distributed": "minigrad.examples.mpi.data_parallel shows training on several processes, with MPI.",
    "export": "There is no compiler: save module.state_dict() and rebuild the module from its code.",
    "fx": "There is no tracer of programs: minigrad.observe.record records what one does.",
    "hub": "Nothing is downloaded: load weights with minigrad.load, from a safetensors file.",
    "jit": "There is no compiler: leave jit.script and jit.trace away, and save module.state_dict().",
    "multiprocessing": "Use Python's own multiprocessing; tensors can be pickled.",
    "nested": "Pad sequences of several lengths, or pack them: nn.utils.rnn.",
    "onnx": "There is no exporter: save module.state_dict(), which PyTorch loads, and export from there.",
    "profiler": "It is minigrad.autograd.profiler.",
    "quantization": "There are no quantised types.",
    "sparse": "Every tensor is dense; gradients of rows are summed by index_add.",
}
"""The error of ``minigrad.<name>`` says this."""
