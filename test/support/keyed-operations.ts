// Every operation that takes an idempotency key, with a request for it, another one, and what both are about.

import { makeJob, makeRun, makeRunInput } from "../../fakes/records.ts";
import type { Route } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes.ts";
import { keepEntry } from "../../src/service/core/runs/run-journal.ts";
import { putWorkflow } from "../../src/service/core/workflows/workflows.ts";
import type { ClaimFixture } from "./fixtures/claim-fixture.ts";
import type { TestAccount } from "./service-account.ts";
import type { Answer } from "./service-client.ts";
import { WorkspaceFiles } from "./workspace-files.ts";

export type Fields = Readonly<Record<string, string>>;

/** A request, and one for something else, both about a subject of their own. */
export type Requests = {
  readonly params: Readonly<Record<string, string>>;
  readonly asked: Record<string, unknown>;
  readonly other: Record<string, unknown>;
};
export type Case = {
  readonly operationId: string;
  readonly prepare: (world: KeyedWorld) => Promise<Requests>;
  /** "needed": refused without the header. "taken": the body has no field for it. Left out: either place. */
  readonly header?: "needed" | "taken";
  /** The second one is refused without a key: it decides something, or fills what is empty. */
  readonly isOnce?: true;
};

const later = { delay_seconds: 3_600 };
const prompts = { asked: { prompt: "Look around.", ...later }, other: { prompt: "Look away.", ...later } };
const messages = { asked: { message: "hello" }, other: { message: "goodbye" } };
const inWorkspace = async (world: KeyedWorld) => ({ workspaceID: (await world.workspace()).workspaceId });

export const keyedCases: readonly Case[] = [
  {
    operationId: "agentsCreate",
    header: "taken",
    prepare: async () => ({ params: {}, asked: { name: "one" }, other: { name: "two" } }),
  },
  {
    operationId: "agentsCreate",
    header: "needed",
    prepare: async () => {
      const kind = "independent";
      return { params: {}, asked: { name: "one", kind }, other: { name: "two", kind } };
    },
  },
  {
    operationId: "runsSubmit",
    prepare: async (world) => ({ params: { agentID: world.agentId }, ...messages }),
  },
  {
    operationId: "runsFork",
    prepare: async (world) => ({
      params: { agentID: world.agentId, runID: await world.forkable() },
      asked: { turn: 1 },
      other: { turn: 1, message: "Otherwise." },
    }),
  },
  {
    operationId: "schedulesCreate",
    prepare: async (world) => ({ params: { agentID: world.agentId }, ...prompts }),
  },
  {
    operationId: "workflowsExecute",
    prepare: async (world) => ({
      params: { id: await world.workflow() },
      asked: { input: "a" },
      other: { input: "b" },
    }),
  },
  {
    operationId: "workspacesCreate",
    header: "needed",
    prepare: async () => ({ params: {}, asked: { name: "one" }, other: { name: "two" } }),
  },
  {
    operationId: "adoptionStart",
    header: "needed",
    isOnce: true,
    prepare: async (world) => await world.adoption(),
  },
  {
    operationId: "workspaceSchedulesCreate",
    prepare: async (w) => ({ params: await inWorkspace(w), ...prompts }),
  },
  {
    operationId: "threadsCreate",
    prepare: async (w) => ({ params: await inWorkspace(w), asked: { title: "a" }, other: { title: "b" } }),
  },
  {
    operationId: "workspaceRunsSubmit",
    prepare: async (w) => ({ params: await inWorkspace(w), ...messages }),
  },
  {
    operationId: "contextItemsCreate",
    prepare: async (w) => ({
      params: await inWorkspace(w),
      asked: { content: "a" },
      other: { content: "b" },
    }),
  },
  {
    operationId: "copiesCreate",
    prepare: async (w) => {
      const { params, revisionId: base_revision_id } = await w.saved();
      return { params, asked: {}, other: { base_revision_id } };
    },
  },
  {
    operationId: "copiesCheckpoint",
    prepare: async (w) => ({
      params: await inWorkspace(w),
      asked: { message: "a" },
      other: { message: "b" },
    }),
  },
  {
    operationId: "retentionCreatePin",
    header: "needed",
    prepare: async (w) => {
      const { params, revisionId: revision_id } = await w.saved();
      return { params, asked: { revision_id, reason: "a" }, other: { revision_id, reason: "b" } };
    },
  },
  {
    operationId: "changesetsCreate",
    prepare: async (w) => {
      const { params, revisionId: revision_id } = await w.saved();
      return { params, asked: { revision_id, title: "a" }, other: { revision_id, title: "b" } };
    },
  },
  {
    operationId: "changesetsReject",
    isOnce: true,
    prepare: async (w) => {
      const { params } = await w.proposed({ isConflicting: false });
      return { params, asked: { reason: "a" }, other: { reason: "b" } };
    },
  },
  {
    operationId: "changesetsAccept",
    isOnce: true,
    prepare: async (w) => {
      const { params, current: expected_current_revision } = await w.proposed({ isConflicting: false });
      const of = (validation_evidence: string) => ({ expected_current_revision, validation_evidence });
      return { params, asked: of("Read it."), other: of("Tested it.") };
    },
  },
  {
    operationId: "changesetsResolve",
    isOnce: true,
    prepare: async (w) => {
      const { params, current: expected_current_revision } = await w.proposed({ isConflicting: true });
      const of = (take: string) => ({
        expected_current_revision,
        validation_evidence: "Read it.",
        resolutions: [{ path: "a.txt", take }],
      });
      return { params, asked: of("ours"), other: of("theirs") };
    },
  },
  {
    operationId: "workersStart",
    prepare: async (w) => {
      const params = await inWorkspace(w);
      const { id: task_group_id } = await w.ask("taskGroupsCreate", { params, json: { name: "g" } });
      return {
        params,
        asked: { ...messages.asked, task_group_id },
        other: { ...messages.other, task_group_id },
      };
    },
  },
  {
    operationId: "taskGroupsCreate",
    prepare: async (w) => ({
      params: await inWorkspace(w),
      asked: { name: "g" },
      other: { name: "g", budget_credits: 5 },
    }),
  },
];

/** Every operation by its id. */
export const routesById: ReadonlyMap<string, Route> = new Map(
  Object.values<Readonly<Record<string, Route>>>(routes)
    .flatMap((ofNoun) => Object.values(ofNoun))
    .map((route) => [route.operationId, route]),
);

type Asked = {
  readonly params?: Fields;
  readonly json: Record<string, unknown>;
  readonly headers?: Fields;
};
type Parts = {
  readonly fixture: ClaimFixture;
  readonly account: TestAccount;
  /** What a repository's jobs say of it. */
  readonly job: { readonly repository: string; readonly sha: string; readonly cloneUrl: string };
};

/** What requests are about, each time a new one. */
export class KeyedWorld {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get agentId(): string {
    return this.#parts.account.agent.id;
  }

  async answer(operationId: string, { params = {}, json, headers = {} }: Asked): Promise<Answer> {
    const { fixture, account } = this.#parts;
    const route = routesById.get(operationId);
    if (route === undefined) throw new Error(`There is no operation ${operationId}.`);
    const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? `no-${name}`);
    const { method } = route;
    const answer = await fixture.api.send(path, { method, bearer: account.owner, json, headers });
    const { run_id: runId } = (answer.body ?? {}) as Partial<Fields>;
    if (runId !== undefined) await fixture.core.ended(runId);
    return answer;
  }

  async ask(operationId: string, asked: Asked): Promise<Fields> {
    const { status, text, body } = await this.answer(operationId, asked);
    if (status > 299) throw new Error(`${operationId} answered ${status} ${text}`);
    return body as Fields;
  }

  async workspace(files: Fields = {}): Promise<WorkspaceFiles> {
    const { fixture, account } = this.#parts;
    return await WorkspaceFiles.make(fixture.core, { accountId: account.id, name: "w", files });
  }

  /** A revision that is not the current one. */
  async saved() {
    const workspace = await this.workspace();
    const copyId = await workspace.copy();
    await workspace.write({ kind: "copy", copyId }, { "a.txt": "a\n" });
    const revisionId = await workspace.checkpoint(copyId, "Saved");
    return { params: { workspaceID: workspace.workspaceId }, revisionId };
  }

  async proposed({ isConflicting }: { readonly isConflicting: boolean }) {
    const { core } = this.#parts.fixture;
    const workspace = await this.workspace({ "a.txt": "a\n" });
    const copyId = await workspace.copy();
    await workspace.replace({ kind: "copy", copyId }, { "a.txt": "b\n" });
    await workspace.checkpoint(copyId, "Saved");
    if (isConflicting) {
      await workspace.replace({ kind: "canonical" }, { "a.txt": "c\n" });
      await workspace.checkpoint(null, "Meanwhile");
    }
    const changesetID = await workspace.propose(copyId, "A change");
    const { workspaceId } = workspace;
    const found = await core.core.store.committed.workspaces.find(workspaceId);
    return { params: { workspaceID: workspaceId, changesetID }, current: found?.currentRevisionId ?? "" };
  }

  async workflow(): Promise<string> {
    const { core } = this.#parts.fixture.core;
    const written = await putWorkflow(core, { agentId: this.agentId, id: null, name: "w", prompt: "p" });
    if (!written.ok) throw new Error(written.refusal.reason);
    return written.value.id;
  }

  /** A run whose first turn is kept. */
  async forkable(): Promise<string> {
    const { core } = this.#parts.fixture.core;
    const runId = crypto.randomUUID();
    const atWork = {
      id: runId,
      agentId: this.agentId,
      status: "running",
      fence: 1,
      holdMicroUsd: 0,
    } as const;
    const entry = { entry: 1, kind: "turn", turn: 1, body: {} } as const;
    await core.store.transact((tx) =>
      tx.runs.insert(makeRun({ ...atWork, sessionId: runId }), makeRunInput({ job: null })),
    );
    await keepEntry(core, { runId, fence: 1, events: [], entry });
    return runId;
  }

  /** A workspace without files, and an agent of a repository whose files it could have. */
  async adoption(): Promise<Requests> {
    const { fixture, account, job } = this.#parts;
    const { core } = fixture.core;
    const agent = { ...account.agent, id: crypto.randomUUID(), name: job.repository };
    const repository = { id: agent.id, ownerId: "42", name: job.repository, visibility: "public" as const };
    await core.store.transact(async (tx) => {
      const issuer = "https://issuer.example";
      await tx.agents.insert({ ...agent, repository: { provider: "github", issuer, ...repository } });
      const from = makeJob({ repository, sha: job.sha, cloneUrl: job.cloneUrl });
      await tx.runs.insert(makeRun({ id: agent.id, agentId: agent.id }), makeRunInput({ job: from }));
    });
    const { workspaceId: workspaceID } = await this.workspace();
    const asked = { agent_id: agent.id };
    return { params: { workspaceID }, asked, other: { ...asked, sha: job.sha } };
  }
}
