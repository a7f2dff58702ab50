// Follow-ups of the loop once the model calls no tool: go on after an empty answer, verify what it changed, answer the
// reviewer's objections, repair the output. Each at most once a run.

import { OUTPUT_EVENT } from "../../../../contract/runs/run-event.ts";
import type { Checkout } from "../../../core/checkouts/checkout.ts";
import { BackendFailure, type BackendTask } from "../../backend.ts";
import type { Tool } from "../../tools/tool.ts";
import type { ToolResults } from "./call-tools.ts";
import type { Conversation } from "./conversation.ts";
import type { FollowUpsState, Once } from "./loop-state.ts";
import type { ModelRequests } from "./model-requests.ts";
import type { OutputForm } from "./output-schema.ts";
import { findObjections } from "./reviewer.ts";
import { COMMAND_TOOL, UnverifiedChanges } from "./unverified-changes.ts";

const EMPTY_NOTE = "[Your answer was empty. Go on, or say what you found.]";

const VERIFY_NOTE =
  "[You have executed no command since you last changed files. Verify the change now as far as a command can: the tests that cover it, the type check, the linter or the build. Then give your final answer again. If nothing can be checked here, say so in it.]";

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
};

export class FollowUps {
  readonly #options: FollowUpOptions;
  #hasActed: boolean;
  #hasWritten: boolean;
  readonly #unverified: UnverifiedChanges;
  readonly #done: Set<Once>;

  constructor(options: FollowUpOptions, left?: FollowUpsState) {
    this.#options = options;
    this.#hasActed = left?.hasActed ?? false;
    this.#hasWritten = left?.hasWritten ?? false;
    this.#unverified = new UnverifiedChanges(left?.isUnverified);
    this.#done = new Set(left?.done);
  }

  get state(): FollowUpsState {
    return {
      hasActed: this.#hasActed,
      hasWritten: this.#hasWritten,
      isUnverified: this.#unverified.areThere,
      done: [...this.#done],
    };
  }

  /** Takes note of a turn's executed calls. */
  record({ hasWritten, used }: Pick<ToolResults, "hasWritten" | "used">): void {
    this.#hasActed = true;
    this.#hasWritten ||= hasWritten;
    for (const call of used) this.#unverified.note(call);
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
    if (!isLast && this.#wantsVerifying() && this.#isFirst("verify")) return VERIFY_NOTE;
    const objections = isLast ? null : await this.#review();
    return objections ?? (await this.#checkOutput(text));
  }

  /** Only where a command can be executed. */
  #wantsVerifying(): boolean {
    return this.#unverified.areThere && this.#options.tools.some(({ name }) => name === COMMAND_TOOL);
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
  async #checkOutput(text: string): Promise<string | null> {
    const { form, task } = this.#options;
    if (form === null) return null;
    const checked = form.check(text);
    if (checked.ok) {
      await task.emit({ type: "CUSTOM", name: OUTPUT_EVENT, value: checked.value });
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

  #isFirst(what: Once): boolean {
    const isFirst = !this.#done.has(what);
    this.#done.add(what);
    return isFirst;
  }
}
