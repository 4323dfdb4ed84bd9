# SPDX-License-Identifier: MIT
"""Writes the manual pages of the command as Markdown, one page for each command: the same text as `man tandem-id`.

tools/output/man_page.c writes the source of a manual page with few macros of man(7); this module reads these and no others.
"""
import re
import subprocess

NAMES = {"\\-": "-", "\\(aq": "'", "\\(ha": "^", "\\(ti": "~", "\\(ga": "`", "\\&": "", "\\e": "\\"}


def plain(text):
    return re.sub(r"\\-|\\\(..|\\&|\\e|\\f[BIR]", lambda m: NAMES.get(m[0], ""), text)


def escaped(text):
    return re.sub(r"([\\`*_<>\[\]#|{}])", r"\\\1", plain(text))


def line_of(text):
    """Returns a line of text, with its typed parts as code."""
    return f"`{plain(text)}`" if text.startswith("\\fB") else escaped(text)


def page(source):
    """Returns a manual page as Markdown without its title."""
    out, lines, at = [], source.splitlines(), 0
    while at < len(lines):
        line = lines[at]
        macro, _, rest = line.partition(" ")
        if macro == ".SH":
            title = rest.strip('"')
            if title in ("NAME", "SEE ALSO"):  # the title of the page; the site has its own list
                while at + 1 < len(lines) and not lines[at + 1].startswith(".SH"):
                    at += 1
            else:
                out += ["", f"## {title.capitalize()}", ""]
        elif macro == ".SS":
            out += ["", f"### {escaped(rest)}", ""]
        elif macro == ".TP":
            at += 1
            command = re.fullmatch(r"\.BR tandem\\-([a-z]+) \(1\)", lines[at])
            out += ["", f"[tandem {command[1]}]({command[1]}.md)\\" if command else f"**{line_of(lines[at])}**\\"]
        elif macro == ".EX":
            end = lines.index(".EE", at)
            out += ["", "```sh"] + [plain(code) for code in lines[at + 1:end]] + ["```", ""]
            at = end
        elif macro in (".PP", ".br"):
            out += [""]
        elif macro != ".TH":
            assert not line.startswith("."), line
            out += [line_of(line)]
        at += 1
    return "\n".join(out).rstrip("\\") + "\n"


def pages(command):
    """Returns names and pages: of the command itself ("tandem"), of its commands and of what they share."""
    def run(*words):
        return subprocess.run([command, "help", *words], capture_output=True, text=True, check=True).stdout

    names = re.findall(r"^  ([a-z]+) +\S", run().split("Commands:")[1], re.M)
    found = [("tandem", "# tandem\n" + page(run("--man")))]
    for name in names:
        found.append((name, f"# tandem {name}\n" + page(run("--man", name))))
    for name in re.findall(r"'tandem help ([a-z]+)'", run()):
        found.append((name, f"# tandem help {name}\n" + page(run("--man", name))))
    return found
