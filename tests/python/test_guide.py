"""Runs every snippet of the guide, in the order of the page, and compares what it prints."""

import doctest
import os
import re
import tempfile
import unittest
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide" / "python.md"


class Guide(unittest.TestCase):
    def test_snippets(self):
        text = GUIDE.read_text()
        # Only what stands between the fences of Python, at its own line numbers.
        parts = re.split(r"^(```\w*)$", text, flags=re.MULTILINE)
        kept, inside = "", False
        for part in parts:
            if part.startswith("```"):
                inside = part == "```python"
                kept += "\n" * part.count("\n")
            else:
                kept += part if inside else "\n" * part.count("\n")
        test = doctest.DocTestParser().get_doctest(kept, {}, "python.md", str(GUIDE), 0)
        self.assertGreater(len(test.examples), 20)
        fenced = sum(line.startswith(">>>") for line in text.splitlines())
        self.assertEqual(len(test.examples), fenced, "a snippet is not run")
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                failed = runner.run(test).failed
            finally:
                os.chdir(here)
        self.assertEqual(failed, 0)


if __name__ == "__main__":
    unittest.main()
