// What can go wrong with an answer, on demand. A fault either answers in the handler's place or lets it go on later.

import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";

export type Fault =
  | {
      readonly type: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** A proxy's page where JSON was expected. */
  | { readonly type: "html"; readonly status?: number }
  | { readonly type: "redirect"; readonly location: string; readonly status?: number }
  /** Valid JSON of at least so many bytes. */
  | { readonly type: "huge"; readonly bytes: number }
  /** The connection is cut before a byte of the answer. */
  | { readonly type: "reset" }
  /** Half an answer, then the connection is cut. */
  | { readonly type: "cut" }
  /** No answer, ever. */
  | { readonly type: "hang" }
  /** The right answer, `ms` later. */
  | { readonly type: "delay"; readonly ms: number }
  /** The right answer, once the promise is fulfilled. */
  | { readonly type: "hold"; readonly until: Promise<unknown> };

export interface Faults {
  /** The next `times` requests fail so; later calls queue behind. */
  next(fault: Fault, times?: number): void;
  /** Every request fails so, once the queue is empty, until `clear()`. */
  always(fault: Fault): void;
  clear(): void;
  /** True when the request was answered, or never will be, by a fault. */
  answered(response: ServerResponse): Promise<boolean>;
}

export function makeFaults(): Faults {
  let queue: Fault[] = [];
  let standing: Fault | null = null;
  return {
    next: (fault, times = 1) => {
      queue.push(...Array.from({ length: times }, () => fault));
    },
    always: (fault) => {
      standing = fault;
    },
    clear: () => {
      queue = [];
      standing = null;
    },
    answered: async (response) => {
      const fault = queue.shift() ?? standing;
      return fault === null ? false : strike(fault, response);
    },
  };
}

async function strike(fault: Fault, response: ServerResponse): Promise<boolean> {
  switch (fault.type) {
    case "status":
      response.writeHead(fault.status, fault.headers).end(fault.body);
      return true;
    case "html":
      response.writeHead(fault.status ?? 200, { "content-type": "text/html; charset=utf-8" });
      response.end("<!doctype html><html><body><h1>Be right back</h1></body></html>");
      return true;
    case "redirect":
      response.writeHead(fault.status ?? 302, { location: fault.location }).end();
      return true;
    case "huge":
      await sendHuge(response, fault.bytes);
      return true;
    case "reset":
      response.destroy();
      return true;
    case "cut":
      response.writeHead(200, { "content-type": "application/json", "content-length": 4096 });
      response.write("{", () => response.destroy());
      return true;
    case "hang":
      return true;
    case "delay":
      await sleep(fault.ms);
      return response.destroyed;
    case "hold":
      await fault.until;
      return response.destroyed;
  }
}

async function sendHuge(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  // The client may disconnect in the middle: that is the fault's purpose.
  await pipeline(Readable.from(hugeJson(bytes)), response).catch(() => {});
}

function* hugeJson(bytes: number): Generator<string> {
  yield '{"keys":[],"padding":"';
  const chunk = "a".repeat(64 * 1024);
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
  yield '"}';
}
