"""Find the phrases that a lesson's checks use in their messages, so that they can be translated.

A check describes a call in the docstring of the function that it passes to `expect`, with the arguments in braces. An
expectation of its own, a subclass of `Wanted`, has texts for what is wrong and for what is expected.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Iterator, Mapping

BLANK = re.compile(r"\{(\w+)\}")
"""A blank in a phrase, which is filled when the phrase is used."""

SPEAKING = ("wrong", "__repr__")
"""The methods of an expectation whose texts a learner reads."""


@functools.lru_cache(512)
def phrases(check: str) -> tuple[str, ...]:
    """The phrases of a check, in order; none if its code is not valid Python.

    >>> phrases('def yours(x):\\n    "`double(x)` of {x}"\\n    return double(x)\\n\\nexpect(yours, 3, gives=6)')
    ('`double(x)` of {x}',)
    """
    try:
        return tuple(dict.fromkeys(_phrases(ast.parse(check))))
    except SyntaxError:
        return ()


def _phrases(tree: ast.Module) -> Iterator[str]:
    handed = set(_handed_over(tree))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in handed:
            words = inspect.cleandoc(ast.get_docstring(node) or "").split("\n\n")[0]
            yield from filter(None, [" ".join(words.split())])
        elif isinstance(node, ast.ClassDef):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name in SPEAKING]
            yield from (text for each in methods for text in _returned(each))


def _handed_over(tree: ast.Module) -> Iterator[str]:
    """The names that are used without being called: such a function is passed on, and described by its docstring."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            yield node.id


def _returned(method: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(method):
        if isinstance(node, ast.Return) and node.value is not None:
            yield from _texts(node.value)


def _texts(node: ast.AST) -> Iterator[str]:
    """The texts in an expression. An f-string becomes a phrase with blanks."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(_piece(each) for each in node.values)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _texts(child)


def _piece(node: ast.expr) -> str:
    if isinstance(node, ast.FormattedValue):
        return f"{{{re.findall(r'[A-Za-z_]+', ast.unparse(node.value))[0]}}}"
    return str(node.value) if isinstance(node, ast.Constant) else ""


def translation_of(text: str, known: Mapping[str, str]) -> str:
    """Translate a text by the translation of its phrase. A text of no known phrase is returned unchanged.

    >>> translation_of("the slope at x = 2.0", {"the slope at x = {at}": "die Steigung bei x = {at}"})
    'die Steigung bei x = 2.0'
    """
    if text in known:
        return known[text]
    for phrase, translation in known.items():
        found = _pattern(phrase).fullmatch(text) if BLANK.search(phrase) else None
        if found:
            return _filled(translation, found.groupdict())
    return text


def _filled(phrase: str, values: Mapping[str, str]) -> str:
    """A phrase with values in its blanks; a blank without a value stays."""
    return BLANK.sub(lambda blank: values.get(blank[1], blank[0]), phrase)


def _pattern(phrase: str) -> re.Pattern[str]:
    pieces, seen = [], set[str]()
    for at, piece in enumerate(BLANK.split(phrase)):
        if at % 2 == 0:
            pieces.append(re.escape(piece))
        else:
            pieces.append(f"(?P={piece})" if piece in seen else f"(?P<{piece}>.*?)")
            seen.add(piece)
    return re.compile("".join(pieces), re.DOTALL)
