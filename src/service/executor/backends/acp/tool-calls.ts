// An agent's tool calls, merged from its updates, with arguments and results as text.
// Pure.

import { diffText } from "./diff-text.ts";
import type { PermissionDecision } from "./permissions.ts";
import { describeDecision } from "./permissions.ts";
import { outputChunkOf, type ToolContent, type ToolUpdate, textOf, toolNameOf } from "./updates.ts";

/** The field that holds the output in agents that send a whole record. */
const outputNames = ["formatted_output", "aggregated_output", "output", "stdout"];

/** The end of a command's output says most. */
const MAX_STREAMED_CHARS = 100_000;

export type AcpToolCall = {
  /** Our id, unique in the run. */
  readonly id: string;
  title: string;
  name: string | null;
  /** Of the tool, where an agent says it beside the title. */
  toolName: string | null;
  kind: string | null;
  status: string;
  content: readonly ToolContent[];
  locations: readonly { readonly path: string; readonly line?: number | null | undefined }[];
  input: unknown;
  output: unknown;
  /** The output of a command, as it has come piece by piece. */
  streamed: string;
  decision: PermissionDecision | null;
  /** Whether its start is in the stream. */
  isAnnounced: boolean;
  /** Whether its result is in the stream: then the call is finished. */
  isFinished: boolean;
};

export function newToolCall(id: string): AcpToolCall {
  return {
    id,
    title: "",
    name: null,
    toolName: null,
    kind: null,
    status: "pending",
    content: [],
    locations: [],
    input: undefined,
    output: undefined,
    streamed: "",
    decision: null,
    isAnnounced: false,
    isFinished: false,
  };
}

/** Applies the update. */
export function updateToolCall(call: AcpToolCall, update: ToolUpdate): void {
  call.title = update.title ?? call.title;
  call.name = update.name ?? call.name;
  call.toolName = toolNameOf(update) ?? call.toolName;
  call.kind = update.kind ?? call.kind;
  call.status = update.status ?? call.status;
  call.content = update.content ?? call.content;
  call.locations = update.locations ?? call.locations;
  call.input = update.rawInput ?? call.input;
  call.output = update.rawOutput ?? call.output;
  call.streamed = (call.streamed + outputChunkOf(update)).slice(-MAX_STREAMED_CHARS);
}

/** Its arguments may still arrive until it is in progress or needs a permission; some agents send an empty object before. */
export function isReadyToShow(call: AcpToolCall): boolean {
  if (hasEnded(call) || call.decision !== null) return true;
  const { input, status } = call;
  const isEmpty = typeof input === "object" && Object.keys(input ?? {}).length === 0;
  return status === "in_progress" && !isEmpty;
}

export function hasEnded({ status }: AcpToolCall): boolean {
  return status === "completed" || status === "failed";
}

export function nameOf(call: AcpToolCall): string {
  return call.name ?? call.kind ?? "tool";
}

/** As JSON. `shorten` turns absolute paths into paths of the repository. */
export function argumentsOf(call: AcpToolCall, shorten: (text: string) => string): string {
  const { title, kind, name, locations, input } = call;
  const places = locations.map(({ path, line }) =>
    typeof line === "number" ? `${shorten(path)}:${line}` : shorten(path),
  );
  const shown = {
    ...(title === "" || title === name ? {} : { title }),
    ...(kind === null || name === null ? {} : { kind }),
    ...(places.length === 0 ? {} : { locations: places }),
    ...(input === undefined ? {} : { input }),
  };
  return shorten(JSON.stringify(shown));
}

export function resultOf(call: AcpToolCall, shorten: (text: string) => string): string {
  const parts = call.content.map(partText).filter((part) => part !== "");
  const output = parts.length > 0 ? parts : [call.streamed || outputText(call.output)];
  const said = shorten(output.join("\n"));
  const decision = call.decision === null ? "" : `${describeDecision(call.decision)}\n`;
  const isRefused = call.decision?.answer === "reject" && call.status !== "completed";
  return `${call.status === "failed" || isRefused ? "error: " : ""}${decision}${said}`.trimEnd();
}

function partText(part: ToolContent): string {
  if (part.type === "content" && "content" in part) return textOf(part.content as never);
  if (part.type === "diff" && "newText" in part) {
    const { path, oldText, newText } = part as { path: string; oldText?: string | null; newText: string };
    return diffText({ path, before: oldText ?? null, after: newText });
  }
  return "";
}

function outputText(output: unknown): string {
  if (output === undefined || output === null) return "";
  if (typeof output === "string") return output;
  const members: Record<string, unknown> = typeof output === "object" ? { ...output } : {};
  const text = outputNames.map((name) => members[name]).find((value) => typeof value === "string");
  return typeof text === "string" ? text : JSON.stringify(output);
}
