#!/usr/bin/env python3
"""The tools that check the documentation find what is wrong, and let pass what is right."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def load(path):
    loader = importlib.machinery.SourceFileLoader(path.name.replace("-", "_"), str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
site = load(ROOT / "scripts" / "build-site")
blocks = load(HERE / "run_blocks.py")


class Blocks(unittest.TestCase):
    def run_page(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "thud"
            program.write_text("#!/bin/sh\nprintf 'one\\ntwo\\nthree\\n'\nexit ${1:-0}\n")
            program.chmod(0o755)
            page = pathlib.Path(folder) / "page.md"
            page.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, HERE / "run_blocks.py", page, "--program", program, *options],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.page = page.read_text(encoding="utf-8")
            return done.returncode, done.stdout

    def test_same_output_passes(self):
        self.assertEqual(self.run_page("```console\n$ thud\none\ntwo\nthree\n```\n")[0], 0)

    def test_other_output_fails_with_a_difference(self):
        status, text = self.run_page("```console\n$ thud\none\nzwei\nthree\n```\n")
        self.assertEqual(status, 1)
        self.assertIn("-zwei\n+two", text)

    def test_missing_and_further_lines_fail(self):
        self.assertEqual(self.run_page("```console\n$ thud\none\ntwo\n```\n")[0], 1)
        self.assertEqual(self.run_page("```console\n$ thud\none\ntwo\nthree\nfour\n```\n")[0], 1)

    def test_elided_lines(self):
        for shown in ("...\nthree", "one\n...", "one\n...\nthree", "...\ntwo\n...", "..."):
            self.assertEqual(self.run_page(f"```console\n$ thud\n{shown}\n```\n")[0], 0, shown)
        for shown in ("...\ntwo", "two\n...", "...\nfour\n...", "three\n...\none"):
            self.assertEqual(self.run_page(f"```console\n$ thud\n{shown}\n```\n")[0], 1, shown)

    def test_status(self):
        self.assertEqual(self.run_page("```console\n$ thud 2\n...\n```\n")[0], 1)
        self.assertEqual(self.run_page("<!-- run: status 2 -->\n```console\n$ thud 2\n...\n```\n")[0], 0)
        self.assertEqual(self.run_page("```sh\nthud 2\nthud\n```\n")[0], 1)

    def test_a_command_that_is_not_run_is_found(self):
        self.assertEqual(self.run_page("```\n$ thud\n```\n")[0], 1)
        self.assertEqual(self.run_page("Like this:\n\n    thud run\n")[0], 1)
        self.assertEqual(self.run_page("```\nthud run\n```\n")[0], 1)

    def test_what_is_not_run_is_listed_with_its_reason(self):
        status, text = self.run_page("<!-- run: no, opens a browser -->\n```sh\nfalse\n```\n")
        self.assertEqual(status, 0)
        self.assertIn("page.md:2: not run: opens a browser", text)

    def test_files_for_later_commands(self):
        page = "<!-- file: a.txt -->\n```toml\nx = 1\n```\n\n```console\n$ cat a.txt\nx = {}\n```\n"
        self.assertEqual(self.run_page(page.format(1))[0], 0)
        self.assertEqual(self.run_page(page.format(2))[0], 1)

    def test_any_language_opens_a_block(self):
        page = "```c++\nint x;\n```\n\n```console\n$ thud\n{}\n```\n"
        self.assertEqual(self.run_page(page.format("..."))[0], 0)
        self.assertEqual(self.run_page(page.format("four"))[0], 1)

    def test_update(self):
        self.run_page("```console\n$ thud\none\nzwei\n```\n", "--update")
        self.assertEqual(self.page, "```console\n$ thud\none\ntwo\nthree\n```\n")
        self.run_page("```console\n$ thud\n...\nthrea\n```\n", "--update")
        self.assertEqual(self.page, "```console\n$ thud\n...\nthree\n```\n")

    def test_masks_hide_what_varies_and_nothing_else(self):
        same = [("20 steps, 3 rejected, 398 evaluations, 2 mode changes, 923 µs", "21 steps, 1 rejected, 7 ms"),
                ("1116 runs in 0.0997 s (1.12e+04 runs/s, 2 threads)", "1116 runs in 2 s (5 runs/s, 1 thread)"),
                ("closes to 3.3e-12 of", "closes to 9e-10 of"), ("0.02759235577068358", "0.0275923557719")]
        for a, b in same:
            self.assertEqual(blocks.masked(a), blocks.masked(b))
        for a, b in [("27.5924 ms", "27.5925 ms"), ("1116 runs in 1 s", "1117 runs in 1 s"), ("1e-5", "2e-5"),
                     ("0.02759235577068358", "0.0275924")]:
            self.assertNotEqual(blocks.masked(a), blocks.masked(b))


class Links(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "index.html").write_text(text, encoding="utf-8")
            (pathlib.Path(folder) / "other.html").write_text('<h1 id="there">x</h1>', encoding="utf-8")
            return site.check_links(pathlib.Path(folder))[0]

    def test_links(self):
        for right in ("other.html", "other.html#there", "#here", "https://example.org/"):
            self.assertEqual(self.check(f'<p id="here"><a href="{right}">x</a>'), [], right)
        for wrong in ("another.html", "other.html#here", "#there"):
            self.assertEqual(len(self.check(f'<p id="here"><a href="{wrong}">x</a>')), 1, wrong)

    def test_nothing_comes_from_the_network(self):
        self.assertEqual(len(self.check('<script src="https://example.org/a.js"></script>')), 1)
        self.assertEqual(len(self.check('<link rel="stylesheet" href="https://example.org/a.css">')), 1)
        self.assertEqual(len(self.check('<img src="missing.png">')), 1)


class Headers(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.hpp"
            path.write_text(text, encoding="utf-8")
            return site.read_header(path)

    def test_declarations(self):
        entries = self.read("#pragma once\nnamespace thud {\n\n/// A law.\n///\n///   F = k z\nstruct Law {\n  double k = 1;"
                            "\n  double at(double z) const {\n    return k * z;\n  }\n\n private:\n  int hidden_;\n};\n\n"
                            "/// The sum.\ninline double sum(double a, double b) {\n  return a + b;\n}\n\n"
                            "namespace detail {\nint secret();\n}\n\n}  // namespace thud\n")
        self.assertEqual([e.name() for e in entries], ["Law", "sum"])
        self.assertEqual(entries[0].code, ["struct Law {", "  double k = 1;", "  double at(double z) const;", "};"])
        self.assertEqual(entries[1].code, ["inline double sum(double a, double b);"])
        self.assertIn("```text\n  F = k z\n```", entries[0].markdown())


if __name__ == "__main__":
    unittest.main()
