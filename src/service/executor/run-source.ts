// Where the files of a run come from: its commit, with what its job has sent of it, or with the access of its agent's owner.

import type { Agent } from "../core/agents/agent.ts";
import type { CheckoutSource } from "../core/checkouts/checkout.ts";
import { findHeldSource } from "../core/commits/held-source.ts";
import { placeOf } from "../core/commits/run-commit.ts";
import type { Core } from "../core/core.ts";
import { secretPartsOf } from "../core/repository-access/deploy-key.ts";
import { findCredential } from "../core/repository-access/open-access.ts";
import type { TakenRun } from "../core/runs/progress-run.ts";
import type { RunInput } from "../core/runs/run-record.ts";
import type { SecretMask } from "./secret-mask.ts";

type RunOfSource = { readonly core: Core; readonly taken: TakenRun; readonly secrets: SecretMask };

/** The source of the run's checkout. With a pull request it is that pull request's head, trusted as an outsider's. */
export function sourceOf(input: RunInput, runId: string): CheckoutSource | null {
  const { pullRequest } = input;
  const place = placeOf(input);
  if (place === null) return null;
  const { name: repository, visibility } = place.repository;
  const source = { ...place, runId, repository, visibility };
  if (pullRequest === undefined) return source;
  const { number, headRef, headSha: sha, baseRef } = pullRequest;
  const isJobs = place.ref === headRef.replace(/head$/, "merge");
  return {
    ...source,
    sha,
    ref: headRef,
    event: "pull_request",
    baseRef,
    pullRequest: { number, headRef, isJobs },
  };
}

/** With what a job has sent of the commit; otherwise, for a run without one, with the access that the agent's owner chose. */
export async function withContents(
  { core, taken: { input }, secrets }: RunOfSource,
  { agent, source }: { readonly agent: Agent; readonly source: CheckoutSource },
): Promise<CheckoutSource> {
  const held = await findHeldSource(core, input);
  if (held !== null) return { ...source, held };
  const { repository } = agent;
  if (input.job !== null || repository === null || source.visibility === "public") return source;
  const credential = await findCredential(core, agent.id);
  if (credential === null) return source;
  if (credential.kind === "deploy_key") secrets.add(...secretPartsOf(credential.privateKey));
  return { ...source, remote: { repository, credential } };
}

/** Of a run that an earlier version of the service took. */
export function noCommitText(repository: string): string {
  return `It is not known which commit of ${repository} this run is to work on. Start it again.`;
}
