// Actions on a run from its page: cancelled while it goes on, asked for once more or gone on with once it has ended. Each
// is a form, or a sentence that says who may, or what to do instead.

import { assertNever } from "../../../../../base/assert-never.ts";
import { type Contents, type Element, el, outerLink } from "../../../../../render/html/element.ts";
import { MAX_ANSWER_FORM_CHARS } from "../../../../../render/run-page/parked-section.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import type { Core } from "../../../../core/core.ts";
import { runPagePath } from "../../../../core/run-views/run-page-url.ts";
import { findLater, findNextObstacle, findRepeat, type Obstacle } from "../../../../core/runs/repeat-run.ts";
import type { RunRecord } from "../../../../core/runs/run-record.ts";
import { jobPage } from "../../../shared/about-view.ts";
import { maySend, whoMay } from "../../page-roles.ts";
import { findCommitObstacles } from "../agent/commit-obstacles.ts";
import { workspacePath } from "../workspaces/workspace-frame.ts";
import type { ReadableRun } from "./run-reader.ts";

const PATH = "/agent/:agentId/runs/:runId";

/** A sentence where the reader may do nothing of it; null where it is none of theirs. */
export type Actions = RunActions | string | null;

type RunActions = {
  /** Of a run that goes on: what follows its end is drawn, too, and hidden until then. */
  readonly isOver: boolean;
  readonly isCancelling: boolean;
  /** The page's path, without a slash at its end. */
  readonly base: string;
  /** Makes one run of a form that is sent twice. */
  readonly key: string;
  /** Why it is not asked for once more. Null: it can be. */
  readonly retryObstacle: Contents;
  /** Why its session does not go on here. Null: it can. */
  readonly nextObstacle: Contents;
  /** Whether a job asked for it. */
  readonly isJobs: boolean;
  /** What was typed as the next message, where that was refused. */
  readonly typed: string;
};

type Asked = {
  readonly readable: ReadableRun;
  /** The record as it is now, with the delivery that is still waited for. */
  readonly run: RunRecord;
  readonly agent: Agent | null;
  readonly isDelivering: boolean;
  readonly typed: string;
};

export async function findActions(
  core: Core,
  { readable, run, agent, isDelivering, typed }: Asked,
): Promise<Actions> {
  const { reader } = readable;
  if (reader.kind !== "account") return null;
  if (agent === null) return "Its agent was deleted: nothing more can be done with this run.";
  if (!maySend(reader, `${PATH}/cancel`))
    return whoMay(reader, `${PATH}/cancel`, "cancel this run, ask for the same again and go on from it");
  const [repeat, next, later, commits] = await Promise.all([
    findRepeat(core, run),
    findNextObstacle(core, run),
    findLater(core.store.committed, run),
    findCommitObstacles(core, { agent, sessionIds: [run.sessionId] }),
  ]);
  const retired = agent.retiredAt !== null ? "Its agent is retired and takes no more work." : null;
  const wentOn = later === null ? null : obstacleText(run, { reason: "session_went_on", runId: later });
  const ofSession = commits.sessionIds.get(run.sessionId) ?? null;
  const beginsSession = repeat.ok && repeat.value.sessionId === null;
  return {
    isOver: run.endedAt !== null,
    isCancelling: run.status === "cancelling",
    base: runPagePath({ agentId: run.agentId, runId: run.id }),
    key: core.random.uuid(core.clock.now()),
    retryObstacle: repeat.ok
      ? (retired ?? (beginsSession ? commits.text : (wentOn ?? ofSession)))
      : [obstacleText(run, repeat.refusal), await workspaceLink(core, agent, repeat.refusal)],
    nextObstacle:
      next === null
        ? (retired ?? wentOn ?? (isDelivering ? DELIVERING : ofSession))
        : [obstacleText(run, next), await workspaceLink(core, agent, next)],
    isJobs: run.about?.event !== undefined && run.commit === undefined,
    typed,
  };
}

/** Where it is still there. */
async function workspaceLink(core: Core, { accountId }: Agent, obstacle: Obstacle): Promise<Contents> {
  if (obstacle.reason !== "in_workspace") return null;
  const workspace = await core.store.committed.workspaces.find(obstacle.workspaceId);
  if (workspace === null || workspace.accountId !== accountId || workspace.state === "erasing") return null;
  return [" ", el("a", { href: workspacePath(workspace.id) }, "The workspace")];
}

const DELIVERING = "Its job is still writing what this run made. After that its session can go on here.";

/** What keeps people from it, and what they can do instead. */
export function obstacleText({ agentId }: RunRecord, obstacle: Obstacle): Contents {
  const runLink = (runId: string, text: string) => el("a", { href: runPagePath({ agentId, runId }) }, text);
  switch (obstacle.reason) {
    case "unfinished":
      return "It has not ended yet.";
    case "input_gone":
      return [
        "What it was asked is deleted by now, as every request is after a while. ",
        el("a", { href: `/agent/${agentId}` }, "Ask anew"),
        ".",
      ];
    case "of_job": {
      const page = jobPage(obstacle.job);
      const host = obstacle.job.provider === "gitlab" ? "GitLab" : "GitHub";
      return [
        "A CI job asked for it, and only a job can deliver what it makes. ",
        page === null
          ? "Run the job again at its code host."
          : ["Run it again at ", host, ": ", outerLink(page, ["the job's run"]), "."],
      ];
    }
    case "delegated":
      return [
        "Another run delegated it: ",
        runLink(obstacle.parentRunId, "that one"),
        " is what can be repeated.",
      ];
    case "forked":
      return [
        `It began at turn ${obstacle.turn} of another run: fork it again at a turn, or `,
        runLink(obstacle.runId, "the other one"),
        ".",
      ];
    case "workflow":
      return [
        "It executed a workflow: ",
        el("a", { href: `/agent/${agentId}?workflow=${obstacle.workflowId}#workflow` }, "run that again"),
        ".",
      ];
    case "in_workspace":
      return "It worked in a workspace, where others may have changed the files since: ask anew there.";
    case "session_went_on":
      return ["Its session went on with ", runLink(obstacle.runId, "a later run"), "."];
    default:
      return assertNever(obstacle);
  }
}

/** At the top of the page. */
export function actionBar(actions: Actions): Contents {
  if (actions === null) return null;
  if (typeof actions === "string") return el("p", { class: "hint" }, actions);
  const { base, key, retryObstacle, nextObstacle } = actions;
  const canRetry = retryObstacle === null;
  const retry = el(
    "form",
    { method: "post", action: `${base}/retry` },
    hidden("key", `retry-${key}`),
    el("button", { "aria-describedby": "retry-hint" }, "Retry"),
  );
  return [
    el(
      "div",
      { id: "cancel", class: "actions", hidden: hiddenIf(actions.isOver || actions.isCancelling) },
      el(
        "form",
        { method: "post", action: `${base}/cancel` },
        el("button", { class: "danger" }, "Cancel the run"),
      ),
    ),
    el(
      "div",
      { id: "again", hidden: hiddenIf(!actions.isOver) },
      canRetry || nextObstacle === null
        ? el(
            "div",
            { class: "actions" },
            canRetry ? retry : null,
            nextObstacle === null ? el("a", { class: "button", href: "#next" }, "And now …") : null,
          )
        : null,
      el(
        "p",
        { class: "hint", id: "retry-hint" },
        canRetry
          ? "Retry asks for the same once more: a new run, in this account's name and paid by it. This one stays as it is."
          : [el("strong", {}, "No retry here. "), retryObstacle],
      ),
    ),
  ];
}

/** Below what the run has said and changed. */
export function nextSection(actions: Actions): Contents {
  if (actions === null || typeof actions === "string") return null;
  const { base, key, nextObstacle, isJobs, typed } = actions;
  return el(
    "section",
    { id: "next", hidden: hiddenIf(!actions.isOver) },
    el("h2", {}, "And now …"),
    nextObstacle === null
      ? el(
          "form",
          { method: "post", action: `${base}/next` },
          hidden("key", `next-${key}`),
          el("label", { for: "next-message" }, "The next message of its session"),
          el(
            "textarea",
            {
              id: "next-message",
              name: "message",
              maxlength: MAX_ANSWER_FORM_CHARS,
              required: true,
              "aria-describedby": "next-hint",
            },
            // The first line break of a textarea's text is not part of it.
            typed === "" ? "" : `\n${typed}`,
          ),
          el("p", { class: "hint", id: "next-hint" }, isJobs ? JOBS_HINT : HINT),
          el("div", { class: "actions" }, el("button", { class: "main" }, "Send")),
        )
      : el("p", { class: "faint" }, nextObstacle),
    nextObstacle === null || typed === ""
      ? null
      : [
          el("label", { for: "typed" }, "What you had written"),
          el("textarea", { id: "typed", readonly: true }, `\n${typed}`),
        ],
  );
}

const HINT = "A new run goes on with the conversation and the files, in this account's name and paid by it.";
const JOBS_HINT = `${HINT} No job pushes what it changes: its page has the changes as a patch.`;

function hidden(name: string, value: string): Element {
  return el("input", { type: "hidden", name, value });
}

function hiddenIf(isHidden: boolean): true | undefined {
  return isHidden ? true : undefined;
}
