// The protocol: one session with one MCP server, by its own SDK. Loaded only where a run has servers. Failures are values:
// this is a bundle of its own, and no error class of it is known outside.
// Specification 2026-07-28, and those of 2025 where a server knows no other. https://modelcontextprotocol.io

import {
  type AuthProvider,
  Client,
  type JsonSchemaValidator,
  type jsonSchemaValidator,
  type OAuthClientProvider,
  type Tool as ServersTool,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { ServerAccessError } from "../../../../federation/mcp/server-grant.ts";
import type { CallResult, ResultPart } from "./call-result.ts";
import type { ElicitAnswer, ElicitRequest } from "./elicitations.ts";
import type { ListedTool } from "./offered-tools.ts";
import { type Pipes, PipeTransport } from "./pipe-transport.ts";

const MAX_PAGES = 20;
const MAX_WHY_CHARS = 500;
/** An older server that says nothing to a question that it does not know. */
const PROBE_MS = 10_000;

export type Channel =
  | ({ readonly type: "pipes" } & Pipes)
  | {
      readonly type: "http";
      readonly url: string;
      readonly fetch: typeof fetch;
      /** Where its token comes from. Null: it is asked without one, or with the one in its headers. */
      readonly auth: AuthProvider | OAuthClientProvider | null;
    };

type McpSessionOptions = {
  readonly channel: Channel;
  /** `older`: without the question which versions it knows, which some older servers do not survive. */
  readonly versions: "all" | "older";
  /** For the whole of the start, the list of its tools included. */
  readonly startMs: number;
  /** Answers what the server asks people, or null, which ends the call. Null: the server is told that nobody can be asked. */
  readonly elicit: ((request: ElicitRequest) => ElicitAnswer | null) | null;
  readonly signal: AbortSignal;
};

type McpCall = {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

type Called =
  | { readonly ok: true; readonly result: CallResult; readonly isError: boolean }
  /** `why` is what the server or the SDK said, bounded; it may hold anything. */
  | { readonly ok: false; readonly why: string };

export type McpSession = {
  readonly tools: readonly ListedTool[];
  /** Rejects with the signal's reason alone. */
  call(call: McpCall): Promise<Called>;
  /** Never rejects. Safe to repeat. */
  close(): Promise<void>;
};

export type Opened =
  | { readonly ok: true; readonly session: McpSession }
  | { readonly ok: false; readonly why: string };

const takesAll: jsonSchemaValidator = {
  getValidator<Value>(): JsonSchemaValidator<Value> {
    return (data) => ({ valid: true, data: data as Value, errorMessage: undefined });
  },
};

/** Connects and lists the tools. Rejects with the signal's reason alone. */
export async function openSession({
  channel,
  versions,
  startMs,
  elicit,
  signal,
}: McpSessionOptions): Promise<Opened> {
  const pipes = channel.type === "pipes" ? new PipeTransport(channel) : null;
  const transport =
    pipes ??
    new StreamableHTTPClientTransport(new URL(channel.type === "http" ? channel.url : ""), {
      ...(channel.type === "http" ? { fetch: channel.fetch } : {}),
      ...(channel.type === "http" && channel.auth !== null ? { authProvider: channel.auth } : {}),
      reconnectionOptions: {
        maxRetries: 1,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 5_000,
        reconnectionDelayGrowFactor: 1.5,
      },
    });
  const client = new Client(
    { name: "agent-service", version: "1" },
    {
      capabilities: elicit === null ? {} : { elicitation: { form: {} } },
      versionNegotiation:
        versions === "all"
          ? { mode: "auto", probe: { timeoutMs: Math.min(PROBE_MS, startMs) } }
          : { mode: "legacy" },
      // What a server returns is data for the model, whether it keeps to the server's own schema or not.
      jsonSchemaValidator: takesAll,
      listMaxPages: MAX_PAGES,
    },
  );
  client.onerror = () => undefined;
  if (elicit !== null)
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      if (!("requestedSchema" in params)) return { action: "decline" };
      const answer = elicit(params);
      // To say "cancel" would say that somebody was asked.
      if (answer === null) throw new Error("it asks people something first");
      return answer;
    });
  const close = async () => {
    await client.close().catch(() => undefined);
    await transport.close().catch(() => undefined);
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(startMs)]);
  const whyOf = (cause: unknown) => pipes?.fault ?? textOf(cause);
  try {
    await untilAborted(client.connect(transport, { timeout: startMs, signal: limit }), limit);
    const { tools } = await untilAborted(
      client.listTools(undefined, { timeout: startMs, signal: limit }),
      limit,
    );
    return {
      ok: true,
      session: { tools: tools.map(listed), call: (call) => callTool(client, { call, whyOf }), close },
    };
  } catch (cause) {
    await close();
    signal.throwIfAborted();
    return { ok: false, why: limit.aborted ? `it did not answer within ${startMs / 1000} s` : whyOf(cause) };
  }
}

async function callTool(
  client: Client,
  { call, whyOf }: { readonly call: McpCall; readonly whyOf: (cause: unknown) => string },
): Promise<Called> {
  const { tool, input, timeoutMs, signal } = call;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    const answer = await untilAborted(
      client.callTool({ name: tool, arguments: { ...input } }, { timeout: timeoutMs, signal: limit }),
      limit,
    );
    const parts = answer.content as readonly ResultPart[];
    return {
      ok: true,
      result: { parts, structured: answer.structuredContent },
      isError: answer.isError === true,
    };
  } catch (cause) {
    signal.throwIfAborted();
    return {
      ok: false,
      why: limit.aborted ? `it did not answer within ${timeoutMs / 1000} s` : whyOf(cause),
    };
  }
}

function listed({ name, description, inputSchema, annotations }: ServersTool): ListedTool {
  return { name, description, inputSchema, annotations };
}

/** Also where a transport does not look at its signal. */
async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const give = () => reject(signal.reason);
  if (signal.aborted) give();
  signal.addEventListener("abort", give, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", give);
    // It is late then, and nobody waits.
    work.catch(() => undefined);
  }
}

/** Of an error around another, the inner one says what happened. */
function textOf(cause: unknown): string {
  if (ServerAccessError.is(cause)) return cause.message.slice(0, MAX_WHY_CHARS);
  const text = cause instanceof Error ? cause.message : "it failed";
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : "";
  return (inner !== "" && text.includes(inner) ? inner : text).slice(0, MAX_WHY_CHARS);
}
