"""Draws docs/figures/parts.svg, the picture of the home page, from the built-in digits:
python docs/home_picture.py"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from partwise import NMF
from partwise.datasets import load_digits

SIZE, GAP = 44, 8


def picture(values: np.ndarray, x: float, y: float, ink: str, top: float) -> list[str]:
    """An image of 8 × 8 pixels as squares, the darker the larger the value."""
    pixel = SIZE / 8
    squares = [f'<rect x="{x:.1f}" y="{y:.1f}" width="{SIZE}" height="{SIZE}" rx="3" fill="#fff" stroke="#c9d3d0"/>']
    for at, value in enumerate(values.ravel()):
        shade = min(value / top, 1)
        if shade > 0.04:
            place = f'x="{x + at % 8 * pixel:.1f}" y="{y + at // 8 * pixel:.1f}"'
            squares.append(f'<rect {place} width="{pixel + 0.2:.1f}" height="{pixel + 0.2:.1f}" fill="{ink}" fill-opacity="{shade:.2f}"/>')
    return squares


def word(text: str, x: float, y: float, size: int = 13, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}">{text}</text>'


def draw() -> str:
    images, digits = load_digits(return_X_y=True)
    model = NMF(16, random_state=0).fit(images)
    parts, codes = model.components_, model.codes_
    scale = np.quantile(parts, 0.995, axis=1)
    rows, made = [2, 3, 4, 8], []
    made.append(word("an image", SIZE / 2 + 12, 16))
    made.append(word("its parts, each times its code", 250, 16))
    made.append(word("their sum", 462, 16))
    for line, digit in enumerate(rows):
        # The image of the digit that its five largest parts describe best.
        own = np.flatnonzero(digits == digit)
        largest = np.argsort(-codes[own] * parts.sum(axis=1), axis=1)[:, :5]
        sums = np.einsum("ij,ijf->if", np.take_along_axis(codes[own], largest, axis=1), parts[largest])
        best = np.argmin(np.linalg.norm(images[own] - sums, axis=1))
        y = 28 + line * (SIZE + 22)
        made += picture(images[own[best]], 12, y, "#111", 16)
        made.append(word("≈", 70, y + SIZE / 2 + 5, 18))
        for at, part in enumerate(largest[best]):
            x = 86 + at * (SIZE + GAP + 16)
            made += picture(parts[part], x, y, "#0b7a66", scale[part])
            made.append(word(f"× {codes[own[best], part] * scale[part] / 16:.1f}", x + SIZE / 2, y + SIZE + 14, 11))
            if at < 4:
                made.append(word("+", x + SIZE + (GAP + 16) / 2, y + SIZE / 2 + 5, 15))
        made.append(word("=", 424, y + SIZE / 2 + 5, 18))
        made += picture(sums[best], 440, y, "#111", 16)
    width, height = 496, 28 + len(rows) * (SIZE + 22)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" fill="#26332f">'
    return "\n".join([head, f'<rect width="{width}" height="{height}" rx="6" fill="#fff"/>', *made, "</svg>", ""])


if __name__ == "__main__":
    path = Path(__file__).parent / "figures" / "parts.svg"
    path.write_text(draw())
    print(path)
