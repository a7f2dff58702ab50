// An MCP server on standard input and output that passes every request on to a service's /mcp: for clients that start
// programs and speak no HTTP.

import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  parseJSONRPCMessage,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import * as z from "zod/mini";
import { singleLine } from "../base/untrusted-text.ts";

const PARSE_ERROR = -32_700;
const SERVICE_ERROR = -32_000;
const MAX_REASON_CHARS = 500;

/** The part of a passed message that this end reads. */
const problemSchema = z.object({ error: z.string() });
const cancelledSchema = z.object({ requestId: z.union([z.string(), z.number()]) });
const answeredSchema = z.object({ status: z.optional(z.number()), text: z.optional(z.nullable(z.string())) });
const initializedSchema = z.object({ result: z.object({ protocolVersion: z.string() }) });

type McpStdioOptions = {
  readonly url: URL;
  readonly key: string;
  readonly userAgent: string;
  readonly input: Readable;
  readonly output: Writable;
};

type Id = JSONRPCRequest["id"];

/** Passes requests on until the input ends. Each is answered: with what the service said, or why it did not. */
export async function forwardStdio({ url, key, userAgent, input, output }: McpStdioOptions): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, "User-Agent": userAgent };
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  const waiting = new Map<Id, AbortController>();
  const write = (message: object) => void output.write(`${JSON.stringify(message)}\n`);
  const fail = (id: Id | null, error: { readonly code: number; readonly message: string }) => {
    if (id === null || waiting.delete(id)) write({ jsonrpc: "2.0", id, error });
  };
  transport.onmessage = (message) => {
    const initialized = initializedSchema.safeParse(message);
    // From here on the older wire names its version in a header.
    if (initialized.success) transport.setProtocolVersion(initialized.data.result.protocolVersion);
    if ("id" in message && message.id !== undefined && !waiting.delete(message.id)) return;
    write(message);
  };
  // Each failure is told to whoever asked.
  transport.onerror = () => {};
  // Whoever reads is gone: the input ends, too.
  output.on("error", () => {});
  await transport.start();

  const pass = async (message: JSONRPCRequest) => {
    const stop = new AbortController();
    const { id } = message;
    waiting.set(id, stop);
    const lost = { code: SERVICE_ERROR, message: "The service's answer was cut off. Ask again." };
    try {
      await transport.send(message, {
        requestSignal: stop.signal,
        onRequestStreamEnd: () => fail(id, lost),
      });
    } catch (cause) {
      if (!stop.signal.aborted) fail(id, { code: SERVICE_ERROR, message: reasonOf(cause, url) });
    }
  };

  const take = (message: JSONRPCMessage | null) => {
    if (message === null)
      return fail(null, { code: PARSE_ERROR, message: "The line is no message of JSON-RPC." });
    if (isJSONRPCRequest(message)) return void pass(message);
    // The server keeps nothing between requests: of what a client notifies only this means something.
    if (!isJSONRPCNotification(message) || message.method !== "notifications/cancelled") return;
    const cancelled = cancelledSchema.safeParse(message.params);
    if (!cancelled.success) return;
    const { requestId } = cancelled.data;
    waiting.get(requestId)?.abort();
    waiting.delete(requestId);
  };

  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== "") take(parsed(line));
  }
  for (const stop of waiting.values()) stop.abort();
  await transport.close();
}

function parsed(line: string): JSONRPCMessage | null {
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    return null;
  }
}

/** The service's own words where it said any. */
function reasonOf(cause: unknown, url: URL): string {
  if (cause instanceof SdkHttpError) {
    const answered = answeredSchema.safeParse(cause.data);
    const { status = "an error", text = null } = answered.success ? answered.data : {};
    return problemOf(text ?? "") ?? `The service at ${url.origin} answered with HTTP ${status}.`;
  }
  const text = cause instanceof Error ? singleLine(cause.message, MAX_REASON_CHARS) : "unknown cause";
  return `The service at ${url.origin} was not reached: ${text}`;
}

function problemOf(body: string): string | null {
  try {
    const problem = problemSchema.safeParse(JSON.parse(body));
    return problem.success ? singleLine(problem.data.error, MAX_REASON_CHARS) : null;
  } catch {
    return null;
  }
}
