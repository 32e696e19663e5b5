"""Signatures of functions as text: names, defaults, and types from the source and `annotations`."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from typing import Any

from . import annotations as table

BUILTINS = re.compile(r"(?<![\w.\"'])(bool|bytes|complex|dict|float|int|list|object|range|str|tuple|type)\b(?!\s*[:(])")
OTHER_NAMES = {"dtypes.dtype": "DType", "Backend": "Any"}
INDENT = "    "
OUT = "out: Tensor | tuple[Tensor, ...] | None = None"
METHOD = object()
"""Marks the first parameter of a method."""


def function(name: str, live: Any, module: str = "", method: bool = False, indent: str = "") -> str:
    """The stub of a function or method, with its docstring; several signatures if it has overloads."""
    heads = signatures(name, live, module, method)
    doc = docstring(live, indent + INDENT)
    lines = []
    for head in heads:
        ignore = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
        decorator = f"{indent}@overload\n" if len(heads) > 1 else ""
        body = f"\n{doc}" if doc and head is heads[0] else " ..."
        lines.append(f"{decorator}{indent}def {name}{with_builtins(head)}:{ignore}{body}\n")
    return "".join(lines)


def signatures(name: str, live: Any, module: str, method: bool) -> list[str]:
    """Its signatures, as ``(parameters) -> type``."""
    if method and name in table.OWN_SIGNATURES:
        return [table.OWN_SIGNATURES[name]]
    plain = written(name, live, module, method)
    if name in table.OVERLOADS:
        first = "self" if method else f"{next(iter(inspect.signature(live).parameters))}: Tensor"
        out = "" if method else ", *, out: Any = ..." if takes_out(live) else ""
        found = []
        for each in table.OVERLOADS[name]:
            filled = each.replace("{out}", out).replace("{name}", name)
            found.append(f"({first}{'' if filled.startswith('()') else ', '}{filled[1:]}")
        return found
    if name.startswith(table.WITH_INDICES) and "return_indices: bool = False" in plain:
        pair, one = "return_indices: Literal[True]", "return_indices: Literal[False] = ..."
        kept = plain.rpartition(" -> ")[0]
        before, _, after = kept.partition("return_indices: bool = False")
        return [
            f"{before}{one}{after} -> Tensor",
            f"{before}*, {pair}{after} -> tuple[Tensor, Tensor]",
            f"{before}return_indices: bool = ...{after} -> Any",
        ]
    return [plain]


def written(name: str, live: Any, module: str, method: bool) -> str:
    """The signature of one live function."""
    source = followed(name, live)
    live_signature = inspect.signature(source)
    parameters = list(live_signature.parameters.values())
    if method:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter("self", kind, annotation=METHOD), *parameters[1:]]
    texts: list[str] = []
    starred = False
    wants_out = takes_out(live) and not method and "out" not in live_signature.parameters
    for parameter in parameters:
        if wants_out and parameter.kind is parameter.VAR_KEYWORD:
            texts, wants_out = [*texts, OUT], False
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            texts.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        texts.append(parameter_text(name, parameter))
    if wants_out:
        texts += [OUT] if starred else ["*", OUT]
    returns = type_text(live_signature.return_annotation)
    if returns.startswith("Iterator") and getattr(live, "__globals__", {}).get("__name__") == "contextlib":
        returns = returns.replace("Iterator", "AbstractContextManager")
    if returns == "Any" or live is not source:
        returns = table.RETURNS.get(f"{module}.{name}", table.RETURNS.get(name, returns))
    return f"({', '.join(texts)}) -> {returns}"


def followed(name: str, live: Any) -> Any:
    """The function whose signature `live` has: an in-place method made from a function has that of the function."""
    from minigrad.core.tensor import Tensor

    kinds = [each.kind for each in inspect.signature(live).parameters.values()]
    if inspect.Parameter.VAR_POSITIONAL in kinds and inspect.Parameter.VAR_KEYWORD in kinds:
        plain = re.sub(r"^unsafe_|_copy$|(?<!_)_$", "", name)
        return getattr(Tensor, plain, live)
    return live


def parameter_text(function_name: str, parameter: inspect.Parameter) -> str:
    stars = str(parameter).partition(parameter.name)[0]
    if parameter.annotation is METHOD:
        return "self"
    if parameter.name == "self":
        return "input: Tensor"
    known = type_text(parameter.annotation)
    if known == "Any":
        known = table.OF_ONE_FUNCTION.get(
            f"{function_name}.{parameter.name}", table.PARAMETERS.get(stars + parameter.name, "Any")
        )
    if parameter.default is None and known != "Any" and "None" not in known:
        known += " | None"
    default = "" if parameter.default is parameter.empty else f" = {default_text(parameter.default)}"
    return f"{stars}{parameter.name}: {known}{default}"


def default_text(value: Any) -> str:
    """A default as a literal, or ``...`` if it is not one."""
    plain = value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))
    return repr(value) if plain else "..."


def type_text(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return "Any"
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", repr(annotation))
    for name, other in OTHER_NAMES.items():
        text = text.replace(name, other)
    return text


def takes_out(live: Any) -> bool:
    """Whether a wrapper of `live` has an argument ``out``; `inspect` sees only what it wraps."""
    todo: list[Callable[..., Any]] = [live]
    seen: set[int] = set()
    while todo:
        each = todo.pop()
        code = getattr(each, "__code__", None)
        if code is None or id(each) in seen:
            continue
        seen.add(id(each))
        if "out" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
            return True
        if hasattr(each, "__wrapped__"):
            cells = [cell.cell_contents for cell in each.__closure__ or ()]
            todo += [content for content in cells if callable(content)]
    return False


def with_builtins(head: str) -> str:
    """`head` with Python's types by their full names, because a stub of minigrad has functions with the same names."""
    return BUILTINS.sub(r"builtins.\1", head)


def docstring(live: Any, indent: str) -> str:
    text = inspect.getdoc(live)
    if not text:
        return ""
    text = text.replace("\\", "\\\\").replace('"""', r"\"\"\"")
    lines = [line.rstrip() for line in text.splitlines()]
    lines = [indent + line if line else "" for line in lines]
    joined = "\n".join(lines).strip()
    closing = '"""' if len(lines) == 1 else f'\n{indent}"""'
    return f'{indent}"""{joined}{closing}'
