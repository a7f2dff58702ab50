// The status that bubblewrap writes while it runs, and its input beside the arguments.

import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { STATUS_DESCRIPTOR } from "./bubblewrap-options.ts";

/** The first process as this machine numbers it, and the namespace of processes that ends with it. */
export type Inside = { readonly firstProcess: number; readonly processNamespace: number };

type BubblewrapStatus = {
  inside: Inside | null;
  exitCode: number | null;
  /** Null when it never came to be. */
  readonly started: Promise<Inside | null>;
};

/** Reads the lines that bubblewrap writes about itself; nothing inside of it can write there. */
export function followStatus(child: ChildProcess): BubblewrapStatus {
  const { promise, resolve } = Promise.withResolvers<Inside | null>();
  const status: BubblewrapStatus = { inside: null, exitCode: null, started: promise };
  let text = "";
  const pipe = child.stdio[STATUS_DESCRIPTOR] as Readable | null | undefined;
  pipe?.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    const firstProcess = numberIn(text, "child-pid");
    const processNamespace = numberIn(text, "pid-namespace");
    if (firstProcess !== null && processNamespace !== null)
      status.inside = { firstProcess, processNamespace };
    status.exitCode = numberIn(text, "exit-code");
    if (status.inside !== null) resolve(status.inside);
  });
  pipe?.on("error", () => undefined);
  child.once("close", () => resolve(null));
  child.once("error", () => resolve(null));
  return status;
}

export function feed(child: ChildProcess, descriptor: number, content: Buffer | string): void {
  const pipe = child.stdio[descriptor] as (Readable & Writable) | null | undefined;
  // A sandbox that fails before it has read everything says why by itself.
  pipe?.on("error", () => undefined);
  pipe?.resume();
  pipe?.end(content);
}

function numberIn(text: string, name: string): number | null {
  const found = new RegExp(`"${name}": (\\d+)[ ,}]`).exec(text)?.[1];
  return found === undefined ? null : Number(found);
}
