// The last lines of `agent-service run`: the files, the ending, the cost, the advice.

import { ciProviders } from "../contract/ci/providers.ts";
import { endingTitle, runFacts } from "../job/ending.ts";
import { titleLine } from "../render/outcome-title.ts";
import { costParts } from "../render/run-costs.ts";
import { note } from "./run-notes.ts";
import type { CommandEnding, RunSurroundings } from "./run-types.ts";

export function sayEnding(ending: CommandEnding, surroundings: RunSurroundings): void {
  if (surroundings.settings.format === "text") sayResult(ending, surroundings);
  const { conclusion, reason, message } = ending.verdict;
  // The result's last line says so. A question has to be answered.
  if (conclusion !== "success" || reason === "question") note(message);
  sayClaim(ending, surroundings);
}

function sayResult(ending: CommandEnding, { files }: RunSurroundings): void {
  if (files.folder !== null) {
    process.stdout.write(`Reply, summary, events and patch are in ${files.folder}.\n`);
  }
  const { outcome, progress } = ending;
  if (outcome.type !== "ended") return;
  const isCharged = "service" in progress && progress.service.type === "remote";
  const parts = [titleLine(endingTitle(ending)), ...costParts(outcome.run, { isCharged })];
  process.stdout.write(`${parts.join(", ")}\n`);
}

/** The claim link; or, where credits are used up and nobody can claim, why. */
function sayClaim(ending: CommandEnding, { origin }: RunSurroundings): void {
  const { claimUrl, outcome } = ending;
  if (claimUrl !== null) {
    note(`Claim this repository's agent, for credits of its own: ${claimUrl}`);
    return;
  }
  const obstacle = origin.job === null ? null : ciProviders[origin.job.provider].claimObstacle;
  const areUsedUp = outcome.type === "ended" && runFacts(ending).creditsRemaining === 0;
  if (obstacle !== null && areUsedUp) {
    note(`The free credits of this repository's owner are used up. ${obstacle}`);
  }
}
