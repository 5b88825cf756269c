"""The documentation site. scripts/build-site lays its pages out and calls Sphinx with this."""
import re

from docutils import nodes

project = "thud"
author = "the thud authors"
copyright = author
html_title = "thud"

extensions = ["myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["dollarmath", "amsmath", "html_image"]
myst_heading_anchors = 4
exclude_patterns = ["files/**/*.src"]

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["katex/katex.min.css", "thud.css"]
html_extra_path = ["_extra"]
html_js_files = ["katex/katex.min.js", "thud.js"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#9a5b13",
        "color-brand-content": "#8a4b08",
        "font-stack": "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
        "font-stack--monospace": "'JetBrains Mono', ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace",
    },
    "dark_css_variables": {
        "color-brand-primary": "#e0a458",
        "color-brand-content": "#e8b878",
    },
}
pygments_style = "friendly"
pygments_dark_style = "native"
highlight_language = "text"
nitpicky = False


# Equations are typeset in the browser by KaTeX, from the site itself: no network.
def inline(writer, node):
    writer.body.append(writer.starttag(node, "span", "", CLASS="math"))
    writer.body.append(writer.encode(node.astext()) + "</span>")
    raise nodes.SkipNode


def block(writer, node):
    writer.body.append(writer.starttag(node, "div", "", CLASS="math display"))
    writer.body.append(writer.encode(node.astext()) + "</div>")
    raise nodes.SkipNode


html_math_renderer = "katex"


# Docstrings are plain text: paragraphs, `names`, and what is indented stays as it is.
def plain(app, what, name, obj, options, lines):
    out, literal = [], False
    for line in lines:
        indented = line.startswith("  ") or (literal and not line.strip())
        if indented and not literal:
            out += ["", "::", ""]
        elif literal and not indented:
            out.append("")
        literal = indented
        if literal:
            out.append("    " + line)
        else:
            parts = re.split(r"(`[^`]*`)", line)
            out.append("".join(f"``{part[1:-1]}``" if part.startswith("`") else re.sub(r"([\\*|_])", r"\\\1", part)
                               for part in parts))
    lines[:] = out + [""]


def setup(app):
    app.add_html_math_renderer("katex", (inline, None), (block, None))
    if "sphinx.ext.autodoc" in extensions:
        app.connect("autodoc-process-docstring", plain)
