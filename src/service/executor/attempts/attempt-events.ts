// Events of a run with attempts: the attempts, how far they are, and the reply of the chosen one.

import { ATTEMPTS_EVENT, type AttemptsEvent } from "../../../contract/runs/attempts.ts";
import { CHECKS_EVENT, type ChecksEvent } from "../../../contract/runs/checks.ts";
import { NOTICE_EVENT, OUTPUT_EVENT, RESUMED_EVENT } from "../../../contract/runs/run-event.ts";
import { TYPED_OUTPUT_EVENT } from "../../../contract/runs/typed-outputs.ts";
import type { AttemptWork } from "../../core/runs/read-attempt.ts";
import type { BackendTask } from "../backend.ts";
import { type AttemptResult, type Chosen, shownAttempt } from "./choose-attempt.ts";

const MAX_DELTA_CHARS = 16_000;

export type Judged = NonNullable<AttemptsEvent["value"]["judge"]>;

export class AttemptEvents {
  readonly #task: Pick<BackendTask, "emit" | "journal" | "nextId">;

  constructor(task: Pick<BackendTask, "emit" | "journal" | "nextId">) {
    this.#task = task;
  }

  /** Where another worker had begun: that this one goes on. */
  async tellTakenUp(): Promise<void> {
    const { journal, emit } = this.#task;
    if (journal?.left == null) return;
    const value = { turn: 1, after: journal.left.after, unknown_calls: [] };
    await emit({ type: "CUSTOM", name: RESUMED_EVENT, value });
  }

  /** Nothing is chosen yet where that is left out. */
  async tellAttempts(
    results: readonly AttemptResult[],
    { chosen, judged }: { readonly chosen: Chosen | null; readonly judged: Judged | null } = {
      chosen: null,
      judged: null,
    },
  ): Promise<void> {
    const attempts = results.map((one) => shownAttempt(one, chosen));
    await this.#task.emit({ type: "CUSTOM", name: ATTEMPTS_EVENT, value: { attempts, judge: judged } });
  }

  async notice(text: string): Promise<void> {
    await this.#task.emit({ type: "CUSTOM", name: NOTICE_EVENT, value: { text } });
  }

  /** The reply and what else the chosen attempt has said, as the run's own. */
  async tellWork(work: AttemptWork, checks: ChecksEvent["value"]): Promise<void> {
    const { emit } = this.#task;
    await this.#say(work.reply);
    if (work.output !== null) await emit({ type: "CUSTOM", name: OUTPUT_EVENT, value: work.output.value });
    for (const value of work.typedOutputs) await emit({ type: "CUSTOM", name: TYPED_OUTPUT_EVENT, value });
    const told = checks.results.length === 0 ? work.checks : checks;
    if (told !== null) await emit({ type: "CUSTOM", name: CHECKS_EVENT, value: told });
  }

  async #say(reply: string): Promise<void> {
    const { emit, nextId } = this.#task;
    if (reply === "") return;
    const messageId = nextId("message");
    await emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
    for (let at = 0; at < reply.length; at += MAX_DELTA_CHARS) {
      const delta = reply.slice(at, at + MAX_DELTA_CHARS);
      await emit({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
    }
    await emit({ type: "TEXT_MESSAGE_END", messageId });
  }
}
