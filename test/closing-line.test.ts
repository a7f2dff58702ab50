import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const PROJECT = join(import.meta.dirname, "..");
const VITEST = join(PROJECT, "node_modules/vitest/vitest.mjs");
const FAILING = join(import.meta.dirname, "support/run/failing-project");

it("counts failed hooks and files that cannot be imported as failed, and names what passed at a second try", async () => {
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    execFile(process.execPath, [VITEST, "run", "--config", join(FAILING, "vitest.config.ts")], (error, out) =>
      resolve({ code: error?.code ?? 0, stdout: out }),
    );
  });
  expect(code).toBe(1);
  // One set-up, one tear-down, one test, one import and one set-up of a whole file.
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("2 passed, 5 failed, 2 skipped");
  expect(stdout.match(/^passed only when tried again: .*$/gm)).toEqual([
    "passed only when tried again: passes at its second try",
  ]);
});
