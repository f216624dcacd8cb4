"""Objects, containers, closures and globals that hold the source and write to it."""

from __future__ import annotations

from .handles import Handle, take_hold
from .tensors import Scope

HELPERS = {
    "Holder": """\
class Holder:
    def __init__(self, value):
        self.value = value
        self.count = 0

    def step(self):
        with torch.no_grad():
            self.value.mul_(0.5)

    def reset_(self):
        self.value.detach().zero_()

    def update(self, key=None):
        self.value = self.value * 2

    def peek(self):
        self.count += 1
        return self.count

    def __call__(self, other=None):
        self.value.detach().add_(1)

    def __len__(self):
        self.value.detach().neg_()
        return 1

    def __getitem__(self, key):
        return self.value

    def __setitem__(self, key, new):
        self.value.detach()[key] = new

    def __iadd__(self, number):
        self.value.detach().add_(number)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.value.detach().mul_(3)

    @property
    def level(self):
        self.value.detach().mul_(0.25)
        return 1.0

    @level.setter
    def level(self, number):
        self.value.detach().fill_(number)
""",
    "Child": """\
class Child(Holder):
    def __init__(self, value):
        super().__init__(value)
        self.first = value

    def step(self):
        super().step()

    def peek(self):
        return super().peek()
""",
    "Owner": """\
class Owner:
    def __init__(self, value):
        self.logits = value

    def read(self):
        wide = self.logits.float()
        self.change()
        return wide[..., 0]

    def read_quietly(self):
        wide = self.logits.float()
        self.look()
        return wide[:, -1]

    def look(self):
        return self.logits.shape

    def change(self):
        self.logits.detach().mul_(2)
""",
    "Rebound": """\
class Rebound(Owner):
    def look(self):
        self.logits = self.logits * 2
""",
    "STATE": "STATE = {}\n",
    "hold": "def hold(value):\n    STATE['value'] = value\n",
    "spoil": "def spoil():\n    STATE['value'].detach().mul_(0.5)\n",
    "replace": "def replace():\n    STATE['value'] = STATE['value'] * 2\n",
    "poke": "def poke(holder):\n    holder['value'].detach().mul_(0.5)\n",
    "shake": "def shake(holder):\n    holder[0].detach().mul_(0.5)\n",
    "nudge": "def nudge(holder):\n    holder.value.detach().mul_(0.5)\n",
    "look_at": "def look_at(holder):\n    return len(holder)\n",
    "call": "def call(function, *given):\n    return function(*given)\n",
    "Decay": """\
class Decay:
    def __init__(self, weights):
        self.groups = [{'weights': list(weights)}]

    def step(self):
        for group in self.groups:
            for weight in group['weights']:
                weight.data.mul_(0.9)
""",
}

_OBJECT_CHANGES = (
    "$h.step()",
    "$h.reset_()",
    "$h.update(n)",
    "$h.peek()",
    "$h()",
    "$h[0] = 5",
    "$h[..., 0] = 0.5",
    "$h += 1",
    "$h.level = 0.5",
    "$o = $h.level",
    "$o = len($h)",
    "with $h as $o:\n    $o.peek()",
    "with $h:\n    pass",
    "nudge($h)",
    "call($h.step)",
    "call($h)",
    "vars($h)['value'].detach().zero_()",
    "$h.__dict__['value'] = $h.value * 2",
    "setattr($h, 'value', $h.value * 2)",
    "getattr($h, 'step')()",
    "$h.value.detach().mul_(2)",
    "$h.value = $h.value * 2",
    "$h.value = None",
    "del $h.value",
    "$o = $h\n$o.step()",
    "for $o in [$h]:\n    $o.step()",
    "fn($h.value)",
)
_DICT_CHANGES = (
    "$h['value'].detach().mul_(2)",
    "$h['value'] *= 2",
    "$h['value'] = $h['value'] * 2",
    "$h.update(value=$h['value'] * 2)",
    "$h |= {'value': $h['value'] * 2}",
    "poke($h)",
    "look_at($h)",
    "$h.pop('value').detach().mul_(2)",
    "$h.clear()",
    "for $o in $h.values():\n    $o.detach().zero_()",
    "for _, $o in $h.items():\n    $o.detach().zero_()",
    "[$o.detach().zero_() for $o in $h.values()]",
    "$h.get('value').detach().mul_(2)",
    "$h.setdefault('value', None).detach().mul_(2)",
    "$o = dict($h)\n$o['value'].detach().mul_(2)",
    "$o = {**$h}\npoke($o)",
    "$o = $h.copy()\npoke($o)",
)
_LIST_CHANGES = (
    "$h[0].detach().mul_(2)",
    "$h[0] *= 2",
    "$h[0] = $h[0] * 2",
    "$h[:] = [$h[0] * 2]",
    "$h.pop().detach().zero_()",
    "$h.insert(0, n)",
    "shake($h)",
    "look_at($h)",
    "[$o.detach().zero_() for $o in $h]",
    "for $o in $h:\n    $o.detach().zero_()",
    "for _, $o in enumerate($h):\n    $o.detach().zero_()",
    "for $o, _ in zip($h, $h):\n    $o.detach().zero_()",
    "$o, = $h\n$o.detach().zero_()",
    "$o = $h + []\nshake($o)",
    "$o = [*$h]\nshake($o)",
    "torch._foreach_mul_([$o.detach() for $o in $h], 2)",
)
_CALLED = (
    "$h()",
    "call($h)",
    "sorted([1], key=$h)",
    "$o = $h\n$o()",
    "list(map($h, [1]))",
    "[$h() for _ in range(1)]",
    "any($h() is n for _ in range(1))",
    "$o = {'f': $h}\n$o['f']()",
    "store.hook = $h\nstore.hook()",
    "box.append($h)\nbox.pop()()",
)
_OBJECTS = (
    Handle("$h = Holder($s)", _OBJECT_CHANGES, "$h.value"),
    Handle("$h = Child($s)", _OBJECT_CHANGES, "$h.value"),
    Handle("$h = Child($s)", _OBJECT_CHANGES, "$h.first"),
    Handle("store.held = Holder($s)", ("store.held.step()", "store.held[0] = 5")),
)
_CONTAINERS = (
    Handle("$h = {'value': $s}", _DICT_CHANGES, "$h['value']"),
    Handle("$h = dict(value=$s)", _DICT_CHANGES, "$h['value']"),
    Handle("$h = {}\n$h['value'] = $s", _DICT_CHANGES, "$h['value']"),
    Handle("$h = [$s]", _LIST_CHANGES, "$h[0]"),
    Handle("$h = list(($s,))", _LIST_CHANGES, "$h[0]"),
    Handle("$h = []\n$h.append($s)", _LIST_CHANGES, "$h[0]"),
)
_CLOSURES = (
    Handle("def $h(*_):\n    $s.detach().mul_(0.5)", _CALLED),
    Handle("$h = lambda *_: $s.detach().mul_(0.5)", _CALLED),
    Handle("def $h(*_, v=$s):\n    v.detach().mul_(0.5)", _CALLED),
    Handle("def $h(*_):\n    return $s.shape", _CALLED),
)
_GLOBALS = (
    Handle(
        "hold($s)",
        (
            "spoil()",
            "replace()",
            "STATE['value'].detach().mul_(2)",
            "STATE.pop('value').detach().mul_(2)",
            "call(spoil)",
            "poke(STATE)",
        ),
        "STATE['value']",
    ),
    Handle("STATE['value'] = $s", ("spoil()", "replace()"), "STATE['value']"),
)
GROUPS = (_OBJECTS, _CONTAINERS, _CLOSURES, _GLOBALS)


def prelude(scope: Scope) -> list[str]:
    if scope.choices.chance(15):
        return _optimizer(scope)
    return take_hold(scope, scope.choices.pick(GROUPS))


def _optimizer(scope: Scope) -> list[str]:
    """Weights that an optimizer changes, or their gradients."""
    choices = scope.choices
    weight, optimizer = scope.fresh("weight"), scope.fresh("optimizer")
    lines = [
        f"{weight} = nn.Parameter({scope.source.text}.detach().clone())",
        f"{weight}.grad = torch.ones_like({weight})",
    ]
    kind = choices.pick(("Decay", "torch.optim.SGD"))
    rate = "" if kind == "Decay" else ", lr=0.5"
    group = choices.pick((f"[{weight}]", f"iter([{weight}])"))
    lines.append(f"{optimizer} = {kind}({group}{rate})")
    of_gradient = choices.chance(35)
    text = f"{weight}.grad" if of_gradient else weight
    scope.source = scope.source.become(text)
    scope.writers += [[f"{optimizer}.step()"], [f"call({optimizer}.step)"]] * 2
    scope.writers += [
        [f"torch.nn.utils.clip_grad_norm_([{weight}], 0.1)"],
        [f"torch.nn.utils.clip_grad_norm_({weight}, 0.1)"],
        ["with torch.enable_grad():", f"    ({weight} * 2).sum().backward()"],
        [f"{weight}.grad = None"],
        [f"{weight}.grad = {weight}.grad * 2"],
    ]
    if kind != "Decay":
        scope.writers += [
            [f"{optimizer}.zero_grad(set_to_none=False)"],
            [f"{optimizer}.zero_grad()"],
        ]
    return lines


def statement(scope: Scope) -> list[str]:
    """A method of an object reads the source that it holds, or holds are taken."""
    choices = scope.choices
    if choices.chance(40):
        return prelude(scope)
    name = scope.fresh("own")
    kind = choices.pick(("Owner", "Rebound"))
    call = choices.pick(("read()", "read_quietly()"))
    scope.lists.append(name)
    return [f"{name} = {kind}({scope.source.text}).{call}"]
