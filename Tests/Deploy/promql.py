"""Finds in a PromQL expression which series and labels it names. It knows as much of the language as deploy/ uses, and
refuses the rest.
"""

import re

import catalogue

FUNCTIONS = {
    "absent",
    "changes",
    "histogram_quantile",
    "increase",
    "label_replace",
    "max_over_time",
    "min_over_time",
    "rate",
    "scalar",
    "sort_desc",
    "time",
    "vector",
    "clamp_min",
    "deriv",
    "round",
}
AGGREGATIONS = {"avg", "count", "max", "min", "sum", "topk"}
WORDS = {"and", "or", "unless", "bool", "offset"}
TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<name>[A-Za-z_:][A-Za-z0-9_:]*)
    |(?P<number>[0-9.]+(?:e[0-9]+)?[smhdw]?)|(?P<range>\[[^\]]*\])
    |(?P<variable>\$[a-z_]+)|(?P<sign>[-+*/%^(){},=!<>~@]+)""",
    re.VERBOSE,
)


def problems(expression):
    """What is wrong with an expression, as a list of texts."""
    found, place, tokens = [], 0, []
    while place < len(expression):
        match = TOKEN.match(expression, place)
        if not match:
            return [f"cannot read {expression[place:place + 20]!r}"]
        place = match.end()
        if match.lastgroup not in ("space", "range"):
            tokens.append((match.lastgroup, match.group()))
    series, grouped, index = [], [], 0
    while index < len(tokens):
        kind, text = tokens[index]
        after = tokens[index + 1][1] if index + 1 < len(tokens) else ""
        if kind == "name" and text in ("by", "without", "on", "ignoring", "group_left", "group_right"):
            index += 1
            while index < len(tokens) and not tokens[index][1].startswith(")"):
                if tokens[index][0] == "name":
                    grouped.append(tokens[index][1])
                index += 1
            continue
        if kind == "name" and text in FUNCTIONS | AGGREGATIONS and (after.startswith("(") or after == "by"):
            index += 1
            continue
        if kind == "name" and text not in WORDS:
            labels = {}
            if after.startswith("{"):
                index += 2
                while index < len(tokens) and not tokens[index][1].startswith("}"):
                    if tokens[index][0] == "name":
                        labels[tokens[index][1]] = tokens[index + 2][1][1:-1]
                        index += 2
                    index += 1
            series.append((text, labels))
        index += 1
    if not series:
        found.append("names no series")
    for name, labels in series:
        known = catalogue.metrics().get(name)
        if known is None:
            found.append(f"there is no metric {name}")
            continue
        for label, value in labels.items():
            if label not in known:
                found.append(f"{name} has no label {label}")
            # A variable of a dashboard stands for values that exist; a status code is no word of the code.
            elif not value.startswith("$") and label not in ("http_response_status_code", "quantile"):
                found += [f"{name} has no {label}={part}" for part in value.split("|") if not catalogue.is_value(part)]
    every = set().union(*(catalogue.metrics().get(name, set()) for name, _ in series)) if series else set()
    return found + [f"no series of {expression!r} has the label {label}" for label in grouped if label not in every]


def names(expression):
    """The names of the series in an expression."""
    return {text for text in re.findall(r"[a-z_]+", expression) if text in catalogue.metrics()}
