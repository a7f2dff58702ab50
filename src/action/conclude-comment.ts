// The last text of the status comment: the run's ending, or the reason why there was no run.

import { endedText } from "../job/status-comment/ended-text.ts";
import type { ActionEnding, ActionStep } from "./action-types.ts";
import { fileLinks } from "./file-links.ts";

/** Resolves to the comment's address; null where there is none. */
export async function concludeComment(
  { env, interrupts }: ActionStep,
  ending: ActionEnding,
): Promise<string | null> {
  const { progress } = ending;
  if (!("plan" in progress)) return null;
  const { request, statusComment } = progress.plan;
  const isCommand = (request?.subject?.command ?? null) !== null;
  if (statusComment === null || (isUneventful(ending) && !isCommand)) return null;
  const links = fileLinks(env, ending);
  return await statusComment.conclude({ ...endedText(ending), links, hurry: interrupts.first });
}

/** Nothing ran and nothing is wrong: only the author of a command waits for an answer. */
function isUneventful({ progress, verdict: { conclusion } }: ActionEnding): boolean {
  return !("run" in progress) && (conclusion === "skipped" || conclusion === "success");
}
