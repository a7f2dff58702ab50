// One subscription of a socket: reads a run, a session's runs in turn, or events of a workspace, no faster than the peer reads.

import type { Logger } from "../../../base/log.ts";
import type { SubscribeFrame } from "../../../contract/sessions/client-frames.ts";
import type { Cursor, ServerFrame } from "../../../contract/sessions/socket.ts";
import type { Caller } from "../../core/accounts/caller.ts";
import type { Core } from "../../core/core.ts";
import { followRun, followSession } from "../../core/runs/follow-run.ts";
import { findRun, type StreamReader } from "../../core/runs/read-run.ts";
import type { RunRefusal } from "../../core/runs/refusals.ts";
import type { RunRecord, StoredEvent } from "../../core/runs/run-record.ts";
import {
  type FollowRefusal,
  followWorkspace,
  type WorkspaceFeed,
} from "../../core/workspace-events/follow-workspace.ts";
import { MaskedEvents, maskedRun } from "../shared/masked-events.ts";
import { toProblem } from "../shared/problems/to-problem.ts";
import { eventFields, runText } from "../shared/stream-text.ts";
import type { SendBuffer } from "./send-buffer.ts";
import type { WorkTurns } from "./work-turns.ts";

type Farewell = "ended" | "asked" | "refused" | "unauthorized" | "slow" | "stopping";

type SubscriptionParts = {
  readonly core: Core;
  readonly sendBuffer: SendBuffer;
  readonly log: Logger;
  readonly turns: WorkTurns;
  /** Whoever the socket's credential stands for at the moment. */
  readonly caller: () => StreamReader | null;
  readonly frame: SubscribeFrame;
};

export class Subscription {
  readonly id: string;
  readonly #core: Core;
  readonly #log: Logger;
  readonly #sendBuffer: SendBuffer;
  readonly #turns: WorkTurns;
  readonly #caller: () => StreamReader | null;
  readonly #over = new AbortController();
  /** The beginning of every event's frame. */
  readonly #head: string;
  readonly #quotedId: string;
  #cursor: Cursor;

  constructor(parts: SubscriptionParts) {
    this.#core = parts.core;
    this.#log = parts.log;
    this.#sendBuffer = parts.sendBuffer;
    this.#turns = parts.turns;
    this.#caller = parts.caller;
    this.id = parts.frame.id;
    this.#quotedId = JSON.stringify(this.id);
    this.#head = `{"type":"event","subscription":${this.#quotedId}`;
    this.#cursor = parts.frame.after ?? null;
  }

  /** Sends until the run has ended and is read, or `end` is called. */
  async followRun(runId: string, after: number): Promise<void> {
    this.#cursor = after;
    const isDone = await this.#follow({ runId, after, cursorAt: (seq) => seq, isOneOfMany: false });
    if (isDone) this.end("ended");
  }

  /** Sends until `end` is called: a session has no end. */
  async followSession(sessionId: string, cursor: { run_id: string; seq: number } | null): Promise<void> {
    const signal = this.#over.signal;
    const caller = () => apiCaller(this.#caller());
    const from = cursor?.run_id ?? null;
    for await (const next of followSession(this.#core, { sessionId, from, caller, signal })) {
      if (!next.ok) {
        this.#refuse(next.refusal);
        return;
      }
      const runId = next.value;
      const after = runId === cursor?.run_id ? cursor.seq : 0;
      const cursorAt = (seq: number) => ({ run_id: runId, seq });
      if (!(await this.#follow({ runId, after, cursorAt, isOneOfMany: true }))) return;
    }
  }

  /** Sends until `end` is called: what moves in a workspace has no end. */
  async followWorkspace(workspaceId: string, { after, hasMissed }: WorkspaceFeed): Promise<void> {
    this.#cursor = after;
    const ofWorkspace = { subscription: this.id, workspace_id: workspaceId } as const;
    if (!(await this.#hasRoom())) return;
    this.#sendBuffer.send({ type: "workspace", ...ofWorkspace, seq: after, missed: hasMissed });
    const query = { workspaceId, after, caller: this.#caller, signal: this.#over.signal };
    for await (const page of followWorkspace(this.#core, query)) {
      if (!page.ok) {
        this.#refuse(page.refusal);
        return;
      }
      await this.#turns.take(page.value.length);
      for (const { seq, at, what, id, state } of page.value) {
        if (!(await this.#hasRoom())) return;
        const moved = { seq, at: new Date(at).toISOString(), what, id, state };
        this.#sendBuffer.send({ type: "workspace_event", ...ofWorkspace, ...moved });
        this.#cursor = seq;
      }
    }
  }

  /** Says goodbye with the cursor, once; nothing follows it. */
  end(why: Farewell): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort();
    const where = { subscription: this.id, resume_after: this.#cursor };
    const frame: ServerFrame =
      why === "slow" || why === "stopping"
        ? { type: why, ...where }
        : { type: "unsubscribed", reason: why, ...where };
    this.#sendBuffer.send(frame);
  }

  /** Ends without a word: the socket is gone. */
  drop(): void {
    this.#over.abort();
  }

  /** True once the run has ended and all of it was sent; of a session's run that has expired, that is its record. */
  async #follow(part: {
    runId: string;
    after: number;
    cursorAt: (seq: number) => Cursor;
    isOneOfMany: boolean;
  }): Promise<boolean> {
    const { runId, after, cursorAt, isOneOfMany } = part;
    const signal = this.#over.signal;
    if (!(await this.#hasRoom())) return false;
    const caller = this.#caller();
    if (caller === null || signal.aborted) return false;
    const found = await findRun(this.#core, { caller, runId });
    if (!found.ok) return this.#refuse(found.refusal);
    if (signal.aborted) return false;
    this.#sendRun(found.value);
    // What is masked is read from its beginning: a cursor may lie within a text.
    const masks = caller.kind === "run_view" ? new MaskedEvents() : null;
    const from = masks === null ? after : 0;
    const pages = followRun(this.#core, { runId, after: from, caller: this.#caller, signal });
    for await (const page of pages) {
      if (!page.ok && page.refusal.reason === "events_expired" && isOneOfMany) {
        this.#cursor = cursorAt(found.value.lastSeq);
        return true;
      }
      if (!page.ok) return this.#refuse(page.refusal);
      await this.#turns.take(page.value.events.length);
      const shown = masks?.take(page.value) ?? page.value.events;
      for (const event of shown) {
        if (event.seq <= after) continue;
        if (!(await this.#hasRoom())) return false;
        this.#sendBuffer.sendText(this.#eventText(runId, event));
        this.#cursor = cursorAt(event.seq);
      }
      if (!(await this.#hasRoom())) return false;
      if (page.value.done) {
        this.#sendRun(page.value.run);
        return true;
      }
    }
    return false;
  }

  async #hasRoom(): Promise<boolean> {
    const { signal } = this.#over;
    if (signal.aborted) return false;
    if (!this.#sendBuffer.isFull) return true;
    this.#log.debug({ subscription: this.id }, "waiting for a slow reader");
    if (await this.#sendBuffer.hasRoom(signal)) return true;
    if (!signal.aborted) this.#log.info({ subscription: this.id }, "a reader was too slow");
    this.end("slow");
    return false;
  }

  #sendRun(run: RunRecord): void {
    const shown = this.#caller()?.kind === "run_view" ? maskedRun(run) : run;
    this.#sendBuffer.sendText(`{"type":"run","subscription":${this.#quotedId},"run":${runText(shown)}}`);
  }

  #eventText(runId: string, event: StoredEvent): string {
    return `${this.#head},"run_id":${JSON.stringify(runId)},${eventFields(event)}}`;
  }

  #refuse(refusal: RunRefusal | FollowRefusal): false {
    if (this.#over.signal.aborted) return false;
    this.#sendBuffer.sendProblem(toProblem(refusal), this.id);
    this.end("refused");
    return false;
  }
}

/** Who reads sessions: whoever has the link to a run does not. */
function apiCaller(reader: StreamReader | null): Caller | null {
  return reader?.kind === "run_view" ? null : reader;
}
