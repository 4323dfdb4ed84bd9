# SPDX-License-Identifier: MIT
"""Checks a built site: internal links lead to existing files and anchors, nothing is loaded from other sites, and no page contains
the folders in which it was built.

    python3 links.py HTML_DIRECTORY FOLDER...
"""
import html.parser
import pathlib
import sys
import urllib.parse

LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("source", "src"), ("iframe", "src")}


class Page(html.parser.HTMLParser):
    """Links of a page, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.places = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if value is None:
                continue
            if name in ("id", "name"):
                self.places.add(value)
            elif (tag, name) in LOADED and not (tag == "link" and dict(attrs).get("rel") == "canonical"):
                self.loaded.append(value)
            elif name == "href":
                self.links.append(value)


def main():
    root, folders = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    faults, pages = [], {}
    for path in sorted(root.rglob("*.html")):
        text = path.read_text(encoding="utf-8")
        pages[path] = Page(text)
        faults += [f"{path.relative_to(root)} names {folder}" for folder in folders if folder in text]
    for path in sorted(root.rglob("*.js")):
        text = path.read_text(encoding="utf-8", errors="replace")
        faults += [f"{path.relative_to(root)} names {folder}" for folder in folders if folder in text]
    for path, page in pages.items():
        where = path.relative_to(root)
        for target in page.loaded:
            if urllib.parse.urlsplit(target).netloc:
                faults.append(f"{where} loads {target}")
        for target in page.links + page.loaded:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            to = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not to.exists():
                faults.append(f"{where}: {target} leads nowhere")
            elif parts.fragment and to in pages and urllib.parse.unquote(parts.fragment) not in pages[to].places | {"", "top"}:
                faults.append(f"{where}: {target} has no such place")
    for fault in dict.fromkeys(faults):
        print(fault)
    print(f"{len(pages)} pages, {len(dict.fromkeys(faults))} faults")
    return 1 if faults or len(pages) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
