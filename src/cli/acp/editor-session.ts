// One session of an editor: a session of the service in a workspace, with a copy of its own. A prompt sends what the folder has, is a
// run there, and brings back what the run has changed. The run is the service's: an editor that goes away leaves it at work.

import { randomUUID } from "node:crypto";
import { setImmediate as afterThis } from "node:timers/promises";
import {
  type ContentBlock,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from "@agentclientprotocol/sdk";
import { singleLine } from "../../base/untrusted-text.ts";
import type { Client, Run } from "../../client/client.ts";
import { isTerminal } from "../../contract/runs/run.ts";
import type { StoredRunEvent } from "../../contract/runs/run-event.ts";
import { plural } from "../../render/quantities.ts";
import type { SyncResult } from "../workspaces/sync.ts";
import type { Editor } from "./editor.ts";
import { FollowedFacts } from "./followed-facts.ts";
import { listOf, offeredEdits, refusalText } from "./offered-edits.ts";
import { approveAsked, goOnParked } from "./persons-answers.ts";
import { type EditorPrompt, promptOf } from "./prompt-blocks.ts";
import type { Offer, SessionCopy } from "./session-copy.ts";
import { SessionUpdates, textUpdate } from "./session-updates.ts";

const MAX_TITLE_CHARS = 80;
/** For a cancelled run to end: it goes on ending where it takes longer. */
const STOP_MS = 15_000;
const PAGE_EVENTS = 500;
/** As the AG-UI endpoint says it. */
const GO_ON = "What you asked for is approved. Go on.";

type SessionParts = {
  readonly id: string;
  readonly root: string;
  readonly workspaceId: string;
  readonly agentId: string;
  readonly client: Client;
  readonly editor: Editor;
  readonly copy: SessionCopy;
  /** Ends when the editor is gone. */
  readonly gone: AbortSignal;
};

/** A run of this session that is not known to have ended. */
type OpenRun = {
  readonly id: string;
  cursor: number;
  isParked: boolean;
  /** What it has changed may be left to be offered. */
  hasEnded: boolean;
  readonly facts: FollowedFacts;
};

const rejectId = "reject";
const alwaysId = "always";
const editOptions = [
  { optionId: "apply", name: "Apply", kind: "allow_once" },
  { optionId: alwaysId, name: "Apply, and do not ask again in this session", kind: "allow_always" },
  { optionId: rejectId, name: "Do not apply", kind: "reject_once" },
] as const;

export class EditorSession {
  readonly #parts: SessionParts;
  /** What is under way. */
  #turn: AbortController | null = null;
  /** What is left of a run that had ended before the session was loaded: the next prompt waits for it. */
  #settling: Promise<StopReason> | null = null;
  readonly #left = new AbortController();
  #run: OpenRun | null = null;
  #appliesAlways = false;
  #hasTitle = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** Rejects with RequestError while something is under way. */
  async prompt(blocks: readonly ContentBlock[]): Promise<PromptResponse> {
    const prompt = promptOf(blocks, this.#parts.root);
    const settled = await this.#settling;
    if (settled === "cancelled") return { stopReason: settled };
    return { stopReason: await this.#take((signal) => this.#answer(prompt, signal)) };
  }

  /** Cancels the run that is under way. Does nothing where there is none. */
  cancel(): void {
    this.#turn?.abort(new Error("It was cancelled."));
  }

  /** Another object takes its place: it tells nothing more, and its run goes on. */
  leave(): void {
    this.#left.abort(new Error("The session was loaded again."));
  }

  /** Tells what runs have done so far, oldest first; `continueWork` goes on with the last one. */
  async replay(runs: readonly Run[], { isTold }: { readonly isTold: boolean }): Promise<void> {
    const last = runs.at(-1);
    for (const run of runs) {
      const open = this.#openRun(run.id);
      const request = run.about?.request;
      if (isTold && request !== undefined) await this.#tell(textUpdate("user_message_chunk", request));
      await this.#readSoFar(open, isTold);
      if (run !== last) continue;
      this.#hasTitle = true;
      this.#run = open;
    }
  }

  /** After `replay`: the last run is followed to its end, and what it has changed is offered. Begins after what is under way by now. */
  async continueWork(): Promise<void> {
    const open = this.#run;
    if (open === null) return;
    const work = this.#take(async (signal) => {
      await afterThis();
      await this.#settle(signal);
      return "end_turn";
    });
    if (open.hasEnded) this.#settling = work.catch(() => "end_turn" as const);
    await work.finally(() => {
      this.#settling = null;
    });
  }

  /** Cancelled where the turn is; the run, too. */
  async #take(work: (signal: AbortSignal) => Promise<StopReason>): Promise<StopReason> {
    if (this.#turn !== null) {
      throw RequestError.invalidRequest(
        undefined,
        "A run of this session is at work: wait for its end, or cancel it",
      );
    }
    const turn = new AbortController();
    this.#turn = turn;
    try {
      return await work(AbortSignal.any([turn.signal, this.#left.signal, this.#parts.gone]));
    } catch (cause) {
      if (!turn.signal.aborted) throw cause;
      await this.#stop();
      return "cancelled";
    } finally {
      this.#turn = null;
    }
  }

  async #answer(prompt: EditorPrompt, signal: AbortSignal): Promise<StopReason> {
    await this.#settle(signal);
    const { copyId, sent, isNew } = await this.#parts.copy.send(prompt.files, signal);
    await this.#tellSent(sent, isNew);
    if (!this.#hasTitle) {
      this.#hasTitle = true;
      const title = singleLine(prompt.text, MAX_TITLE_CHARS);
      await this.#tell({ sessionUpdate: "session_info_update", title });
    }
    await this.#submit(prompt, { copyId, signal });
    return await this.#work(copyId, signal);
  }

  /** What an earlier prompt has left: a run at work, and changes that nobody has been asked about. */
  async #settle(signal: AbortSignal): Promise<void> {
    if (this.#run === null || this.#run.isParked) return;
    const { id } = this.#run;
    const run = await this.#follow(this.#run, signal);
    if (!isTerminal(run.status)) return;
    if (run.status === "cancelled") await this.#parts.copy.forgetChanges(signal);
    else await this.#offer(id, signal);
    this.#run = null;
  }

  async #submit(
    { text, images }: Pick<EditorPrompt, "text" | "images">,
    { copyId, signal }: { readonly copyId: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { client, workspaceId, id, agentId } = this.#parts;
    const parts = images.map(({ data, mime }) => ({ type: "image" as const, data, mime }));
    const said = parts.length === 0 ? { message: text } : { messages: [userMessage(text, parts)] };
    const submitted = await client.workspaceRuns.submit({
      workspaceId,
      body: {
        ...said,
        session_id: id,
        executor_agent_id: agentId,
        working_copy_id: copyId,
        may_park: true,
      },
    });
    const isSame = this.#run?.id === submitted.run_id;
    const run = isSame && this.#run !== null ? this.#run : this.#openRun(submitted.run_id);
    run.cursor = Math.max(run.cursor, submitted.continued_after ?? 0);
    run.isParked = false;
    this.#run = run;
    // The request itself is not cut off: nobody would know of its run.
    signal.throwIfAborted();
  }

  /** Follows the run to its end, with what it asks on the way. */
  async #work(copyId: string, signal: AbortSignal): Promise<StopReason> {
    const { client, editor } = this.#parts;
    for (;;) {
      const open = this.#run;
      if (open === null) return "end_turn";
      const run = await this.#follow(open, signal);
      if (!isTerminal(run.status)) {
        const answered = await goOnParked({ client, editor, run, question: open.facts.question, signal });
        if (answered.note !== null) await this.#say(answered.note);
        if (!answered.goesOn) return "end_turn";
        open.isParked = false;
        open.cursor = Math.max(open.cursor, answered.after);
        continue;
      }
      const verdict = open.facts.verdictOn(run);
      if (run.status === "cancelled") {
        this.#run = null;
        await this.#parts.copy.forgetChanges(signal);
        return "cancelled";
      }
      await this.#offer(open.id, signal);
      this.#run = null;
      const approval = await approveAsked({
        client,
        editor,
        run,
        servers: open.facts.approvals,
        signal,
      });
      if (approval.note !== null) await this.#say(approval.note);
      if (approval.isApproved) {
        await this.#submit({ text: GO_ON, images: [] }, { copyId, signal });
        continue;
      }
      if (run.status === "failed") throw new RequestError(-32_603, verdict.message);
      if (verdict.stopReason !== "end_turn") await this.#say(verdict.message);
      return verdict.stopReason;
    }
  }

  /** Tells what the run does, until it has ended or is parked. */
  async #follow(open: OpenRun, signal: AbortSignal): Promise<Run> {
    const { client } = this.#parts;
    const events = client.runs
      .follow({ runId: open.id, after: open.cursor, untilParked: true, signal })
      [Symbol.asyncIterator]();
    for (;;) {
      const next = await events.next();
      if (next.done === true) {
        open.hasEnded = isTerminal(next.value.status);
        open.isParked = !open.hasEnded;
        return next.value;
      }
      await this.#takeEvent(open, { stored: next.value, isTold: true });
    }
  }

  /** What is there by now, without waiting for more. */
  async #readSoFar(open: OpenRun, isTold: boolean): Promise<void> {
    const { client } = this.#parts;
    for (;;) {
      const query = { after: open.cursor, wait: 0, limit: PAGE_EVENTS };
      const { run, events } = await client.ci.readRun({ runId: open.id, query });
      for (const stored of events) await this.#takeEvent(open, { stored, isTold });
      open.hasEnded = isTerminal(run.status);
      open.isParked = run.status === "running" && run.parked !== undefined;
      if (events.length === 0) return;
    }
  }

  async #takeEvent(
    open: OpenRun,
    { stored, isTold }: { readonly stored: StoredRunEvent; readonly isTold: boolean },
  ): Promise<void> {
    open.cursor = stored.seq;
    const updates = open.facts.add(stored);
    if (isTold) for (const update of updates) await this.#tell(update);
  }

  #openRun(runId: string): OpenRun {
    const updates = new SessionUpdates({ root: this.#parts.root, runId });
    return { id: runId, cursor: 0, isParked: false, hasEnded: false, facts: new FollowedFacts(updates) };
  }

  /** The person is asked once for all files. What is not applied is kept as a patch, and not offered again. */
  async #offer(runId: string, signal: AbortSignal): Promise<void> {
    const { copy } = this.#parts;
    const offer = await copy.offer(signal);
    if (offer === null) return;
    const { pull } = offer;
    if (pull.conflicts.length > 0) {
      await this.#leave(runId, { why: refusalText(pull.conflicts), signal });
    } else if (pull.steps.length > 0) await this.#ask(runId, offer, signal);
  }

  async #ask(runId: string, { pull, folder, copy }: Offer, signal: AbortSignal): Promise<void> {
    const { editor } = this.#parts;
    const id = `${runId}/edits-${this.#run?.cursor ?? 0}`;
    const { toolCall, texts } = await offeredEdits(pull.steps, { id, folder, copy });
    await this.#tell({ sessionUpdate: "tool_call", ...toolCall });
    const end = async (status: "completed" | "failed") =>
      await this.#tell({ sessionUpdate: "tool_call_update", toolCallId: id, status });
    const chosen = this.#appliesAlways
      ? alwaysId
      : await editor.askPermission({ toolCall, options: editOptions }, signal);
    if (chosen === null || chosen === rejectId) {
      await end("failed");
      return await this.#leave(runId, { why: "The changes were not applied.", signal });
    }
    this.#appliesAlways ||= chosen === alwaysId;
    folder.useEditorFor(texts);
    try {
      await pull.carryOut();
      await end("completed");
    } catch (cause) {
      await end("failed");
      const why = cause instanceof Error ? cause.message : "unknown cause";
      await this.#leave(runId, { why: `Not all changes were applied: ${why}`, signal });
    }
  }

  async #leave(
    runId: string,
    { why, signal }: { readonly why: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { copy } = this.#parts;
    const patch = this.#run?.facts.patch ?? null;
    const path = patch === null ? null : await copy.keepPatch(runId, patch);
    const where =
      path === null
        ? `The service keeps them: run ${runId}.`
        : `They are in \`${path}\`, as a patch for \`git apply\`.`;
    await copy.forgetChanges(signal);
    await this.#say(`${why}\n\n${where}`);
  }

  /** Cancels the run, and waits a little for its end. */
  async #stop(): Promise<void> {
    const { client, agentId, gone, copy } = this.#parts;
    const open = this.#run;
    if (open === null) return;
    const signal = AbortSignal.any([AbortSignal.timeout(STOP_MS), gone]);
    try {
      await client.runs.cancel({ agentId, runId: open.id, signal }).catch(() => {});
      const run = await this.#follow(open, signal);
      if (!isTerminal(run.status)) return;
      this.#run = null;
      await copy.forgetChanges(signal);
    } catch {
      // It goes on ending; the next prompt waits for it.
    }
  }

  async #tellSent(
    { changed, skipped }: Pick<SyncResult, "changed" | "skipped">,
    isNew: boolean,
  ): Promise<void> {
    if (changed.length === 0 && skipped.length === 0) return;
    const lines = [
      ...(isNew ? [] : changed.map(({ path, action }) => `\`${path}\` ${action}`)),
      ...skipped.map(({ path, why }) => `\`${path}\` left out: ${why}`),
    ];
    const text = listOf(lines);
    await this.#tell({
      sessionUpdate: "tool_call",
      toolCallId: `sent/${randomUUID()}`,
      title: `Sent ${plural(changed.length, "changed file")}`,
      kind: "other",
      status: "completed",
      content: text === "" ? [] : [{ type: "content", content: { type: "text", text } }],
    });
  }

  async #say(text: string): Promise<void> {
    await this.#tell(textUpdate("agent_message_chunk", `\n\n${text}\n`));
  }

  async #tell(update: SessionUpdate): Promise<void> {
    await this.#parts.editor.tell(update);
  }
}

function userMessage(
  content: string,
  parts: readonly { readonly type: "image"; readonly data: string; readonly mime: string }[],
) {
  return { role: "user" as const, content, parts: [...parts] };
}
