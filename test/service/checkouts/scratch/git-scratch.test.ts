// Diffs and bundles, the bounds of all calls, and what is left of a call that failed.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GivenObject, StreamedBlob } from "../../../../src/service/core/checkouts/git-scratch.ts";
import { refusalOf, ScratchFixture } from "./scratch-fixture.ts";

const NOWHERE = AbortSignal.any([]);
let fixture: ScratchFixture;

beforeEach(async () => {
  fixture = await ScratchFixture.make();
});

afterEach(async () => {
  expect(await fixture.leftOvers()).toEqual([]);
  await fixture.remove();
});

const sides = () =>
  fixture.commits({ base: { f: "1\n" }, ours: { f: "1\n", g: "2\n" }, theirs: { f: "1\n", h: "3\n" } });

async function* streamed<Value>(values: readonly Value[]): AsyncGenerator<Value> {
  yield* values;
}

/** As one that is too large for memory. */
function asStream(objects: readonly GivenObject[]): readonly GivenObject[] {
  return objects.map((object): GivenObject => {
    if (object.kind !== "blob" || !("data" in object)) return object;
    const { oid, data } = object;
    const halves = [data.subarray(0, data.length >> 1), data.subarray(data.length >> 1)];
    return { kind: "blob", oid, size: data.length, open: () => streamed(halves) };
  });
}

describe("a diff", () => {
  it("shows text and renames, and names binary files", async () => {
    const text = Array.from({ length: 20 }, (_none, at) => `line ${at}\n`).join("");
    const { base, ours } = fixture.commits({
      base: { "a.txt": "1\n2\n", "old.txt": text, image: Buffer.from("\0one"), same: "same\n" },
      ours: {
        "a.txt": "1\nzwei ü\n",
        "neu/日本.txt": text,
        image: Buffer.from("\0two"),
        same: "same\n",
        run: { program: "x\n" },
      },
      theirs: {},
    });
    const result = await fixture.scratch().diff(
      {
        from: fixture.treeOf(base),
        to: fixture.treeOf(ours),
        objects: fixture.differing(base, ours),
        maxPatchBytes: 100_000,
      },
      NOWHERE,
    );
    expect(result).toMatchObject({ ok: true, value: { isWhole: true } });
    if (!result.ok) return;
    expect(result.value.files).toEqual([
      { path: "a.txt", status: "modified", additions: 1, deletions: 1 },
      { path: "image", status: "modified", additions: 0, deletions: 0 },
      { path: "neu/日本.txt", status: "renamed", additions: 0, deletions: 0 },
      { path: "run", status: "added", additions: 1, deletions: 0 },
    ]);
    const { patch } = result.value;
    expect(patch).toContain("@@ -1,2 +1,2 @@\n 1\n-2\n+zwei ü\n");
    expect(patch).toContain("Binary files a/image and b/image differ\n");
    expect(patch).toContain("rename from old.txt\nrename to neu/日本.txt\n");
    expect(patch).toContain("new file mode 100755\n");
    expect(patch).not.toContain("same");
  });

  it("is cut after a whole line, and is none where none is wanted", async () => {
    const { base, ours } = sides();
    const request = {
      from: null,
      to: fixture.treeOf(ours),
      objects: fixture.objects(
        fixture.repository
          .git(["ls-tree", "-r", "-t", "--format=%(objectname)", ours])
          .split("\n")
          .concat(fixture.treeOf(ours)),
      ),
    };
    expect(base).not.toBe(ours);
    const cut = await fixture.scratch().diff({ ...request, maxPatchBytes: 100 }, NOWHERE);
    expect(cut).toMatchObject({ ok: true, value: { isWhole: false, files: [{ path: "f" }, { path: "g" }] } });
    expect(cut.ok && cut.value.patch.endsWith("\n") && cut.value.patch.length <= 100).toBe(true);
    const none = await fixture.scratch().diff({ ...request, maxPatchBytes: 0 }, NOWHERE);
    expect(none).toMatchObject({ ok: true, value: { patch: "", isWhole: false, files: [{}, {}] } });
  });
});

describe("a bundle", () => {
  const everything = (commit: string) => {
    const listed = fixture.repository.git(["rev-list", "--objects", "--no-object-names", commit]);
    return fixture.objects(listed.split("\n"));
  };

  it.each(["data", "streams"])("is cloned by git, from %s", async (how) => {
    const { ours, base } = fixture.commits({
      base: { "a/f.txt": "1\n".repeat(50_000), big: randomBytes(300_000) },
      ours: {
        "a/f.txt": "2\n".repeat(50_000),
        link: { link: "a/f.txt" },
        run: { program: "x" },
        m: { submodule: "1".repeat(40) },
      },
      theirs: {},
    });
    const all = everything(ours);
    const objects = streamed(how === "data" ? all : asStream(all));
    const result = await fixture.scratch().bundle({ tip: ours, ref: "refs/heads/main", objects }, NOWHERE);
    if (!result.ok) throw new Error(JSON.stringify(result.refusal));
    const { read, bytes, close } = result.value;
    const chunks: Uint8Array[] = [];
    for await (const chunk of read()) chunks.push(chunk);
    await close();
    await close();
    expect(Buffer.concat(chunks).length).toBe(bytes);
    const file = join(fixture.folder, "x.bundle");
    writeFileSync(file, Buffer.concat(chunks));
    const clone = join(fixture.folder, "clone");
    const git = (...args: string[]) =>
      execFileSync("git", args, { stdio: ["ignore", "pipe", "pipe"] })
        .toString()
        .trim();
    expect(git("bundle", "list-heads", file)).toBe(`${ours} HEAD\n${ours} refs/heads/main`);
    git("clone", "--quiet", file, clone);
    expect(git("-C", clone, "symbolic-ref", "HEAD")).toBe("refs/heads/main");
    expect(git("-C", clone, "ls-tree", "--name-only", "HEAD")).toContain("link");
    expect(git("-C", clone, "fsck", "--strict", "--full")).toBe("");
    expect(git("-C", clone, "rev-parse", "HEAD", "HEAD^")).toBe(`${ours}\n${base}`);
    expect(git("-C", clone, "status", "--porcelain", "--ignore-submodules")).toBe("");
  });

  it("fails where an object is missing, or is not what its tree says", async () => {
    const { ours } = sides();
    const all = everything(ours);
    const lacking = all.filter(({ kind }) => kind !== "blob");
    const request = { tip: ours, ref: "refs/heads/main" };
    await expect(
      fixture.scratch().bundle({ ...request, objects: streamed(lacking) }, NOWHERE),
    ).rejects.toMatchObject({ code: "scratch_failed" });
    const changed = all.map((object) =>
      object.kind === "blob" ? { ...object, data: Buffer.from("other") } : object,
    );
    await expect(
      fixture.scratch().bundle({ ...request, objects: streamed(changed) }, NOWHERE),
    ).rejects.toMatchObject({ code: "scratch_failed" });
  });

  it("leaves nothing where reading the objects fails", async () => {
    const { ours } = sides();
    const fault = new Error("The database went away.");
    async function* failing(): AsyncGenerator<GivenObject> {
      yield* everything(ours).slice(0, 1);
      throw fault;
    }
    const request = { tip: ours, ref: "refs/heads/main", objects: failing() };
    await expect(fixture.scratch().bundle(request, NOWHERE)).rejects.toBe(fault);
  });
});

describe("any call", () => {
  it("takes blobs as streams, and notices one of another size", async () => {
    const trees = fixture.commits({
      base: { f: randomBytes(200_000), g: "g" },
      ours: { f: randomBytes(200_000), g: "g" },
      theirs: { g: "h", i: randomBytes(3_000_000) },
    });
    const request = fixture.request(trees);
    const merged = await fixture.scratch().merge({ ...request, objects: asStream(request.objects) }, NOWHERE);
    expect(merged).toMatchObject({ ok: true, value: { tree: fixture.wholeMerge(trees).tree } });
    const short: StreamedBlob = {
      kind: "blob",
      oid: "1".repeat(40),
      size: 9,
      open: () => streamed([Buffer.from("12")]),
    };
    await expect(
      fixture.scratch().merge({ ...request, objects: [...request.objects, short] }, NOWHERE),
    ).rejects.toThrow("has not the 9 bytes");
  });

  it("is refused where too much is given", async () => {
    const request = fixture.request(sides());
    const limits = { maxObjects: 5, maxBytes: 1_000, timeoutMs: 30_000 };
    const many = await fixture.scratch({ limits }).merge(request, NOWHERE);
    expect(refusalOf(many)).toEqual({ reason: "scratch_too_large", what: "objects", allowed: 5 });
    const large = fixture.commits({ base: {}, ours: { f: randomBytes(2_000) }, theirs: { g: "1" } });
    const roomy = { ...limits, maxObjects: 100 };
    const heavy = await fixture.scratch({ limits: roomy }).merge(fixture.request(large), NOWHERE);
    expect(refusalOf(heavy)).toEqual({ reason: "scratch_too_large", what: "bytes", allowed: 1_000 });
  });

  it("fails where any object is missing, instead of taking it for an empty one", async () => {
    const { objects, ...trees } = fixture.request(
      fixture.commits({
        base: { "a/b/f": "1\n", "c/g": "1\n" },
        ours: { "a/b/f": "2\n", "c/g": "1\n", "d/h": "3\n" },
        theirs: { "a/b/f": "1\n", "c/g": "2\n" },
      }),
    );
    const scratch = fixture.scratch();
    for (const { oid } of objects) {
      const lacking = objects.filter((object) => object.oid !== oid);
      await expect(scratch.merge({ ...trees, objects: lacking }, NOWHERE)).rejects.toMatchObject({
        code: "scratch_failed",
      });
    }
    const { base: from, ours: to } = trees;
    const lacking = objects.filter(({ oid }) => oid !== to);
    await expect(
      scratch.diff({ from, to, objects: lacking, maxPatchBytes: 1 }, NOWHERE),
    ).rejects.toMatchObject({
      code: "scratch_failed",
    });
  });

  /** A git that waits for ever. */
  function slowGit(): string {
    const path = join(fixture.folder, "slow-git");
    writeFileSync(path, "#!/bin/sh\nexec sleep 1000\n", { mode: 0o755 });
    return path;
  }

  it("ends at its deadline", async () => {
    const request = fixture.request(sides());
    const limits = { maxObjects: 100, maxBytes: 100_000, timeoutMs: 200 };
    const late = await fixture.scratch({ limits, gitPath: slowGit() }).merge(request, NOWHERE);
    expect(refusalOf(late)).toEqual({ reason: "scratch_timed_out", allowedMs: 200 });
  });

  it("ends when its caller leaves, and lets the next one in", async () => {
    const request = fixture.request(sides());
    const scratch = fixture.scratch({ gitPath: slowGit(), maxWorking: 1, maxWaiting: 1 });
    const callers = [new AbortController(), new AbortController()] as const;
    const calls = callers.map(({ signal }) => scratch.merge(request, signal));
    expect(refusalOf(await scratch.merge(request, NOWHERE))).toEqual({
      reason: "overloaded",
      what: "merges",
      allowed: 1,
    });
    const ended = calls.map((call) => expect(call).rejects.toThrow("The caller left."));
    for (const caller of callers) caller.abort(new Error("The caller left."));
    await Promise.all(ended);
    await expect(scratch.merge(request, AbortSignal.abort(new Error("Already gone.")))).rejects.toThrow(
      "Already gone.",
    );
  });

  it("finds the folder swept of what a killed process left", async () => {
    const folder = join(fixture.folder, "scratch");
    mkdirSync(join(folder, "merge.ws-aB3dE9", "git"), { recursive: true });
    mkdirSync(join(folder, "else"));
    await fixture.scratch().sweep();
    expect(readdirSync(folder)).toEqual(["else"]);
    execFileSync("rmdir", [join(folder, "else")]);
  });
});
