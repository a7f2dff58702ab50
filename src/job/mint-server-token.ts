// ID tokens of a job for the authorization servers of its MCP servers. Of an event that an outsider steers there are none.

import type { CiJob, CiProvider } from "../ci/provider.ts";
import { eventRules } from "../contract/ci/events.ts";
import { type MintIdToken, ServerAccessError } from "../federation/mcp/server-grant.ts";

type MintOptions = {
  readonly job: Pick<CiJob, "provider" | "event">;
  readonly tokens: Pick<CiProvider, "mintIdToken">;
  /** Hides a value in the job's log from here on. */
  readonly setSecret: (secret: string) => void;
};

/** Rejects with ServerAccessError and IdentityError. */
export function openServerMint({ job, tokens, setSecret }: MintOptions): MintIdToken {
  return async (audience, signal) => {
    if (eventRules(job.provider, job.event).isRefused)
      throw new ServerAccessError(
        `in a job of "${job.event}" an outsider's change could use the job's identity: start it by another event, such as a comment`,
      );
    const idToken = await tokens.mintIdToken(audience, signal);
    setSecret(idToken);
    return idToken;
  };
}
