"""Losses, optimizers and schedules of gtrain in PyTorch, and a training loop that follows a config."""

import fnmatch
import math
import re

import torch
from torch.nn import functional

from layers import forward, is_state


def typed(value, fallback):
    """(name, settings) of `adam`, {type: adam, …} or {huber: …}."""
    if value is None:
        value = fallback
    if isinstance(value, str):
        return value, {}
    return value["type"], {key: v for key, v in value.items() if key != "type"}


def derivative(u, x, axes):
    """The derivative of u [rows] along columns of x, one after the other; rows do not depend on each other."""
    for axis in axes:
        u = torch.autograd.grad(u.sum(), x, create_graph=True)[0][:, "xyz".index(axis)]
    return u


def equation(residual, x, y):
    """The mean square of a formula of the inputs x, y, z, the output u and its derivatives u_xy…."""
    known = {name: x[:, k] for k, name in zip(range(x.shape[1]), "xyz")} | {"u": y[:, 0], "sin": torch.sin}
    known |= {name: derivative(y[:, 0], x, name[2:]) for name in set(re.findall(r"u_[xyz]+", residual))}
    return (eval(residual.replace("^", "**"), {"__builtins__": {}}, known) ** 2).mean()


def loss_function(config, x):
    """x: the inputs, which only differential equations need."""
    kind, settings = typed(config, "mse")
    if kind == "pde":
        return lambda y, t: equation(settings["residual"], x, y)
    smoothing = settings.get("label_smoothing", 0)
    if kind == "cross_entropy":
        weights = settings.get("class_weights")
        return lambda y, t: functional.cross_entropy(y.flatten(0, -2), t.flatten(), torch.tensor(weights, dtype=y.dtype) if weights else None,
                                                     label_smoothing=smoothing)
    if kind == "bce":
        return lambda y, t: functional.binary_cross_entropy_with_logits(y, t * (1 - smoothing) + smoothing / 2)
    if kind == "huber":
        return lambda y, t: functional.huber_loss(y, t, delta=settings.get("delta", 1))
    if kind == "sum_squared":  # differentiated as a sum over the batch, logged as its mean
        return lambda y, t: ((y - t) ** 2).sum()
    return {"mse": functional.mse_loss, "mae": functional.l1_loss}[kind]


class Lion(torch.optim.Optimizer):
    """Chen et al., "Symbolic Discovery of Optimization Algorithms", 2023, algorithm 2."""

    def __init__(self, groups, lr, betas=(0.9, 0.99), weight_decay=0):
        super().__init__(groups, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                direction = torch.sign(group["betas"][0] * m + (1 - group["betas"][0]) * p.grad)
                p.mul_(1 - group["lr"] * group["weight_decay"]).sub_(group["lr"] * direction)
                m.mul_(group["betas"][1]).add_(p.grad, alpha=1 - group["betas"][1])


OPTIMIZERS = {"sgd": (torch.optim.SGD, 0.01), "adam": (torch.optim.Adam, 1e-3), "adamw": (torch.optim.AdamW, 1e-3),
              "rmsprop": (torch.optim.RMSprop, 0.01), "lion": (Lion, 1e-4),
              "lbfgs": (lambda groups, **own: torch.optim.LBFGS([p for g in groups for p in g["params"]], max_iter=1, **{"history_size": 100, "line_search_fn": "strong_wolfe", **{k: None if v == "none" else v for k, v in own.items()}}), 1)}


def make_optimizer(config, tensors):
    kind, settings = typed(config, "adam")
    own = {key: value for key, value in settings.items() if key not in ("parameters", "clip_value", "clip_norm", "ema", "ema_statistics")}
    groups = []
    for name, tensor in tensors.items():
        if not tensor.requires_grad:
            continue
        rule = next((r for r in settings.get("parameters", []) if fnmatch.fnmatch(name, r["match"])), {})
        if rule.get("frozen"):
            tensor.requires_grad_(False)
            continue
        groups.append({"params": [tensor], **{k: v for k, v in rule.items() if k != "match"}})
    make, lr = OPTIMIZERS[kind]
    own.setdefault("lr", lr)
    return make(groups, **own), settings


def make_schedule(config, optimizer, steps):
    """The corresponding PyTorch scheduler; none for constant."""
    from torch.optim import lr_scheduler as schedulers

    kind, settings = typed(config, "constant")
    lr = optimizer.param_groups[0]["lr"]
    if kind == "cosine":
        return schedulers.CosineAnnealingLR(optimizer, settings.get("steps", steps),
                                            eta_min=lr * settings.get("min_factor", 0))
    if kind == "exponential":
        return schedulers.ExponentialLR(optimizer, settings["gamma"])
    if kind == "step":
        return schedulers.StepLR(optimizer, settings["step_size"], settings.get("gamma", 0.1))
    if kind == "linear":
        return schedulers.LinearLR(optimizer, settings.get("start_factor", 1), settings.get("end_factor", 0),
                                   settings.get("steps", steps))
    if kind == "one_cycle":
        own = {"div_factor": 25, "final_div_factor": 1e4, "pct_start": 0.3, **settings}
        return schedulers.OneCycleLR(optimizer, max_lr=own.get("max_lr", lr), total_steps=steps,
                                     pct_start=own["pct_start"], anneal_strategy=own.get("anneal", "cos"),
                                     div_factor=own["div_factor"], final_div_factor=own["final_div_factor"],
                                     cycle_momentum=False)
    if kind == "plateau":
        return schedulers.ReduceLROnPlateau(optimizer, factor=settings.get("factor", 0.1),
                                            patience=settings.get("patience", 10),
                                            threshold=settings.get("threshold", 1e-4),
                                            min_lr=settings.get("min_lr", 0))
    assert kind == "constant", kind
    return None


def numbers_of(inputs, dtype):
    """Integers stay integers: they are tokens."""
    x = torch.tensor(inputs)
    return x.to(dtype) if x.is_floating_point() else x.long()


def train(config, start, inputs, targets, steps, dtype):
    """Trains from the weights `start`. Returns [(loss, lr, {name: weights})], one for each step; the weights are
    those that evaluations use (the moving average if there is one)."""
    tensors = {}
    for name, value in start.items():
        tensor = torch.tensor(value)
        tensors[name] = tensor.to(dtype) if tensor.is_floating_point() else tensor
        tensors[name].requires_grad_(tensor.is_floating_point() and not is_state(name))
    x = numbers_of(inputs, dtype)
    t = torch.tensor(targets)
    t = t.to(dtype) if t.is_floating_point() else t.long()
    optimizer, settings = make_optimizer(config.get("optimizer"), tensors)
    schedule = make_schedule(config.get("schedule"), optimizer, steps)
    differential = typed(config.get("loss"), "mse")[0] == "pde"
    x.requires_grad_(differential)
    compute = loss_function(config.get("loss"), x)
    mean = len(x) if typed(config.get("loss"), "mse")[0] == "sum_squared" else 1
    trained = [v for v in tensors.values() if v.requires_grad]
    average = {name: v.detach().clone() for name, v in tensors.items()}
    history = []

    def closure():
        optimizer.zero_grad()
        y = forward(config["model"], tensors, x, formulas=differential)
        loss = compute(y.reshape(t.shape) if t.is_floating_point() else y, t)
        loss.backward()
        return loss

    for _ in range(steps):
        if isinstance(optimizer, torch.optim.LBFGS):
            loss, rate = optimizer.step(closure), None
            history.append((loss.item() / mean, rate, {n: v.detach().clone().double().numpy() for n, v in tensors.items()}))
            continue
        loss = closure()
        if "clip_value" in settings:
            torch.nn.utils.clip_grad_value_(trained, settings["clip_value"])
        if "clip_norm" in settings:
            torch.nn.utils.clip_grad_norm_(trained, settings["clip_norm"])
        lr = optimizer.param_groups[0]["lr"]
        optimizer.step()
        if isinstance(schedule, torch.optim.lr_scheduler.ReduceLROnPlateau):
            with torch.no_grad():
                y = forward(config["model"], tensors, x)
                schedule.step(compute(y.reshape(t.shape) if t.is_floating_point() else y, t).item())
        elif schedule:
            schedule.step()
        keep = settings.get("ema", 0)
        for name, v in tensors.items():
            averaged = v.requires_grad or (settings.get("ema_statistics") and "running_" in name)
            average[name] = keep * average[name] + (1 - keep) * v.detach() if averaged else v
        history.append((loss.item() / mean, lr, {n: v.clone().double().numpy() for n, v in average.items()}))
    return history
