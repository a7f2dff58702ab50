// Opens the client for a command of somebody with a key.

import { matching } from "../base/settings/kinds.ts";
import { readSettings, setting } from "../base/settings/setting.ts";
import { singleLine } from "../base/untrusted-text.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { type Client, createClient } from "../client/client.ts";
import { serviceUrl as anyServiceUrl } from "../job/job-settings.ts";
import { switchFlag, UsageError, valueFlag } from "./flags.ts";
import { findStoredKey } from "./stored-keys.ts";
import { version } from "./version.ts";

/** Somebody waits in front of a terminal: a few seconds in all. */
const RETRY = { attempts: 4, firstDelayMs: 500, maxDelayMs: 10_000 };

const serviceUrl = {
  ...anyServiceUrl,
  allowed: "the service's address, an http:// or https:// URL without user, query or fragment",
};

export const serviceUrlFlag = valueFlag({
  kind: serviceUrl,
  fallback: null,
  takes: "<url>",
  description: "The address of the service.",
  shownDefault: "AGENT_SERVICE_URL",
});

/** Flags of every command that calls the service. */
export const serviceFlags = {
  url: serviceUrlFlag,
  json: switchFlag("Print JSON on standard output."),
};

const accountKey = {
  ...matching(
    'a key of your account, svc_sk_… or svc_at_… ("agent-service login" gets this machine one, "agent-service keys create" makes one beside the service)',
    /^svc_(sk|at)_[\w-]+$/,
  ),
  isSecret: true,
};

/** The address of the service, `--url` or AGENT_SERVICE_URL, and the key. Throws UsageError where a setting is missing or wrong. */
export function openAccess(flags: { readonly url: string | null }): {
  readonly baseUrl: string;
  readonly key: string;
} {
  const baseUrl = flags.url ?? readServiceUrl("--url");
  return { baseUrl, key: readKey(baseUrl) };
}

/** An address on the command line, without a trailing slash. Throws UsageError where it is none. */
export function serviceAddress(text: string): string {
  return readRequired({ kind: serviceUrl, text }, "<url>");
}

/** The client of the service. Throws UsageError where a setting is missing or wrong. */
export function openClient(flags: { readonly url: string | null }): Client {
  const { baseUrl, key } = openAccess(flags);
  return createClient({
    baseUrl,
    credential: () => key,
    userAgent: `agent-service/${version}`,
    retry: RETRY,
    onRetry: ({ delayMs, error }) => {
      const seconds = (delayMs / 1000).toFixed(1);
      process.stderr.write(`${singleLine(error.message, 300)} Trying again in ${seconds} s.\n`);
    },
  });
}

/** The service's address without a trailing slash, in AGENT_SERVICE_URL. Throws UsageError, which names `flag` too. */
export function readServiceUrl(flag: string): string {
  return readRequired(
    { kind: serviceUrl, text: jobEnvironment.AGENT_SERVICE_URL },
    `AGENT_SERVICE_URL (or ${flag})`,
  );
}

/** The key of the environment, or else that of the machine's sign-in. */
function readKey(url: string): string {
  const text = jobEnvironment.AGENT_SERVICE_KEY || findStoredKey(url)?.key;
  return readRequired({ kind: accountKey, text }, "AGENT_SERVICE_KEY");
}

function readRequired(
  given: { readonly kind: typeof serviceUrl; readonly text: string | undefined },
  title: string,
): string {
  const { values, problems } = readSettings(
    { value: { ...setting(given.kind, ""), isRequired: true } },
    { textOf: () => given.text, titleOf: () => title },
  );
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  return values.value;
}
