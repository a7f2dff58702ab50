// An editor of the Agent Client Protocol as the SDK's client plays it: it keeps what it is told, answers what it is asked as the test says,
// and writes files to the disk.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import {
  type AgentApp,
  type ClientCapabilities,
  type ClientConnection,
  client,
  methods,
  PROTOCOL_VERSION,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
  type Stream,
} from "@agentclientprotocol/sdk";
import { vi } from "vitest";

/** The kind of the option that the person chooses, or its name; null: they choose none. */
type Choice = (request: RequestPermissionRequest) => string | null | Promise<string | null>;

export const everything: ClientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  auth: { terminal: true },
};

export class TestEditor {
  readonly updates: SessionUpdate[] = [];
  readonly asked: RequestPermissionRequest[] = [];
  /** Paths that the agent had the editor write, in order. */
  readonly written: string[] = [];
  /** Unsaved texts by absolute path. */
  readonly unsaved = new Map<string, string>();
  choose: Choice = () => "allow_once";
  /** Answers of a form; undefined: the person declines. */
  answer: string | undefined;
  readonly #can: ClientCapabilities;
  readonly #connection: ClientConnection;

  constructor(target: AgentApp | Stream, can: ClientCapabilities = everything) {
    this.#can = can;
    const app = client({ name: "editor" })
      .onNotification(methods.client.session.update, ({ params }) => void this.updates.push(params.update))
      .onRequest(methods.client.session.requestPermission, async ({ params }) => {
        this.asked.push(params);
        const chosen = await this.choose(params);
        const option = params.options.find(({ kind, name }) => kind === chosen || name === chosen);
        return option === undefined
          ? { outcome: { outcome: "cancelled" } }
          : { outcome: { outcome: "selected", optionId: option.optionId } };
      })
      .onRequest(methods.client.fs.readTextFile, async ({ params: { path } }) => ({
        content: this.unsaved.get(path) ?? (await readFile(path, "utf8")),
      }))
      .onRequest(methods.client.fs.writeTextFile, async ({ params: { path, content } }) => {
        this.written.push(path);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, content);
        this.unsaved.delete(path);
        return {};
      })
      .onRequest(methods.client.elicitation.create, () =>
        this.answer === undefined
          ? { action: "decline" }
          : { action: "accept", content: { answer: this.answer } },
      );
    this.#connection = "readable" in target ? app.connect(target) : app.connect(target);
  }

  get agent() {
    return this.#connection.agent;
  }

  async initialize() {
    return await this.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: this.#can,
    });
  }

  /** Initializes, and begins a session in this folder. Returns its id. */
  async open(cwd: string): Promise<string> {
    await this.initialize();
    const { sessionId } = await this.agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    return sessionId;
  }

  async load(sessionId: string, cwd: string): Promise<void> {
    await this.agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] });
  }

  /** Returns why the turn ended. */
  async prompt(sessionId: string, text: string): Promise<string> {
    const prompt = [{ type: "text" as const, text }];
    const answer = await this.agent.request<PromptResponse>(methods.agent.session.prompt, {
      sessionId,
      prompt,
    });
    return answer.stopReason;
  }

  async cancel(sessionId: string): Promise<void> {
    await this.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** All that the agent has said so far. */
  get said(): string {
    return this.#textOf("agent_message_chunk");
  }

  get thought(): string {
    return this.#textOf("agent_thought_chunk");
  }

  get prompted(): string {
    return this.#textOf("user_message_chunk");
  }

  /** Calls of tools in order, each as it was left. */
  get calls() {
    const calls = new Map<string, Record<string, unknown>>();
    for (const { sessionUpdate, ...update } of this.updates) {
      if (sessionUpdate !== "tool_call" && sessionUpdate !== "tool_call_update") continue;
      const { toolCallId } = update as { readonly toolCallId: string };
      calls.set(toolCallId, { ...calls.get(toolCallId), ...update });
    }
    return [...calls.values()];
  }

  async until(condition: () => boolean): Promise<void> {
    await vi.waitFor(
      () => {
        if (!condition()) throw new Error(`It has not come: ${JSON.stringify(this.updates.slice(-3))}`);
      },
      { timeout: 30_000, interval: 20 },
    );
  }

  close(): void {
    this.#connection.close();
  }

  #textOf(kind: SessionUpdate["sessionUpdate"]): string {
    return this.updates
      .map((update) =>
        update.sessionUpdate === kind && "content" in update ? textOfBlock(update.content) : "",
      )
      .join("");
  }
}

function textOfBlock(block: unknown): string {
  return typeof block === "object" && block !== null && "text" in block ? String(block.text) : "";
}
