// The place of the commit for a job of `agent-service run`: the checkout that its CI made in this folder, and nowhere else.

import { tmpdir } from "node:os";
import { findCheckoutRoot } from "../base/git/found-checkout.ts";
import { providerDefinitions } from "../ci/providers.ts";
import { type CommitPlace, commitWords } from "../job/git/commit-place.ts";
import { CommandError } from "./command-error.ts";
import type { RunSurroundings } from "./run-types.ts";

export async function commitPlace({ env, origin }: RunSurroundings): Promise<CommitPlace> {
  const { job } = origin;
  if (job === null) throw new CommandError("Only a CI job has a commit to send.");
  const { hasRepositoryName } = providerDefinitions[job.provider].environment;
  return {
    env,
    root: (await findCheckoutRoot(process.cwd())) ?? process.cwd(),
    tempFolder: tmpdir(),
    host: null,
    repository: hasRepositoryName ? job.repository.name : null,
    words: commitWords(job, null),
  };
}
