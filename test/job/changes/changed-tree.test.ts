// Trees of a repository without files, by real git: how a change comes onto a branch that has gone on.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { treeOnto } from "../../../src/job/changes/changed-tree.ts";
import { Kept } from "../../../src/job/changes/kept.ts";
import { ScratchRepository } from "../../../src/job/changes/scratch-repository.ts";
import { LINES } from "../../support/fixtures/changes-fixture.ts";

const { signal } = new AbortController();
let folder: string;
let scratch: ScratchRepository;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "changed-tree-"));
  const env = { PATH: process.env.PATH, RUNNER_TEMP: folder };
  scratch = await ScratchRepository.open({ env, objectFormat: "sha1", signal });
});
afterEach(async () => {
  await scratch.close();
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

async function treeOf(files: Readonly<Record<string, string>>): Promise<string> {
  const ask = async (args: readonly string[], input: string) =>
    (await scratch.git({ args, input, signal })).stdout.toString().trim();
  await ask(["read-tree", "--empty"], "");
  for (const [path, content] of Object.entries(files)) {
    const blob = await ask(["hash-object", "-w", "--stdin"], content);
    await ask(["update-index", "-z", "--index-info"], `100644 ${blob}\t${path}\0`);
  }
  return await ask(["write-tree"], "");
}

const line = (number: number, text: string, lines = LINES) => lines.replace(`line ${number}\n`, `${text}\n`);
const onto = async (
  base: Record<string, string>,
  changed: Record<string, string>,
  tip: Record<string, string>,
) =>
  await treeOnto(scratch, {
    base: await treeOf(base),
    changed: await treeOf(changed),
    tip: await treeOf(tip),
    branch: "main",
  });
const keptOf = async (work: Promise<unknown>): Promise<Kept> => {
  const error: unknown = await work.catch((cause: unknown) => cause);
  if (!(error instanceof Kept)) throw new Error(`Not kept: ${String(error)}`);
  return error;
};

describe("a change merged onto a branch that has moved", () => {
  it("merges with other changes in the file, and follows a renamed file", async () => {
    const merged = await onto({ a: LINES }, { a: line(2, "two") }, { a: line(9, "nine") });
    expect(merged).toBe(await treeOf({ a: line(9, "nine", line(2, "two")) }));
    const followed = await onto({ a: LINES }, { a: line(2, "two") }, { "b/c": LINES });
    expect(followed).toBe(await treeOf({ "b/c": line(2, "two") }));
  });

  it("is unchanged where the branch did not move, and empty where the branch has it already", async () => {
    const changed = await treeOf({ a: line(2, "two") });
    expect(await onto({ a: LINES }, { a: line(2, "two") }, { a: LINES })).toBe(changed);
    expect(await onto({ a: LINES }, { a: line(2, "two") }, { a: line(2, "two") })).toBe(changed);
    expect(await onto({ a: LINES }, { a: LINES }, { a: line(2, "two") })).toBe(changed);
  });

  it("conflicts where both changed the same lines, whatever the paths are", async () => {
    const path = "odd\n ü";
    const both = await keptOf(
      onto({ [path]: LINES }, { [path]: line(2, "two") }, { [path]: line(2, "zwei") }),
    );
    expect(both).toMatchObject({ reason: "changes_conflict" });
    expect(both.message).toContain('in "odd\\n ü".');
    const gone = await keptOf(onto({ a: LINES, b: "b" }, { a: line(2, "two"), b: "b" }, { b: "b" }));
    expect(gone.reason).toBe("changes_conflict");
  });

  it("does not follow a file to a protected path", async () => {
    const moved = { ".github/workflows/ci.yml": LINES };
    const kept = await keptOf(onto({ "docs/ci.yml": LINES }, { "docs/ci.yml": line(2, "evil") }, moved));
    expect(kept).toMatchObject({ reason: "patch_unusable" });
    expect(kept.message).toContain('".github/workflows/ci.yml"');
  });

  it("accepts workflows that others changed on the branch", async () => {
    const workflow = { ".github/workflows/ci.yml": "on: push\n" };
    const merged = await onto({ a: LINES }, { a: line(2, "two"), ...workflow }, { a: line(9, "nine") });
    expect(merged).toBe(await treeOf({ a: line(9, "nine", line(2, "two")), ...workflow }));
  });
});
