"""Writes model files whose description of columns is wrong: columns_attack.py MODEL FOLDER. A model with one input is
changed by each function in `attacks`, which gets the description of the input; one with several inputs, the first with
codes, by each in `of_inputs`, which gets the model's signature."""
import copy
import ctypes
import json
import struct
import sys

data = open(sys.argv[1], "rb").read()
length = struct.unpack("<Q", data[:8])[0]
header = json.loads(data[8 : 8 + length])
del header["__metadata__"]["gtrain.xxh3"]


def column(signature, kind):
    return next(c for c in signature["columns"] if c["kind"] == kind)


def edit(of_kind, **values):
    return lambda s: column(s, of_kind).update(values)


def without(kind, key):
    return lambda s: column(s, kind).pop(key)


def again(s):
    s["columns"][1]["name"] = s["columns"][0]["name"]


def one_more(s):
    s["columns"].append(copy.deepcopy(s["columns"][0]))


def as_codes(s):
    s["dtype"] = "i32"


def as_bytes(s):
    s["dtype"] = "u8"


def of_two_axes(s):
    s["shape"] = [1] + s["shape"]


def many(s):
    s["shape"] = [2**31 - 1]
    s["columns"] = [{"name": "x%d" % i, "kind": "number"} for i in range(3)]


attacks = {
    "no_columns": lambda s: s.update(columns=[]),
    "columns_text": lambda s: s.update(columns="all"),
    "columns_map": lambda s: s.update(columns={"a": 1}),
    "column_text": lambda s: s["columns"].__setitem__(0, "a"),
    "one_less": lambda s: s["columns"].pop(),
    "one_more": one_more,
    "same_name": again,
    "as_codes": as_codes,
    "as_bytes": as_bytes,
    "of_two_axes": of_two_axes,
    "many_values": many,
    "negative_shape": lambda s: s.update(shape=[-9]),
    "no_shape": lambda s: s.pop("shape"),
    "no_name": without("number", "name"),
    "no_kind": without("number", "kind"),
    "other_kind": edit("number", kind="picture"),
    "kind_number": edit("number", kind=3),
    "number_as_date": edit("number", kind="date", order=1),
    "category_as_number": edit("category", kind="number"),
    "fill_infinite": edit("number", fill=1e39),
    "fill_text": edit("number", fill="nan"),
    "fill_null": edit("number", fill=None),
    "log_of_category": edit("category", log1p=True),
    "log_of_fill": lambda s: column(s, "number").update(log1p=True, fill=-1),
    "more_values": edit("category", indicator=True),
    "date_without_order": without("date", "order"),
    "date_of_two_orders": edit("date", order=3),
    "date_of_no_order": edit("date", order=0),
    "date_far_away": edit("date", fill=1e9),
    "date_without_hours": without("date", "hours"),
    "no_categories": without("category", "categories"),
    "empty_categories": lambda s: [column(s, "category").pop(k, None) for k in ("missing", "other")]
    and column(s, "category").update(categories=[]),
    "unsorted": edit("category", categories=["z", "a"]),
    "repeated": edit("category", categories=["a", "a"]),
    "number_category": edit("category", categories=["a", 7]),
    "missing_negative": edit("category", missing=-1),
    "other_negative": edit("category", other=-1),
    "both_negative": edit("category", missing=-1, other=-1),
    "missing_is_text": edit("category", missing=0),
    "missing_far": edit("category", missing=1 << 40),
    "missing_is_other": edit("category", missing=3, other=3),
    "missing_is_float": edit("category", missing=3.0),
    "unseen_far": edit("category", unseen=99),
    "unseen_below": edit("category", unseen=-2),
    "unseen_wraps": edit("category", unseen=1 << 32),
    "fill_far": edit("category", fill=99),
    "fill_below": edit("category", fill=-1),
    "fill_between": edit("category", fill=0.5),
}

def codes(**values):
    return lambda s: s["inputs"][0]["columns"][0].update(values)


of_inputs = {
    "codes_of_another_name": codes(name="age"),
    "codes_of_other_texts": codes(categories=["C", "Q", "T"]),
    "codes_of_fewer_texts": lambda s: s["inputs"][1]["columns"][1].update(categories=["C", "Q"], missing=2, fill=2),
    "codes_of_numbers": lambda s: s["inputs"][0].update(columns=[{"name": "port", "kind": "number"}]),
    "codes_of_filled_numbers": lambda s: s["inputs"][0].update(columns=[{"name": "z", "kind": "number", "fill": 2.5}]),
    "codes_with_indicator": codes(indicator=True),
    "codes_of_dates": lambda s: s["inputs"][0].update(columns=[{"name": "port", "kind": "date", "order": 1}]),
    "numbers_of_codes": lambda s: s["inputs"][1]["columns"].__setitem__(1, {"name": "port", "kind": "number"}),
    "codes_as_floats": lambda s: s["inputs"][0].update(dtype="f32"),
}

xxh3 = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
xxh3.restype, xxh3.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]


def write(path, changed):
    changed["__metadata__"] = {"gtrain.xxh3": "0" * 16, **changed["__metadata__"]}
    text = json.dumps(changed, separators=(",", ":"))
    text += " " * (-len(text) % 8)
    content = struct.pack("<Q", len(text)) + text.encode() + data[8 + length :]
    digits = b"%016x" % xxh3(content, len(content))
    with open(path, "wb") as out:
        out.write(content.replace(b'"gtrain.xxh3":"' + b"0" * 16, b'"gtrain.xxh3":"' + digits, 1))


several = len(json.loads(header["__metadata__"]["signature"])["inputs"]) > 1
for name, attack in {"unchanged": lambda s: None, **(of_inputs if several else attacks)}.items():
    model = copy.deepcopy(header)
    signature = json.loads(model["__metadata__"]["signature"])
    attack(signature if several else signature["inputs"][0])
    model["__metadata__"]["signature"] = json.dumps(signature)
    write("%s/%s.bin" % (sys.argv[2], name), model)
