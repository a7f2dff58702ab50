// The agent side of the Agent Client Protocol: an editor's requests, answered by sessions of a service.
// https://agentclientprotocol.com/protocol/v1/overview, looked up on 2026-11-29
// Why: docs/decisions/179-an-editor-is-a-copys-folder.md

import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, parse, resolve } from "node:path";
import {
  type AgentApp,
  type AgentConnection,
  type AuthMethod,
  agent,
  type ClientCapabilities,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
} from "@agentclientprotocol/sdk";
import type { Environment } from "../../base/environment.ts";
import { ApiError, type Client, type Run } from "../../client/client.ts";
import { findAgentId } from "../agent-name.ts";
import { failureText } from "../command-error.ts";
import { UsageError } from "../flags.ts";
import { editorOf } from "./editor.ts";
import { EditorSession } from "./editor-session.ts";
import { findPlace, type KnownPlace, openPlace } from "./known-place.ts";
import { SessionCopy } from "./session-copy.ts";

const SESSION_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;
const INTERNAL_ERROR = -32_603;
const PAGE_RUNS = 100;
/** Of a session that is loaded. */
const MAX_SHOWN_RUNS = 50;
/** Pages of a workspace's runs, in which those of a session are looked for. */
const MAX_PAGES = 20;

export type EditorAgentOptions = {
  /** The service's address, without a trailing slash. */
  readonly url: string;
  /** The client of whoever is signed in by now. Throws UsageError where nobody is. */
  readonly openClient: () => Client;
  /** A workspace by its id or name; null: that of the folder. */
  readonly workspace: string | null;
  /** An agent by its id or name; null: the workspace's manager. */
  readonly agent: string | null;
  /** Globs of paths that do not travel. */
  readonly excluded: readonly string[];
  readonly environment: Environment;
  readonly version: string;
  /** A line for the person who looks for what went wrong. */
  readonly log: (text: string) => void;
};

/** The agent, for one connection. */
export function editorAgent(options: EditorAgentOptions): AgentApp {
  const sessions = new Sessions(options);
  const { answer } = sessions;
  return agent({ name: "agent-service" })
    .onConnect((connection) => sessions.connect(connection))
    .onRequest(methods.agent.initialize, ({ params }) => {
      sessions.can = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "agent-service", title: "agent-service", version: options.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { list: {}, resume: {}, close: {} },
        },
        authMethods: [authMethodOf(options.url, sessions.can)],
      };
    })
    .onRequest(methods.agent.authenticate, () =>
      answer(async () => {
        options.openClient();
        return {};
      }),
    )
    .onRequest(methods.agent.session.new, ({ params }) =>
      answer(async () => ({ sessionId: await sessions.begin(params.cwd) })),
    )
    .onRequest(methods.agent.session.load, ({ params: { sessionId, cwd } }) =>
      answer(async () => await sessions.load(sessionId, { cwd, isTold: true })),
    )
    .onRequest(methods.agent.session.resume, ({ params: { sessionId, cwd } }) =>
      answer(async () => await sessions.load(sessionId, { cwd, isTold: false })),
    )
    .onRequest(methods.agent.session.list, ({ params: { cwd = null, cursor = null } }) =>
      answer(async () => await sessions.list({ cwd, cursor })),
    )
    .onRequest(methods.agent.session.close, ({ params }) => sessions.close(params.sessionId))
    .onRequest(methods.agent.session.prompt, ({ params: { sessionId, prompt } }) =>
      answer(async () => await sessions.find(sessionId).prompt(prompt)),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.cancel(params.sessionId));
}

/** A terminal of the editor's executes the command itself, with one more word. */
function authMethodOf(url: string, can: ClientCapabilities): AuthMethod {
  const method = {
    id: "login",
    name: "Sign in to the service",
    description: `Execute "agent-service login --url ${url}" in a terminal, and try again. Or set AGENT_SERVICE_KEY.`,
  };
  return can.auth?.terminal === true ? { ...method, type: "terminal", args: ["--login"] } : method;
}

class Sessions {
  can: ClientCapabilities = {};
  readonly #options: EditorAgentOptions;
  readonly #sessions = new Map<string, EditorSession>();
  #connection: AgentConnection | null = null;

  constructor(options: EditorAgentOptions) {
    this.#options = options;
  }

  connect(connection: AgentConnection): void {
    this.#connection = connection;
  }

  /** What went wrong, in the protocol's words, and in ours. */
  readonly answer = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    try {
      return await work();
    } catch (cause) {
      throw this.#refusalOf(cause);
    }
  };

  #refusalOf(cause: unknown): RequestError {
    if (cause instanceof RequestError) return cause;
    const { url, log } = this.#options;
    const text = failureText(cause);
    const isUnknown = cause instanceof UsageError || (cause instanceof ApiError && cause.status === 401);
    if (isUnknown) {
      const how = `Not signed in to ${url}: execute "agent-service login --url ${url}" in a terminal, or set AGENT_SERVICE_KEY. ${text}`;
      return RequestError.authRequired(undefined, how);
    }
    if (text !== null) return new RequestError(INTERNAL_ERROR, text);
    if (this.#connection?.signal.aborted !== true)
      log(cause instanceof Error ? (cause.stack ?? cause.message) : "Unknown failure.");
    return new RequestError(INTERNAL_ERROR, "The command failed. Its standard error says more.");
  }

  async begin(cwd: string): Promise<string> {
    const { workspace: named, url, agent: agentName } = this.#options;
    const client = this.#options.openClient();
    const root = await rootOf(cwd);
    const wanted = agentName === null ? null : await findAgentId(client, agentName);
    const place = await openPlace(client, { root, url, named, agentId: wanted });
    const { workspaceId } = place;
    if (wanted !== null) await client.members.add({ workspaceId, body: { agent_id: wanted } });
    const { id, agent_id: agentId } = await client.threads.create({
      workspaceId,
      body: wanted === null ? {} : { agent_id: wanted },
    });
    this.#open({ id, root, place, agentId, client });
    return id;
  }

  /** What was said so far is told before it resolves; a run that is at work goes on after that. */
  async load(
    id: string,
    { cwd, isTold }: { readonly cwd: string; readonly isTold: boolean },
  ): Promise<Record<string, never>> {
    if (!SESSION_ID.test(id)) throw RequestError.sessionNotFound(id);
    const client = this.#options.openClient();
    const root = await rootOf(cwd);
    const place = await this.#placeOf(client, root);
    const runs =
      place === null ? [] : await runsOf(client, { workspaceId: place.workspaceId, sessionId: id });
    const known = this.#sessions.get(id);
    const agentId = runs[0]?.agent_id ?? (place === null ? null : await agentOf(client, { place, id }));
    if (place === null || agentId === null) throw RequestError.sessionNotFound(id);
    known?.leave();
    const session = this.#open({ id, root, place, agentId, client });
    await session.replay(runs, { isTold });
    session.continueWork().catch((cause: unknown) => {
      if (this.#connection?.signal.aborted !== true) this.#options.log(this.#refusalOf(cause).message);
    });
    return {};
  }

  async list({ cwd, cursor }: { readonly cwd: string | null; readonly cursor: string | null }) {
    const client = this.#options.openClient();
    const root = cwd === null ? null : await rootOf(cwd);
    const place = root === null ? null : await this.#placeOf(client, root);
    if (root === null || place === null) return { sessions: [] };
    const { items, next_cursor: next } = await client.workspaceRuns.list({
      workspaceId: place.workspaceId,
      query: { cursor: cursor ?? "", limit: PAGE_RUNS },
    });
    const sessions = new Map<string, SessionInfo>();
    for (const run of items.filter(isOfEditor)) {
      const { thread_id: sessionId, about } = run;
      const updatedAt =
        sessions.get(sessionId)?.updatedAt ?? ("started_at" in run ? (run.started_at ?? null) : null);
      sessions.set(sessionId, { sessionId, cwd: root, title: about?.request ?? null, updatedAt });
    }
    return { sessions: [...sessions.values()], ...(next === "" ? {} : { nextCursor: next }) };
  }

  find(id: string): EditorSession {
    const session = this.#sessions.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  }

  cancel(id: string): void {
    this.#sessions.get(id)?.cancel();
  }

  close(id: string): Record<string, never> {
    this.find(id).cancel();
    this.#sessions.delete(id);
    return {};
  }

  async #placeOf(client: Client, root: string): Promise<KnownPlace | null> {
    const { url, workspace: named } = this.#options;
    return await findPlace(client, { root, url, named });
  }

  #open({
    id,
    root,
    place,
    agentId,
    client,
  }: {
    readonly id: string;
    readonly root: string;
    readonly place: KnownPlace;
    readonly agentId: string;
    readonly client: Client;
  }): EditorSession {
    const connection = this.#connection;
    if (connection === null) throw new TypeError("There is no editor.");
    const { environment, excluded } = this.#options;
    const editor = editorOf(connection.client, { sessionId: id, can: this.can });
    const copy = new SessionCopy({ client, root, sessionId: id, place, excluded, environment, editor });
    const { workspaceId } = place;
    const gone = connection.signal;
    const session = new EditorSession({ id, root, workspaceId, agentId, client, editor, copy, gone });
    this.#sessions.set(id, session);
    return session;
  }
}

/** Rejects with RequestError: a folder that somebody works in is sent, and no other. */
async function rootOf(cwd: string): Promise<string> {
  const refuse = (why: string) => RequestError.invalidParams(undefined, `The folder "${cwd}" ${why}`);
  if (!isAbsolute(cwd)) throw refuse("must be an absolute path");
  const root = resolve(cwd);
  const found = await stat(root).catch(() => null);
  if (found?.isDirectory() !== true) throw refuse("is not there");
  if (root === parse(root).root || root === resolve(homedir())) {
    throw refuse("is no project: open the folder that the agent is to work on, all of it is sent");
  }
  return root;
}

/** The runs of a session that its editor has asked for, oldest first. */
async function runsOf(
  client: Client,
  { workspaceId, sessionId }: { readonly workspaceId: string; readonly sessionId: string },
): Promise<readonly Run[]> {
  const runs: Run[] = [];
  let cursor = "";
  for (let page = 0; page < MAX_PAGES && runs.length < MAX_SHOWN_RUNS; page += 1) {
    const read = await client.workspaceRuns.list({ workspaceId, query: { cursor, limit: PAGE_RUNS } });
    runs.push(...read.items.filter((run) => run.thread_id === sessionId && isOfEditor(run)));
    cursor = read.next_cursor;
    if (cursor === "") break;
  }
  return runs.slice(0, MAX_SHOWN_RUNS).toReversed();
}

function isOfEditor(run: Run): boolean {
  return run.copy_id !== undefined && run.parent_run_id === undefined;
}

/** Of a session without runs. Null: there is no such session. */
async function agentOf(
  client: Client,
  { place, id }: { readonly place: KnownPlace; readonly id: string },
): Promise<string | null> {
  const { items } = await client.threads.list({
    workspaceId: place.workspaceId,
    query: { limit: PAGE_RUNS },
  });
  return items.find((thread) => thread.id === id)?.agent_id ?? null;
}
