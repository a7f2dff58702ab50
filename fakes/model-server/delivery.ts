// One scripted turn onto one HTTP response, event by event, with its cuts and waits.

import type { ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { assertNever } from "../../src/base/assert-never.ts";
import { sendJson } from "../code-host/server.ts";
import type { ModelRequest } from "./request.ts";
import { type Answer, answer, type Cut, type Part, settle, type Turn } from "./turn.ts";
import { type Outline, type Piece, piecesOf, type Wire, type Writable } from "./wire.ts";

/** Between two bytes of a drip: a faster one would keep the machine busy. */
const DRIP_MS = 1;

export type Delivery = {
  readonly wire: Wire;
  readonly request: ModelRequest;
  readonly response: ServerResponse;
  readonly nextId: (prefix: string) => string;
  /** No two calls of a server share one. */
  readonly nextCallId: () => string;
  /** Told before the server itself cuts the connection. */
  readonly willCut: () => void;
};

export async function deliver(delivery: Delivery, turn: Turn): Promise<void> {
  const { wire, request, response } = delivery;
  switch (turn.type) {
    case "failure":
      for (const [name, value] of Object.entries(turn.headers)) response.setHeader(name, value);
      if (typeof turn.body === "string") {
        response.writeHead(turn.status).end(turn.body);
        return;
      }
      return sendJson(response, turn.status, turn.body ?? wire.failure(turn.status, turn.message));
    case "reset":
      delivery.willCut();
      response.destroy();
      return;
    case "endless":
      return await streamForEver(response);
    case "drip":
      return await dripForEver(delivery, turn.parts);
    case "stall":
      if (await holds(response, turn.until)) return;
      return deliver(delivery, await settle(turn.then, request));
    case "answer":
      return request.stream ? stream(delivery, turn) : sendWhole(delivery, turn);
    default:
      assertNever(turn);
  }
}

async function streamForEver(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  await write(response, Buffer.from('data: {"'));
  const more = Buffer.alloc(64 * 1024, "x");
  while (!response.destroyed) await write(response, more);
}

async function dripForEver(delivery: Delivery, parts: readonly Part[]): Promise<void> {
  const { wire, response, nextCallId } = delivery;
  const writer = wire.events(outlineOf(delivery, answer(parts)));
  beginStream(response);
  const send = async (events: readonly string[]) => {
    for (const byte of Buffer.from(events.join(""))) {
      if (response.destroyed) return;
      await write(response, Buffer.of(byte));
      await setTimeout(DRIP_MS);
    }
  };
  await send(writer.start());
  while (!response.destroyed) {
    for (const piece of piecesOf(parts, nextCallId).filter(isWritable)) {
      await send(writer.write(piece));
    }
  }
}

function beginStream(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  response.flushHeaders();
}

async function stream(delivery: Delivery, told: Answer): Promise<void> {
  const { wire, response, nextCallId } = delivery;
  const answer = withSilentThought(told);
  const writer = wire.events(outlineOf(delivery, answer));
  beginStream(response);
  const send = sender(delivery, answer.cut);
  if (!(await send(writer.start()))) return;
  for (const piece of piecesOf(answer.parts, nextCallId)) {
    if (piece.type === "wait") {
      if (await holds(response, piece.until)) return;
      continue;
    }
    if (!(await send(writer.write(piece)))) return;
    if (piece.type === "error") {
      response.end();
      return;
    }
  }
  if (await send(writer.finish())) response.end();
}

/**
 * Today's models think before every answer, and show nothing of it unless asked: each answer has a sealed thought without a
 * text, so that every story tells whether its history stays as it was. Those that are cut are counted by their events.
 */
function withSilentThought(told: Answer): Answer {
  const isWhole = told.cut === null && told.parts.length > 0;
  if (!isWhole || told.parts.some(({ type }) => type === "thought")) return told;
  return { ...told, parts: [{ type: "thought", text: "" }, ...told.parts] };
}

/** Sends what the cut lets through. False once nothing more can be sent. */
function sender(delivery: Delivery, cut: Cut | null): (events: readonly string[]) => Promise<boolean> {
  const { response } = delivery;
  let left = cut?.count ?? Number.POSITIVE_INFINITY;
  return async (events) => {
    for (const event of events) {
      const bytes = Buffer.from(event);
      const room = cut?.type === "bytes" ? left : bytes.length;
      if (left > 0) await write(response, bytes.subarray(0, room));
      if (response.destroyed) return false;
      left -= cut?.type === "bytes" ? bytes.length : 1;
      if (left > 0) continue;
      breakOff(delivery, cut);
      return false;
    }
    return true;
  };
}

async function sendWhole(delivery: Delivery, answer: Answer): Promise<void> {
  const { wire, response, nextCallId } = delivery;
  const pieces = piecesOf(answer.parts, nextCallId);
  for (const piece of pieces) {
    if (piece.type === "wait" && (await holds(response, piece.until))) return;
    if (piece.type === "error") return sendJson(response, 500, wire.failure(500, piece.message));
  }
  const document = wire.document(outlineOf(delivery, answer), pieces.filter(isWritable));
  if (answer.cut === null) return sendJson(response, 200, document);
  const bytes = Buffer.from(JSON.stringify(document));
  response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
  const kept = answer.cut.type === "bytes" ? bytes.subarray(0, answer.cut.count) : bytes.subarray(0, 0);
  if (kept.length > 0) await write(response, kept);
  breakOff(delivery, answer.cut);
}

function outlineOf({ wire, request, nextId }: Delivery, answer: Answer): Outline {
  const id = nextId(wire.name === "anthropic" ? "msg" : "resp");
  return { id, asked: request, answer, prefix: wire.prefixOf(request.body) };
}

function isWritable(piece: Piece): piece is Writable {
  return piece.type !== "wait";
}

function breakOff({ response, willCut }: Delivery, cut: Cut | null): void {
  willCut();
  if (cut?.how === "end") response.end();
  else response.destroy();
}

/** Until the bytes are out. A caller that has hung up is seen in `response.destroyed`. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });
}

/** True when the caller hung up before the promise was fulfilled. */
async function holds(response: ServerResponse, until: Promise<unknown>): Promise<boolean> {
  const closed = Promise.withResolvers<void>();
  response.once("close", closed.resolve);
  await Promise.race([until, closed.promise]);
  response.off("close", closed.resolve);
  return response.destroyed;
}
