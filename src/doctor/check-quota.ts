// The billing account of the next run, its credits, and the state of a claim. Pure.

import type { CiIdentity, ExchangeResponse } from "../contract/ci/exchange.ts";
import { type CiProviderName, ciProviders } from "../contract/ci/providers.ts";
import type { DoctorCheck, DoctorFix } from "../report/doctor-page.ts";
import { type DoctorFace, type Findings, found } from "./examination.ts";

export const QUOTA_HEADING = { id: "quota", title: "Credits and claim" };

/** `identity` is null for a service that does not tell: the exchange's own answer has the rest. */
export function checkQuota(
  grant: ExchangeResponse,
  job: { identity: CiIdentity | null; face: DoctorFace; provider: CiProviderName },
): DoctorCheck {
  const { repository, claim_url: url } = grant;
  const { identity, face, provider } = job;
  const obstacle = ciProviders[provider].claimObstacle;
  const { audience, credits_remaining: credits, resets_at } = identity?.quota ?? grant.quota;
  const claim = identity?.claim ?? claimOf(grant);
  return found(QUOTA_HEADING, {
    ...judge({ credits, claim, grant, face, obstacle }),
    facts: {
      credits,
      "paid by":
        audience === "anon" ? "the owner's free credits" : `the account that claimed it (${audience})`,
      "resets at": audience === "anon" ? resets_at : null,
      claim,
      "claim link": url,
      visibility: repository.visibility,
    },
  });
}

type Claim = CiIdentity["claim"];

function claimOf({ quota, claim }: ExchangeResponse): Claim {
  if (quota.audience !== "anon") return "claimed";
  return claim === "pending" ? "pending" : "unclaimed";
}

function judge(known: {
  credits: number;
  claim: Claim;
  grant: ExchangeResponse;
  face: DoctorFace;
  /** Why a claim leads nowhere. */
  obstacle: string | null;
}): Pick<Findings, "state" | "found" | "fixes"> {
  const { credits, claim, grant, face, obstacle } = known;
  const { claim_url: url, repository, quota } = grant;
  if (claim === "claimed") {
    if (credits > 0) return { state: "ok", found: "The agent is an account's, which has credits." };
    return {
      state: "fault",
      found: "The agent is an account's, which has no credits left: runs are refused.",
      fixes: [
        {
          text: 'The service\'s operator gives credits: "agent-service credits grant", "agent-service plans set".',
        },
      ],
    };
  }
  if (credits > 0 && repository.visibility === "public") {
    return {
      state: "ok",
      found: "The owner's free credits pay for runs.",
      fixes: claim === "pending" ? [acceptance(face)] : offerOf(url, { face, obstacle }),
    };
  }
  const why =
    credits === 0
      ? `the free credits of ${repository.name}'s owner are used up until ${quota.resets_at}`
      : `${repository.name} is ${repository.visibility}, and free credits are for public repositories`;
  return {
    state: "fault",
    found: `Runs are refused: ${why}.${claim === "pending" ? " A claim waits for a job to accept it." : ""}`,
    fixes:
      url === null
        ? [{ text: obstacle ?? "" }]
        : claim === "pending"
          ? [acceptance(face)]
          : [claiming(url), acceptance(face)],
  };
}

/** A claim gives more than credits: whoever owns the agent sets which jobs may run it, and what they may cost. */
function offerOf(
  url: string | null,
  { face, obstacle }: { readonly face: DoctorFace; readonly obstacle: string | null },
): DoctorFix[] {
  if (url === null || obstacle !== null) return [];
  const text = "Nothing has to be done. For credits and rules of its own, claim the agent with an account:";
  return [{ text, url }, acceptance(face)];
}

function claiming(url: string): DoctorFix {
  return { text: "Claim the repository's agent with an account that pays:", url };
}

function acceptance(face: DoctorFace): DoctorFix {
  const text = "Let a job that only a writer can start, as a push to the default branch, name that account:";
  return face === "action"
    ? { text, code: "with:\n  account: <the account's id>" }
    : { text, code: "agent-service run --account <the account's id>" };
}
