#!/usr/bin/env python3
"""Report what is in a CSV file, reading it once and row by row.

usage: profile_csv.py FILE [--delimiter CHAR] [--encoding NAME]

Needs only the standard library. Exits 1 when the file cannot be read as text
or has no header, and 2 on a usage error.
"""

import argparse
import csv
import re
import sys
from collections import Counter

MISSING = {"", "na", "n/a", "nan", "null", "none", "-"}
KINDS = (
    ("integer", re.compile(r"[+-]?(0|[1-9]\d*)")),
    ("number", re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?")),
    ("date", re.compile(r"\d{4}-\d{2}-\d{2}")),
    ("time stamp", re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*")),
)
MAX_DISTINCT = 10_000  # values counted per column; beyond that it says so


def kind_of(value):
    if len(value) > 1 and value.isdigit() and value[0] == "0":
        return "text with leading zeros"
    return next((name for name, form in KINDS if form.fullmatch(value)), "text")


def encoding_of(path):
    """Return the first encoding that reads the whole file, or None."""
    with open(path, "rb") as f:
        if f.read(2) in (b"\xff\xfe", b"\xfe\xff"):
            return "utf-16"
    for name in ("utf-8-sig", "cp1252"):
        try:
            with open(path, encoding=name, newline="") as f:
                while f.read(1 << 20):
                    pass
            return name
        except UnicodeDecodeError:
            continue
    return None


def delimiter_of(header):
    """Return the candidate that divides the header line most often."""
    bare = re.sub(r'"[^"]*"', "", header)
    return max(",;\t|", key=bare.count)


class Column:
    def __init__(self):
        self.missing = 0
        self.kinds = Counter()
        self.values = Counter()
        self.full = False
        self.low = self.high = None

    def add(self, value):
        value = value.strip()
        if value.lower() in MISSING:
            self.missing += 1
            return
        kind = kind_of(value)
        self.kinds[kind] += 1
        if value in self.values or len(self.values) < MAX_DISTINCT:
            self.values[value] += 1
        else:
            self.full = True
        key = float(value) if kind in ("integer", "number") else value
        if self.low is None or type(key) is type(self.low[0]):
            self.low = min(self.low or (key, value), (key, value))
            self.high = max(self.high or (key, value), (key, value))

    def describe(self):
        if not self.kinds:
            return f"missing {self.missing}, nothing else"
        kinds = ", ".join(f"{k} {n}" for k, n in self.kinds.most_common(3))
        value, n = self.values.most_common(1)[0]
        distinct = f"{'over ' if self.full else ''}{len(self.values)}"
        text = f"{kinds}; missing {self.missing}; distinct {distinct}"
        if len(self.kinds) == 1:
            text += f"; from {self.low[1][:40]!r} to {self.high[1][:40]!r}"
        return text + (f"; most often {value[:40]!r} ({n})" if n > 1 else "")


def main():
    parser = argparse.ArgumentParser(description="Report what is in a CSV file.")
    parser.add_argument("file")
    parser.add_argument("--delimiter", help="one character; found from the header if not given")
    parser.add_argument("--encoding", help="found by trying if not given")
    args = parser.parse_args()
    if args.delimiter is not None and len(args.delimiter) != 1:
        parser.error("--delimiter must be one character")
    csv.field_size_limit(1 << 30)

    encoding = args.encoding or encoding_of(args.file)
    if encoding is None:
        sys.exit(f"{args.file}: neither UTF-8, UTF-16 nor cp1252; give --encoding")
    with open(args.file, encoding=encoding, newline="") as f:
        delimiter = args.delimiter or delimiter_of(f.readline())
        f.seek(0)
        rows = csv.reader(f, delimiter=delimiter)
        header = next(rows, None)
        if not header:
            sys.exit(f"{args.file}: no header line")
        columns = [Column() for _ in header]
        count, odd = 0, []
        for row in rows:
            if not row:
                continue
            count += 1
            if len(row) != len(header):
                odd.append(rows.line_num)
            for column, value in zip(columns, row):
                column.add(value)

    print(f"{args.file}: {encoding}, delimiter {delimiter!r}, {len(header)} columns, {count} rows")
    if odd:
        print(f"rows of a wrong length: {len(odd)}, at line {', '.join(map(str, odd[:10]))}")
    for name, n in Counter(header).items():
        if n > 1:
            print(f"column name {name!r} occurs {n} times")
    for name, column in zip(header, columns):
        print(f"  {name!r}: {column.describe()}")


if __name__ == "__main__":
    try:
        main()
    except (OSError, UnicodeError, LookupError, csv.Error) as e:
        sys.exit(f"profile_csv.py: {e}")
