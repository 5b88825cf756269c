"""The hand-written stubs against the compiled module: every name and every parameter, in both directions."""

import ast
import inspect
import re
import unittest
from pathlib import Path

import thud
from thud import _core

STUB = ast.parse((Path(thud.__file__).parent / "_core.pyi").read_text())


def is_public(name):
    return not name.startswith("_")


def parameters_of_stub(node):
    return [a.arg for a in node.args.args]


def parameters_of_binding(function):
    """pybind11 states the signature in the first line of the docstring."""
    inside = re.match(r"\w+\((.*)\) -> ", function.__doc__.splitlines()[0]).group(1)
    flat, depth = "", 0
    for c in inside:
        depth += c == "["
        flat += c if depth == 0 else ""
        depth -= c == "]"
    return [p.split(":")[0].strip() for p in flat.split(",") if p.strip()]


class Stubs(unittest.TestCase):
    def test_names_of_the_module(self):
        stated = {n.name for n in STUB.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(stated, {n for n in dir(_core) if is_public(n)})

    def test_functions(self):
        for node in STUB.body:
            if isinstance(node, ast.FunctionDef):
                self.assertEqual(parameters_of_stub(node), parameters_of_binding(getattr(_core, node.name)), node.name)

    def test_classes(self):
        for node in STUB.body:
            if not isinstance(node, ast.ClassDef) or node.name == "InputError":
                continue
            real = getattr(_core, node.name)
            fields = {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
            stated = {n.name: n for n in node.body if isinstance(n, ast.FunctionDef) and is_public(n.name)}
            self.assertEqual({*fields, *stated}, {n for n in vars(real) if is_public(n)}, node.name)
            for name in fields:
                self.assertIsNotNone(vars(real)[name].fset, f"{node.name}.{name}")
            for name, function in stated.items():
                is_property = bool(function.decorator_list)
                if is_property:
                    self.assertIsNone(vars(real)[name].fset, f"{node.name}.{name} can be set")
                self.assertEqual(is_property, isinstance(vars(real)[name], property), f"{node.name}.{name}")
                if not is_property:
                    found = parameters_of_binding(getattr(real, name))
                    self.assertEqual(parameters_of_stub(function), found, f"{node.name}.{name}")

    def test_attributes_of_errors(self):
        (node,) = (n for n in STUB.body if isinstance(n, ast.ClassDef) and n.name == "InputError")
        try:
            thud.load("nothing")
        except thud.InputError as e:
            self.assertEqual({a.target.id for a in node.body}, set(vars(e)))


class Documentation(unittest.TestCase):
    def test_everything_public_has_a_docstring(self):
        self.assertEqual(set(thud.__all__), {n for n in thud.__all__ if hasattr(thud, n)})
        for name in thud.__all__:
            thing = getattr(thud, name)
            self.assertTrue(inspect.getdoc(thing), name)
            if not inspect.isclass(thing) or issubclass(thing, Exception):
                continue
            for member, value in inspect.getmembers(thing):
                if is_public(member) and (isinstance(value, property) or callable(value)):
                    self.assertTrue(inspect.getdoc(value), f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
