# SPDX-License-Identifier: Apache-2.0
"""Small faults in C and SQL, as somebody could make them: where each could be, and what the text is then."""
import random
import re

# What is no code: comments, strings, and lines of the preprocessor keep their length and lose their letters.
NOT_C = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.S | re.M)
NOT_SQL = re.compile(r"--[^\n]*|'(?:[^']|'')*'", re.S)

# name: (pattern of the place, what stands there instead). A function gets the match.
C = {
    "condition negated": (r"\bif \((?=[^{;]*\)\s*(?:\n|\{|return|continue|break))", None),
    "== becomes !=": (r" == ", " != "),
    "!= becomes ==": (r" != ", " == "),
    "< becomes <=": (r" < ", " <= "),
    "<= becomes <": (r" <= ", " < "),
    "> becomes >=": (r" > ", " >= "),
    ">= becomes >": (r" >= ", " > "),
    "&& becomes ||": (r" && ", " || "),
    "|| becomes &&": (r" \|\| ", " && "),
    "+ becomes -": (r" \+ ", " - "),
    "true becomes false": (r"\btrue\b", "false"),
    "false becomes true": (r"\bfalse\b", "true"),
    "failure passed over": (r"^( +)TRY\((.*)\);$", r"\1if ((\2) != OK) {}"),
    "call left out": (r"^( +)(?!return|break|continue|goto|va_|assert)[a-z]\w+\((?:[^;{}]*)\);$", r"\1;"),
    "one more": (r"(?<=[ (])([2-9]|[1-9][0-9]+)(?=[,;) ])", lambda match: str(int(match.group(1)) + 1)),
    "role changed": (r"\bANY_OF\((PROJECT_READ_ONLY|PROJECT_OWNER|ORG_OWNER|ORG_MEMBER)\)",
                     lambda match: "ANY_OF(%s)" % {"PROJECT_READ_ONLY": "PROJECT_OWNER", "PROJECT_OWNER": "PROJECT_READ_ONLY",
                                                   "ORG_OWNER": "ORG_MEMBER", "ORG_MEMBER": "ORG_OWNER"}[match.group(1)]),
}
SQL = {
    "condition left out": (r"\bAND (?!NOT EXISTS|EXISTS)((?:[^()\n]|\([^()]*\))+?)(?=\s+AND\b|\s+OR\b|\s*\n|\s*$|\s*\))", " "),
    "first condition left out": (r"\bWHERE (?!NOT EXISTS|EXISTS)((?:[^()\n]|\([^()]*\))+?)\s+AND\b", "WHERE"),
    "= becomes <>": (r" = (?=:|\$|\w)", " <> "),
    "< becomes <=": (r" < ", " <= "),
    "> becomes >=": (r" > ", " >= "),
    "AND becomes OR": (r"\bAND\b", "OR"),
    "IS NULL turned": (r"\bIS NULL\b", "IS NOT NULL"),
    "IS NOT NULL turned": (r"\bIS NOT NULL\b", "IS NULL"),
    "EXISTS turned": (r"(?<!NOT )\bEXISTS \(", "NOT EXISTS ("),
    "lock left out": (r"\bFOR (?:NO KEY )?(?:UPDATE|SHARE)(?: OF \w+)?(?: SKIP LOCKED)?", " "),
    "order left out": (r"\bORDER BY [\w., ]+(?=\s|\))", " "),
    "order turned": (r"\bDESC\b", "ASC"),
    "one more": (r"(?<=[ (])([2-9]|[1-9][0-9]+)(?=[,;) ])", lambda match: str(int(match.group(1)) + 1)),
    "true becomes false": (r"\btrue\b", "false"),
    "false becomes true": (r"\bfalse\b", "true"),
}


# Where a fault tells nothing about tests, because nobody is promised anything: lines of logs, points at which tests kill, room and time that is a little more than it was.
# Others leave the same out ("arid" lines: Petrović and Ivanković, State of Mutation Testing at Google, 2018). What is promised exactly has an exact test: limits of the API are in tables of the contract.
PROMISES_NOTHING = {
    "call left out": re.compile(r"^ *(?:log_line|failpoint)\("),
    "one more": re.compile(r"\b[A-Z][A-Z0-9_]*_(?:BYTES|MS|S|MB|SECONDS) =|\b(?:arena_new|buf_in|clock_sleep_ms)\("),
}


def blanked(text, not_code):
    return re.sub(not_code, lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def negate(text, place):
    """if (x) becomes if (!(x)): finds the parenthesis that closes."""
    blank = blanked(text, NOT_C)  # a parenthesis in a string closes nothing
    begin = text.index("(", place)
    depth, end = 0, begin
    while True:
        depth += {"(": 1, ")": -1}.get(blank[end], 0)
        if depth == 0:
            break
        end += 1
    return text[:begin] + "(!" + text[begin:end + 1] + ")" + text[end + 1:]


class Mutant:
    def __init__(self, path, kind, text, match, replacement):
        self.path, self.kind = path, kind
        self.line = text.count("\n", 0, match.start()) + 1
        if replacement is None:
            self.text = negate(text, match.start())
        else:
            self.text = text[:match.start()] + match.expand(replacement) if isinstance(replacement, str) else text[:match.start()] + replacement(match)
            self.text += text[match.end():]
        lines, others = text.splitlines(), self.text.splitlines()
        self.was = lines[self.line - 1].strip()
        self.now = others[self.line - 1].strip() if self.line <= len(others) else ""

    def key(self):
        return "%s\t%s\t%s" % (self.path, self.was, self.now)


def is_assignment(blank, place):
    """Whether a = of SQL gives a column or an option its value: anything else there is no SQL, and says nothing about the tests."""
    words = re.findall(r"\b(SET|WITH|FROM|WHERE|RETURNING|CASE|WHEN|SELECT|THEN)\b", blank[:place])
    return words[-1:] in (["SET"], ["WITH"])


def mutants_of(path, text):
    """All that can be made of a file."""
    sql = path.endswith(".sql")
    blank = blanked(text, NOT_SQL if sql else NOT_C)
    for kind, (pattern, replacement) in (SQL if sql else C).items():
        for match in re.finditer(pattern, blank, re.M):
            found = re.compile(pattern, re.M).match(text, match.start())
            if found is None or kind == "= becomes <>" and is_assignment(blank, match.start()):
                continue
            mutant = Mutant(path, kind, text, found, replacement)
            if kind not in PROMISES_NOTHING or not PROMISES_NOTHING[kind].search(mutant.was):
                yield mutant


def choose(files, count, seed):
    """So many of them, spread over all folders: first a folder, then a file, then a mutant."""
    chance, folders, chosen = random.Random(seed), {}, {}
    for path, text in files.items():
        folders.setdefault(path.rsplit("/", 1)[0], []).append((path, text))
    tries = 0
    while len(chosen) < count and tries < 50 * count:
        tries += 1
        path, text = chance.choice(folders[chance.choice(sorted(folders))])
        possible = list(mutants_of(path, text))
        if possible:
            mutant = chance.choice(possible)
            chosen.setdefault(mutant.key(), mutant)
    return list(chosen.values())
