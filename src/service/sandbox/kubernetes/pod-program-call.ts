// A program in a pod that goes on beside commands, such as an MCP server: one call, whose frames are its pipes. A program that was spoken to
// cannot be spoken to again: it ends with its connection.

import { PassThrough } from "node:stream";
import { isObject } from "../../../base/json.ts";
import { lastComplaint } from "../../../base/last-complaint.ts";
import type { ProgramInput, RunningProgram } from "../../core/ports/sandbox.ts";
import { encodeFrame, type Frame, frameKinds, MAX_CONTENT_BYTES } from "./frames.ts";
import { callPod, type PodPlace } from "./pod-call.ts";

const MAX_KEPT_CHARS = 8_192;
/** What an ended program is given to end with all that it started. */
const END_MS = 10_000;

type ProgramHeader = {
  /** Nothing else in the pod has it. */
  readonly id: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** False: it works in an empty folder. */
  readonly isTreeShown: boolean;
};

/** `clean` is called once, when nothing of the program is left. */
export function startInPod(
  place: PodPlace,
  { header, clean }: { readonly header: ProgramHeader; readonly clean: () => Promise<void> },
): RunningProgram {
  const toPod = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController();
  let complaints = "";
  let calls = 0;
  let isEnding = false;
  const send = (kind: number, content?: Buffer) => {
    if (!toPod.writableEnded)
      toPod.write(encodeFrame({ kind, ...(content === undefined ? {} : { content }) }));
  };
  const input: ProgramInput = {
    get destroyed() {
      return toPod.writableEnded;
    },
    write: (text) => sendText(text),
    end: (text) => {
      if (text !== undefined) sendText(text);
      send(frameKinds.ended);
    },
  };
  function sendText(text: string): void {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += MAX_CONTENT_BYTES)
      send(frameKinds.data, bytes.subarray(at, at + MAX_CONTENT_BYTES));
  }
  const take = ({ kind, content }: Frame) => {
    if (kind === frameKinds.output) output.write(content);
    else if (kind === frameKinds.complaint)
      complaints = (complaints + content.toString("utf8")).slice(-MAX_KEPT_CHARS);
  };
  const begin = () => {
    calls += 1;
    if (calls > 1) throw new Error("the connection to its pod was cut");
  };
  const settle = async (): Promise<string> => {
    const how = await callPod(place, {
      header: () => ({ call: "program", ...header }),
      begin,
      body: () => toPod,
      take,
      signal: stop.signal,
    }).then(
      ({ end }) => howOf(isObject(end) ? end : {}),
      (cause: unknown) => (cause instanceof Error ? cause.message : "it could not be started"),
    );
    toPod.end();
    output.end();
    await clean();
    return isEnding ? "it was ended" : how;
  };
  const ended = settle();
  return {
    input,
    output,
    lastComplaint: () => lastComplaint(complaints),
    ended,
    end: async () => {
      isEnding = true;
      send(frameKinds.closed);
      const late = setTimeout(() => stop.abort(new Error("it did not end")), END_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

function howOf({ exitCode, signal, fault }: Readonly<Record<string, unknown>>): string {
  if (fault === "ENOENT") return "it was not found in the pod";
  if (typeof fault === "string") return `it did not start (${fault})`;
  return typeof exitCode === "number"
    ? `it ended with exit code ${exitCode}`
    : `it was ended by ${String(signal)}`;
}
