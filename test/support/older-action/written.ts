// What the older Action writes of a job, compared with a file: outputs, annotations, log, summary and comment, without what differs
// between two jobs. UPDATE_GOLDEN=1 writes the files.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { ActionResult } from "../../../fakes/runner/run-action.ts";

const FOLDER = join(import.meta.dirname, "golden");

export async function expectWritten(name: string, step: ActionResult, comment = ""): Promise<void> {
  const { exitCode, annotations, outputs, summary, log } = step;
  const parts = [
    `exit code ${exitCode}`,
    ...annotations.map(({ level, message }) => `${level}: ${message}`),
    ...Object.entries(outputs).map(([output, value]) => `${output}=${value}`),
    "--- log",
    log,
    "--- summary",
    summary,
    "--- comment",
    comment,
  ];
  const text = withoutAccidents(parts.join("\n"));
  const file = join(FOLDER, `${name}.txt`);
  if (process.env.UPDATE_GOLDEN === "1") {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(readFileSync(file, "utf8"));
}

/** Ids, commits, addresses, paths, times, what was charged, and requests that a restart has lost. */
function withoutAccidents(text: string): string {
  return text
    .replaceAll(/\/[^\s"']*\/(?=(?:reply\.md|events\.ndjson|changes\.patch)\b)/g, "<folder>/")
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replaceAll(/svc_[a-z]+_[\w-]+/g, "<token>")
    .replaceAll(/127\.0\.0\.1:\d+/g, "<host>")
    .replaceAll(/\b[0-9a-f]{40}\b/g, "<commit>")
    .replaceAll(/(?<=<code>octo\/project<\/code> at <code>)[0-9a-f]+/g, "<commit>")
    .replaceAll(/(?<=^branch=agent\/[a-z0-9-]*)[0-9a-f]{8}$/gm, "<id>")
    .replaceAll(/(?<=pull\/|pull request (?:#|&#35;))\d+/g, "<number>")
    .replaceAll(/(?<=#issuecomment-)\d+/g, "<number>")
    .replaceAll(/^Attempt \d+ failed: .*\n/gm, "")
    .replaceAll(/^credits=\d+$/gm, "credits=<number>")
    .replaceAll(/\*\*Credits\*\* \d+ charged/g, "**Credits** <number> charged")
    .replaceAll(/^tokens=\d+$/gm, "tokens=<number>")
    .replaceAll(/\*\*Tokens\*\* [\d,]+/g, "**Tokens** <number>")
    .replaceAll(/\*\*Cost\*\* \$[\d.]+/g, "**Cost** <number>")
    .replaceAll(/(?<=charged, )[\d,]+(?= left)|(?<=^Credits remaining: )\d+/gm, "<number>")
    .replaceAll(/\b(?:\d+ min(?: \d+ s)?|\d+(?:\.\d)? s)\b/g, "<time>")
    .replaceAll(/(?<=^ {2}axisFormat ).*$/gm, "<time>")
    .replaceAll(/(?<=^ {4}.* :(?:[a-z]+, )?)\d+, \d+$/gm, "<time>")
    .replaceAll(/\d+\.\d (?=s, )/g, "<time>");
}
