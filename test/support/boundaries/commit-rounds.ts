// What a service does with commits that jobs send, one thing at a time, each in a private repository of its own.

import { expect } from "vitest";
import type { BoundaryService, Round } from "./boundary-service.ts";
import type { CommitSource } from "./commit-source.ts";
import { newFiles } from "./workspace-files.ts";

/** Rounds by the names of what they do. */
export const commitRounds: Readonly<
  Record<string, (service: BoundaryService, source: CommitSource) => Promise<Round>>
> = {
  "a commit that a job sends": async (service, source) => {
    const sha = source.packs.repository.commit({ files: newFiles() });
    const job = await source.job(service, sha);
    return {
      act: () => source.send(service, job, sha),
      check: async (isAcknowledged) => {
        const { present } = await service.clientOf(job.access_token).commits.find({ sha });
        if (isAcknowledged) expect(present).toBe(true);
      },
    };
  },
};
