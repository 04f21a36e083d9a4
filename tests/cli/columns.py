"""Predictions of a linear model of a table, computed only from model.bin and the table: columns.py MODEL TABLE. Reads
gtrain's predictions from standard input, and fails if one differs. Plain Python: csv, datetime, json, math, struct."""
import csv
import datetime
import json
import math
import struct
import sys

data = open(sys.argv[1], "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8 : 8 + length])
table = json.loads(header["__metadata__"]["signature"])["inputs"][0]


def tensor(name):
    begin, end = (8 + length + o for o in header[name]["data_offsets"])
    return struct.unpack("<%df" % ((end - begin) // 4), data[begin:end])


def cycle(fraction):
    return [math.sin(2 * math.pi * fraction), math.cos(2 * math.pi * fraction)]


def of_date(when, hours):
    """The parts of a date: the year as a number, month, weekday and, if the column has hours, time of day as cycles."""
    first = datetime.datetime(when.year, 1, 1)
    year = (when - first) / (datetime.datetime(when.year + 1, 1, 1) - first)
    parts = [when.year + year, *cycle((when.month - 1) / 12), *cycle(when.weekday() / 7)]
    return parts + (cycle((when - when.replace(hour=0, minute=0)).total_seconds() / 86400) if hours else [])


epoch = datetime.datetime(2000, 1, 1)
words = {"yes": 1, "no": 0}


def stored(column, cell):
    """The values of a cell, before scaling."""
    missing, kind = cell in ("", "NA"), column["kind"]
    if kind == "category":
        known = column["categories"]
        value = [column["fill"] if missing else known.index(cell) if cell in known else column["unseen"]]
    elif kind == "date":
        when = epoch + datetime.timedelta(hours=column["fill"]) if missing else datetime.datetime.fromisoformat(cell)
        value = of_date(when, column.get("hours"))
    else:
        number = column["fill"] if missing else words.get(cell, None)
        number = float(cell) if number is None else number
        value = [math.log1p(number) if column.get("log1p") else number]
    return value + ([float(missing)] if column.get("indicator") else [])


def categories(column):
    return len(column["categories"]) + ("missing" in column) + ("other" in column)


center, scale, offset = (tensor("data.input." + name) for name in ("center", "scale", "offset"))
weight, bias = tensor("linear1.weight"), tensor("linear1.bias")
worst = rows = 0
for row, predicted in zip(csv.DictReader(open(sys.argv[2])), sys.stdin):
    features, at = [], 0
    for column in table["columns"]:
        for index, value in enumerate(stored(column, row[column["name"]])):
            value = (value - center[at]) * scale[at] + offset[at]
            at += 1
            if column["kind"] == "category" and index == 0:
                features += [float(value == code) for code in range(categories(column))]
            else:
                features.append(value)
    worst = max(worst, abs(bias[0] + sum(w * f for w, f in zip(weight, features)) - float(predicted)))
    rows += 1
print("%d rows, worst %g" % (rows, worst))
sys.exit(rows < 2000 or worst > 2e-3)
