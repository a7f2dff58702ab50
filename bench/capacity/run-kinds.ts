// Kinds of runs that tell the parts of a run apart: each has much of one part, and one has some of all. A scripted model plays
// them: its words arrive one by one, and each of its turns but the last calls a tool.

import { setTimeout as sleep } from "node:timers/promises";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime, type Script } from "../../fakes/model-server/script.ts";
import { call, type Part, say, wait } from "../../fakes/model-server/turn.ts";
import type { RunCounts } from "./costs.ts";

const DELTA_MS = 40;

export type RunKind = {
  readonly turns: number;
  readonly deltasPerTurn: number;
  /** Of the turns but the last, the first ones do this; all read a file. */
  readonly searches: number;
  readonly writes: number;
  readonly commands: number;
  /** How long the first turn says nothing. */
  readonly silentMs: number;
  /** Batches that are measured, each a point. */
  readonly batches: number;
};

const plain: RunKind = {
  turns: 1,
  deltasPerTurn: 5,
  searches: 0,
  writes: 0,
  commands: 0,
  silentMs: 0,
  batches: 1,
};

/** Of the small repository, beside runs without a model. */
export const smallKinds: readonly RunKind[] = [
  { ...plain, batches: 2 },
  { ...plain, deltasPerTurn: 120 },
  { ...plain, silentMs: 15_000 },
  { ...plain, turns: 10 },
  { ...plain, turns: 18, deltasPerTurn: 2 },
  { ...plain, turns: 7, searches: 6 },
  { ...plain, turns: 7, writes: 6 },
  { ...plain, turns: 7, commands: 6 },
  { ...plain, turns: 3, deltasPerTurn: 50, commands: 2 },
  { ...plain, turns: 5, deltasPerTurn: 20, searches: 2, writes: 2, commands: 2 },
];

/** Of the large one: what does not depend on the files is known from the small one. */
export const largeKinds: readonly RunKind[] = [
  { ...plain, silentMs: 5_000, batches: 2 },
  { ...plain, turns: 5, searches: 4 },
  { ...plain, turns: 5, writes: 4 },
  { ...plain, turns: 5, commands: 4 },
  { ...plain, turns: 4, searches: 2, writes: 2, commands: 2 },
];

/** What one run of a kind consists of, `seconds` of it without a word. */
export function countsOfKind(kind: RunKind, seconds: number): RunCounts {
  return {
    run: 1,
    checkout: 1,
    turn: kind.turns,
    event: kind.turns * kind.deltasPerTurn,
    second: seconds,
    search: kind.searches,
    write: kind.writes,
    command: kind.commands,
  };
}

/** Plays a kind to any number of runs at once. */
export class KindScript {
  readonly #kind: RunKind;
  readonly #faults: string[] = [];
  #arrivals = 0;
  #isMeasured = false;

  constructor(kind: RunKind) {
    this.#kind = kind;
  }

  readonly script: Script = everyTime((request) => {
    if (request.assistantTurns === 0) this.#arrivals += 1;
    const failed = request.toolResults.find(({ text }) => text.startsWith("error:"));
    if (failed !== undefined) this.#faults.push(failed.text);
    return this.#turn(request);
  });

  /** From here on runs are silent as their kind says: those that warm up need not wait. */
  beginMeasuring(): void {
    this.#isMeasured = true;
  }

  /** Runs whose checkout is there and whose model was asked. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** Throws when a tool was refused: the runs then did less than they are said to. */
  check(): void {
    const [fault] = this.#faults;
    if (fault !== undefined) throw new Error(`A tool call of a measured run failed: ${fault}`);
  }

  #turn({ assistantTurns: turn }: ModelRequest): Part[] {
    const { turns, deltasPerTurn, silentMs, searches, writes, commands } = this.#kind;
    const silence = turn === 0 && this.#isMeasured ? silentMs : 0;
    const words = Array.from({ length: deltasPerTurn }, (_, index) => [
      wait(sleep(silence + DELTA_MS * (index + 1))),
      say(`word ${index} `),
    ]).flat();
    if (turn >= turns - 1) return words;
    return [
      ...words,
      call("read_file", { path: `src/module-${turn}.js` }),
      ...(turn < searches ? [call("search", { pattern: `= ${turn} \\+ 7;` })] : []),
      ...(turn < writes ? [call("write_file", { path: `src/written-${turn}.js`, content: TEXT })] : []),
      // A number makes each of them another one: the same call again and again is refused.
      ...(turn < commands ? [call("run_command", { command: `true ${turn}` })] : []),
    ];
  }
}

const TEXT = "export const written = true;\n".repeat(4);
