#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Takes pictures of the pages that people land on, at the width of a desk and of a phone: test/docs/pictures.py [--site build/docs] [--out docs/reports/site]

Needs Chromium and cwebp (packages chromium and webp). Nothing is judged here: docs_test.py does what a program can; the rest is for eyes.
"""
import argparse
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

PAGES = [("start", "index.html", "The start page"),
         ("tutorial", "guide/tutorial.html", "From packages to a cluster"),
         ("first-cluster", "guide/first-cluster.html", "Ten minutes to a cluster"),
         ("cli", "guide/cli.html", "The command line"),
         ("install", "guide/install.html", "Installing"),
         ("clusters", "api/clusters.html#createGroupCluster", "An operation: how it is called, and what comes back"),
         ("operations", "reference/operations.html", "All operations"),
         ("errors", "reference/errors.html", "Errors"),
         ("resize", "how-to/resize-a-cluster.html", "A guide"),
         ("search", "index.html?q=resize", "What a search finds: guides first")]
SIZES = [(1280, 900), (390, 844)]
STILL = [{"name": "prefers-reduced-motion", "value": "reduce"}, {"name": "prefers-color-scheme", "value": "light"}]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", default=os.path.join(ROOT, "build", "docs"))
    parser.add_argument("--out", default=os.path.join(ROOT, "docs", "reports", "site"))
    arguments = parser.parse_args()
    os.makedirs(arguments.out, exist_ok=True)
    seen = browser.Browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for width, height in SIZES:
                seen.size(width, height)
                seen.call("Emulation.setEmulatedMedia", features=STILL)
                for name, page, _ in PAGES:
                    seen.open("file://" + os.path.join(os.path.abspath(arguments.site), page))
                    seen.evaluate("new Promise(done => setTimeout(done, 300))")  # until the search has its index, and the page has scrolled
                    png = os.path.join(folder, "page.png")
                    seen.picture(png)
                    subprocess.run(["cwebp", "-quiet", "-q", "70", png, "-o", os.path.join(arguments.out, "%s-%d.webp" % (name, width))], check=True)
    finally:
        seen.close()
    with open(arguments.out + ".md", "w", encoding="utf-8") as file:
        file.write("# The site, looked at\n\nPages that people land on, at 1280 and at 390 pixels, in Chromium. Made by `make site-pictures`; "
                   "the pictures are in the folder `docs/reports/site`.\n\n| page | at 1280 | at 390 |\n|---|---|---|\n")
        for name, _, what in PAGES:
            file.write("| %s | `%s-1280.webp` | `%s-390.webp` |\n" % (what, name, name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
