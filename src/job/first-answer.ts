// A host that DNS does not know is a wrong address until the service has answered once. After that the name was right, and
// what fails is the resolver.

import { ConnectionError } from "../client/errors.ts";
import type { Transport } from "../client/transport.ts";
import { StepError } from "./step-error.ts";

/** Rejects with StepError, which nobody retries, while no answer has come and the address names no host. */
export function untilFirstAnswer(transport: Transport): Transport {
  let hasAnswered = false;
  return async (request) => {
    try {
      const response = await transport(request);
      hasAnswered = true;
      return response;
    } catch (cause) {
      const { hostname } = new URL(request.url);
      if (hasAnswered || !isUnknownHost(cause, hostname)) throw cause;
      const message = `DNS knows no host "${hostname}". Correct the address of the service in "base-url".`;
      throw new StepError("host_not_found", message, { cause });
    }
  };
}

/** Only of the service itself: the resolver may as well not know a proxy. EAI_AGAIN is a resolver that does not answer. */
function isUnknownHost(cause: unknown, hostname: string): boolean {
  if (!(cause instanceof ConnectionError)) return false;
  for (let at: unknown = cause; at instanceof Error; at = at.cause) {
    if ("code" in at && at.code === "ENOTFOUND") return "hostname" in at && at.hostname === hostname;
  }
  return false;
}
