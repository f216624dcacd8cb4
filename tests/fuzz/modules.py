"""Modules made in the program: their weights and running statistics as sources.

A module is cast in place and gives itself, so that it is no tensor whatever is called.
"""

from __future__ import annotations

from .handles import Handle, take_hold
from .tensors import Kind, Scope, Tensor

HELPERS = {
    "wipe": "def wipe(module):\n    for p in module.parameters():\n"
    "        p.data.zero_()\n",
    "Block": """\
class Block(nn.Module):
    def __init__(self, value):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 2)])
        self.heads.to(torch.bfloat16)
        self.register_buffer('table', value)

    def forward(self, given):
        self.table.detach().mul_(0.5)
        return given

    def first(self):
        head = self.heads.float()[0]
        return head(torch.ones(3)), self.heads[1].weight.dtype

    def row(self):
        wide = self.table.float()
        self(1)
        return wide[..., 0]

    def still(self):
        wide = self.table.float()
        self.register_buffer('table', wide * 2)
        return wide[:, -1]
""",
}
_OF_NORM = (
    "$h($o)",
    "$h.train()($o)",
    "$h.forward($o)",
    "$h.eval()($o)",
    "$h.reset_running_stats()",
    "$h.half()",
    "$h.double()",
    "$h.to(torch.float64)",
    "$h.running_mean.zero_()",
    "$h.running_mean = $h.running_mean * 2",
    "$h._buffers['running_mean'].zero_()",
    "for $o in $h.buffers():\n    $o.zero_()",
    "$h.load_state_dict({k: v * 2 for k, v in $h.state_dict().items()})",
    "F.batch_norm($o, $h.running_mean, $h.running_var, None, None, True)",
    "F.batch_norm($o, $h.running_mean, $h.running_var, training=flag)",
    "F.batch_norm($o, $h.running_mean, $h.running_var)",
    "torch.batch_norm($o, None, None, $h.running_mean, $h.running_var, True, 0.1, "
    "1e-5, False)",
    "nn.Sequential($h)($o)",
    "call($h, $o)",
)
_OF_LINEAR = (
    "$h.half()",
    "$h.to(torch.float64)",
    "$h.to('cpu')",
    "$h.reset_parameters()",
    "nn.init.zeros_($h.weight)",
    "nn.init.constant_($h.weight, 0.5)",
    "$h.weight.data.mul_(2)",
    "$h.weight.data = $h.weight.data * 2",
    "$h.requires_grad_(False)",
    "$h.weight.requires_grad_(False)",
    "$h.weight.requires_grad = False",
    "wipe($h)",
    "$h.apply(wipe)",
    "for $o in $h.parameters():\n    $o.data.zero_()",
    "$h._apply(lambda p: p * 2)",
    "$h.load_state_dict({k: v * 2 for k, v in $h.state_dict().items()})",
    "torch.nn.utils.vector_to_parameters(torch.zeros(24).bfloat16(), [$h.weight])",
    "$h(torch.ones(2, 4, dtype=torch.bfloat16))",
    "$h.weight = nn.Parameter($h.weight.detach() * 2)",
    "$h.eval()",
    "$h.state_dict()['weight'].zero_()",
)
_MADE_TABLE = "$h = Block($s)"


def prelude(scope: Scope) -> list[str]:
    """A source that a module holds."""
    choices = scope.choices
    match choices.below(3):
        case 0:
            return _norm(scope)
        case 1:
            return _linear(scope)
        case _:
            changes = (
                "$h(n)",
                "$h.forward(n)",
                "$h.table.detach().zero_()",
                "$h.half()",
                "$h.register_buffer('table', $s * 2)",
                "$h.eval()",
            )
            return take_hold(scope, (Handle(_MADE_TABLE, changes, "$h.table"),))


def _norm(scope: Scope) -> list[str]:
    name, given = scope.fresh("norm"), scope.fresh("given")
    dtype = scope.choices.pick(("torch.bfloat16", "torch.float16", "torch.float32"))
    lines = [
        f"{name} = nn.BatchNorm1d(5).to({dtype})",
        f"{given} = torch.randn(4, 5).to({dtype})",
        f"{name}({given})",
    ]
    scope.source = Tensor(f"{name}.running_mean", ("C",), Kind.LOW)
    scope.writers += [
        form.replace("$h", name).replace("$o", given).split("\n") for form in _OF_NORM
    ]
    return lines


def _linear(scope: Scope) -> list[str]:
    name = scope.fresh("linear")
    made = scope.choices.pick(
        (
            "nn.Linear(4, 6, dtype=torch.bfloat16)",
            "nn.Linear(4, 6, bias=False).to(torch.bfloat16)",
            "nn.Linear(4, 6).half()",
            "nn.Embedding(6, 4, dtype=torch.bfloat16)",
        )
    )
    scope.source = Tensor(f"{name}.weight", ("O", "I"), Kind.LOW)
    scope.writers += [
        form.replace("$h", name).replace("$o", "p").split("\n") for form in _OF_LINEAR
    ]
    return [f"{name} = {made}"]


_NETS = (
    "nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2)).to(torch.bfloat16)",
    "nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2)).bfloat16()",
    "nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 2)]).to(torch.bfloat16)",
    "nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 2)]).half()",
)


def statement(scope: Scope) -> list[str]:
    """A module where a tensor could stand."""
    choices = scope.choices
    if choices.chance(35):
        name = scope.fresh("block")
        call = choices.pick(("first()", "row()", "still()"))
        scope.lists.append(name)
        return [f"{name} = Block({scope.source.text}).{call}"]
    net, wide, got = scope.fresh("net"), scope.fresh("wide"), scope.fresh("got")
    scope.lists.append(got)
    cast = choices.pick((".float()", ".to(torch.float32)", ".to(dtype=torch.float32)"))
    first = [f"{net} = {choices.pick(_NETS)}", f"{wide} = {net}{cast}"]
    if choices.chance(40):
        first = [f"{net} = model", f"{wide} = {net}{cast}"]
    return [
        *first,
        choices.pick(
            (
                f"{got} = {wide}[0](torch.ones(4)), {net}[1].weight.dtype",
                f"{got} = {wide}[-1].weight.dtype, {net}[0].weight.dtype",
                f"{got} = {wide}[:1], {net}[1].weight.dtype",
                f"{got} = {net}[1]({wide}[0](torch.ones(4)))",
            )
        ),
    ]
