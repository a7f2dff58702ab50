// The service inside this process, for `agent-service run --embedded`. Loaded only there: it is the whole service.

import { tmpdir } from "node:os";
import type { Environment } from "../base/environment.ts";
import type { JobChange } from "../ci/job-change.ts";
import type { CiJob } from "../ci/provider.ts";
import { providerDefinitions } from "../ci/providers.ts";
import type { EmbeddedJob } from "../contract/ci/embedded-job.ts";
import type { EgressEntries } from "../contract/egress.ts";
import type { PullRequest } from "../contract/runs/pull-request.ts";
import type { RenewedAccess } from "../federation/federated-access.ts";
import type { MintIdToken } from "../federation/mcp/server-grant.ts";
import { embeddedJob, unknownJob } from "../job/embedded-job.ts";
import type { JobService } from "../job/job-types.ts";
import {
  EmbeddedSettingsError,
  findCheckoutRoot,
  startEmbeddedService,
} from "../service/embedded/embedded.ts";
import { CommandError } from "./command-error.ts";
import { UsageError } from "./flags.ts";
import type { OpenedService } from "./opened-service.ts";
import { fetchChangeBase } from "./run-change.ts";
import { note } from "./run-notes.ts";

const MODEL_ADVICE = "Set MODEL, MODEL_BASE_URL and MODEL_API_KEY, or --model and --model-base-url.";

type EmbeddedOrigin = {
  readonly env: Environment;
  readonly job: CiJob | null;
  readonly signal: AbortSignal;
};

type EmbeddedModel = {
  /** Settings by name, as the service has them. */
  readonly model: Readonly<Record<string, string>>;
  /** By whose account it is reached; null: by its key. */
  readonly modelAccess: RenewedAccess | null;
  /** ID tokens of the job for the authorization servers of its MCP servers; null: there is no job. */
  readonly mintServerToken: MintIdToken | null;
  /** Network access of the run. */
  readonly egress: EgressEntries;
};

/** Starts it on the checkout that this folder is in. Rejects with UsageError and CommandError. */
export async function openEmbedded(
  chosen: EmbeddedModel,
  { env, job, signal }: EmbeddedOrigin,
): Promise<OpenedService> {
  const root = await findCheckoutRoot(process.cwd());
  if (root === null) {
    throw new CommandError("There is no git checkout in this folder, nor above it. Change to one.");
  }
  const definition = job === null ? null : providerDefinitions[job.provider];
  const change = (await definition?.readChange?.(env)) ?? null;
  const fetched = change === null ? null : await fetchChangeBase(change, { env, root, signal });
  const described =
    job === null || definition === null ? unknownJob(env) : embeddedJob({ job, env, definition });
  const service = await startOn(root, {
    chosen,
    env,
    job: { ...described, ref: change?.mergeRef ?? described.ref },
    changeNotice: fetched?.type === "unseen" ? fetched.notice : null,
  });
  // The service refuses a pull request whose head is not checked out.
  const isCheckedOut = fetched !== null && fetched.type !== "other_commit";
  return { service, pullRequest: change !== null && isCheckedOut ? pullRequestOf(change) : null };
}

/** Starts it on a checkout that this process has made itself, of commits that writers made. Rejects with UsageError. */
export async function openEmbeddedOn(
  root: string,
  { chosen, env }: { readonly chosen: EmbeddedModel; readonly env: Environment },
): Promise<OpenedService> {
  const service = await startOn(root, { chosen, env, job: unknownJob({}), changeNotice: null });
  return { service, pullRequest: null };
}

type Start = {
  readonly chosen: EmbeddedModel;
  readonly env: Environment;
  readonly job: EmbeddedJob;
  readonly changeNotice: string | null;
};

async function startOn(root: string, { chosen, env, job, changeNotice }: Start): Promise<JobService> {
  try {
    const { url, mintIdToken, close } = await startEmbeddedService({
      ...chosen,
      job,
      root,
      tempFolder: tmpdir(),
      environment: env,
      onWarning: note,
    });
    return {
      type: "embedded",
      baseUrl: url,
      modelAccess: chosen.modelAccess,
      tokens: { mintIdToken },
      changeNotice,
      modelAdvice: MODEL_ADVICE,
      close,
    };
  } catch (cause) {
    if (cause instanceof EmbeddedSettingsError)
      throw new UsageError(cause.message.replaceAll("MCP_SERVERS:", "--mcp-servers:"), { cause });
    throw cause;
  }
}

function pullRequestOf({ number, headSha, baseRef }: JobChange): PullRequest {
  return { number, head_sha: headSha, base_ref: baseRef };
}
