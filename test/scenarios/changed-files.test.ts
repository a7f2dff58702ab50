// A run that changed the repository: what the next step and the reader of the summary get of it.

import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileChange } from "../../src/contract/runs/changes.ts";
import { eventsOf, type ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say, scriptedBackend } from "../support/scripted-backend.ts";

const FILES: readonly FileChange[] = [
  { path: "src/added.ts", status: "added", additions: 12, deletions: 0 },
  { path: "docs/a | b.md", status: "modified", additions: 3, deletions: 4 },
  { path: "old.txt", status: "deleted", additions: 0, deletions: 7 },
  { path: "line\nbreak.md", status: "renamed", additions: 0, deletions: 0 },
];

describe("a run that changed files", () => {
  let fixture: ScenarioFixture;
  let files = FILES;
  beforeAll(async () => {
    const backend = scriptedBackend(async (task) => {
      await say(task, "I changed some files.");
      const value = { base_sha: "1".repeat(40), files: [...files], patch: "diff --git a/src/added.ts …" };
      await task.emit({ type: "CUSTOM", name: "repository.changes", value });
    });
    fixture = await startFixture({ level: "scenario", backend });
  });
  afterAll(async () => await fixture.close());

  it("names them in an output as JSON, in the log and in a table", async () => {
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(JSON.parse(step.outputs["changed-files"] ?? "")).toEqual(FILES.map(({ path }) => path));
    expect(await readFile(step.outputs["patch-file"] ?? "", "utf8")).toBe("diff --git a/src/added.ts …");
    expect(step.log).toContain("Changed 4 files: +15 −11");
    const table = step.summary.slice(step.summary.indexOf("### "), step.summary.indexOf("<details>"));
    // As it was before the run: what it made or removed has no page there.
    const page = `${fixture.codeHost.url}/octo-org/octo-repo/blob/${"1".repeat(40)}/docs/a%20%7C%20b.md`;
    expect(table.trim().split("\n")).toEqual([
      "### 4 files changed: +15 −11",
      "",
      "| File | | Diff |",
      "|:--|:--|:--|",
      "| <code>src/added.ts</code> | added | +12 −0 🟩🟩🟩🟩🟩 |",
      `| [<code>docs/a &#124; b.md</code>](${page}) | modified | +3 −4 🟩🟩🟥🟥🟥 |`,
      "| <code>old.txt</code> | deleted | +0 −7 🟥🟥🟥🟥🟥 |",
      "| <code>line break.md</code> | renamed | +0 −0 ⬜⬜⬜⬜⬜ |",
    ]);
    expect(step.summary.indexOf("I changed some files.")).toBeLessThan(step.summary.indexOf("### 4 files"));
    expect(await eventsOf(step)).toEqual(await fixture.storedEvents(step.outputs["run-id"] ?? ""));
  });

  it("keeps output and summary within bounds when there are very many", async () => {
    files = Array.from({ length: 20_000 }, (_, index) => ({
      path: `packages/package-${index}/src/index.ts`,
      status: "modified",
      additions: 1,
      deletions: 1,
    }));
    const step = await fixture.main(await fixture.job());
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    const named: string[] = JSON.parse(step.outputs["changed-files"] ?? "");
    expect(named).toEqual(files.slice(0, named.length).map(({ path }) => path));
    expect(Buffer.byteLength(step.outputs["changed-files"] ?? "")).toBeLessThanOrEqual(128 * 1024);
    expect(step.summary).toContain("### 20,000 files changed");
    expect(step.summary.match(/^\| \[<code>/gm)).toHaveLength(50);
    expect(step.summary).toContain("and 19,950 more files");
    files = FILES;
  });
});
