// Errors before the first answer, which show a wrong address: a host that DNS does not know, or a port at which nothing listens.
// After that the address was right, and what fails is the resolver, or a service that is being restarted.

import { ConnectionError } from "../client/errors.ts";
import type { Transport, TransportRequest } from "../client/transport.ts";
import type { JobWords } from "./job-words.ts";
import { StepError } from "./step-error.ts";

/** A service that is being restarted refuses connections for some seconds: with a client's delays, at most eight. */
const MAX_ATTEMPTS = 5;

/** Rejects with StepError, which nobody retries, while no answer has come and the address leads nowhere. */
export function untilFirstAnswer(transport: Transport, words: Pick<JobWords, "setting">): Transport {
  let hasAnswered = false;
  let attempts = 0;
  return async (request) => {
    try {
      const response = await transport(request);
      hasAnswered = true;
      return response;
    } catch (cause) {
      if (hasAnswered) throw cause;
      attempts += 1;
      const fault = faultOf(cause, { request, attempts });
      if (fault === null) throw cause;
      const message = `${fault.found} Correct the address of the service in ${words.setting("base-url")}${fault.also}.`;
      throw new StepError(fault.code, message, { cause });
    }
  };
}

type Fault = {
  readonly code: "host_not_found" | "service_unavailable";
  readonly found: string;
  /** Another cause in place of the address; goes on after it. */
  readonly also: string;
};

/** Null for what a further attempt may find in order. */
function faultOf(
  cause: unknown,
  { request, attempts }: { readonly request: TransportRequest; readonly attempts: number },
): Fault | null {
  const { hostname, origin } = new URL(request.url);
  const broken = systemErrorBelow(cause);
  switch (broken?.code) {
    case "ENOTFOUND":
      // The resolver may as well not know a proxy.
      if (!("hostname" in broken) || broken.hostname !== hostname) return null;
      return { code: "host_not_found", found: `DNS knows no host "${hostname}".`, also: "" };
    case "EAI_AGAIN":
      if (attempts < MAX_ATTEMPTS) return null;
      return {
        code: "service_unavailable",
        found: `No DNS server answers for "${hostname}" (EAI_AGAIN).`,
        also: ", or the network of the runner",
      };
    case "ECONNREFUSED":
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      if (attempts < MAX_ATTEMPTS) return null;
      return {
        code: "service_unavailable",
        found: `Nothing takes connections at ${origin} (${broken.code}).`,
        also: ", or start the service",
      };
    default:
      return null;
  }
}

function systemErrorBelow(cause: unknown): (Error & { readonly code: string }) | null {
  if (!(cause instanceof ConnectionError)) return null;
  for (let at: unknown = cause.cause; at instanceof Error; at = at.cause) {
    if (hasCode(at)) return at;
  }
  return null;
}

function hasCode(error: Error): error is Error & { readonly code: string } {
  return "code" in error && typeof error.code === "string";
}
