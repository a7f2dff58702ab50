// The ending of a run, for somebody who reads it without a job: on a terminal, or in an editor.

import type { Run } from "../client/client.ts";
import { commandWords } from "../job/command-words.ts";
import { resumingOfRun } from "../job/resume-advice.ts";
import { concludeRun, type Surroundings } from "../job/run-verdict.ts";
import type { Verdict } from "../report/conclusion.ts";

/** `detail` is the run's own error message. */
export function verdictForReader(run: Run, detail: string | null): Verdict {
  return concludeRun({ run, passed: null, detail }, { ...nobody, resuming: resumingOfRun(run.id) });
}

/** No job, whose limits or claims the verdict could name. */
const nobody: Omit<Surroundings, "resuming"> = {
  words: commandWords(null),
  isEmbedded: false,
  modelAdvice: null,
  claimUrl: null,
  claimObstacle: null,
};
