// Merges in the process and by git, as one: against git's merge of the whole repository.

import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  mergeTreesOf,
  type TreesMerged,
} from "../../../../../src/service/core/workspaces/merges/merge-revisions.ts";
import { rowObject } from "../../../../../src/service/core/workspaces/objects/keep-objects.ts";
import { keepingOf } from "../../../../../src/service/core/workspaces/reach-workspace.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { amount } from "../../../../support/run/long.ts";
import { anyChanges, baseFiles, changedFiles } from "../../../checkouts/scratch/any-changes.ts";
import { ScratchFixture, type Sides } from "../../../checkouts/scratch/scratch-fixture.ts";

const NOWHERE = AbortSignal.any([]);
const WORKSPACE = "w";
let fixture: CoreFixture;
let git: ScratchFixture;
let byGit = 0;

beforeAll(async () => {
  fixture = await CoreFixture.start();
  git = await ScratchFixture.make();
  const { scratch } = keepingOf(fixture.core);
  const merge = scratch.merge.bind(scratch);
  Object.assign(scratch, {
    merge: (...call: Parameters<typeof merge>) => {
      byGit += 1;
      return merge(...call);
    },
  });
});

afterAll(async () => {
  await fixture.close();
  await git.remove();
});

async function merged(sides: Sides): Promise<TreesMerged> {
  const commits = git.commits(sides);
  const { core } = fixture;
  const oids = git.repository
    .git(["rev-list", "--objects", "--no-object-names", commits.base, commits.ours, commits.theirs])
    .split("\n");
  const objects = git.objects(oids).map(({ kind, oid, data }) => rowObject({ kind, data }, oid));
  const now = core.clock.now();
  await core.store.transact((tx) => tx.objects.put({ workspaceId: WORKSPACE, objects, now }));
  const trees = {
    base: git.treeOf(commits.base),
    ours: git.treeOf(commits.ours),
    theirs: git.treeOf(commits.theirs),
  };
  const result = await mergeTreesOf(core, { workspaceId: WORKSPACE, sides: trees, signal: NOWHERE });
  if (!result.ok) throw new Error(JSON.stringify(result.refusal));
  const whole = git.wholeMerge(commits);
  expect(result.value.conflicts.length === 0).toBe(whole.isClean);
  if (whole.isClean) expect(result.value.treeOid).toBe(whole.tree);
  return result.value;
}

it("starts no git where each path was changed on one side alone, and no folder went", async () => {
  byGit = 0;
  const { treeOid, made } = await merged({
    base: { "a/1": "1\n", "a/2": "2\n", "b/3": "3\n" },
    ours: { "a/1": "ours\n", "a/2": "2\n", "b/3": "3\n", "b/4": "4\n" },
    theirs: { "a/1": "1\n", "a/2": "theirs\n", "c/3": "3\n" },
  });
  expect(byGit).toBe(1);
  byGit = 0;
  await merged({
    base: { "a/1": "1\n", "a/2": "2\n", "b/3": "3\n" },
    ours: { "a/1": "ours\n", "a/2": "2\n", "b/3": "3\n", "b/4": "4\n" },
    theirs: { "a/1": "1\n", "a/2": "theirs\n", "b/3": "3\n", "c/3": "3\n" },
  });
  expect([byGit, treeOid.length, made.length > 0]).toEqual([0, 40, true]);
});

it("is git's merge, whoever makes it", async () => {
  byGit = 0;
  await fc.assert(
    fc.asyncProperty(anyChanges, anyChanges, async (ours, theirs) => {
      await merged({
        base: baseFiles,
        ours: changedFiles(ours, "ours"),
        theirs: changedFiles(theirs, "theirs"),
      });
    }),
    { numRuns: amount({ short: 20, long: 300 }) },
  );
  expect(byGit).toBeGreaterThan(0);
});
