# SPDX-License-Identifier: MIT
"""Builds the site: README.md and the pages of docs/, references of C, Python and the command, and pictures from the commands in the guides.

    python3 build.py SOURCE BUILD COMMAND VERSION     into BUILD/docs/html; `meson compile docs` calls it

Needs Sphinx, MyST and furo (Debian: python3-sphinx, python3-myst-parser, furo). Without the Python package its reference is left out, and
without gnuplot there are no pictures of guides. A warning of Sphinx is an error. The site needs no network: it is opened from its files.
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

import manual
import reference

FENCED = re.compile(r"(^```.*?^```$)", re.M | re.S)
TREE = """
```{{toctree}}
:hidden:
:caption: {caption}

{pages}
```
"""
GUIDES = ["README", "gravity-compensation", "gripper", "linkages", "motors", "poses-to-motion", "linear-control", "simulation", "sweeps",
          "theory", "other-libraries", "real-time", "cpp", "troubleshooting"]
FORMATS = ["formats/urdf", "couplings", "formats/submechanisms", "formats/tables", "formats/sweep", "formats/json", "model-files", "export", "diagnostics"]
TOPICS = ["conventions", "commands", "python", "ik", "simulation", "recording", "view", "building", "glossary", "contact"]
INSIDE = ["architecture", "algorithms", "performance", "benchmarks", "testing", "style", "abi", "releasing"]


class Site:
    def __init__(self, source, build, command):
        self.source, self.build, self.command = source, build, command
        self.pages, self.pictures = build / "docs" / "source", build / "docs" / "scratch"
        self.listings = {}  # files of the project that pages link to: each is shown on a page
        shutil.rmtree(self.pages, ignore_errors=True)
        self.pages.mkdir(parents=True)

    # ---- pages

    def link(self, page, target):
        """Returns the target on the site for a link in a page of the project."""
        file, mark, anchor = target.partition("#")
        if re.match(r"\w+:", target) or not file:
            return target
        to = (page.parent / file).resolve()
        if to.is_relative_to(self.source / "docs" / "pictures"):
            return "/" + str(to.relative_to(self.source / "docs"))
        if to.is_dir():
            index = {"guides": "/guides/README.md", "formats": "/formats/urdf.md", "decisions": "/decisions/README.md"}.get(to.name)
            return index or "/index.md"
        if to == self.source / "README.md":
            return "/index.md" + mark + anchor
        if to.is_relative_to(self.source / "docs") and to.suffix == ".md":
            return "/" + str(to.relative_to(self.source / "docs")) + mark + anchor
        if to.is_relative_to(self.source / "include" / "tandem"):
            return f"/reference/c/{to.stem}.rst"
        if to == self.source / "CHANGELOG.md":
            return "/changes.md" + mark + anchor
        place = f"files/{to.relative_to(self.source)}" + (".md" if to.suffix != ".md" else "")
        self.listings[place] = to
        return f"/{place}"

    def relative(self, place, target):
        """Returns a link relative to the page at place, as MyST requires."""
        if not target.startswith("/"):
            return target
        return os.path.relpath(target[1:], os.path.dirname(place) or ".")

    def text(self, path, place):
        """Writes a page of the project to the site, at place."""
        parts = FENCED.split(path.read_text(encoding="utf-8"))
        for number, part in enumerate(parts):
            if part.startswith("```"):
                continue
            part = re.sub(r"(\]\()([^)\s]+)(\))", lambda m: m[1] + self.relative(place, self.link(path, m[2])) + m[3], part)
            part = re.sub(r"<!-- picture: (\S+) (.*?) -->", lambda m: self.picture(path, m[1], m[2]), part)
            part = re.sub(r"<!--.*?-->\n?", "", part, flags=re.S)
            parts[number] = part
        return "".join(parts)

    def picture(self, page, name, title):
        made = self.pictures / page.relative_to(self.source).with_suffix("") / name
        if not made.is_file():
            return ""
        to = self.pages / "made" / f"{page.stem}-{name}"
        to.parent.mkdir(exist_ok=True)
        shutil.copy(made, to)
        place = page.relative_to(self.source / "docs")
        return f"![{title}]({os.path.relpath(to.relative_to(self.pages), place.parent)})"

    def write(self, place, text):
        path = self.pages / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def draw(self):
        """Runs the commands of guides with pictures."""
        pages = [str(page.relative_to(self.source)) for page in sorted((self.source / "docs" / "guides").glob("*.md"))
                 if "<!-- picture:" in page.read_text(encoding="utf-8")]
        done = subprocess.run([sys.executable, str(self.source / "test" / "pages.py"), "--keep", str(self.pictures), str(self.source),
                               str(self.build), str(self.command), *pages], stdout=subprocess.PIPE, text=True, check=False)
        for line in done.stdout.splitlines():
            if line.startswith("not ok"):
                print(line, file=sys.stderr)
        return done.returncode == 0

    def assemble(self):
        docs = self.source / "docs"
        for page in sorted(docs.rglob("*.md")):
            place = str(page.relative_to(docs))
            self.write(place, self.text(page, place))
        shutil.copytree(docs / "pictures", self.pages / "pictures")
        (self.pages / "_static").mkdir()
        for name in ("tandem.css", "tandem.js"):
            shutil.copy(docs / "site" / name, self.pages / "_static")
        shutil.copy(docs / "site" / "conf.py", self.pages)
        (self.pages / "reference" / "c").mkdir(parents=True)
        names, roles = reference.write_c(self.source / "include" / "tandem", self.pages / "reference" / "c")
        listing = ["reference/c/index"]
        self.write("reference/c/index.md", "# Functions of C\n\nBy header; the first one lists them all.\n\n```{toctree}\n" + "\n".join(names) + "\n```\n")
        if importlib.util.find_spec("tandem"):
            (self.pages / "reference" / "python").mkdir()
            names = reference.write_python(self.pages / "reference" / "python", roles)
            self.write("reference/python/index.md", "# Functions of Python\n\nRules that hold for all of them are in [Python](../../python.md).\n\n"
                       "```{toctree}\n" + "\n".join(names) + "\n```\n")
            listing.append("reference/python/index")
        decisions = sorted(f"decisions/{path.stem}" for path in (docs / "decisions").glob("*.md") if path.stem != "README")
        commands = manual.pages(self.command)
        for name, text in commands:
            self.write(f"manual/{name}.md", text)
        trees = [("Guides", [f"guides/{name}" for name in GUIDES]), ("Files", FORMATS), ("Topics", TOPICS), ("Reference", listing),
                 ("Commands", [f"manual/{name}" for name, _ in commands]),
                 ("Inside", INSIDE + ["decisions/README", "changes"])]
        front = self.text(self.source / "README.md", "index.md")
        self.write("changes.md", self.text(self.source / "CHANGELOG.md", "changes.md"))
        readme = (self.pages / "decisions" / "README.md").read_text(encoding="utf-8")
        self.write("decisions/README.md", readme + "\n```{toctree}\n:hidden:\n\n" + "\n".join(d.split("/")[1] for d in decisions) + "\n```\n")
        missed = {str(path.relative_to(docs).with_suffix("")) for path in docs.rglob("*.md")} - {page for _, tree in trees for page in tree} - set(decisions)
        if missed:
            sys.exit(f"docs/site/build.py does not place {', '.join(sorted(missed))}")
        done = set()
        while set(self.listings) - done:  # listed pages can link to further files
            for place in sorted(set(self.listings) - done):
                self.write(place, self.listing(place, self.listings[place]))
                done.add(place)
        self.write("index.md", front + "".join(TREE.format(caption=caption, pages="\n".join(tree)) for caption, tree in trees) +
                   TREE.format(caption="Listings", pages="\n".join(place[:-3] for place in sorted(self.listings))).replace(":caption: Listings\n", ""))

    def listing(self, place, path):
        languages = {".c": "c", ".h": "c", ".py": "python", ".urdf": "xml", ".sh": "sh"}
        if path.suffix == ".md":
            return self.text(path, place)
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            text = "binary"
        if path.suffix == ".ipynb":
            text = "a notebook, for Jupyter"
        return f"# {path.relative_to(self.source)}\n\n````{languages.get(path.suffix, 'text')}\n{text.rstrip()}\n````\n"


def main():
    source, build, command = (pathlib.Path(text).resolve() for text in sys.argv[1:4])
    site = Site(source, build, command)
    good = site.draw()
    site.assemble()
    html = build / "docs" / "html"
    shutil.rmtree(html, ignore_errors=True)
    done = subprocess.run([sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", str(build / "docs" / "doctrees"), str(site.pages),
                           str(html)], env={**os.environ, "TANDEM_VERSION": sys.argv[4]}, check=False)
    shutil.rmtree(html / "_sources", ignore_errors=True)
    (html / ".buildinfo").unlink(missing_ok=True)
    if not good or done.returncode:
        return 1
    print(html / "index.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
