"""The layers of gtrain in PyTorch, one function each: (settings, inputs, tensors of the layer) -> output."""

import math

import numpy
import torch
from torch.nn import functional

# The output of gate k on the inputs (1,1), (1,0), (0,1), (0,0) is its bits 0 to 3 (Petersen et al. 2022).
GATES = [[(k >> i) & 1 for i in range(4)] for k in range(16)]


def mixtures(tensor):
    """The outputs of a layer's gates for the four pairs of bits: [gates, 4]. With tensor["hard"] each gate is the one of its
    16 functions with the (first) largest logit, as in a trained network; else their mixture."""
    logits = tensor["logits"]
    share = functional.one_hot(logits.argmax(-1), 16) if tensor.get("hard") else torch.softmax(logits, -1)
    return share.to(logits.dtype) @ torch.tensor(GATES, dtype=logits.dtype)


def gates(table, a, b):
    """Gates on real inputs, bilinear extensions of the functions of bits; the last axis is the gates."""
    return table[:, 0] * a * b + table[:, 1] * a * (1 - b) + table[:, 2] * (1 - a) * b + table[:, 3] * (1 - a) * (1 - b)


def linear(settings, inputs, tensor):
    return functional.linear(inputs[0], tensor["weight"], tensor.get("bias"))


def embedding(settings, inputs, tensor):
    return functional.embedding(inputs[0], tensor["weight"])


def logic(settings, inputs, tensor):
    a, b = tensor["wiring"].long()
    return gates(mixtures(tensor), inputs[0][:, a], inputs[0][:, b])


def group_sum(settings, inputs, tensor):
    x = inputs[0]
    return x.reshape(len(x), settings["groups"], -1).sum(-1) / settings.get("tau", 1)


def logic_conv2d(settings, inputs, tensor):
    field, padding = settings.get("kernel", 3), settings.get("padding", 0)
    stride, pool = settings.get("stride", 1), settings.get("pool", 1)
    x = functional.pad(inputs[0].permute(0, 3, 1, 2), [padding] * 4)
    rows, columns = [(size - field) // stride + 1 for size in x.shape[2:]]
    # unfold orders a patch (channel, row, column); the wiring counts (row * field + column) * channels + channel.
    patches = functional.unfold(x, field, stride=stride).reshape(len(x), x.shape[1], field * field, -1)
    patches = patches.permute(0, 3, 2, 1).flatten(2)
    kernels, leaves = tensor["wiring"].shape
    values = patches[:, :, tensor["wiring"].long()]  # [batch, positions, kernels, leaves]
    table = mixtures(tensor).reshape(kernels, leaves - 1, 4)
    first = 0
    while values.shape[-1] > 1:
        a, b = values[..., 0::2], values[..., 1::2]
        here = table[:, first : first + a.shape[-1]]
        first += a.shape[-1]
        values = here[..., 0] * a * b + here[..., 1] * a * (1 - b) + here[..., 2] * (1 - a) * b
        values = values + here[..., 3] * (1 - a) * (1 - b)
    image = values[..., 0].permute(0, 2, 1).reshape(len(x), kernels, rows, columns)
    return functional.max_pool2d(image, pool).permute(0, 2, 3, 1)


def neighbourhoods(board, periodic):
    """[batch, height, width, channels] -> the nine cells around each: [..., channels, 9]."""
    x = board.permute(0, 3, 1, 2)
    x = functional.pad(x, [1] * 4, mode="circular" if periodic else "constant")
    height, width = board.shape[1:3]
    cells = [x[:, :, i : i + height, j : j + width] for i in range(3) for j in range(3)]
    return torch.stack(cells, -1).permute(0, 2, 3, 1, 4)


def automaton_step(settings, board, table, wiring):
    """One step. Gates and wires are numbered layer by layer, perception first, and within it kernel by kernel."""
    kernels = settings.get("kernels", 16)
    gate = wire = 0
    values = neighbourhoods(board, settings.get("periodic", False)).unsqueeze(-2).expand(-1, -1, -1, -1, kernels, -1)
    for width in settings.get("perception", [8, 4, 2]):
        a, b = wiring[:, wire : wire + width]
        here = table[gate : gate + kernels * width].reshape(kernels, width, 4)
        x, y = values[..., a], values[..., b]
        values = here[..., 0] * x * y + here[..., 1] * x * (1 - y) + here[..., 2] * (1 - x) * y
        values = values + here[..., 3] * (1 - x) * (1 - y)
        gate, wire = gate + kernels * width, wire + width
    # The update's input: the cell's channels, then (channel, output, kernel).
    values = torch.cat([board, values.transpose(-1, -2).flatten(3)], -1)
    for width in settings["update"]:
        a, b = wiring[:, wire : wire + width]
        values = gates(table[gate : gate + width], values[..., a], values[..., b])
        gate, wire = gate + width, wire + width
    return values


def logic_ca(settings, inputs, tensor):
    board, boards = inputs[0], [inputs[0]]
    table, wiring = mixtures(tensor), tensor["wiring"].long()
    for _ in range(settings["steps"]):
        board = automaton_step(settings, board, table, wiring)
        boards.append(board)
    # Averaging over boards is only for training.
    last = boards[-1:] if tensor.get("hard") else boards[len(boards) - settings.get("average_last", 1) :]
    return (sum(last) / len(last))[..., : settings.get("outputs", board.shape[-1])]


def pad(settings, inputs, tensor):
    before = settings["before"]
    after = settings.get("after", before)
    around = [n for pair in zip(reversed(before), reversed(after)) for n in pair]
    return functional.pad(inputs[0], around, value=settings.get("value", 0))


def shrink(settings, inputs, tensor):
    stop = settings["stop"]
    start = settings.get("start", [0] * len(stop))
    return inputs[0][(slice(None), *(slice(a, b) for a, b in zip(start, stop)))]


def stride(settings, inputs, tensor):
    return inputs[0][(slice(None), *(slice(None, None, n) for n in settings["step"]))]


def reshape(settings, inputs, tensor):
    return inputs[0].reshape(len(inputs[0]), *settings["shape"])


def permute(settings, inputs, tensor):
    return inputs[0].permute(0, *settings["axes"])


def threshold(settings, inputs, tensor):
    bits = [(inputs[0] > level).to(inputs[0].dtype) for level in settings["levels"]]
    return torch.stack(bits, -1).flatten(-2)


def expression(settings, inputs, tensor):
    names = {"x": inputs[0], **{f"x{i}": x for i, x in enumerate(inputs)}}
    functions = {f: getattr(torch, f) for f in ("sin", "cos", "exp", "log", "sqrt", "tanh", "abs", "sigmoid")}
    return eval(settings["expression"].replace("^", "**"), {"__builtins__": {}}, {**functions, **names})


def is_state(name):
    """A tensor that training changes without a gradient."""
    return name.split(".")[-1] in ("running_mean", "running_var", "num_batches_tracked")


def initial_state(name, value):
    """The value of a state before the first step; any other tensor as it is."""
    return numpy.full_like(value, name.endswith("running_var")) if is_state(name) else value


def channels_first(function):
    """PyTorch's channels are axis 1, gtrain's the last."""
    return lambda settings, inputs, tensor: function(settings, inputs[0].movedim(-1, 1), tensor).movedim(1, -1)


def batch_norm(settings, x, tensor):
    training = not tensor["hard"]
    momentum = settings.get("momentum", 0.1)
    if training:
        tensor["num_batches_tracked"] += 1
        if settings.get("cumulative"):
            momentum = 1 / tensor["num_batches_tracked"].item()
    return functional.batch_norm(x, tensor["running_mean"], tensor["running_var"], tensor.get("weight"),
                                 tensor.get("bias"), training, momentum, settings.get("eps", 1e-5))


def by_formula(x, axes, settings):
    """Normalizes over these axes, without weights. PyTorch's own layer_norm and instance_norm have wrong third derivatives:
    their second backward treats the saved mean and deviation as constants (1.13)."""
    centred = x - x.mean(axes, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(axes, keepdim=True) + settings.get("eps", 1e-5))


def layer_norm(settings, inputs, tensor):
    if tensor["formulas"]:
        axes = tuple(range(-settings.get("axes", 1), 0))
        return by_formula(inputs[0], axes, settings) * tensor.get("weight", 1) + tensor.get("bias", 0)
    shape = inputs[0].shape[-settings.get("axes", 1) :]
    return functional.layer_norm(inputs[0], shape, tensor.get("weight"), tensor.get("bias"), settings.get("eps", 1e-5))


def rms_norm(settings, inputs, tensor):
    x = inputs[0]
    eps = settings.get("eps", torch.finfo(torch.float32).eps)
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * tensor.get("weight", 1)


def group_norm(settings, x, tensor):
    return functional.group_norm(x, settings["num_groups"], tensor.get("weight"), tensor.get("bias"),
                                 settings.get("eps", 1e-5))


def instance_norm(settings, x, tensor):
    if tensor["formulas"]:
        y = by_formula(x, tuple(range(2, x.dim())), settings).movedim(1, -1)
        return (y * tensor.get("weight", 1) + tensor.get("bias", 0)).movedim(-1, 1)
    tracks = settings.get("track_running_stats", False)
    return functional.instance_norm(x, tensor.get("running_mean"), tensor.get("running_var"), tensor.get("weight"),
                                    tensor.get("bias"), not tensor["hard"] or not tracks, settings.get("momentum", 0.1),
                                    settings.get("eps", 1e-5))


def spatial(function):
    """Selects one of three functions by the number of spatial axes of the input."""
    return channels_first(lambda settings, x, tensor: function[x.dim() - 3](settings, x))


def max_pool(function):
    return lambda s, x: function(x, s["kernel_size"], s.get("stride"), s.get("padding", 0), s.get("dilation", 1),
                                 s.get("ceil_mode", False))


def avg_pool(function):
    def apply(s, x):
        override = {"divisor_override": s["divisor_override"]} if "divisor_override" in s else {}
        return function(x, s["kernel_size"], s.get("stride"), s.get("padding", 0), s.get("ceil_mode", False),
                        s.get("count_include_pad", True), **override)
    return apply


def adaptive_pool(function):
    def apply(s, x):
        size = s["output_size"] if isinstance(s["output_size"], list) else [s["output_size"]] * (x.dim() - 2)
        return function(x, [None if n == -1 else n for n in size] if x.dim() > 3 else size)
    return apply


def global_avg_pool(settings, inputs, tensor):
    return inputs[0].mean(tuple(range(1, inputs[0].dim() - 1)), settings.get("keepdim", False))


def global_max_pool(settings, inputs, tensor):
    return inputs[0].amax(tuple(range(1, inputs[0].dim() - 1)), settings.get("keepdim", False))


def upsample(settings, x, tensor):
    align = {"align_corners": settings.get("align_corners", False)} if settings.get("mode", "nearest") != "nearest" else {}
    return functional.interpolate(x, settings.get("size"), settings.get("scale_factor"), settings.get("mode", "nearest"),
                                  **align)


def window(settings):
    return {key: settings[key] if isinstance(settings[key], int) else tuple(settings[key])
            for key in ("stride", "dilation", "groups", "output_padding") if key in settings}


def convolution(function):
    def run(settings, x, tensor):
        padding = settings.get("padding", 0)
        return function(x, tensor["weight"], tensor.get("bias"), **window(settings),
                        padding=tuple(padding) if isinstance(padding, list) else padding)

    return channels_first(run)


def elementwise(function):
    return lambda settings, inputs, tensor: function(inputs[0])


def recurrent(name):
    """torch.nn.LSTM, GRU and RNN call these functions of PyTorch."""
    def run(settings, inputs, tensor):
        x, layers, directions = inputs[0], settings.get("num_layers", 1), 1 + settings.get("bidirectional", False)
        kind = f"rnn_{settings.get('nonlinearity', 'tanh')}" if name == "rnn" else name
        names = ["weight_ih", "weight_hh"] + (["bias_ih", "bias_hh"] if settings.get("bias", True) else [])
        weights = [tensor[f"{n}_l{layer}{end}"] for layer in range(layers) for end in ("", "_reverse")[:directions]
                   for n in names]
        start = x.new_zeros(layers * directions, len(x), settings["hidden_size"])
        y, last, *_ = getattr(torch._VF, kind)(x, (start, start) if kind == "lstm" else start, weights, len(names) > 2,
                                               layers, 0.0, False, directions > 1, True)
        return torch.cat(list(last[-directions:]), -1) if settings.get("return") == "last" else y

    return run


def sequence_pool(settings, inputs, tensor):
    x = inputs[0]
    return {"mean": x.mean(1), "max": x.max(1).values, "last": x[:, -1]}[settings["pooling"]]


def glu(settings, inputs, tensor):
    a, b = inputs[0].chunk(2, -1)
    return functional.glu(inputs[0]) if settings.get("gate", "sigmoid") == "sigmoid" else a * functional.silu(b)


LAYERS = {f.__name__: f for f in (sequence_pool, glu, linear, embedding, logic, group_sum, logic_conv2d, logic_ca, pad, shrink, stride, reshape,
                                  permute, threshold, expression, layer_norm, rms_norm, global_avg_pool, global_max_pool)}
LAYERS.update({f.__name__: channels_first(f) for f in (batch_norm, group_norm, instance_norm, upsample)})
for axes in (1, 2, 3):
    LAYERS[f"max_pool{axes}d"] = spatial([max_pool(getattr(functional, f"max_pool{n}d")) for n in (1, 2, 3)])
    LAYERS[f"avg_pool{axes}d"] = spatial([avg_pool(getattr(functional, f"avg_pool{n}d")) for n in (1, 2, 3)])
    LAYERS[f"dropout{axes}d"] = lambda s, x, t: x[0]  # p: 0, like dropout
for kind in ("max", "avg"):
    LAYERS[f"adaptive_{kind}_pool"] = spatial(
        [adaptive_pool(getattr(functional, f"adaptive_{kind}_pool{n}d")) for n in (1, 2, 3)])
LAYERS["pixel_shuffle"] = channels_first(lambda s, x, t: functional.pixel_shuffle(x, s["upscale_factor"]))
LAYERS["pixel_unshuffle"] = channels_first(lambda s, x, t: functional.pixel_unshuffle(x, s["downscale_factor"]))
LAYERS.update({f.__name__: convolution(f) for f in (
    functional.conv1d, functional.conv2d, functional.conv3d, functional.conv_transpose1d, functional.conv_transpose2d,
    functional.conv_transpose3d)})
LAYERS.update({name: elementwise(function) for name, function in {
    "relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh, "gelu": functional.gelu,
    "silu": functional.silu, "softplus": functional.softplus, "erf": torch.erf, "exp": torch.exp,
    "log": torch.log, "exp2": torch.exp2, "log2": torch.log2, "sin": torch.sin, "cos": torch.cos,
    "sqrt": torch.sqrt, "reciprocal": torch.reciprocal, "abs": torch.abs, "neg": torch.neg,
    "flatten": lambda x: x.flatten(1), "bernoulli": None}.items()})
LAYERS.update({name: recurrent(name) for name in ("lstm", "gru", "rnn")})
LAYERS["leaky_relu"] = lambda s, x, t: functional.leaky_relu(x[0], s.get("slope", 0.01))
LAYERS["softmax"] = lambda s, x, t: torch.softmax(x[0], s.get("axis", -1))
LAYERS["log_softmax"] = lambda s, x, t: torch.log_softmax(x[0], s.get("axis", -1))
LAYERS["dropout"] = lambda s, x, t: x[0]  # the cases use p: 0 only; other values are random
LAYERS["add"] = lambda s, x, t: sum(x)
LAYERS["mul"] = lambda s, x, t: math.prod(x)
LAYERS["concatenate"] = lambda s, x, t: torch.cat(x, s.get("axis", -1))

SHORT = {"linear": "units", "embedding": "embedding_dim", "logic": "units", "leaky_relu": "slope", "softmax": "axis", "log_softmax": "axis",
         "reshape": "shape", "permute": "axes", "stride": "step", "pad": "before", "dropout": "p",
         "concatenate": "axis", "group_sum": "groups", "threshold": "levels", "expression": "expression",
         "logic_conv2d": "channels", "batch_norm": "momentum", "layer_norm": "axes", "rms_norm": "eps",
         "group_norm": "num_groups", "instance_norm": "eps", "adaptive_max_pool": "output_size",
         "adaptive_avg_pool": "output_size", "global_avg_pool": "keepdim", "global_max_pool": "keepdim", "upsample": "scale_factor",
         "lstm": "hidden_size", "gru": "hidden_size", "rnn": "hidden_size", "sequence_pool": "pooling", "glu": "gate",
         "pixel_shuffle": "upscale_factor", "pixel_unshuffle": "downscale_factor",
         **{f"{kind}_pool{n}d": "kernel_size" for kind in ("max", "avg") for n in (1, 2, 3)},
         **{f"dropout{n}d": "p" for n in (1, 2, 3)}}


def filled(node, values):
    """A node of a config with `$name` replaced."""
    if isinstance(node, dict):
        return {key: filled(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [filled(value, values) for value in node]
    return values[node[1:]] if isinstance(node, str) and node.startswith("$") else node


def written_out(model):
    """The model with its `repeat` blocks expanded; names and sources follow the rules of `repeat:`, for blocks that
    are not nested, if layers that others read have names."""
    result, read = [], "input"  # what the next layer reads
    for entry in model:
        kind, block = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
        if kind != "repeat":
            result.append(entry)
            read = f"layer {len(result) - 1}"
            continue
        each = block.get("each", {})
        own = {s["name"] for layer in block["layers"] if isinstance(layer, dict) for s in layer.values()
               if isinstance(s, dict) and "name" in s}
        for number in range(block.get("times") or len(next(iter(each.values())))):
            known = {name: f"{name}{number + 1}" for name in own} | {"block_input": read}
            for layer in filled(block["layers"], {name: values[number] for name, values in each.items()}):
                if isinstance(layer, dict) and isinstance(next(iter(layer.values())), dict):
                    type_, settings = next(iter(layer.items()))
                    names = settings.get("from", [])
                    if names:
                        settings["from"] = [known.get(n, n) for n in ([names] if isinstance(names, str) else names)]
                    if "name" in settings:
                        settings["name"] = known[settings["name"]]
                    layer = {type_: settings}
                result.append(layer)
                read = f"layer {len(result) - 1}"
    return result


def read_model(model):
    """[(type, name, settings, names of its inputs)] of a config's `model`."""
    result, count, before = [], {}, "input"
    for entry in written_out(model):
        kind, settings = (entry, {}) if isinstance(entry, str) else next(iter(entry.items()))
        if not isinstance(settings, dict):
            settings = {SHORT[kind]: settings}
        if "name" in settings:
            name = settings["name"]
        else:
            count[kind] = count.get(kind, 0) + 1
            name = f"{kind}{count[kind]}"
        sources = settings.get("from", before)
        sources = [sources] if isinstance(sources, str) else sources
        sources = [result[int(source[6:])][1] if source.startswith("layer ") else source for source in sources]
        result.append((kind, name, settings, sources))
        before = name
    return result


def forward(model, tensors, x, hard=False, formulas=False):
    """The output of a model; tensors: {"linear1.weight": …}; hard: hard gates, as after training; formulas: with ops that
    have derivatives of any order."""
    values, name = {"input": x}, "input"
    for kind, name, settings, sources in read_model(model):
        own = {key[len(name) + 1 :]: value for key, value in tensors.items() if key.startswith(name + ".")}
        if "weight" in settings:  # that of another layer
            own["weight"] = tensors[settings["weight"] + ".weight"]
        own["hard"], own["formulas"] = hard, formulas
        values[name] = LAYERS[kind](settings, [values[source] for source in sources], own)
    return values[name]
