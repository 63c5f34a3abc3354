#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the built documentation: test/docs/docs_test.py [--site build/docs] [--reeved build/reeved]

What needs a browser is tried with Chromium when it is installed, and left out otherwise.
"""
import argparse
import collections
import glob
import html.parser
import json
import os
import re
import subprocess
import sys
import unittest
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(ROOT, "script", "docs")]
import browser  # noqa: E402
from pages import Markdown, slug, split_table  # noqa: E402

VOID = {"meta", "link", "input", "br", "hr", "img", "wbr"}
# What `reeve … --wait` draws: the kind of job, its steps, and a bar of thirty.
SHOWN_JOB = re.compile(r"^(\w+\.\w+) \S+  [A-Z]+\n((?:  \S [a-z-]+ .*\n)+)  (█*)░* +(\d+)%", re.M)
SHOWN_STEP = re.compile(r"^  (\S) ([a-z-]+) +(?:[\d.]+ s)? +(\S.*)$", re.M)


class Page(html.parser.HTMLParser):
    """Anchors, links and code of a page, and whether its elements are closed in order."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.mistakes = [], [], []
        self.open, self.sections, self.code = [], [], collections.defaultdict(str)
        self.feed(text)
        self.mistakes += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name in ("href", "src"):
            if name in attributes:
                self.links.append(attributes[name])
        if tag == "section":
            self.sections.append(attributes.get("id"))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.mistakes.append(f"</{tag}> at {self.getpos()} closes something else")
        if tag == "section":
            self.sections.pop()

    def handle_data(self, data):
        if "pre" in self.open and self.sections:
            self.code[self.sections[-1]] += data


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.operations = json.loads(cls.reeved("catalog", "--json"))
        cls.pages = {}
        for folder, _, names in os.walk(arguments.site):
            for name in names:
                if name.endswith(".html"):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        cls.pages[os.path.relpath(path, arguments.site)] = Page(file.read())
        with open(os.path.join(arguments.site, "search-index.js"), encoding="utf-8") as file:
            cls.index = json.loads(re.fullmatch(r"reeveSearchIndex\((.*)\);\n", file.read(), re.S)[1])

    @staticmethod
    def reeved(*words):
        return subprocess.run([arguments.reeved, *words], check=True, stdout=subprocess.PIPE, text=True).stdout

    def test_every_operation_has_exactly_one_anchor(self):
        where = collections.Counter(name for page in self.pages.values() for name in page.ids)
        for o in self.operations:
            self.assertEqual(where[o["operation"]], 1, o["operation"])
            self.assertIn(o["operation"], self.pages[f"api/{o['family']}.html"].ids)

    def test_the_operators_api_is_there(self):
        """C4: it was in the repository, and not on the site."""
        operations = json.loads(self.reeved("catalog", "--operator", "--json"))
        page = os.path.join(arguments.site, "reference", "operator.html")
        with open(page, encoding="utf-8") as file:
            text = re.sub(r"<[^>]+>", "", file.read())
        for o in operations:
            self.assertIn(html.unescape(o["summary"]), html.unescape(text))
        self.assertIn("operator.html", {link.rpartition("/")[2] for link in self.pages["reference/index.html"].links})

    def test_every_operation_has_a_curl_that_a_shell_can_read(self):
        commands = []
        for o in self.operations:
            code = self.pages[f"api/{o['family']}.html"].code[o["operation"]]
            self.assertIn(o["curl"].strip(), code)
            commands.append(o["curl"])
        checked = subprocess.run(["bash", "-n"], input="".join(commands), stderr=subprocess.PIPE, text=True)
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_every_curl_asks_for_what_its_operation_is(self):
        """The commands are run with a curl that only tells its arguments."""
        script = 'curl() { printf "%s\\n" "${@: -1}"; }\nREEVE=https://reeve.example TOKEN=t\n'
        names = {p["name"] for o in self.operations for p in o["pathParameters"]}
        for name in sorted(names):
            script += re.sub("([A-Z])", r"_\1", name).upper() + "='{" + name + "}'\n"
        script += "".join(o["curl"] for o in self.operations)
        told = subprocess.run(["bash", "-u"], input=script, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
        self.assertEqual(told, ["https://reeve.example/api/svc/v2" + o["path"] + self.needed_query(o) for o in self.operations])

    @staticmethod
    def needed_query(o):
        """What an operation must be asked with, as the examples of its fields have it."""
        examples = {f["name"]: f["example"] for f in o["query"] if f["required"]}
        needed = ["%s=%s" % (name, one[0] if isinstance(one, list) else one) for name, one in examples.items()]
        return "?" + "&".join(needed) if needed else ""

    def test_every_error_event_and_role_has_an_anchor(self):
        for command, key, page in (("errors", "code", "errors"), ("events", "name", "events"), ("roles", "name", "roles")):
            ids = self.pages[f"reference/{page}.html"].ids
            for row in json.loads(self.reeved(command, "--json")):
                self.assertEqual(ids.count(row[key]), 1, row[key])

    def test_every_metric_has_an_anchor_and_is_one_that_nodes_have(self):
        with open(os.path.join(ROOT, "docs/reference/metrics.md"), encoding="utf-8") as file:
            names = re.findall(r"^\| `(\w+)` \|", file.read(), re.M)
        self.assertGreater(len(names), 10)
        for name in names:
            self.assertEqual(self.pages["reference/metrics.html"].ids.count(name), 1, name)
        # Nobody writes a name of a metric but in the table.
        sources = subprocess.run(["grep", "--recursive", "--only-matching", "--no-filename", "--extended-regexp", '"# (HELP|TYPE) reeve_', "src"], cwd=ROOT,
                                 stdout=subprocess.PIPE, text=True, check=False).stdout
        self.assertEqual(sources, "")

    @staticmethod
    def written():
        """Pages that are written by hand, and where they are in the site."""
        for folder in ("docs", "docs/how-to", "docs/internals", "docs/reports"):
            for name in sorted(os.listdir(os.path.join(ROOT, folder))):
                if name.endswith(".md") and name != "README.md":
                    section = "guide" if folder == "docs" else os.path.basename(folder)
                    yield f"{folder}/{name}", f"{section}/{name[:-3].lower().replace('_', '-')}.html"

    def test_every_written_page_is_there(self):
        for source, page in self.written():
            self.assertIn(page, self.pages, source)

    def test_steps_that_a_page_shows_are_those_of_the_job(self):
        """All of them in their order, with what is said about each, and how far they are. A report shows what was so on its day."""
        steps, said = collections.defaultdict(list), set()
        for kind, step in re.findall(r"^job:([^:\n]+):([^:\n]+):before-effect$", self.reeved("jobs", "--failpoints"), re.M):
            steps[kind].append(step)
        for path in glob.glob(os.path.join(ROOT, "src/job/**/*.c"), recursive=True):
            with open(path, encoding="utf-8") as file:
                said.update(re.findall(r'\{ "([a-z-]+)",\s+"([^"]+)"', file.read()))
        shown = []
        for source, _ in self.written():
            if source.startswith("docs/reports/"):
                continue
            with open(os.path.join(ROOT, source), encoding="utf-8") as file:
                shown += [(source, *block) for block in SHOWN_JOB.findall(file.read())]
        self.assertGreater(len(shown), 3)
        for source, kind, lines, full, percent in shown:
            rows = SHOWN_STEP.findall(lines)
            self.assertEqual([name for _, name, _ in rows], steps[kind], f"{source}: {kind}")
            for sign, name, sentence in rows:
                if sign in "✓·":  # the one under way says what it waits for
                    self.assertIn((name, sentence), said, f"{source}: {kind}")
            done = 100 * sum(sign == "✓" for sign, _, _ in rows) // len(rows)
            self.assertEqual((len(full), percent), (done * 30 // 100, str(done)), f"{source}: {kind}")

    def test_the_overview_of_the_repository_names_every_page(self):
        with open(os.path.join(ROOT, "docs/README.md"), encoding="utf-8") as file:
            targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", file.read())]
        named = {os.path.normpath(os.path.join("docs", target)) for target in targets}
        for target in named:
            self.assertTrue(os.path.exists(os.path.join(ROOT, target)), target)
        for source, _ in self.written():
            if not source.startswith("docs/reports/"):
                self.assertIn(source, named)

    def test_the_parts_are_in_this_order_in_the_site_and_in_the_repository(self):
        parts = ["Tutorial", "How-to guides", "Reference", "Explanation", "For contributors"]
        with open(os.path.join(ROOT, "docs/README.md"), encoding="utf-8") as file:
            self.assertEqual(re.findall(r"^## (.*)$", file.read(), re.M), parts)
        with open(os.path.join(arguments.site, "index.html"), encoding="utf-8") as file:
            self.assertEqual(re.findall(r'<h2><a href="[^"]*"[^>]*>(.*?)</a></h2>', file.read().split("</nav>")[0]), parts)

    def test_the_start_page_tells_each_reader_where_to_begin(self):
        with open(os.path.join(arguments.site, "index.html"), encoding="utf-8") as file:
            rows = re.findall(r"<dt>.*?<span>(.*?)</span></dt><dd>(.*?)</dd>", file.read(), re.S)
        self.assertEqual([who for who, _ in rows], ["operator", "developer", "automation author", "auditor", "contributor"])
        for who, links in rows:
            self.assertGreaterEqual(links.count("<a href="), 2, who)

    def test_every_page_has_a_way_back_and_can_be_found(self):
        reached = {os.path.normpath(os.path.join(os.path.dirname(name), link.partition("#")[0])) for name, page in self.pages.items()
                   for link in page.links if ".html" in link and not re.match(r"[a-z]+:", link)}
        for name in self.pages:
            self.assertIn(name, reached)
            with open(os.path.join(arguments.site, name), encoding="utf-8") as file:
                text = file.read()
            if name != "index.html":
                self.assertRegex(text, r'<nav class="crumbs"[^>]*><a href="[./]*index\.html">Start</a>', name)
            self.assertRegex(text, r'<nav id="nav"', name)

    def test_pictures_are_part_of_their_pages(self):
        for page, what in (("guide/architecture.html", "processes"), ("guide/consistency.html", "change"), ("guide/limits.html", "bucket")):
            self.assertIn(f"{what}-title", self.pages[page].ids)

    def test_every_internal_link_resolves(self):
        for name, page in self.pages.items():
            for link in page.links:
                if re.match(r"[a-z]+:", link):
                    self.assertRegex(link, r"^(https?://|data:,$)", name)
                    continue
                path, _, fragment = urllib.parse.unquote(link).partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
                self.assertTrue(os.path.exists(os.path.join(arguments.site, target)), f"{name}: {link}")
                if fragment:
                    self.assertIn(fragment, self.pages[target].ids, f"{name}: {link}")

    def test_nothing_is_loaded_from_elsewhere(self):
        for name in self.pages:
            with open(os.path.join(arguments.site, name), encoding="utf-8") as file:
                self.assertNotRegex(file.read(), r'(src|<link[^>]*href)="(https?:)?//', name)

    def test_pages_are_well_formed_and_anchors_unique(self):
        for name, page in self.pages.items():
            self.assertEqual(page.mistakes, [], name)
            twice = [i for i, count in collections.Counter(page.ids).items() if count > 1]
            self.assertEqual(twice, [], name)

    def test_no_page_names_a_folder_of_this_machine(self):
        for name in self.pages:
            with open(os.path.join(arguments.site, name), encoding="utf-8") as file:
                self.assertNotIn(ROOT, file.read(), name)

    def found(self, kind, title):
        return [row for row in self.index["entries"] if self.index["kinds"][row[0]] == kind and row[1] == title]

    def test_the_index_has_an_operation_a_field_and_an_error(self):
        self.assertEqual(self.found("operation", "POST /groups")[0][3], "api/projects.html#createProject")
        self.assertTrue(self.found("field", "withDefaultAlertsSettings"))
        self.assertTrue(self.found("error", "RATE_LIMITED_TOKEN_BUCKET"))
        self.assertTrue(self.found("event", "GROUP_CREATED"))
        self.assertEqual(sum(self.index["kinds"][row[0]] == "operation" for row in self.index["entries"]), len(self.operations))

    def test_every_entry_of_the_index_leads_somewhere(self):
        for row in self.index["entries"]:
            path, _, fragment = row[3].partition("#")
            self.assertIn(path, self.pages, row)
            if fragment:
                self.assertIn(fragment, self.pages[path].ids, row)


class Rendering(unittest.TestCase):
    def test_a_command_is_copied_as_it_was_written(self):
        text = Markdown().render("```sh\na <b \\\n    c\n\nd\n```")
        self.assertEqual(re.sub(r"<[^>]+>", "", text), "a &lt;b \\\n    c\n\nd")

    def test_html_in_a_page_is_shown_and_not_run(self):
        self.assertEqual(Markdown().render("a <script>x</script> & `<b>`"),
                         "<p>a &lt;script&gt;x&lt;/script&gt; &amp; <code>&lt;b&gt;</code></p>")

    def test_a_bar_behind_a_backslash_does_not_end_a_cell_nor_does_it_in_code(self):
        self.assertEqual(split_table("before\n\n| x | y | z |\n|---|---|---|\n| a \\| b | `c\\|d` | |\n\nbehind"), ("before\n", [["a | b", "`c|d`", ""]], "\nbehind"))

    def test_a_wide_table_says_in_each_cell_which_column_it_is_and_a_head_without_words_is_left_out(self):
        self.assertIn('<tr><td data-label="a">1</td><td data-label="b">2</td><td class="number" data-label="c">3</td></tr>',
                      Markdown().render("| `a` | b | c |\n|---|---|--:|\n| 1 | 2 | 3 |"))
        self.assertEqual(re.sub(r"\n", "", Markdown().render("| | |\n|---|---|\n| 1 | 2 |")),
                         '<div class="table" tabindex="0"><table><tbody><tr><td>1</td><td>2</td></tr></tbody></table></div>')

    def test_links_lead_to_pages_of_the_site_and_are_named_after_them(self):
        page = Markdown(resolve={"a.md": "a.html"}.get, explain={"WORD": "words.html"}.get, title={"a.md": "The title"}.get, picture={"p.svg": "<svg></svg>"}.get)
        self.assertEqual(page.inline("[docs/a.md](a.md) [it](a.md) [`WORD`](b.c) `WORD`"),
                         '<a href="a.html">The title</a> <a href="a.html">it</a> <span class="file" title="b.c"><code>WORD</code></span> '
                         '<a href="words.html"><code>WORD</code></a>')
        self.assertEqual(page.render("![What it shows](p.svg)\n\n## `WORD`\n\n## WORD\n\n<!-- not\nshown -->"),
                         '<figure class="picture"><svg></svg></figure>\n'
                         '<h2 id="word"><code>WORD</code> <a class="anchor" href="#word" aria-label="Link to this section">#</a></h2>\n'
                         '<h2 id="word-1">WORD <a class="anchor" href="#word-1" aria-label="Link to this section">#</a></h2>')

    def test_lists_hold_paragraphs_code_and_lists(self):
        text = Markdown().render("1. one\n\n   ```c\n   x;\n   ```\n\n2. two\n   goes on\n   - inner\n\nafter")
        self.assertIn("<code class=\"language-c\">x;</code></pre>\n</li>", text)
        self.assertIn("two\ngoes on", text)
        self.assertIn("<ul>\n<li>inner</li>\n</ul>\n</li>\n</ol>\n<p>after</p>", text)
        self.assertEqual(text.count("<ol>"), 1)

    def test_underscores_in_words_are_left_alone(self):
        self.assertEqual(Markdown().inline("token_lifetime_s and *this* and **that**"),
                         "token_lifetime_s and <em>this</em> and <strong>that</strong>")

    def test_anchors_are_those_of_code_hosts(self):
        self.assertEqual(slug("What is defended, and against `whom`"), "what-is-defended-and-against-whom")


@unittest.skipUnless(browser.program(), "Chromium is not installed")
class InABrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = browser.Browser()
        cls.base = "file://" + os.path.abspath(arguments.site) + "/"

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    @staticmethod
    def paths():
        return sorted(os.path.relpath(os.path.join(folder, name), arguments.site) for folder, _, names in os.walk(arguments.site)
                      for name in names if name.endswith(".html"))

    def test_no_page_is_wider_than_a_phone(self):
        """At both widths on one load: what is too wide, what is too small to be read, what asked for something from elsewhere."""
        tiny = """[...document.querySelectorAll("main *")].filter(e => e.childNodes.length && [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())
                  && e.getClientRects().length && parseFloat(getComputedStyle(e).fontSize) < 11).map(e => e.tagName + " " + e.textContent.slice(0, 40))[0] || ''"""
        for path in self.paths():
            self.browser.size(390, 844)
            self.browser.open(self.base + path)
            self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 390, path)
            self.assertEqual(self.browser.evaluate(tiny), "", path)
            fetched = self.browser.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
            self.assertEqual([one for one in fetched if not one.startswith("file://")], [], path)
            self.browser.size(360, 740)
            self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 360, path)

    def test_wide_tables_are_read_row_by_row_on_a_phone(self):
        for path, width in (("reference/rate-limits.html", 390), ("how-to/back-up-the-control-plane.html", 390), ("guide/architecture.html", 390)):
            self.browser.size(width, 844)
            self.browser.open(self.base + path)
            cut = self.browser.evaluate("[...document.querySelectorAll('.stack')].filter(t => t.scrollWidth > t.clientWidth + 1).length")
            self.assertEqual(cut, 0, path)

    def test_text_stands_out_from_its_ground(self):
        """4.5 to 1, in light and in dark, for whatever text is on these pages."""
        script = """(() => {
            const parts = c => c.match(/[\\d.]+/g).map(Number);
            const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
            const ground = e => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
            const bad = [];
            for (const e of document.querySelectorAll("body *")) {
                if (e.closest("svg, script, style") || !e.getClientRects().length || ![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
                if (e.matches(".anchor, .hidden, .skip")) continue;
                const a = light(parts(getComputedStyle(e).color)), b = light(ground(e));
                const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
                if (ratio < 4.5) bad.push(ratio.toFixed(2) + " " + e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 30));
            }
            return bad.slice(0, 5); })()"""
        for dark in (False, True):
            self.browser.size(1280, 900, dark=dark)
            for path in ("index.html", "how-to/index.html", "how-to/rotate-a-key.html", "guide/consistency.html", "reference/errors.html", "reference/metrics.html",
                         "api/projects.html", "api/backups.html"):
                self.browser.open(self.base + path)
                self.assertEqual(self.browser.evaluate(script), [], f"{path}, dark: {dark}")

    def test_pictures_can_be_read_in_light_and_dark(self):
        colours = """['text', '.pic-main', '.pic-box'].map(s => getComputedStyle(document.querySelector('.picture ' + s)).fill)"""
        seen = []
        for dark in (False, True):
            self.browser.size(390, 844, dark=dark)
            self.browser.open(self.base + "guide/architecture.html")
            seen.append(self.browser.evaluate(colours))
            self.assertEqual(len(set(seen[-1])), 3, seen)
        self.assertEqual([one for one, other in zip(*seen) if one == other], [])
        small = self.browser.evaluate("""Math.min(...[...document.querySelectorAll('.picture text')].map(t => t.getBoundingClientRect().height))""")
        self.assertGreater(small, 11)

    def test_everything_is_reached_with_the_keyboard(self):
        """Tab goes through the way over the navigation, the search, and every link of the page; each shows where it is."""
        self.browser.size(1280, 900)
        self.browser.open(self.base + "how-to/rotate-a-key.html")
        focusable = self.browser.evaluate("""[...document.querySelectorAll("a[href], input, button, summary, [tabindex]")]
            .filter(e => e.tabIndex >= 0 && e.checkVisibility({visibilityProperty: true}) ).length""")
        self.browser.evaluate("window.seen = new Set(); document.addEventListener('focusin', e => window.seen.add(e.target)); document.activeElement.blur()")
        for _ in range(focusable + 5):
            self.browser.tab()
        self.assertGreaterEqual(self.browser.evaluate("window.seen.size"), focusable)
        hidden = self.browser.evaluate("""[...window.seen].filter(e => { e.focus(); const s = getComputedStyle(e);
            return e.matches(":focus-visible") && s.outlineStyle == "none"; }).map(e => e.outerHTML.slice(0, 80))""")
        self.assertEqual(hidden, [])

    def test_the_menu_of_a_phone_opens_and_closes(self):
        self.browser.size(390, 844)
        self.browser.open(self.base + "how-to/upgrade.html")
        shown = "getComputedStyle(document.getElementById('nav')).display != 'none'"
        self.assertFalse(self.browser.evaluate(shown))
        self.browser.evaluate("document.querySelector('.menu').click(); new Promise(done => setTimeout(done, 50))")
        self.assertTrue(self.browser.evaluate(shown))
        self.assertTrue(self.browser.evaluate("document.querySelector('#nav [aria-current]').textContent == 'Upgrade'"))
        self.browser.evaluate("document.querySelector('.close').click(); new Promise(done => setTimeout(done, 50))")
        self.assertFalse(self.browser.evaluate(shown))

    def test_a_dark_screen_prints_on_white(self):
        colour = "getComputedStyle(document.querySelector('pre')).backgroundColor"
        self.browser.size(800, 1100, dark=True)
        self.browser.open(self.base + "api/root.html")
        dark = self.browser.evaluate(colour)
        self.browser.size(800, 1100, dark=True, media="print")
        printed = self.browser.evaluate(colour)
        self.browser.size(800, 1100)
        self.assertEqual(printed, self.browser.evaluate(colour))
        self.assertNotEqual(printed, dark)

    def search(self, words):
        self.browser.open("about:blank")
        self.browser.open(self.base + "index.html?q=" + urllib.parse.quote(words))
        return self.browser.evaluate("""new Promise((done, fail) => {
            const end = Date.now() + 5000;
            (function look() {
                const found = [...document.querySelectorAll(".result")].map(a => a.getAttribute("href"));
                if (found.length) done(found); else if (Date.now() > end) fail(new Error("nothing found")); else setTimeout(look, 20);
            })() })""")

    def test_search_finds_an_operation_a_field_an_error_and_a_page(self):
        for words, target in (("createProject", "api/projects.html#createProject"), ("create project", "api/projects.html#createProject"),
                              ("PATCH /groups/{groupId}", "api/projects.html#updateProject"),
                              ("rate_limited_token_bucket", "reference/errors.html#RATE_LIMITED_TOKEN_BUCKET"),
                              ("GROUP_CREATED", "reference/events.html#GROUP_CREATED"), ("drain_s", "reference/configuration.html#drain_s"),
                              ("ORG_OWNER", "reference/roles.html#ORG_OWNER"), ("architecture", "guide/architecture.html")):
            self.assertEqual(self.search(words)[0], target, words)
        self.assertRegex(self.search("withDefaultAlertsSettings")[0], r"^api/(projects|organizations)\.html#.*withDefaultAlertsSettings$")

    def test_search_answers_what_people_ask(self):
        """Among the first three results."""
        for words, target in (("how do I rotate an API key", "how-to/rotate-a-key.html"), ("secret leaked", "how-to/rotate-a-key.html"),
                              ("certificate expired", "how-to/rotate-a-key.html"), ("how do I change the master key", "how-to/rotate-a-key.html"),
                              ("host is dead", "how-to/recover-a-host.html"), ("disk full", "how-to/recover-a-host.html"),
                              ("lost host", "how-to/recover-a-host.html"), ("how do I restore a backup", "how-to/back-up-the-control-plane.html"),
                              ("disaster recovery", "how-to/back-up-the-control-plane.html"), ("how to upgrade without downtime", "how-to/upgrade.html"),
                              ("upgrading", "how-to/upgrade.html"), ("prometheus alert rules", "how-to/watch-it.html"),
                              ("monitoring", "how-to/watch-it.html"), ("why does my job wait", "how-to/find-out-why-a-job-waits.html"),
                              ("cluster stuck creating", "how-to/find-out-why-a-job-waits.html"), ("how do I invite a user", "how-to/give-a-team-access.html"),
                              ("how do I retry safely", "how-to/automate-it-safely.html"), ("single sign-on", "how-to/connect-an-identity-provider.html"),
                              ("too many requests", "guide/limits.html"), ("how do rate limits work", "guide/limits.html"),
                              ("reeve_jobs_overdue", "reference/metrics.html"), ("drain_s", "reference/configuration.html"),
                              ("how do I install it", "guide/install.html"), ("reeve clusters create", "reference/cli.html"), ("eventual consistency", "guide/consistency.html"),
                              ("CERTIFICATE_NOT_ACCEPTED", "reference/errors.html")):
            found = [one.partition("#")[0] for one in self.search(words)[:3]]
            self.assertIn(target, found, words)

    def test_search_ranks_guides_first(self):
        for words, target in (("resize", "how-to/resize-a-cluster.html"), ("failover", "how-to/failover-drill.html"), ("restore table", "how-to/restore-a-table.html"),
                              ("extensions", "how-to/use-extensions.html"), ("update postgresql", "how-to/update-postgresql.html"),
                              ("export snapshot", "how-to/export-a-snapshot.html"), ("ansible", "how-to/use-ansible.html"), ("resize cluster", "how-to/resize-a-cluster.html")):
            self.assertEqual(self.search(words)[0], target, words)

    def test_slash_focuses_the_search_and_escape_leaves_it(self):
        self.browser.size(1280, 900)
        self.browser.open(self.base + "reference/errors.html")
        self.browser.key("/", "/")
        self.assertEqual(self.browser.evaluate("document.activeElement.id + '=' + document.getElementById('search').value"), "search=")
        self.browser.key("Escape")
        self.assertNotEqual(self.browser.evaluate("document.activeElement.id"), "search")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", default=os.path.join(ROOT, "build", "docs"))
    parser.add_argument("--reeved", default=os.path.join(ROOT, "build", "reeved"))
    arguments = parser.parse_args()
    arguments.reeved = os.path.abspath(arguments.reeved)
    result = unittest.main(argv=sys.argv[:1], exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed")
    sys.exit(failed > 0)
