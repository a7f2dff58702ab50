// Roman numerals in Python: IV is six.

import type { FixTask } from "../task.ts";

export const romanNumerals: FixTask = {
  kind: "failing_test",
  toolchain: "python3",
  term: "from_roman",
  prompt: "The tests of this repository fail. Find the cause and fix it. Change no test.",
  files: {
    "roman.py": `NUMERALS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def from_roman(text):
    total = 0
    for index, char in enumerate(text):
        value = NUMERALS[char]
        total += value
    return total
`,
    "test_roman.py": `import unittest

from roman import from_roman


class RomanTest(unittest.TestCase):
    def test_adds(self):
        self.assertEqual(from_roman("XVI"), 16)

    def test_subtracts(self):
        self.assertEqual(from_roman("XIV"), 14)


if __name__ == "__main__":
    unittest.main()
`,
  },
  test: ["python3", "test_roman.py"],
  check: {
    "check_roman.py": `from roman import from_roman

for text, number in {"I": 1, "IV": 4, "XVI": 16, "XL": 40, "MCMXCIV": 1994}.items():
    assert from_roman(text) == number, text
`,
  },
  command: ["python3", "check_roman.py"],
  solution: {
    "roman.py": `NUMERALS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def from_roman(text):
    total = 0
    for index, char in enumerate(text):
        value = NUMERALS[char]
        following = NUMERALS[text[index + 1]] if index + 1 < len(text) else 0
        total += -value if value < following else value
    return total
`,
  },
};
