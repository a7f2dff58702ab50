// Who starts a run by `agent-service run`, and which service executes it: the CI job of this process, and a service that
// is named or lives in this process.

import { systemClock } from "../base/clock.ts";
import { createProvider, NoProviderError } from "../ci/detect.ts";
import type { CiJob, CiProvider, Environment } from "../ci/provider.ts";
import { fetchTransport } from "../client/transport.ts";
import type { JobService } from "../job/job-types.ts";
import { retryNote } from "../job/notes.ts";
import { CommandError } from "./command-error.ts";
import type { OpenedService } from "./opened-service.ts";
import { note } from "./run-notes.ts";
import type { ServiceSettings } from "./run-settings.ts";

export type RunOrigin = {
  /** Null where no CI provider started the process. */
  readonly job: CiJob | null;
  /** The job's commit; "" where nothing says it. */
  readonly sha: string;
  /** Starts an embedded service. Rejects with UsageError and CommandError. */
  openService(signal: AbortSignal): Promise<OpenedService>;
};

/** Rejects with CommandError where the service needs an identity that this process does not have. */
export async function findOrigin(settings: ServiceSettings, env: Environment): Promise<RunOrigin> {
  const provider = findProvider(env);
  if (settings.type === "embedded") {
    const job = provider instanceof NoProviderError ? null : provider.job;
    return {
      job,
      sha: job?.sha ?? "",
      openService: async (signal) => {
        const { openEmbedded } = await import("./run-embedded.ts");
        return await openEmbedded(settings.model, { env, job, signal });
      },
    };
  }
  if (provider instanceof NoProviderError) {
    throw new CommandError(
      `${provider.message} Elsewhere use a key ("agent-service runs submit"), or --embedded on a checkout.`,
      { cause: provider },
    );
  }
  const sha = await commitOf(provider);
  const service: JobService = { ...settings, tokens: provider, sha };
  return { job: provider.job, sha, openService: async () => ({ service, pullRequest: null }) };
}

function findProvider(env: Environment): CiProvider | NoProviderError {
  try {
    return createProvider({
      env,
      transport: fetchTransport,
      clock: systemClock,
      random: Math.random,
      onRetry: (notice) => note(retryNote(notice)),
    });
  } catch (cause) {
    if (cause instanceof NoProviderError) return cause;
    throw cause;
  }
}

/** Some builds have no variable with the commit: then the checkout's HEAD counts. */
async function commitOf({ job }: CiProvider): Promise<string> {
  if (job.sha !== "") return job.sha;
  const { readHeadCommit } = await import("../ci/head-commit.ts");
  return (await readHeadCommit(process.cwd())) ?? "";
}
