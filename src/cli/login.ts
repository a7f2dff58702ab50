// agent-service login, logout: a key of a person's own account on this machine, allowed on a page of the service (RFC 8628).

import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod/mini";
import { kind } from "../base/settings/setting.ts";
import { singleLine } from "../base/untrusted-text.ts";
import { readServiceUrl, serviceUrlFlag } from "./account.ts";
import { command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { valueFlag } from "./flags.ts";
import { findStoredKey, forgetStoredKey, keepStoredKey, storedKeysFile } from "./stored-keys.ts";
import { version } from "./version.ts";

const CLIENT = "agent-service";
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const POLL_MS = 5_000;
const REQUEST_MS = 30_000;
const MAX_NAME_CHARS = 100;

const deviceSchema = z.object({
  device_code: z.string(),
  user_code: z.string().check(z.maxLength(40)),
  verification_uri: z.url(),
  expires_in: z.number(),
  interval: z.optional(z.number()),
});
const tokenSchema = z.object({ access_token: z.string() });
const errorSchema = z.object({ error: z.string() });
const keySchema = z.object({ key: z.string(), account_id: z.string() });

type Device = z.infer<typeof deviceSchema>;

const keyName = kind(`text of 1 to ${MAX_NAME_CHARS} characters`, (text) =>
  text.trim() !== "" && text.length <= MAX_NAME_CHARS ? text.trim() : undefined,
);

export const login = command({
  summary: "Sign in to a service, so that this machine's commands use your account.",
  flags: {
    url: serviceUrlFlag,
    name: valueFlag({
      kind: keyName,
      fallback: null,
      takes: "<text>",
      description: "What to call the key of this machine.",
      shownDefault: "the machine's name",
    }),
  },
  examples: ["login --url https://agents.example.com"],
  run: async ({ flags }) => {
    await signIn(serviceOf(flags.url), flags.name);
    return 0;
  },
});

/** Has a person allow this machine a key, and keeps it. Rejects with CommandError. */
export async function signIn(url: string, givenName: string | null): Promise<void> {
  const device = await begin(url);
  const place = singleLine(device.verification_uri, 300);
  process.stderr.write(
    `Open ${place}\nand enter the code ${singleLine(device.user_code, 40)}\n\nWaiting. Whoever enters this code gives this machine a key of their account.\n`,
  );
  const token = await poll(url, device);
  const name = givenName ?? `${CLIENT} on ${hostname()}`.slice(0, MAX_NAME_CHARS);
  const { key, account_id } = await exchange(url, { token, name });
  keepStoredKey(url, { key, account_id });
  process.stdout.write(
    `Signed in to ${url} as account ${account_id}. The key is in ${storedKeysFile()}; commands use it where AGENT_SERVICE_KEY is not set, and find the service by --url, or by\n\n    export AGENT_SERVICE_URL=${url}\n`,
  );
}

export const logout = command({
  summary: "End this machine's key of a service.",
  flags: { url: serviceUrlFlag },
  examples: ["logout --url https://agents.example.com"],
  run: async ({ flags }) => {
    const url = serviceOf(flags.url);
    const stored = findStoredKey(url);
    if (stored === null) {
      process.stdout.write(`This machine is not signed in to ${url}.\n`);
      return 0;
    }
    const ended = await ask(url, "/oauth/key", { method: "DELETE", headers: bearer(stored.key) });
    // Refused: it was revoked before.
    if (![204, 401].includes(ended.status)) {
      throw new CommandError(
        `The service did not end the key: ${ended.status}. It is still in ${storedKeysFile()}.`,
      );
    }
    forgetStoredKey(url);
    process.stdout.write(`Signed out of ${url}: the key has ended.\n`);
    return 0;
  },
});

function serviceOf(url: string | null): string {
  return (url ?? readServiceUrl("--url")).replace(/\/$/, "");
}

async function begin(url: string): Promise<Device> {
  const answer = await ask(url, "/oauth/device_authorization", form({ client_id: CLIENT }));
  const device = deviceSchema.safeParse(answer.body);
  if (answer.status === 200 && device.success) return device.data;
  if (answer.status === 404) {
    throw new CommandError(`${url} has no sign-in: it is no service, or one of an earlier version.`);
  }
  throw new CommandError(`The sign-in at ${url} could not begin: it answered ${answer.status}.`);
}

/** The token, once somebody has allowed it. */
async function poll(url: string, { device_code, expires_in, interval }: Device): Promise<string> {
  const pauseMs = interval === undefined ? POLL_MS : interval * 1000;
  for (let waitedMs = 0; waitedMs < expires_in * 1000; waitedMs += pauseMs) {
    await sleep(pauseMs);
    const request = form({ grant_type: DEVICE_GRANT, client_id: CLIENT, device_code });
    const answer = await ask(url, "/oauth/token", request).catch(() => null);
    if (answer === null || answer.status >= 500 || answer.status === 429) continue;
    const token = tokenSchema.safeParse(answer.body);
    if (answer.status === 200 && token.success) return token.data.access_token;
    const failed = errorSchema.safeParse(answer.body);
    const error = failed.success ? failed.data.error : "";
    if (error === "authorization_pending" || error === "slow_down") continue;
    if (error === "access_denied") throw new CommandError("The sign-in was refused on the page.");
    if (error === "expired_token") break;
    throw new CommandError(`The sign-in failed: ${singleLine(error, 100)}. Begin again.`);
  }
  throw new CommandError("Nobody entered the code in time. Begin again.");
}

async function exchange(url: string, { token, name }: { token: string; name: string }) {
  const headers = { ...bearer(token), "content-type": "application/json" };
  const answer = await ask(url, "/oauth/key", { method: "POST", headers, body: JSON.stringify({ name }) });
  const key = keySchema.safeParse(answer.body);
  if (answer.status === 201 && key.success) return key.data;
  throw new CommandError(`The service gave no key: it answered ${answer.status}. Begin again.`);
}

function form(values: Readonly<Record<string, string>>): RequestInit {
  return { method: "POST", body: new URLSearchParams(values) };
}

function bearer(secret: string): Record<string, string> {
  return { authorization: `Bearer ${secret}` };
}

async function ask(url: string, path: string, init: RequestInit): Promise<{ status: number; body: unknown }> {
  const headers = { "user-agent": `agent-service/${version}`, ...init.headers };
  const signal = AbortSignal.timeout(REQUEST_MS);
  let response: Response;
  try {
    response = await fetch(url + path, { ...init, headers, signal, redirect: "error" });
  } catch (cause) {
    throw new CommandError(`${url} could not be reached.`, { cause });
  }
  const body: unknown = await response.json().catch(() => null);
  return { status: response.status, body };
}
