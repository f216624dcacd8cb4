"""Other ways to a tensor: containers, comprehensions, bound methods, iterators."""

from __future__ import annotations

from .handles import Handle, take_hold
from .selections import selected
from .tensors import Scope, bare

HELPERS = {
    "first_of": "def first_of(*tensors):\n    return tensors[0]\n",
    "passing": "def passing(**tensors):\n    return tensors\n",
    "each_of": "def each_of(tensors):\n    for tensor in tensors:\n"
    "        yield tensor\n",
}
_ITEM = ("$h[0].detach().mul_(2)", "$h[0].data.zero_()", "touch($h[0])", "fn($h[0])")
_KEYED = ("$h['a'].detach().mul_(2)", "touch($h['a'])", "fn($h.get('a'))")
_DIRECT = (
    "$h.detach().mul_(2)",
    "$h.data.mul_(2)",
    "$h[..., 0] = 0",
    "touch($h)",
    "$h += 1",
    "$h.zero_()",
)
_CALLED = ("$h()", "call($h)", "[$h() for _ in range(1)]", "$o = $h\n$o()")
_METHOD = ("$h(2)", "call($h, 2)", "$o = $h\n$o(2)", "list(map($h, [2]))")
_LAZY = (
    "list($h)",
    "next($h)",
    "next(iter($h))",
    "for $o in $h:\n    pass",
    "tuple($h)",
    "[*$h]",
    "$o, = $h",
    "any($o is None for $o in $h)",
    "dict(enumerate($h))",
    "box.extend(o.sum() for o in $h)",
)
_GIVING = ("next($h).detach().mul_(2)", "for $o in $h:\n    $o.detach().mul_(2)")
_MAKERS: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (
        (
            "$h = [$s] + [other]",
            "$h = [$s] * 2",
            "$h = []\n$h += [$s]",
            "$h = []\n$h.extend([$s])",
            "$h = []\n$h.insert(0, $s)",
            "$h = [v for v in ($s,)]",
            "$h = [*[$s], n]",
            "$h = ($s, n)",
            "$h = ($s,) + (n,)",
            "$h = list(each_of([$s]))",
            "$h = list(map(same, [$s]))",
            "$h = list(filter(None.__class__.__ne__, [$s]))",
            "$h = sorted([$s], key=id)",
            "$h = collections.deque([$s])",
            "$h = copy.copy([$s])",
            "$h = [$s][:]",
            "$h = list(reversed([$s]))",
            "$h = list(zip([$s], [n]))[0]",
            "$h = tuple(itertools.chain([$s], [n]))",
            "$h, $o = [$s], n",
            "$h = [[$s]][0]",
            "$h = {0: $s}",
            "$h = dict(enumerate([$s]))",
            "$h = [$s, n] if flag else [$s]",
            "$h = $s.unbind(0)",
            "$h = list($s)",
            "$h = torch.split($s, 1)",
            "$h = [$s.clone()]",
        ),
        _ITEM,
    ),
    (
        (
            "$h = {'a': $s}",
            "$h = {**{'a': $s}}",
            "$h = {'a': n} | {'a': $s}",
            "$h = {k: $s for k in 'ab'}",
            "$h = dict(a=$s)",
            "$h = dict([('a', $s)])",
            "$h = passing(a=$s)",
            "$h = collections.defaultdict(list, a=$s)",
            "$h = {}\n$h.setdefault('a', $s)",
            "$h = {}\n$h.update(a=$s)",
            "$h = {}\n$h |= {'a': $s}",
            "$h = dict(zip(['a'], [$s]))",
            "store.a = $s\n$h = vars(store)",
            "setattr(store, 'a', $s)\n$h = store.__dict__",
            "store.__dict__['a'] = $s\n$h = {'a': store.a}",
        ),
        _KEYED,
    ),
    (
        (
            "$h = $s",
            "$h = $s.real",
            "$h = $s.view_as($s)",
            "$h = $s.T if $s.dim() == 2 else $s.mT",
            "$h = $s.expand($s.shape)",
            "$h = $s.expand_as($s)",
            "$h = $s.swapaxes(0, -1)",
            "$h = $s.unflatten(0, (1, -1))",
            "$h = $s.requires_grad_($s.requires_grad)",
            "$h = $s.to('cpu')",
            "$h = $s.to($s.dtype)",
            "$h = $s.type($s.dtype)",
            "$h = $s.cpu()",
            "$h = $s.type_as($s)",
            "$h = $s.reshape($s.shape)",
            "$h = $s.resolve_conj()",
            "$h = $s.as_strided($s.shape, $s.stride())",
            "$h = $s.as_subclass(torch.Tensor)",
            "$h = torch.atleast_1d($s)",
            "$h = max(($s,), key=id)",
            "$h = first_of($s, n)",
            "$h = (lambda v: v)($s)",
            "$h = [$s][0]",
            "$h = ($s, n)[0]",
            "$h = {'a': $s}['a']",
            "$h = $s if flag else other",
            "$h = flag and $s",
            "$h = functools.reduce(lambda a, b: a, [$s, n])",
            "$h = getattr(store, 'gone', $s)",
            "$h = functools.partial(same, $s)()",
            "$h = next(each_of([$s]))",
            "$h = contextlib.nullcontext($s).enter_result",
            "for $h in ($s,):\n    pass",
            "for _, $h in enumerate([$s]):\n    pass",
            "with contextlib.nullcontext($s) as $h:\n    pass",
            "match $s:\n    case $h:\n        pass",
            "($h := $s)",
            "$h, *$o = $s, n",
            "[$h] = [$s]",
            "$h = $o = $s",
            "$h = $s.clone()",
            "$h = $s * 1",
            "$h = $s + 0",
        ),
        _DIRECT,
    ),
    (
        (
            "$h = $s.detach().mul_",
            "$h = getattr($s.detach(), 'mul_')",
            "$h = getattr($s.detach(), 'mul' + '_')",
            "$h = functools.partial(torch.Tensor.mul_, $s.detach())",
            "$h = operator.methodcaller('mul_', 2)\n$h = functools.partial($h, $s)"
            "\n$h = lambda _, f=$h: f()",
            "$h = $s.data.__imul__",
            "$h = $s.detach().fill_",
            "$h = $s.mul",
        ),
        _METHOD,
    ),
    (
        (
            "$h = $s.detach().zero_",
            "$h = functools.partial(torch.Tensor.mul_, $s.detach(), 2)",
            "$h = functools.partial(touch, $s.detach())",
            "def $h(v=$s):\n    v.detach().mul_(2)",
            "def $h(*, v=$s):\n    v.detach().mul_(2)",
            "def $h(v=[$s]):\n    v[0].detach().mul_(2)",
            "$h = lambda v=$s: v.detach().zero_()",
            "$h = lambda: touch($s.detach())",
            "class $h:\n    v = $s\n\n    def __init__(self):\n"
            "        self.v.detach().mul_(2)",
            "$h = $s.detach().clone",
        ),
        _CALLED,
    ),
    (
        (
            "$h = (v.detach().mul_(2) for v in [$s])",
            "$h = (touch(v.detach()) for v in [$s])",
            "$h = ($s.detach().mul_(2) for _ in range(1))",
            "$h = map(touch, [$s.detach()])",
            "$h = map(lambda v: v.detach().mul_(2), [$s])",
            "$h = map($s.detach().mul_, [2])",
            "$h = filter(lambda v: v.detach().mul_(2) is None, [$s])",
            "$h = itertools.starmap(torch.Tensor.mul_, [($s.detach(), 2)])",
            "$h = itertools.accumulate([$s.detach(), 2], torch.Tensor.mul_)",
            "$h = (v.shape for v in [$s])",
        ),
        _LAZY,
    ),
    (
        (
            "$h = iter([$s])",
            "$h = each_of([$s])",
            "$h = reversed([$s])",
            "$h = itertools.chain([$s])",
            "$h = (v for v in ($s,))",
            "$h = iter({'a': $s}.values())",
        ),
        _GIVING,
    ),
)
GROUPS = tuple(
    tuple(Handle(made, changes) for made in forms) for forms, changes in _MAKERS
)


def prelude(scope: Scope) -> list[str]:
    return take_hold(scope, scope.choices.pick(GROUPS))


def statement(scope: Scope) -> list[str]:
    """Another hold on the source, or a lazy read of the copy that is consumed later."""
    choices = scope.choices
    if choices.chance(40):
        return take_hold(scope, scope.choices.pick(GROUPS))
    copy = scope.copy()
    name = scope.fresh("lazy")
    text, item = copy.text, bare(selected(scope, copy.become("v")).text)
    forms = [
        f"{name} = (v[0] for v in {text})",
        f"{name} = (v.max() for v in {text}.unbind(0))",
        f"{name} = ({item} for v in [{text}])",
        f"{name} = ({text}[k] for k in range(2))",
        f"{name} = map(lambda k: {text}[k], range(2))",
        f"{name} = map({text}.__getitem__, range(2))",
        f"{name} = iter({text})",
        f"{name} = zip({text}, range(2))",
        f"{name} = enumerate({text}.split(1))",
        f"{name} = map(torch.sum, {text}.unbind(0))",
        f"{name} = (lambda k: {text}[k])",
        f"{name} = functools.partial(torch.select, {text}, 0, 0)",
        f"{name} = {text}.argmax",
        f"{name} = functools.partial(lambda v: {item}, {text})",
    ]
    form = choices.pick(forms)
    called = "lambda" in form and "map" not in form
    is_function = called or "partial" in form or form.endswith("argmax")
    used = f"{name}(0)" if form.startswith(f"{name} = (lambda") else f"{name}()"
    scope.lists.append(used if is_function else f"list({name})")
    return [form]
