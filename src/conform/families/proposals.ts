// Changesets that statements propose, decide and read.

import type { Answer } from "../kit/exchange.ts";
import { expectStatus } from "../kit/expect.ts";
import { array, boolean, dateTime, integer, object, oneOf, text, uuid } from "../kit/field-kinds.ts";
import { put } from "../kit/filled.ts";
import { checkpoint, currentRevision, filesOf, makeCopy, makeWorkspace, propose } from "../kit/things.ts";
import type { World, WorldCaller } from "../kit/world.ts";

export const needs = ["workspaces", "files"] as const;
export const EVIDENCE = "All tests pass.";

export const fields = {
  id: uuid,
  workspace_id: uuid,
  status: oneOf("open", "conflicted", "accepted", "rejected"),
  title: text,
  summary: text,
  revision_id: uuid,
  base_revision_id: uuid,
  compared_revision_id: uuid,
  mergeable: boolean,
  files: integer,
  additions: integer,
  deletions: integer,
  conflicts: array,
  created_by: object,
  created_at: dateTime,
};

type Proposal = {
  readonly of: string;
  readonly workspaceId: string;
  readonly copyId: string;
  readonly revisionId: string;
  readonly changesetId: string;
  readonly path: string;
};

/** A workspace with one open changeset, which adds x.txt. */
export async function proposal(world: World): Promise<Proposal> {
  const workspaceId = await makeWorkspace(world);
  const proposed = await propose(world, { workspaceId }, { "x.txt": "one\ntwo\n" });
  const of = `/v1/workspaces/${workspaceId}`;
  return { ...proposed, of, workspaceId, path: `${of}/changesets/${proposed.changesetId}` };
}

/** The same for statements that do not decide it. */
export async function undecided(world: World): Promise<Proposal> {
  return await world.once("undecided changeset", () => proposal(world));
}

/** A changeset that changes what the current revision has changed in another way. */
export async function conflict(world: World): Promise<Proposal> {
  const workspaceId = await makeWorkspace(world);
  const of = `/v1/workspaces/${workspaceId}`;
  expectStatus(await put(world, `${of}/files`, { path: "x.txt", content: "base\n" }), 201);
  await checkpoint(world, { workspaceId });
  const copyId = await makeCopy(world, workspaceId);
  expectStatus(
    await put(world, filesOf({ workspaceId, copyId }), { path: "x.txt", content: "theirs\n" }, "*"),
    200,
  );
  const revisionId = await checkpoint(world, { workspaceId, copyId });
  expectStatus(await put(world, `${of}/files`, { path: "x.txt", content: "ours\n" }, "*"), 200);
  await checkpoint(world, { workspaceId });
  const body = { working_copy_id: copyId, title: world.name("conflict") };
  const changesetId = world.made(await world.post(`${of}/changesets`, body));
  return { of, workspaceId, copyId, revisionId, changesetId, path: `${of}/changesets/${changesetId}` };
}

export async function accept(
  world: World,
  { path, workspaceId }: Proposal,
  body: Readonly<Record<string, unknown>> = {},
  as: WorldCaller = "owner",
): Promise<Answer> {
  const expected_current_revision = await currentRevision(world, workspaceId);
  return await world.post(
    `${path}/accept`,
    { expected_current_revision, validation_evidence: EVIDENCE, ...body },
    as,
  );
}

export async function resolve(
  world: World,
  { path, workspaceId }: Proposal,
  body: Readonly<Record<string, unknown>>,
  as: WorldCaller = "owner",
): Promise<Answer> {
  const expected_current_revision = await currentRevision(world, workspaceId);
  return await world.post(
    `${path}/resolve`,
    { expected_current_revision, validation_evidence: EVIDENCE, ...body },
    as,
  );
}

export const decisions = {
  accept,
  resolve: (world: World, of: Proposal, body = {}, as?: WorldCaller) =>
    resolve(world, of, { resolutions: [], ...body }, as),
} as const;
