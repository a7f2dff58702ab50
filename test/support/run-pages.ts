// Pages of runs on a core fixture: its HTTP API and its sockets on one real port, runs whose backend emits what a test
// says, and their readers.

import type { RunEvent } from "../../src/contract/runs/run-event.ts";
import { SocketApi } from "../../src/service/api/socket/socket-api.ts";
import { linkRunPage } from "../../src/service/core/run-views/run-views.ts";
import type { BackendTask } from "../../src/service/executor/backend.ts";
import { CoreFixture, type CoreFixtureOptions } from "./fixtures/core-fixture.ts";
import { scriptedBackend } from "./scripted-backend.ts";
import { makeAccount, type TestAccount } from "./service-account.ts";
import { type HttpApi, openHttpApi } from "./service-api.ts";
import { type Answer, type Call, call } from "./service-client.ts";
import { signInTo } from "./web-sign-in.ts";

export type RunScript = (task: BackendTask) => Promise<void>;
/** A run of a public repository, with a link for everybody. */
export type LinkedRun = { readonly runId: string; readonly path: string; readonly token: string };

export class RunPages {
  readonly fixture: CoreFixture;
  readonly #api: HttpApi;
  readonly #sockets: SocketApi;
  readonly #scripts: RunScript[];

  /** `options` may bring a backend of its own: then no script is executed. */
  static async open(options: Partial<CoreFixtureOptions> = {}): Promise<RunPages> {
    const scripts: RunScript[] = [];
    const backend = scriptedBackend(async (task) => await scripts.shift()?.(task));
    const fixture = await CoreFixture.start({ backend, ...options });
    const api = await openHttpApi(fixture);
    // The address is known once it listens.
    Object.assign(fixture.core.policy, { baseUrl: api.url, webUrl: api.url });
    const sockets = new SocketApi(fixture.core, fixture.submitter, {
      trustedProxyHops: 0,
      corsOrigins: ["https://allowed.example"],
      maxSockets: 100,
    });
    api.server.on("upgrade", sockets.onUpgrade);
    fixture.executor.start();
    return new RunPages({ fixture, api, sockets, scripts });
  }

  private constructor(parts: {
    fixture: CoreFixture;
    api: HttpApi;
    sockets: SocketApi;
    scripts: RunScript[];
  }) {
    this.fixture = parts.fixture;
    this.#api = parts.api;
    this.#sockets = parts.sockets;
    this.#scripts = parts.scripts;
  }

  get url(): string {
    return this.#api.url;
  }

  /** A run of a public repository that does what the script says. */
  async start(script: RunScript): Promise<LinkedRun> {
    this.#scripts.push(script);
    const runId = await this.fixture.submit();
    return { runId, ...(await this.link(runId)) };
  }

  /** The same, ended. */
  async finished(script: RunScript): Promise<LinkedRun> {
    const run = await this.start(script);
    await this.fixture.ended(run.runId);
    return run;
  }

  async link(runId: string): Promise<{ path: string; token: string }> {
    const caller = await this.fixture.caller();
    const linked = await linkRunPage(this.fixture.core, { caller, runId });
    if (!linked.ok) throw new Error(`There is no link: ${linked.refusal.reason}`);
    const { pathname, searchParams } = new URL(linked.value.url);
    return { path: pathname, token: searchParams.get("view") ?? "" };
  }

  /** A run of a new account's own agent, and the cookie of its owner. */
  async owned(
    script: RunScript,
  ): Promise<{ runId: string; path: string; cookie: string; account: TestAccount }> {
    const account = await makeAccount(this.fixture);
    const { cookie } = await signInTo(this.fixture.core, account.id);
    this.#scripts.push(script);
    const submitted = await this.fixture.submitter.submit({
      caller: { kind: "account", accountId: account.id, callerClass: "owner", personId: null, role: "owner" },
      agentId: account.agent.id,
      body: { message: "the prompt of the owner" },
      idempotencyKey: null,
    });
    if (!submitted.ok) throw new Error(`The run was refused: ${submitted.refusal.reason}`);
    const { runId } = submitted.value;
    await this.fixture.ended(runId);
    return { runId, path: `/agent/${account.agent.id}/runs/${runId}`, cookie, account };
  }

  /** The cookie that the link of a run leaves in a browser. */
  viewCookie({ token }: Pick<LinkedRun, "token">): string {
    return `run_view=${token}`;
  }

  get(path: string, options: Call = {}): Promise<Answer> {
    return call(this.url + path, options);
  }

  async close(): Promise<void> {
    await this.#sockets.close();
    await this.#api.close();
  }
}

/** One call of a tool, from its start to its result. */
export async function callTool(
  task: BackendTask,
  { name, args, result }: { name: string; args: unknown; result: string },
): Promise<void> {
  const toolCallId = task.nextId("call");
  await task.emit({ type: "TOOL_CALL_START", toolCallId, toolCallName: name });
  await task.emit({ type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) });
  await task.emit({ type: "TOOL_CALL_END", toolCallId });
  const messageId = task.nextId("message");
  await task.emit({ type: "TOOL_CALL_RESULT", messageId, toolCallId, content: result, role: "tool" });
}

export function changesEvent(patch: string, files: readonly string[]): RunEvent {
  return {
    type: "CUSTOM",
    name: "repository.changes",
    value: {
      base_sha: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
      files: files.map((path) => ({ path, status: "modified", additions: 1, deletions: 1 })),
      patch,
    },
  };
}
