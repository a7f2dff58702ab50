// Requests of a waiting run to the editor's person: an answer to its question, leave to go on, and what only the account's owner allows.

import type { PermissionOption } from "@agentclientprotocol/sdk";
import { singleLine } from "../../base/untrusted-text.ts";
import { ApiError, type Client, type Run } from "../../client/client.ts";
import type { QuestionEvent } from "../../contract/runs/run-event.ts";
import { parkedNote } from "../../render/resumption-notes.ts";
import { verdictForReader } from "../run-conclusion.ts";
import type { Editor } from "./editor.ts";

const MAX_OPTION_CHARS = 200;
const MAX_CHOICES = 8;
const LATER = "later";
const ALLOW = "allow";

/** Parked for these, a run goes on without being given anything. */
const goesOnAsItIs: readonly string[] = [
  "max_turns",
  "time_limit",
  "credits",
  "day_cap",
  "provider_unavailable",
];

type Answered = {
  readonly goesOn: boolean;
  /** The `seq` after which it goes on. */
  readonly after: number;
  /** What the person is told. */
  readonly note: string | null;
};

type Asking = {
  readonly client: Client;
  readonly editor: Editor;
  readonly run: Run;
  readonly signal: AbortSignal;
};

/** Where nobody answers, the session's next prompt does. */
export async function goOnParked(
  asking: Asking & { readonly question: QuestionEvent["value"] | null },
): Promise<Answered> {
  const { client, editor, run, question, signal } = asking;
  if (run.status !== "running" || run.parked === undefined) return { goesOn: false, after: 0, note: null };
  const { parked } = run;
  if (parked.reason === "question") {
    const answer = question === null ? null : await answerTo(question, { editor, run, signal });
    if (answer === null) return { goesOn: false, after: 0, note: "Your next message answers it." };
    const resumed = await client.questions.answer({
      runId: run.id,
      body: { answer, asked_at: parked.since },
      signal,
    });
    return { goesOn: true, after: resumed.continued_after ?? 0, note: null };
  }
  if (!goesOnAsItIs.includes(parked.reason)) {
    return { goesOn: false, after: 0, note: verdictForReader(run, null).message };
  }
  const chosen = await editor.askPermission(
    {
      toolCall: {
        toolCallId: `${run.id}/parked-${parked.since}`,
        title: parkedNote(parked),
        kind: "other",
        status: "pending",
      },
      options: [
        { optionId: ALLOW, name: "Go on", kind: "allow_once" },
        { optionId: LATER, name: "Not now", kind: "reject_once" },
      ],
    },
    signal,
  );
  if (chosen !== ALLOW)
    return { goesOn: false, after: 0, note: "The run waits. Your next message continues it." };
  try {
    const resumed = await client.runs.resume({ agentId: run.agent_id, runId: run.id, body: {}, signal });
    return { goesOn: true, after: resumed.continued_after ?? 0, note: null };
  } catch (cause) {
    // It lacks still what it was parked for.
    if (!(cause instanceof ApiError) || cause.status !== 409) throw cause;
    return { goesOn: false, after: 0, note: singleLine(cause.message, 1_000) };
  }
}

/** One of the choices by a permission's options, words by a form. Null: the person says it in the next prompt. */
async function answerTo(
  { question, choices }: QuestionEvent["value"],
  { editor, run, signal }: Pick<Asking, "editor" | "run" | "signal">,
): Promise<string | null> {
  if (choices.length === 0) return (await editor.askWords(question, signal)) ?? null;
  const shown = choices.slice(0, MAX_CHOICES);
  const options: PermissionOption[] = shown.map((choice, index) => ({
    optionId: String(index),
    name: singleLine(choice, MAX_OPTION_CHARS),
    kind: "allow_once",
  }));
  const chosen = await editor.askPermission(
    {
      toolCall: {
        toolCallId: `${run.id}/question-${"started_at" in run ? (run.last_heartbeat_at ?? "") : ""}`,
        title: singleLine(question, 1_000),
        kind: "think",
        status: "pending",
        content: [{ type: "content", content: { type: "text", text: question } }],
      },
      options: [...options, { optionId: LATER, name: "Answer in words", kind: "reject_once" }],
    },
    signal,
  );
  return chosen === null ? null : (shown[Number(chosen)] ?? null);
}

/** What the run would have written by MCP servers: once it is allowed, the session goes on. */
export async function approveAsked(
  asking: Asking & { readonly servers: readonly string[] },
): Promise<{ readonly isApproved: boolean; readonly note: string | null }> {
  const { client, editor, run, servers, signal } = asking;
  if (servers.length === 0) return { isApproved: false, note: null };
  const waiting = await client.approvals.list({
    query: { agent_id: run.agent_id, status: "pending" },
    signal,
  });
  let isApproved = false;
  for (const approval of waiting) {
    // Requests for one server are one approval, of the run that was first.
    if (approval.kind !== "grant_writes" || !servers.includes(approval.server)) continue;
    const { server, tool } = approval;
    const chosen = await editor.askPermission(
      {
        toolCall: {
          toolCallId: `${run.id}/approval-${approval.id}`,
          title: `Let the agent write by the MCP server "${singleLine(server, 100)}": it has called "${singleLine(tool, 100)}"`,
          kind: "other",
          status: "pending",
        },
        options: [
          { optionId: ALLOW, name: "Allow, in later runs too", kind: "allow_always" },
          { optionId: LATER, name: "Not now", kind: "reject_once" },
        ],
      },
      signal,
    );
    if (chosen !== ALLOW) continue;
    try {
      await client.approvals.approve({ approvalId: approval.id, signal });
      isApproved = true;
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.status !== 403) throw cause;
      return { isApproved, note: `Only the account's owner may allow it: ${approval.approve_url}` };
    }
  }
  return { isApproved, note: null };
}
