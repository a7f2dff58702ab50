// The first prompt of an agent's process: of a run that begins, of a session that goes on, or of one that begins again with what is
// known of the work before. Pure.

import type { Message } from "../../../../../contract/runs/run-requests.ts";
import type { BareTask, RepositoryTask } from "../../../backend.ts";
import type { AgentPrompt } from "../agent-connection.ts";
import { imagesOf, promptOf, repairText } from "../prompt.ts";
import type { AgentStep, OutsideCall } from "./left-agent.ts";
import { continuedText, startedAgainText } from "./take-up-text.ts";

/** What an earlier process has left. `session`: its session is to be gone on with. Null: there is none, and a new one is told. */
export type TakenUp = {
  readonly sessionId: string | null;
  readonly thread: string;
  readonly step: AgentStep;
  readonly hasAnswered: boolean;
  readonly unknown: readonly OutsideCall[];
};

type FirstPromptParts = {
  readonly history: readonly Message[];
  readonly form: { readonly text: string } | null;
  readonly hidden: string;
  readonly network: string;
  /** The text about the run's MCP servers; "" where it has none. */
  readonly servers: string;
  readonly takesImages: boolean;
  /** Null for a run that begins. */
  readonly left: TakenUp | null;
};

export function firstPrompt(
  task: RepositoryTask | BareTask,
  { left, ...parts }: FirstPromptParts,
): AgentPrompt {
  const repair = left?.step.at === "repair" ? repairText(left.step.faults) : null;
  if (left !== null && left.sessionId !== null) {
    const { unknown } = left;
    const form = parts.form?.text ?? null;
    return {
      text: continuedText(task.messages, { unknown, servers: parts.servers, form, repair }),
      images: [],
    };
  }
  const again = left === null ? [] : [startedAgainText(left.thread, left)];
  const text = [promptOf(task, parts), ...again, ...(repair === null ? [] : [repair])].join("\n\n");
  return { text, images: parts.takesImages ? imagesOf(task.messages) : [] };
}
