r"""Convert the LaTeX formulas of the ops to Unicode text for a terminal.

It is not a typesetter: it converts the commands that these formulas use, and leaves others readable.

>>> plain(r"\bar Y B^{\top}")
'Ȳ Bᵀ'
>>> plain(r"\frac{\bar y}{2 \sqrt{x}}")
'ȳ/(2 √x)'
"""

from __future__ import annotations

import re
import unicodedata

TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}^_&~]|\s+|[^\\{}^_&~\s]")

ACCENTS = {"bar": "\u0304", "overline": "\u0304", "dot": "\u0307", "hat": "\u0302", "tilde": "\u0303", "vec": "\u20d7"}


def _words(text: str) -> list[str]:
    return text.split()


BARE = _words("mathrm mathrel mathop mathbf mathcal mathbb mathit mathsf operatorname text textrm boldsymbol")
"""Commands that are dropped, leaving their argument unchanged."""

DROPPED = _words("left right big Big bigl bigr Bigl Bigr limits nolimits displaystyle textstyle scriptstyle !")

SPACES = [",", ";", ":", " ", "quad", "qquad"]

SYMBOLS = dict(
    pair.split("=", 1)
    for pair in _words(r"""
    alpha=α beta=β gamma=γ delta=δ epsilon=ε varepsilon=ε zeta=ζ eta=η theta=θ lambda=λ mu=μ nu=ν pi=π rho=ρ sigma=σ
    tau=τ phi=φ varphi=φ psi=ψ omega=ω Delta=Δ Gamma=Γ Lambda=Λ Sigma=Σ Phi=Φ Psi=Ψ Omega=Ω
    sum=Σ prod=Π int=∫ partial=∂ nabla=∇ infty=∞ top=ᵀ dagger=† prime=′ ell=ℓ bmod=mod
    odot=⊙ oslash=⊘ cdot=· times=× otimes=⊗ oplus=⊕ pm=± ast=∗ star=⋆ circ=∘ setminus=\ backslash=\
    le=≤ leq=≤ ge=≥ geq=≥ ne=≠ neq=≠ approx=≈ equiv=≡ ll=≪ gg=≫ in=∈ notin=∉ mid=| colon=:
    to=→ mapsto=↦ leftarrow=← rightarrow=→ Rightarrow=⇒ land=∧ wedge=∧ bigwedge=⋀ lor=∨ vee=∨ bigvee=⋁ lnot=¬ neg=¬
    cup=∪ cap=∩ forall=∀ exists=∃ ldots=… dots=… cdots=⋯ lfloor=⌊ rfloor=⌋ lceil=⌈ rceil=⌉ langle=⟨ rangle=⟩
    lVert=‖ rVert=‖ Vert=‖ |=‖ lvert=| rvert=| vert=| {={ }=} %=% _=_ #=# &=&
    """)
) | {"\\": "; "}

RAISED = str.maketrans(
    "0123456789+-=()abcdefghijklmnoprstuvwxyzT⊤ᵀ∗†′", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀᵀᵀ*†′"
)
LOWERED = str.maketrans("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")


def plain(latex: str) -> str:
    """The formula as one line of Unicode."""
    text = _Reader(TOKEN.findall(latex)).until_end()
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"(?<=[(\[]) | (?=[)\],;])", "", text)
    return unicodedata.normalize("NFC", text.strip(" ;"))


class _Reader:
    """Reads tokens from left to right; `_argument` reads the argument of the command before it."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.position = 0

    def until_end(self, end: str = "") -> str:
        parts = []
        while self.position < len(self.tokens):
            token = self._next()
            if token == end:
                break
            parts.append(self._spoken(token))
        return "".join(parts)

    def _next(self) -> str:
        token = self.tokens[self.position]
        self.position += 1
        return token

    def _argument(self) -> str:
        """The braced group, or the one token, that follows."""
        while self.position < len(self.tokens) and self.tokens[self.position].isspace():
            self.position += 1
        return self._spoken(self._next()).strip() if self.position < len(self.tokens) else ""

    def _spoken(self, token: str) -> str:
        if token == "{":
            return self.until_end("}")
        if token in "^_":
            return _script(token, self._argument())
        if token == "&":
            return ", "
        if token[0] != "\\":
            return "-" if token == "−" else (" " if token == "~" else token)
        return self._command(token[1:].rstrip("*"))

    def _command(self, name: str) -> str:
        if name in ACCENTS:
            return _accented(self._argument(), ACCENTS[name])
        if name.endswith("frac"):
            top, bottom = self._argument(), _grouped(self._argument())
            return f"{top}/{bottom}" if _grouped(top) == top else f"{_grouped(top, top=True)} / {bottom}"
        if name == "sqrt":
            return "√" + _grouped(self._argument())
        if name in BARE:
            return self._argument()
        if name in ("begin", "end"):
            return {"cases": "{ " if name == "begin" else " }"}.get(self._argument(), "")
        if name in DROPPED:
            return ""
        if name in SPACES:
            return " "
        return SYMBOLS.get(name, name)


def _grouped(text: str, top: bool = False) -> str:
    """The text, in parentheses if it would otherwise merge with its neighbours."""
    inside = re.sub(r"\([^()]*\)", "", text)
    loose = re.search(r"[+\-−/]|\s" if not top else r"\s[+\-−/]\s", inside)
    return f"({text})" if loose else text


def _accented(text: str, accent: str) -> str:
    return text + accent if len(text) == 1 else f"({text}){accent}"


def _script(mark: str, text: str) -> str:
    """The text in small Unicode letters if they all exist, else with the mark `^` or `_` before it."""
    if not text or text.startswith("["):
        return text
    table = RAISED if mark == "^" else LOWERED
    small = text.replace(" ", "").replace("−", "-")
    if all(ord(letter) in table for letter in small):
        return small.translate(table)
    bare = len(text) == 1 or (mark == "_" and text.isalnum())
    return mark + (text if bare else f"({text})")
