// The audience of the job's tokens, compared with the one that the service takes.

import type { JobClient } from "../client/job-client.ts";
import type { CiProviderName } from "../contract/ci/providers.ts";
import type { DoctorCheck } from "../report/doctor-page.ts";
import { type DoctorFace, found } from "./examination.ts";
import { failureText } from "./failure-text.ts";
import { audienceFix } from "./settings-text.ts";

export const AUDIENCE_HEADING = { id: "audience", title: "Audience" };

export async function checkAudience(
  { ci }: Pick<JobClient, "ci">,
  job: {
    audience: string;
    face: DoctorFace;
    provider: CiProviderName | null;
    signal: AbortSignal | undefined;
  },
): Promise<DoctorCheck> {
  const { audience: used, signal } = job;
  try {
    const { audience: expected } = await ci.audience({ signal });
    const isSame = used === expected;
    return found(AUDIENCE_HEADING, {
      state: isSame ? "ok" : "fault",
      found: isSame
        ? "Tokens are made for the audience that the service takes."
        : `Tokens are made for "${used}", and the service takes those for "${expected}" alone.`,
      facts: { "of this job": used, "of the service": expected },
      fixes: isSame ? [] : [audienceFix(expected, job)],
    });
  } catch (cause) {
    signal?.throwIfAborted();
    return found(AUDIENCE_HEADING, {
      state: "fault",
      found: `The service did not say which audience it takes. ${failureText(cause)}`,
      facts: { "of this job": used },
      fixes: [{ text: "Is the address that of the API itself, without /v1? Its log has the request." }],
    });
  }
}
