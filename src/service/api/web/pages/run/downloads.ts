// Downloads of a run's page: its events, its patch, one call in full. Text that a browser shows or saves, and never as a page.

import { Readable } from "node:stream";
import { byteLength } from "../../../../../base/bounded-text.ts";
import { visibleText } from "../../../../../base/untrusted-text.ts";
import { CHANGES_EVENT } from "../../../../../contract/runs/changes.ts";
import { asRunEvent } from "../../../../../contract/runs/run-event.ts";
import { ndjsonLine } from "../../../../../render/ndjson.ts";
import { maskSecrets } from "../../../../../report/find-secrets.ts";
import { notFoundPage } from "../../page.ts";
import type { WebContext } from "../../web-context.ts";
import { sessionOf } from "../../web-session.ts";
import type { ReadableRun } from "./run-reader.ts";
import { storedEvents, toStoredRunEvent } from "./stored-events.ts";

const MAX_CALL_CHARS = 4_000_000;

export function eventsDownload(context: WebContext, readable: ReadableRun): Response {
  const { core } = context.get("parts");
  const { signal } = context.req.raw;
  async function* lines() {
    for await (const page of storedEvents(core, readable, { signal }))
      yield Buffer.from(page.map((event) => ndjsonLine(toStoredRunEvent(event))).join(""));
  }
  setHeaders(context, {
    type: "application/x-ndjson; charset=utf-8",
    fileName: `run-${readable.run.id}.ndjson`,
  });
  return context.body(
    Readable.toWeb(Readable.from(lines(), { objectMode: false })) as ReadableStream<Uint8Array>,
  );
}

export async function patchDownload(context: WebContext, readable: ReadableRun): Promise<Response> {
  const { core } = context.get("parts");
  let patch: string | null = null;
  for await (const page of storedEvents(core, readable, { signal: context.req.raw.signal })) {
    for (const { json } of page) {
      const event = json.includes(CHANGES_EVENT) ? asRunEvent(JSON.parse(json)) : null;
      if (event?.type === "CUSTOM" && event.name === CHANGES_EVENT) patch = event.value.patch;
    }
  }
  if (patch === null || patch === "") return await notFoundPage(context, await sessionOf(context));
  setHeaders(context, { type: "text/x-diff; charset=utf-8", fileName: `run-${readable.run.id}.patch` });
  return context.body(patch);
}

/** The arguments and the result of the call that begins with the event `seq`. */
export async function callText(context: WebContext, readable: ReadableRun, seq: number): Promise<Response> {
  const found = await readCall(context, readable, seq);
  if (found === null) return await notFoundPage(context, await sessionOf(context));
  const { name, args, result } = found;
  const whole = `${name}\n\n${args}\n\n${result ?? "There is no result yet."}\n`;
  const shown = visibleText(maskSecrets(whole.slice(0, MAX_CALL_CHARS)));
  setHeaders(context, { type: "text/plain; charset=utf-8", fileName: null });
  context.header("Content-Length", String(byteLength(shown)));
  return context.body(shown);
}

type Call = { readonly name: string; args: string; result: string | null };

async function readCall(context: WebContext, readable: ReadableRun, seq: number): Promise<Call | null> {
  const { core } = context.get("parts");
  let call: (Call & { readonly id: string }) | null = null;
  for await (const page of storedEvents(core, readable, { after: seq - 1, signal: context.req.raw.signal })) {
    for (const { json } of page) {
      const event = asRunEvent(JSON.parse(json));
      if (call === null) {
        if (event?.type !== "TOOL_CALL_START") return null;
        call = { id: event.toolCallId, name: event.toolCallName, args: "", result: null };
      } else if (event?.type === "TOOL_CALL_ARGS" && event.toolCallId === call.id) call.args += event.delta;
      else if (event?.type === "TOOL_CALL_RESULT" && event.toolCallId === call.id)
        return { ...call, result: event.content };
      // The next one of the same id, in a run that was taken up again.
      else if (event?.type === "TOOL_CALL_START" && event.toolCallId === call.id) return call;
    }
  }
  return call;
}

function setHeaders(
  context: WebContext,
  { type, fileName }: { type: string; fileName: string | null },
): void {
  const headers = {
    "Content-Type": type,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "Content-Disposition": fileName === null ? "inline" : `attachment; filename="${fileName}"`,
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, no-store",
    "X-Robots-Tag": "noindex",
    "X-Content-Type-Options": "nosniff",
  };
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
}
