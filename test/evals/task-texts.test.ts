// What is read of paths, messages, commands and task files.

import { describe, expect, it } from "vitest";
import { promptOf } from "../../src/evals/commit-message.ts";
import { isJudgePath, isSourcePath, isTestFile, isTestPath } from "../../src/evals/path-kinds.ts";
import { readTaskFile, writeTaskFile } from "../../src/evals/task.ts";
import { narrowedCommand } from "../../src/evals/test-command.ts";

describe("a path", () => {
  it.each([
    "test/sum.js",
    "src/sum.test.ts",
    "src/__tests__/sum.tsx",
    "pkg/sum_test.go",
    "tests/test_sum.py",
    "spec/sum_spec.rb",
    "src/test/java/SumTest.java",
    "test/support/fixture.json",
  ])("is a test: %s", (path) => {
    expect(isTestPath(path)).toBe(true);
    expect(isSourcePath(path)).toBe(false);
  });

  it.each(["src/sum.ts", "lib/latest.js", "src/contest.py", "attestation.go", "src/protest/x.rb"])(
    "is source: %s",
    (path) => {
      expect(isTestPath(path)).toBe(false);
      expect(isSourcePath(path)).toBe(true);
    },
  );

  it.each(["README.md", "docs/guide.rst", "LICENSE", "picture.png"])("is prose: %s", (path) => {
    expect(isSourcePath(path)).toBe(false);
    expect(isJudgePath(path)).toBe(false);
  });

  it.each([
    "package.json",
    "packages/a/package.json",
    "vitest.config.ts",
    "vite.config.mts",
    "jest.config.js",
    "jest.setup.ts",
    ".mocharc.yml",
    "tsconfig.test.json",
    "pytest.ini",
    "conftest.py",
    "src/conftest.py",
    "pyproject.toml",
    "Makefile",
    "yarn.lock",
    "Cargo.lock",
    "go.mod",
    ".npmrc",
  ])("is the judge's own: %s", (path) => {
    expect(isJudgePath(path)).toBe(true);
    expect(isSourcePath(path)).toBe(false);
  });

  it("is executed by its name alone where it has the name of a test", () => {
    expect(isTestFile("test/sum.test.mjs")).toBe(true);
    expect(isTestFile("test/support/fixture.mjs")).toBe(false);
  });
});

describe("a prompt", () => {
  it("is the message without its trailers, and without the line of a merge", () => {
    const message = [
      "Merge pull request #7 from octo/adds",
      "",
      "Make sum add (#7)",
      "",
      "It subtracted.",
      "",
      "Fixes #6",
      "Co-authored-by: Ada <ada@example.com>",
      "Signed-off-by: Ada <ada@example.com>",
    ].join("\n");
    expect(promptOf(message)).toMatch(/^Make the change .*\n\nMake sum add\n\nIt subtracted\.$/);
  });

  it("keeps a last sentence that only begins like a trailer", () => {
    expect(promptOf("Make sum add\n\nFixes the total of a cart.")).toMatch(/Fixes the total of a cart\.$/);
  });

  it.each(["wip", "", "fix", "updated-everything"])("is none for %j", (message) => {
    expect(promptOf(message)).toBeNull();
  });
});

describe("a test command", () => {
  const packageJson = JSON.stringify({
    scripts: {
      test: "vitest run",
      unit: "tsc && mocha --exit",
      all: "node --test 'test/*.js'",
      odd: "make x",
    },
  });
  it.each([
    ["npm test", "npx --no-install vitest run test/a.test.ts"],
    ["npm run unit", "npx --no-install mocha --exit test/a.test.ts"],
    ["pnpm all", "node --test test/a.test.ts"],
    ["npm run odd", "npm run odd"],
    ["npx vitest run", "npx vitest run test/a.test.ts"],
    ["python -m pytest -q", "python -m pytest -q test/a.test.ts"],
    ["go test ./...", "go test ./test"],
    ["make test", "make test"],
    ["vitest run | tail", "vitest run | tail"],
  ])("%s becomes %s", (command, narrowed) => {
    expect(narrowedCommand(command, { files: ["test/a.test.ts"], packageJson })).toBe(narrowed);
  });

  it("quotes what a shell would read", () => {
    const files = ["test/it's $(here).test.ts"];
    expect(narrowedCommand("jest", { files, packageJson: null })).toBe(
      `jest 'test/it'\\''s $(here).test.ts'`,
    );
  });
});

describe("a task file", () => {
  const task = { commit: "a".repeat(40), parent: "b".repeat(40), prompt: "Do\n\nit", check: "npm test" };

  it("is read as it was written", () => {
    const file = { setup: "npm ci", tasks: [task], dropped: [] };
    expect(readTaskFile(writeTaskFile(file))).toEqual(file);
  });

  it.each([
    ["[]", "it is no JSON object"],
    ['{"version":2}', 'its "version" must be 1, got 2'],
    ['{"version":1}', '"tasks" must be a list'],
    ['{"version":1,"setup":3,"tasks":[]}', '"setup" must be a command or null'],
    ['{"version":1,"tasks":[3]}', "tasks[0]: it is no object"],
    [
      JSON.stringify({ version: 1, tasks: [{ ...task, commit: "HEAD" }] }),
      'tasks[0]: "commit" must be the whole name of a commit',
    ],
    [JSON.stringify({ version: 1, tasks: [{ ...task, check: " " }] }), 'tasks[0]: "check" must be a text'],
    [JSON.stringify({ version: 1, tasks: [task, task] }), `the commit ${task.commit} stands there twice`],
  ])("%s is refused", (text, fault) => {
    expect(readTaskFile(text)).toBe(fault);
  });
});
