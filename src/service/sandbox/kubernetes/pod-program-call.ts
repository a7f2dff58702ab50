// A program in a pod that goes on beside commands, such as an MCP server or a coding agent: one call, whose frames are its pipes. A program
// that was spoken to cannot be spoken to again: it ends with its connection.

import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { isObject } from "../../../base/json.ts";
import { lastComplaint } from "../../../base/last-complaint.ts";
import type { RunningProgram } from "../../core/ports/sandbox.ts";
import { encodeFrame, type Frame, FrameError, frameKinds, MAX_CONTENT_BYTES } from "./frames.ts";
import { callPod, PodLostError, type PodPlace } from "./pod-call.ts";

const MAX_KEPT_CHARS = 8_192;
/** What an ended program is given to end with all that it started. */
const END_MS = 10_000;
const passedLimits = ["memory", "disk"] as const;

export type ProgramHeader = {
  /** Nothing else in the pod has it. */
  readonly id: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** False: it works in an empty folder. */
  readonly isTreeShown: boolean;
  /** The folder that a coding agent has as its home. Null: one of its own, which goes with it. */
  readonly agentHome: string | null;
  readonly maxDiskBytes: number;
};

type PodLimit = { readonly limit: (typeof passedLimits)[number]; readonly allowedBytes: number };

export type PodProgramEnd =
  | {
      readonly type: "exited";
      readonly exitCode: number | null;
      readonly signal: string | null;
      readonly limit: PodLimit | null;
    }
  | { readonly type: "not_started"; readonly code: string }
  | { readonly type: "cut" }
  /** By `end`. */
  | { readonly type: "ended" }
  | { readonly type: "failed"; readonly cause: unknown };

export type PodProgram = {
  readonly input: Writable;
  readonly output: PassThrough;
  readonly complaints: PassThrough;
  /** Resolves once nothing more of it comes. */
  readonly ended: Promise<PodProgramEnd>;
  /** Asks it and its group to end. */
  terminate(): void;
  /** Ends it and all that it started, at once. Safe to repeat. */
  end(): Promise<void>;
};

class CutProgramError extends Error {}

/** Starts it. `onLost` is called where its pod is lost; `clean` once, when nothing of the program is left. */
export function startInPod(
  place: PodPlace,
  parts: {
    readonly header: ProgramHeader;
    readonly onLost: (cause: Error) => void;
    readonly clean: () => Promise<void>;
  },
): PodProgram {
  const { header, onLost, clean } = parts;
  const toPod = new PassThrough();
  const output = new PassThrough();
  const complaints = new PassThrough();
  const stop = new AbortController();
  let calls = 0;
  let isEnding = false;
  /** False where it is to wait. */
  const send = (kind: number, content?: Buffer): boolean =>
    toPod.writableEnded || toPod.write(encodeFrame({ kind, ...(content === undefined ? {} : { content }) }));
  const input = new Writable({
    write: (bytes: Buffer, _, done) => {
      let hasRoom = true;
      for (let at = 0; at < bytes.length; at += MAX_CONTENT_BYTES)
        hasRoom = send(frameKinds.data, bytes.subarray(at, at + MAX_CONTENT_BYTES));
      if (hasRoom) done();
      else toPod.once("drain", done);
    },
    final: (done) => {
      send(frameKinds.ended);
      done();
    },
  });
  // What is written to a program that has ended is nobody's.
  input.on("error", () => {});
  const take = async ({ kind, content }: Frame): Promise<void> => {
    const stream = kind === frameKinds.output ? output : kind === frameKinds.complaint ? complaints : null;
    if (stream === null || stream.destroyed || stream.write(content)) return;
    await Promise.race([once(stream, "drain"), once(stream, "close")]).catch(() => {});
  };
  const begin = () => {
    calls += 1;
    if (calls > 1) throw new CutProgramError("the connection to its pod was cut");
  };
  const settle = async (): Promise<PodProgramEnd> => {
    const end = await callPod(place, {
      header: () => ({ call: "program", ...header }),
      begin,
      body: () => toPod,
      take,
      signal: stop.signal,
    }).then(({ end: told }) => endOf(isObject(told) ? told : {}), failureOf);
    if (end.type === "failed" && !isEnding && isLoss(end.cause)) onLost(end.cause);
    toPod.end();
    input.destroy();
    for (const stream of [output, complaints]) stream.end();
    await clean();
    return isEnding ? { type: "ended" } : end;
  };
  const ended = settle();
  return {
    input,
    output,
    complaints,
    ended,
    terminate: () => void send(frameKinds.terminated),
    end: async () => {
      isEnding = true;
      send(frameKinds.closed);
      const late = setTimeout(() => stop.abort(new Error("it did not end")), END_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

/** The program as the port of programs has it. */
export function runningProgram({ input, output, complaints, ended, end }: PodProgram): RunningProgram {
  let said = "";
  complaints.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString("utf8")).slice(-MAX_KEPT_CHARS);
  });
  return { input, output, lastComplaint: () => lastComplaint(said), ended: ended.then(howOf), end };
}

function isLoss(cause: unknown): cause is Error {
  return cause instanceof PodLostError || cause instanceof FrameError;
}

function failureOf(cause: unknown): PodProgramEnd {
  return cause instanceof CutProgramError ? { type: "cut" } : { type: "failed", cause };
}

function endOf({
  exitCode,
  signal,
  fault,
  limit,
  allowed,
}: Readonly<Record<string, unknown>>): PodProgramEnd {
  if (typeof fault === "string") return { type: "not_started", code: fault };
  const passed = passedLimits.find((one) => one === limit);
  return {
    type: "exited",
    exitCode: typeof exitCode === "number" ? exitCode : null,
    signal: typeof signal === "string" ? signal : null,
    limit:
      passed === undefined
        ? null
        : { limit: passed, allowedBytes: typeof allowed === "number" ? allowed : 0 },
  };
}

function howOf(end: PodProgramEnd): string {
  switch (end.type) {
    case "exited":
      if (end.limit !== null) return `it was ended at its limit of ${end.limit.limit}`;
      return end.exitCode === null
        ? `it was ended by ${String(end.signal)}`
        : `it ended with exit code ${end.exitCode}`;
    case "not_started":
      return end.code === "ENOENT" ? "it was not found in the pod" : `it did not start (${end.code})`;
    case "cut":
      return "the connection to its pod was cut";
    case "ended":
      return "it was ended";
    case "failed":
      return end.cause instanceof Error ? end.cause.message : "it could not be started";
  }
}
