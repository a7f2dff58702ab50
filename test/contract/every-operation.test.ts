// Every operation of the OpenAPI document, asked for by its owner on what is really there: each answers 2xx at least once,
// as the document says, on every store.

import { expect, it } from "vitest";
import { makeJob, makeRun, makeRunInput } from "../../fakes/records.ts";
import { systemClock } from "../../src/base/clock.ts";
import { GitRemotes } from "../../src/service/checkouts/remotes/git-remotes.ts";
import { noKnownHosts } from "../../src/service/checkouts/remotes/known-hosts.ts";
import { grantCredits } from "../../src/service/core/accounts/keys.ts";
import { putWorkflow } from "../../src/service/core/workflows/workflows.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import { githubIssuer } from "../../src/service/oidc/issuer-config.ts";
import { CheckoutFixture, REPOSITORY } from "../service/checkouts/checkout-fixture.ts";
import { type Body, DocumentedApi } from "../support/documented-api.ts";
import { ClaimFixture } from "../support/fixtures/claim-fixture.ts";
import { untilStopped } from "../support/scripted-backend.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

/** Operations that this test does not bring to a 2xx, and why. At most six. */
const NOT_ANSWERED: Readonly<Record<string, string>> = {
  sessionsFollow: "A WebSocket: 101, in test/service/api/socket.",
  commitsFind: "Needs commits that are kept by a service: test/service/commits/commit-api.test.ts.",
  commitsSend: "Needs a pack of git: test/service/commits/commit-api.test.ts.",
  inboundEmailGet: "No service receives e-mail: always 404 inbound_email_off.",
  adoptionCancel: "Needs an adoption at work: test/service/core/workspaces/adoption/adopt-storage.test.ts.",
};

const asking: Backend = {
  name: "scripted",
  needsCheckout: false,
  run: async (task) => {
    const says = (word: string) => task.messages.some(({ content }) => content.includes(word));
    if (says("wait")) await untilStopped(task);
    if (!task.mayAsk || !says("ask")) return { stopReason: "end_turn" };
    await task.emit({ type: "CUSTOM", name: "question", value: { question: "Which?", choices: ["a", "b"] } });
    return { stopReason: "question" };
  },
};

onEveryStore((kind) => {
  it("answers every operation of the document with success, as the document says", async () => {
    const git = await CheckoutFixture.make();
    const sha = git.repository.commit({ files: { "README.md": "Hello\n" } });
    const fixture = await ClaimFixture.start(kind, {
      backend: asking,
      checkouts: git.provider(),
      remotes: new GitRemotes({
        ...{ folder: `${git.folder}/keys`, environment: process.env, knownHosts: noKnownHosts },
        ...{ app: null, clock: systemClock },
        issuers: [{ ...githubIssuer, issuer: makeJob().issuer }],
      }),
      freeCredits: 1_000,
      policy: { takesModelAccess: true, baseUrl: "https://service.example" },
    });
    try {
      const mine = await fixture.account();
      await grantCredits(fixture.core.core, { accountId: mine.id, credits: 10_000 });
      const api = new DocumentedApi(fixture.api, mine.owner);
      const play = new Play({ fixture, mine, api, cloneUrl: `${git.server.url}/${REPOSITORY}.git`, sha });
      await play.ofAgents();
      await play.ofJobs();
      await play.ofApprovals();
      await play.ofWorkspaces();
      const unanswered = api.unanswered();
      expect(unanswered).toEqual(Object.keys(NOT_ANSWERED).sort());
      expect(unanswered.length).toBeLessThanOrEqual(6);
    } finally {
      await fixture.api.close();
      await git.close();
    }
  });
});

type PlayParts = {
  readonly fixture: ClaimFixture;
  readonly mine: Awaited<ReturnType<ClaimFixture["account"]>>;
  readonly api: DocumentedApi;
  readonly cloneUrl: string;
  readonly sha: string;
};

class Play {
  readonly #parts: PlayParts;

  constructor(parts: PlayParts) {
    this.#parts = parts;
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
      json: { message: "wait", model_access: { ...access, expires_at: expires_at(10) } },
      bearer,
    });
    const params = { runID: submitted.run_id };
    await api.ask("ciReadRun", { params, bearer });
    await api.ask("ciLinkPage", { params, bearer });
    const renewed = { access_token: "sk-ant-oat01-second", expires_at: expires_at(20) };
    await api.ask("ciRenewModelAccess", { params, json: renewed, bearer });
    await api.ask("runsCancel", { params: { agentID, ...params }, bearer });
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
    const { id: first } = await this.#ended(w, await api.ask("copiesCheckpoint", { params: w, json: {} }));
    const revisionID = String(first);
    await this.#ofRevisions(w, revisionID);
    await this.#ofChangesets(w, revisionID);
    await this.#ofRooms(w, made.manager_agent_id);
    await this.#ofSite(w);
    await this.#ofAdoption();
    await api.ask("workspacesDelete", { params: w });
  }

  /** The id of what a successful operation made. */
  async #ended(w: Params, { id }: { readonly id: string }): Promise<{ readonly id: unknown }> {
    const { api } = this.#parts;
    const params = { ...w, operationID: id };
    const { status, result } = await api.ask("operationsGet", { params, query: "wait=20" });
    expect(status).toBe("succeeded");
    const made = result as unknown as { readonly revision_id?: unknown; readonly working_copy_id?: unknown };
    return { id: made.revision_id ?? made.working_copy_id };
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

  /** A copy's id. */
  async #copy(w: Params): Promise<string> {
    const { api } = this.#parts;
    return String((await this.#ended(w, await api.ask("copiesCreate", { params: w, json: {} }))).id);
  }

  async #proposed(w: Params, files: Readonly<Record<string, string>>): Promise<Params> {
    const { api, fixture } = this.#parts;
    const workingCopyID = await this.#copy(w);
    for (const [path, content] of Object.entries(files)) {
      const params = { ...w, workingCopyID };
      await api.ask("copyFilesWrite", { params, json: { path, content } });
    }
    fixture.core.clock.advance(1);
    const save = { working_copy_id: workingCopyID };
    await this.#ended(w, await api.ask("copiesCheckpoint", { params: w, json: save }));
    const proposal = { ...save, title: "A change" };
    const { id } = await api.ask("changesetsCreate", { params: w, json: proposal });
    return { ...w, changesetID: id };
  }

  async #ofChangesets(w: Params, before: string): Promise<void> {
    const { api } = this.#parts;
    const workingCopyID = await this.#copy(w);
    await api.ask("copiesList", { params: w });
    await api.ask("copiesGet", { params: { ...w, workingCopyID } });
    await this.#ofFiles("copyFiles", { ...w, workingCopyID });
    await api.ask("copiesDelete", { params: { ...w, workingCopyID } });
    const [accepted, rejected, conflicted] = [
      await this.#proposed(w, { "new.txt": "one\n" }),
      await this.#proposed(w, { "other.txt": "one\n" }),
      await this.#proposed(w, { "new.txt": "another\n" }),
    ];
    await api.ask("changesetsList", { params: w });
    await api.ask("changesetsGet", { params: accepted });
    await api.ask("changesetsReject", { params: rejected, json: { reason: "No." } });
    const decision = { expected_current_revision: before, validation_evidence: "Read it." };
    const { bearer, actionID } = await this.#refusedToAssistant(accepted, decision);
    await api.ask("reviewActionsGet", { params: { ...w, actionID }, bearer });
    await api.ask("changesetsAccept", { params: accepted, json: decision });
    const { current_revision_id } = await api.ask("workspacesGet", { params: w });
    await api.ask("changesetsResolve", {
      params: conflicted,
      json: {
        ...decision,
        expected_current_revision: current_revision_id,
        resolutions: [{ path: "new.txt", take: "theirs" }],
      },
    });
  }

  /** What an AI client wants decided waits for the owner. */
  async #refusedToAssistant(params: Params, json: unknown): Promise<{ bearer: string; actionID: string }> {
    const { api, mine } = this.#parts;
    const bearer = mine.aiClient;
    const { status, body } = await api.answer("changesetsAccept", { params, json, bearer });
    expect(status).toBe(403);
    const { approve_url } = body as Body;
    return { bearer, actionID: approve_url?.split("/").at(-1) ?? "" };
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
        ...{ id: core.random.uuid(createdAt), accountId: mine.id, kind: "oidc", name: "somebody" },
        ...{ issuer: "https://idp.example", subject: mine.id, createdAt, lastUsedAt: null },
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
    await this.#ended(params, await api.ask("adoptionStart", { params, json: body }));
    const current = await api.ask("adoptionGet", { params });
    expect(current.status).toBe("ready");
    const rolled = await api.ask("adoptionRollback", { params });
    await this.#ended(params, rolled);
    const { items } = await api.list("revisionsList", params);
    const unused = items.find(({ id }) => id !== undefined && id === current.revision_id)?.id ?? "";
    await api.ask("revisionsDelete", { params: { ...params, revisionID: unused } });
  }
}

type Params = Readonly<Record<string, string>>;
