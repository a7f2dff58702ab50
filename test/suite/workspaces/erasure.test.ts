// DELETE /v1/workspaces/{workspaceID}, on every deployment: by its owner alone, and with a receipt that outlives it.

import { expect, it } from "vitest";
import { erasureSchema } from "../../../src/contract/workspaces/workspace/workspace.ts";
import { expectProblem, onEveryDeployment } from "../every-deployment.ts";

onEveryDeployment("the deletion of workspaces", (service) => {
  it("is begun once, and proved by its operation", async () => {
    const { owner, ownerKey: bearer, ai } = await service().account();
    const { id: workspaceId } = await owner.workspaces.create({ body: {} });
    await owner.copies.create({ workspaceId });
    const answer = await service().call(`/v1/workspaces/${workspaceId}`, { method: "DELETE", bearer });
    expect(answer.status, answer.text).toBe(202);
    const { operation_id: operationId } = erasureSchema.parse(answer.body);
    expect(answer.headers.get("location")).toBe(`/v1/workspaces/${workspaceId}/operations/${operationId}`);
    const operation = await ai.operations.get({ workspaceId, operationId, query: { wait: 20 } });
    expect(operation).toMatchObject({ kind: "erase_workspace", status: "succeeded", result: {} });
    expectProblem(await service().call(`/v1/workspaces/${workspaceId}`, { bearer }), [404, "not_found"]);
    expect((await owner.workspaces.list()).items).toEqual([]);
    const other = (await service().account()).ownerKey;
    const path = `/v1/workspaces/${workspaceId}/operations/${operationId}`;
    expectProblem(await service().call(path, { bearer: other }), [403, "forbidden"]);
  });

  it("is refused to an AI client, and to another account", async () => {
    const { owner, ownerKey, aiKey } = await service().account();
    const { id: workspaceId } = await owner.workspaces.create({ body: {} });
    const remove = (bearer: string) =>
      service().call(`/v1/workspaces/${workspaceId}`, { method: "DELETE", bearer });
    expectProblem(await remove(aiKey), [403, "owner_needed"]);
    expectProblem(await remove((await service().account()).ownerKey), [403, "forbidden"]);
    expect((await owner.workspaces.get({ workspaceId })).storage_state).toBe("ready");
    expect((await remove(ownerKey)).status).toBe(202);
  });
});
