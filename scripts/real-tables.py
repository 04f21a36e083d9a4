#!/usr/bin/env python3
"""Writes tables of unpacked packages as CSV files: real-tables.py LIST FOLDER OUTPUT (see fetch-tables.sh).

LIST has a line `name,source,target,form` for each table. source: a path below FOLDER, of a CSV file, of a JSON array of
objects, or of R's data (.rda, or .rdb with #OBJECT). form: empty, or how a CSV file differs from one with a header:
`skip N` lines above the header, or `names N` lines above a table without one. Needs only Python's own library."""
import bz2, csv, datetime, gzip, io, json, lzma, struct, sys, zlib

NA_INTEGER, NA_BITS = -(2**31), 0x7FF00000000007A2


class R:
    """Reads R's serialization (XDR), as in R Internals, 1.8. An object is {"type", "value", "attributes"}."""

    def __init__(self, data):
        self.data, self.at, self.references = data, 0, []
        assert self.take(2) == b"X\n", "not XDR"
        version, _, _ = self.integer(), self.integer(), self.integer()
        if version == 3:
            self.take(self.integer())

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def integer(self):
        return struct.unpack(">i", self.take(4))[0]

    def pairs(self, flags):
        found = {}
        while flags & 255 == 2:
            if flags & 512:
                self.item()
            tag = self.item() if flags & 1024 else None
            found[tag] = self.item()
            flags = self.integer()
        return found

    def item(self):
        flags = self.integer()
        kind = flags & 255
        if kind in (254, 253, 251, 242, 241):  # nil, environments and missing arguments
            return None
        if kind == 255:
            return self.references[(flags >> 8 or self.integer()) - 1]
        if kind == 1:
            self.references.append(self.item())
            return self.references[-1]
        if kind == 238:  # a compact form, such as 1:n
            name, state, _ = self.item(), self.item(), self.item()
            return self.expand(list(name.values())[0], state)
        if kind == 2:
            return self.pairs(flags)
        if kind == 9:
            length = self.integer()
            return None if length < 0 else self.take(length).decode("utf-8", "replace")
        length = self.integer()
        if kind in (10, 13):
            value = [None if v == NA_INTEGER else v for v in struct.unpack(f">{length}i", self.take(4 * length))]
        elif kind == 14:
            value = list(struct.unpack(f">{length}d", self.take(8 * length)))
        elif kind in (16, 19):
            value = [self.item() for _ in range(length)]
        else:
            raise ValueError(f"R type {kind}")
        attributes = self.pairs(self.integer()) if flags & 512 else {}
        return {"type": kind, "value": value, "attributes": attributes}

    @staticmethod
    def expand(name, state):
        if name in ("compact_intseq", "compact_realseq"):
            count, first, step = state["value"]
            return {"type": 13, "value": [int(first + i * step) for i in range(int(count))], "attributes": {}}
        return state["value"][0] if isinstance(state, dict) and "value" in state else list(state.values())[0]


def texts_of(column):
    """The cells of a column of an R data frame."""
    values, names = column["value"], (column["attributes"].get("class") or {"value": []})["value"]
    if "factor" in names:
        levels = column["attributes"]["levels"]["value"]
        return ["" if v is None else levels[v - 1] for v in values]
    if "Date" in names or "POSIXct" in names:
        epoch = datetime.datetime(1970, 1, 1)
        unit = 86400 if "Date" in names else 1
        times = ["" if v is None or v != v else epoch + datetime.timedelta(seconds=v * unit) for v in values]
        return [str(t.date() if t and unit > 1 else t) for t in times]
    if column["type"] == 10:
        return ["" if v is None else "TRUE" if v else "FALSE" for v in values]
    if column["type"] == 14:
        return ["" if v != v else repr(int(v)) if v == int(v) and abs(v) < 1e15 else f"{v:.10g}" for v in values]
    return ["" if v is None else str(v) for v in values]


def frame_rows(frame):
    columns, names = [], []
    for name, column in zip(frame["attributes"]["names"]["value"], frame["value"]):
        dim = column["attributes"].get("dim")
        if column["type"] == 19 and "names" not in column["attributes"]:
            continue  # a list in each cell
        width = dim["value"][1] if dim else 1
        cells = texts_of(column)
        rows = len(cells) // width
        for k in range(width):
            names.append(name if width == 1 else f"{name}{k + 1}")
            columns.append(cells[k * rows : (k + 1) * rows])
    return [names] + [list(row) for row in zip(*columns)]


def read_r(path, name):
    if not path.endswith(".rdb"):
        data = open(path, "rb").read()
        for unpack in (gzip.decompress, bz2.decompress, lzma.decompress):
            try:
                data = unpack(data)
                break
            except (OSError, lzma.LZMAError, EOFError):
                pass
        found = R(data[data.index(b"X\n", 4) :]).item()
        return frame_rows(found[name] if name else list(found.values())[0])
    index = R(gzip.decompress(open(path[:-1] + "x", "rb").read())).item()
    variables = index["value"][0]
    place = dict(zip(variables["attributes"]["names"]["value"], variables["value"]))[name]["value"]
    with open(path, "rb") as file:
        file.seek(place[0])
        block = file.read(place[1])
    kind, rest = block[4:5], block[5:]
    if kind == b"2":
        data = bz2.decompress(rest)
    elif kind == b"Z":
        data = lzma.decompress(rest, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "preset": 9}])
    else:
        data = zlib.decompress(block[4:])
    return frame_rows(R(data).item())


def read_json(path):
    rows = json.load(open(path, encoding="utf-8"))
    names = list(dict.fromkeys(key for row in rows for key, v in row.items() if not isinstance(v, (list, dict))))
    return [names] + [["" if row.get(n) is None else row.get(n) for n in names] for row in rows]


def read_csv(path, form):
    data = open(path, "rb").read()
    text = (gzip.decompress(data) if path.endswith(".gz") else data).decode("utf-8", "replace")
    kind, lines = (form.split() + ["0"])[:2] if form else ("skip", "0")
    rows = text.splitlines()[int(lines) :]
    if kind == "names":
        rows.insert(0, ",".join(f"x{i}" for i in range(rows[0].count(","))) + ",class")
    return rows


def main(list_path, folder, output):
    for row in csv.DictReader(line for line in open(list_path, encoding="utf-8") if not line.startswith("#")):
        path, _, name = f"{folder}/{row['source']}".partition("#")
        with open(f"{output}/{row['name']}.csv", "w", encoding="utf-8", newline="") as out:
            if path.endswith((".rda", ".rdb")):
                csv.writer(out, lineterminator="\n").writerows(read_r(path, name))
            elif path.endswith(".json"):
                csv.writer(out, lineterminator="\n").writerows(read_json(path))
            else:
                out.write("\n".join(read_csv(path, row["form"])) + "\n")


main(*sys.argv[1:])
