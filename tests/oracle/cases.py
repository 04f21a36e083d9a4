"""The cases to compare: (name, config, inputs, targets, steps). Random but repeatable data, awkward sizes. Each case
has its own random number generator, seeded by its name, so that a new case does not change the others."""

import zlib

import numpy

PLAIN = ["relu", {"leaky_relu": 0.2}, "sigmoid", "tanh", "gelu", "silu", "softplus", "erf", "exp", "exp2", "sin", "cos",
         "abs", "neg"]
POSITIVE = ["log", "log2", "sqrt", "reciprocal"]


def generator(name):
    return numpy.random.default_rng(zlib.crc32(name.encode()))


# Arrays that a case draws from its generator.
def numbers(*shape, low=-2.0, high=2.0):
    return lambda rng: rng.uniform(low, high, shape).astype(numpy.float32)


def classes(count, *shape):
    return lambda rng: rng.integers(0, count, shape)


def bits(*shape):
    return lambda rng: rng.integers(0, 2, shape).astype(numpy.float32)


def case(name, model, inputs, targets, steps=4, **config):
    """inputs, targets: arrays, or functions that draw them."""
    rng = generator(name)
    config = {"seed": 7, "model": model, "optimizer": {"type": "sgd", "lr": 0.05}, **config}
    return name, config, *(data(rng) if callable(data) else data for data in (inputs, targets)), steps


def layer_cases():
    x, t = numbers(13, 5), numbers(13, 3)
    for layer in PLAIN:
        kind = layer if isinstance(layer, str) else next(iter(layer))
        yield case(f"layer {kind}", [{"linear": 7}, layer, {"linear": 3}], x, t)
    for layer in POSITIVE:
        yield case(f"layer {layer}", [{"linear": 7}, {"expression": "x*x + 0.5"}, layer, {"linear": 3}], x, t)
    yield case("layer linear without bias", [{"linear": {"units": 3, "bias": False}}], x, t)
    yield case("layer linear of one unit", [{"linear": 1}, {"linear": 1}, {"linear": 3}], x, t)
    for kind in ("softmax", "log_softmax"):
        yield case(f"layer {kind}", [{"linear": 7}, kind, {"linear": 3}], x, t)
        yield case(f"layer {kind}, inner axis", [{"linear": 12}, {"reshape": [3, 4]}, {kind: 1}, "flatten", {"linear": 3}],
                   x, t)
    yield case("layer dropout of nothing", [{"linear": 7}, {"dropout": 0}, {"linear": 3}], x, t)
    yield case("layer permute", [{"linear": 24}, {"reshape": [2, 3, 4]}, {"permute": [3, 1, 2]}, {"linear": 2}, "flatten",
                                 {"linear": 3}], x, t)
    yield case("layer pad", [{"linear": 6}, {"reshape": [2, 3]}, {"pad": {"before": [1, 0], "after": [0, 2], "value": 0.5}},
                             "tanh", "flatten", {"linear": 3}], x, t)
    yield case("layer shrink", [{"linear": 20}, {"reshape": [4, 5]}, {"shrink": {"start": [1, 0], "stop": [3, 4]}},
                                "flatten", {"linear": 3}], x, t)
    yield case("layer stride", [{"linear": 20}, {"reshape": [4, 5]}, {"stride": [2, 3]}, "flatten", {"linear": 3}], x, t)
    branches = [{"linear": {"units": 6, "name": "a"}}, {"sigmoid": {"name": "b"}},
                {"linear": {"units": 6, "name": "c", "from": "input"}}]
    for joint in ("add", "mul", "concatenate"):
        yield case(f"layer {joint}", [*branches, {joint: {"from": ["b", "c"]}}, {"linear": 3}], x, t)
    yield case("layer add of three", [*branches, {"add": {"from": ["a", "b", "c"]}}, {"linear": 3}], x, t)
    yield case("layer expression", [*branches, {"expression": {"expression": "sin(x0) * x1 + x1", "from": ["b", "c"]}},
                                    {"linear": 3}], x, t)
    for norm in ("batch_norm", {"batch_norm": {"momentum": 0.4, "eps": 1e-3}}, {"batch_norm": {"affine": False}},
                 {"batch_norm": {"cumulative": True}}, "layer_norm", {"layer_norm": {"bias": False, "eps": 0.1}},
                 {"layer_norm": {"elementwise_affine": False}}, "rms_norm", {"rms_norm": {"elementwise_affine": False}},
                 {"group_norm": 4}, {"group_norm": {"num_groups": 3, "affine": False}}):
        yield case(f"layer {norm}", [{"linear": 12}, norm, "tanh", {"linear": 3}], x, t)
    for norm in ("batch_norm", {"layer_norm": 2}, {"group_norm": 2}, "instance_norm", {"instance_norm": {"affine": True}}):
        yield case(f"layer {norm} on positions", [{"linear": 24}, {"reshape": [3, 2, 4]}, norm, "tanh", "flatten",
                                                  {"linear": 3}], x, t)
    yield case("layer threshold", [{"threshold": [-0.5, 0.25, 1.0]}, {"linear": 3}], x, t)
    wide, much = numbers(67, 131), numbers(67, 31)
    yield case("layers wider than a tile", [{"linear": 257}, "relu", {"linear": 129}, "tanh", {"linear": 31}], wide, much)
    yield case("one sample", [{"linear": 4}, "tanh", {"linear": 1}], numbers(1, 1), numbers(1, 1))


def convolution_cases():
    """Each activation between two layers with weights, so that the gradient of its input is tested, too."""
    t = numbers(5, 3)
    line = [{"out_channels": 7, "kernel_size": 3}, {"out_channels": 4, "kernel_size": 4, "stride": 3, "padding": 2},
            {"out_channels": 6, "kernel_size": 5, "padding": "same", "groups": 2, "dilation": 2}]
    image = [{"out_channels": 3, "kernel_size": 1}, {"out_channels": 5, "kernel_size": [3, 2], "padding": [1, 0]},
             {"out_channels": 8, "kernel_size": 3, "stride": 2, "padding": 1, "groups": 4, "bias": False},
             {"out_channels": 6, "kernel_size": 4, "padding": "same"},
             {"out_channels": 4, "kernel_size": 2, "padding": "valid", "stride": [2, 1], "dilation": [1, 3]},
             {"out_channels": 12, "kernel_size": 3, "padding": 3, "groups": 12}, {"out_channels": 9, "kernel_size": [6, 5]}]
    volume = [{"out_channels": 5, "kernel_size": 2}, {"out_channels": 4, "kernel_size": [3, 1, 2], "stride": 2, "padding": 1},
              {"out_channels": 4, "kernel_size": 3, "padding": "same", "groups": 2}]
    spread = [{"output_padding": 1, "stride": 2}, {"output_padding": 2, "dilation": 3, "stride": 2, "padding": 1},
              {"groups": 2, "padding": 1, "bias": False}]
    for axes, shape, settings in ((1, [8, 4], line), (2, [6, 5, 12], image), (3, [4, 3, 4, 2], volume)):
        x = numbers(5, int(numpy.prod(shape)))
        own = settings + [{"out_channels": 4, "kernel_size": 3, **more} for more in spread]
        for number, layer in enumerate(own):
            kind = f"conv{axes}d" if number < len(settings) else f"conv_transpose{axes}d"
            yield case(f"layer {kind} {layer}", [{"reshape": shape}, "tanh", {"linear": shape[-1]}, {kind: layer}, "tanh",
                                                 "flatten", {"linear": 3}], x, t)


def image_cases():
    """Layers over [batch, spatial axes, channels], between two layers with weights, so that gradients pass through them."""
    line, image, volume = [7, 5], [7, 6, 4], [4, 5, 3, 2]

    def around(layers, shape, lr=0.3):
        layers = layers if isinstance(layers, list) else [layers]
        values = int(numpy.prod(shape))
        text = " ".join(str(layer) for layer in layers).replace("'", "")
        return case(f"image {text} of {shape}",
                    [{"linear": values}, {"reshape": shape}, *layers, "tanh", "flatten", {"linear": 3}],
                    numbers(5, 4), numbers(5, 3), optimizer={"type": "sgd", "lr": lr})

    for kind in ("max", "avg"):
        for n, shape in enumerate((line, image, volume), 1):
            name = f"{kind}_pool{n}d"
            for extra in ({"kernel_size": 2}, {"kernel_size": 3, "stride": 2, "padding": 1},
                          {"kernel_size": 3, "stride": 2, "ceil_mode": True},
                          {"kernel_size": 2, "stride": 3, "padding": 1, "ceil_mode": True}):
                yield around({name: extra}, shape)
        for size in (1, 3, -1):
            yield around({f"adaptive_{kind}_pool": size}, image)
        yield around({f"adaptive_{kind}_pool": 4}, line)
        yield around({f"adaptive_{kind}_pool": [5, -1]}, image)
        yield around({f"adaptive_{kind}_pool": [3, 2, 3]}, volume)
    yield around({"max_pool1d": {"kernel_size": 3, "stride": 1, "padding": 1, "dilation": 2}}, line)
    yield around({"max_pool2d": {"kernel_size": [3, 2], "stride": [1, 2], "padding": [1, 0], "dilation": [2, 1]}}, image)
    for extra in ({"count_include_pad": False}, {"divisor_override": 2}):
        yield around({"avg_pool2d": {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True, **extra}}, image)
    for keep in (False, True):
        yield around({"global_avg_pool": keep}, image)
        yield around({"global_max_pool": keep}, image)
    for n, (mode, shape) in enumerate((("linear", line), ("bilinear", image), ("trilinear", volume)), 1):
        for size in ({"scale_factor": 2}, {"scale_factor": 1.7}, {"scale_factor": 0.6}, {"size": [9, 4, 7][:n]}):
            yield around({"upsample": size}, shape, 0.03)
            for align in (False, True):
                yield around({"upsample": {**size, "mode": mode, "align_corners": align}}, shape, 0.03)
    yield around({"pixel_shuffle": 2}, image)
    yield around({"pixel_unshuffle": 2}, [4, 6, 3])
    yield around({"dropout2d": 0}, image)
    for norm in ("batch_norm", {"batch_norm": {"momentum": 0.4}}, {"group_norm": 2}, "instance_norm", "layer_norm",
                 {"layer_norm": 3}, {"instance_norm": {"track_running_stats": True, "affine": True}},
                 {"instance_norm": {"track_running_stats": True, "momentum": 0.4}}):
        yield around(norm, image)
    yield around(["batch_norm"], volume)
    yield around([{"linear": {"units": 6, "name": "body"}}, {"global_avg_pool": True}, {"linear": 2}, "relu", {"linear": 6},
                  "sigmoid", {"mul": {"from": ["body", "sigmoid1"]}}], image)


def sequence_cases():
    """Five steps of four features, after a layer with weights, so that the gradient of the input is tested, too."""
    x, t = numbers(11, 20), numbers(11, 3)

    def around(what, *layers, steps=4, **more):
        return case(f"sequence {what}", [{"linear": 20}, {"reshape": [5, 4]}, *layers, {"linear": 3}], x, t, steps,
                    **{"optimizer": {"type": "sgd", "lr": 0.3}, **more})

    for cell, more in (("lstm", {}), ("gru", {}), ("rnn", {}), ("rnn", {"nonlinearity": "relu"})):
        for layers in (1, 2):
            for both in (False, True):
                settings = {"hidden_size": 7, "num_layers": layers, "bidirectional": both, **more}
                yield around(f"{cell} {settings}", {cell: settings}, "flatten")
                yield around(f"{cell} {settings} last", {cell: {**settings, "return": "last"}})
        yield around(f"{cell} {more} without bias", {cell: {"hidden_size": 6, "bias": False, **more}}, "flatten")
    yield around("lstm forget_bias", {"lstm": {"hidden_size": 6, "forget_bias": 1, "return": "last"}})
    yield around("lstm on lstm", {"lstm": 5}, "relu", {"lstm": {"hidden_size": 33, "return": "last"}})
    yield around("lstm, ten steps of adam", {"lstm": {"hidden_size": 9, "num_layers": 2, "return": "last"}}, steps=10,
                 optimizer={"type": "adam", "lr": 0.02, "clip_norm": 0.5})
    yield around("lstm of many units", {"lstm": {"hidden_size": 130, "return": "last"}})
    for pooling in ("mean", "max", "last"):
        yield around(f"sequence_pool {pooling}", {"gru": 6}, {"sequence_pool": pooling})
    for gate in ("sigmoid", "silu"):
        yield around(f"glu {gate}", {"glu": gate}, "flatten")


def text_cases():
    """Language models of eleven characters: the output layer has its own weights, or those of the embedding."""
    for what, last in (("untied", 11), ("tied", {"weight": "characters"})):
        for smoothing in (0, 0.1):
            name = f"text lstm, {what}, smoothing {smoothing}"
            text = numpy.concatenate([numpy.arange(11), classes(11, 5 * 12 + 1 - 11)(generator(name))])
            yield case(name, [{"embedding": {"embedding_dim": 6, "name": "characters"}},
                              {"lstm": {"hidden_size": 6, "num_layers": 2}}, {"linear": last}],
                       text[:-1].reshape(5, 12), text[1:].reshape(5, 12), 10,
                       loss={"type": "cross_entropy", "label_smoothing": smoothing}, optimizer={"type": "adam", "lr": 0.02})


def loss_cases():
    model = [{"linear": 9}, "tanh", {"linear": 4}]
    x, labels = numbers(17, 5), classes(4, 17)
    for smoothing in (0, 0.1):
        yield case(f"loss cross_entropy, smoothing {smoothing}", model, x, labels,
                   loss={"type": "cross_entropy", "label_smoothing": smoothing})
        yield case(f"loss cross_entropy, weights, smoothing {smoothing}", model, x, labels,
                   loss={"type": "cross_entropy", "label_smoothing": smoothing, "class_weights": [1, 0.25, 3, 2]})
        yield case(f"loss bce, smoothing {smoothing}", model, x, bits(17, 4),
                   loss={"type": "bce", "label_smoothing": smoothing})
    yield case("loss bce of probabilities", model, x, numbers(17, 4, low=0, high=1), loss="bce")
    for kind in ("mse", "mae"):
        yield case(f"loss {kind}", model, x, numbers(17, 4), loss=kind)
    for delta in (0.3, 1, 5):
        yield case(f"loss huber {delta}", model, x, numbers(17, 4), loss={"type": "huber", "delta": delta})
    yield case("loss sum_squared", model, x, bits(17, 4), loss="sum_squared", optimizer={"type": "sgd", "lr": 0.003})
    large = numbers(17, 5, low=-120, high=120)
    yield case("loss of large logits", [{"linear": 4}], large, labels, loss="cross_entropy")
    yield case("loss bce of large logits", [{"linear": 4}], large, bits(17, 4), loss="bce")


def equation_cases():
    """Differential equations: derivatives of layers with respect to their inputs, and the gradients of these."""
    x, t = numbers(9, 2, low=-1, high=1), numbers(9, 1)
    layers = [["tanh"], ["silu"], ["softmax"], ["layer_norm"], ["rms_norm"], [{"group_norm": 1}], [{"group_norm": 3}],
              [{"reshape": [3, 4]}, {"instance_norm": {"eps": 0.02}}, "flatten"],
              [{"reshape": [3, 4]}, {"instance_norm": {"affine": True}}, "flatten"],
              [{"reshape": [3, 4]}, {"group_norm": 2}, "flatten"],
              [{"reshape": [3, 4]}, {"conv1d": {"out_channels": 4, "kernel_size": 2}}, "sigmoid", "flatten"]]
    for layer in layers:
        for residual in ("u_x - y", "u_xx + u*u_y", "u_xx + u_yy + sin(x)", "u_xxy"):
            yield case(f"pde {residual} with {layer}", [{"linear": 12}, "tanh", *layer, {"linear": 5}, "sin", {"linear": 1}],
                       x, t, loss={"type": "pde", "residual": residual}, optimizer={"type": "sgd", "lr": 0.002})


def optimizer_cases():
    model = [{"linear": 11}, "silu", {"linear": 3}]
    x, t = numbers(19, 6), numbers(19, 3)
    settings = [
        {"type": "sgd", "lr": 0.1}, {"type": "sgd", "lr": 0.05, "momentum": 0.9},
        {"type": "sgd", "lr": 0.05, "momentum": 0.9, "nesterov": True},
        {"type": "sgd", "lr": 0.05, "momentum": 0.8, "weight_decay": 0.1}, {"type": "adam", "lr": 0.01},
        {"type": "adam", "lr": 0.01, "betas": [0.5, 0.9], "eps": 1e-3, "weight_decay": 0.2},
        {"type": "adamw", "lr": 0.02}, {"type": "adamw", "lr": 0.02, "weight_decay": 0.3, "betas": [0.8, 0.95]},
        {"type": "rmsprop", "lr": 0.005}, {"type": "rmsprop", "lr": 0.005, "centered": True, "eps": 1e-4},
        {"type": "rmsprop", "lr": 0.005, "momentum": 0.9, "alpha": 0.9, "weight_decay": 0.1},
        {"type": "lion", "lr": 0.002}, {"type": "lion", "lr": 0.002, "betas": [0.8, 0.95], "weight_decay": 0.5},
    ]
    additions = [{}, {"clip_norm": 0.5}, {"clip_value": 0.05}, {"clip_norm": 0.2, "clip_value": 0.1}, {"ema": 0.7},
                 {"parameters": [{"match": "*.bias", "lr": 0.001, "weight_decay": 0}]},
                 {"parameters": [{"match": "linear1.*", "frozen": True}]},
                 {"parameters": [{"match": "linear1.*", "frozen": True}], "ema": 0.7}]
    for number, own in enumerate(settings):
        for addition in additions:
            what = " ".join(f"{k}={v}" for k, v in {**own, **addition}.items() if k != "type")
            yield case(f"optimizer {own['type']} ({number}) {what}", model, x, t, 6, optimizer={**own, **addition})

    norms = [{"linear": 11}, "batch_norm", "silu", {"linear": 3}]
    for own in ({"ema": 0.7}, {"ema": 0.7, "ema_statistics": True}):
        yield case(f"optimizer with running statistics {own}", norms, x, t, 6, optimizer={"type": "sgd", **own})

    for own in ({}, {"history_size": 2}, {"lr": 0.05, "line_search_fn": "none"}):
        for addition in ({}, {"parameters": [{"match": "linear1.*", "frozen": True}]}):
            own = {**own, **addition}
            yield case(f"optimizer lbfgs {own}", model, x, t, 10, optimizer={"type": "lbfgs", **own})
    name = "optimizer lbfgs, a formula"
    points = numbers(1000, 2, low=-1, high=1)(generator(name))
    values = numpy.exp(numpy.sin(numpy.pi * points[:, :1]) + points[:, 1:] ** 2).astype(numpy.float32)
    yield case(name, [{"linear": 20}, "tanh", {"linear": 20}, "tanh", {"linear": 1}], points, values,
               10, optimizer="lbfgs", train={"batch_size": 300})


def schedule_cases():
    model, x, t = [{"linear": 4}, "tanh", {"linear": 2}], numbers(9, 3), numbers(9, 2)
    schedules = [{"type": "cosine"}, {"type": "cosine", "min_factor": 0.2}, {"type": "linear"},
                 {"type": "linear", "start_factor": 0.1, "end_factor": 0.7, "steps": 5},
                 {"type": "exponential", "gamma": 0.8}, {"type": "step", "step_size": 3, "gamma": 0.3},
                 {"type": "one_cycle"}, {"type": "one_cycle", "anneal": "linear", "pct_start": 0.4, "max_lr": 0.2},
                 {"type": "one_cycle", "div_factor": 5, "final_div_factor": 50},
                 {"type": "plateau", "patience": 1, "factor": 0.5, "threshold": 0.05}]
    for schedule in schedules:
        for kind in ("sgd", "adamw"):
            what = " ".join(f"{k}={v}" for k, v in schedule.items())
            yield case(f"schedule {what} under {kind}", model, x, t, 12, schedule=schedule,
                       optimizer={"type": kind, "lr": 0.05})


def gate_cases():
    # Not Adam: gates that are nearly certain at the start have gradients near its eps, where it amplifies rounding.
    sgd, adam = {"type": "sgd", "lr": 4}, {"type": "adam", "lr": 0.02}
    x, labels = numbers(14, 9, low=0, high=1), classes(3, 14)
    for init in ("normal", "pass_through", "residual"):
        for wiring in ("random", "unique"):
            logic = {"logic": {"units": 21, "init": init, "wiring": wiring}}
            yield case(f"gates {init} {wiring}", [logic, logic, {"group_sum": {"groups": 3, "tau": 2}}], x, labels,
                       loss="cross_entropy", optimizer=sgd)
    yield case("gates under adam", [{"logic": 21}, {"logic": 21}, {"group_sum": {"groups": 3, "tau": 2}}], x, labels,
               loss="cross_entropy", optimizer=adam)
    yield case("gates where inputs are read twice", [{"logic": 36}, {"logic": 36}, {"group_sum": {"groups": 3, "tau": 2}}],
               numbers(14, 36, low=0, high=1), labels, loss="cross_entropy", optimizer=sgd)
    yield case("gates over thresholds", [{"threshold": [0.3, 0.6]}, {"logic": 30}, {"group_sum": 3}], x, labels,
               loss="cross_entropy", optimizer=sgd)
    image = numbers(6, 6 * 5 * 2, low=0, high=1)
    for extra in ({}, {"padding": 1}, {"padding": 1, "pool": 2}, {"stride": 2, "depth": 2}, {"kernel": 2, "depth": 1},
                  {"depth": 4, "field_channels": 1, "init": "normal"}):
        what = " ".join(f"{k}={v}" for k, v in extra.items())
        yield case(f"gates in trees {what}", [{"reshape": [6, 5, 2]}, {"logic_conv2d": {"channels": 5, **extra}}, "flatten",
                                              {"linear": 3}], image, classes(3, 6), loss="cross_entropy", optimizer=sgd)
    board = bits(5, 4 * 6 * 2)
    rule = {"kernels": 3, "update": [16, 8, 4, 2], "steps": 2}
    for extra in ({}, {"periodic": True}, {"steps": 5, "average_last": 3}, {"outputs": 1}, {"init": "normal"},
                  {"init": "pass_through", "strength": 3, "perception": [8, 4, 2, 1], "wiring": "random"}):
        what = " ".join(f"{k}={v}" for k, v in extra.items())
        outputs = extra.get("outputs", 2)
        yield case(f"automaton {what}", [{"reshape": [4, 6, 2]}, {"logic_ca": {**rule, **extra}}], board,
                   bits(5, 4 * 6 * outputs), loss="sum_squared", optimizer={"type": "sgd", "lr": 0.5, "clip_value": 100})


def all_cases():
    yield from layer_cases()
    yield from image_cases()
    yield from sequence_cases()
    yield from loss_cases()
    yield from optimizer_cases()
    yield from schedule_cases()
    yield from gate_cases()
    yield from convolution_cases()
    yield from equation_cases()
    yield from text_cases()
