// Every task of the agent's benchmark by real execution: its repository fails the hidden check, its reference solution passes.

import { beforeAll, describe, expect, it } from "vitest";
import { checkReview, plantedDefects, referenceFindings } from "../../../bench/agent/check-review.ts";
import type { FixTask, ReviewTask, Toolchain } from "../../../bench/agent/task.ts";
import {
  checkOutTask,
  foundToolchains,
  passesCheck,
  succeeds,
  writeFiles,
} from "../../../bench/agent/task-checkout.ts";
import { tasks } from "../../../bench/agent/tasks.ts";

const named = Object.entries(tasks);
const fixes = named.flatMap(([name, task]): [string, FixTask][] =>
  task.kind === "review" ? [] : [[name, task]],
);
const reviews = named.flatMap(([name, task]): [string, ReviewTask][] =>
  task.kind === "review" ? [[name, task]] : [],
);

describe("the tasks of the agent's benchmark", () => {
  let found: ReadonlySet<Toolchain>;
  beforeAll(async () => {
    found = await foundToolchains();
  });

  it("are twenty, of three kinds and three languages", () => {
    expect(named).toHaveLength(20);
    expect(new Set(named.map(([, { kind }]) => kind))).toEqual(
      new Set(["failing_test", "bug_report", "review"]),
    );
    expect(new Set(fixes.map(([, { toolchain }]) => toolchain))).toEqual(new Set(["node", "python3", "go"]));
  });

  describe.each(fixes)("%s", (_, task) => {
    it("fails its hidden check as it is, and its test where the request says so", async ({ skip }) => {
      skip(!found.has(task.toolchain), `needs ${task.toolchain}`);
      const checkout = await checkOutTask(task);
      const { root, scratch } = checkout;
      expect(await succeeds(task.test, { root, home: scratch })).toBe(task.kind === "bug_report");
      expect(await passesCheck(task, checkout)).toBe(false);
      await checkout.remove();
    }, 60_000);

    it("passes both with its reference solution, which touches no test", async ({ skip }) => {
      skip(!found.has(task.toolchain), `needs ${task.toolchain}`);
      const checkout = await checkOutTask(task);
      const { root, scratch } = checkout;
      await writeFiles(root, task.solution);
      expect(await succeeds(task.test, { root, home: scratch })).toBe(true);
      expect(await passesCheck(task, checkout)).toBe(true);
      await checkout.remove();
      expect(Object.keys(task.files)).toEqual(expect.arrayContaining(Object.keys(task.solution)));
      expect(Object.keys(task.solution).filter((path) => path.includes("test"))).toEqual([]);
      expect(Object.keys(task.check).filter((path) => path in task.files)).toEqual([]);
    }, 60_000);
  });

  describe.each(reviews)("%s", (_, task) => {
    it("is solved by a review that names each planted defect, and by no other", () => {
      const all = referenceFindings(task);
      expect(checkReview(task, { summary: "", findings: all })).toMatchObject({ isSolved: true });
      expect(checkReview(task, { summary: "", findings: [] }).isSolved).toBe(false);
      expect(checkReview(task, { summary: "", findings: all.slice(1) }).isSolved).toBe(false);
      expect(checkReview(task, null).isSolved).toBe(false);
      const elsewhere = all.map((finding) => ({ ...finding, path: "other.mjs" }));
      expect(checkReview(task, { summary: "", findings: elsewhere }).isSolved).toBe(false);
    });

    it("is not solved by naming every line", () => {
      const [{ path } = { path: "" }] = plantedDefects(task);
      const lines = (task.change[path] ?? "").split("\n").length;
      const findings = Array.from({ length: lines }, (_line, at) => ({
        ...referenceFindings(task)[0],
        path,
        line: at + 1,
      }));
      expect(checkReview(task, { summary: "", findings })).toMatchObject({ isSolved: false });
    });
  });
});
