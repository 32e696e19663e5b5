"""Rebuild ``digits.csv.gz`` from scikit-learn's copy, byte for byte.

python -m minigrad.utils.data.rebuild_digits
"""

from __future__ import annotations

import gzip
import io

from .digits import FILE


def rebuilt() -> bytes:
    """Return the content of the file."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    lines = [
        ",".join(str(int(number)) for number in (*pixels, label))
        for pixels, label in zip(bunch.data.tolist(), bunch.target.tolist(), strict=True)
    ]
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(("\n".join(lines) + "\n").encode("ascii"))
    return packed.getvalue()


if __name__ == "__main__":
    FILE.write_bytes(rebuilt())
    print(f"{FILE}: {FILE.stat().st_size:,} bytes")
