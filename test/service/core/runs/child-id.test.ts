// The ids of what calls of a run begin.

import { expect, it } from "vitest";
import { systemRandom } from "../../../../src/base/ids.ts";
import { childIdOf } from "../../../../src/service/core/runs/delegate-run.ts";

const submittedAt = Date.UTC(2026, 10, 29);
const parent = { id: systemRandom.uuid(submittedAt), submittedAt };

it.each([
  ["has not started", null],
  ["has started", submittedAt + 5_000],
  ["was taken by a worker whose clock is behind", submittedAt - 5_000],
])("sort behind a parent that %s, and are the same for each worker", (_name, startedAt) => {
  const id = childIdOf({ ...parent, startedAt }, "call");
  expect(id > parent.id).toBe(true);
  expect(childIdOf({ ...parent, startedAt }, "call")).toBe(id);
  expect(childIdOf({ ...parent, startedAt }, "another")).not.toBe(id);
});
