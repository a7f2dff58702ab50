// The entries of a run, in their order: messages of the agent, its thoughts and tool calls, its steps, the service's notices.
// Pure.

import type {
  AssistantMessage,
  Notice,
  Resumption,
  RunReport,
  Step,
  Thought,
  ToolCall,
} from "../../report/run-report.ts";
import { resumptionNote } from "../resumption-notes.ts";

export type MessageEntry = {
  readonly kind: "message";
  readonly seq: number;
  readonly message: AssistantMessage;
};
export type ThoughtEntry = { readonly kind: "thought"; readonly seq: number; readonly thought: Thought };
export type CallEntry = { readonly kind: "call"; readonly seq: number; readonly call: ToolCall };
export type Entry =
  | MessageEntry
  | ThoughtEntry
  | CallEntry
  | { readonly kind: "step"; readonly seq: number; readonly step: Step }
  | { readonly kind: "notice"; readonly seq: number; readonly notice: Notice };

/** In the order of their beginnings. */
export function entriesOf(report: RunReport): readonly Entry[] {
  const entries: Entry[] = [
    ...report.messages.map((message): Entry => ({ kind: "message", seq: message.seq, message })),
    ...report.thoughts.map((thought): Entry => ({ kind: "thought", seq: thought.seq, thought })),
    ...report.calls.map((call): Entry => ({ kind: "call", seq: call.seq, call })),
    ...report.steps.map((step): Entry => ({ kind: "step", seq: step.seq, step })),
    ...report.notices.map((notice): Entry => ({ kind: "notice", seq: notice.seq, notice })),
    ...report.resumptions.map(resumptionEntry),
  ];
  return entries.filter(isShown).sort((a, b) => a.seq - b.seq);
}

export function resumptionEntry(resumption: Resumption): Entry {
  const { seq } = resumption;
  return { kind: "notice", seq, notice: { seq, text: resumptionNote(resumption) } };
}

/** An answer that called a tool and said nothing is none. */
export function isShown(entry: Entry): boolean {
  if (entry.kind === "message") return entry.message.text.trim() !== "";
  return entry.kind !== "thought" || entry.thought.text.trim() !== "";
}

export function entryId(seq: number): string {
  return `e${seq}`;
}
