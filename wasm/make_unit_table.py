#!/usr/bin/env python3
"""Writes what UDUNITS-2 knows as a table of C++: every name and symbol with its scale and powers, and the prefixes.

    make_unit_table.py OUTPUT

Names are those of its XML files; what they mean is asked of the library itself.
"""
import ctypes
import ctypes.util
import json
import math
import os
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

UTF8 = 2
IRREGULAR_ENDINGS = ("s", "x", "z", "ch", "sh")


def find_library():
    for name in (ctypes.util.find_library("udunits2"), "libudunits2.so.0", "libudunits2.so"):
        try:
            return ctypes.CDLL(name)
        except (OSError, TypeError):
            continue
    sys.exit("make_unit_table: UDUNITS-2 is missing (Debian: libudunits2-dev)")


def find_database():
    places = [os.environ.get("UDUNITS2_XML_PATH", ""), "/usr/share/xml/udunits/udunits2.xml",
              "/usr/share/udunits/udunits2.xml", "/usr/local/share/udunits/udunits2.xml"]
    for place in places:
        if place and pathlib.Path(place).is_file():
            return pathlib.Path(place)
    sys.exit("make_unit_table: the database of UDUNITS-2 is missing (Debian: libudunits2-data)")


def plurals(word):
    # As the library makes them; those that it does not know are dropped later.
    if word.endswith("y") and len(word) > 1 and word[-2] not in "aeiou":
        return [word[:-1] + "ies"]
    return [word + "es"] if word.endswith(IRREGULAR_ENDINGS) else [word + "s"]


def read_words(database):
    """Names, symbols and prefixes of all files."""
    names, symbols, prefixes = [], [], []
    files = [database]
    for file in files:
        root = ElementTree.parse(file).getroot()
        files += [file.parent / e.text.strip() for e in root.iter("import")]
        for prefix in root.iter("prefix"):
            value = float(prefix.findtext("value"))
            prefixes += [(e.text.strip(), value, e.tag == "symbol") for e in prefix if e.tag in ("name", "symbol")]
        for unit in root.iter("unit"):
            symbols += [e.text.strip() for e in unit.iter("symbol")]
            for name in unit.iter("name"):
                singular = name.findtext("singular").strip()
                plural = name.findtext("plural")
                names.append(singular)
                names += [plural.strip()] if plural else plurals(singular)
    return names, symbols, prefixes


class Units:
    """Asks the library what a text means: (scale, {base: power}), or None for what is no plain multiple."""

    def __init__(self):
        self.lib = find_library()
        self.lib.ut_read_xml.restype = self.lib.ut_parse.restype = ctypes.c_void_p
        self.lib.ut_parse.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
        self.lib.ut_accept_visitor.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        self.lib.ut_get_symbol.restype = ctypes.c_char_p
        self.lib.ut_get_symbol.argtypes = [ctypes.c_void_p, ctypes.c_int]
        ignore = ctypes.cast(self.lib.ut_ignore, ctypes.c_void_p)
        self.lib.ut_set_error_message_handler.argtypes = [ctypes.c_void_p]
        self.lib.ut_set_error_message_handler(ignore)
        self.system = self.lib.ut_read_xml(None)
        void, integer, real = ctypes.c_void_p, ctypes.c_int, ctypes.c_double
        self.functions = [
            ctypes.CFUNCTYPE(integer, void, void)(self.basic),
            ctypes.CFUNCTYPE(integer, void, integer, ctypes.POINTER(void), ctypes.POINTER(integer), void)(self.product),
            ctypes.CFUNCTYPE(integer, void, real, void, real, void)(self.scaled),
            ctypes.CFUNCTYPE(integer, void, void, real, void)(self.other),
            ctypes.CFUNCTYPE(integer, void, real, void, void)(self.other),
        ]
        self.visitor = (void * 5)(*[ctypes.cast(f, void) for f in self.functions])

    def add(self, unit, power):
        symbol = self.lib.ut_get_symbol(unit, UTF8).decode()
        self.powers[symbol] = self.powers.get(symbol, 0) + power

    def basic(self, unit, _):
        self.add(unit, 1)
        return 0

    def product(self, _unit, count, basic, powers, _):
        for k in range(count):
            self.add(basic[k], powers[k])
        return 0

    def scaled(self, _unit, scale, inner, offset, arg):
        self.scale *= scale
        self.plain = self.plain and offset == 0
        return self.lib.ut_accept_visitor(inner, self.visitor, arg)

    def other(self, *_):
        self.plain = False
        return 0

    def ask(self, text):
        unit = self.lib.ut_parse(self.system, text.encode(), UTF8)
        if not unit:
            return None
        self.scale, self.powers, self.plain = 1.0, {}, True
        self.lib.ut_accept_visitor(unit, self.visitor, None)
        return self.scale, self.powers, self.plain


def quoted(word):
    return json.dumps(word, ensure_ascii=False)


def main():
    names, symbols, prefixes = read_words(find_database())
    units = Units()
    lines = []
    for words, is_symbol in ((names, False), (symbols, True)):
        for word in sorted(set(words)):
            found = units.ask(word)
            if not found:
                continue
            scale, powers, plain = found
            assert math.isfinite(scale)
            text = " ".join(f"{base} {power}" for base, power in sorted(powers.items()) if power)
            lines.append(f'    {{{quoted(word)}, {str(is_symbol).lower()}, {scale!r}, "{text}", {str(plain).lower()}}},')
    marks = [f'    {{{quoted(word)}, {str(is_symbol).lower()}, {value!r}}},' for word, value, is_symbol in prefixes]
    out = ["constexpr KnownUnit known_units[] = {", *lines, "};", "constexpr KnownPrefix known_prefixes[] = {", *marks, "};"]
    pathlib.Path(sys.argv[1]).write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
