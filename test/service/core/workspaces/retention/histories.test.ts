// Random histories of writes, deletions, checkpoints, copies and deleted revisions, swept in between, against a model of maps and
// against git itself: the same trees and commits, and nothing amiss for fsck.

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Core } from "../../../../../src/service/core/core.ts";
import { parseCommit } from "../../../../../src/service/core/workspaces/objects/commit-object.ts";
import { oidOf } from "../../../../../src/service/core/workspaces/objects/git-object.ts";
import { parseTree } from "../../../../../src/service/core/workspaces/objects/tree-object.ts";
import { sweepWorkspaces } from "../../../../../src/service/core/workspaces/retention/sweep-workspaces.ts";
import { deleteRevision } from "../../../../../src/service/core/workspaces/revisions/delete-revision.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { amount } from "../../../../support/run/long.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { present, TestWorkspace } from "../../../../support/workspaces.ts";

const DAY_MS = 24 * 60 * 60_000;

type Files = ReadonlyMap<string, string>;
/** `copy` and `revision` are taken modulo how many there are. */
type Step =
  | { readonly kind: "write"; readonly copy: number; readonly path: string; readonly text: string }
  | { readonly kind: "delete"; readonly copy: number; readonly path: number }
  | { readonly kind: "checkpoint"; readonly copy: number }
  | { readonly kind: "copy"; readonly revision: number }
  | { readonly kind: "forget"; readonly revision: number }
  | { readonly kind: "sweep" };

const index = fc.nat({ max: 30 });
const folders = fc.array(fc.constantFrom("src", "docs", "ä b", "lib"), { maxLength: 3 });
const path = fc
  .tuple(folders, fc.constantFrom("a.txt", "b.txt", "c", "é.md", "z.txt"))
  // No name is a file's and a folder's.
  .map(([above, name]) => [...above, name].join("/"));
const text = fc.constantFrom("", "one\n", "two\n", "three", "1\n2\n3\n", "x".repeat(3_000));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("write" as const), copy: index, path, text }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("delete" as const), copy: index, path: index }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("checkpoint" as const), copy: index }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("copy" as const), revision: index }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("forget" as const), revision: index }) },
  { weight: 1, arbitrary: fc.constant({ kind: "sweep" as const }) },
);

/** A workspace and what it should hold. */
class History {
  readonly workspace: TestWorkspace;
  readonly #fixture: CoreFixture;
  readonly copies = new Map<string, Files>();
  readonly revisions = new Map<string, Files>();

  constructor(workspace: TestWorkspace, fixture: CoreFixture) {
    this.workspace = workspace;
    this.#fixture = fixture;
  }

  static async begin(fixture: CoreFixture): Promise<History> {
    const history = new History(await TestWorkspace.make(fixture.core), fixture);
    history.copies.set(history.workspace.canonicalId, new Map());
    history.revisions.set((await history.workspace.read()).currentRevisionId, new Map());
    return history;
  }

  async take(one: Step): Promise<void> {
    const { workspace, copies, revisions } = this;
    const { core, clock } = this.#fixture;
    clock.advance(1_000);
    switch (one.kind) {
      case "write": {
        const [copyId, files] = at(copies, one.copy);
        await workspace.write(copyId, { [one.path]: one.text });
        copies.set(copyId, new Map([...files, [one.path, one.text]]));
        return;
      }
      case "delete": {
        const [copyId, files] = at(copies, one.copy);
        if (files.size === 0) return;
        const [gone] = at(files, one.path);
        await workspace.write(copyId, { [gone]: null });
        copies.set(copyId, new Map([...files].filter(([name]) => name !== gone)));
        return;
      }
      case "checkpoint": {
        const [copyId, files] = at(copies, one.copy);
        const before = await workspace.copy(copyId);
        const { result, status } = await workspace.save(copyId);
        expect(status).toBe("succeeded");
        const isSame = sorted(present(revisions.get(before.baseRevisionId) ?? null)) === sorted(files);
        expect(result.isUnchanged).toBe(isSame);
        revisions.set(present(result.revisionId ?? null), files);
        return;
      }
      case "copy": {
        const [revisionId, files] = at(revisions, one.revision);
        copies.set(await workspace.makeCopy(revisionId), files);
        return;
      }
      case "forget": {
        const [revisionId] = at(revisions, one.revision);
        const deleted = await deleteRevision(core, { ...workspace.request, revisionId });
        if (deleted.ok) revisions.delete(revisionId);
        else expect(deleted.refusal.reason).toBe("revision_in_use");
        return;
      }
      case "sweep": {
        clock.advance(2 * DAY_MS);
        await sweepWorkspaces(withoutAge(core), new AbortController().signal);
        return;
      }
    }
  }

  /** Every revision holds what the model says, by git's own names. */
  async check(): Promise<void> {
    const { workspace } = this;
    const folder = await mkdtemp(join(tmpdir(), "agent-service-history-"));
    const git = (args: readonly string[], input?: Buffer) =>
      execFileSync("git", ["-C", folder, ...args], { input, env: gitEnvironment(folder), stdio: "pipe" })
        .toString()
        .trim();
    try {
      git(["init", "--quiet", "--bare", "."]);
      await this.#writeObjects(git);
      for (const [revisionId, files] of this.revisions) {
        const revision = await workspace.revision(revisionId);
        expect(await workspace.files(revision.treeOid)).toEqual(Object.fromEntries(files));
        expect(revision.files).toBe(files.size);
        expect(revision.bytes).toBe(
          [...files.values()].reduce((sum, one) => sum + Buffer.byteLength(one), 0),
        );
        expect(git(["rev-parse", `${revision.commitOid}^{tree}`])).toBe(revision.treeOid);
        expect(treeByGit(git, files)).toBe(revision.treeOid);
        git(["update-ref", `refs/heads/${revisionId}`, revision.commitOid]);
        for (const parentId of revision.parentIds) expect([...this.revisions.keys()]).toContain(parentId);
      }
      // What is not saved is in no commit.
      expect(git(["fsck", "--strict", "--full", "--no-dangling"])).toBe("");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #writeObjects(git: (args: readonly string[], input?: Buffer) => string): Promise<void> {
    const { place } = this.#fixture;
    const { id } = this.workspace;
    const rows = await place.query(`select oid, kind from workspace_objects where workspace_id = '${id}'`);
    const oids = rows.map(({ oid }) => String(oid));
    const kept = await this.workspace.core.store.committed.objects.find({ workspaceId: id, oids });
    for (const { oid, kind, data } of kept) {
      const bytes = present(data);
      expect(oidOf({ kind, data: bytes })).toBe(oid);
      if (kind === "tree") parseTree(bytes);
      if (kind === "commit") parseCommit(bytes);
      expect(git(["hash-object", "-w", "--stdin", "-t", kind], Buffer.from(bytes))).toBe(oid);
    }
  }
}

/** Nothing expires by its age: what is swept are objects alone. */
function withoutAge(core: Core): Core {
  const workspaces = present(core.workspaces);
  return { ...core, workspaces: { ...workspaces, limits: { ...workspaces.limits, keptMs: 0 } } };
}

/** The tree that git makes of the files. */
function treeByGit(git: (args: readonly string[], input?: Buffer) => string, files: Files): string {
  git(["read-tree", "--empty"]);
  const lines = [...files].map(([name, one]) => {
    const oid = oidOf({ kind: "blob", data: Buffer.from(one) });
    return `100644 ${oid}\t${name}\0`;
  });
  git(["update-index", "-z", "--index-info"], Buffer.from(lines.join("")));
  return git(["write-tree"]);
}

function gitEnvironment(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_INDEX_FILE: join(folder, "index"),
  };
}

function at<Key, Value>(map: ReadonlyMap<Key, Value>, wanted: number): readonly [Key, Value] {
  const entries = [...map];
  return present(entries[wanted % entries.length] ?? null);
}

function sorted(files: Files): string {
  return JSON.stringify([...files].sort(([one], [other]) => (one < other ? -1 : 1)));
}

onEveryStore((store) => {
  describe("a history", () => {
    it("is what its steps made of it, and git's own", { timeout: 600_000 }, async () => {
      const fixture = await CoreFixture.start({ store });
      const steps = fc.array(step, { minLength: 1, maxLength: 40 });
      const numRuns = amount({ short: 6, long: 300 });
      await fc.assert(
        fc.asyncProperty(steps, async (all) => {
          const history = await History.begin(fixture);
          for (const one of all) await history.take(one);
          await history.check();
        }),
        { numRuns },
      );
      await fixture.close();
    });
  });
});
