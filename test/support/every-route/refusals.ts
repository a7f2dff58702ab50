// A play in which the service refuses what it is asked for, as the document says, for reasons that only a certain state of
// things has: keys that were used, files that differ, things that are decided or at work, credits that are spent.

import { expect } from "vitest";
import { grantCredits } from "../../../src/service/core/accounts/keys.ts";
import { RunExpiry } from "../../../src/service/core/runs/expire-runs.ts";
import { putWorkflow } from "../../../src/service/core/workflows/workflows.ts";
import { documentedRoutes, exampleBodies } from "../document-checker.ts";
import type { Asked, DocumentedApi } from "../documented-api.ts";
import { makeAccount } from "../service-account.ts";
import type { DocumentedWorld } from "./documented-world.ts";
import { fitted, makeStandingThings, paramsFor, type StandingThings } from "./standing-things.ts";
import { type Params, WorkspaceMaker } from "./workspace-maker.ts";

const KEPT_MS = 60_000;

export class Refusals {
  readonly #world: DocumentedWorld;
  readonly #api: DocumentedApi;

  constructor(world: DocumentedWorld) {
    this.#world = world;
    this.#api = world.api;
  }

  async #things(): Promise<StandingThings> {
    const { fixture, mine: account, api } = this.#world;
    return await makeStandingThings({ fixture, account, api });
  }

  async #refused(status: number, operationId: string, asked: Asked): Promise<void> {
    const answer = await this.#api.answer(operationId, asked);
    expect(answer.status, `${operationId} ${answer.text.slice(0, 300)}`).toBe(status);
  }

  /** A key that is used again, for another request. */
  async ofKeys(): Promise<void> {
    const things = await this.#things();
    const others = await this.#things();
    for (const { path, operation } of documentedRoutes) {
      if (!("422" in operation.responses) || operation.requestBody === undefined) continue;
      const [params, elsewhere] = [paramsFor(path, things), paramsFor(path, others)];
      const headers = { "idempotency-key": crypto.randomUUID() };
      const examples = exampleBodies(operation);
      const bodies = [
        ...examples.map((one) => fitted(one, params)),
        ...examples.map((one) => fitted(one, elsewhere)),
        ...examples.map((one) => ({ ...(fitted(one, params) as object), name: "another", title: "another" })),
        ...examples.map((one) => ({ ...(fitted(one, params) as object), name: "another" })),
        ...examples.map((one) => ({ ...(fitted(one, params) as object), message: "another" })),
        ...examples.map((one) => ({ ...(fitted(one, params) as object), reason: "another" })),
        { reason: "another" },
        {},
      ];
      for (const json of bodies) await this.#api.answer(operation.operationId, { params, json, headers });
    }
  }

  /** A workspace that is being deleted takes nothing. */
  async ofErasure(): Promise<void> {
    const things = await this.#things();
    const { workspaceID = "" } = things.ofWorkspace;
    await this.#world.fixture.core.store.transact((tx) => tx.erasure.begin(workspaceID));
    for (const { path, operation } of documentedRoutes) {
      if (!path.startsWith("/v1/workspaces/{workspaceID}") || !("409" in operation.responses)) continue;
      const params = paramsFor(path, things);
      const [json = undefined] = exampleBodies(operation).map((one) => fitted(one, params));
      const types = Object.keys(operation.requestBody?.content ?? {});
      const body = types.includes("application/octet-stream")
        ? { raw: "bytes", headers: { "content-type": "application/octet-stream" }, query: "path=b.txt" }
        : json === undefined
          ? {}
          : { json };
      await this.#api.answer(operation.operationId, { params, ...body });
    }
  }

  async ofFiles(): Promise<void> {
    const { ofWorkspace: all } = await this.#things();
    const { workspaceID = "", workingCopyID = "", downloadToken = "" } = all;
    const w = { workspaceID };
    const beyond = { headers: { range: "bytes=99999999-" } };
    await this.#refused(416, "downloadsGet", { params: { downloadToken }, bearer: null, ...beyond });
    const first = { headers: { range: "bytes=0-1" } };
    const part = await this.#api.answer("downloadsGet", {
      params: { downloadToken },
      bearer: null,
      ...first,
    });
    expect(part.status).toBe(206);
    await this.#ofFilesOf("files", w);
    await this.#ofFilesOf("copyFiles", { ...w, workingCopyID });
    const large = { query: "path=large.txt", raw: "a".repeat(1_600_000) };
    const type = { "content-type": "application/octet-stream" };
    await this.#api.ask("filesUpload", { params: w, ...large, headers: type });
    const make = new WorkspaceMaker(this.#api, this.#world.fixture.core.clock);
    this.#world.fixture.core.clock.advance(1);
    const params = { ...w, revisionID: await make.checkpoint(w) };
    await this.#refused(413, "revisionFilesRead", { params, query: "path=large.txt" });
    await this.#refused(415, "revisionFilesRead", { params, query: "path=binary" });
    await this.#refused(413, "revisionsBundle", { params });
    const ranged = { params, query: "path=a.txt" };
    await this.#refused(416, "revisionFilesDownload", { ...ranged, ...beyond });
    expect((await this.#api.answer("revisionFilesDownload", { ...ranged, ...first })).status).toBe(206);
  }

  async #ofFilesOf(prefix: "files" | "copyFiles", params: Params): Promise<void> {
    const path = { path: "a.txt" };
    const headers = { "if-match": '"another"' };
    const type = { "content-type": "application/octet-stream" };
    const text = { ...path, content: "again\n" };
    const at = { params, query: "path=a.txt" };
    await this.#refused(412, `${prefix}Write`, { params, json: text, headers });
    await this.#refused(412, `${prefix}Delete`, { params, json: path, headers });
    await this.#refused(412, `${prefix}Upload`, { ...at, raw: "x", headers: { ...type, ...headers } });
    const { headers: read } = await this.#api.answer(`${prefix}Stat`, at);
    const holds = { "if-match": read.get("etag") ?? "" };
    expect((await this.#api.answer(`${prefix}Write`, { params, json: text, headers: holds })).status).toBe(
      200,
    );
    const replacing = { params, query: "path=a.txt&existing=replace", raw: "again\n", headers: type };
    expect((await this.#api.answer(`${prefix}Upload`, replacing)).status).toBe(200);
    await this.#refused(416, `${prefix}Download`, { ...at, headers: { range: "bytes=99999999-" } });
    await this.#refused(416, `${prefix}Read`, { ...at, query: "path=a.txt&offset=99999999" });
    const binary = { path: "binary", content: "/wA=", encoding: "base64" };
    await this.#api.ask(`${prefix}Write`, { params, json: binary });
    await this.#refused(415, `${prefix}Read`, { params, query: "path=binary" });
    const json = { path: "large", content: "a".repeat(1_600_000) };
    await this.#refused(413, `${prefix}Write`, { params, json });
    const large = { params, query: "path=large", raw: "a".repeat(2_500_000), headers: type };
    await this.#refused(413, `${prefix}Upload`, large);
  }

  /** What is decided, answered, at work or not there any more. */
  async ofStates(): Promise<void> {
    const { mine, theirs } = this.#world;
    const { ofAccount, ofWorkspace } = await this.#things();
    const { workspaceID = "", agentID = "", workingCopyID = "", taskGroupID = "" } = ofWorkspace;
    const w = { workspaceID };
    for (const end of ["agentsRetire", "agentsDelete"])
      await this.#refused(409, end, { params: { agentID } });
    const later = { params: ofAccount, json: { prompt: "hello", delay_seconds: 3_600 } };
    const { id: scheduleID } = await this.#api.ask("schedulesCreate", later);
    await this.#refused(409, "schedulesConfirm", { params: { ...ofAccount, scheduleID } });
    const { items } = await this.#api.list("membersList", w);
    const manager = items.find(({ agent_id }) => agent_id === agentID)?.id ?? "";
    await this.#refused(409, "membersRemove", { params: { ...w, memberID: manager } });
    const file = { path: "unsaved.txt", content: "x" };
    await this.#api.ask("copyFilesWrite", { params: { ...w, workingCopyID }, json: file });
    const unsaved = { working_copy_id: workingCopyID, title: "A change" };
    await this.#refused(409, "changesetsCreate", { params: w, json: unsaved });
    const { items: copies } = await this.#api.list("copiesList", w);
    const canonical = copies.map(({ id }) => id).filter((id) => id !== workingCopyID);
    for (const id of canonical)
      await this.#api.answer("copiesDelete", { params: { ...w, workingCopyID: id } });
    const adoption = { params: w, json: { agent_id: agentID } };
    await this.#api.answer("adoptionStart", adoption);
    await this.#api.ask("taskGroupsStop", { params: { taskGroupID } });
    const task = { task_group_id: taskGroupID, message: "hello" };
    await this.#refused(409, "workersStart", { params: w, json: task });
    await this.#ofQuestion();
    await this.#ofClaims(mine, theirs);
  }

  async #ofQuestion(): Promise<void> {
    const params = { agentID: this.#world.mine.agent.id };
    const json = { message: "ask", session_key: "asked" };
    const { run_id: runID } = await this.#api.ask("runsSubmit", { params, json });
    await this.#world.fixture.core.ended(runID);
    await this.#api.ask("questionsAnswer", { params: { runID }, json: { answer: "a" } });
    await this.#refused(409, "questionsAnswer", { params: { runID }, json: { answer: "b" } });
  }

  async #ofClaims(mine: DocumentedWorld["mine"], theirs: DocumentedWorld["mine"]): Promise<void> {
    const { fixture } = this.#world;
    const repository = fixture.repository();
    const [first, second] = [await fixture.token(repository), await fixture.token(repository)];
    await this.#api.ask("claimsCreate", { json: { claim: first }, bearer: mine.owner });
    const job = await fixture.exchange(repository, { account: mine.id });
    await this.#api.ask("claimsCreate", { json: { claim: first }, bearer: mine.owner });
    await this.#refused(409, "claimsCreate", { json: { claim: second }, bearer: theirs.owner });
    const params = { agentID: job.agent_id };
    await this.#api.ask("agentsDelete", { params });
    await this.#api.answer("ciIdentity", { bearer: job.access_token });
    const { id } = await this.#api.ask("agentsCreate", { json: { name: crypto.randomUUID() } });
    await this.#api.ask("agentsRetire", { params: { agentID: id } });
    await this.#refused(409, "workspacesCreate", { json: { default_manager_agent_id: id } });
  }

  /** An account whose credit went into a question. What it asks for later is refused, or waits. */
  async ofMoney(): Promise<void> {
    const { core } = this.#world.fixture;
    const poor = await makeAccount(core, "subscribed");
    const api = this.#api.for(poor.owner);
    await grantCredits(core.core, { accountId: poor.id, credits: 1 });
    const params = { agentID: poor.agent.id };
    const { run_id: runID } = await api.ask("runsSubmit", {
      params,
      json: { message: "ask", session_key: "k" },
    });
    await core.ended(runID);
    const bearer = poor.owner;
    await this.#refused(402, "runsSubmit", { params, json: { message: "hello" }, bearer });
    await this.#refused(402, "questionsAnswer", { params: { runID }, json: { answer: "a" }, bearer });
    const workflow = { agentId: poor.agent.id, id: null, name: "w", prompt: "p" };
    const written = await putWorkflow(core.core, workflow);
    if (!written.ok) throw new Error(written.refusal.reason);
    const executed = { params: { id: written.value.id }, json: {} };
    await this.#refused(402, "workflowsExecute", { ...executed, bearer });
    // The owner is asked whether an AI client may run it: what they approve they have to pay, and may approve later.
    const asked = await this.#api.answer("workflowsExecute", { ...executed, bearer: poor.aiClient });
    const [approvalID = ""] = /(?<=\/approve\/)[\w-]+/.exec(asked.text) ?? [];
    await this.#refused(402, "approvalsApprove", { params: { approvalID }, bearer });
    expect(await api.ask("approvalsGet", { params: { approvalID } })).toMatchObject({ status: "pending" });
    const { id: workspaceID } = await api.ask("workspacesCreate", { json: {} });
    const w = { params: { workspaceID }, bearer };
    await this.#refused(402, "workspaceRunsSubmit", { ...w, json: { message: "hello" } });
    const { id: task_group_id } = await api.ask("taskGroupsCreate", { ...w, json: { name: "g" } });
    await this.#refused(402, "workersStart", { ...w, json: { task_group_id, message: "hello" } });
  }

  /** The answers about a run that has ended, to a reader who has them, and once they are kept no more. */
  async ofTime(): Promise<void> {
    const { fixture } = this.#world;
    const job = await this.#world.job();
    const params = { runID: job.params.runID ?? "" };
    const { headers } = await this.#api.answer("ciReadRun", { params, bearer: job.capability });
    const known = { "if-none-match": headers.get("etag") ?? "" };
    const again = await this.#api.answer("ciReadRun", { params, bearer: job.capability, headers: known });
    expect(again.status).toBe(304);
    fixture.core.clock.advance(2 * KEPT_MS);
    await new RunExpiry(fixture.core.core, { keptMs: KEPT_MS }).sweep();
    for (const operation of ["ciReadRun", "ciLinkPage"])
      await this.#refused(410, operation, { params, bearer: job.capability });
  }
}
