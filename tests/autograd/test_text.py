"""Text through the same engine: messages flow back and gather."""

from __future__ import annotations

import threading

import pytest

from minigrad import text
from minigrad.text import Variable


def test_concatenation_follows_requires_grad() -> None:
    a, b = Variable("abc", role="variable", requires_grad=True), Variable("def")
    assert (a + a).data == "abcabc" and (a + b).requires_grad and not (b + b).requires_grad
    assert (b + "!").data == "def!" and ("> " + b).data == "> def"


def test_feedback_reaches_the_leaf_once_for_each_way() -> None:
    x = Variable("go ", requires_grad=True, role="prompt")
    (x + x).backward(Variable("say where"))
    assert len(x.grad) == 2
    assert all("say where" in each.data and "prompt" in each.data for each in x.grad)


def test_a_second_backward_gathers_more_and_needs_the_graph() -> None:
    x = Variable("go", requires_grad=True)
    y = x + "!"
    y.backward("one", retain_graph=True)
    y.backward("two")
    assert [("one" in each.data, "two" in each.data) for each in x.grad] == [(True, False), (False, True)]
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.backward("three")


def test_feedback_of_several_roots_and_of_later_uses_is_joined_before_it_goes_on() -> None:
    x = Variable("a", requires_grad=True)
    middle = x + "b"
    text.backward([middle + "c", middle + "d"], ["first", "second"])
    assert len(x.grad) == 1 and "first" in x.grad[0].data and "second" in x.grad[0].data


def test_inputs_choose_the_leaves() -> None:
    x, y = Variable("x", requires_grad=True), Variable("y", requires_grad=True)
    z = x + y
    text.backward(z, "ok", inputs=[y])
    assert x.grad == [] and len(y.grad) == 1
    with pytest.raises(RuntimeError, match="leaf"):
        text.backward(x + y, "ok", inputs=[x + y])
    with pytest.raises(RuntimeError, match="cannot be empty"):
        text.backward(x + y, "ok", inputs=[])


def test_what_needs_no_feedback_cannot_start_it() -> None:
    with pytest.raises(RuntimeError, match="does not require grad"):
        Variable("x").backward("why")
    with pytest.raises(TypeError, match="holds a str"):
        Variable(3)


def test_modes_are_those_of_tensors() -> None:
    x = Variable("x", requires_grad=True)
    with text.no_grad():
        assert not (x + x).requires_grad
        assert text.Parameter("p").requires_grad

    @text.no_grad
    def bare() -> bool:
        return (x + x).requires_grad

    @text.no_grad()
    def called() -> bool:
        return (x + x).requires_grad

    seen: list[bool] = []
    with text.no_grad():
        thread = threading.Thread(target=lambda: seen.append((x + x).requires_grad))
        thread.start()
        thread.join()
    assert (bare(), called(), seen) == (False, False, [True])  # type: ignore[call-arg]


def test_the_rule_for_feedback_is_the_users() -> None:
    x = Variable("draft", role="draft", requires_grad=True)
    before = text.set_feedback(lambda variable, result, feedback: f"{variable.role}: {feedback.data.upper()}")
    try:
        (x + ".").backward("shorter")
    finally:
        text.set_feedback(before)
    assert [each.data for each in x.grad] == ["draft: SHORTER"]


def test_a_user_can_write_an_op_on_text() -> None:
    class Shout(text.TextNode):
        @classmethod
        def forward(cls, *texts: str) -> str:
            return texts[0].upper()

    x = Variable("hello", requires_grad=True)
    y = Shout.apply(x)
    assert y.data == "HELLO" and y.grad_fn is not None and y.grad_fn.name() == "ShoutBackward"
    y.backward("too loud")
    assert "too loud" in x.grad[0].data


def test_node_hooks_see_feedback() -> None:
    x, seen = Variable("x", requires_grad=True), []
    y = x + "!"
    assert y.grad_fn is not None
    y.grad_fn.register_prehook(lambda grads: seen.append(grads[0][0].data))
    y.backward("hm")
    assert seen == ["hm"]
