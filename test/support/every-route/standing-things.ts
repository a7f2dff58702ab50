// One of each thing that a path can name, of one account, made through the API: an agent, its run and its schedule, a
// workspace with its copies, revisions, changesets and all else.

import { putWorkflow } from "../../../src/service/core/workflows/workflows.ts";
import type { DocumentedRoute } from "../document-checker.ts";
import type { DocumentedApi } from "../documented-api.ts";
import type { ClaimFixture } from "../fixtures/claim-fixture.ts";
import { keptConnection } from "../mcp/kept-connection.ts";
import { addPerson } from "../people.ts";
import type { TestAccount } from "../service-account.ts";
import { type Params, WorkspaceMaker } from "./workspace-maker.ts";

export type StandingParts = {
  readonly fixture: ClaimFixture;
  readonly account: TestAccount;
  readonly api: DocumentedApi;
};

/** What an account has, by the parameters of paths: `scheduleID` is another thing in a workspace. */
export type StandingThings = { readonly ofAccount: Params; readonly ofWorkspace: Params };

/** The parameters of a path. */
export function paramsFor(path: string, { ofAccount, ofWorkspace }: StandingThings): Params {
  return path.startsWith("/v1/workspaces/")
    ? { ...ofAccount, ...ofWorkspace }
    : { ...ofWorkspace, ...ofAccount };
}

/** Fields of bodies and queries that name one of these things, by the parameter that names it in paths. */
const paramOfField: Readonly<Record<string, string>> = {
  agent_id: "agentID",
  executor_agent_id: "agentID",
  manager_agent_id: "agentID",
  default_manager_agent_id: "agentID",
  working_copy_id: "workingCopyID",
  revision_id: "revisionID",
  base_revision_id: "revisionID",
  expected_current_revision: "revisionID",
  resolved_revision_id: "revisionID",
  task_group_id: "taskGroupID",
  run_id: "runID",
};

/** Stands for the thing that a field names until `filled` puts its id there; none where the field names no thing. */
export function placeholdersOf(field: string): readonly string[] {
  const param = paramOfField[field];
  return param === undefined ? [] : [`{${param}}`];
}

/** The text, of a body or of a query, with ids in the place of placeholders. */
export function filled(text: string, params: Params): string {
  return text.replace(/(?:\{|%7B)(\w+)(?:\}|%7D)/g, (all, name: string) => params[name] ?? all);
}

/** An example of the document with the ids of things that are there. */
export function fitted(example: unknown, params: Params): unknown {
  return JSON.parse(JSON.stringify(example), (field, value) => params[paramOfField[field] ?? ""] ?? value);
}

/** The fields of a body that name a thing, each with the parameter that names it in paths. */
export function thingsNamedIn(body: unknown): readonly (readonly [field: string, param: string])[] {
  if (typeof body !== "object" || body === null) return [];
  return Object.keys(body).flatMap((field) => {
    const param = paramOfField[field];
    return param === undefined ? [] : [[field, param] as const];
  });
}

export async function makeStandingThings(parts: StandingParts): Promise<StandingThings> {
  const ofAccount = await makeOfAccount(parts);
  return { ofAccount, ofWorkspace: await makeOfWorkspace(parts) };
}

async function makeOfAccount({ fixture, account, api }: StandingParts): Promise<Params> {
  const { id: agentID } = await api.ask("agentsCreate", { json: { name: crypto.randomUUID() } });
  const params = { agentID };
  const { run_id: runID } = await api.ask("runsSubmit", { params, json: { message: "hello" } });
  await fixture.core.ended(runID);
  const later = { prompt: "hello", delay_seconds: 3_600 };
  const held = await api.ask("schedulesCreate", { params, json: later, bearer: account.aiClient });
  await api.ask("writeGrantsPut", { params: { agentID, server: "tracker" } });
  const connection = `linear-${account.id.slice(-8)}`;
  const ofServer = { id: crypto.randomUUID(), name: connection };
  const kept = keptConnection({ accountId: account.id, connectedBy: account.personId, ...ofServer });
  await fixture.core.store.transact((tx) => tx.mcpConnections.put(kept));
  const workflow = { agentId: agentID, id: null, name: "w", prompt: "p" };
  const written = await putWorkflow(fixture.core.core, workflow);
  if (!written.ok) throw new Error(written.refusal.reason);
  const personID = await addPerson(fixture.core.core, { accountId: account.id, role: "member" });
  const { id: invitationID } = await api.ask("invitationsCreate", { json: { role: "member" } });
  const [scheduleID, approvalID, id] = [held.id, held.id, written.value.id];
  return {
    ...params,
    runID,
    scheduleID,
    approvalID,
    id,
    server: "tracker",
    connection,
    userID: account.id,
    personID,
    invitationID,
  };
}

async function makeOfWorkspace({ fixture, account, api }: StandingParts): Promise<Params> {
  const make = new WorkspaceMaker(api, fixture.core.clock);
  const workspace = await api.ask("workspacesCreate", { json: { name: crypto.randomUUID() } });
  const w = { workspaceID: workspace.id };
  await api.ask("filesWrite", { params: w, json: { path: "a.txt", content: "hello\n" } });
  const saving = await api.ask("copiesCheckpoint", { params: w, json: {} });
  const revisionID = await make.ended(w, saving);
  const { changesetID = "", workingCopyID = "" } = await make.proposed(w, { "new.txt": "one\n" });
  const decision = { expected_current_revision: revisionID, validation_evidence: "Read it." };
  const asked = { json: decision, bearer: account.aiClient };
  const actionID = await make.refusedToAssistant({ ...w, changesetID }, asked);
  const made = async (operation: string, json: unknown, params: Params = w) =>
    (await api.ask(operation, { params, json })).id;
  const { id: agent_id } = await api.ask("agentsCreate", { json: { name: crypto.randomUUID() } });
  const workflowID = crypto.randomUUID();
  await made("workspaceWorkflowsPut", { name: "n", prompt: "p" }, { ...w, workflowID });
  const taskGroupID = await made("taskGroupsCreate", { name: "Translate" });
  return {
    ...w,
    revisionID,
    changesetID,
    workingCopyID,
    actionID,
    workflowID,
    taskGroupID,
    agentID: workspace.manager_agent_id,
    operationID: saving.id,
    downloadToken: await make.downloadToken(w, "a.txt"),
    memberID: await made("membersAdd", { agent_id }),
    contextItemID: await made("contextItemsCreate", { title: "Style", content: "Short." }),
    pinID: await made("retentionCreatePin", { revision_id: revisionID, reason: "The release" }),
    scheduleID: await made("workspaceSchedulesCreate", { prompt: "hello", delay_seconds: 3_600 }),
    workerRequestID: await made("workersStart", { task_group_id: taskGroupID, message: "hello" }),
  };
}

/** Sorts what takes things away behind what does not, and the innermost things first: 0 for what takes nothing away. */
export function takesAway({ method, path }: DocumentedRoute): number {
  const isEnd = method === "DELETE" || /\/(?:stop|retire|rollback)$/.test(path);
  return isEnd ? 100 - path.split("/").length : 0;
}
