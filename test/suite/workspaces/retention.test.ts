// …/retention with its pins, and DELETE of revisions, on every deployment.

import { expect, it } from "vitest";
import { expectProblem, onEveryDeployment, UNKNOWN } from "../every-deployment.ts";

onEveryDeployment("retention of workspaces", (service) => {
  const withWorkspace = async () => {
    const account = await service().account();
    const workspace = await account.owner.workspaces.create({ body: {} });
    return { ...account, workspaceId: workspace.id, revisionId: workspace.current_revision_id };
  };
  const pins = (workspaceId: string, rest = "") => `/v1/workspaces/${workspaceId}/retention/pins${rest}`;

  it("rule 9: shows what is going to be deleted unless told", async () => {
    const { owner, ownerKey: bearer, workspaceId } = await withWorkspace();
    const path = `/v1/workspaces/${workspaceId}/retention`;
    const empty = { view: "cleanup", items: [], next_cursor: "" };
    expect((await service().call(path, { bearer })).body).toEqual(empty);
    expect(await owner.retention.get({ workspaceId, query: { view: "cleanup" } })).toEqual(empty);
    expect(await owner.retention.get({ workspaceId, query: { view: "usage" } })).toMatchObject({
      view: "usage",
      objects: 2,
      revisions: 1,
      copies: 1,
    });
    for (const query of ["view=all", "cursor=nothing", "view=pins&cursor=nothing", "limit=0"]) {
      expectProblem(await service().call(`${path}?${query}`, { bearer }), [400, "invalid_request"]);
    }
  });

  it("rule 7: takes pins with a key that is not empty, each once", async () => {
    const { ownerKey: bearer, ai, owner, workspaceId, revisionId } = await withWorkspace();
    const json = { revision_id: revisionId, reason: "The first one" };
    const create = (headers: Record<string, string>, body: unknown = json) =>
      service().call(pins(workspaceId), { method: "POST", bearer, json: body, headers });
    expectProblem(await create({}), [400, "invalid_request"]);
    expectProblem(await create({ "idempotency-key": "" }), [400, "invalid_request"]);
    const made = await create({ "idempotency-key": "pin" });
    expect(made.status, made.text).toBe(201);
    expect((await create({ "idempotency-key": "pin" })).body).toEqual(made.body);
    expectProblem(await create({ "idempotency-key": "pin" }, { ...json, reason: "Another" }), [
      422,
      "idempotency_key_reused",
    ]);
    const page = { view: "pins", items: [made.body], next_cursor: "" };
    expect(await ai.retention.get({ workspaceId, query: { view: "pins" } })).toEqual(page);
    expect((await owner.revisions.get({ workspaceId, revisionId })).pinned).toBe(true);
    expect(made.body).toMatchObject({ revision_id: revisionId, reason: "The first one", until: null });
  });

  it("takes no pin of a revision that is not there, and none that has ended", async () => {
    const { ownerKey: bearer, owner, workspaceId, revisionId } = await withWorkspace();
    const other = await owner.workspaces.create({ body: {} });
    const create = (json: unknown) => {
      const headers = { "idempotency-key": crypto.randomUUID() };
      return service().call(pins(workspaceId), { method: "POST", bearer, json, headers });
    };
    for (const id of [UNKNOWN, other.current_revision_id]) {
      expectProblem(await create({ revision_id: id, reason: "r" }), [404, "not_found"]);
    }
    for (const wrong of [
      { until: "2001-01-01T00:00:00Z" },
      { until: "soon" },
      { reason: "" },
      { reason: "a\0" },
    ]) {
      const answer = await create({ revision_id: revisionId, reason: "r", ...wrong });
      expectProblem(answer, [400, "invalid_request"]);
    }
    const until = await create({ revision_id: revisionId, reason: "r", until: "2099-01-01T02:00:00+02:00" });
    expect(until.body).toMatchObject({ until: "2099-01-01T00:00:00.000Z" });
  });

  it("lets a pin go, once, by its own account and workspace", async () => {
    const { ownerKey: bearer, owner, workspaceId, revisionId } = await withWorkspace();
    const other = await owner.workspaces.create({ body: {} });
    const pin = await owner.retention.createPin({
      workspaceId,
      body: { revision_id: revisionId, reason: "r" },
    });
    const remove = (workspace: string, as: string = bearer) =>
      service().call(pins(workspace, `/${pin.id}`), { method: "DELETE", bearer: as });
    expectProblem(await remove(other.id), [404, "not_found"]);
    expectProblem(await remove(workspaceId, (await service().account()).ownerKey), [403, "forbidden"]);
    const removed = await remove(workspaceId);
    expect([removed.status, removed.body]).toEqual([200, pin]);
    expectProblem(await remove(workspaceId), [404, "not_found"]);
    expect((await owner.revisions.get({ workspaceId, revisionId })).pinned).toBe(false);
  });

  it("deletes no revision that is current, unknown or another workspace's", async () => {
    const { ownerKey: bearer, owner, workspaceId, revisionId } = await withWorkspace();
    const other = await owner.workspaces.create({ body: {} });
    const remove = (id: string) =>
      service().call(`/v1/workspaces/${workspaceId}/revisions/${id}`, { method: "DELETE", bearer });
    expectProblem(await remove(revisionId), [409, "revision_in_use"]);
    expectProblem(await remove(other.current_revision_id), [404, "not_found"]);
    expectProblem(await remove(UNKNOWN), [404, "not_found"]);
  });
});
