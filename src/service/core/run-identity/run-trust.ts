// Influence of outsiders on a run: on who started it, on the commit whose files its commands execute, and on the earlier runs
// whose words and changes it goes on with.
// Why: docs/decisions/170-commands-ask-a-relay-for-id-tokens.md

import { isCommitTrusted } from "../../../contract/ci/events.ts";
import { mayAcceptClaim } from "../ci-jobs/claimable.ts";
import type { StoreReader } from "../ports/store.ts";
import type { RunInput, RunRecord } from "../runs/run-record.ts";
import { earlierRuns } from "../runs/session-history.ts";

/** "trusted": only writers of the repository, and people of the agent's account. */
export type RunTrust = "trusted" | "untrusted";

/** Of a session that is longer nobody finds out. */
const MAX_RUNS = 1_000;

/** Where an earlier run is not kept any more, nothing is known: untrusted. */
export async function trustOf(
  store: StoreReader,
  { run, input }: { readonly run: RunRecord; readonly input: RunInput },
): Promise<RunTrust> {
  const seen = new Set([run.id]);
  /** By session, the run up to which its runs are known. */
  const known = new Map<string, string>();
  const waiting: Followed[] = [{ run, input }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (!isInputTrusted(at.input)) return "untrusted";
    for await (const earlier of runsBehind(store, at, known)) {
      if (earlier === null) return "untrusted";
      if (seen.has(earlier.id)) continue;
      seen.add(earlier.id);
      const inputOfIt = seen.size > MAX_RUNS ? null : await store.runs.findInput(earlier.id);
      if (inputOfIt === null) return "untrusted";
      waiting.push({ run: earlier, input: inputOfIt });
    }
  }
  return "trusted";
}

type Followed = { readonly run: RunRecord; readonly input: RunInput };

/** Those whose words and changes it goes on with. Null: one that is not there any more. */
async function* runsBehind(
  store: StoreReader,
  { run, input }: Followed,
  known: Map<string, string>,
): AsyncGenerator<RunRecord | null, void> {
  const origins = [run.parentRunId, input.forkOf?.runId ?? null];
  for (const id of origins) if (id !== null) yield await store.runs.find(id);
  const { id, sessionId } = run;
  if ((known.get(sessionId) ?? "") >= id) return;
  known.set(sessionId, id);
  yield* earlierRuns(store, run);
}

/** As of a job that gets a token for its owner's account: its starter, and its commit. */
function isInputTrusted({
  job,
  commit,
  pullRequest,
}: Pick<RunInput, "job" | "commit" | "pullRequest">): boolean {
  if (pullRequest !== undefined) return false;
  if (job !== null) return mayAcceptClaim(job) && isCommitTrusted(job);
  return commit === undefined || isCommitTrusted(commit.place);
}
