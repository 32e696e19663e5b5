"""Common faults in whole training loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .loops import STEPS, classes, classify, data, layers, train


def softmax_before_cross_entropy(lib: Any) -> None:
    classify(lib, lib.nn.Softmax(dim=1))


def exponentials_before_cross_entropy(lib: Any) -> None:
    classify(lib, loss_of=lambda scores, y: lib.nn.functional.cross_entropy(scores.log_softmax(1).exp(), y))


def softmax_by_hand_before_cross_entropy(lib: Any) -> None:
    def loss_of(scores: Any, y: Any) -> Any:
        powers = (scores - scores.max(1, keepdim=True).values).exp()
        return lib.nn.functional.cross_entropy(powers / powers.sum(1, keepdim=True), y)

    classify(lib, loss_of=loss_of)


def sigmoid_before_its_logits_loss(lib: Any) -> None:
    net = lib.nn.Sequential(lib.nn.Linear(6, 1), lib.nn.Sigmoid())
    x, _ = data(lib)
    wanted = (x[:, :1] > 0).float()
    train(lib, net.parameters(), lambda: lib.nn.BCEWithLogitsLoss()(net(x), wanted))


def nll_of_probabilities(lib: Any) -> None:
    classify(lib, lib.nn.Softmax(dim=1), loss_of=lib.nn.functional.nll_loss)


def softmax_over_the_batch(lib: Any) -> None:
    classify(lib, lib.nn.LogSoftmax(dim=0), loss_of=lib.nn.functional.nll_loss)


def softmax_over_the_batch_by_hand(lib: Any) -> None:
    rows = lib.arange(32)
    classify(lib, lib.nn.Softmax(dim=0), loss_of=lambda chances, y: -chances[rows, y].log().mean())


def softmax_over_the_batch_and_gathered(lib: Any) -> None:
    classify(lib, lib.nn.LogSoftmax(dim=0), loss_of=lambda scores, y: -scores.gather(1, y[:, None]).mean())


def softmax_over_the_batch_and_its_logarithm(lib: Any) -> None:
    classify(lib, lib.nn.Softmax(dim=0), loss_of=lambda chances, y: lib.nn.functional.nll_loss(chances.log(), y))


def relu_after_the_last_layer(lib: Any) -> None:
    classify(lib, lib.nn.ReLU())


def written_through_data(lib: Any) -> None:
    lib.manual_seed(0)
    first, last = lib.nn.Linear(6, 8), lib.nn.Linear(8, 3)
    x, y = classes(lib)

    def loss() -> Any:
        h = lib.sigmoid(first(x))
        h.data.clamp_(0.4, 0.6)
        return lib.nn.functional.cross_entropy(last(h), y)

    train(lib, [*first.parameters(), *last.parameters()], loss)


def softmax_of_a_single_class(lib: Any) -> None:
    net = lib.nn.Sequential(lib.nn.Linear(6, 1), lib.nn.Softmax(dim=1))
    x, _ = data(lib)
    wanted = (x[:, :1] > 0).float()
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net(x), wanted))


def row_against_column(lib: Any) -> None:
    net = layers(lib, 6, 16, 1)
    x, _ = data(lib)
    y = x.sum(1)
    train(lib, net.parameters(), lambda: ((net(x) - y) ** 2).mean())


def backward_forgotten(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), y)
        optimizer.step()


def step_forgotten(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), y).backward()


def step_before_backward(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = lib.nn.functional.mse_loss(net(x), y)
        optimizer.step()
        loss.backward()


def two_steps_for_one_backward(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
        optimizer.step()


def head_replaced_after_the_optimiser(lib: Any) -> None:
    net = layers(lib, 6, 16, 5)
    x, y = classes(lib)
    optimizer = lib.optim.Adam(net.parameters(), lr=0.005)
    net[2] = lib.nn.Linear(16, 3)
    for _ in range(STEPS):
        optimizer.zero_grad()
        lib.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


def layers_in_a_list(lib: Any) -> None:
    class Net(lib.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layers = [lib.nn.Linear(6, 6) for _ in range(2)]
            self.head = lib.nn.Linear(6, 1)

        def forward(self, x: Any) -> Any:
            for layer in self.layers:
                x = layer(x).tanh()
            return self.head(x)

    net = Net()
    x, y = data(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net(x), y))


def tensor_in_place_of_a_parameter(lib: Any) -> None:
    class Net(lib.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.scale = lib.ones(6, requires_grad=True)
            self.head = lib.nn.Linear(6, 1)

        def forward(self, x: Any) -> Any:
            return self.head(x * self.scale)

    net = Net()
    x, y = data(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net(x), y))


def layer_made_in_forward(lib: Any) -> None:
    class Net(lib.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.head = lib.nn.Linear(8, 1)

        def forward(self, x: Any) -> Any:
            return self.head(lib.nn.Linear(6, 8)(x).tanh())

    net = Net()
    x, y = data(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net(x), y))


def accuracy_as_the_loss(lib: Any) -> None:
    net = layers(lib, 6, 16, 3)
    x, y = classes(lib)
    (1 - (net(x).argmax(1) == y).float().mean()).backward()


def choice_in_the_middle(lib: Any) -> None:
    net = lib.nn.ModuleList([lib.nn.Linear(6, 8), lib.nn.Embedding(8, 4), lib.nn.Linear(4, 1)])
    x, y = data(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net[2](net[1](net[0](x).argmax(1))), y), lr=0.001)


def all_frozen(lib: Any) -> None:
    net = layers(lib, 6, 8, 1).requires_grad_(False)
    x, y = data(lib)
    lib.nn.functional.mse_loss(net(x), y).backward()


def loss_made_anew(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    train(
        lib,
        net.parameters(),
        lambda: lib.tensor(lib.nn.functional.mse_loss(net(x), y).item(), requires_grad=True),
    )


def rounded_in_the_middle(lib: Any) -> None:
    net = layers(lib, 6, 16, 1)
    x, y = data(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net[2]((4 * net[0](x)).round()), y))


def clamped_out_of_reach(lib: Any) -> None:
    net = layers(lib, 6, 16, 1)
    x, y = data(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net[2](net[0](x).clamp(50, 100)), y))


def all_units_dropped(lib: Any) -> None:
    net = layers(lib, 6, 16, 1)
    x, y = data(lib)
    train(
        lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net[2](lib.nn.functional.dropout(net[0](x), 1.0)), y)
    )


def clipped_to_nothing(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    optimizer = lib.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(STEPS):
        optimizer.zero_grad()
        lib.nn.functional.mse_loss(net(x), y).backward()
        lib.nn.utils.clip_grad_norm_(net.parameters(), 0.0)
        optimizer.step()


def weights_all_alike(lib: Any) -> None:
    net = layers(lib, 6, 8, 1, activation="Tanh")
    for parameter in net.parameters():
        lib.nn.init.constant_(parameter, 0.1)
    x, y = data(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net(x), y))


def inputs_that_saturate(lib: Any) -> None:
    lib.manual_seed(0)
    net = layers(lib, 6, 16, 1, activation="Sigmoid")
    x, y = data(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net(5000 * x), y))


def products(lib: Any, w1: Any, w2: Any, activation: Any) -> None:
    """Train a net that is written as products."""
    x, y = data(lib)
    train(lib, [w1, w2], lambda: lib.nn.functional.mse_loss(activation(x @ w1) @ w2.t(), y))


def factors_all_alike(lib: Any) -> None:
    w1, w2 = lib.full((6, 8), 0.1, requires_grad=True), lib.full((1, 8), 0.1, requires_grad=True)
    products(lib, w1, w2, lib.tanh)


def factors_that_saturate(lib: Any) -> None:
    lib.manual_seed(0)
    w1, w2 = (1000 * lib.randn(6, 16)).requires_grad_(), lib.randn(1, 16).requires_grad_()
    products(lib, w1, w2, lib.sigmoid)


def measured_with_dropout(lib: Any) -> None:
    net = lib.nn.Sequential(lib.nn.Linear(6, 16), lib.nn.ReLU(), lib.nn.Dropout(0.5), lib.nn.Linear(16, 1))
    x, y = data(lib)
    for _ in range(2):
        train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net(x), y), steps=2)
        with lib.no_grad():
            lib.nn.functional.mse_loss(net(x), y).item()


def never_back_in_training_mode(lib: Any) -> None:
    net = lib.nn.Sequential(lib.nn.Linear(6, 16), lib.nn.ReLU(), lib.nn.Dropout(0.5), lib.nn.Linear(16, 1))
    x, y = data(lib)
    for _ in range(3):
        train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net(x), y), steps=3)
        net.eval()
        with lib.no_grad():
            lib.nn.functional.mse_loss(net(x), y).item()


def state_used_up(lib: Any) -> None:
    cell = lib.nn.RNNCell(6, 6)
    x, _ = data(lib)
    state = lib.zeros(32, 6)
    for _ in range(3):
        state = cell(x, state)
        state.pow(2).mean().backward()


def losses_in_a_list(lib: Any) -> None:
    net = layers(lib, 6, 8, 1)
    x, y = data(lib)
    losses: list[Any] = []

    def loss() -> Any:
        losses.append(lib.nn.functional.mse_loss(net(x), y))
        return losses[-1]

    train(lib, net.parameters(), loss)
    sum(losses).item()  # type: ignore[union-attr]


def backward_again(lib: Any) -> None:
    net = layers(lib, 6, 8, 1, activation="Tanh")
    x, y = data(lib)
    loss = lib.nn.functional.mse_loss(net(x), y)
    loss.backward()
    loss.backward()


def label_that_is_no_class(lib: Any) -> None:
    net = layers(lib, 6, 16, 3)
    x, y = classes(lib)
    lib.nn.functional.cross_entropy(net(x), y + 1).backward()


def batch_of_one(lib: Any) -> None:
    net = lib.nn.Sequential(lib.nn.Linear(6, 8), lib.nn.BatchNorm1d(8), lib.nn.Linear(8, 1))
    net(lib.randn(1, 6)).sum().backward()


def not_a_number_long_ago(lib: Any) -> None:
    """The first NaN must be reported, even if training continues for long."""
    net = lib.nn.Linear(6, 1)
    x, y = data(lib)
    number = iter(range(100))
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net(x / (next(number) != 3)), y), steps=40)


def far_too_long_at_first(lib: Any) -> None:
    lib.manual_seed(0)
    net = layers(lib, 6, 32, 32, 1)
    x, y = data(lib)
    train(lib, net.parameters(), lambda: lib.nn.functional.mse_loss(net(x), y), lr=1.0, steps=30)


def weights_decay_to_nothing(lib: Any) -> None:
    net = lib.nn.Sequential(lib.nn.Linear(6, 16), lib.nn.ReLU(), lib.nn.Linear(16, 3))
    optimizer = lib.optim.SGD(net.parameters(), lr=0.1, weight_decay=6.0)
    x, y = classes(lib)
    for _ in range(12):
        optimizer.zero_grad()
        lib.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


def loss_made_negative(lib: Any) -> None:
    net = lib.nn.Linear(6, 1)
    x, y = data(lib)
    train(lib, net.parameters(), lambda: -lib.nn.functional.mse_loss(net(x), y), lr=0.05)


def memory_of_results_with_their_graphs(lib: Any) -> None:
    net = lib.nn.Sequential(lib.nn.Linear(6, 16), lib.nn.ReLU(), lib.nn.Linear(16, 2))
    x, _ = data(lib)
    remembered = []

    def loss_of() -> Any:
        scores = net(x)
        remembered.append(scores.exp())
        return scores.pow(2).mean()

    train(lib, net.parameters(), loss_of, steps=12)


def optimiser_made_in_the_loop(lib: Any) -> None:
    net = layers(lib, 6, 8, 3)
    x, y = classes(lib)
    for _ in range(STEPS):
        optimizer = lib.optim.Adam(net.parameters(), lr=0.01)
        lib.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()


def head_that_the_optimiser_was_not_given(lib: Any) -> None:
    lib.manual_seed(0)
    body, head = layers(lib, 6, 16, 16), lib.nn.Linear(16, 3)
    x, y = classes(lib)
    train(lib, body.parameters(), lambda: lib.nn.functional.cross_entropy(head(lib.relu(body(x))), y))


def optimiser_of_what_was_frozen(lib: Any) -> None:
    lib.manual_seed(0)
    body, head = layers(lib, 6, 16, 16).requires_grad_(False), lib.nn.Linear(16, 3)
    x, y = classes(lib)
    train(lib, body.parameters(), lambda: lib.nn.functional.cross_entropy(head(lib.relu(body(x))), y))


def last_layer_of_a_net_left_out_by_its_name(lib: Any) -> None:
    class Net(lib.nn.Module):  # type: ignore[misc, name-defined, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.features = layers(lib, 6, 16, 16)
            self.classifier = lib.nn.Linear(16, 3)

        def forward(self, x: Any) -> Any:
            return self.classifier(self.features(x).relu())

    lib.manual_seed(0)
    net = Net()
    x, y = classes(lib)
    wanted = [each for name, each in net.named_parameters() if "features" in name]
    train(lib, wanted, lambda: lib.nn.functional.cross_entropy(net(x), y))


EVERYDAY_FAULTS: list[tuple[str, Callable[[Any], None]]] = [
    ("softmax_twice", softmax_before_cross_entropy), ("softmax_twice", sigmoid_before_its_logits_loss),
    ("optimiser_anew", optimiser_made_in_the_loop),
    ("softmax_twice", exponentials_before_cross_entropy), ("softmax_twice", softmax_by_hand_before_cross_entropy),
    ("no_logarithm", nll_of_probabilities), ("softmax_axis", softmax_over_the_batch),
    ("softmax_axis", softmax_over_the_batch_by_hand), ("softmax_axis", softmax_over_the_batch_and_gathered),
    ("softmax_axis", softmax_over_the_batch_and_its_logarithm), ("relu_logits", relu_after_the_last_layer),
    ("in_place", written_through_data),
    ("softmax_axis", softmax_of_a_single_class), ("broadcast", row_against_column),
    ("no_backward", backward_forgotten), ("no_step", step_forgotten), ("order", step_before_backward),
    ("double_step", two_steps_for_one_backward), ("unowned", head_replaced_after_the_optimiser),
    ("not_registered", layers_in_a_list), ("not_registered", tensor_in_place_of_a_parameter),
    ("not_registered", layer_made_in_forward), ("not_differentiable", accuracy_as_the_loss),
    ("not_differentiable|not_in_loss", choice_in_the_middle), ("frozen", all_frozen), ("detached", loss_made_anew),
    ("zero_gradient", rounded_in_the_middle),
    ("zero_gradient", clamped_out_of_reach), ("zero_gradient", all_units_dropped),
    ("clipped_away", clipped_to_nothing), ("symmetric", weights_all_alike),
    ("symmetric", factors_all_alike), ("saturated", factors_that_saturate),
    ("shrinking", weights_decay_to_nothing), ("wrong_sign", loss_made_negative),
    ("growing_graph", memory_of_results_with_their_graphs),
    ("saturated", inputs_that_saturate), ("train_mode", measured_with_dropout),
    ("eval_mode", never_back_in_training_mode), ("growing_graph", state_used_up), ("growing_graph", losses_in_a_list),
    ("freed", backward_again), ("crash", label_that_is_no_class), ("crash", batch_of_one),
    ("nan", not_a_number_long_ago), ("step_large", far_too_long_at_first),
    ("unowned", head_that_the_optimiser_was_not_given), ("unowned", optimiser_of_what_was_frozen),
    ("unowned", last_layer_of_a_net_left_out_by_its_name),
]  # fmt: skip
