// A kept tree after any changes is the one that git makes of them, and comes back as it was.

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Checkout } from "../../../src/service/core/checkouts/checkout.ts";
import { CheckoutFixture } from "./checkout-fixture.ts";
import { keep, write } from "./kept-tree-fixture.ts";
import "../../support/run/fixed-seed.ts";

const ROUNDS = 25;
/** Lines that no compression makes small. */
const lines = Array.from({ length: 3_000 }, (_, at) => `line ${at}: ${(at * 2_654_435_761) % 4_294_967_291}`);
const text = `${lines.join("\n")}\n`;
const paths = [
  "README.md",
  "large.txt",
  "image.bin",
  "kept.log",
  "run.sh",
  "link",
  "src",
  "src-x",
  "src.ts",
  "src/a.ts",
  "src/b.ts",
  "src/deep",
  "src/deep/c.ts",
  "src/deep/d/e.ts",
  "new",
  "new/one.txt",
  "new/two/three.txt",
  "caf\xe9.txt",
  "\xff/\xfe",
];
const path = fc.constantFrom(...paths);
const change = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), path, content: fc.string({ maxLength: 20 }) }),
  fc.record({ kind: fc.constant("bytes" as const), path, content: fc.uint8Array({ maxLength: 20 }) }),
  fc.record({
    kind: fc.constant("edit" as const),
    path,
    at: fc.nat(2_999),
    drop: fc.nat(40),
    line: fc.string(),
  }),
  fc.record({ kind: fc.constant("mode" as const), path, mode: fc.constantFrom(0o644, 0o755, 0o700, 0o654) }),
  fc.record({ kind: fc.constant("link" as const), path, to: fc.constantFrom("src", "../x", "README.md") }),
  fc.record({ kind: fc.constant("remove" as const), path }),
  fc.record({ kind: fc.constant("move" as const), path, to: path }),
  fc.record({ kind: fc.constant("undo" as const), path }),
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

let fixture: CheckoutFixture;
let base: string;
let runs = 0;

beforeAll(async () => {
  fixture = await CheckoutFixture.make();
  base = fixture.repository.commit({
    files: {
      "README.md": "# Fixture\n",
      "large.txt": text,
      "image.bin": Buffer.from([0, 1, 2, 255]),
      "kept.log": "tracked, and ignored\n",
      "run.sh": { program: "#!/bin/sh\n" },
      link: { link: "README.md" },
      "src-x": "x\n",
      "src.ts": "y\n",
      "src/a.ts": "a\n",
      "src/b.ts": "b\r\n",
      "src/deep/c.ts": "c\n",
      "src/deep/d/e.ts": "e\n",
      ".gitignore": "*.log\n",
      ".gitattributes": "*.ts text eol=crlf filter=evil\n",
    },
  });
});

afterAll(() => fixture.close());

async function open(): Promise<Checkout> {
  runs += 1;
  return await fixture.open(base, { source: { runId: `run-${runs}` } });
}

const bytesAt = (root: string, name: string) =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(name, "latin1")]);

function isThere(place: Buffer): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
}

/** Takes away what is there, and files in the place of its folders. */
function makeRoom(root: string, name: string): Buffer {
  const parts = name.split("/");
  for (let count = 1; count < parts.length; count += 1) {
    const folder = bytesAt(root, parts.slice(0, count).join("/"));
    if (isThere(folder) && !lstatSync(folder).isDirectory()) rmSync(folder);
    mkdirSync(folder, { recursive: true });
  }
  const place = bytesAt(root, name);
  rmSync(place, { recursive: true, force: true });
  return place;
}

function isFile(place: Buffer): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isFile() === true;
}

/** Whether nothing on the way to it is a link or a file. */
function isReached(root: string, name: string): boolean {
  const folder = dirname(name);
  if (folder === ".") return true;
  return (
    isReached(root, folder) &&
    lstatSync(bytesAt(root, folder), { throwIfNoEntry: false })?.isDirectory() === true
  );
}

async function apply(root: string, of: Change, first: string): Promise<void> {
  const place = bytesAt(root, of.path);
  switch (of.kind) {
    case "write":
    case "bytes":
      return await writeFile(makeRoom(root, of.path), of.content);
    case "edit": {
      const was =
        isReached(root, of.path) && isFile(place) ? readFileSync(place, "latin1").split("\n") : [...lines];
      was.splice(of.at, of.drop, of.line);
      return await writeFile(makeRoom(root, of.path), was.join("\n"), "latin1");
    }
    case "mode":
      if (isReached(root, of.path) && isFile(place)) chmodSync(place, of.mode);
      return;
    case "link":
      return await symlink(of.to, makeRoom(root, of.path));
    case "remove":
      if (isReached(root, of.path)) rmSync(place, { recursive: true, force: true });
      return;
    case "move": {
      const within = of.to === of.path || of.to.startsWith(`${of.path}/`) || of.path.startsWith(`${of.to}/`);
      if (within || !isReached(root, of.path) || !isThere(place)) return;
      const to = makeRoom(root, of.to);
      if (isThere(place)) renameSync(place, to);
      return;
    }
    case "undo": {
      const from = bytesAt(first, of.path);
      if (!isThere(from)) return;
      makeRoom(root, of.path);
      return await cp(join(first, of.path), join(root, of.path), { recursive: true, verbatimSymlinks: true });
    }
  }
}

/** What git makes of all that is there, with an index and a store of its own. */
async function gitsTree(checkout: Checkout): Promise<string> {
  const { gitFolder = "", root } = checkout;
  const own = join(dirname(gitFolder), "compared");
  rmSync(own, { recursive: true, force: true });
  await mkdir(own);
  await cp(join(gitFolder, "index"), join(own, "index"));
  const env = {
    ...process.env,
    GIT_DIR: gitFolder,
    GIT_WORK_TREE: root,
    GIT_INDEX_FILE: join(own, "index"),
    GIT_OBJECT_DIRECTORY: own,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(gitFolder, "objects"),
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  // Without the times, git reads every file.
  execFileSync("git", ["read-tree", base], { cwd: root, env });
  execFileSync("git", ["add", "-A", "."], { cwd: root, env, stdio: "pipe" });
  return execFileSync("git", ["write-tree"], { cwd: root, env }).toString().trim();
}

describe("a tree that is kept after any changes", () => {
  it("is the one that git makes, and comes back in another checkout", async () => {
    const [first, second, untouched] = [await open(), await open(), await open()];
    let since: string | null = null;
    let broughtBack = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        for (const each of changes) await apply(first.root, each, untouched.root);
        const wanted = await gitsTree(first);
        const kept = await first.keepTree(since);
        expect(kept?.tree ?? since ?? execTree(first)).toBe(wanted);
        if (kept === null) return;
        since = kept.tree;
        await second.bringBack(kept);
        broughtBack += 1;
        expect(await gitsTree(second)).toBe(wanted);
      }),
      { numRuns: ROUNDS, endOnFailure: true },
    );
    expect(broughtBack).toBeGreaterThan(ROUNDS / 2);
    expect(existsSync(join(first.root, ".git"))).toBe(false);
  }, 120_000);

  it("stores of a file that was edited what is new, and nothing of one that was moved", async () => {
    const checkout = await open();
    const edited = [...lines];
    edited.splice(100, 2, "one");
    edited.splice(2_000, 0, "two", "three");
    await write(checkout, { "large.txt": edited.join("\n") });
    expect((await keep(checkout)).pack.byteLength).toBeLessThan(700);
    await write(checkout, { "moved/large.txt": text });
    rmSync(join(checkout.root, "large.txt"));
    expect((await keep(checkout)).pack.byteLength).toBeLessThan(400);
  });
});

function execTree({ gitFolder = "" }: Checkout): string {
  return execFileSync("git", ["rev-parse", `${base}^{tree}`], { env: { ...process.env, GIT_DIR: gitFolder } })
    .toString()
    .trim();
}
