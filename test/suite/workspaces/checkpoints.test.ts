// POST …/checkpoints, DELETE of copies, revisions and operations, on every deployment.

import { expect, it } from "vitest";
import { operationSchema } from "../../../src/contract/workspaces/operations.ts";
import { expectProblem, onEveryDeployment, UNKNOWN } from "../every-deployment.ts";
import { copyIdOf } from "./copy-id.ts";

onEveryDeployment("checkpoints of workspaces", (service) => {
  const withCopy = async () => {
    const account = await service().account();
    const workspace = await account.owner.workspaces.create({ body: {} });
    const workspaceId = workspace.id;
    const workingCopyId = copyIdOf(await account.owner.copies.create({ workspaceId }));
    return { ...account, workspace, workspaceId, workingCopyId };
  };

  it("of what did not change are the revision that is there", async () => {
    const { ai, ownerKey: bearer, workspace, workspaceId, workingCopyId } = await withCopy();
    const json = { working_copy_id: workingCopyId, message: "Nothing" };
    const path = `/v1/workspaces/${workspaceId}/checkpoints`;
    const headers = { "idempotency-key": "save" };
    const answer = await service().call(path, { method: "POST", bearer, json, headers });
    expect(answer.status, answer.text).toBe(202);
    const { id: operationId } = operationSchema.parse(answer.body);
    expect(answer.headers.get("location")).toBe(`/v1/workspaces/${workspaceId}/operations/${operationId}`);
    const operation = await ai.operations.get({ workspaceId, operationId, query: { wait: 10 } });
    expect(operation).toMatchObject({
      kind: "checkpoint",
      status: "succeeded",
      result: { revision_id: workspace.current_revision_id, unchanged: true },
    });
    const again = await service().call(path, { method: "POST", bearer, json, headers });
    expect(operationSchema.parse(again.body).id).toBe(operationId);
  });

  it("of canonical files are the owner's alone", async () => {
    const { aiKey, ownerKey, workspace, workspaceId } = await withCopy();
    const path = `/v1/workspaces/${workspaceId}/checkpoints`;
    const refused = await service().call(path, { method: "POST", bearer: aiKey });
    expectProblem(refused, [403, "owner_needed"]);
    expect(refused.text).toContain(`/workspace/${workspaceId}`);
    const json = { working_copy_id: (await canonicalOf(aiKey, workspaceId)) ?? "" };
    expectProblem(await service().call(path, { method: "POST", bearer: aiKey, json }), [403, "owner_needed"]);
    const saved = await service().call(path, { method: "POST", bearer: ownerKey });
    expect(saved.status, saved.text).toBe(202);
    expect(workspace.storage_state).toBe("ready");
  });

  it("are refused of a copy that is unknown, another workspace's, or deleted", async () => {
    const { owner, ownerKey: bearer, workspaceId, workingCopyId } = await withCopy();
    const other = await owner.workspaces.create({ body: {} });
    const save = (workspace: string, copy: string) =>
      service().call(`/v1/workspaces/${workspace}/checkpoints`, {
        method: "POST",
        bearer,
        json: { working_copy_id: copy },
      });
    expectProblem(await save(workspaceId, UNKNOWN), [404, "not_found"]);
    expectProblem(await save(other.id, workingCopyId), [404, "not_found"]);
    const { id: operationId } = await owner.copies.delete({ workspaceId, workingCopyId });
    const deleted = await owner.operations.get({ workspaceId, operationId, query: { wait: 10 } });
    expect(deleted).toMatchObject({
      kind: "delete_copy",
      status: "succeeded",
      result: { working_copy_id: workingCopyId },
    });
    expectProblem(await save(workspaceId, workingCopyId), [404, "not_found"]);
    const gone = await service().call(`/v1/workspaces/${workspaceId}/copies/${workingCopyId}`, { bearer });
    expectProblem(gone, [404, "not_found"]);
  });

  it("leave the canonical copy where it is when somebody deletes it", async () => {
    const { ownerKey: bearer, workspaceId } = await withCopy();
    const id = await canonicalOf(bearer, workspaceId);
    const answer = await service().call(`/v1/workspaces/${workspaceId}/copies/${id}`, {
      method: "DELETE",
      bearer,
    });
    expectProblem(answer, [400, "invalid_request"]);
    expect(await canonicalOf(bearer, workspaceId)).toBe(id);
  });

  const canonicalOf = async (bearer: string, workspaceId: string) => {
    const { items } = await service().client(bearer).copies.list({ workspaceId });
    return items.find(({ is_canonical }) => is_canonical)?.id;
  };
});
