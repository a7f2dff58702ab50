// Loads the client of GitHub's API while the request for the ID token is on its way: the job's first call then finds it there,
// and the start waits for nothing.

import type { Transport } from "../client/transport.ts";

type LoadAhead = {
  /** For requests of ID tokens. */
  readonly transport: Transport;
  /** This job will call GitHub's API after its first ID token. */
  expectCalls(): void;
};

/** Loads nothing until the first request of a job that expects calls. */
export function loadAhead(transport: Transport): LoadAhead {
  let isExpected = false;
  return {
    transport: async (request) => {
      const answer = transport(request);
      // A turn later, when the request is on its way.
      if (isExpected) setImmediate(loadClient);
      isExpected = false;
      return await answer;
    },
    expectCalls: () => {
      isExpected = true;
    },
  };
}

/** A failure here comes again at the first call, which says so. */
function loadClient(): void {
  import("../github/code-host.ts").then(async (codeHost) => await codeHost.loadClient()).catch(() => {});
}
