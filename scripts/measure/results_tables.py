"""The tables of `scripts/measure/results`, from the JSON of `sitegrove-lab evaluate`: the first measure by data set, the other measures over
all, and the differences to the first run."""
import json
import sys


def row(cells):
    return "| " + " | ".join(cells) + " |"


def header(names, texts):
    return [row(names), "|" + "|".join(["---"] * texts + ["--:"] * (len(names) - texts)) + "|"]


def f1(values):
    return ["" if value is None else f"{value:.1f}" for value in values]


def over(of):
    return f"{of['units']} {'pages' if of['singles'] else 'groups'}"


def tables(report):
    runs = [run["name"] for run in report["runs"]]
    first, *others = report["measures"]
    yield header(["data set", "over", *runs], 2) + [
        row([of["dataset"] + (" singles" if of["singles"] else ""), over(of), *f1(of["f1"])]) for of in first["rows"]
    ]
    yield header([f"F1 of `{runs[0]}` less that of", "mean", "95 %", "groups", "wins", "losses"], 1) + [
        row([f"`{of['other']}`", f"{of['mean']:+.1f}", f"{of['low']:+.1f} to {of['high']:+.1f}"]
            + [str(of[name]) for name in ("units", "wins", "losses")])
        for of in first["differences"] if of["over"] == "templates"
    ]
    all_groups = [(measure["about"], of) for measure in others for of in measure["rows"]
                  if of["dataset"] == "ALL" and not of["singles"]]
    yield header(["other measures, all data sets", "over", *runs], 2) + [
        row([about, over(of), *f1(of["f1"])]) for about, of in all_groups
    ]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print("\n\n".join("\n".join(lines) for lines in tables(json.load(file)) if len(lines) > 2))
