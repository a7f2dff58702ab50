// The job's ID token: its claims, or the reason why there is none.

import { type CiJob, type CiProvider, IdentityError } from "../ci/provider.ts";
import type { DoctorCheck, DoctorFix } from "../report/doctor-page.ts";
import { found, notTried } from "./examination.ts";
import { readClaims, type TokenClaims } from "./token-claims.ts";

export const TOKEN_HEADING = { id: "token", title: "ID token" };

/** Stands for the audience where no service is named: whoever mints on demand takes any. */
const ANY_AUDIENCE = "agent-service";

export type MintedToken = { readonly token: string; readonly claims: TokenClaims };

type TokenFinding = {
  readonly check: DoctorCheck;
  /** Null where there is none. Never shown. */
  readonly minted: MintedToken | null;
};

/** Mints one token. `audience` is null where no service is named: then it only shows what a token would say. */
export async function checkToken(options: {
  provider: CiProvider;
  audience: string | null;
  signal: AbortSignal | undefined;
}): Promise<TokenFinding> {
  const { provider, audience, signal } = options;
  const isGiven = (provider.tokenLimit ?? 0) > 0;
  if (audience === null && isGiven) {
    return {
      check: notTried(TOKEN_HEADING, "no service is named to which the token should fit"),
      minted: null,
    };
  }
  try {
    const token = await provider.mintIdToken(audience ?? ANY_AUDIENCE, signal);
    return describe(provider, token);
  } catch (cause) {
    signal?.throwIfAborted();
    if (!(cause instanceof IdentityError)) throw cause;
    if (audience === null) {
      return {
        check: notTried(TOKEN_HEADING, "the job can have none, and without a service nothing needs one"),
        minted: null,
      };
    }
    return { check: explainNoToken(TOKEN_HEADING, { job: provider.job, error: cause }), minted: null };
  }
}

function describe(provider: CiProvider, token: string): TokenFinding {
  const claims = readClaims(token);
  if (claims === null) {
    const text = "The provider gave something that is no ID token: it has no claims that can be read.";
    return { check: found(TOKEN_HEADING, { state: "fault", found: text }), minted: null };
  }
  const { tokenLimit } = provider;
  const check = found(TOKEN_HEADING, {
    state: "ok",
    found: "The job can have one. These of its claims say who the job is; the token itself is not shown.",
    facts: { ...claims.facts, "tokens in this job": tokenLimit },
    fixes:
      tokenLimit === undefined
        ? []
        : [
            {
              text: "Keep this examination in a job of its own: it uses up the job's token, and a run in the same job would be refused with it.",
            },
          ],
  });
  return { check, minted: { token, claims } };
}

/** Why the job has none, with the lines to add. */
export function explainNoToken(
  heading: Pick<DoctorCheck, "id" | "title">,
  { job, error }: { readonly job: CiJob; readonly error: IdentityError },
): DoctorCheck {
  const [text = "", ...code] = error.message.split("\n\n");
  const isByDesign = error.code === "fork_pull_request" || error.code === "dependabot";
  const told = code.join("\n\n").trimEnd();
  const fixes: DoctorFix[] = told === "" ? [] : [{ text: "Add to this job:", code: told }];
  if (job.provider === "github") fixes.push(...githubFixes(error));
  return found(heading, {
    state: isByDesign ? "warning" : "fault",
    found: text.replace(/ Add to this job:$/, ""),
    facts: { reason: error.code },
    fixes,
  });
}

function githubFixes({ code }: IdentityError): DoctorFix[] {
  const permission: DoctorFix = {
    text: "Write into the job. A permissions block takes away what it does not name: name the rest that the job needs, too. Where another workflow calls this one, the job that calls it needs the same lines.",
    code: "permissions:\n  id-token: write\n  contents: read",
  };
  switch (code) {
    case "id_token_unavailable":
    case "id_token_refused":
    case "dependabot":
      return [permission];
    case "fork_pull_request":
      return [
        {
          text: "Nothing is broken. To run for forks, let somebody with write access ask for it in a comment:",
          code: "on:\n  issue_comment:\n    types: [created]",
        },
      ];
    case "id_token_failed":
      return [
        { text: "Re-run the job. If it stays so, look at the code host's status page for its Actions." },
      ];
  }
}
