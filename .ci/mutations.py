"""The ways to change one place of a source: cosmic-ray's operators that suit formulas, and four of our own.

Left out of cosmic-ray's: what ends in a TypeError wherever it is put (bit shifts of floats, `is` between numbers),
which every test notices, and removed decorators, without which a kernel is the same function uncompiled.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator

import parso
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator

Position = tuple[int, int]
Way = tuple[str, int]  # an operator's name, and which of its occurrences


class _OfOurOwn(Operator):
    """An operator that replaces a node by other text."""

    @classmethod
    def examples(cls):
        return ()

    def texts(self, node) -> Iterator[tuple[Position, Position, str]]:
        raise NotImplementedError

    def mutation_positions(self, node):
        for start, end, _ in self.texts(node):
            yield start, end

    def mutate(self, node, index):
        *_, text = list(self.texts(node))[index]
        return parso.parse(node.get_first_leaf().prefix + text)


class DropStatement(_OfOurOwn):
    """A call for its effect, `x += ...` and `raise ...` are left out: forgotten refreshes, counts and refusals."""

    def texts(self, node):
        is_call = node.type in ("atom_expr", "power") and node.children[-1].type == "trailer"
        is_count = node.type == "expr_stmt" and node.children[1].type in ("augassign", "operator") and _augments(node)
        if node.parent and node.parent.type == "simple_stmt" and (is_call or is_count or node.type == "raise_stmt"):
            yield node.start_pos, node.end_pos, "pass"


def _augments(node) -> bool:
    return node.children[1].get_code().strip() in ("+=", "-=", "*=", "/=", "|=")


class DropOperand(_OfOurOwn):
    """a * b / c without b, or without c: a forgotten factor, term or condition."""

    def texts(self, node):
        if node.type in ("term", "arith_expr", "and_test", "or_test"):
            parts = [child.get_code() for child in node.children]
            parts[0] = node.children[0].get_code(include_prefix=False)
            for k in range(1, len(parts), 2):
                end = node.children[k + 1].end_pos
                yield node.children[k].start_pos, end, "".join([*parts[:k], *parts[k + 2 :]])


class Slack(_OfOurOwn):
    """a <= b as a <= 1e3 b: a limit that is not quite kept."""

    def texts(self, node):
        compares = node.type == "operator" and node.value in ("<", "<=", ">", ">=") and node.parent.type == "comparison"
        if compares and node.get_next_sibling().get_code().strip() != "0":
            yield node.start_pos, node.end_pos, f"{node.value} 1e3 *"


class OtherEnd(_OfOurOwn):
    """The smallest for the largest, one for all, down for up."""

    pairs = (("min", "max"), ("minimum", "maximum"), ("nanmin", "nanmax"), ("argmin", "argmax"))
    pairs = (*pairs, ("any", "all"), ("floor", "ceil"))
    other = {**dict(pairs), **{b: a for a, b in pairs}}

    def texts(self, node):
        if node.type == "name" and node.value in self.other:
            yield node.start_pos, node.end_pos, self.other[node.value]


BINARY = ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "Add_Mul", "Mul_Add", "Pow_Mul", "FloorDiv_Div", "Mod_Div")
BINARY = (*BINARY, "BitOr_BitAnd", "BitAnd_BitOr", "BitAnd_BitXor")
COMPARISON = ("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt")
COMPARISON = (*COMPARISON, "Is_IsNot", "IsNot_Is")
OTHERS = ("ReplaceUnaryOperator_USub_UAdd", "ReplaceUnaryOperator_Delete_Not", "AddNot", "ReplaceTrueWithFalse")
OTHERS = (*OTHERS, "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceBreakWithContinue")
OTHERS = (*OTHERS, "ReplaceContinueWithBreak", "NumberReplacer", "ZeroIterationForLoop")
THEIRS = (
    *(f"ReplaceBinaryOperator_{name}" for name in BINARY),
    *(f"ReplaceComparisonOperator_{name}" for name in COMPARISON),
    *OTHERS,
)
OPERATORS: dict[str, Operator] = {
    **{name: get_operator(f"core/{name}")() for name in THEIRS},
    **{operator.__name__: operator() for operator in (DropStatement, DropOperand, Slack, OtherEnd)},
}


def apply(source: str, way: Way) -> str | None:
    """The source changed in this way; None if that is no Python."""
    operator, occurrence = way
    changed = mutate_code(source, OPERATORS[operator], occurrence)
    try:
        ast.parse(changed or "(")
    except SyntaxError:
        return None
    return None if changed == source else changed


def places(source: str) -> list[tuple[Position, list[Way]]]:
    """Every place that can be changed, and in which ways."""
    tree, ignored, found = get_ast(source), list(_ignored(source)), defaultdict(list)
    for name, operator in OPERATORS.items():
        positions = (start for node in ast_nodes(tree) for start, _ in operator.mutation_positions(node))
        for occurrence, start in enumerate(positions):
            if not any(first <= start < last for first, last in ignored):
                found[start].append((name, occurrence))
    return sorted(found.items())


def _ignored(source: str) -> Iterator[tuple[Position, Position]]:
    """What changes no number: words, types, imports for a type checker, `strict` of what fits anyway, bare stars."""
    for node in (tree := ast.parse(source)).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and isinstance(node.value.op, ast.BitOr):
            yield _span(node.value)  # a union of classes
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance":
            yield _span(node.args[1])
        of_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if isinstance(node, ast.JoinedStr) or of_types:
            yield _span(node)
        if isinstance(node, ast.keyword) and node.arg == "strict":
            yield _span(node)
        if isinstance(node, ast.FunctionDef) and node.args.kwonlyargs and node.args.vararg is None:
            yield _star(node)
        for field in ("annotation", "returns"):
            if isinstance(annotation := getattr(node, field, None), ast.AST):
                yield _span(annotation)


def _star(function) -> tuple[Position, Position]:
    """What stands before the first parameter that has to be named: a star, which is no multiplication."""
    parameters = function.args
    before = [_span(node)[1] for node in (*parameters.posonlyargs, *parameters.args, *parameters.defaults)]
    return max(before, default=(function.lineno, function.col_offset)), _span(parameters.kwonlyargs[0])[0]


def _span(node) -> tuple[Position, Position]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
