# SPDX-License-Identifier: Apache-2.0
"""What a reader sees of a terminal: text with movements of the cursor in it, resolved into lines."""
import re

PIECES = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b[=>]|\x1b\][^\x07]*\x07|([\r\n\b\x07])|([^\x1b\r\n\b\x07]+)|\x1b")


class Screen:
    """Endless downwards. What a line was when the cursor left it is kept: a bar that is drawn over has many of them."""

    def __init__(self):
        self.lines, self.row, self.column = [""], 0, 0
        self.seen = []  # every line as it was when it was left, in the order in which that happened

    def feed(self, text):
        for numbers, letter, control, plain in PIECES.findall(text):
            if plain:
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = line[:self.column] + plain + line[self.column + len(plain):]
                self.column += len(plain)
            elif control:
                self.control(control)
            elif letter:
                self.move(letter, int(numbers) if numbers.isdigit() else 0)

    def control(self, sign):
        if sign == "\r":
            self.column = 0
        elif sign == "\b":
            self.column = max(0, self.column - 1)
        elif sign == "\n":  # a terminal's own line discipline has put \r in front
            self.seen.append(self.lines[self.row].rstrip())
            self.row += 1
            if self.row == len(self.lines):
                self.lines.append("")

    def move(self, letter, number):
        line = self.lines[self.row]
        if letter == "A":
            self.row = max(0, self.row - max(1, number))
        elif letter == "C":
            self.column += max(1, number)
        elif letter == "D":
            self.column = max(0, self.column - max(1, number))
        elif letter == "G":
            self.column = max(1, number) - 1
        elif letter == "K" and number == 0:
            self.lines[self.row] = line[:self.column]
        elif letter == "K":
            self.lines[self.row] = "" if number == 2 else " " * self.column + line[self.column:]
        # Colours and modes change nothing that can be read.

    def text(self, first=0):
        return "\n".join(line.rstrip() for line in self.lines[first:])
