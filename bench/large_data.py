"""Writes a large synthetic `.pwx` file of counts, for `partwise fit --memory`.

    python bench/large_data.py OUT.pwx --rows 1000000 --columns 30000 --per-row 1000

Each row is a mixture of two of twelve topics. A topic prefers a twelfth of the columns; half of a row's
entries lie in those of its topics, the rest anywhere. The rows are made block by block, so the memory is that
of one block. The layout is that of docs/pwx.md, written with NumPy alone.
"""

import argparse
import struct
import zlib

import numpy as np

TOPICS = 12
BLOCK_VALUES = 1 << 22


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 64)


def block(rng, rows, columns, per_row, index):
    """Row starts, column numbers and values of some rows, as bytes."""
    # Columns ascend by gaps of at least 1; the mean gap within a row covers all columns.
    gaps = rng.integers(1, 2 * columns // per_row - 1, size=(rows, per_row), dtype=np.int64)
    topic = rng.integers(0, TOPICS, size=(rows, 1))
    place = np.arange(per_row)[None, :] * TOPICS // per_row
    # In the window of the row's topic columns are denser: the gaps there are a third.
    gaps = np.where((place == topic) | (place == (topic + 5) % TOPICS), gaps // 3 + 1, gaps)
    found = np.cumsum(gaps, axis=1)
    found = found * (columns - 1) // np.maximum(found[:, -1:], columns - 1)
    keep = np.ones_like(found, dtype=bool)
    keep[:, 1:] = found[:, 1:] > found[:, :-1]
    lengths = keep.sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype("<u8")
    found = found[keep].astype(index)
    inside = np.repeat(topic[:, 0], lengths) == found.astype(np.int64) * TOPICS // columns
    values = (1 + rng.poisson(np.where(inside, 3.0, 0.4))).astype("<u2")
    data = padded(starts.tobytes()) + padded(found.tobytes()) + padded(values.tobytes())
    return data, int(starts[-1])


def write(path, rows, columns, per_row, seed):
    index = "<u2" if columns <= 1 << 16 else "<u4"
    rng = np.random.default_rng(seed)
    step = max(1, BLOCK_VALUES // per_row)
    lines, stored, offset = [], 0, 128
    with open(path, "wb") as out:
        out.write(bytes(128))
        for first in range(0, rows, step):
            data, count = block(rng, min(step, rows - first), columns, per_row, index)
            out.write(data)
            lines.append(struct.pack("<QQQII", first, offset, len(data), count, zlib.crc32(data)))
            offset += len(data)
            stored += count
        names = padded(struct.pack("<QQ", 0, 0))
        out.write(names)
        table = offset + len(names)
        end = b"".join(lines) + struct.pack("<I", zlib.crc32(names))
        out.write(end + struct.pack("<I", zlib.crc32(end)))
        header = b"\x89PWX\r\n\x1a\n" + struct.pack("<HBBBB2x", 1, 1, 1, int(index[-1]), 4)
        sizes = (rows, columns, stored, len(lines), table, offset, table + len(end) + 4, 0, 0)
        header = (header + struct.pack("<9Q", *sizes)).ljust(124, b"\0")
        out.seek(0)
        out.write(header + struct.pack("<I", zlib.crc32(header)))
    return stored


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--columns", type=int, default=30_000)
    parser.add_argument("--per-row", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    count = write(asked.out, asked.rows, asked.columns, asked.per_row, asked.seed)
    print(f"{asked.out}: {asked.rows} x {asked.columns}, {count} stored values")
