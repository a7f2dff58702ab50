// Whose run it is and who carries it out: the CI job of this process, and a service that is named or lives inside it.

import { systemClock } from "../base/clock.ts";
import { createProvider, NoProviderError } from "../ci/detect.ts";
import type { CiJob, CiProvider, Environment } from "../ci/provider.ts";
import { fetchTransport } from "../client/transport.ts";
import type { TokenSource } from "../job/capability.ts";
import { CommandError } from "./command-error.ts";
import { note, noteRetry } from "./run-notes.ts";
import type { ServiceSettings } from "./run-settings.ts";

export type RunService = {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly audience: string;
  readonly account: string | null;
  readonly tokens: TokenSource;
  /** The job's commit; empty where nothing says it. */
  readonly sha: string;
  /** Null where no CI provider started the process. */
  readonly job: CiJob | null;
  readonly isEmbedded: boolean;
  readonly hasModel: boolean;
  close(): Promise<void>;
};

/** Starts what has to be started. Rejects with UsageError and CommandError. */
export async function openRunService(settings: ServiceSettings, env: Environment): Promise<RunService> {
  const provider = findProvider(env);
  if (settings.type === "embedded") {
    const job = provider instanceof NoProviderError ? null : provider.job;
    const { openEmbedded } = await import("./run-embedded.ts");
    return await openEmbedded(settings.model, { env, job });
  }
  if (provider instanceof NoProviderError) {
    throw new CommandError(
      `${provider.message} Elsewhere use a key ("agent-service runs submit"), or --embedded on a checkout.`,
      { cause: provider },
    );
  }
  warnOfPlainHttp(settings.baseUrl);
  return {
    ...settings,
    tokens: provider,
    sha: await commitOf(provider),
    job: provider.job,
    isEmbedded: false,
    hasModel: true,
    close: async () => {},
  };
}

function findProvider(env: Environment): CiProvider | NoProviderError {
  try {
    return createProvider({
      env,
      transport: fetchTransport,
      clock: systemClock,
      random: Math.random,
      onRetry: noteRetry,
    });
  } catch (cause) {
    if (cause instanceof NoProviderError) return cause;
    throw cause;
  }
}

/** A build of whatever the branch had when it began is named by no variable: the checkout knows it. */
async function commitOf({ job }: CiProvider): Promise<string> {
  if (job.sha !== "") return job.sha;
  const { readHeadCommit } = await import("../ci/head-commit.ts");
  return (await readHeadCommit(process.cwd())) ?? "";
}

/** A name without a dot is a container beside the job; all else travels over a network. */
function warnOfPlainHttp(baseUrl: string): void {
  const { protocol, hostname } = new URL(baseUrl);
  const isNear = hostname === "[::1]" || hostname.startsWith("127.") || !hostname.includes(".");
  if (protocol === "http:" && !isNear) {
    note("--base-url is plain http: whoever is on the way can read the job's tokens. Use https.");
  }
}
