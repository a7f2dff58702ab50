// The common ancestor of two revisions, against git's `merge-base`, whatever the order of ids.

import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findMergeBase, isAncestor } from "../../../../../src/service/core/workspaces/merges/merge-base.ts";
import type { Revision } from "../../../../../src/service/core/workspaces/revisions/revision.ts";
import type { RevisionReader } from "../../../../../src/service/core/workspaces/revisions/store-port.ts";
import { amount } from "../../../../support/run/long.ts";
import { ScratchFixture } from "../../../checkouts/scratch/scratch-fixture.ts";

let git: ScratchFixture;

beforeEach(async () => {
  git = await ScratchFixture.make();
});

afterEach(() => git.remove());

/** As the store reads them: it has those that are given. */
function readerOf(all: readonly Revision[]): RevisionReader {
  const sorted = all.toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return {
    find: async (id) => all.find((revision) => revision.id === id) ?? null,
    list: async ({ before, limit }) =>
      sorted.filter(({ id }) => before === null || id < before).slice(0, limit),
    findAll: async (ids) => all.filter(({ id }) => ids.includes(id)),
    findByCommits: async ({ commitOids }) => all.filter(({ commitOid }) => commitOids.includes(commitOid)),
    findPinned: async () => new Set(),
  };
}

const revisionOf = (id: string, parentIds: readonly string[], at: number): Revision => ({
  id,
  workspaceId: "w",
  commitOid: "",
  treeOid: "",
  parentIds,
  message: "",
  author: { type: "owner" },
  files: 0,
  bytes: 0,
  createdAt: at,
  acceptedAt: null,
});

it("is one of those that git finds", async () => {
  const parents = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { minLength: 2, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(parents, fc.infiniteStream(fc.nat(999)), async (history, ids) => {
      const revisions: Revision[] = [];
      const commits: string[] = [];
      for (const [at, [one, other, isMerge]] of history.entries()) {
        const from = at === 0 ? [] : [...new Set(isMerge ? [one % at, other % at] : [one % at])];
        const { value: rank } = ids.next();
        const id = `${String(rank).padStart(3, "0")}-${at}`;
        const parentIds = from.flatMap((parent) => revisions[parent]?.id ?? []);
        revisions.push(revisionOf(id, parentIds, at));
        const parentCommits = from.flatMap((parent) => commits[parent] ?? []);
        commits.push(
          git.repository.commit({ files: { f: `${at}` }, parents: parentCommits, subject: `${at}`, day: at }),
        );
      }
      const [ours, theirs] = [history.length - 1, history.length - 2];
      const [mine, other] = [revisions[ours], revisions[theirs]];
      if (mine === undefined || other === undefined) throw new Error("There are too few.");
      const found = await findMergeBase(readerOf(revisions), mine, other);
      const args = ["merge-base", "--all", commits[ours] ?? "", commits[theirs] ?? ""];
      const bases = git.repository.git(args).split("\n");
      expect(bases).toContain(commits[revisions.findIndex(({ id }) => id === found?.id)]);
      expect(await isAncestor(readerOf(revisions), other, mine)).toBe(bases.includes(commits[theirs] ?? ""));
    }),
    { numRuns: amount({ short: 20, long: 300 }) },
  );
});

it("is none where the histories do not meet, or where they met was deleted", async () => {
  const [one, other] = [revisionOf("1", [], 1), revisionOf("2", [], 2)];
  expect(await findMergeBase(readerOf([one, other]), one, other)).toBeNull();
  const [ours, theirs] = [revisionOf("4", ["3"], 4), revisionOf("5", ["3"], 5)];
  expect(await findMergeBase(readerOf([ours, theirs]), ours, theirs)).toBeNull();
});
