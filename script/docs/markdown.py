# SPDX-License-Identifier: Apache-2.0
"""The part of Markdown that the pages of this repository use, as HTML. Raw HTML is shown, never passed through.

Headings, paragraphs, fenced code, tables, lists (nested, with paragraphs and code inside), quotes, rules; inline code,
**strong**, *emphasis*, [links](target), <https://addresses> and \\-escapes. A paragraph that is nothing but ![text](picture.svg)
is that picture. HTML comments are left out.
"""
import html
import re

INLINE = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)"
    r"|\\(?P<escaped>[\\`*_{}\[\]()#+\-.!|<>])"
    r"|\[(?P<text>(?:[^\[\]`]|`[^`]*`)+)\]\((?P<target>[^()\s]*)\)"
    r"|\*\*(?P<strong>.+?)\*\*"
    r"|\*(?P<em>[^*\s](?:[^*]*[^*\s])?)\*"
    r"|<(?P<address>https?://[^\s<>]+)>", re.S)
ITEM = re.compile(r"(?P<indent> {0,3})(?P<mark>[-*+]|\d{1,9}[.)])(?P<gap> +)(?P<rest>.*)")
FENCE = re.compile(r" {0,3}(?P<fence>```+|~~~+)\s*(?P<language>[\w+-]*)\s*$")
HEADING = re.compile(r"(#{1,6}) +(.*?) *#*$")
PICTURE = re.compile(r"!\[(?P<text>[^\]]*)\]\((?P<target>[^()\s]+\.svg)\)\s*$")
RULE = re.compile(r" {0,3}([-*_])( *\1){2,} *$")
DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")


def escape(text):
    return html.escape(str(text), quote=True)


def plain(text):
    """Inline Markdown without its marks, for titles and the search index."""
    return INLINE.sub(lambda m: m["code"] or m["escaped"] or plain(m["text"] or m["strong"] or m["em"] or "")
                      or m["address"] or "", text)


def slug(text):
    """The anchor of a heading, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", plain(text).lower()).replace(" ", "-")


def cells(line):
    """The cells of a row; a bar that is escaped or inside code does not end one."""
    found, cell, code = [], "", False
    line = line.strip()
    at = 1 if line.startswith("|") else 0
    while at < len(line):
        if line.startswith("\\|", at):
            cell, at = cell + "|", at + 2
            continue
        if line[at] == "`":
            code = not code
        if line[at] == "|" and not code:
            found, cell = found + [cell.strip()], ""
        else:
            cell += line[at]
        at += 1
    return found + [cell.strip()] if cell.strip() else found


def code_block(text, language=""):
    """Commands are wrapped where the page is narrow: each line is a block of its own, so that it is seen where the next one begins."""
    name = f' class="language-{language}"' if language else ""
    lines = text.split("\n")
    inside = "".join(f'<span class="line">{escape(line)}{newline}</span>' for line, newline in zip(lines, ["\n"] * (len(lines) - 1) + [""])) \
        if language == "sh" else escape(text)
    return f'<pre tabindex="0"><code{name}>{inside}</code></pre>'


class Markdown:
    """`resolve` turns a link's target into an address of the site, or None when it leads out of it. `explain` knows
    where a word that is set as code is explained, or None. `picture` reads one of the repository's own
    pictures; `title` knows what the page behind a target is called."""

    def __init__(self, resolve=lambda target: target, explain=lambda word: None, picture=lambda target: None, title=lambda target: None):
        self.resolve, self.explain, self.picture, self.title = resolve, explain, picture, title
        self.headings = []  # (level, text, anchor)
        self.anchors = set()

    def inline(self, text, linked=False):
        out, at = [], 0
        for m in INLINE.finditer(text):
            out.append(escape(text[at:m.start()]))
            at = m.end()
            if m["code"]:
                code, target = f"<code>{escape(m['code'])}</code>", None if linked else self.explain(m["code"])
                out.append(f'<a href="{escape(target)}">{code}</a>' if target else code)
            elif m["escaped"]:
                out.append(escape(m["escaped"]))
            elif m["text"]:
                target = self.resolve(m["target"])
                title = self.title(m["target"]) if m["text"].endswith(".md") else None  # a reader of the site sees pages, not files
                inner = escape(title) if title else self.inline(m["text"], linked=True)
                out.append(f'<a href="{escape(target)}">{inner}</a>' if target else
                           f'<span class="file" title="{escape(m["target"])}">{inner}</span>')
            elif m["strong"]:
                out.append(f"<strong>{self.inline(m['strong'], linked)}</strong>")
            elif m["em"]:
                out.append(f"<em>{self.inline(m['em'], linked)}</em>")
            else:
                out.append(f'<a href="{escape(m["address"])}">{escape(m["address"])}</a>')
        return "".join(out) + escape(text[at:])

    def heading(self, level, text):
        anchor, number = slug(text), 0
        while anchor in self.anchors:
            number += 1
            anchor = f"{slug(text)}-{number}"
        self.anchors.add(anchor)
        self.headings.append((level, plain(text), anchor))
        link = f' <a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a>' if level > 1 else ""
        return f'<h{level} id="{anchor}">{self.inline(text, linked=True)}{link}</h{level}>'

    def table(self, rows):
        head, delimiter, body = cells(rows[0]), cells(rows[1]), [cells(row) for row in rows[2:]]
        sides = [' class="number"' if cell.endswith(":") and not cell.startswith(":") else "" for cell in delimiter]
        sides += [""] * max((len(row) for row in body + [head]), default=0)
        names = [plain(cell) for cell in head] + [""] * len(sides)
        # On a phone a table with more than two columns is shown row by row, each cell with the name of its column.
        labels = [f' data-label="{escape(name)}"' if name else "" for name in names] if len(head) > 2 else [""] * len(sides)
        out = [f'<div class="table{" stack" if len(head) > 2 else ""}" tabindex="0"><table>']
        if any(head):
            out.append("<thead><tr>" + "".join(f'<th scope="col"{s}>{self.inline(c)}</th>' for c, s in zip(head, sides))
                       + "</tr></thead>")
        out.append("<tbody>")
        out += ["<tr>" + "".join(f"<td{s}{n}>{self.inline(c)}</td>" for c, s, n in zip(row, sides, labels)) + "</tr>" for row in body]
        return "\n".join(out + ["</tbody></table></div>"])

    def list(self, lines, at):
        """From the first item's line; the HTML and the line behind the list."""
        first = ITEM.match(lines[at])
        ordered = first["mark"][0].isdigit()
        items, loose = [], False
        while at < len(lines):
            m = ITEM.match(lines[at])
            if not m or m["mark"][0].isdigit() != ordered or RULE.match(lines[at]):
                break
            width = len(m["indent"]) + len(m["mark"]) + min(len(m["gap"]), 4)
            item = [m["rest"]]
            at += 1
            while at < len(lines):
                line = lines[at]
                if line.strip() == "":
                    following = next((later for later in lines[at:] if later.strip()), "")
                    if len(following) - len(following.lstrip()) < width:
                        break
                    item.append("")
                elif line.startswith(" " * width):
                    item.append(line[width:])
                elif ITEM.match(line) or HEADING.match(line) or FENCE.match(line) or item[-1] == "":
                    break
                else:
                    item.append(line.strip())
                at += 1
            items.append(item)
            ahead = at
            while ahead < len(lines) and lines[ahead].strip() == "":
                ahead += 1
            if ahead > at and ahead < len(lines) and ITEM.match(lines[ahead]):
                at, loose = ahead, True
        inner = []
        for item in items:
            text = self.blocks(item)
            if not loose and text.startswith("<p>"):
                text = re.sub(r"^<p>(.*?)</p>", r"\1", text, count=1, flags=re.S)
            inner.append(f"<li>{text}</li>")
        tag = "ol" if ordered else "ul"
        start = f' start="{int(first["mark"][:-1])}"' if ordered and first["mark"][:-1] != "1" else ""
        return f"<{tag}{start}>\n" + "\n".join(inner) + f"\n</{tag}>", at

    def blocks(self, lines):
        out, at = [], 0
        while at < len(lines):
            line = lines[at]
            if line.strip() == "":
                at += 1
            elif fence := FENCE.match(line):
                end = at + 1
                while end < len(lines) and not lines[end].strip().startswith(fence["fence"]):
                    end += 1
                out.append(code_block("\n".join(lines[at + 1:end]), fence["language"]))
                at = end + 1
            elif m := HEADING.match(line):
                out.append(self.heading(len(m[1]), m[2]))
                at += 1
            elif RULE.match(line):
                out.append("<hr>")
                at += 1
            elif (m := PICTURE.match(line)) and (drawn := self.picture(m["target"])):
                out.append(f'<figure class="picture">{drawn}</figure>')
                at += 1
            elif line.startswith(">"):
                end = at
                while end < len(lines) and lines[end].startswith(">"):
                    end += 1
                out.append("<blockquote>" + self.blocks([re.sub(r"^> ?", "", q) for q in lines[at:end]]) + "</blockquote>")
                at = end
            elif "|" in line and at + 1 < len(lines) and "-" in lines[at + 1] and DELIMITER.match(lines[at + 1]):
                end = at
                while end < len(lines) and "|" in lines[end]:
                    end += 1
                out.append(self.table(lines[at:end]))
                at = end
            elif ITEM.match(line):
                text, at = self.list(lines, at)
                out.append(text)
            else:
                end = at + 1
                while end < len(lines) and lines[end].strip() and not (
                        HEADING.match(lines[end]) or FENCE.match(lines[end]) or lines[end].startswith((">", "|"))
                        or re.match(r" {0,3}([-*+]|1[.)]) ", lines[end])):
                    end += 1
                out.append("<p>" + self.inline("\n".join(part.strip() for part in lines[at:end])) + "</p>")
                at = end
        return "\n".join(out)

    def render(self, text):
        return self.blocks(re.sub(r"<!--.*?-->\n?", "", text, flags=re.S).splitlines())


def split_table(text):
    """The first table of a page: what stands before it, its rows as lists of cells, what stands behind it."""
    lines = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S).splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith("|")), len(lines))
    last = next((i for i in range(first, len(lines)) if not lines[i].startswith("|")), len(lines))
    return "\n".join(lines[:first]), [cells(line) for line in lines[first + 2:last]], "\n".join(lines[last:])
