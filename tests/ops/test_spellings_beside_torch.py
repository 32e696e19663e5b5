"""Calls in the ways that programs write them: NumPy's keywords, sizes as keywords, old orders, old constructors.

Each line is run here and, where it is installed, by PyTorch: the results, or the kinds of the errors, are the same.
"""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import numpy as np
import pytest

import minigrad as mg

KEYWORDS = """
x.sum(axis=0)
x.sum(axis=0, keepdims=True)
lib.sum(x, axis=0)
lib.sum(a=x)
lib.sum(x=x, axis=(0, 1))
lib.add(x1=x, x2=x)
x.max(axis=1)
x.argmax(axis=1, keepdims=True)
lib.cat([x, x], axis=1)
lib.stack([x, x], axis=1)
x.softmax(axis=1)
lib.log_softmax(x, axis=1)
x.unsqueeze(axis=0)
x.mean(axis=-1)
x.std(axis=0, keepdims=True)
x.cumsum(axis=0)
x.sort(axis=0)
x.topk(1, axis=0)
x.gather(axis=0, index=lib.zeros(1, 3).long())
x.split(split_size=1)
x.chunk(2, axis=0)
x.all(axis=0)
x.any(axis=0, keepdims=True)
x.prod(axis=0)
x.logsumexp(axis=0)
x.median(axis=0)
x.amax(axis=0)
x.nansum(axis=0)
x.unbind(axis=0)
x.select(axis=0, index=0)
x.index_select(axis=0, index=lib.tensor([0]))
x.swapaxes(axis0=0, axis1=1)
lib.quantile(x, 0.5, axis=0)
lib.std_mean(x, axis=0)
lib.count_nonzero(x, axis=0)
lib.tensor_split(x, 2, axis=0)
lib.zeros(size=(2, 3))
lib.full(size=(2,), fill_value=3.0)
lib.ones(2, layout=lib.strided)
lib.zeros((2, 3), pin_memory=False)
lib.zeros_like(x, memory_format=lib.preserve_format)
x.view(size=(3, 2))
x.view(dtype=lib.int32)
x.clone().requires_grad_().view(lib.int32)
[x.clone().requires_grad_().view(each).requires_grad for each in (lib.int32, lib.float16, lib.uint8)]
(x.clone().requires_grad_() * 2).view(lib.float16).requires_grad
x.reshape(shape=(3, 2))
x.permute(dims=(1, 0))
x.expand(size=(2, 3))
x.repeat(repeats=(1, 2))
x.tile(dims=(1, 2))
x.sum(axes=0)
x.sum(axis=0, dim=0)
lib.zeros(sizes=(2, 3), shape=1)
x.sum(keepdimz=True)
"""

OLD_ORDERS = """
x.add(2, x)
x.clone().add_(2, x)
lib.add(x, 2, x)
x.sub(2, x)
x.addmm(0.5, x, lib.ones(3, 3))
x.addmm(0.5, 2, x, lib.ones(3, 3))
lib.addmm(0.5, x, 2, x, lib.ones(3, 3))
x.addcmul(0.5, x, x)
x.clone().addcmul_(0.5, x, x)
x.addcdiv(0.5, x, x + 1)
x.add(x, 2, x)
x.mul(2, x)
"""

CONSTRUCTORS = """
lib.Tensor(2, 3).shape
lib.Tensor(5).shape
lib.Tensor()
lib.Tensor([1, 2])
lib.Tensor((2, 3))
lib.Tensor(lib.Size([2, 3])).shape
lib.Tensor(5.0)
lib.Tensor(2, 3.0)
lib.Tensor(x).data_ptr() == x.data_ptr()
lib.Tensor(np.ones(2))
lib.Tensor(np.ones((2, 2), dtype="float32"))
lib.FloatTensor([1, 2])
lib.LongTensor([1.5])
lib.LongTensor(2, 2).shape
lib.LongTensor(x)
lib.LongTensor(np.arange(3))
lib.DoubleTensor([1])
lib.IntTensor([1])
lib.ShortTensor([1])
lib.CharTensor([1])
lib.ByteTensor([1])
lib.HalfTensor([1])
lib.BFloat16Tensor([1])
lib.BoolTensor([1, 0])
lib.FloatTensor(device="cpu")
lib.FloatTensor(3, 2).fill_(1.0)
(isinstance(x, lib.FloatTensor), isinstance(x, lib.LongTensor), isinstance(x.long(), lib.LongTensor))
x.type(lib.LongTensor)
x.type("torch.DoubleTensor")
x.type(lib.float64)
x.new(2, 2).shape
x.long().new([1, 2])
x.new(x)
x.new().shape
type(Sub(lib)([1, 2])).__name__
Sub(lib)(2, 3).shape
Sub(lib)([1, 2]) + 1
type(x.as_subclass(Sub(lib))).__name__
Sub(lib)._make_subclass(Sub(lib), x, True).requires_grad
lib.range(0, 3)
lib.range(1, 2, 0.5)
"""

MEMORY = """
x.storage().tolist()
(x.storage().size(), len(x.storage()), x.storage()[1])
(x.untyped_storage().size(), x.untyped_storage().nbytes())
x[1:].storage().tolist()
x.untyped_storage().data_ptr() == x[1:].untyped_storage().data_ptr()
lib.empty(0).set_(x.storage()).tolist()
lib.empty(0).set_(x.storage(), 1, (2,), (2,)).tolist()
lib.empty(0).set_(x.untyped_storage(), 1, (2, 2)).tolist()
lib.empty(0).set_(x.storage(), 4, (3,), (1,)).tolist()
lib.empty(0).set_(x).tolist()
lib.empty(0).set_().shape
x.is_set_to(x)
x.is_set_to(x[0])
lib.is_storage(x.storage())
x.storage().fill_(7) and x
repr(x.storage())
"""

SMALL = """
lib.zeros(3, 3).fill_diagonal_(5)
lib.zeros(7, 3).fill_diagonal_(5, wrap=True)
lib.zeros(2, 2, 2).fill_diagonal_(5)
lib.zeros(3).fill_diagonal_(1)
x.clone().apply_(lambda v: v * 2)
x.clone().map_(x, lambda a, b: a + b)
x.clone().map2_(x, x, lambda a, b, c: a + b + c)
x.is_same_size(x[1:])
lib.nn.functional.pixel_shuffle(x, 2)
lib.nn.functional.pixel_unshuffle(x[0], 2)
lib.nn.functional.channel_shuffle(x, 1)
lib.zeros(2**62)
lib.ones(2).resize_(2**62)
lib.ones(2).resize_(2**40, 2**40)
(x.is_sparse, x.is_quantized, x.is_meta, x.is_nested, x.is_cpu, x.is_cuda)
(x.is_pinned(), x.is_distributed())
x.to_dense()
x.dim_order()
x.t().dim_order()
(x.shape[1:].numel(), (x.shape + (1,)).numel(), ((1,) + x.shape).numel(), (x.shape * 2).numel())
repr(x.shape[:-1] + x.shape[::2])
(lib.ones(2, 3, device="meta") @ lib.ones(3, 4, device="meta")).sum(0).shape
repr(lib.ones(2, 3, device="meta", dtype=lib.float64))
(1.0 in x, 9 in x)
None in x
"a" in x
list(reversed(x))[0]
u8 + 300
u8 * 300
300 - u8
u8 - 2
u8 == 300
u8 < 300
u8 + (-1)
i8 * 200
i32 + 2**31
u8.clone().add_(300)
lib.tensor([]).median()
"""


def Sub(lib: Any) -> Any:
    return type("Sub", (lib.Tensor,), {})


def run(lib: Any, line: str) -> Any:
    """What the line gives, as plain numbers with its type, or the kind of its error."""
    x = lib.tensor([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])
    names = {
        "lib": lib, "x": x, "np": np, "Sub": Sub, "u8": lib.tensor([1, 200], dtype=lib.uint8),
        "i8": lib.tensor([1, -3], dtype=lib.int8), "i32": lib.tensor([1], dtype=lib.int32),
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(lib, eval(line, names))
        except Exception as error:
            return error


def plain(lib: Any, value: Any) -> Any:
    if isinstance(value, lib.Tensor):
        numbers = np.round(value.detach().double().cpu().numpy(), 5) if value.is_floating_point() else value
        return str(value.dtype).split(".")[-1], tuple(value.shape), repr(numbers.tolist())
    if isinstance(value, (tuple, list)):
        return [plain(lib, each) for each in value]
    return value.replace("minigrad", "torch") if isinstance(value, str) else value


LINES = [line for table in (KEYWORDS, OLD_ORDERS, CONSTRUCTORS, MEMORY, SMALL) for line in table.strip().splitlines()]
TOO_SMALL = "lib.empty(0).set_(x.storage(), 4, (3,), (1,)).tolist()"
NAMES_THE_DEVICE = pytest.mark.cpu("the line says where the tensor is")


def cases(lines: list[str]) -> list[Any]:
    naming = [each for each in lines if "is_cpu" in each or "repr(x.storage" in each]
    return [pytest.param(each, marks=NAMES_THE_DEVICE) if each in naming else each for each in lines]


ERRORS = {
    "x.sum(axes=0)", "x.sum(axis=0, dim=0)", "lib.zeros(sizes=(2, 3), shape=1)", "x.sum(keepdimz=True)",
    "x.add(x, 2, x)", "x.mul(2, x)", "lib.Tensor(5.0)", "lib.Tensor(2, 3.0)", "lib.LongTensor(x)",
    "lib.zeros(3).fill_diagonal_(1)", "lib.nn.functional.pixel_shuffle(x, 2)",
    "lib.nn.functional.pixel_unshuffle(x[0], 2)", "lib.nn.functional.channel_shuffle(x, 1)", "lib.zeros(2**62)",
    "lib.ones(2).resize_(2**62)", "lib.ones(2).resize_(2**40, 2**40)", "None in x", '"a" in x', TOO_SMALL,
}  # fmt: skip


@pytest.mark.parametrize("line", cases(LINES))
def test_a_line_runs_or_is_refused(line: str) -> None:
    outcome = run(mg, line)
    assert isinstance(outcome, Exception) == (line in ERRORS), outcome
    assert not isinstance(outcome, Exception) or isinstance(outcome, (mg.MinigradError, TypeError))


@pytest.mark.parity
@pytest.mark.parametrize("line", cases(sorted(set(LINES) - {TOO_SMALL})))
def test_a_line_gives_what_pytorch_gives(line: str) -> None:
    """Left out is the storage that is too small: PyTorch makes it larger, here it is an error."""
    theirs, mine = run(importlib.import_module("torch"), line), run(mg, line)
    if isinstance(theirs, Exception):
        assert isinstance(mine, type(theirs)), f"{theirs!r} there, {mine!r} here"
    else:
        assert mine == theirs


def test_an_old_order_warns_and_names_the_keyword() -> None:
    x = mg.ones(2)
    with pytest.warns(UserWarning, match=r"add_ is deprecated: write the number as a keyword, alpha= after"):
        assert x.add_(2, mg.ones(2)).tolist() == [3.0, 3.0]


def test_a_subclass_takes_arguments_of_its_own() -> None:
    class Named(mg.Tensor):
        def __init__(self, data: Any, label: str = "") -> None:
            self.label = label

    assert Named([1.0], label="a").label == "a" and Named([1.0, 2.0], "b").tolist() == [1.0, 2.0]
    with pytest.raises(TypeError, match="unexpected keyword argument 'label'"):
        mg.Tensor([1.0], label="a")


def test_a_layout_that_is_not_there_is_refused() -> None:
    with pytest.raises(TypeError, match="every tensor here is strided"):
        mg.ones(2, layout=mg.preserve_format)


def test_gradients_flow_through_a_call_in_another_spelling() -> None:
    x = mg.ones(2, 3, requires_grad=True)
    (x.sum(axis=0, keepdims=True) * x.mean(axis=1, keepdims=True)).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [[4.0, 4.0, 4.0]] * 2
