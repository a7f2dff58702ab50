// Answers that are not the service's own, in words, and the fix for each. Pure.

import type { Environment } from "../base/environment.ts";
import { parseJson } from "../base/json.ts";
import type { ConnectionError } from "../client/errors.ts";
import type { TransportResponse } from "../client/transport.ts";
import { healthSchema } from "../contract/operation.ts";
import type { ChosenProxy } from "./proxy.ts";
import { variableText } from "./settings-text.ts";
import { type Trouble, untrustedTrouble } from "./way-troubles.ts";

/** Nobody answered, though the way is open. */
export function noAnswer(
  error: ConnectionError,
  { proxy, env, host, port }: { proxy: ChosenProxy | null; env: Environment; host: string; port: number },
): Trouble {
  if (error.code === "certificate_refused") {
    const what = `The certificate that ${host} shows is not trusted`;
    return untrustedTrouble({ what, issuer: null, env });
  }
  if (proxy === null) {
    return {
      found: `The connection stands, and no answer came over it. ${error.message}`,
      fixes: [{ text: "Look at the service's log, and at what stands in front of it." }],
    };
  }
  return {
    found: `No answer came through the proxy ${proxy.url} (${proxy.variable}). ${error.message}`,
    fixes: [
      {
        text: `The proxy must allow CONNECT to ${host}:${port}. If the runner reaches the service without it, name the service in NO_PROXY:`,
        code: variableText(
          env,
          "NO_PROXY",
          [env.NO_PROXY ?? env.no_proxy ?? "", host].filter(Boolean).join(","),
        ),
      },
    ],
  };
}

/** Somebody else's answer; null for the service's own. */
export function strangerTrouble(response: TransportResponse, url: URL): Trouble | null {
  const { status, headers, body } = response;
  const type = (headers("content-type") ?? "").toLowerCase();
  const isAddress = `Is ${url.href} the address of the service's API itself?`;
  if (status >= 300 && status < 400) {
    const target = URL.parse(headers("location") ?? "", url);
    const to = target === null ? "" : ` to ${target.origin}`;
    const found = `Something answers with a redirect (${status})${to}. ${isAddress}`;
    return {
      found,
      fixes: [{ text: "Give the final address; a login in between must let CI jobs through without it." }],
    };
  }
  if (type.includes("html")) {
    const found = `A web page answers (${status}) where JSON should: a login page, a gateway's, or another site. ${isAddress}`;
    return {
      found,
      fixes: [
        {
          text: "Use the address that the service's operator names, and let /v1 and /healthz pass what asks people to log in.",
        },
      ],
    };
  }
  if (status === 407) {
    return {
      found: "The proxy wants a login (407).",
      fixes: [{ text: "Put user and password into the proxy's URL, from a secret of the CI provider." }],
    };
  }
  if (status === 200 && healthSchema.safeParse(parseJson(body)).success) return null;
  if (status === 429 || status >= 500) {
    return {
      found: `The service, or what stands in front of it, answers ${status}.`,
      fixes: [{ text: "Look at the service's log; it may be starting. Then re-run." }],
    };
  }
  return {
    found: `Something else answers ${status} at ${new URL(url).pathname.replace(/\/+$/, "")}/healthz. ${isAddress}`,
    fixes: [
      { text: "Correct the address: without /v1, with the path under which a gateway has the service." },
    ],
  };
}
