// The client side of ACP: our requests to an agent, and our answers to its requests. https://agentclientprotocol.com

import {
  type ClientConnection,
  client,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type Stream,
} from "@agentclientprotocol/sdk";
import * as z from "zod/mini";
import { ToolError } from "../../tools/tool.ts";
import type { AgentFault } from "./agent-fault.ts";
import type { PromptImage } from "./prompt.ts";
import { type PromptAnswer, promptAnswerSchema } from "./updates.ts";

const AUTH_REQUIRED = -32000;
const INVALID_PARAMS = -32602;
const RESOURCE_NOT_FOUND = -32002;

const promptCapabilitiesSchema = z.looseObject({ image: z.optional(z.nullable(z.boolean())) });
const capabilitiesSchema = z.looseObject({
  promptCapabilities: z.optional(z.nullable(promptCapabilitiesSchema)),
  mcpCapabilities: z.optional(z.nullable(z.looseObject({ http: z.optional(z.nullable(z.boolean())) }))),
  loadSession: z.optional(z.nullable(z.unknown())),
  sessionCapabilities: z.optional(z.nullable(z.looseObject({ resume: z.optional(z.unknown()) }))),
});
const initializedSchema = z.object({
  protocolVersion: z.number(),
  agentCapabilities: z.optional(z.nullable(capabilitiesSchema)),
  authMethods: z.optional(z.nullable(z.array(z.looseObject({ id: z.string() })))),
});
const modesSchema = z.optional(z.nullable(z.looseObject({ currentModeId: z.string() })));
const sessionSchema = z.object({ sessionId: z.string(), modes: modesSchema });
/** Some agents answer with the session's id, which the protocol does not ask for, and some with nothing. */
const takenUpSchema = z.nullish(z.looseObject({ sessionId: z.optional(z.unknown()), modes: modesSchema }));

/** Images go to an agent that takes them. */
export type AgentPrompt = { readonly text: string; readonly images: readonly PromptImage[] };

/** Handlers of the agent's requests. They may be called concurrently. */
type AgentRequests = {
  askPermission(request: RequestPermissionRequest): Promise<RequestPermissionResponse>;
  /** Rejects with a `ToolError`. */
  readFile(file: { path: string; line?: number | null; limit?: number | null }): Promise<string>;
  /** Rejects with a `ToolError`. */
  writeFile(file: { path: string; content: string }): Promise<void>;
};

type SessionWanted = {
  readonly cwd: string;
  readonly authMethod: string | null;
  /** Whether the agent may ask for files, and have them written. */
  readonly asksForFiles: boolean;
  /** The session mode to work in. Null: the agent's own. */
  readonly mode: string | null;
  /** An earlier process's session, to be gone on with. Null: a new one. */
  readonly earlier: EarlierSession | null;
  /** The MCP servers of the session, by what the agent takes. */
  serversFor(agent: { readonly takesHttp: boolean }): readonly McpServer[];
};

export type EarlierSession = {
  readonly id: string;
  /** Has the session loaded by `load`, and nothing of what is told again in the run's stream. False: nothing was told again. */
  replay(load: () => Promise<void>): Promise<boolean>;
};

/** The agent answered with an error, or not as the protocol says. */
export class AgentError extends Error {
  override readonly name = "AgentError";
  readonly code = "agent_error";
  readonly fault: AgentFault;

  constructor(fault: AgentFault) {
    super(`The agent failed: ${fault.type}.`);
    this.fault = fault;
  }
}

export class AgentDialogue {
  readonly #connection: ClientConnection;
  #authMethods: readonly string[] = [];
  #takesImages = false;

  constructor(stream: Stream, requests: AgentRequests) {
    this.#connection = client({ name: "agent-service" })
      .onRequest(methods.client.session.requestPermission, ({ params }) => requests.askPermission(params))
      .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({
        content: await answered(requests.readFile(params)),
      }))
      .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
        await answered(requests.writeFile(params));
        return {};
      })
      // An unknown notification is ignored.
      .onNotification("*", () => undefined)
      .connect(stream);
  }

  /** Resolves when the connection is closed. */
  get closed(): Promise<void> {
    return this.#connection.closed;
  }

  /** Known once a session is open. */
  get takesImages(): boolean {
    return this.#takesImages;
  }

  /** Opens a session, or goes on with an earlier one; returns its id. Rejects with an `AgentError`. */
  async open({ cwd, authMethod, mode, asksForFiles, earlier, serversFor }: SessionWanted): Promise<string> {
    const initialized = await this.#ask(methods.agent.initialize, initializedSchema, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {
        fs: { readTextFile: asksForFiles, writeTextFile: asksForFiles },
        terminal: false,
      },
      clientInfo: { name: "agent-service", version: "1" },
    });
    const { protocolVersion, agentCapabilities } = initialized;
    if (protocolVersion !== PROTOCOL_VERSION)
      throw new AgentError({ type: "other_version", version: protocolVersion });
    this.#takesImages = agentCapabilities?.promptCapabilities?.image === true;
    this.#authMethods = initialized.authMethods?.map(({ id }) => id) ?? [];
    if (authMethod !== null)
      await this.#ask(methods.agent.authenticate, z.unknown(), { methodId: authMethod });
    const mcpServers = serversFor({ takesHttp: agentCapabilities?.mcpCapabilities?.http === true });
    const { sessionId, modes } =
      earlier === null
        ? await this.#ask(methods.agent.session.new, sessionSchema, { cwd, mcpServers })
        : await this.#takeUp(earlier, { cwd, mcpServers, can: agentCapabilities ?? {} });
    if (mode !== null && modes?.currentModeId !== mode)
      await this.#ask(methods.agent.session.setMode, z.unknown(), { sessionId, modeId: mode });
    return sessionId;
  }

  /** By the ways that it announces, one after the other: some do not work. */
  async #takeUp(
    { id: sessionId, replay }: EarlierSession,
    {
      cwd,
      mcpServers,
      can,
    }: {
      readonly cwd: string;
      readonly mcpServers: readonly McpServer[];
      readonly can: z.output<typeof capabilitiesSchema>;
    },
  ): Promise<{ readonly sessionId: string; readonly modes?: z.output<typeof modesSchema> }> {
    const ask = async (method: string) => {
      const answer = await this.#ask(method, takenUpSchema, { sessionId, cwd, mcpServers });
      const isOther = answer?.sessionId !== undefined && answer.sessionId !== sessionId;
      if (isOther) throw new AgentError({ type: "malformed", method });
      return { sessionId, modes: answer?.modes };
    };
    if (can.sessionCapabilities?.resume != null) {
      const resumed = await ask(methods.agent.session.resume).catch(nullIfRefused);
      if (resumed !== null) return resumed;
    }
    if (can.loadSession === true) {
      let loaded: Awaited<ReturnType<typeof ask>> | null = null;
      const isReplayed = await replay(async () => {
        loaded = await ask(methods.agent.session.load).catch(nullIfRefused);
      });
      if (loaded !== null && isReplayed) return loaded;
    }
    throw new AgentError({ type: "not_taken_up" });
  }

  /** Resolves at the end of the turn. Rejects with an `AgentError`. */
  async prompt(sessionId: string, { text, images }: AgentPrompt): Promise<PromptAnswer> {
    const shown = images.map(({ mime, base64 }) => ({ type: "image", mimeType: mime, data: base64 }));
    const prompt = [{ type: "text", text }, ...shown];
    return await this.#ask(methods.agent.session.prompt, promptAnswerSchema, { sessionId, prompt });
  }

  /** Requests the end of the turn; `prompt` resolves when it has ended. */
  async cancel(sessionId: string): Promise<void> {
    await this.#connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  close(): void {
    this.#connection.close();
  }

  async #ask<Schema extends z.ZodMiniType>(
    method: string,
    schema: Schema,
    params: unknown,
  ): Promise<z.output<Schema>> {
    let answer: unknown;
    try {
      answer = await this.#connection.agent.request(method, params);
    } catch (cause) {
      throw cause instanceof RequestError ? new AgentError(this.#faultOf(method, cause)) : cause;
    }
    const parsed = z.safeParse(schema, answer);
    if (!parsed.success) throw new AgentError({ type: "malformed", method });
    return parsed.data;
  }

  #faultOf(method: string, error: RequestError): AgentFault {
    if (error.code === AUTH_REQUIRED) return { type: "login_needed", methods: this.#authMethods };
    const { data } = error;
    const details = typeof data === "object" && data !== null && "details" in data ? data.details : data;
    const more = typeof details === "string" ? `: ${details}` : "";
    return { type: "error", method, message: `${error.message}${more} (${error.code})` };
  }
}

function nullIfRefused(cause: unknown): null {
  if (cause instanceof AgentError) return null;
  throw cause;
}

/** Our refusal as a protocol error. Other errors are not passed on: they may name paths of this machine. */
async function answered<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof ToolError && cause.code === "not_found") {
      // The protocol's own words.
      throw new RequestError(RESOURCE_NOT_FOUND, `Resource not found: ${cause.message}`);
    }
    if (cause instanceof ToolError) throw new RequestError(INVALID_PARAMS, cause.message);
    throw new RequestError(-32603, "The file could not be reached.");
  }
}
