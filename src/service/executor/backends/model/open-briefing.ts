// Gathers the briefing of the model before it begins: its tools, the repository's notes, the place of the run.

import type { Clock } from "../../../../base/clock.ts";
import { type Checkout, CheckoutError } from "../../../core/checkouts/checkout.ts";
import type { BareTask, RepositoryTask } from "../../backend.ts";
import { noChecks, type ProjectChecks, readProjectChecks } from "../../checks/project-checks.ts";
import { ProjectMemory } from "../../memory/project-memory.ts";
import { readSkillTool } from "../../tools/read-skill.ts";
import { COMMAND_TOOL } from "../../tools/run-command.ts";
import type { Tool } from "../../tools/tool.ts";
import { withNotes } from "../../tools/with-notes.ts";
import type { RunBounds } from "./environment-text.ts";
import { instructionsFor } from "./instructions.ts";
import { NO_BASE_TEXT, type PullRequestChange, pullRequestText } from "./pull-request-text.ts";

const DIFF_TOOL = "git_diff";

type BriefingParts = {
  readonly task: RepositoryTask | BareTask;
  readonly checkout: Checkout;
  readonly tools: readonly Tool<unknown>[];
  readonly system: readonly string[];
  readonly place: string | null;
  readonly outputSchema: string | null;
  readonly bounds: RunBounds;
  readonly clock: Pick<Clock, "now">;
};

type OpenedBriefing = {
  readonly instructions: string;
  /** To be said before the request; null where there is nothing to say. */
  readonly opening: string | null;
  /** With those that the repository's notes add to. */
  readonly tools: readonly Tool<unknown>[];
  /** Those that tools have added so far, the latest first. */
  readonly toldNotes: () => readonly string[];
  readonly checks: ProjectChecks;
};

export async function openBriefing(parts: BriefingParts): Promise<OpenedBriefing> {
  const { task, checkout, tools, system, place, outputSchema, bounds, clock } = parts;
  const memory = await ProjectMemory.open(checkout);
  const hasTools = tools.length > 0;
  const names = new Set(tools.map(({ name }) => name));
  const canExecute = names.has(COMMAND_TOOL);
  const checks = canExecute ? await readProjectChecks(checkout) : noChecks;
  const canChange = tools.some(({ name, access }) => access === "write" && name !== COMMAND_TOOL);
  const change = await changeOf(checkout);
  const isPullRequest = change !== null || isAboutPullRequest(task);
  const diffTool = names.has(DIFF_TOOL) ? DIFF_TOOL : null;
  const working = {
    isPullRequest,
    hasTools,
    canChange,
    canExecute,
    canPlan: names.has("update_plan"),
    canAsk: names.has("ask_question"),
  };
  const environment = {
    nowMs: clock.now(),
    platform: process.platform,
    paths: await pathsOf(checkout),
    isShared: checkout.isShared === true,
    canChange,
    canExecute,
    place,
    checks: checks.commands,
    bounds,
  };
  const noted = hasTools ? tools.map((tool) => withNotes(tool, memory)) : [];
  return {
    opening:
      change === null
        ? isPullRequest
          ? NO_BASE_TEXT
          : null
        : pullRequestText(change, { seed: task.runId, diffTool }),
    checks,
    toldNotes: () => memory.toldNotes,
    instructions: instructionsFor({ task, working, memory, system, environment, outputSchema }),
    tools: hasTools && memory.skills.length > 0 ? [...noted, readSkillTool(memory)] : noted,
  };
}

function isAboutPullRequest(task: RepositoryTask | BareTask): boolean {
  return task.repository !== null && (task.event === "pull_request" || task.baseRef !== null);
}

/** Null where the event is not a pull request, or no base is in reach. */
async function changeOf(checkout: Checkout): Promise<PullRequestChange | null> {
  try {
    const changes = await checkout.changesSinceBase();
    const diff = changes === null ? null : await checkout.diffSinceBase();
    return changes === null || diff === null ? null : { ...changes, diff: diff.text, isWhole: diff.isWhole };
  } catch (cause) {
    if (cause instanceof CheckoutError) return null;
    throw cause;
  }
}

async function pathsOf(checkout: Checkout): Promise<readonly string[] | null> {
  try {
    return await checkout.files();
  } catch (cause) {
    if (cause instanceof CheckoutError) return null;
    throw cause;
  }
}
