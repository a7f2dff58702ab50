// What the ways to deliver changes have in common.

import type { Environment } from "../../ci/provider.ts";
import { readViewer, type Viewer } from "../api/viewer.ts";
import { serverUrl } from "../git/job-git.ts";
import { commitMessage, runSeconds, subjectOf } from "./commit-message.ts";
import type { DeliveryOptions } from "./deliver-changes.ts";
import type { Remote } from "./remote.ts";
import type { NewCommit, ScratchRepository } from "./scratch-repository.ts";

export type DeliveryContext = {
  readonly options: DeliveryOptions;
  readonly scratch: ScratchRepository;
  readonly remote: Remote;
  readonly jobUrl: string;
  readonly subject: string;
  /** The account of the token, asked once. */
  readonly viewer: () => Promise<Viewer>;
};

export function deliveryContext(
  options: DeliveryOptions,
  { scratch, remote }: { scratch: ScratchRepository; remote: Remote },
): DeliveryContext {
  const { env, job } = options;
  const jobUrl = `${serverUrl(env)}/${job.repository.name}/actions/runs/${job.runId}`;
  let viewer: Promise<Viewer> | null = null;
  return {
    options,
    scratch,
    remote,
    jobUrl,
    subject: subjectOf(options),
    viewer: () => {
      viewer ??= readViewer(options.api);
      return viewer;
    },
  };
}

/** Somebody else pushes at the same time: so often the change is made anew. */
export const MAX_ATTEMPTS = 3;

export function commitUrl({ options }: DeliveryContext, sha: string): string {
  return `${serverUrl(options.env)}/${options.job.repository.name}/commit/${sha}`;
}

export function noreplyHost(env: Environment): string {
  const { hostname } = new URL(serverUrl(env));
  return `users.noreply.${hostname}`;
}

/** A commit in the scratch repository, by the account that the token is of. The same facts give the same commit. */
export async function makeCommit(
  context: DeliveryContext,
  { tree, parents }: Pick<NewCommit, "tree" | "parents">,
): Promise<string> {
  const { options, scratch, jobUrl, subject } = context;
  const { run, talk, env, clock } = options;
  const host = noreplyHost(env);
  const { id, login } = await context.viewer();
  return await scratch.commit({
    tree,
    parents,
    message: commitMessage({ subject, jobUrl, run, talk, env, noreplyHost: host }),
    person: { name: login, email: `${id}+${login}@${host}` },
    atSeconds: runSeconds(run, Math.floor(clock.now() / 1000)),
  });
}
