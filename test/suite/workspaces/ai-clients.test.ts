// What an AI client may do in a workspace: everything but the acts of its owner, each of which it is told about.

import { expect, it } from "vitest";
import { expectProblem, onEveryDeployment } from "../every-deployment.ts";
import { copyIdOf } from "./copy-id.ts";

onEveryDeployment("AI clients in workspaces", (service) => {
  it("make workspaces, work in copies, propose and reject; what is the owner's is refused with a link", async () => {
    const { ai, aiKey: bearer, owner } = await service().account();
    const { id: workspaceId, current_revision_id: revisionId } = await ai.workspaces.create({ body: {} });
    const ended = async (operation: { id: string }) =>
      await ai.operations.get({ workspaceId, operationId: operation.id, query: { wait: 20 } });
    const workingCopyId = copyIdOf(await ended(await ai.copies.create({ workspaceId })));
    await ai.copyFiles.write({ workspaceId, workingCopyId, body: { path: "a.txt", content: "a\n" } });
    await ended(await ai.copies.checkpoint({ workspaceId, body: { working_copy_id: workingCopyId } }));
    const propose = () => {
      const body = { working_copy_id: workingCopyId, title: "A file" };
      return ai.changesets.create({ workspaceId, body });
    };
    const refusedOne = await propose();
    const reject = { workspaceId, changesetId: refusedOne.id };
    expect(await ai.changesets.reject(reject)).toMatchObject({ status: "rejected" });
    await ai.contextItems.create({
      workspaceId,
      body: { kind: "text", title: "House rules", content: "Short sentences." },
    });
    await ai.retention.createPin({ workspaceId, body: { revision_id: revisionId, reason: "start" } });

    const { id: changesetId } = await propose();
    const decision = { expected_current_revision: revisionId, validation_evidence: "Read it." };
    const w = `/v1/workspaces/${workspaceId}`;
    const owners: readonly (readonly [string, string, unknown])[] = [
      ["POST", `${w}/changesets/${changesetId}/accept`, decision],
      ["PUT", `${w}/files/write`, { path: "b.txt", content: "b" }],
      ["POST", `${w}/checkpoints`, {}],
      ["POST", `${w}/storage/adopt`, { agent_id: refusedOne.id }],
      ["POST", `${w}/storage/adoption/rollback`, {}],
      ["PUT", `${w}/site`, { revision_id: revisionId, folder: "" }],
      ["DELETE", w, undefined],
    ];
    for (const [method, path, json] of owners) {
      const headers = { "idempotency-key": crypto.randomUUID() };
      const answer = await service().call(path, {
        method,
        bearer,
        headers,
        ...(json === undefined ? {} : { json }),
      });
      expectProblem(answer, [403, "owner_needed"]);
      expect(answer.text, `${method} ${path}`).toContain("http");
    }
    expect(await owner.workspaces.get({ workspaceId })).toMatchObject({ current_revision_id: revisionId });
    expect((await owner.files.list({ workspaceId })).items).toEqual([]);
  });
});
