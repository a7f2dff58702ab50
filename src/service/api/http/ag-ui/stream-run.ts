// The stream of a run for an AG-UI client: its events, with ids that are good for the whole thread, a comment in every pause, and the
// end that the protocol has for it. The run goes on whether the stream does or not.
// Why: docs/decisions/165-ag-ui-is-an-endpoint.md

import { WOKEN } from "../../../../base/clock.ts";
import type { Result } from "../../../../base/result.ts";
import {
  APPROVAL_EVENT,
  PARKED_EVENT,
  type RunEvent,
  runEventSchema,
} from "../../../../contract/runs/run-event.ts";
import type { AccountCaller } from "../../../core/accounts/caller.ts";
import type { ClientRun } from "../../../core/ag-ui/client-runs.ts";
import { approvalInterrupts, parkedInterrupt } from "../../../core/ag-ui/interrupts.ts";
import type { Core } from "../../../core/core.ts";
import { followRun } from "../../../core/runs/follow-run.ts";
import type { EventPage } from "../../../core/runs/read-run.ts";
import type { RunRefusal } from "../../../core/runs/refusals.ts";
import type { RunRecord, StoredEvent } from "../../../core/runs/run-record.ts";
import { toProblem } from "../../shared/problems/to-problem.ts";
import { runText } from "../../shared/stream-text.ts";
import {
  type AgUiClient,
  finishedEvent,
  frameOf,
  KEEP_ALIVE,
  problemEvent,
  snapshotEvent,
  startedEvent,
  withIdsOfRun,
} from "./frames.ts";

/** Proxies close what is silent for longer, the shortest after 30 seconds. */
const KEEP_ALIVE_MS = 15_000;

type RunStream = {
  readonly client: AgUiClient;
  readonly run: ClientRun;
  /** The number of the last event that the client has read. */
  readonly cursor: number;
  readonly caller: AccountCaller;
  /** Whoever the credential stands for now. Null: it is no longer good. */
  readonly callerNow: () => Promise<AccountCaller | null>;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
};

/** Ends after the run's end, at an interrupt, when the client goes away, when the service stops, and with the credential. */
export async function* streamRun(core: Core, stream: RunStream): AsyncGenerator<string, void> {
  const { client, run, cursor, signal } = stream;
  yield KEEP_ALIVE;
  // A run that was continued has no RUN_STARTED there.
  if (run.after > 0 && cursor < run.after) yield frameOf(startedEvent(client, run), run.after);
  const over = new AbortController();
  let caller: AccountCaller | null = stream.caller;
  const pages = followRun(core, {
    runId: run.runId,
    after: run.after,
    caller: () => caller,
    signal: AbortSignal.any([signal, over.signal]),
  });
  const events = new ClientEvents(core, client, run);
  let checkedAt = core.clock.monotonic();
  let next = pages.next();
  try {
    for (;;) {
      const step = await stepOrPause(core, next);
      if (core.clock.monotonic() - checkedAt >= KEEP_ALIVE_MS) {
        caller = await stream.callerNow();
        checkedAt = core.clock.monotonic();
        if (caller === null) return yield frameOf(problemEvent(credentialEnded));
      }
      if (step === "pause") {
        yield KEEP_ALIVE;
        continue;
      }
      if (step.done === true) return;
      const page = step.value;
      if (!page.ok) return yield frameOf(problemEvent(toProblem(page.refusal)));
      for (const event of page.value.events) {
        if (event.seq <= cursor) {
          events.pass(event);
          continue;
        }
        const shown = await events.show(event, caller ?? stream.caller);
        yield shown.text;
        if (shown.isEnd) return;
      }
      next = pages.next();
    }
  } finally {
    over.abort(WOKEN);
    await next.catch(() => {});
    await pages.return();
  }
}

const credentialEnded = {
  code: "unauthorized",
  message: "The credential is no longer good. The run goes on: read on with another one.",
} as const;

type Step = IteratorResult<Result<EventPage, RunRefusal>, void>;

async function stepOrPause(core: Core, next: Promise<Step>): Promise<Step | "pause"> {
  const woken = new AbortController();
  const pause = core.clock.sleep(KEEP_ALIVE_MS, woken.signal).then(
    () => "pause" as const,
    () => "pause" as const,
  );
  try {
    return await Promise.race([next, pause]);
  } finally {
    woken.abort(WOKEN);
  }
}

type Shown = { readonly text: string; readonly isEnd: boolean };

/** The events of one run as a client gets them. */
class ClientEvents {
  readonly #core: Core;
  readonly #client: AgUiClient;
  readonly #run: ClientRun;
  /** Approvals that the run has asked for. */
  readonly #approvalIds = new Set<string>();

  constructor(core: Core, client: AgUiClient, run: ClientRun) {
    this.#core = core;
    this.#client = client;
    this.#run = run;
  }

  async show({ seq, json }: StoredEvent, caller: AccountCaller): Promise<Shown> {
    const event = this.#read(json);
    switch (event?.type) {
      case "RUN_STARTED":
        return { text: frameOf(startedEvent(this.#client, this.#run), seq), isEnd: false };
      case "RUN_FINISHED":
        return await this.#end(event, { seq, caller });
      case "RUN_ERROR":
        return await this.#end(event, { seq, caller });
      case "CUSTOM":
        if (event.name === PARKED_EVENT) return await this.#park(seq, json, caller);
        if (event.name === APPROVAL_EVENT) this.#noteApproval(event.value.approve_url);
        break;
    }
    return { text: frameOf(withIdsOfRun(json, this.#run.runId), seq), isEnd: false };
  }

  /** An event that the client has read already. */
  pass({ json }: StoredEvent): void {
    const event = this.#read(json);
    if (event?.type === "CUSTOM" && event.name === APPROVAL_EVENT)
      this.#noteApproval(event.value.approve_url);
  }

  /** Null: an event of which nothing but its ids differs. */
  #read(json: string): RunEvent | null {
    const parsed = mayDiffer(json) ? runEventSchema.safeParse(JSON.parse(json)) : null;
    return parsed?.success === true ? parsed.data : null;
  }

  /** Where the run has gone on since, it was answered another way: then this is not the end. */
  async #park(seq: number, json: string, caller: AccountCaller): Promise<Shown> {
    const run = await this.#record();
    if (run?.parked === undefined || run.lastSeq !== seq) return { text: frameOf(json, seq), isEnd: false };
    const asked = await parkedInterrupt(this.#core, { run, parked: run.parked, seq });
    const interrupts = [asked, ...(await this.#approvals(caller))];
    return this.#last(run, finishedEvent(this.#client, { type: "interrupt", interrupts }), seq);
  }

  async #end(
    event: Extract<RunEvent, { type: "RUN_FINISHED" | "RUN_ERROR" }>,
    { seq, caller }: { readonly seq: number; readonly caller: AccountCaller },
  ): Promise<Shown> {
    const run = await this.#record();
    if (event.type === "RUN_ERROR") return this.#last(run, event, seq);
    const interrupts = event.outcome.type === "success" ? await this.#approvals(caller) : [];
    const outcome = interrupts.length === 0 ? event.outcome : ({ type: "interrupt", interrupts } as const);
    return this.#last(run, finishedEvent(this.#client, outcome), seq);
  }

  #last(run: RunRecord | null, end: object, seq: number): Shown {
    const state = run === null ? "" : frameOf(snapshotEvent(runText(run)));
    return { text: state + frameOf(end, seq), isEnd: true };
  }

  #record(): Promise<RunRecord | null> {
    return this.#core.store.committed.runs.find(this.#run.runId);
  }

  #approvals(caller: AccountCaller) {
    return approvalInterrupts(this.#core, { caller, approvalIds: [...this.#approvalIds] });
  }

  #noteApproval(url: string | null): void {
    const id = url?.split("/").at(-1);
    if (id !== undefined) this.#approvalIds.add(id);
  }
}

/** The others differ by their ids alone. */
function mayDiffer(json: string): boolean {
  return json.includes('"type":"RUN_') || json.includes('"type":"CUSTOM"');
}
