// The built service with a scripted model, and editors of a folder beside it: the SDK's client, with our agent in this process.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { call, type Part, type Step } from "../../fakes/model-server/turn.ts";
import { type EditorAgentOptions, editorAgent } from "../../src/cli/acp/editor-agent.ts";
import { type Client, createClient } from "../../src/client/client.ts";
import { makeTestKey, operateOn } from "./account-key.ts";
import { TestEditor } from "./acp-editor.ts";
import type { ProcessFixture } from "./fixtures/process-fixture.ts";
import { startFixture } from "./fixtures/start-fixture.ts";

const MODEL_KEY = "sk-the-models-key-0123456789";

export class EditorFixture {
  readonly service: ProcessFixture;
  readonly model: ModelServer;
  readonly key: string;
  readonly client: Client;
  readonly #steps: { next: (request: ModelRequest) => Step | undefined };
  readonly #editors: TestEditor[] = [];
  #root = "";

  static async start(): Promise<EditorFixture> {
    const steps: { next: (request: ModelRequest) => Step | undefined } = { next: () => done };
    const model = await startModelServer({
      script: everyTime((request) => steps.next(request)),
      apiKey: MODEL_KEY,
      conversation: () => "all",
    });
    const service = await startFixture({
      level: "process",
      settings: {
        BACKEND: "model",
        SANDBOX: "off",
        MODEL_PROVIDER: "openai-compatible",
        MODEL: "scripted-model",
        MODEL_BASE_URL: model.baseUrl,
        MODEL_API_KEY: MODEL_KEY,
        RUN_SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
      },
    });
    // Each folder has a workspace of its own.
    const { secret: key, accountId } = await makeTestKey(service.place, { owner: { plan: "subscribed" } });
    await operateOn(service.place, (operator) => operator.grant({ accountId, credits: 10_000 }));
    return new EditorFixture({ service, model, key, steps });
  }

  private constructor(parts: {
    service: ProcessFixture;
    model: ModelServer;
    key: string;
    steps: { next: (request: ModelRequest) => Step | undefined };
  }) {
    this.service = parts.service;
    this.model = parts.model;
    this.key = parts.key;
    this.#steps = parts.steps;
    this.client = createClient({ baseUrl: parts.service.url, credential: parts.key });
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.model.close();
  }

  /** The folder that editors have open: a new one for each test. */
  get root(): string {
    return this.#root;
  }

  openFolder(): void {
    this.#root = mkdtempSync(join(tmpdir(), "editor-"));
  }

  closeFolder(): void {
    for (const editor of this.#editors.splice(0)) editor.close();
    rmSync(this.#root, { recursive: true, force: true });
  }

  at(path: string): string {
    return join(this.#root, path);
  }

  put(path: string, content: string | Buffer): void {
    mkdirSync(dirname(this.at(path)), { recursive: true });
    writeFileSync(this.at(path), content);
  }

  text(path: string): string {
    return readFileSync(this.at(path), "utf8");
  }

  /** The model's answers from now on, one after the other. */
  play(...steps: readonly Step[]): void {
    const before = this.model.requests.length;
    this.#steps.next = () => steps[this.model.requests.length - before - 1] ?? done;
  }

  /** What the last request to the model had of calls. */
  get lastResults(): string {
    return (this.model.requests.at(-1)?.toolResults ?? []).map((result) => result.text).join("\n");
  }

  editor(options: Partial<EditorAgentOptions> = {}, can?: ClientCapabilities): TestEditor {
    const app = editorAgent({
      url: this.service.url,
      openClient: () => this.client,
      workspace: null,
      agent: null,
      excluded: [],
      environment: process.env,
      version: "test",
      log: (line) => void process.stderr.write(`${line}\n`),
      ...options,
    });
    const editor = new TestEditor(app, can);
    this.#editors.push(editor);
    return editor;
  }
}

/** A last word with which the service does not ask for checks. */
export const done = { type: "text", text: "Not checked: nothing here checks it." } as const satisfies Part;

export function write(path: string, content: string): Part {
  return call("write_file", { path, content });
}
