// agent-service eval --mine: a history with planted commits, judged by real tests in the sandbox.

import { execFileSync } from "node:child_process";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readTaskFile, type TaskFile } from "../../src/evals/task.ts";
import { EvalFixture, sourceOf, testOf } from "../support/evals/eval-fixture.ts";
import { runCommand } from "../support/run/run-command.ts";

let fixture: EvalFixture;
beforeEach(async () => {
  fixture = await EvalFixture.open();
});
afterEach(async () => {
  await fixture.close();
});

async function mine(args: readonly string[] = [], env: Record<string, string> = {}) {
  const given = { TMPDIR: fixture.folder, ...env };
  const exit = await runCommand(["eval", "--mine", ...args], given, { folder: fixture.root });
  const text = await readFile(join(fixture.root, ".agent-service/evals.json"), "utf8").catch(() => "");
  return { ...exit, file: readTaskFile(text) as TaskFile };
}

describe("agent-service eval --mine", { tags: ["sandbox"] }, () => {
  it("keeps commits that are red before and green after, and says why it drops the others", async () => {
    const reasons = new Map<string, string>();
    const drop = (reason: string, commit: string) => reasons.set(commit, reason);
    const many = Object.assign({}, ...Array.from({ length: 41 }, (_, at) => sourceOf(`many${at}`, "0")));
    const laid = fixture.commit("Lay out the project", {
      ...sourceOf("sum", "a - b"),
      ...testOf("sum", 1),
      ...sourceOf("most", "a"),
      ...sourceOf("old", "a"),
      ...testOf("old", 3),
    });
    const valid = fixture.commit("Make sum add its numbers\n\nIt subtracted them.\n\nFixes #3", {
      ...sourceOf("sum", "a + b"),
      ...testOf("sum", 5),
    });
    drop(
      "not_red",
      fixture.commit("Write most in another way", { ...sourceOf("most", "+a"), ...testOf("most", 3) }),
    );
    drop(
      "not_green",
      fixture.commit("Begin to work on least", { ...sourceOf("least", "a"), ...testOf("least", 2) }),
    );
    drop("no_tests", fixture.commit("Explain the project at length", { "README.md": "It has sums.\n" }));
    drop(
      "no_source",
      fixture.commit("Test the sum once more", { "test/more.test.js": "import 'node:test';\n" }),
    );
    drop(
      "no_source",
      fixture.commit("Test and explain it", {
        "README.md": "More.\n",
        ...testOf("sum", 5),
        "test/x.test.js": "",
      }),
    );
    const moved = fixture.commit("Move old to its new name", {
      "src/old.js": null,
      "test/old.test.js": null,
      ...sourceOf("fresh", "a"),
      ...testOf("fresh", 3),
    });
    drop(
      "only_deletes_tests",
      fixture.commit("Remove most and its test", { "src/most.js": null, "test/most.test.js": null }),
    );
    drop("too_large", fixture.commit("Add very many functions", { ...many, ...testOf("many1", 0) }));
    drop("no_message", fixture.commit("wip", { ...sourceOf("sub", "a - b"), ...testOf("sub", 1) }));
    const merged = fixture.merge("Merge pull request #9 from octo/max\n\nAdd max of two numbers (#9)", {
      ...sourceOf("max", "Math.max(a, b)"),
      ...testOf("max", 3),
    });
    fixture.checkOut();
    const before = fixture.state();

    const { code, stdout, stderr, file } = await mine();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain("The test command is: npm test");
    expect(stdout).toContain(
      "4 tasks of 12 commits, 6 of which were judged, are in .agent-service/evals.json.",
    );
    expect(file.tasks.map(({ commit }) => commit)).toEqual([merged, moved, valid, laid]);
    expect(file.tasks[2]).toMatchObject({
      prompt: expect.stringMatching(/\n\nMake sum add its numbers\n\nIt subtracted them\.$/),
      check: "node --test test/sum.test.js",
    });
    expect(file.tasks[0]?.prompt).toMatch(/\n\nAdd max of two numbers$/);
    const dropped = Object.fromEntries(file.dropped.map(({ commit, reason }) => [commit, reason]));
    expect(dropped).toMatchObject(Object.fromEntries(reasons));
    expect(file.dropped).toHaveLength(8);
    expect(fixture.state()).toBe(before);
  }, 300_000);

  it("sets a checkout up once for the same manifests, and takes the check that it is given", async () => {
    const passes = (name: string, result: string, expected: number) =>
      fixture.commit(`Make ${name} return ${expected}`, {
        ...sourceOf(name, result),
        ...testOf(name, expected),
      });
    passes("one", "a", 3);
    passes("two", "b", 2);
    passes("sum", "a + b", 5);
    fixture.checkOut();
    const setup = 'echo "$(cat made 2>/dev/null)x" > made';
    const check = 'test "$(cat made)" = x && node --test';
    const { code, stderr, file } = await mine(["--setup", setup, "--check", check]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(file.setup).toBe(setup);
    expect(file.tasks.map(({ check: own }) => own)).toEqual([check, check, check]);
  }, 300_000);

  it("tells files without the folder that they were tried in: what it writes is kept in the repository", async () => {
    fixture.commit("Make sum add its numbers", { ...sourceOf("sum", "a + b"), ...testOf("sum", 5) });
    fixture.checkOut();
    const { file } = await mine(
      ["--check", 'here="$(pwd -P)"; echo "$here/test/sum.test.js fails in $here"; false'],
      { SANDBOX: "off" },
    );
    expect(file.dropped).toMatchObject([{ reason: "not_green", detail: "test/sum.test.js fails in ." }]);
  }, 300_000);

  it("says what keeps every commit from being a task", async () => {
    fixture.commit("Make sum add its numbers", { ...sourceOf("sum", "a + b"), ...testOf("sum", 5) });
    fixture.checkOut();
    const unset = await mine(["--setup", "exit 3"]);
    expect(unset).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Name the test command with --check"),
    });
    expect(unset.file.dropped).toMatchObject([{ reason: "setup_failed" }]);
    const missing = await mine(["--check", "no-such-program"]);
    expect(missing.file.dropped).toMatchObject([{ reason: "not_executed" }]);
  });

  it("executes tests with no network and none of the job's secrets", async () => {
    const spy = [
      'import { writeFileSync } from "node:fs";',
      'import { test } from "node:test";',
      'import { sum } from "../src/sum.js";',
      'const reached = await fetch("http://127.0.0.1:9/").then(() => true, () => false);',
      'test("is alone", () => {',
      "  const seen = Object.values(process.env).filter((value) => /_secret|-secret/.test(value));",
      '  if (reached || seen.length > 0 || sum(3, 2) !== 5) throw new Error(seen.join(" "));',
      "});",
      "",
    ].join("\n");
    fixture.commit("Make sum add its numbers", { ...sourceOf("sum", "a + b"), "test/sum.test.js": spy });
    fixture.checkOut();
    const { file } = await mine([], { GITHUB_TOKEN: "ghs_secret", MODEL_API_KEY: "sk-secret" });
    expect(file).toMatchObject({ dropped: [], tasks: [{}] });
  });
});

describe("agent-service eval --mine without a sandbox", () => {
  it("executes nothing for a pull request", async () => {
    fixture.commit("Make sum add its numbers", { ...sourceOf("sum", "a + b"), ...testOf("sum", 5) });
    fixture.checkOut();
    const programs = join(fixture.folder, "programs");
    await mkdir(programs);
    await symlink(execFileSync("which", ["git"]).toString().trim(), join(programs, "git"));
    const { code, stderr } = await mine([], {
      PATH: programs,
      GITHUB_ACTIONS: "true",
      GITHUB_EVENT_NAME: "pull_request",
      GITHUB_REPOSITORY: "octo/project",
      GITHUB_BASE_REF: "main",
    });
    expect(code).toBe(1);
    expect(stderr).toContain("there is no sandbox");
  });
});

describe("agent-service eval", () => {
  it.each([
    [["--mine", "--base", "main"], "--mine and --base exclude each other"],
    [[], "--base is missing"],
    [["--base", "HEAD"], "--max-cost is missing"],
    [["--base", "HEAD", "--check", "x"], "--check is for --mine"],
    [["--base", "HEAD", "--max-cost", "1"], "agent-service eval --mine"],
    [["--mine", "--head", "nowhere"], '--head must be a commit of this checkout, got "nowhere"'],
    [["--mine", "--max-tasks", "0"], "--max-tasks must be an integer from 1 to 100"],
    [
      ["--base", "HEAD", "--max-cost", "1", "--agent", "codex", "--effort", "high"],
      "--effort is for the built-in",
    ],
  ])("names what is wrong with %j", async (args, message) => {
    fixture.checkOut();
    const { code, stderr } = await runCommand(
      ["eval", ...args],
      { TMPDIR: fixture.folder },
      { folder: fixture.root },
    );
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it("needs a test command", async () => {
    fixture.commit("Have no manifest any more", { "package.json": null });
    fixture.checkOut();
    const { code, stderr } = await mine();
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--check is missing"),
    });
  });
});
