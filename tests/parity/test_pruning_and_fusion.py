"""Parameters with entries held at zero, and layers put together, compared with PyTorch."""

from __future__ import annotations

from typing import Any

import pytest

from .same import refused, same

pytestmark = pytest.mark.parity


def layers(lib: Any) -> tuple[Any, Any, Any]:
    import importlib

    prune = importlib.import_module(f"{lib.__name__}.nn.utils.prune")
    return prune, lib.nn.Linear(6, 4), lib.nn.Conv2d(2, 3, 3)


def test_methods_on_top_of_one_another_leave_the_same_entries() -> None:
    def program(lib: Any) -> Any:
        prune, layer, _ = layers(lib)
        seen = []
        for step in (
            lambda: prune.l1_unstructured(layer, "weight", amount=0.3),
            lambda: prune.random_unstructured(layer, "weight", amount=3),
            lambda: prune.ln_structured(layer, "weight", 0.5, 2, 0),
            lambda: prune.random_structured(layer, "weight", 1, 1),
        ):
            step()
            seen.append(layer.weight.detach().clone())
        layer(lib.ones(2, 6)).sum().backward()
        seen += [layer.weight_orig.grad, prune.is_pruned(layer), sorted(layer.state_dict())]
        prune.remove(layer, "weight")
        return [*seen, layer.weight, prune.is_pruned(layer), [name for name, _ in layer.named_parameters()]]

    same(program)


def test_several_parameters_are_pruned_together() -> None:
    def program(lib: Any) -> Any:
        prune, linear, conv = layers(lib)
        both = [(linear, "weight"), (conv, "weight")]
        prune.global_unstructured(both, pruning_method=prune.L1Unstructured, amount=0.4)
        first = [linear.weight.detach().clone(), conv.weight.detach().clone()]
        prune.global_unstructured(both, pruning_method=prune.RandomUnstructured, amount=10)
        prune.identity(linear, "bias")
        prune.custom_from_mask(linear, "bias", lib.tensor([1, 0, 1, 0]))
        return [*first, linear.weight, conv.weight, linear.bias, linear.bias_mask]

    same(program)


def test_a_method_of_ones_own_says_what_stays() -> None:
    def program(lib: Any) -> Any:
        prune, layer, _ = layers(lib)

        class EveryOther(prune.BasePruningMethod):  # type: ignore[misc, name-defined]
            PRUNING_TYPE = "unstructured"

            def compute_mask(self, t: Any, default_mask: Any) -> Any:
                mask = default_mask.clone()
                mask.view(-1)[::2] = 0
                return mask

        EveryOther.apply(layer, "weight")
        EveryOther.apply(layer, "weight")
        optimizer = lib.optim.SGD(layer.parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            layer(lib.ones(3, 6)).pow(2).sum().backward()
            optimizer.step()
        return [layer.weight, layer.weight_orig, prune.L1Unstructured(2).prune(lib.tensor([1.0, -3.0, 0.5, 2.0]))]

    same(program)


@pytest.mark.parametrize("amount", [-1, 1.5, 100, "half"])
def test_amounts_that_cannot_be_are_refused(amount: Any) -> None:
    refused(lambda lib: layers(lib)[0].l1_unstructured(layers(lib)[1], "weight", amount))


def test_what_is_not_pruned_cannot_be_removed() -> None:
    refused(lambda lib: layers(lib)[0].remove(layers(lib)[1], "weight"))


def test_a_batch_norm_goes_into_the_layer_before_it() -> None:
    def program(lib: Any) -> Any:
        utils, found = lib.nn.utils, []
        pairs = [
            (lib.nn.Conv2d(2, 3, 3), lib.nn.BatchNorm2d(3), lib.rand(2, 2, 5, 5)),
            (lib.nn.Conv1d(2, 3, 3, bias=False), lib.nn.BatchNorm1d(3, affine=False), lib.rand(2, 2, 5)),
            (lib.nn.Linear(4, 3), lib.nn.BatchNorm1d(3), lib.rand(5, 4)),
        ]
        for layer, norm, x in pairs:
            norm(layer(x))
            layer.eval(), norm.eval()
            fuse = utils.fuse_linear_bn_eval if isinstance(layer, lib.nn.Linear) else utils.fuse_conv_bn_eval
            fused = fuse(layer, norm)
            found += [fused(x), fused.weight, fused.bias, lib.allclose(fused(x), norm(layer(x)), atol=1e-5)]
        return found

    same(program)
    refused(lambda lib: lib.nn.utils.fuse_linear_bn_eval(lib.nn.Linear(2, 2), lib.nn.BatchNorm1d(2)))


def test_a_method_that_does_not_say_what_stays_cannot_be_made() -> None:
    import importlib

    def program(lib: Any) -> Any:
        base = importlib.import_module(f"{lib.__name__}.nn.utils.prune").BasePruningMethod
        return type("Unfinished", (base,), {})()

    refused(program)
