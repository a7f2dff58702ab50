// A play in which every operation of the document is asked for by its owner, on what is really there: each step fails unless
// it is answered 2xx, as the document says.

import { expect } from "vitest";
import { makeJob, makeRun, makeRunInput } from "../../../fakes/records.ts";
import { openAccount } from "../../../src/service/core/accounts/keys.ts";
import { inviteToAccount } from "../../../src/service/core/members/invitations.ts";
import { personIn } from "../../../src/service/core/web-sessions/web-sessions.ts";
import { putWorkflow } from "../../../src/service/core/workflows/workflows.ts";
import { REPOSITORY } from "../../service/checkouts/checkout-fixture.ts";
import type { Body, DocumentedApi } from "../documented-api.ts";
import type { ClaimFixture } from "../fixtures/claim-fixture.ts";
import { keptConnection } from "../mcp/kept-connection.ts";
import { addPerson } from "../people.ts";
import { type Params, WorkspaceMaker } from "./workspace-maker.ts";

export type PlayParts = {
  readonly fixture: ClaimFixture;
  readonly mine: Awaited<ReturnType<ClaimFixture["account"]>>;
  readonly api: DocumentedApi;
  readonly cloneUrl: string;
  readonly sha: string;
};

export class Play {
  readonly #parts: PlayParts;
  readonly #make: WorkspaceMaker;

  constructor(parts: PlayParts) {
    this.#parts = parts;
    this.#make = new WorkspaceMaker(parts.api, parts.fixture.core.clock);
  }

  /** Asks with a key, which is then refused for another request. */
  async #once(operation: string, asked: { readonly params: Params; readonly json: object }): Promise<Body> {
    const { api, mine } = this.#parts;
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answer = await api.ask(operation, { ...asked, headers });
    const other =
      operation === "adoptionStart" ? { agent_id: mine.agent.id } : { validation_evidence: "Another." };
    const again = await api.answer(operation, { ...asked, json: { ...asked.json, ...other }, headers });
    expect(again.status, again.text).toBe(422);
    return answer;
  }

  async ofAgents(): Promise<void> {
    const { api, mine, fixture } = this.#parts;
    for (const operation of ["operationHealth", "operationReadiness", "ciAudience"]) await api.ask(operation);
    for (const operation of ["pricingModels", "pricingTools"]) {
      const { headers } = await api.answer(operation);
      const notModified = await api.answer(operation, {
        headers: { "if-none-match": headers.get("etag") ?? "" },
      });
      expect(notModified.status).toBe(304);
    }
    await api.ask("creditsGet", { params: { userID: mine.id } });
    await api.ask("creditsLedger");
    await api.ask("creditsUsage", { query: "by=agent" });
    const { id: agentID } = await api.ask("agentsCreate", { json: { name: "reviewer" } });
    await api.ask("agentsCreate", { json: { name: "reviewer", if_exists: "return" } });
    await api.ask("agentsList");
    const params = { agentID };
    await api.ask("agentsGet", { params });
    await api.ask("agentsUpdate", { params, json: { advisor_max_spend_micro_usd: 1_000 } });
    const { run_id: runID } = await api.ask("runsSubmit", { params, json: { message: "hello" } });
    await fixture.core.ended(runID);
    await api.ask("runsList", { params });
    await api.ask("runsGet", { params: { agentID, runID } });
    const { run_id: waiting } = await api.ask("runsSubmit", { params, json: { message: "wait" } });
    await api.ask("runsCancel", { params: { agentID, runID: waiting } });
    await fixture.core.ended(waiting);
    const later = { prompt: "hello", delay_seconds: 3_600 };
    const { id: scheduleID } = await api.ask("schedulesCreate", { params, json: later });
    await api.ask("schedulesList", { params });
    await api.ask("schedulesGet", { params: { agentID, scheduleID } });
    await api.ask("schedulesCancel", { params: { agentID, scheduleID } });
    const { id: held } = await api.ask("schedulesCreate", { params, json: later, bearer: mine.aiClient });
    await api.ask("schedulesConfirm", { params: { agentID, scheduleID: held } });
    const written = await putWorkflow(fixture.core.core, {
      agentId: agentID,
      id: null,
      name: "w",
      prompt: "p",
    });
    if (!written.ok) throw new Error(written.refusal.reason);
    const { id } = written.value;
    await api.ask("workflowsActivate", { params: { id }, json: {} });
    await api.ask("workflowsExecute", { params: { id }, json: {} });
    const server = { agentID, server: "tracker" };
    await api.ask("writeGrantsPut", { params: server });
    await api.ask("writeGrantsList", { params });
    await api.ask("writeGrantsDelete", { params: server });
    await api.ask("runIdentityPut", { params, json: { audiences: [{ audience: "sts.amazonaws.com" }] } });
    await api.ask("runIdentityList", { params });
    const { run_id: atWork } = await api.ask("runsSubmit", { params, json: { message: "wait" } });
    await fixture.core.until(atWork, ({ status }) => status === "running");
    await api.ask("runIdentityMint", { params: { runID: atWork }, json: { audience: "sts.amazonaws.com" } });
    await api.ask("runsCancel", { params: { agentID, runID: atWork } });
    await fixture.core.ended(atWork);
    await api.ask("agentsRevokeLinks", { params });
    await api.ask("agentsStop", { params });
    await api.ask("agentsRetire", { params });
    await api.ask("agentsDelete", { params });
  }

  async ofJobs(): Promise<void> {
    const { api, mine, fixture } = this.#parts;
    const repository = fixture.repository({ visibility: "public" });
    const { access_token: bearer, agent_id: agentID } = await fixture.exchange(repository);
    const json = { subject_token: "a token of its own" };
    await api.ask("ciExchange", { json, bearer: null });
    await api.ask("ciIdentity", { bearer });
    const expires_at = (minutes: number) =>
      new Date(fixture.core.clock.now() + minutes * 60_000).toISOString();
    const access = { provider: "anthropic", model: "claude-x", access_token: "sk-ant-oat01-first" };
    const submitted = await api.ask("runsSubmit", {
      params: { agentID },
      json: {
        message: "wait",
        model_access: { ...access, expires_at: expires_at(10) },
        mcp_servers: { docs: { url: "https://docs.example/mcp", auth: { type: "job" } } },
        mcp_access: { docs: { access_token: "mcp-first", expires_at: expires_at(10) } },
      },
      bearer,
    });
    const params = { runID: submitted.run_id };
    await api.ask("ciReadRun", { params, bearer });
    await api.ask("ciLinkPage", { params, bearer });
    const renewed = { access_token: "sk-ant-oat01-second", expires_at: expires_at(20) };
    await api.ask("ciRenewModelAccess", { params, json: renewed, bearer });
    const tokens = { docs: { access_token: "mcp-second", expires_at: expires_at(20) } };
    await api.ask("ciRenewMcpAccess", { params, json: { mcp_access: tokens }, bearer });
    await api.ask("runsCancel", { params: { agentID, ...params }, bearer });
    await fixture.core.ended(submitted.run_id);
    const report = { conclusion: "cancelled", title: "The run was cancelled" };
    await api.ask("ciReportDelivery", { params, json: report, bearer });
    const claim = await fixture.token(fixture.repository());
    await api.ask("claimsCreate", { json: { claim }, bearer: mine.owner });
    await this.#ofAccess();
    await api.ask("ciRevoke", { bearer });
  }

  async #ofAccess(): Promise<void> {
    const { api, mine, fixture } = this.#parts;
    const repository = fixture.repository();
    await fixture.pending(mine, repository);
    const { agent_id: agentID } = await fixture.exchange(repository, { account: mine.id });
    const params = { agentID };
    await api.ask("repositoryAccessPut", { params, json: { kind: "deploy_key" } });
    await api.ask("repositoryAccessGet", { params });
    await api.ask("repositoryAccessDelete", { params });
  }

  async ofApprovals(): Promise<void> {
    const { api, mine, fixture } = this.#parts;
    const params = { agentID: mine.agent.id };
    const later = { prompt: "Look around.", delay_seconds: 3_600 };
    for (const decision of ["approvalsApprove", "approvalsDeny"]) {
      const { id } = await api.ask("schedulesCreate", { params, json: later, bearer: mine.aiClient });
      await api.ask("approvalsGet", { params: { approvalID: id } });
      await api.ask("approvalsList");
      await api.ask(decision, { params: { approvalID: id } });
    }
    const { run_id: runID } = await api.ask("runsSubmit", {
      params,
      json: { message: "ask", session_key: "k" },
    });
    await fixture.core.ended(runID);
    await api.ask("questionsList");
    await api.ask("questionsAnswer", { params: { runID }, json: { answer: "a" } });
    await this.#ofAgUi(params);
    await this.#ofPeople();
  }

  async #ofAgUi(params: Params): Promise<void> {
    const { api } = this.#parts;
    const messages = [{ role: "user", content: "hello" }];
    await api.ask("agUiRun", { params, json: { threadId: "t", runId: "r", messages } });
    const other = [{ role: "user", content: "something else" }];
    const again = await api.answer("agUiRun", {
      params,
      json: { threadId: "t", runId: "r", messages: other },
    });
    expect(again.status, again.text).toBe(422);
    await api.ask("agUiCapabilities", { params });
    await api.ask("agUiFollow", { params: { ...params, runID: "r" } });
  }

  async #ofPeople(): Promise<void> {
    const { api, mine, fixture } = this.#parts;
    const { core } = fixture.core;
    const personID = await addPerson(core, { accountId: mine.id, role: "viewer" });
    await api.ask("accountGet");
    await api.ask("accountUpdate", { json: { name: "Platform team" } });
    const kept = keptConnection({ accountId: mine.id, connectedBy: mine.personId });
    await fixture.core.store.transact((tx) => tx.mcpConnections.put(kept));
    await api.ask("connectionsList");
    await api.ask("connectionsRemove", { params: { connection: kept.name } });
    await api.ask("accountMembersList");
    await api.ask("accountMembersUpdate", { params: { personID }, json: { role: "member" } });
    await api.ask("accountMembersRemove", { params: { personID } });
    const { id: invitationID } = await api.ask("invitationsCreate", { json: { role: "viewer" } });
    await api.ask("invitationsList");
    await api.ask("invitationsWithdraw", { params: { invitationID } });
    const { id: accountId, ownerId: personId } = await openAccount(core, "registered_free");
    const caller = personIn({ accountId, personId, role: "owner" });
    const made = await inviteToAccount(core, { caller, role: "viewer", requestId: "r" });
    if (!made.ok) throw new Error(made.refusal.reason);
    const token = made.value.url.split("/").at(-1) ?? "";
    await api.ask("invitationsAccept", { json: { token } });
  }

  async ofWorkspaces(): Promise<void> {
    const { api } = this.#parts;
    const made = await api.ask("workspacesCreate", { json: { name: "w" } });
    const w = { workspaceID: made.id };
    await api.ask("workspacesList");
    await api.ask("workspacesGet", { params: w });
    await api.ask("workspacesUpdate", { params: w, json: { name: "renamed" } });
    await api.ask("workspacesGetByAgent", { params: { agentID: made.manager_agent_id } });
    for (const read of ["workspacesCosts", "retentionGet"]) await api.ask(read, { params: w });
    await this.#ofFiles("files", w);
    const revisionID = await this.#make.checkpoint(w);
    await this.#ofRevisions(w, revisionID);
    await this.#ofChangesets(w, revisionID);
    await this.#ofRooms(w, made.manager_agent_id);
    await this.#ofSite(w);
    await this.#ofAdoption();
    await api.ask("workspacesDelete", { params: w });
  }

  async #ofFiles(prefix: "files" | "copyFiles", params: Params): Promise<void> {
    const { api } = this.#parts;
    const path = { path: "a.txt" };
    const write = await api.answer(`${prefix}Write`, { params, json: { ...path, content: "hello\n" } });
    const etag = write.headers.get("etag") ?? "";
    await api.ask(`${prefix}List`, { params });
    for (const read of ["Stat", "Read", "Download"])
      await api.ask(prefix + read, { params, query: "path=a.txt" });
    const range = { range: "bytes=0-1" };
    const part = await api.answer(`${prefix}Download`, { params, query: "path=a.txt", headers: range });
    expect(part.status).toBe(206);
    const { url } = await api.ask(`${prefix}DownloadUrl`, { params, json: path });
    const downloadToken = new URL(url, "http://service.example").pathname.split("/").at(-1) ?? "";
    await api.ask("downloadsGet", { params: { downloadToken }, bearer: null });
    const type = { "content-type": "application/octet-stream" };
    await api.ask(`${prefix}Upload`, { params, query: `path=${prefix}.txt`, raw: "bytes", headers: type });
    const ifMatch = { "if-match": etag };
    const { trash } = await api.ask(`${prefix}Delete`, { params, json: path, headers: ifMatch });
    const [deleted] = trash as unknown as readonly { readonly handle: string }[];
    await api.ask(`${prefix}Restore`, { params, json: { path: deleted?.handle } });
    await api.ask(`${prefix}EmptyTrash`, { params, json: {} });
  }

  async #ofRevisions(w: Params, revisionID: string): Promise<void> {
    const { api } = this.#parts;
    const params = { ...w, revisionID };
    await api.ask("revisionsList", { params: w });
    await api.ask("revisionsGet", { params });
    await api.ask("revisionsBundle", { params });
    await api.ask("revisionFilesList", { params });
    for (const read of ["Stat", "Read", "Download"])
      await api.ask(`revisionFiles${read}`, { params, query: "path=a.txt" });
    const pin = { revision_id: revisionID, reason: "The release" };
    const { id: pinID } = await api.ask("retentionCreatePin", { params: w, json: pin });
    await api.ask("retentionDeletePin", { params: { ...w, pinID } });
  }

  async #ofChangesets(w: Params, before: string): Promise<void> {
    const { api } = this.#parts;
    const workingCopyID = await this.#make.copy(w);
    await api.ask("copiesList", { params: w });
    await api.ask("copiesGet", { params: { ...w, workingCopyID } });
    await this.#ofFiles("copyFiles", { ...w, workingCopyID });
    await api.ask("copiesDelete", { params: { ...w, workingCopyID } });
    const [accepted, rejected, conflicted] = [
      await this.#make.proposed(w, { "new.txt": "one\n" }),
      await this.#make.proposed(w, { "other.txt": "one\n" }),
      await this.#make.proposed(w, { "new.txt": "another\n" }),
    ];
    await api.ask("changesetsList", { params: w });
    await api.ask("changesetsGet", { params: accepted });
    await api.ask("changesetsReject", { params: rejected, json: { reason: "No." } });
    const decision = { expected_current_revision: before, validation_evidence: "Read it." };
    const bearer = this.#parts.mine.aiClient;
    const actionID = await this.#make.refusedToAssistant(accepted, { json: decision, bearer });
    await api.ask("reviewActionsGet", { params: { ...w, actionID }, bearer });
    await this.#once("changesetsAccept", { params: accepted, json: decision });
    const { current_revision_id } = await api.ask("workspacesGet", { params: w });
    await this.#once("changesetsResolve", {
      params: conflicted,
      json: {
        ...decision,
        expected_current_revision: current_revision_id,
        resolutions: [{ path: "new.txt", take: "theirs" }],
      },
    });
  }

  async #ofRooms(w: Params, managerId: string): Promise<void> {
    const { api } = this.#parts;
    const { id: next } = await api.ask("agentsCreate", { json: { name: "member" } });
    const { id: memberID } = await api.ask("membersAdd", { params: w, json: { agent_id: next } });
    await api.ask("membersList", { params: w });
    await api.ask("membersRemove", { params: { ...w, memberID } });
    await api.ask("threadsCreate", { params: w, json: { title: "Notes", agent_id: managerId } });
    await api.ask("threadsList", { params: w });
    const item = { title: "Style", content: "Short sentences." };
    const { id: contextItemID } = await api.ask("contextItemsCreate", { params: w, json: item });
    await api.ask("contextItemsList", { params: w });
    await api.ask("contextItemsDelete", { params: { ...w, contextItemID } });
    const { run_id: runId } = await api.ask("workspaceRunsSubmit", { params: w, json: { message: "hello" } });
    await this.#parts.fixture.core.ended(runId);
    await api.ask("workspaceRunsList", { params: w });
    const later = { prompt: "hello", delay_seconds: 3_600 };
    const { id: scheduleID } = await api.ask("workspaceSchedulesCreate", { params: w, json: later });
    await api.ask("workspaceSchedulesList", { params: w });
    await api.ask("workspaceSchedulesGet", { params: { ...w, scheduleID } });
    await api.ask("workspaceSchedulesCancel", { params: { ...w, scheduleID } });
    const workflow = { ...w, workflowID: crypto.randomUUID() };
    await api.ask("workspaceWorkflowsPut", { params: workflow, json: { name: "n", prompt: "p" } });
    await api.ask("workspaceWorkflowsList", { params: w });
    await api.ask("workspaceWorkflowsDelete", { params: workflow });
    const group = { name: "Translate" };
    const { id: taskGroupID } = await api.ask("taskGroupsCreate", { params: w, json: group });
    await api.ask("taskGroupsList", { params: w });
    const task = { task_group_id: taskGroupID, message: "hello" };
    const { id: workerRequestID } = await api.ask("workersStart", { params: w, json: task });
    await api.ask("workersList", { params: w });
    await api.ask("workersGet", { params: { ...w, workerRequestID } });
    for (const act of ["taskGroupsGet", "taskGroupsCosts", "taskGroupsStop"])
      await api.ask(act, { params: { taskGroupID } });
  }

  /** Only an account of a person publishes. */
  async #ofSite(w: Params): Promise<void> {
    const { api, fixture, mine } = this.#parts;
    const { core, clock } = fixture.core;
    const createdAt = clock.now();
    await core.store.transact((tx) =>
      tx.identities.insert({
        id: core.random.uuid(createdAt),
        personId: mine.personId,
        kind: "oidc",
        name: "somebody",
        issuer: "https://idp.example",
        subject: mine.id,
        createdAt,
        lastUsedAt: null,
      }),
    );
    await api.ask("sitePublish", { params: w, json: { folder: "" } });
    await api.ask("siteGet", { params: w });
    await api.ask("siteOpen", { params: w, json: {} });
  }

  async #ofAdoption(): Promise<void> {
    const { api, fixture, mine, cloneUrl, sha } = this.#parts;
    const { core } = fixture.core;
    const repository = { id: "4242", ownerId: "42", name: REPOSITORY, visibility: "public" as const };
    const agent = { ...mine.agent, id: crypto.randomUUID(), name: REPOSITORY };
    await core.store.transact(async (tx) => {
      const issuer = "https://issuer.example";
      await tx.agents.insert({ ...agent, repository: { provider: "github", issuer, ...repository } });
      const job = makeJob({ repository, sha, cloneUrl });
      await tx.runs.insert(makeRun({ agentId: agent.id }), makeRunInput({ job }));
    });
    const { id: workspaceID } = await api.ask("workspacesCreate", { json: { name: "adopting" } });
    const params = { workspaceID };
    const body = { agent_id: agent.id };
    await this.#make.ended(params, await this.#once("adoptionStart", { params, json: body }));
    const current = await api.ask("adoptionGet", { params });
    expect(current.status).toBe("ready");
    expect((await api.answer("adoptionCancel", { params })).status).toBe(409);
    const rolled = await api.ask("adoptionRollback", { params });
    await this.#make.ended(params, rolled);
    const { items } = await api.list("revisionsList", params);
    const unused = items.find(({ id }) => id !== undefined && id === current.revision_id)?.id ?? "";
    await api.ask("revisionsDelete", { params: { ...params, revisionID: unused } });
  }
}
