"""How results lie in memory, which decides what a view is allowed to do, and in which order dropout draws its mask."""

from __future__ import annotations

from typing import Any

import pytest

from .same import same

pytestmark = pytest.mark.parity


def images(lib: Any) -> Any:
    return lib.randn(2, 5, 6, 4).permute(0, 3, 1, 2)


def layers_of_images(lib: Any) -> Any:
    F = lib.nn.functional
    x, rows, weight = images(lib), images(lib).contiguous(), lib.randn(4, 4, 3, 3)
    made = [
        F.conv2d(x, weight), F.conv2d(rows, weight), F.conv2d(x, lib.randn(2, 4, 1, 1), stride=2),
        F.conv_transpose2d(x, weight), F.batch_norm(x, None, None, training=True), F.instance_norm(x),
        F.max_pool2d(x, 2), F.max_pool2d(x, 2, return_indices=True)[0], F.pad(x, (1, 1, 2, 0)),
        lib.cat([x, x], 1), lib.cat([x, rows], 1), lib.cat([rows, x], 0), F.glu(x, 1), F.elu(F.conv2d(x, weight)),
        F.layer_norm(x, (6,)), F.conv2d(images(lib)[:, :1], lib.randn(3, 1, 2, 2)), F.conv2d(x[:1], weight),
    ]  # fmt: skip
    return [each.stride() for each in made] + made


def layers_of_volumes(lib: Any) -> Any:
    F = lib.nn.functional
    x = lib.randn(2, 4, 5, 6, 3).permute(0, 4, 1, 2, 3)
    made = [F.conv3d(x, lib.randn(2, 3, 2, 2, 2)), F.max_pool3d(x, 2), F.batch_norm(x, None, None, training=True)]
    return [each.stride() for each in made] + made


def masks_of_dropout(lib: Any) -> Any:
    lib.manual_seed(3)
    net = lib.nn.Sequential(
        lib.nn.Conv2d(4, 6, 3), lib.nn.ELU(), lib.nn.Dropout(0.5), lib.nn.Conv2d(6, 4, 1), lib.nn.BatchNorm2d(4),
        lib.nn.ReLU(), lib.nn.MaxPool2d(2, 1), lib.nn.Dropout(0.3),
    )  # fmt: skip
    x = images(lib).requires_grad_()
    net(x).square().sum().backward()
    return [x.grad, *(each.grad for each in net.parameters())]


def heads(lib: Any, h: int = 3, n: int = 5, e: int = 4) -> Any:
    return lib.randn(2, n, h, e).transpose(1, 2)


def attention(lib: Any) -> Any:
    attend = lib.nn.functional.scaled_dot_product_attention
    q, k, v = lib.randn(2, 5, 36).chunk(3, -1)
    q, k, v = (each.view(2, 5, 3, 4).transpose(1, 2) for each in (q, k, v))
    one = heads(lib)
    made = [
        attend(q, k, v), attend(q, k, v, is_causal=True), attend(one, heads(lib, n=7), heads(lib, n=7)),
        attend(one.contiguous(), one, one), attend(one, one.contiguous(), one), attend(one[0], one[0], one[0]),
        attend(one, one, heads(lib, e=6)), attend(one, one, one, dropout_p=0.1),
        attend(one, one, one, attn_mask=lib.ones(5, 5).tril().bool()),
        attend(lib.randn(5, 2, 3, 4).permute(1, 2, 0, 3), one, one),
        attend(lib.randn(2, 3, 4, 5).transpose(2, 3), one, one),
    ]  # fmt: skip
    return [each.stride() for each in made] + made + [made[1].transpose(1, 2).view(2, 5, 12)]


@pytest.mark.parametrize("program", [layers_of_images, layers_of_volumes, masks_of_dropout, attention])
def test_results_lie_in_memory_as_in_pytorch(program: Any) -> None:
    same(program)
