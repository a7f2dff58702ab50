// /v1/workspaces/{workspaceID}/changesets and review-actions, on every deployment.

import { expect, it } from "vitest";
import { problemSchema } from "../../../src/contract/problems/problem.ts";
import { changesetSchema } from "../../../src/contract/workspaces/changesets/changeset.ts";
import { expectProblem, onEveryDeployment, UNKNOWN } from "../every-deployment.ts";
import { copyIdOf } from "./copy-id.ts";

onEveryDeployment("changesets of workspaces", (service) => {
  const EVIDENCE = [{ kind: "tests", text: "All pass." }];

  const withWorkspace = async () => {
    const account = await service().account();
    const { owner } = account;
    const workspace = await owner.workspaces.create({ body: {} });
    const workspaceId = workspace.id;
    const post = (path: string, json: unknown, bearer = account.ownerKey) =>
      service().call(`/v1/workspaces/${workspaceId}/${path}`, { method: "POST", bearer, json });
    /** A changeset of a new copy with one file. */
    const propose = async (path: string, content: string) => {
      const workingCopyId = copyIdOf(await owner.copies.create({ workspaceId }));
      const written = await service().call(
        `/v1/workspaces/${workspaceId}/copies/${workingCopyId}/files/write`,
        { method: "PUT", bearer: account.ownerKey, json: { path, content } },
      );
      expect(written.status, written.text).toBe(201);
      const unsaved = await post("changesets", { working_copy_id: workingCopyId, title: "Too early" });
      expectProblem(unsaved, [409, "copy_unsaved"]);
      const { id: operationId } = await owner.copies.checkpoint({
        workspaceId,
        body: { working_copy_id: workingCopyId },
      });
      await owner.operations.get({ workspaceId, operationId, query: { wait: 10 } });
      const body = { working_copy_id: workingCopyId, title: `Add ${path}` };
      return await owner.changesets.create({ workspaceId, body });
    };
    return { ...account, workspace, workspaceId, post, propose };
  };

  it("rule 5: are accepted with the current revision that the caller has seen, and with evidence", async () => {
    const { owner, workspace, workspaceId, post, propose } = await withWorkspace();
    const before = workspace.current_revision_id;
    const one = await propose("one.txt", "1\n");
    const two = await propose("two.txt", "2\n");
    expect(one).toMatchObject({ status: "open", mergeable: true, files: 1, additions: 1, deletions: 0 });
    const accept = (id: string, body: unknown) => post(`changesets/${id}/accept`, body);
    for (const evidence of [undefined, "", "  ", []]) {
      const json = { expected_current_revision: before, validation_evidence: evidence };
      expectProblem(await accept(one.id, json), [400, "invalid_request"]);
    }
    const json = { expected_current_revision: before, validation_evidence: EVIDENCE };
    const accepted = changesetSchema.parse((await accept(one.id, json)).body);
    expect(accepted).toMatchObject({ status: "accepted", validation_evidence: EVIDENCE });
    const { current_revision_id: current } = await owner.workspaces.get({ workspaceId });
    expect(accepted.accepted_revision_id).toBe(current);
    const stale = await accept(two.id, json);
    expectProblem(stale, [409, "current_revision_conflict"]);
    expect(problemSchema.parse(stale.body).current_revision).toBe(current);
    expectProblem(await accept(one.id, json), [409, "changeset_decided"]);
    expectProblem(await accept(UNKNOWN, json), [404, "not_found"]);
    const read = await owner.changesets.get({ workspaceId, changesetId: two.id, query: { patch: "true" } });
    expect(read).toMatchObject({ compared_revision_id: current, patch_is_whole: true });
    expect(read.patch).toContain("+2\n");
    const list = await owner.changesets.list({ workspaceId, query: { status: "open" } });
    expect(list.items.map(({ id }) => id)).toEqual([two.id]);
  });

  it("rule 5: in conflict are resolved, or rejected", async () => {
    const { owner, workspaceId, post, propose } = await withWorkspace();
    const one = await propose("same.txt", "one\n");
    const two = await propose("same.txt", "two\n");
    const three = await propose("same.txt", "three\n");
    const seen = async () => {
      const { current_revision_id } = await owner.workspaces.get({ workspaceId });
      return { expected_current_revision: current_revision_id, validation_evidence: "Read." };
    };
    await owner.changesets.accept({ workspaceId, changesetId: one.id, body: await seen() });
    const refused = await post(`changesets/${two.id}/accept`, await seen());
    expectProblem(refused, [409, "changeset_conflicted"]);
    expect(problemSchema.parse(refused.body).paths).toEqual(["same.txt"]);
    const resolutions = [{ path: "same.txt", take: "theirs" as const }];
    const resolved = await owner.changesets.resolve({
      workspaceId,
      changesetId: two.id,
      body: { ...(await seen()), resolutions },
    });
    expect(resolved.status).toBe("accepted");
    const body = { reason: "The same again." };
    const rejected = await owner.changesets.reject({ workspaceId, changesetId: three.id, body });
    expect(rejected).toMatchObject({ status: "rejected", reject_reason: "The same again." });
  });

  it("that an AI client wants accepted wait for the owner", async () => {
    const { owner, ai, aiKey, workspace, workspaceId, post, propose } = await withWorkspace();
    const { id } = await propose("ai.txt", "ai\n");
    const json = { expected_current_revision: workspace.current_revision_id, validation_evidence: EVIDENCE };
    const refused = await post(`changesets/${id}/accept`, json, aiKey);
    expectProblem(refused, [403, "owner_needed"]);
    const url = problemSchema.parse(refused.body).approve_url ?? "";
    const actionId = url.slice(url.lastIndexOf("/") + 1);
    const action = await ai.reviewActions.get({ workspaceId, actionId });
    expect(action).toMatchObject({
      kind: "accept_changeset",
      state: "waiting",
      approve_url: url,
      changeset_id: id,
    });
    const approved = await owner.approvals.approve({ approvalId: actionId });
    expect(approved).toMatchObject({ kind: "accept_changeset", status: "approved", changeset_id: id });
    expect((await owner.changesets.get({ workspaceId, changesetId: id })).status).toBe("accepted");
  });

  it("are their account's alone", async () => {
    const { workspaceId, propose } = await withWorkspace();
    const { id } = await propose("a.txt", "a\n");
    const { ownerKey: bearer } = await service().account();
    for (const path of ["changesets", `changesets/${id}`, `review-actions/${UNKNOWN}`])
      expectProblem(await service().call(`/v1/workspaces/${workspaceId}/${path}`, { bearer }), [
        403,
        "forbidden",
      ]);
  });
});
