// The record of a run's checks: which commands that check were executed since the last edit, and how they ended. What the model says
// of them does not count. Pure.
// Why: docs/decisions/148-checks-are-facts-of-the-record.md

import { singleLine } from "../../../base/untrusted-text.ts";
import type { CheckResult, ChecksEvent, ChecksState } from "../../../contract/runs/checks.ts";
import { changesFiles } from "./changing-commands.ts";
import { checkIn, type ProjectScripts } from "./check-kinds.ts";

/** Of those since the last edit, the newest. */
const MAX_RESULTS = 20;
const MAX_COMMAND_CHARS = 200;
/** As a shell says that a program is not there, or cannot be executed. */
const NOT_EXECUTED = new Set([126, 127]);

export type CheckRecordState = {
  /** Whether a file that a command could check was changed at all, and since the last check. */
  readonly hasChanged: boolean;
  readonly isUnchecked: boolean;
  readonly results: readonly CheckResult[];
};

const nothing: CheckRecordState = { hasChanged: false, isUnchecked: false, results: [] };

export class CheckRecord {
  readonly #scripts: ProjectScripts;
  #state: CheckRecordState;

  constructor(scripts: ProjectScripts, left: CheckRecordState = nothing) {
    this.#scripts = scripts;
    this.#state = left;
  }

  get state(): CheckRecordState {
    return this.#state;
  }

  /** A file was changed by a tool. */
  noteEdit(paths: readonly string[]): void {
    if (paths.some(isCode)) this.#edited();
  }

  /** A command has ended: by itself, or at a limit (`exitCode` null). */
  noteCommand(command: string, exitCode: number | null): void {
    const check = checkIn(command, this.#scripts);
    if (check === null) {
      if (changesFiles(command)) this.#edited({ onlyWhereChecked: true });
      return;
    }
    if (!check.isTold || (exitCode !== null && NOT_EXECUTED.has(exitCode))) return;
    const result = { command: singleLine(command, MAX_COMMAND_CHARS), kind: check.kind, exit_code: exitCode };
    const others = this.#state.results.filter((one) => one.command !== result.command);
    this.#state = {
      ...this.#state,
      isUnchecked: false,
      results: [...others, result].slice(-MAX_RESULTS),
    };
  }

  /** A command was started in the background: it is no check, whatever it executes, and may change files like every command. */
  noteBackground(command: string): void {
    if (changesFiles(command)) this.#edited({ onlyWhereChecked: true });
  }

  get verdict(): ChecksState {
    const { results } = this.#state;
    if (results.some(hasFailed)) return "failed";
    return results.length === 0 ? "none" : "passed";
  }

  get failed(): readonly CheckResult[] {
    return this.#state.results.filter(hasFailed);
  }

  /** Null where nothing was checked, and nothing was there to check. */
  get event(): ChecksEvent["value"] | null {
    const { hasChanged, results } = this.#state;
    if (!hasChanged && results.length === 0) return null;
    return { state: this.verdict, results: [...results] };
  }

  /** A command may only have written what nobody keeps: it makes no change that was not there. */
  #edited({ onlyWhereChecked = false } = {}): void {
    const { hasChanged, results } = this.#state;
    if (onlyWhereChecked && !hasChanged && results.length === 0) return;
    this.#state = { hasChanged: true, isUnchecked: true, results: [] };
  }
}

function hasFailed({ exit_code: code }: CheckResult): boolean {
  return code !== 0;
}

/** No command checks these. */
const proseEnds = [".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc"];
const proseNames = new Set([
  "license",
  "licence",
  "notice",
  "authors",
  "contributors",
  "changelog",
  "readme",
]);

function isCode(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return !proseNames.has(name) && !proseEnds.some((end) => name.endsWith(end));
}
