import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";

const PROJECT = join(import.meta.dirname, "..");
const VITEST = join(PROJECT, "node_modules/vitest/vitest.mjs");
const FAILING = join(import.meta.dirname, "support/run/failing-project");

describe("the closing line", () => {
  let code: unknown;
  let lines: readonly string[];
  beforeAll(async () => {
    ({ code, lines } = await run({}));
  });

  it("counts tests, failed hooks and files that cannot be imported, and names what passed at a second try", () => {
    expect(code).toBe(1);
    // One set-up, one tear-down, one test, one import, one set-up of a whole file, and two errors that belong to no test.
    expect(lines.at(-1)).toBe("3 passed, 7 failed, 4 skipped");
    expect(lines.filter((line) => line.startsWith("passed only when tried again"))).toEqual([
      "passed only when tried again: passes at its second try",
    ]);
  });

  it("names each failure beside it, with its error and its place", () => {
    const named = lines.slice(lines.indexOf("failed:") + 1, -2);
    expect(named).toHaveLength(7);
    expect(named[1]).toMatch(
      /^ {2}test\/support\/run\/failing-project\/hooks\.case\.ts: a set-up that fails: The database is out of connections\. at /,
    );
    expect(named.at(-1)).toMatch(
      /^ {2}an error that belongs to no test: the second at .*unhandled\.case\.ts:5:18$/,
    );
  });

  it("says what the machine lacks, and for how many tests", () => {
    expect(lines).toContain(
      "  2 tests need PostgreSQL at TEST_DATABASE_URL (start one and set TEST_DATABASE_URL)",
    );
  });

  it("counts only the tests with a need that was asked for", async () => {
    const asked = await run({ TEST_ONLY: "postgres", TEST_DATABASE_URL: "postgres://127.0.0.1:1/none" });
    // Beside the test, the file that cannot be imported: nobody knows what is in it.
    expect(asked.lines.at(-1)).toBe("0 passed, 2 failed, 1 skipped");
  });
});

describe("what a test needs", () => {
  const files = globSync("test/**/*.ts", { cwd: PROJECT }).filter(
    (path) => !path.endsWith("closing-line.test.ts"),
  );

  it("is said by its tags, in no other way", () => {
    expect(
      files.filter((path) =>
        /\.(?:skipIf|runIf)\(|There is no (?:sandbox|PostgreSQL) here/.test(textOf(path)),
      ),
    ).toEqual([]);
  });

  it("cannot be forgotten by a test that goes through the stores", () => {
    const users = files.filter((path) => /\bstoreKinds\b/.test(textOf(path)));
    expect(users.map((path) => path.replaceAll("\\", "/")).sort()).toEqual([
      "test/support/deployments/deployments.ts",
      "test/support/stores/on-every-store.ts",
      "test/support/stores/stores.ts",
    ]);
  });
});

function textOf(path: string): string {
  return readFileSync(join(PROJECT, path), "utf8");
}

/** Runs the failing project on a machine without PostgreSQL, unless `more` names one. */
async function run(more: Record<string, string>): Promise<{ code: unknown; lines: string[] }> {
  const { TEST_TOTALS: _, TEST_ONLY: __, TEST_DATABASE_URL: ___, ...env } = process.env;
  return await new Promise((resolve) => {
    const args = [VITEST, "run", "--config", join(FAILING, "vitest.config.ts")];
    execFile(process.execPath, args, { cwd: PROJECT, env: { ...env, ...more } }, (error, out) =>
      resolve({ code: error?.code ?? 0, lines: out.trimEnd().split("\n") }),
    );
  });
}
