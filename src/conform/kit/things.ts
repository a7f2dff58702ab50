// Things that statements need: agents, workspaces and their contents. Each maker makes one more; `own` and `foreign` have those
// that are made once and only read.

import type { Answer } from "./exchange.ts";
import { expectStatus, textOf } from "./expect.ts";
import type { World, WorldCaller } from "./world.ts";

export type Ids = Readonly<Record<string, string>>;

/** Makes an agent, which is retired at the end. */
export async function makeAgent(
  world: World,
  options: { as?: WorldCaller; kind?: "independent" } = {},
): Promise<string> {
  const { as = "owner", kind } = options;
  const name = world.name("agent");
  const id = world.made(
    await world.post("/v1/agents", { name, ...(kind === undefined ? {} : { kind }) }, as),
  );
  world.atEnd(`agent ${id}`, () => world.post(`/v1/agents/${id}/retire`, undefined, as));
  return id;
}

/** Makes a workspace, which is deleted at the end. */
export async function makeWorkspace(world: World, as: WorldCaller = "owner"): Promise<string> {
  const id = world.made(await world.post("/v1/workspaces", { name: world.name("workspace") }, as));
  world.atEnd(`workspace ${id}`, () => world.send("DELETE", `/v1/workspaces/${id}`, undefined, as));
  return id;
}

export async function makeCopy(
  world: World,
  workspaceId: string,
  as: WorldCaller = "owner",
): Promise<string> {
  const done = await world.finished(await world.post(`/v1/workspaces/${workspaceId}/copies`, {}, as), as);
  return textOf(done, "result", "working_copy_id");
}

/** Writes a file in a copy, or in the canonical copy where none is named. */
async function writeFile(
  world: World,
  place: { readonly workspaceId: string; readonly copyId?: string; readonly as?: WorldCaller },
  file: { readonly path: string; readonly content: string; readonly etag?: string },
): Promise<Answer> {
  const { path, content, etag } = file;
  return await world.ask({
    method: "PUT",
    path: `${filesOf(place)}/write`,
    as: place.as ?? "owner",
    json: { path, content },
    ...(etag === undefined ? {} : { headers: { "if-match": etag } }),
  });
}

export function filesOf(place: { readonly workspaceId: string; readonly copyId?: string }): string {
  const copy = place.copyId === undefined ? "" : `/copies/${place.copyId}`;
  return `/v1/workspaces/${place.workspaceId}${copy}/files`;
}

/** Saves a copy, or the canonical copy: the revision's id. */
export async function checkpoint(
  world: World,
  place: { readonly workspaceId: string; readonly copyId?: string; readonly as?: WorldCaller },
): Promise<string> {
  const { workspaceId, copyId, as = "owner" } = place;
  const body = copyId === undefined ? {} : { working_copy_id: copyId };
  const done = await world.finished(
    await world.post(`/v1/workspaces/${workspaceId}/checkpoints`, body, as),
    as,
  );
  return textOf(done, "result", "revision_id");
}

/** A copy with these files, saved and proposed. */
export async function propose(
  world: World,
  place: { readonly workspaceId: string; readonly as?: WorldCaller },
  files: Readonly<Record<string, string>>,
): Promise<{ readonly copyId: string; readonly revisionId: string; readonly changesetId: string }> {
  const { workspaceId, as = "owner" } = place;
  const copyId = await makeCopy(world, workspaceId, as);
  for (const [path, content] of Object.entries(files)) {
    expectStatus(await writeFile(world, { workspaceId, copyId, as }, { path, content }), 200, 201);
  }
  const revisionId = await checkpoint(world, { workspaceId, copyId, as });
  const body = { working_copy_id: copyId, title: world.name("change") };
  const made = await world.post(`/v1/workspaces/${workspaceId}/changesets`, body, as);
  return { copyId, revisionId, changesetId: world.made(made) };
}

export async function currentRevision(world: World, workspaceId: string): Promise<string> {
  return textOf(expectStatus(await world.get(`/v1/workspaces/${workspaceId}`), 200), "current_revision_id");
}

/** The account of a caller, as its agents tell. */
export async function accountOf(world: World, as: WorldCaller): Promise<string> {
  return await world.once(`account of ${as}`, async () => {
    const agentID = await agentOf(world, as);
    return textOf(await world.get(`/v1/agents/${agentID}`, as), "user_id");
  });
}

export async function agentOf(world: World, as: WorldCaller): Promise<string> {
  return await world.once(`agent of ${as}`, () => makeAgent(world, { as }));
}

/** An agent that takes no work any more. */
export async function retiredAgentOf(world: World): Promise<string> {
  return await world.once("retired agent", async () => {
    const agentID = world.made(await world.post("/v1/agents", { name: world.name("retired") }));
    expectStatus(await world.post(`/v1/agents/${agentID}/retire`, undefined), 200);
    return agentID;
  });
}

/** A workspace with a file, two revisions, a copy and an open changeset, which no statement changes. */
export async function workspaceOf(world: World, as: WorldCaller): Promise<Ids> {
  return await world.once(`workspace of ${as}`, async () => {
    const workspaceId = await makeWorkspace(world, as);
    const first = await writeFile(world, { workspaceId, as }, { path: "a.txt", content: "hello\n" });
    // Where files are closed it has neither files nor a changeset.
    const isClosed = first.status === 403;
    await writeFile(world, { workspaceId, as }, { path: "docs/b.txt", content: "world\n" });
    const accepted = await world.post(`/v1/workspaces/${workspaceId}/checkpoints`, {}, as);
    const revisionID = textOf(await world.finished(accepted, as), "result", "revision_id");
    const place = { workspaceId, as };
    const { copyId, changesetId } = isClosed
      ? { copyId: await makeCopy(world, workspaceId, as), changesetId: "" }
      : await propose(world, place, { "c.txt": "more\n" });
    const of = `/v1/workspaces/${workspaceId}`;
    const workspace = await world.get(of, as);
    const pin = await world.post(`${of}/retention/pins`, { revision_id: revisionID, reason: "conform" }, as);
    const item = await world.post(`${of}/context-items`, { title: "Style", content: "Short." }, as);
    const group = await world.post(`${of}/task-groups`, { name: world.name("group") }, as);
    const schedule = await world.post(`${of}/schedules`, { prompt: "Look.", delay_seconds: 86_400 }, as);
    const workflowID = world.uuid();
    const workflow = { name: "conform", prompt: "Look." };
    expectStatus(await world.send("PUT", `${of}/workflows/${workflowID}`, workflow, as), 200, 201);
    return {
      workspaceID: workspaceId,
      agentID: textOf(workspace, "manager_agent_id"),
      memberID: textOf(workspace, "manager_agent_id"),
      revisionID,
      workingCopyID: copyId,
      changesetID: changesetId,
      operationID: textOf(accepted, "id"),
      pinID: world.made(pin),
      contextItemID: world.made(item),
      taskGroupID: world.made(group),
      scheduleID: world.made(schedule),
      workflowID,
      id: workflowID,
    };
  });
}

/** An agent with a schedule, which no statement changes. */
export async function scheduledAgentOf(world: World, as: WorldCaller): Promise<Ids> {
  return await world.once(`scheduled agent of ${as}`, async () => {
    const agentID = await agentOf(world, as);
    const body = { prompt: "Look.", delay_seconds: 86_400, metadata: { ticket: 7 } };
    const scheduleID = world.made(await world.post(`/v1/agents/${agentID}/schedules`, body, as));
    world.atEnd(`schedule ${scheduleID}`, () =>
      world.send("DELETE", `/v1/agents/${agentID}/schedules/${scheduleID}`, undefined, as),
    );
    return { agentID, scheduleID };
  });
}
