"""Make pictures small: ``python scripts/shrink.py FOLDER`` gives each PNG the 256 colours that suit it best.

The theme's colours and the picture's most frequent ones are kept as they are. The others are chosen one by one, each
time the colour that is served worst: so none moves farther than the eye follows, however little is painted in it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

THEME = Path(__file__).parents[1] / "src" / "theme" / "colour.ts"
KEPT = 128
Colours = NDArray[np.int32]
"""Of shape (count, 3)."""


def theme_colours() -> Colours:
    """Every colour that the theme names."""
    names = dict.fromkeys(re.findall(r"#([0-9a-fA-F]{6})\b", THEME.read_text()))
    return np.array([list(bytes.fromhex(name)) for name in names], np.int32)


def palette(colours: Colours, counts: NDArray[np.int64]) -> Colours:
    """The 256 colours of a picture that has `colours`, each so many times."""
    own = theme_colours()
    own = own[(own[:, None] == colours[None]).all(-1).any(1)]
    frequent = colours[np.argsort(-counts)][: KEPT - len(own)]
    kept = np.unique(np.concatenate([own, frequent]), axis=0)
    apart = ((colours - kept[nearest(colours, kept)]) ** 2).sum(-1)
    while len(kept) < 256 and apart.any():
        worst = colours[apart.argmax()]
        kept = np.concatenate([kept, worst[None]])
        apart = np.minimum(apart, ((colours - worst) ** 2).sum(-1))
    return kept


def nearest(colours: Colours, kept: Colours) -> NDArray[np.uint8]:
    """For each of `colours` the place of the one in `kept` that is nearest."""
    parts = np.array_split(colours, max(1, len(colours) // 1024))
    return np.concatenate([((part[:, None] - kept) ** 2).sum(-1).argmin(1) for part in parts]).astype(np.uint8)


def shrink(file: Path) -> int:
    """Write `file` anew with a palette; its size in bytes. One that has a palette already is left as it is."""
    with Image.open(file) as opened:
        picture = None if opened.mode == "P" else opened.convert("RGB")
    if picture:
        pixels = np.asarray(picture, np.int32)
        codes, places, counts = np.unique(pixels @ [65536, 256, 1], return_inverse=True, return_counts=True)
        colours = np.stack([codes >> 16, codes >> 8 & 255, codes & 255], 1).astype(np.int32)
        kept = palette(colours, counts)
        small = Image.fromarray(nearest(colours, kept)[places.reshape(pixels.shape[:2])], "P")
        small.putpalette(kept.astype(np.uint8).tobytes())
        small.save(file, optimize=True)
    return file.stat().st_size


def main(folder: Path) -> None:
    """All pictures of a folder, and what they come to."""
    sizes = [shrink(file) for file in sorted(folder.glob("*.png"))]
    print(f"{len(sizes)} pictures in {folder}, {sum(sizes) / 2**20:.1f} MiB together")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
