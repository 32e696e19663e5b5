"""Make pictures small: ``python scripts/shrink.py FOLDER`` gives each PNG the 256 colours that suit it best.

Most of them are the picture's own, the most frequent ones: a colour that means something must not become its neighbour
because little is painted in it. The others serve the smooth rest.
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

OWN = 160


def palette(picture: Image.Image) -> Image.Image:
    """The colours for a picture, as `Image.quantize` wants them."""
    counts = picture.getcolors(picture.width * picture.height) or []
    own = [colour for _, colour in sorted(counts, reverse=True)[:OWN]]
    rest = picture.quantize(256 - len(own), Image.Quantize.MEDIANCUT).getpalette() or []
    holder = Image.new("P", (1, 1))
    holder.putpalette(([channel for colour in own for channel in colour] + rest)[: 3 * 256])
    return holder


def shrink(file: Path) -> int:
    """Write `file` anew with a palette; its size in bytes. One that has a palette already is left as it is."""
    with Image.open(file) as picture:
        if picture.mode != "P":
            full = picture.convert("RGB")
            full.quantize(palette=palette(full), dither=Image.Dither.NONE).save(file, optimize=True)
    return file.stat().st_size


def main(folder: Path) -> None:
    """All pictures of a folder, and what they come to."""
    sizes = [shrink(file) for file in sorted(folder.glob("*.png"))]
    print(f"{len(sizes)} pictures in {folder}, {sum(sizes) / 2**20:.1f} MiB together")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
