"""Random sequences of draws: each is a short Python expression for both minigrad and PyTorch."""

from __future__ import annotations

import random
from typing import Any

FLOATS = ("float32", "float64", "float16", "bfloat16")
ALL = (*FLOATS, "complex64", "complex128", "int64", "int32", "int16", "int8", "uint8", "bool")
SIZES = (
    0,
    1,
    2,
    3,
    7,
    8,
    9,
    15,
    16,
    17,
    18,
    24,
    31,
    32,
    33,
    47,
    48,
    49,
    63,
    64,
    65,
    100,
    311,
    312,
    623,
    624,
    625,
    1300,
)
NOT_BY_TWISTER = ("bernoulli_", "exponential_", "dropout", "gumbel_softmax", "multinomial", "rrelu")
"""The draws that PyTorch makes with MKL's generator on Intel processors with MKL."""


class Draws:
    """Generates draws as text; `t` is the library, `g` a separate generator."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def program(self, length: int) -> list[str]:
        """A sequence of draws, seeds and states."""
        kinds = [getattr(self, name) for name in dir(self) if name.startswith("draw_")]
        return [self.random.choice(kinds)() for _ in range(length)]

    def pick(self, *values: Any) -> Any:
        return self.random.choice(values)

    def shape(self) -> tuple[int, ...]:
        dims = self.pick(1, 1, 1, 2, 2, 3, 4)
        if dims == 1:
            return (self.pick(*SIZES, *SIZES, 33_000, 66_001),)
        return tuple(self.pick(1, 2, 3, 4, 5, 8) for _ in range(dims))

    def generator(self) -> str:
        return self.pick("", "", ", generator=g")

    def place(self, dtypes: tuple[str, ...]) -> str:
        """An empty tensor with some memory layout."""
        dtype, shape = self.pick(*dtypes), self.shape()
        made = f"t.zeros({shape}, dtype=t.{dtype})"
        order = list(range(len(shape)))
        self.random.shuffle(order)
        doubled = f"t.zeros({(*shape[:-1], 2 * shape[-1])}, dtype=t.{dtype})[..., ::2]"
        return str(self.pick(made, made, made, doubled, f"{made}.permute({order})", f"{doubled}.permute({order})"))

    def number(self) -> float:
        return round(self.random.uniform(-3, 3), self.pick(1, 7))

    def draw_rand(self) -> str:
        return f"t.rand({self.shape()}, dtype=t.{self.pick(*FLOATS, 'complex64', 'complex128')}{self.generator()})"

    def draw_randn(self) -> str:
        return f"t.randn({self.shape()}, dtype=t.{self.pick(*FLOATS, 'complex64', 'complex128')}{self.generator()})"

    def draw_randint(self) -> str:
        low = self.pick(0, 0, -5, 3, -(2**40))
        high = low + 1 + int(2 ** self.random.uniform(0, 62))
        return f"t.randint({low}, {high}, {self.shape()}{self.generator()})"

    def draw_randint_of_a_dtype(self) -> str:
        dtype = self.pick("uint8", "int8", "int16", "int32", "float32", "float64", "float16", "bfloat16")
        return f"t.randint({self.pick(0, 5)}, {self.pick(6, 100)}, {self.shape()}, dtype=t.{dtype}{self.generator()})"

    def draw_randperm(self) -> str:
        return f"t.randperm({self.pick(*SIZES, 5000)}{self.generator()})"

    def draw_uniform_(self) -> str:
        low = self.number()
        high = low + self.pick(0.0, 1e-6, 0.1, 1.0, abs(self.number()))
        dtypes = (*FLOATS, "complex64")
        return f"{self.place(dtypes)}.uniform_({low}, {high}{self.generator()})"

    def draw_normal_(self) -> str:
        mean, std = self.pick((0, 1), (0.0, 0.02), (self.number(), abs(self.number())))
        return f"{self.place((*FLOATS, 'complex64', 'complex128'))}.normal_({mean}, {std}{self.generator()})"

    def draw_random_(self) -> str:
        bounds = self.pick("", "2", "0, 2", "1, 2")
        given = ", ".join(each for each in (bounds, self.generator()[2:]) if each)
        return f"{self.place((*FLOATS, *ALL[6:]))}.random_({given})"

    def draw_bernoulli_(self) -> str:
        return f"{self.place((*FLOATS, *ALL[6:]))}.bernoulli_({self.pick(0, 1, 0.5, 0.1, 0.875)}{self.generator()})"

    def draw_bernoulli(self) -> str:
        dtype = self.pick(*FLOATS)
        return f"t.bernoulli(t.rand({self.shape()}, dtype=t.{dtype}).{self.pick('clone', 'abs')}())"

    def draw_exponential_(self) -> str:
        return f"{self.place(FLOATS)}.exponential_({self.pick(1, 0.3, 2.5)}{self.generator()})"

    def draw_of_the_inverse(self) -> str:
        name = self.pick("cauchy_(1, 2.5", "log_normal_(0.3, 0.5", "geometric_(0.2", "geometric_(0.9")
        return f"{self.place(('float32', 'float64'))}.{name}{self.generator()})"

    def draw_multinomial(self) -> str:
        count = self.pick(2, 5, 40)
        rows = self.pick("", "3, ", "17, ")
        replacement = self.pick(True, False)
        samples = self.random.randint(1, 60 if replacement else count)
        dtype = self.pick("float32", "float64")
        return f"t.multinomial(t.rand({rows}{count}, dtype=t.{dtype}) + 0.01, {samples}, {replacement})"

    def draw_poisson(self) -> str:
        return f"t.poisson(t.rand({self.pick(*SIZES)}) * {self.pick(1, 9, 30, 1000)})"

    def draw_normal_of_tensors(self) -> str:
        size = self.pick(3, 16, 40)
        given = self.pick(f"t.ones({size}), 2.0", f"1.5, t.ones({size})", f"t.zeros({size}, 1), t.ones(3)")
        return str(self.pick(f"t.normal({given})", f"t.normal(0.5, 2.0, ({size},))"))

    def draw_like(self) -> str:
        name = self.pick("rand_like", "randn_like", "bernoulli")
        return f"t.{name}({self.place(('float32', 'float64'))})"

    def draw_dropout(self) -> str:
        name = self.pick("dropout", "dropout", "alpha_dropout", "feature_dropout")
        if name == "feature_dropout":
            return "t.nn.functional.dropout2d(t.ones(4, 5, 2, 3), 0.5)"
        return f"t.nn.functional.{name}({self.place(FLOATS)} + 1, {self.pick(0.0, 0.1, 0.5, 1.0)}, True)"

    def draw_activation(self) -> str:
        return str(
            self.pick(
                "t.nn.functional.rrelu(t.randn(4, 5), 0.1, 0.4, True)",
                "t.nn.functional.gumbel_softmax(t.randn(4, 5), 0.7)",
                "t.nn.functional.fractional_max_pool2d(t.rand(2, 3, 9, 9), 2, output_size=4)",
            )
        )

    def draw_init(self) -> str:
        name = self.pick(
            "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "trunc_normal_", "orthogonal_"
        )  # fmt: skip
        return f"t.nn.init.{name}(t.empty({self.pick(2, 5, 20)}, {self.pick(3, 5, 16)}))"

    def draw_seed(self) -> str:
        seed = self.pick(0, 1, 42, -1, 2**32 + 5, 2**63, 2**64 - 1, self.random.getrandbits(40))
        return str(self.pick(f"t.manual_seed({seed}).initial_seed()", f"g.manual_seed({seed}).initial_seed()"))

    def draw_state(self) -> str:
        return str(
            self.pick(
                "t.set_rng_state(g.get_state())", "g.set_state(t.get_rng_state()).get_state()", "t.get_rng_state()",
                "t.Generator().get_state()", "g.clone_state().get_state()",
            )
        )  # fmt: skip
