// The statement in a verified bundle: about this commit, of our own kind, and whole. Pure.

import { parseJson } from "../../base/json.ts";
import { ok, type Result, refused } from "../../base/result.ts";
import {
  AGENT_RUN,
  type AgentRun,
  agentRunSchema,
  STATEMENT_MEDIA_TYPE,
  statementSchema,
} from "../../contract/attestations/agent-run.ts";

export type CommitDigests = {
  readonly sha: string;
  /** Of the commit's object. */
  readonly sha256: string;
};

/** The run, or why the statement is not about it. */
export function checkStatement(
  { payloadType, payload }: { readonly payloadType: string; readonly payload: Buffer },
  commit: CommitDigests,
): Result<AgentRun, string> {
  if (payloadType !== STATEMENT_MEDIA_TYPE) return refused("It is no statement of in-toto.");
  const statement = statementSchema.safeParse(parseJson(payload.toString("utf8")));
  if (!statement.success) return refused("It is no statement of in-toto, version 1.");
  const { predicateType, predicate, subject } = statement.data;
  if (predicateType !== AGENT_RUN)
    return refused(`It is about ${predicateType}, not about a run of an agent.`);
  const isAbout = subject.some(
    ({ digest }) => digest.sha256 === commit.sha256 && (digest.gitCommit ?? commit.sha) === commit.sha,
  );
  if (!isAbout) return refused("It is about another commit.");
  const run = agentRunSchema.safeParse(predicate);
  if (run.success) return ok(run.data);
  const [issue] = run.error.issues;
  return refused(`Its field ${issue?.path.join(".") ?? ""} is not as version 1 has it.`);
}
