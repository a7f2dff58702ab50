// Follow-ups of the loop once the model calls no tool: go on after an empty answer, check what it changed until that passes or it
// says why not, answer the reviewer's objections, repair the output.

import { CHECKS_EVENT, type CheckResult } from "../../../../contract/runs/checks.ts";
import { OUTPUT_EVENT } from "../../../../contract/runs/run-event.ts";
import type { Checkout } from "../../../core/checkouts/checkout.ts";
import { BackendFailure, type BackendTask } from "../../backend.ts";
import type { ProjectScripts } from "../../checks/check-kinds.ts";
import { CheckRecord } from "../../checks/check-record.ts";
import { COMMAND_TOOL, executedCommand } from "../../tools/run-command.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ToolResults, UsedTool } from "./call-tools.ts";
import type { Conversation } from "./conversation.ts";
import { validateReview } from "./finding-validator.ts";
import type { FollowUpsState, Once } from "./loop-state.ts";
import type { ModelRequests } from "./model-requests.ts";
import type { JsonValue, OutputForm } from "./output-schema.ts";
import { findObjections } from "./reviewer.ts";
import { readingToolbox } from "./toolbox.ts";

const EMPTY_NOTE = "[Your answer was empty. Go on, or say what you found.]";

/** Of one run, and of answers that follow one another without a call. */
const MAX_CHECK_REQUESTS = 3;
const MAX_IDLE_CHECK_REQUESTS = 2;
/** What an answer says why nothing was checked, or why it does not pass. */
const explanation = /^[ \t>*_-]{0,9}(?:not checked|checks fail)[ \t*_]{0,9}:[ \t*_]{0,9}\S/im;

const UNCHECKED_NOTE =
  '[Since you last changed files, no command that checks them has ended: no test, type check, linter or build whose exit code tells how it went (in "test | tail" and "test || true" it does not). Execute one now, then give your final answer again. If nothing can be checked here, say why in a line of it that begins with "Not checked:".]';

function failedNote(failed: readonly CheckResult[]): string {
  const list = failed.map(({ command, exit_code: code }) => `${JSON.stringify(command)} (${endText(code)})`);
  return `[Since you last changed files, these checks fail: ${list.join(", ")}. Fix what your change broke and execute them again, then give your final answer again. If they failed before your change, or cannot pass here, say why in a line of it that begins with "Checks fail:".]`;
}

function endText(code: number | null): string {
  return code === null ? "ended at a limit" : `exit code ${code}`;
}

type FollowUpOptions = {
  readonly task: BackendTask;
  readonly checkout: Checkout;
  readonly tools: readonly Pick<Tool<unknown>, "name">[];
  readonly modelId: string;
  /** Null where there is no reviewer. */
  readonly reviewerId: string | null;
  readonly conversation: Conversation;
  readonly requests: ModelRequests;
  /** Null: any reply will do. */
  readonly form: OutputForm | null;
  /** The scripts of the project. */
  readonly scripts: ProjectScripts;
};

export class FollowUps {
  readonly #options: FollowUpOptions;
  #hasActed: boolean;
  #hasWritten: boolean;
  readonly #checks: CheckRecord;
  #checksAsked: number;
  #hasCalledSince: boolean;
  readonly #done: Set<Once>;

  constructor(options: FollowUpOptions, left?: FollowUpsState) {
    this.#options = options;
    this.#hasActed = left?.hasActed ?? false;
    this.#hasWritten = left?.hasWritten ?? false;
    this.#checks = new CheckRecord(options.scripts, left?.checks);
    this.#checksAsked = left?.checksAsked ?? 0;
    this.#hasCalledSince = left?.hasCalledSince ?? false;
    this.#done = new Set(left?.done);
  }

  get state(): FollowUpsState {
    return {
      hasActed: this.#hasActed,
      hasWritten: this.#hasWritten,
      checks: this.#checks.state,
      checksAsked: this.#checksAsked,
      hasCalledSince: this.#hasCalledSince,
      done: [...this.#done],
    };
  }

  /** Takes note of a turn's executed calls. */
  record({ hasWritten, used }: Pick<ToolResults, "hasWritten" | "used">): void {
    this.#hasActed = true;
    this.#hasWritten ||= hasWritten;
    this.#hasCalledSince = true;
    for (const call of used) this.#note(call);
  }

  /** Tells the run's readers how its checks ended. */
  async tellChecks(): Promise<void> {
    const { event: value } = this.#checks;
    if (value !== null) await this.#options.task.emit({ type: "CUSTOM", name: CHECKS_EVENT, value });
  }

  #note({ name, access, input, ok, value }: UsedTool): void {
    if (!ok) return;
    if (name !== COMMAND_TOOL) {
      if (access === "write") this.#checks.noteEdit(pathsIn(input));
      return;
    }
    const executed = executedCommand(input, value);
    if (executed === null) return;
    if ("isBackground" in executed) this.#checks.noteBackground(executed.command);
    else this.#checks.noteCommand(executed.command, executed.exitCode);
  }

  /**
   * The next message to the model about its answer `text`, or null when the answer is final. Where no turn is left (`isLast`) only
   * the output is checked. Throws a `BackendFailure` for a run without any answer and for an output that was invalid twice.
   */
  async next(text: string, { isLast }: { isLast: boolean }): Promise<string | null> {
    const { modelId } = this.#options;
    if (text.trim() === "") {
      if (!isLast && this.#isFirst("nudge")) return EMPTY_NOTE;
      if (!this.#hasActed) {
        throw new BackendFailure(`The model "${modelId}" gave no answer. Run it again.`, {
          reason: "model_failed",
          isRetryable: true,
        });
      }
    }
    const request = isLast ? null : this.#askForChecks(text);
    if (request !== null) return request;
    const objections = isLast ? null : await this.#review();
    return objections ?? (await this.#checkOutput(text, { isLast }));
  }

  /** Only where a command can be executed, and until the model says why not. */
  #askForChecks(text: string): string | null {
    const { tools, form } = this.#options;
    const { hasChanged, isUnchecked } = this.#checks.state;
    const failed = hasChanged ? this.#checks.failed : [];
    if (!tools.some(({ name }) => name === COMMAND_TOOL)) return null;
    if ((!isUnchecked && failed.length === 0) || explanation.test(text)) return null;
    const asked = this.#checksAsked;
    // An answer of a form has no line for it.
    const isIdle = asked > 0 && !this.#hasCalledSince;
    if (asked >= (form === null ? MAX_CHECK_REQUESTS : 1)) return null;
    if (isIdle && asked >= MAX_IDLE_CHECK_REQUESTS) return null;
    this.#checksAsked += 1;
    this.#hasCalledSince = false;
    return isUnchecked ? UNCHECKED_NOTE : failedNote(failed);
  }

  async #review(): Promise<string | null> {
    const { conversation, requests, reviewerId: modelId, checkout } = this.#options;
    if (modelId === null || !this.#hasWritten || !this.#isFirst("review")) return null;
    const { files, patch } = await checkout.workingChanges();
    if (files.length === 0) return null;
    const objections = await findObjections({ modelId, requests, conversation, patch });
    if (objections === null) return null;
    return `[Another model reviewed your work and objects. Fix what it is right about, say briefly where it is wrong, then give your final answer again.]\n${objections}`;
  }

  /** Emits the reply as data if it is valid. Throws a `BackendFailure` when it was invalid twice. */
  async #checkOutput(text: string, { isLast }: { isLast: boolean }): Promise<string | null> {
    const { form, task } = this.#options;
    if (form === null) return null;
    const checked = form.check(text);
    if (checked.ok) {
      const value = form.validatesFindings && !isLast ? await this.#validated(checked.value) : checked.value;
      await task.emit({ type: "CUSTOM", name: OUTPUT_EVENT, value });
      return null;
    }
    if (this.#isFirst("repair")) {
      return `[Your answer does not fit the JSON Schema: ${checked.faults}. Answer again with the JSON value alone.]`;
    }
    throw new BackendFailure(
      `The model's reply does not fit output_schema, even after a second try: ${checked.faults}.`,
      { reason: "model_failed", isRetryable: true, chargedFor: "output_schema" },
    );
  }

  /** By the reviewer's model where there is one. */
  async #validated(value: JsonValue): Promise<JsonValue> {
    const { task, checkout, requests, modelId, reviewerId } = this.#options;
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    const tools = readingToolbox({ checkout });
    return await validateReview(value, {
      task,
      checkout,
      tools,
      modelId: reviewerId ?? modelId,
      requests,
    });
  }

  #isFirst(what: Once): boolean {
    const isFirst = !this.#done.has(what);
    this.#done.add(what);
    return isFirst;
  }
}

/** The files that a call names. */
function pathsIn(input: unknown): readonly string[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).flatMap(([key, value]) =>
    key.endsWith("path") && typeof value === "string" ? [value] : [],
  );
}
