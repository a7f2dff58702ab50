// The service inside this process, for `agent-service run --embedded`. Loaded only there: it is the whole service.

import { tmpdir } from "node:os";
import type { CiJob, Environment } from "../ci/provider.ts";
import { providerDefinitions } from "../ci/providers.ts";
import { embeddedJob, unknownJob } from "../job/embedded-job.ts";
import type { JobService } from "../job/job-types.ts";
import {
  EmbeddedSettingsError,
  findCheckoutRoot,
  startEmbeddedService,
} from "../service/embedded/embedded.ts";
import { CommandError } from "./command-error.ts";
import { UsageError } from "./flags.ts";
import { note } from "./run-notes.ts";

const MODEL_ADVICE = "Set MODEL, MODEL_BASE_URL and MODEL_API_KEY, or --model and --model-base-url.";

/** Starts it on the checkout that this folder is in. Rejects with UsageError and CommandError. */
export async function openEmbedded(
  model: Readonly<Record<string, string>>,
  { env, job }: { env: Environment; job: CiJob | null },
): Promise<JobService> {
  const root = await findCheckoutRoot(process.cwd());
  if (root === null) {
    throw new CommandError("There is no git checkout in this folder, nor above it. Change to one.");
  }
  try {
    const { url, mintIdToken, close } = await startEmbeddedService({
      job:
        job === null
          ? unknownJob(env)
          : embeddedJob({ job, env, definition: providerDefinitions[job.provider] }),
      root,
      tempFolder: tmpdir(),
      environment: env,
      model,
      onWarning: note,
    });
    return {
      type: "embedded",
      baseUrl: url,
      tokens: { mintIdToken },
      changeNotice: null,
      modelAdvice: MODEL_ADVICE,
      close,
    };
  } catch (cause) {
    if (cause instanceof EmbeddedSettingsError) throw new UsageError(cause.message, { cause });
    throw cause;
  }
}
