// Intervals in Python: one inside another shortens it.

import type { FixTask } from "../task.ts";

export const mergeIntervals: FixTask = {
  kind: "bug_report",
  toolchain: "python3",
  term: "merge",
  prompt:
    "Bug report: merge([(1, 10), (2, 3)]) gives [(1, 3)], and intervals that are not in order are not merged at all. Fix it.",
  files: {
    "intervals.py": `def merge(intervals):
    """Joins intervals that overlap or touch. Sorted by their start."""
    merged = []
    for start, end in intervals:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
`,
    "test_intervals.py": `from intervals import merge

assert merge([(1, 3), (2, 5)]) == [(1, 5)]
assert merge([(1, 2), (4, 5)]) == [(1, 2), (4, 5)]
print("all good")
`,
  },
  test: ["python3", "test_intervals.py"],
  check: {
    "check_intervals.py": `from intervals import merge

assert merge([(1, 10), (2, 3)]) == [(1, 10)]
assert merge([(6, 8), (1, 3), (2, 5)]) == [(1, 5), (6, 8)]
assert merge([(1, 2), (2, 4)]) == [(1, 4)]
assert merge([]) == []
`,
  },
  command: ["python3", "check_intervals.py"],
  solution: {
    "intervals.py": `def merge(intervals):
    """Joins intervals that overlap or touch. Sorted by their start."""
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
`,
  },
};
