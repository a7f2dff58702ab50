// The plays of an eval in a file, one a line: a second call goes on where the first one ended, whatever ended it.

import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseObject } from "../base/json.ts";

const sides = ["base", "head"] as const;
export type Side = (typeof sides)[number];

export type PlayResult = {
  /** Of the task, the instructions, the agent and the number of the play: the same play is not paid twice. */
  readonly key: string;
  readonly commit: string;
  readonly side: Side;
  /** From 1. */
  readonly repeat: number;
  /**
   * `unfinished`: the eval's budget ended it, or its end; `faulty`: the model or the machine failed. Neither says anything of the instructions,
   * and both are played again by a later call.
   */
  readonly type: "solved" | "unsolved" | "unfinished" | "faulty";
  /** How the run ended, as a stable word. */
  readonly reason: string;
  /** Null where the model has no known price. */
  readonly costMicroUsd: number | null;
  readonly turns: number;
  readonly ms: number;
};

export function playKey(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

export class ResultsFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Every play that was ever recorded. A line that a kill has cut is passed over. */
  async read(): Promise<readonly PlayResult[]> {
    const text = await readFile(this.#path, "utf8").catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return "";
      throw cause;
    });
    return text.split("\n").flatMap((line) => {
      const value = parseObject(line);
      return value !== null && isResult(value) ? [value] : [];
    });
  }

  async append(result: PlayResult): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true });
    // A line of its own, also behind one that was cut.
    await appendFile(this.#path, `\n${JSON.stringify(result)}\n`);
  }
}

function isResult(value: Readonly<Record<string, unknown>>): value is PlayResult {
  const { key, commit, side, repeat, type, costMicroUsd, turns, ms } = value;
  return (
    typeof key === "string" &&
    typeof commit === "string" &&
    (side === "base" || side === "head") &&
    Number.isInteger(repeat) &&
    typeof type === "string" &&
    ["solved", "unsolved", "unfinished", "faulty"].includes(type) &&
    (costMicroUsd === null || Number.isFinite(costMicroUsd)) &&
    Number.isFinite(turns) &&
    Number.isFinite(ms)
  );
}
