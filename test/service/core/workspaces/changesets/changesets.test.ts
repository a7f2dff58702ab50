// Changesets on the real stores, with git: proposed, accepted, in conflict, resolved, rejected, and approved by the owner.

import { describe, expect, it } from "vitest";
import { approveApproval, denyApproval } from "../../../../../src/service/core/approvals/decide-approval.ts";
import { createWorkspace } from "../../../../../src/service/core/workspaces/administration/create-workspace.ts";
import { listChangesets } from "../../../../../src/service/core/workspaces/changesets/read-changesets.ts";
import { readReviewAction } from "../../../../../src/service/core/workspaces/changesets/read-review-action.ts";
import { oidOf } from "../../../../../src/service/core/workspaces/objects/git-object.ts";
import { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { amount } from "../../../../support/run/long.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { present, TestWorkspace } from "../../../../support/workspaces.ts";
import { outcomeOf, refusalOf, TestChangesets } from "./test-changesets.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const lines = (count: number, changes: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_none, at) => `${changes[at] ?? `line ${at}`}\n`).join("");

onEveryStore((store) => {
  describe("a changeset", () => {
    const within = async (
      work: (changesets: TestChangesets, fixture: CoreFixture, workspace: TestWorkspace) => Promise<void>,
    ) => {
      const fixture = await CoreFixture.start({ store });
      try {
        const { core } = fixture;
        const { owner } = await TestWorkspace.make(core);
        // With a manager of its own.
        const made = outcomeOf(
          await createWorkspace(core, { caller: owner, body: {}, idempotencyKey: "one" }),
        );
        const workspace = new TestWorkspace(core, made);
        await workspace.commit(workspace.canonicalId, { "a.txt": lines(20), "b/c.txt": "c\n" });
        await work(new TestChangesets(workspace), fixture, workspace);
      } finally {
        await fixture.close();
      }
    };

    it("becomes part of the current revision, of which the history is a line", () =>
      within(async (changesets, _fixture, workspace) => {
        const { currentRevisionId: before } = await workspace.read();
        const changeset = await changesets.propose({ "a.txt": lines(20, { 2: "two" }), "new.txt": "new\n" });
        expect(changeset).toMatchObject({ status: "open", files: 2, additions: 2, deletions: 1 });
        expect(changeset).toMatchObject({ conflicts: [], evidence: null, createdBy: { type: "owner" } });
        expect(changeset).toMatchObject({ baseRevisionId: before, targetRevisionId: before });
        const accepted = outcomeOf(await changesets.accept(changeset.id));
        expect(accepted).toMatchObject({
          status: "accepted",
          evidence: "All tests pass.",
          decidedBy: { type: "owner" },
        });
        const { currentRevisionId } = await workspace.read();
        expect(accepted.acceptedRevisionId).toBe(currentRevisionId);
        expect(await workspace.revision(currentRevisionId)).toMatchObject({
          parentIds: [before, changeset.revisionId],
          message: "Change",
          files: 3,
          bytes: lines(20, { 2: "two" }).length + 2 + 4,
          acceptedAt: workspace.core.clock.now(),
        });
        expect(await workspace.copy(workspace.canonicalId)).toMatchObject({
          baseRevisionId: currentRevisionId,
        });
        expect(Object.keys(await changesets.files())).toEqual(["a.txt", "b/c.txt", "new.txt"]);
        expect(refusalOf(await changesets.accept(changeset.id)).reason).toBe("changeset_decided");
        expect(refusalOf(await changesets.reject(changeset.id)).reason).toBe("changeset_decided");
      }));

    it("is merged where the current revision has moved, within a file and along a rename", () =>
      within(async (changesets) => {
        const first = await changesets.propose({ "a.txt": lines(20, { 2: "first" }), "d.txt": "d\n" });
        const second = await changesets.propose({ "a.txt": lines(20, { 15: "second" }) });
        const third = await changesets.propose({ "a.txt": null, "moved/a.txt": lines(20), "b/c.txt": null });
        for (const { id } of [first, second, third]) outcomeOf(await changesets.accept(id));
        expect(await changesets.files()).toEqual({
          "moved/a.txt": lines(20, { 2: "first", 15: "second" }),
          "d.txt": "d\n",
        });
      }));

    it("goes on from what was accepted of its copy", () =>
      within(async (changesets, _fixture, workspace) => {
        const copyId = await workspace.makeCopy();
        const { id: first } = await workspace.commit(copyId, { "a.txt": lines(20, { 2: "copy" }) });
        outcomeOf(await changesets.accept(outcomeOf(await changesets.create({ revision_id: first })).id));
        outcomeOf(await changesets.accept((await changesets.propose({ "other.txt": "o\n" })).id));
        await workspace.commit(copyId, { "a.txt": lines(20, { 2: "copy", 3: "again" }) });
        const later = outcomeOf(await changesets.create({ working_copy_id: copyId }));
        // Not from the revision that the copy began with.
        expect(later).toMatchObject({
          baseRevisionId: first,
          files: 1,
          additions: 1,
          deletions: 1,
          status: "open",
        });
        outcomeOf(await changesets.accept(later.id));
        expect((await changesets.files())["a.txt"]).toBe(lines(20, { 2: "copy", 3: "again" }));
      }));

    it("is not accepted on another current revision than the caller has seen", () =>
      within(async (changesets, _fixture, workspace) => {
        const { currentRevisionId: seen } = await workspace.read();
        const one = await changesets.propose({ "one.txt": "1\n" });
        const two = await changesets.propose({ "two.txt": "2\n" });
        outcomeOf(await changesets.accept(one.id));
        const { currentRevisionId: current } = await workspace.read();
        expect(refusalOf(await changesets.accept(two.id, { expected: seen }))).toEqual({
          reason: "current_revision_moved",
          expected: seen,
          current,
        });
        expect((await changesets.read(two.id)).changeset).toMatchObject({
          status: "open",
          targetRevisionId: current,
        });
      }));

    it("with a conflict says where, and is resolved path by path", () =>
      within(async (changesets, _fixture, workspace) => {
        const theirs = await changesets.propose({
          "a.txt": lines(20, { 4: "theirs" }),
          "b/c.txt": null,
          "x.txt": "x\n",
        });
        const files = { "a.txt": lines(20, { 4: "ours" }), "b/c.txt": "changed\n" };
        const { id: current } = await workspace.commit(workspace.canonicalId, files);
        const paths = ["a.txt", "b/c.txt"];
        const conflict = { reason: "changeset_conflicted", changesetId: theirs.id, current, paths };
        expect(refusalOf(await changesets.accept(theirs.id))).toEqual(conflict);
        const { changeset } = await changesets.read(theirs.id);
        expect(changeset).toMatchObject({
          status: "conflicted",
          conflicts: [
            { path: "a.txt", kind: "content" },
            { path: "b/c.txt", kind: "modify_delete", theirs: null },
          ],
        });
        const take = (path: string, side: "ours" | "theirs") => ({ path, take: side });
        const content = { path: "a.txt", take: "content" as const, content: "both\n" };
        const some = await changesets.resolve(theirs.id, { resolutions: [content] });
        expect(refusalOf(some)).toEqual({ reason: "resolution_needed", current, paths: ["b/c.txt"] });
        const strange = await changesets.resolve(theirs.id, {
          resolutions: [content, take("b/c.txt", "ours"), take("x", "ours")],
        });
        expect(refusalOf(strange)).toEqual({ reason: "resolution_unknown", paths: ["x"] });
        outcomeOf(await changesets.resolve(theirs.id, { resolutions: [content, take("b/c.txt", "theirs")] }));
        expect(await changesets.files()).toEqual({ "a.txt": "both\n", "x.txt": "x\n" });
        const { currentRevisionId } = await workspace.read();
        expect(await workspace.revision(currentRevisionId)).toMatchObject({
          files: 2,
          bytes: 7,
          parentIds: [current, theirs.revisionId],
        });
        // The text with markers is in no revision, and was not kept.
        const marked = await workspace.core.store.committed.objects.find({
          workspaceId: workspace.id,
          oids: [conflictText()],
        });
        expect(marked).toEqual([]);
      }));

    it("is resolved by a revision that was made from the current one", () =>
      within(async (changesets, _fixture, workspace) => {
        const theirs = await changesets.propose({ "a.txt": lines(20, { 4: "theirs" }) });
        await workspace.commit(workspace.canonicalId, { "a.txt": lines(20, { 4: "ours" }), "z.txt": "z\n" });
        const behind = await changesets.resolve(theirs.id, { resolved_revision_id: theirs.revisionId });
        expect(refusalOf(behind).reason).toBe("resolution_behind");
        const copyId = await workspace.makeCopy();
        const settled = await workspace.commit(copyId, { "a.txt": lines(20, { 4: "both" }) });
        outcomeOf(await changesets.resolve(theirs.id, { resolved_revision_id: settled.id }));
        expect(await changesets.files()).toMatchObject({ "a.txt": lines(20, { 4: "both" }), "z.txt": "z\n" });
        const { currentRevisionId } = await workspace.read();
        expect((await workspace.revision(currentRevisionId)).parentIds.slice(1)).toEqual([
          theirs.revisionId,
          settled.id,
        ]);
      }));

    it("leaves what is unsaved of the canonical files, and is refused where it changes the same", () =>
      within(async (changesets, _fixture, workspace) => {
        await workspace.write(workspace.canonicalId, { "b/c.txt": "unsaved\n", "d/e.txt": "new\n" });
        const other = await changesets.propose({ "a.txt": "other\n" });
        outcomeOf(await changesets.accept(other.id));
        expect(await changedIn(workspace, workspace.canonicalId)).toBe(2);
        for (const path of ["b/c.txt", "d", "d/e.txt/f"]) {
          const { id } = await changesets.propose({ [path]: "mine\n" });
          expect(refusalOf(await changesets.accept(id)).reason).toBe("canonical_unsaved");
        }
        await workspace.save(workspace.canonicalId);
        expect(await changesets.files()).toMatchObject({ "a.txt": "other\n", "b/c.txt": "unsaved\n" });
      }));

    it("is not made of unsaved changes, of nothing, or of what is not the workspace's", () =>
      within(async (changesets, _fixture, workspace) => {
        const copyId = await workspace.makeCopy();
        const reasonOf = async (body: { working_copy_id?: string; revision_id?: string }) =>
          refusalOf(await changesets.create(body)).reason;
        expect(await reasonOf({ working_copy_id: copyId })).toBe("changeset_empty");
        await workspace.write(copyId, { "u.txt": "u\n" });
        expect(await reasonOf({ working_copy_id: copyId })).toBe("copy_unsaved");
        expect(await reasonOf({ working_copy_id: workspace.canonicalId })).toBe("copy_not_found");
        expect(await reasonOf({ revision_id: UNKNOWN })).toBe("revision_not_found");
        expect(await reasonOf({})).toBe("changeset_source_malformed");
        const other = await TestWorkspace.make(workspace.core);
        expect(await reasonOf({ revision_id: (await other.read()).currentRevisionId })).toBe(
          "revision_not_found",
        );
      }));

    it("is made and decided once by a key", () =>
      within(async (changesets, _fixture, workspace) => {
        const copyId = await workspace.makeCopy();
        await workspace.commit(copyId, { "k.txt": "k\n" });
        const body = { working_copy_id: copyId };
        const made = outcomeOf(await changesets.create(body, { key: "make" }));
        expect(outcomeOf(await changesets.create(body, { key: "make" })).id).toBe(made.id);
        expect(
          refusalOf(await changesets.create({ revision_id: made.revisionId }, { key: "make" })).reason,
        ).toBe("key_reused");
        const { currentRevisionId: expected } = await workspace.read();
        const accepted = outcomeOf(await changesets.accept(made.id, { key: "accept", expected }));
        expect(outcomeOf(await changesets.accept(made.id, { key: "accept", expected }))).toEqual(accepted);
        expect(refusalOf(await changesets.reject(made.id, { key: "accept" })).reason).toBe("key_reused");
      }));

    it("shows what it changes as a diff, and is listed by its state", () =>
      within(async (changesets, _fixture, workspace) => {
        const one = await changesets.propose({ "a.txt": lines(20, { 2: "two" }), "b/c.txt": null });
        const two = await changesets.propose({ "t.txt": "t\n" });
        outcomeOf(await changesets.reject(two.id));
        const { diff } = await changesets.read(one.id, true);
        expect(present(diff).files.map(({ path, status }) => `${status} ${path}`)).toEqual([
          "modified a.txt",
          "deleted b/c.txt",
        ]);
        expect(present(diff).patch).toContain("-line 2\n+two\n");
        const list = async (status: "open" | "rejected" | null) => {
          const query = { limit: 10 };
          const page = await listChangesets(workspace.core, { ...workspace.request, status, query });
          return outcomeOf(page).items.map(({ id }) => id);
        };
        expect([await list("open"), await list("rejected")]).toEqual([[one.id], [two.id]]);
        expect(new Set(await list(null))).toEqual(new Set([one.id, two.id]));
      }));

    it("that an AI client or a run wants accepted waits for the owner, who approves that very one", () =>
      within(async (changesets, { submitter, core }, workspace) => {
        const { id } = await changesets.propose({ "ai.txt": "ai\n" });
        const { managerAgentId: agentId } = await workspace.read();
        const { accountId } = workspace.owner;
        const run = {
          kind: "member_run" as const,
          accountId,
          workspaceId: workspace.id,
          agentId,
          runId: "run",
        };
        const needed = refusalOf(await changesets.accept(id, { caller: changesets.ai }));
        expect(needed).toMatchObject({ reason: "owner_needed" });
        const url = needed.reason === "owner_needed" ? (needed.approveUrl ?? "") : "";
        const approvalId = url.slice(url.lastIndexOf("/") + 1);
        // The same again is the same approval.
        expect(refusalOf(await changesets.accept(id, { caller: run }))).toMatchObject({ approveUrl: url });
        const action = outcomeOf(
          await readReviewAction(core, { ...workspace.request, actionId: approvalId }),
        );
        expect(action.action).toMatchObject({
          changesetId: id,
          files: 1,
          additions: 1,
          evidence: "All tests pass.",
        });
        const decision = { caller: workspace.owner, approvalId, requestId: "r" };
        expect(
          refusalOf(await approveApproval(core, submitter, { ...decision, caller: changesets.ai })).reason,
        ).toBe("owner_needed");

        // Somebody else's is accepted meanwhile: this is not what the owner saw.
        outcomeOf(await changesets.accept((await changesets.propose({ "o.txt": "o\n" })).id));
        expect(refusalOf(await approveApproval(core, submitter, decision)).reason).toBe(
          "current_revision_moved",
        );
        expect((await changesets.read(id)).changeset.status).toBe("open");

        const again = refusalOf(await changesets.accept(id, { caller: changesets.ai }));
        const laterUrl = again.reason === "owner_needed" ? (again.approveUrl ?? "") : "";
        expect(laterUrl).not.toBe(url);
        expect((await core.store.committed.approvals.find(approvalId))?.status).toBe("resolved_elsewhere");
        const later = laterUrl.slice(laterUrl.lastIndexOf("/") + 1);
        const approved = outcomeOf(
          await approveApproval(core, submitter, { ...decision, approvalId: later }),
        );
        expect(approved).toMatchObject({ status: "approved", decidedBy: "owner" });
        expect((await changesets.read(id)).changeset).toMatchObject({
          status: "accepted",
          decidedBy: { type: "owner" },
        });
        expect(await changesets.files()).toMatchObject({ "ai.txt": "ai\n", "o.txt": "o\n" });
      }));

    it("that waits for the owner is over when it is denied, or decided another way", () =>
      within(async (changesets, { core }, workspace) => {
        const { id } = await changesets.propose({ "ai.txt": "ai\n" });
        const ask = async () => {
          const refusal = refusalOf(await changesets.accept(id, { caller: changesets.ai }));
          const url = refusal.reason === "owner_needed" ? (refusal.approveUrl ?? "") : "";
          return url.slice(url.lastIndexOf("/") + 1);
        };
        const approvalId = await ask();
        outcomeOf(await denyApproval(core, { caller: changesets.ai, approvalId, requestId: "r" }));
        expect((await changesets.read(id)).changeset.status).toBe("open");
        // Within a day the denial is the answer.
        expect(await ask()).toBe(approvalId);
        outcomeOf(await changesets.accept((await changesets.propose({ "o.txt": "o\n" })).id));
        const later = await ask();
        expect(later).not.toBe(approvalId);
        outcomeOf(await changesets.reject(id, { caller: changesets.ai }));
        expect((await core.store.committed.approvals.find(later))?.status).toBe("resolved_elsewhere");
        const elsewhere = await TestWorkspace.make(core);
        const unseen = await readReviewAction(core, { ...elsewhere.request, actionId: later });
        expect(refusalOf(unseen).reason).toBe("review_action_not_found");
        expect(workspace.id).not.toBe(elsewhere.id);
      }));

    it("of many that are accepted at once lands or is told, while many copies are written", () =>
      within(async (changesets, _fixture, workspace) => {
        const proposed = [];
        for (let at = 0; at < amount({ short: 8, long: 20 }); at += 1) {
          const files = { [`n/${at}.txt`]: `${at}\n`, "a.txt": lines(20, { [at]: `by ${at}` }) };
          proposed.push(await changesets.propose(at % 4 === 0 ? files : { [`n/${at}.txt`]: `${at}\n` }));
        }
        const copies: string[] = [];
        for (let at = 0; at < amount({ short: 25, long: 100 }); at += 1)
          copies.push(await workspace.makeCopy());
        let isOver = false;
        const writing = copies.map(async (copyId, at) => {
          let writes = 0;
          do {
            await workspace.write(copyId, { [`w/${writes % 5}.txt`]: `${at} ${writes}\n` });
            writes += 1;
          } while (!isOver && writes < 20);
          return writes;
        });
        const outcomes = await Promise.all(
          proposed.map(async ({ id }) => {
            const reasons: string[] = [];
            for (;;) {
              const result = await changesets.accept(id);
              if (result.ok) return reasons;
              reasons.push(result.refusal.reason);
              if (result.refusal.reason !== "current_revision_moved") return reasons;
            }
          }),
        );
        isOver = true;
        const writes = await Promise.all(writing);
        const refused = outcomes.flat().filter((reason) => reason !== "current_revision_moved");
        // Neighbouring lines of one file conflict, whoever comes second; nothing else does.
        expect(new Set(refused)).toEqual(new Set(refused.length === 0 ? [] : ["changeset_conflicted"]));
        const files = await changesets.files();
        const landed = proposed.filter((_changeset, at) => outcomes[at]?.at(-1) !== "changeset_conflicted");
        for (const [at, outcome] of outcomes.entries()) {
          if (outcome.at(-1) !== "changeset_conflicted") expect(files[`n/${at}.txt`]).toBe(`${at}\n`);
        }
        // First parents lead from the current revision back to the beginning, through every acceptance.
        let accepted = 0;
        for (let id: string | undefined = (await workspace.read()).currentRevisionId; id !== undefined; ) {
          const revision = await workspace.revision(id);
          expect(revision.acceptedAt).not.toBeNull();
          if (revision.parentIds.length === 2) accepted += 1;
          id = revision.parentIds[0];
        }
        expect(accepted).toBe(landed.length);
        // No write of a copy was lost.
        for (const [at, copyId] of copies.entries()) {
          const count = writes[at] ?? 0;
          expect(await changedIn(workspace, copyId)).toBe(Math.min(5, count));
          const entry = await workspace.core.store.committed.copyEntries.find({
            copyId,
            path: `w/${(count - 1) % 5}.txt`,
          });
          expect(entry?.file?.size).toBe(`${at} ${count - 1}\n`.length);
        }
      }));
  });
});

/** The name of what git writes where both sides changed a line. */
function conflictText(): string {
  const text = lines(20, { 4: "<<<<<<< ours\nours\n=======\ntheirs\n>>>>>>> theirs" });
  return oidOf({ kind: "blob", data: Buffer.from(text) });
}

/** How many paths of a copy are not saved. */
async function changedIn({ core }: TestWorkspace, copyId: string): Promise<number> {
  return (await core.store.committed.copies.countChanges([copyId])).get(copyId) ?? 0;
}
