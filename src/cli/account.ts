// Opens the client for a command that a holder of a key gives.

import { singleLine } from "../base/untrusted-text.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { type Client, createClient } from "../client/client.ts";
import { UsageError } from "./flags.ts";
import { version } from "./help.ts";

/** Somebody waits in front of a terminal: a few seconds in all. */
const RETRY = { attempts: 4, firstDelayMs: 500, maxDelayMs: 10_000 };

/** Flags of every command that asks the service. */
export const serviceFlags = { url: { type: "string" }, json: { type: "boolean" } } as const;

/** The client of the service at `--url` or AGENT_SERVICE_URL. Throws UsageError where a setting is missing or wrong. */
export function openClient(flags: { readonly url?: string | undefined }): Client {
  const baseUrl = readServiceUrl({ flag: "--url", value: flags.url });
  const key = readKey();
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

/** The service's address, by a flag or AGENT_SERVICE_URL. Throws UsageError. */
export function readServiceUrl({ flag, value }: { flag: string; value: string | undefined }): string {
  const given = value ?? jobEnvironment.AGENT_SERVICE_URL ?? "";
  const name = value === undefined ? `AGENT_SERVICE_URL (or ${flag})` : flag;
  const url = URL.parse(given);
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "";
  if (isUsable) return given;
  const got = given === "" ? "nothing" : `"${singleLine(given.replace(/\/\/[^/@]*@/, "//…@"), 200)}"`;
  throw new UsageError(
    `${name} must be the service's address, an http:// or https:// URL without query, got ${got}.`,
  );
}

/** A key is never shown, not even a wrong one. */
function readKey(): string {
  const key = (jobEnvironment.AGENT_SERVICE_KEY ?? "").trim();
  if (/^svc_(sk|at)_[\w-]+$/.test(key)) return key;
  const got = key === "" ? "nothing" : "something else";
  throw new UsageError(
    `AGENT_SERVICE_KEY must be a key of your account, svc_sk_… or svc_at_…, got ${got}. "agent-service keys create" makes one beside the service.`,
  );
}
