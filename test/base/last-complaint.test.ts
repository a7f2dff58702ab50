import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { lastComplaint } from "../../src/base/last-complaint.ts";

const execute = promisify(execFile);

/** What Node itself says of an error that nobody catches. */
async function saidBy(...args: readonly string[]): Promise<string> {
  const failed: unknown = await execute(process.execPath, args).catch((cause: unknown) => cause);
  return failed instanceof Error && "stderr" in failed ? String(failed.stderr) : "";
}

it("is the last line that a program has written", () => {
  expect(lastComplaint("starting\nno such file: a.json\n\n")).toBe("no such file: a.json");
  expect(lastComplaint("")).toBe("");
});

it("is the error where Node has ended its report with its version", async () => {
  const missing = await saidBy("/nowhere/server.mjs");
  expect(missing.trimEnd()).toMatch(/\nNode\.js v\d+\.\d+\.\d+$/);
  expect(lastComplaint(missing)).toMatch(/^Error: Cannot find module '.*server\.mjs'$/);
  const thrown = await saidBy("--eval", "new URL('nothing')");
  expect(lastComplaint(thrown)).toBe("TypeError: Invalid URL");
  const coded = await saidBy("--input-type=module", "--eval", "import 'no-such-package'");
  expect(lastComplaint(coded)).toMatch(
    /^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package 'no-such-package'/,
  );
  expect(lastComplaint("Node.js v24.21.0")).toBe("Node.js v24.21.0");
});
