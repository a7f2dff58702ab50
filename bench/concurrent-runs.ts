// Many runs with a model at once in one process: each clones, reads, searches and executes in turns that stream, and one
// of its turns is silent for longer than two heartbeats. How long they take beside one run alone, and the longest that
// any of them was not heard of.

import { setTimeout as sleep } from "node:timers/promises";
import type { ModelRequest } from "../fakes/model-server/request.ts";
import { everyTime, type Script } from "../fakes/model-server/script.ts";
import { call, type Part, say, wait } from "../fakes/model-server/turn.ts";
import { residentMb } from "../scripts/served-process.ts";
import { type Run, runSchema } from "../src/contract/runs/run.ts";
import type { Job } from "./bench-service.ts";
import { startModelService } from "./model-service.ts";

export const RUNS = 50;
/** The service's own default, set so that the row can say it. */
export const STALLED_SECONDS = 30;
/** Heartbeats are 5 s apart. */
const SILENT_MS = 11_000;
const DELTAS_A_TURN = 30;
const DELTA_MS = 50;
/** What a reader waits at the most: a service that answers in time shows each heartbeat. */
const LOOK_SECONDS = 1;

export type ConcurrentFigures = {
  /** Of one run, with nothing beside it. */
  readonly aloneMs: number;
  /** From the first submission to the last end read. */
  readonly wallMs: number;
  readonly completed: number;
  /** Causes of the runs that did not complete. */
  readonly failures: readonly string[];
  /** The longest that a run at work was not heard of, as its reader saw it: never shorter than it was. */
  readonly longestGapMs: number;
  readonly hasShell: boolean;
  readonly residentMb: number | null;
};

/** The service on the embedded store, or on the database at `databaseUrl`. */
export async function measureConcurrentRuns(databaseUrl?: string): Promise<ConcurrentFigures> {
  const story = new Story();
  const service = await startModelService({
    script: story.script,
    env: { MAX_RUNNING_RUNS: String(RUNS), STALLED_SECONDS: String(STALLED_SECONDS) },
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  });
  const [job] = service.jobs;
  const timed = async (numbers: readonly number[]) => {
    const startedAt = performance.now();
    const runs = await Promise.all(numbers.map((number) => followRun(job, number)));
    return { runs, ms: performance.now() - startedAt };
  };
  const alone = await timed([0]);
  const together = await timed(Array.from({ length: RUNS }, (_, index) => index + 1));
  const resident = residentMb(service.workers[0].pid);
  await service.stop();
  story.check();
  return {
    aloneMs: alone.ms,
    wallMs: together.ms,
    completed: together.runs.filter(({ run }) => run.status === "completed").length,
    failures: together.runs.flatMap(({ run }) => ("cause" in run ? [run.cause] : [])),
    longestGapMs: Math.max(...together.runs.map(({ longestGapMs }) => longestGapMs)),
    hasShell: story.hasShell,
    residentMb: resident,
  };
}

type Followed = { readonly run: Run; readonly longestGapMs: number };

/** Submits a run and reads it to its end, as often as it moves and once a second at the least. */
async function followRun({ client, agentId }: Job, number: number): Promise<Followed> {
  const submitted = await client.send("POST", `/v1/agents/${agentId}/runs`, { message: `Run ${number}` });
  if (submitted.status !== 202) throw new Error(`The run was refused: ${submitted.body}`);
  const { run_id: runId } = JSON.parse(submitted.body);
  let heardAt: number | null = null;
  let longestGapMs = 0;
  for (let after = 0; ; ) {
    const path = `/v1/ci/runs/${runId}?wait=${LOOK_SECONDS}&after=${after}`;
    const { status, body } = await client.send("GET", path);
    if (status !== 200) throw new Error(`The poll was answered ${status}: ${body}`);
    const page = JSON.parse(body);
    const run = runSchema.parse(page.run);
    for (const at of signsOfLife(run)) {
      longestGapMs = Math.max(longestGapMs, at - (heardAt ?? at));
      heardAt = Math.max(at, heardAt ?? at);
    }
    if (page.done === true) return { run, longestGapMs };
    after = page.next;
  }
}

/** When a run was heard of, as far as its record says, in order. Of all its heartbeats it has the last. */
function signsOfLife(run: Run): number[] {
  if (run.status === "queued") return [];
  const { started_at: started, last_heartbeat_at: beat } = run;
  const ended = "ended_at" in run ? run.ended_at : undefined;
  return [started, beat, ended].flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
}

/** What the model does in each run: six turns, of which another one is silent from run to run. */
class Story {
  #faults: string[] = [];
  hasShell = false;

  readonly script: Script = everyTime((request) => {
    const turn = request.assistantTurns;
    this.#faults.push(
      ...request.toolResults.filter(({ text }) => text.startsWith("error:")).map(({ text }) => text),
    );
    const number = Number(/\d+/.exec(request.firstUserMessage)?.[0]);
    const pause = turn === 1 + (number % 4) ? [wait(sleep(SILENT_MS))] : [];
    return [...pause, ...speech(pause.length > 0 ? SILENT_MS : 0), ...this.#calls(request, turn)];
  });

  /** Throws when a tool was refused: the runs then did less than they are said to. */
  check(): void {
    const [fault] = this.#faults;
    if (fault !== undefined)
      throw new Error(`${this.#faults.length} tool calls failed, the first with: ${fault}`);
  }

  #calls({ tools }: ModelRequest, turn: number): Part[] {
    this.hasShell ||= tools.some(({ name }) => name === "run_command");
    const command = this.hasShell
      ? call("run_command", { command: "grep -rc value src | sort | head -n 5" })
      : call("list_files", { path: "src" });
    switch (turn) {
      case 0:
        return [call("list_files", {}), call("search", { pattern: "value7" })];
      case 1:
        return [call("read_file", { path: "src/module-1.js" }), call("read_file", { path: "README.md" })];
      case 2:
        return [command];
      case 3:
        return [call("search", { pattern: "constants" }), call("read_file", { path: "src/module-2.js" })];
      case 4:
        return [command];
      default:
        return [];
    }
  }
}

function speech(afterMs: number): Part[] {
  return Array.from({ length: DELTAS_A_TURN }, (_, index) => [
    wait(sleep(afterMs + DELTA_MS * (index + 1))),
    say(`word ${index} `),
  ]).flat();
}
