// /v1/workspaces/{workspaceID}/copies: made in one step, listed by pages, read, and another account's are refused.

import { expect, it } from "vitest";
import { operationSchema } from "../../../src/contract/workspaces/operations.ts";
import { expectProblem, onEveryDeployment, UNKNOWN } from "../every-deployment.ts";
import { copyIdOf } from "./copy-id.ts";

onEveryDeployment("copies of workspaces", (service) => {
  const withWorkspace = async () => {
    const account = await service().account();
    const workspace = await account.owner.workspaces.create({ body: {} });
    return { ...account, workspace, workspaceId: workspace.id };
  };

  it("rule 3: are ready when their operation is answered", async () => {
    const { ownerKey, owner, ai, workspace, workspaceId } = await withWorkspace();
    const answer = await service().call(`/v1/workspaces/${workspaceId}/copies`, {
      method: "POST",
      bearer: ownerKey,
    });
    expect(answer.status, answer.text).toBe(202);
    const operation = operationSchema.parse(answer.body);
    expect(answer.headers.get("location")).toBe(`/v1/workspaces/${workspaceId}/operations/${operation.id}`);
    expect(operation).toMatchObject({ kind: "create_copy", status: "succeeded", workspace_id: workspaceId });
    const read = await ai.operations.get({ workspaceId, operationId: operation.id });
    expect(read).toEqual(operation);
    const copy = await ai.copies.get({ workspaceId, workingCopyId: copyIdOf(operation) });
    expect(copy).toMatchObject({
      workspace_id: workspaceId,
      is_canonical: false,
      state: "ready",
      base_revision_id: workspace.current_revision_id,
      saved_revision_id: null,
      changed_files: 0,
      held_by_run_id: null,
      created_by: { type: "owner" },
    });
    expect((await owner.revisions.get({ workspaceId, revisionId: copy.base_revision_id })).files).toBe(0);
  });

  it("rule 6: begin anew from a saved revision, with nothing that was not saved of the copy before", async () => {
    const { owner, workspaceId } = await withWorkspace();
    const made = async (body: { base_revision_id?: string } = {}) => {
      const begun = await owner.copies.create({ workspaceId, body });
      return copyIdOf(
        await owner.operations.get({ workspaceId, operationId: begun.id, query: { wait: 20 } }),
      );
    };
    const first = await made();
    const write = (content: string, ifMatch?: string) => {
      const body = { path: "notes.md", content };
      return owner.copyFiles.write({ workspaceId, workingCopyId: first, body, ifMatch });
    };
    const { etag } = withEtag(await write("saved"));
    const begun = await owner.copies.checkpoint({ workspaceId, body: { working_copy_id: first } });
    const saved = await owner.operations.get({ workspaceId, operationId: begun.id, query: { wait: 20 } });
    if (saved.status !== "succeeded") throw new Error(`The checkpoint is ${saved.status}.`);
    await write("not saved", etag);
    await owner.copies.delete({ workspaceId, workingCopyId: first });
    const workingCopyId = await made({ base_revision_id: saved.result.revision_id ?? "" });
    const query = { path: "notes.md" };
    const read = await owner.copyFiles.read({ workspaceId, workingCopyId, query });
    expect(read).toMatchObject({ content: "saved", etag });
    const gone = owner.copyFiles.read({ workspaceId, workingCopyId: first, query });
    await expect(gone).rejects.toMatchObject({ status: 404 });
  });

  it("rule 12: are proposed only once a revision is saved of what was written", async () => {
    const { owner, ai, workspaceId } = await withWorkspace();
    const workingCopyId = copyIdOf(await owner.copies.create({ workspaceId }));
    await ai.copyFiles.write({ workspaceId, workingCopyId, body: { path: "a.txt", content: "a" } });
    const propose = () =>
      ai.changesets.create({ workspaceId, body: { working_copy_id: workingCopyId, title: "A" } });
    await expect(propose()).rejects.toMatchObject({ status: 409, code: "copy_unsaved" });
    const begun = await ai.copies.checkpoint({ workspaceId, body: { working_copy_id: workingCopyId } });
    await ai.operations.get({ workspaceId, operationId: begun.id, query: { wait: 20 } });
    expect(await propose()).toMatchObject({ status: "open", files: 1 });
  });

  it("rule 9: are listed by pages, newest first, the canonical one last", async () => {
    const { owner, ai, workspaceId } = await withWorkspace();
    const made: string[] = [];
    for (const client of [owner, ai, owner])
      made.unshift(copyIdOf(await client.copies.create({ workspaceId })));
    const first = await owner.copies.list({ workspaceId, query: { limit: 2 } });
    expect(first.items.map(({ id }) => id)).toEqual(made.slice(0, 2));
    expect(first.items[1]?.created_by).toEqual({ type: "ai_client", name: "ai_client" });
    const rest = await owner.copies.list({ workspaceId, query: { limit: 2, cursor: first.next_cursor } });
    expect(rest.items.map(({ is_canonical }) => is_canonical)).toEqual([false, true]);
    expect(rest.next_cursor).toBe("");
    expect((await owner.copies.list({ workspaceId, query: { state: "ready" } })).items).toHaveLength(4);
    expect((await owner.copies.list({ workspaceId, query: { state: "held" } })).items).toEqual([]);
  });

  it("are made once for a key, in the header or in the body", async () => {
    const { ownerKey: bearer, owner, workspace, workspaceId } = await withWorkspace();
    const create = (json: unknown, key?: string) =>
      service().call(`/v1/workspaces/${workspaceId}/copies`, {
        method: "POST",
        bearer,
        json,
        ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
      });
    const first = operationSchema.parse((await create({}, "one")).body);
    expect((await create({}, "one")).body).toEqual(first);
    // The header wins over the body's key.
    expect((await create({ idempotency_key: "two" }, "one")).body).toEqual(first);
    const other = operationSchema.parse((await create({ idempotency_key: "two" })).body);
    expect(other.id).not.toBe(first.id);
    expect((await create({ idempotency_key: "two" })).body).toEqual(other);
    const changed = { base_revision_id: workspace.current_revision_id };
    expectProblem(await create(changed, "one"), [422, "idempotency_key_reused"]);
    expect((await owner.copies.list({ workspaceId })).items).toHaveLength(3);
    const beside = await owner.workspaces.create({ body: {} });
    const there = await owner.copies.create({ workspaceId: beside.id, idempotencyKey: "one" });
    expect(there.workspace_id).toBe(beside.id);
  });

  it("are refused of a revision, and read of a copy, that is another workspace's or unknown", async () => {
    const { ownerKey: bearer, owner, workspaceId } = await withWorkspace();
    const other = await owner.workspaces.create({ body: {} });
    for (const revision of [UNKNOWN, other.current_revision_id]) {
      const json = { base_revision_id: revision };
      const refused = await service().call(`/v1/workspaces/${workspaceId}/copies`, {
        method: "POST",
        bearer,
        json,
      });
      expectProblem(refused, [404, "not_found"]);
    }
    const [copy] = (await owner.copies.list({ workspaceId: other.id })).items;
    for (const path of [
      `copies/${copy?.id}`,
      `copies/${UNKNOWN}`,
      `revisions/${other.current_revision_id}`,
      `revisions/${UNKNOWN}`,
      `operations/${UNKNOWN}`,
    ]) {
      expectProblem(await service().call(`/v1/workspaces/${workspaceId}/${path}`, { bearer }), [
        404,
        "not_found",
      ]);
    }
  });

  it("are another account's to no one", async () => {
    const { owner, workspace, workspaceId } = await withWorkspace();
    const operation = await owner.copies.create({ workspaceId });
    const { ownerKey: bearer } = await service().account();
    for (const path of [
      "copies",
      `copies/${copyIdOf(operation)}`,
      "revisions",
      `revisions/${workspace.current_revision_id}`,
      `operations/${operation.id}`,
    ]) {
      expectProblem(await service().call(`/v1/workspaces/${workspaceId}/${path}`, { bearer }), [
        403,
        "forbidden",
      ]);
    }
    const made = await service().call(`/v1/workspaces/${workspaceId}/copies`, { method: "POST", bearer });
    expectProblem(made, [403, "forbidden"]);
    const unknown = await service().call(`/v1/workspaces/${UNKNOWN}/copies`, { bearer });
    expectProblem(unknown, [404, "not_found"]);
  });

  it("are asked for in what their lists take", async () => {
    const { ownerKey: bearer, workspaceId } = await withWorkspace();
    for (const query of ["limit=0", "limit=1001", "state=gone", "cursor=nothing"]) {
      const answer = await service().call(`/v1/workspaces/${workspaceId}/copies?${query}`, { bearer });
      expectProblem(answer, [400, "invalid_request"]);
    }
    const json = { base_revision_id: "main" };
    const answer = await service().call(`/v1/workspaces/${workspaceId}/copies`, {
      method: "POST",
      bearer,
      json,
    });
    expectProblem(answer, [400, "invalid_request"]);
  });
});

function withEtag(entry: { readonly type: string; readonly etag?: string }): { readonly etag: string } {
  if (entry.etag === undefined) throw new Error(`A ${entry.type} has no ETag.`);
  return { etag: entry.etag };
}
