// What a pull and a push do, against a model of both sides.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileStates, LocalFileState } from "../../../src/cli/workspaces/file-state.ts";
import { isSameFile } from "../../../src/cli/workspaces/file-state.ts";
import {
  foldersAbove,
  planPull,
  planPush,
  type Sides,
  type SyncPlan,
} from "../../../src/cli/workspaces/sync-plan.ts";

const file = (oid: string, mode: LocalFileState["mode"] = "100644"): LocalFileState => ({ oid, mode });
const statesOf = (files: Readonly<Record<string, LocalFileState>>): FileStates =>
  new Map(Object.entries(files));

/** A tree: no file is also a folder. */
const tree = fc
  .dictionary(
    fc.constantFrom("a", "a/b", "a/b/c", "a/d", "e", "e/f"),
    fc.record({ oid: fc.constantFrom("1", "2", "3"), mode: fc.constantFrom("100644", "100755", "120000") }),
  )
  .map((files) => statesOf(files as Record<string, LocalFileState>))
  .map((files) => new Map([...files].filter(([path]) => !foldersAbove(path).some((one) => files.has(one)))));

const sides: fc.Arbitrary<Sides> = fc.record({ base: tree, local: tree, remote: tree });

function apply(plan: SyncPlan, onto: FileStates): FileStates {
  const files = new Map(onto);
  for (const { path, from, to } of plan.steps) {
    expect(isSameFile(files.get(path) ?? null, from), path).toBe(true);
    if (to === null) files.delete(path);
    else {
      expect(foldersAbove(path).filter((folder) => files.has(folder))).toEqual([]);
      expect([...files.keys()].filter((other) => other.startsWith(`${path}/`))).toEqual([]);
      files.set(path, to);
    }
  }
  return files;
}

const sorted = (files: FileStates) => [...files].sort(([one], [other]) => (one < other ? -1 : 1));

describe("a pull and a push", () => {
  it("leave both sides equal, with every change of one side kept, where there is no conflict", () => {
    fc.assert(
      fc.property(sides, (before) => {
        const pull = planPull(before, null);
        const local = apply(pull, before.local);
        if (pull.conflicts.length > 0) {
          expect(local).toEqual(before.local);
          expect(pull.met).toBe(before.base);
          return;
        }
        const push = planPush({ base: pull.met, local, remote: before.remote });
        expect(push.conflicts).toEqual([]);
        const remote = apply(push, before.remote);
        expect(sorted(remote)).toEqual(sorted(local));
        expect(sorted(push.met)).toEqual(sorted(local));
        for (const path of new Set([
          ...before.local.keys(),
          ...before.remote.keys(),
          ...before.base.keys(),
        ])) {
          const [was, here, there] = [before.base, before.local, before.remote].map(
            (one) => one.get(path) ?? null,
          );
          const changed = isSameFile(here ?? null, was ?? null) ? there : here;
          expect(local.get(path) ?? null, path).toEqual(changed);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("settle every conflict of contents by the side that is taken, and nothing is left to pull", () => {
    fc.assert(
      fc.property(sides, fc.constantFrom("local", "remote"), (before, take) => {
        const pull = planPull(before, take);
        expect(pull.conflicts.filter(({ kind }) => kind === "both_changed")).toEqual([]);
        if (pull.conflicts.length > 0) return;
        const local = apply(pull, before.local);
        const push = planPush({ base: pull.met, local, remote: before.remote });
        // A file here may stand where a folder is there.
        if (push.conflicts.length > 0) return;
        expect(sorted(apply(push, before.remote))).toEqual(sorted(local));
        expect(planPull({ base: push.met, local, remote: local }, null)).toMatchObject({
          steps: [],
          left: [],
        });
      }),
      { numRuns: 3_000 },
    );
  });

  it("change nothing where one file has changed on both sides, and name it", () => {
    const before: Sides = {
      base: statesOf({ both: file("1"), here: file("1"), there: file("1"), gone: file("1") }),
      local: statesOf({ both: file("2"), here: file("2"), there: file("1"), gone: file("1") }),
      remote: statesOf({ both: file("3"), here: file("1"), there: file("3") }),
    };
    const both = { path: "both", kind: "both_changed", local: file("2"), remote: file("3") };
    expect(planPull(before, null)).toMatchObject({ steps: [], conflicts: [both] });
    expect(planPush(before)).toMatchObject({ steps: [], conflicts: [both] });
    expect(planPull(before, "remote").steps).toEqual([
      { path: "gone", from: file("1"), to: null },
      { path: "both", from: file("2"), to: file("3") },
      { path: "there", from: file("1"), to: file("3") },
    ]);
    expect(planPull(before, "local").left).toEqual(["both", "here"]);
  });

  it("see a mode that has changed alone, and a file that both sides have made alike", () => {
    const before: Sides = {
      base: statesOf({ tool: file("1") }),
      local: statesOf({ tool: file("1"), same: file("2") }),
      remote: statesOf({ tool: file("1", "100755"), same: file("2") }),
    };
    const pull = planPull(before, null);
    expect(pull.steps).toEqual([{ path: "tool", from: file("1"), to: file("1", "100755") }]);
    expect(sorted(pull.met)).toEqual(sorted(before.remote));
  });

  it("refuse a file where the other side has a folder", () => {
    const before: Sides = {
      base: statesOf({}),
      local: statesOf({ a: file("1") }),
      remote: statesOf({ "a/b": file("2") }),
    };
    const conflict = { path: "a/b", kind: "in_the_way", local: null, remote: file("2") };
    expect(planPull(before, null)).toMatchObject({ steps: [], conflicts: [conflict] });
    expect(planPush(before).conflicts).toMatchObject([{ path: "a", kind: "in_the_way" }]);
  });
});
