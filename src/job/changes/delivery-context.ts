// The context of both kinds of delivery: the job's address, the commit's title, the token's account.

import type { Committer } from "./changes-host.ts";
import { commitMessage, commitTitle, runSeconds } from "./commit-message.ts";
import type { DeliveryOptions } from "./delivery-options.ts";
import type { Remote } from "./remote.ts";
import type { NewCommit, ScratchRepository } from "./scratch-repository.ts";

export type DeliveryContext = {
  readonly options: DeliveryOptions;
  readonly scratch: ScratchRepository;
  readonly remote: Remote;
  readonly title: string;
  /** The account of the token, read once. */
  readonly committer: () => Promise<Committer>;
};

export function deliveryContext(
  options: DeliveryOptions,
  { scratch, remote }: { scratch: ScratchRepository; remote: Remote },
): DeliveryContext {
  const { host } = options;
  let committer: Promise<Committer> | null = null;
  return {
    options,
    scratch,
    remote,
    title: host.inertTitle(commitTitle(options)),
    committer: () => {
      committer ??= host.committer();
      return committer;
    },
  };
}

/** Attempts of a delivery when somebody else pushed at the same time. */
export const MAX_ATTEMPTS = 3;

/** A commit in the scratch repository, by the token's account. The same input gives the same commit. */
export async function makeCommit(
  context: DeliveryContext,
  { tree, parents }: Pick<NewCommit, "tree" | "parents">,
): Promise<string> {
  const { options, scratch, title } = context;
  const { run, clock } = options;
  const { name, email } = await context.committer();
  return await scratch.commit({
    tree,
    parents,
    message: commitMessage({ title, run, host: options.host }),
    person: { name, email },
    atSeconds: runSeconds(run, Math.floor(clock.now() / 1000)),
  });
}
