# SPDX-License-Identifier: MIT
"""Puts many faults into one text: each location contains the original code and the changed code of each
fault, and TD_MUTANT(n) (runtime.h) selects one of them at run time.

    statement       { if (TD_MUTANT(17)) { fault } else { statement } }
    condition       (TD_MUTANT(17) ? !!(fault) : !!(condition))
    value           (TD_MUTANT(17) ? (fault) : (value)); effect: the same with (void)
    constant        #define NAME (TD_MUTANT(17) ? (fault) : NAME) after its definition
    table           loses its const; a constructor, or the statement behind it, copies the fault's table over it
"""
import collections
import re

Placed = collections.namedtuple("Placed", "region number text")  # text of a region with fault `number`


def changed_span(mutant):
    """Returns the columns (start, end) that a fault changes in its line."""
    before, after = mutant.before, mutant.after
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, len(before) - end


class Places:
    """The regions of one file, and which of them a fault is in."""

    def __init__(self, text, regions, pieces):
        self.text, self.pieces = text, pieces
        self.regions = sorted(regions, key=lambda r: (r.end - r.start, r.start))
        self.starts = [0]
        for line in text.split("\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def place(self, number, mutant):
        """Returns [Placed, ...], empty if the fault is in no region."""
        begin = self.starts[mutant.line - 1]
        start, end = (begin + column for column in changed_span(mutant))
        longer = len(mutant.after) - len(mutant.before)
        changed = self.text[:begin] + mutant.after + self.text[begin + len(mutant.before):]
        for region in self.regions:
            if region.start <= start and end <= region.end:
                if region.kind == "list":
                    return self.in_list(number, region, changed, longer)
                return [Placed(region, number, changed[region.start:region.end + longer])]
        return []

    def in_list(self, number, region, changed, longer):
        """Handles swapped elements of a list: two faults with one number."""
        before = list(self.pieces(self.text, region.start, region.end, ","))
        after = list(self.pieces(changed, region.start, region.end + longer, ","))
        if len(before) != len(after):
            return []
        placed = []
        for (a, b), (c, d) in zip(before, after):
            if self.text[a:b] != changed[c:d]:
                part = next((r for r in region.parts if self.text[a:b].strip() == self.text[r.start:r.end]
                             and a <= r.start < b), None)
                if part is None:
                    return []
                placed.append(Placed(part, number, changed[c:d].strip()))
        return placed


class Text:
    """A text under construction, with the faults of each line."""

    def __init__(self):
        self.parts, self.line, self.lines = [], 1, collections.defaultdict(set)

    def add(self, part, numbers=()):
        last = self.line + part.count("\n")
        for line in range(self.line, last + 1):
            self.lines[line].update(numbers)
        self.parts.append(part)
        self.line = last


def choice(region, faults, original):
    """Returns [(text, numbers), ...] of a region with its faults, in C."""
    every = [f.number for f in faults]
    newline = " \\\n" if region.macro else "\n"
    if region.kind == "statement":
        found = [("{ ", [])]
        for fault in faults:
            found.append((f"if (TD_MUTANT({fault.number})) {{{newline}{fault.text}{newline}}} else ", [fault.number]))
        return found + [(f"{{{newline}{original}{newline}}} }}", [])]
    cast = {"test": "!!", "effect": "(void)", "value": ""}[region.kind]
    found = [("(", every)]
    for fault in faults:
        found.append((f"TD_MUTANT({fault.number}) ?{newline}{cast}({fault.text.strip() or '0'}) :{newline}", [fault.number]))
    return found + [(f"{cast}({original}))", every)]


def without_const(text, name):
    """Returns a definition of a writable object, without the last const before its name."""
    start = re.search(rf"\b{name}\b", text).start()
    head, rest = text[:start], text[start:]
    if "*" in head:
        pointer = head.rindex("*")
        return head[:pointer] + head[pointer:].replace("const ", "") + rest
    return head.replace("const ", "", 1) + rest


def table(region, faults, original):
    """Returns [(text, numbers), ...]: a table and its copies with faults."""
    found = [(without_const(original, region.name) + "\n", [f.number for f in faults])]
    for fault in faults:
        other = f"{region.name}_{fault.number}"
        copied = (f"_Static_assert(sizeof {region.name} == sizeof {other}, \"other size\"); "
                  f"if (TD_MUTANT({fault.number})) __builtin_memcpy((void *)&{region.name}, &{other}, sizeof {other});")
        if region.kind == "table":
            copied = f"__attribute__((constructor)) static void put_{other}(void) {{ {copied} }}"
        text = re.sub(rf"\b{region.name}\b", other, fault.text, count=1)
        found.append((f"{text}\n{copied}\n", [fault.number]))
    return found


def written(text, placed):
    """Returns the text with all faults, and {line: numbers of faults}."""
    by_region = collections.defaultdict(list)
    inserts = []
    for p in sorted(placed, key=lambda p: p.number):
        if p.region.kind == "constant":
            name, where = p.region.name
            inserts.append((where, where, [(f"\n#define {name} (TD_MUTANT({p.number}) ? ({p.text}) : {name})\n", [p.number])]))
        else:
            by_region[p.region.start, p.region.end].append(p)
    for (start, end), faults in by_region.items():
        region = faults[0].region
        make = table if "table" in region.kind else choice
        inserts.append((start, end, make(region, faults, text[start:end])))
    out, at = Text(), 0
    for start, end, parts in sorted(inserts, key=lambda i: i[:2]):
        if start < at:
            continue  # nested: only the outer one is kept
        out.add(text[at:start])
        for part in parts:
            out.add(*part)
        at = end
    out.add(text[at:])
    return "".join(out.parts), out.lines


