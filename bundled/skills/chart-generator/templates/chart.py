"""Draw a line, bar, scatter or hist chart of a CSV file.

usage: chart.py FILE --kind KIND --x COLUMN [--y COLUMN] [--by COLUMN]
                [--title TEXT] [--ylabel TEXT] [--out chart.png]

The ending of --out chooses the format: png, svg or pdf. Points with the same x
and group are summed in line and bar charts.
"""

import argparse
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns


def dates_if_any(values):
    """Return values as dates if all of them are ISO dates, else as they are."""
    text = values.dropna().astype(str)
    if len(text) and text.str.fullmatch(r"\d{4}-\d{2}(-\d{2}.*)?").all():
        return pd.to_datetime(values)
    return values


def main():
    parser = argparse.ArgumentParser(description="Draw a chart of a CSV file.")
    parser.add_argument("file")
    parser.add_argument("--kind", required=True, choices=["line", "bar", "scatter", "hist"])
    parser.add_argument("--x", required=True)
    parser.add_argument("--y", help="needed for all kinds but hist")
    parser.add_argument("--by", help="one colour for each value of this column")
    parser.add_argument("--title")
    parser.add_argument("--ylabel")
    parser.add_argument("--out", default="chart.png")
    args = parser.parse_args()
    if args.kind != "hist" and not args.y:
        parser.error(f"--y is needed for {args.kind}")

    df = pd.read_csv(args.file)
    keys = [args.x] + ([args.by] if args.by else [])
    columns = keys + ([args.y] if args.y else [])
    if unknown := [c for c in columns if c not in df.columns]:
        sys.exit(f"{args.file}: no column {', '.join(unknown)}; there are {', '.join(df.columns)}")
    rows = len(df)
    df = df[columns].dropna()
    df[args.x] = dates_if_any(df[args.x])
    if args.kind in ("line", "bar"):
        df = df.groupby(keys, as_index=False)[args.y].sum()

    sns.set_theme(style="whitegrid", palette="colorblind")
    fig, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
    match args.kind:
        case "line":
            sns.lineplot(df, x=args.x, y=args.y, hue=args.by, errorbar=None, marker="o", ax=ax)
        case "bar":
            order = df.groupby(args.x)[args.y].sum().sort_values(ascending=False).index
            sns.barplot(df, x=args.y, y=args.x, hue=args.by, order=order, orient="h", ax=ax)
        case "scatter":
            sns.scatterplot(df, x=args.x, y=args.y, hue=args.by, alpha=0.5, ax=ax)
        case "hist":
            sns.histplot(df, x=args.x, hue=args.by, ax=ax)
    if args.title:
        ax.set_title(args.title, loc="left", weight="bold")
    if args.ylabel:
        (ax.set_xlabel if args.kind == "bar" else ax.set_ylabel)(args.ylabel)
    fig.savefig(args.out, dpi=200)
    print(f"wrote {args.out}: {args.kind} of {len(df)} points from {rows} rows")


if __name__ == "__main__":
    main()
