// The context of both kinds of delivery: the job's address, the commit's title, the token's account.

import type { Environment } from "../../base/environment.ts";
import { serverUrl } from "../../ci/github-server.ts";
import { jobPage, repositoryPage } from "../api/pages.ts";
import { readViewer, type Viewer } from "../api/viewer.ts";
import { commitMessage, commitTitle, runSeconds } from "./commit-message.ts";
import type { DeliveryOptions } from "./delivery-options.ts";
import type { Remote } from "./remote.ts";
import type { NewCommit, ScratchRepository } from "./scratch-repository.ts";

export type DeliveryContext = {
  readonly options: DeliveryOptions;
  readonly scratch: ScratchRepository;
  readonly remote: Remote;
  /** The repository's page, without a trailing slash. */
  readonly repositoryUrl: string;
  readonly jobUrl: string;
  readonly title: string;
  /** The account of the token, read once. */
  readonly viewer: () => Promise<Viewer>;
};

export function deliveryContext(
  options: DeliveryOptions,
  { scratch, remote }: { scratch: ScratchRepository; remote: Remote },
): DeliveryContext {
  const { env, job } = options;
  let viewer: Promise<Viewer> | null = null;
  return {
    options,
    scratch,
    remote,
    repositoryUrl: repositoryPage(env, job.repository.name),
    jobUrl: jobPage(env, job.repository.name),
    title: commitTitle(options),
    viewer: () => {
      viewer ??= readViewer(options.api);
      return viewer;
    },
  };
}

/** Attempts of a delivery when somebody else pushed at the same time. */
export const MAX_ATTEMPTS = 3;

export function commitUrl({ repositoryUrl }: DeliveryContext, sha: string): string {
  return `${repositoryUrl}/commit/${sha}`;
}

export function noreplyHost(env: Environment): string {
  const { hostname } = new URL(serverUrl(env));
  return `users.noreply.${hostname}`;
}

/** A commit in the scratch repository, by the token's account. The same input gives the same commit. */
export async function makeCommit(
  context: DeliveryContext,
  { tree, parents }: Pick<NewCommit, "tree" | "parents">,
): Promise<string> {
  const { options, scratch, jobUrl, title } = context;
  const { run, subject, env, clock } = options;
  const host = noreplyHost(env);
  const { id, login } = await context.viewer();
  return await scratch.commit({
    tree,
    parents,
    message: commitMessage({ title, jobUrl, run, subject, env, noreplyHost: host }),
    person: { name: login, email: `${id}+${login}@${host}` },
    atSeconds: runSeconds(run, Math.floor(clock.now() / 1000)),
  });
}
