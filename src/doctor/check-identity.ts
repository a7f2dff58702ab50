// The identity that the service has bound to the job's capability, beside the job's own environment.

import type { CiJob } from "../ci/provider.ts";
import { providerDefinitions } from "../ci/providers.ts";
import { ApiError } from "../client/errors.ts";
import type { JobClient } from "../client/job-client.ts";
import type { CiIdentity } from "../contract/ci/exchange.ts";
import type { DoctorCheck } from "../report/doctor-page.ts";
import { found } from "./examination.ts";
import { failureText } from "./failure-text.ts";

export const IDENTITY_HEADING = { id: "identity", title: "As the service sees it" };

type IdentityFinding = { readonly check: DoctorCheck; readonly identity: CiIdentity | null };

export async function checkIdentity(
  { ci }: Pick<JobClient, "ci">,
  { job, signal }: { job: CiJob; signal: AbortSignal | undefined },
): Promise<IdentityFinding> {
  try {
    const identity = await ci.identity({ signal });
    return { check: compare(identity, job), identity };
  } catch (cause) {
    signal?.throwIfAborted();
    const text = failureText(cause);
    if (cause instanceof ApiError && cause.status === 404) {
      const fixes = [
        { text: "It is older than this version of the command. Nothing is wrong with the job." },
      ];
      const state = "warning" as const;
      return {
        check: found(IDENTITY_HEADING, { state, found: "The service does not tell what it sees.", fixes }),
        identity: null,
      };
    }
    const fixes = [{ text: "The service's operator finds the request in its log." }];
    return { check: found(IDENTITY_HEADING, { state: "fault", found: text, fixes }), identity: null };
  }
}

function compare(identity: CiIdentity, job: CiJob): DoctorCheck {
  const { repository } = identity;
  const { hasTokensId } = providerDefinitions[job.provider].environment;
  const isOther = hasTokensId && job.repository.id !== "" && bare(job.repository.id) !== bare(repository.id);
  return found(IDENTITY_HEADING, {
    state: isOther ? "warning" : "ok",
    found: isOther
      ? `The token is of repository ${repository.id}, and the environment says ${job.repository.id}. The service goes by the token.`
      : `It sees a job of "${identity.event}" in ${repository.name}.`,
    facts: {
      repository: `${repository.name} (id ${repository.id}, owner ${repository.owner_id}, ${repository.visibility})`,
      event: identity.event,
      ref: identity.ref,
      "base ref": identity.base_ref,
      commit: identity.sha,
      run: `${identity.run_id}, attempt ${identity.run_attempt}`,
      workflow: identity.workflow,
      actor: identity.actor_id,
      issuer: identity.issuer,
      audience: identity.audience,
      agent: identity.agent_id,
    },
    fixes: isOther
      ? [{ text: "Look for a step or a container that sets the CI provider's variables to another job's." }]
      : [],
  });
}

/** UUIDs come with braces and without. */
function bare(id: string): string {
  return id.replace(/[{}]/g, "").toLowerCase();
}
