"""One neuron, three numbers: every gradient can be checked by hand, and two of them add up.

The neuron is asked to say its own input again. So the input is used twice, once inside the neuron and once to judge it,
and two gradients arrive at it, one along each way. They add up: that is all there is to the chain rule with many paths.
"""

from __future__ import annotations

import minigrad as mg
from minigrad.demos import Report, print_report


def main(report: Report = print_report) -> None:
    """Go through one neuron forward and backward, then backward again without clearing the gradients."""
    x = mg.tensor(0.5, requires_grad=True)
    w = mg.tensor(-1.5, requires_grad=True)
    b = mg.tensor(0.8, requires_grad=True)

    y = mg.tanh(w * x + b)
    loss = (y - x) ** 2

    def picture(width: int, height: int) -> str:
        grads = [f"{name}.grad  {tensor.grad.item():+.6f}" for name, tensor in (("x", x), ("w", w), ("b", b))]
        return "\n".join([mg.observe.draw(loss).text.rstrip(), "", *grads])

    loss.backward(retain_graph=True)
    print(f"loss             {loss.item():.6f}")
    print(f"backward         x.grad {x.grad.item():+.6f}  w.grad {w.grad.item():+.6f}  b.grad {b.grad.item():+.6f}")

    # By hand: the slope of tanh is 1 - y², and both paths to x count.
    outer = 2 * (y.item() - x.item())
    slope = 1 - y.item() ** 2
    through, directly = outer * slope * w.item(), -outer
    both = through + directly
    print(f"by hand          x.grad {both:+.6f} = {through:+.6f} through the neuron {directly:+.6f} directly")
    report(1, 2, picture, loss=loss.item())

    loss.backward()
    print(f"backward again   x.grad {x.grad.item():+.6f}  twice as much: gradients add up until they are cleared")
    report(2, 2, picture, loss=loss.item())


if __name__ == "__main__":
    main()
