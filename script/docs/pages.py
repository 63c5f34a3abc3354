# SPDX-License-Identifier: Apache-2.0
"""Markdown as the site shows it. markdown-it-py reads it, by the rules of CommonMark and with the tables of GitHub; here is what this site does
with headings, links, tables, commands and pictures. Raw HTML is shown, never passed through; HTML comments are left out.
"""
import html
import re

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML

COMMENT = re.compile(r"<!--.*?-->\n?", re.S)


def escape(text):
    return html.escape(str(text), quote=True)


def plain_tokens(tokens):
    return "".join("\n" if token.type in ("softbreak", "hardbreak") else plain_tokens(token.children) if token.children else token.content for token in tokens)


def plain(text):
    """Inline Markdown without its marks, for titles and the search index."""
    return plain_tokens(PARSER.parseInline(text)[0].children)


def anchor_of(words):
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def slug(text):
    """The anchor of a heading, as code hosts make it."""
    return anchor_of(plain(text))


def whole_options(line):
    """A browser would break a line behind the dashes of an option."""
    return re.sub(r"(?<=\s)--[a-z][a-z-]*", lambda found: f'<span class="word">{found[0]}</span>', line)


def code_block(text, language=""):
    """Commands are wrapped where the page is narrow: each line is a block of its own, so that it is seen where the next one begins."""
    name = f' class="language-{language}"' if language else ""
    lines = text.split("\n")
    inside = "".join(f'<span class="line">{whole_options(escape(line))}{newline}</span>' for line, newline in zip(lines, ["\n"] * (len(lines) - 1) + [""])) \
        if language == "sh" else escape(text)
    return f'<pre tabindex="0"><code{name}>{inside}</code></pre>'


def split_table(text):
    """The first table of a page: what stands before it, its rows as lists of cells, what stands behind it."""
    text = COMMENT.sub("", text)
    tokens, lines = PARSER.parse(text), text.splitlines()
    first = next((i for i, token in enumerate(tokens) if token.type == "table_open"), None)
    if first is None:
        return text, [], ""
    rows = []
    for token in tokens[first:next(i for i in range(first, len(tokens)) if tokens[i].type == "table_close")]:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token.content)
    begin, end = tokens[first].map
    return "\n".join(lines[:begin]), rows[1:], "\n".join(lines[end:])


def without_empty_heads(tokens):
    """A table must have a head in Markdown; one without words is left out."""
    out, head = [], []
    for token in tokens:
        if token.type == "thead_open" or head:
            head.append(token)
        else:
            out.append(token)
        if token.type == "thead_close":
            out += head if any(inside.content for inside in head) else []
            head = []
    return out


class Renderer(RendererHTML):
    """`page` is the Markdown that is rendered, `linked` how many links and headings are open: a word inside of them is not linked once more."""

    page, linked, labels, column = None, 0, (), 0

    # ---- Headings ----
    def heading_open(self, tokens, at, options, env):
        self.linked += 1
        text = plain_tokens(tokens[at + 1].children)
        return f'<{tokens[at].tag} id="{self.page.anchor(int(tokens[at].tag[1]), text)}">'

    def heading_close(self, tokens, at, options, env):
        self.linked -= 1
        anchor = self.page.headings[-1][2]
        link = f' <a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a>' if tokens[at].tag != "h1" else ""
        return f"{link}</{tokens[at].tag}>\n"

    # ---- Links and words ----
    def link_open(self, tokens, at, options, env):
        target = tokens[at].attrGet("href")
        end = next(i for i in range(at, len(tokens)) if tokens[i].type == "link_close" and tokens[i].level == tokens[at].level)
        text = plain_tokens(tokens[at + 1:end])
        title = self.page.title(target) if text.endswith(".md") else None  # a reader of the site sees pages, not files
        if title:
            for token in tokens[at + 1:end]:
                token.type, token.content = "text", ""
            tokens[at + 1].content = title
        self.linked += 1
        resolved = self.page.resolve(target)
        tokens[end].tag = "a" if resolved else "span"
        return f'<a href="{escape(resolved)}">' if resolved else f'<span class="file" title="{escape(target)}">'

    def link_close(self, tokens, at, options, env):
        self.linked -= 1
        return f"</{tokens[at].tag}>"

    def text(self, tokens, at, *_):
        return escape(tokens[at].content)

    def code_inline(self, tokens, at, *_):
        code, target = f"<code>{escape(tokens[at].content)}</code>", None if self.linked else self.page.explain(tokens[at].content)
        return f'<a href="{escape(target)}">{code}</a>' if target else code

    # ---- Blocks ----
    def fence(self, tokens, at, options, env):
        return code_block(tokens[at].content.removesuffix("\n"), tokens[at].info.strip().split(" ")[0]) + "\n"

    def code_block(self, tokens, at, options, env):
        return code_block(tokens[at].content.removesuffix("\n")) + "\n"

    def paragraph_open(self, tokens, at, options, env):
        """A paragraph that is nothing but one of our pictures is that picture."""
        inside = tokens[at + 1].children or []
        is_picture = [token.type for token in inside] == ["image"] and inside[0].attrGet("src").endswith(".svg")
        drawn = self.page.picture(inside[0].attrGet("src")) if is_picture else None
        if drawn:
            tokens[at + 1].children, tokens[at + 2].hidden = [], True
            return f'<figure class="picture">{drawn}</figure>\n'
        return self.renderToken(tokens, at, options, env)

    # ---- Tables: on a phone one with more than two columns is shown row by row, each cell with the name of its column ----
    def table_open(self, tokens, at, options, env):
        first_row = tokens[at:next(i for i in range(at, len(tokens)) if tokens[i].type == "tr_close")]
        names = [plain_tokens(inside.children) if cell.type == "th_open" else "" for cell, inside in zip(first_row, first_row[1:]) if inside.type == "inline"]
        self.labels = names if len(names) > 2 else [""] * len(names)
        return f'<div class="table{" stack" if len(names) > 2 else ""}" tabindex="0"><table>\n'

    def table_close(self, tokens, at, options, env):
        return "</table></div>\n"

    def tr_open(self, tokens, at, options, env):
        self.column = 0
        return "<tr>"

    @staticmethod
    def side(token):
        return ' class="number"' if token.attrGet("style") == "text-align:right" else ""

    def th_open(self, tokens, at, options, env):
        return f'<th scope="col"{self.side(tokens[at])}>'

    def td_open(self, tokens, at, options, env):
        label = self.labels[self.column]
        self.column += 1
        return f'<td{self.side(tokens[at])}' + (f' data-label="{escape(label)}">' if label else ">")

    def th_close(self, tokens, at, options, env):
        return "</th>"

    def td_close(self, tokens, at, options, env):
        return "</td>"


def make_parser():
    # Without "html" it is shown as it is written.
    return MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}, renderer_cls=Renderer).enable("table")


PARSER = make_parser()


class Markdown:
    """`resolve` turns a link's target into an address of the site, or None when it leads out of it. `explain` knows
    where a word that is set as code is explained, or None. `picture` reads one of the repository's own
    pictures; `title` knows what the page behind a target is called."""

    def __init__(self, resolve=lambda target: target, explain=lambda word: None, picture=lambda target: None, title=lambda target: None):
        self.resolve, self.explain, self.picture, self.title = resolve, explain, picture, title
        self.headings = []  # (level, text, anchor)
        self.parser = make_parser()
        self.parser.renderer.page = self

    def anchor(self, level, text):
        """One that no heading before has."""
        wanted = anchor_of(text)
        taken, anchor, number = {row[2] for row in self.headings}, wanted, 0
        while anchor in taken:
            number += 1
            anchor = f"{wanted}-{number}"
        self.headings.append((level, text, anchor))
        return anchor

    def render(self, text):
        env = {}
        tokens = without_empty_heads(self.parser.parse(COMMENT.sub("", text), env))
        return self.parser.renderer.render(tokens, self.parser.options, env).strip()

    def inline(self, text):
        return self.parser.renderInline(text)
