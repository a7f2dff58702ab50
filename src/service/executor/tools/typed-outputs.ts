// The tools by which an agent asks its job to write something after the run: one for each output that the job declares.
// Why: docs/decisions/146-typed-outputs.md

import * as z from "zod/mini";
import { once } from "../../../base/once.ts";
import { admitOutput, notAllowedText } from "../../../contract/runs/admit-output.ts";
import {
  MAX_OUTPUT_BODY_CHARS,
  MAX_OUTPUT_TITLE_CHARS,
  TYPED_OUTPUT_EVENT,
  type TypedOutput,
  type TypedOutputs,
} from "../../../contract/runs/typed-outputs.ts";
import type { BackendTask } from "../backend.ts";
import { defineTool, type Tool, ToolError } from "./tool.ts";
import { described } from "./tool-input.ts";

const LATER = "It is written after this run has ended, not now.";
const TAKEN = `Taken. ${LATER}`;
const TAKEN_BEFORE = "This was asked for before: nothing is added.";

type OutputsTask = Pick<BackendTask, "emit" | "outputs">;

/** None where the job declares none. */
export function typedOutputTools(task: OutputsTask): readonly Tool<string>[] {
  if (task.outputs === null) return [];
  const { declared } = task.outputs;
  const { ask } = new AskedOutputs(task, task.outputs);
  return toolsOf(declared, ask);
}

type Ask = (asked: TypedOutput) => Promise<string>;

/** What the run has asked for. Calls that are made at once are counted one after the other. */
class AskedOutputs {
  readonly #task: Pick<BackendTask, "emit">;
  readonly #declared: TypedOutputs;
  readonly #earlier: () => Promise<TypedOutput[]>;

  constructor(task: Pick<BackendTask, "emit">, outputs: NonNullable<BackendTask["outputs"]>) {
    this.#task = task;
    this.#declared = outputs.declared;
    this.#earlier = once(async () => [...(await outputs.earlier())]);
  }

  /** Rejects with a `ToolError` that says what is allowed. */
  readonly ask: Ask = async (asked) => {
    const all = await this.#earlier();
    const verdict = admitOutput(this.#declared, all, asked);
    if (!verdict.ok) throw new ToolError("refused", verdict.refusal);
    if (verdict.value === null) return TAKEN_BEFORE;
    all.push(verdict.value);
    await this.#task.emit({ type: "CUSTOM", name: TYPED_OUTPUT_EVENT, value: verdict.value });
    return TAKEN;
  };
}

function toolsOf(declared: TypedOutputs, ask: Ask): readonly Tool<string>[] {
  const { labels, assign, reviewers, close, issue, discussion, dispatch } = declared;
  const tools: Tool<string>[] = [];
  const add = <Schema extends z.ZodMiniType>(tool: {
    readonly name: string;
    readonly description: string;
    readonly input: Schema;
    readonly output: (input: z.output<Schema>) => TypedOutput;
  }) => {
    const { name, description, input, output } = tool;
    tools.push(
      defineTool({
        name,
        description: `${description} ${LATER}`,
        input,
        find: async (given) => await ask(output(given)),
        format: (text) => text,
      }),
    );
  };
  if (labels !== undefined)
    add({
      name: "add_labels",
      description: `Adds labels to the issue or pull request that this run is about, ${labels.max} at most. Only labels that fit.`,
      input: z.object({ labels: several("label", labels.allowed) }),
      output: (given) => ({ type: "labels", ...given }),
    });
  if (assign !== undefined)
    add({
      name: "assign_users",
      description: `Assigns people to the issue or pull request that this run is about, ${assign.max} at most.`,
      input: z.object({ logins: several("assignee", assign.allowed) }),
      output: (given) => ({ type: "assign", ...given }),
    });
  if (reviewers !== undefined)
    add({
      name: "request_reviewers",
      description: `Requests reviews of the pull request that this run is about, ${reviewers.max} at most. "team/…" is a team.`,
      input: z.object({ reviewers: several("reviewer", reviewers.allowed) }),
      output: (given) => ({ type: "reviewers", ...given }),
    });
  if (close !== undefined)
    add({
      name: "close_issue",
      description:
        "Closes the issue that this run is about. Only where you are sure, and say why in your reply.",
      input: z.object({ reason: oneOf("reason", close.reasons) }),
      output: (given) => ({ type: "close", ...given }),
    });
  if (issue !== undefined)
    add({
      name: "create_issue",
      description: `Files a new issue in this repository, ${issue.max} at most.`,
      input: text("issue"),
      output: (given) => ({ type: "issue", ...given }),
    });
  if (discussion !== undefined)
    add({
      name: "create_discussion",
      description: `Begins a new discussion in this repository, ${discussion.max} at most.`,
      input: text("discussion"),
      output: (given) => ({ type: "discussion", ...given }),
    });
  if (dispatch !== undefined)
    add({
      name: "dispatch_workflow",
      description: `Starts a workflow of this repository, ${dispatch.max} at most.`,
      input: z.object({ workflow: oneOf("workflow", dispatch.workflows) }),
      output: (given) => ({ type: "dispatch", ...given }),
    });
  return tools;
}

function oneOf(what: string, allowed: readonly string[]) {
  return z.enum(allowed, { error: ({ input }) => notAllowedText(what, { asked: String(input), allowed }) });
}

function several(what: string, allowed: readonly string[]) {
  return z.array(oneOf(what, allowed)).check(z.minLength(1));
}

/** Titles and bodies that are too long are refused by what reads them. */
function text(what: string) {
  return z.object({
    title: described(
      z.string(),
      `The title of the ${what}: one line of at most ${MAX_OUTPUT_TITLE_CHARS} characters.`,
    ),
    body: described(
      z.string(),
      `The text of the ${what}, in Markdown: at most ${MAX_OUTPUT_BODY_CHARS} characters. Mentions of people notify nobody.`,
    ),
  });
}
