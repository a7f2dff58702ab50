// One window of an application whose windows share one file of tokens, as a process of its own: it refreshes by the protocol's
// own client. Each line that it is sent is a step, which it answers with a line: "read" takes the tokens from the file,
// "refresh" refreshes them and keeps what comes. Started by shared-tokens.test.ts.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { auth, type OAuthClientProvider } from "@modelcontextprotocol/client";

const [serverUrl = "", file = "", nodes = ""] = process.argv.slice(2);
const { origin } = new URL(serverUrl);
const REDIRECT = "http://127.0.0.1:5555/callback";

type Tokens = Exclude<Awaited<ReturnType<OAuthClientProvider["tokens"]>>, undefined>;
type Kept = { readonly client: { readonly client_id: string }; readonly tokens: Tokens };

let kept: Kept = readTokens();
let browsers = 0;

function readTokens(): Kept {
  return JSON.parse(readFileSync(file, "utf8"));
}

const provider: OAuthClientProvider = {
  redirectUrl: REDIRECT,
  clientMetadata: { client_name: "Windows", redirect_uris: [REDIRECT] },
  clientInformation: () => kept.client,
  tokens: () => kept.tokens,
  saveTokens: (tokens) => {
    kept = { ...kept, tokens };
    const whole = `${file}.${process.pid}`;
    writeFileSync(whole, JSON.stringify(kept));
    renameSync(whole, file);
  },
  redirectToAuthorization: () => {
    browsers += 1;
  },
  saveCodeVerifier: () => {},
  codeVerifier: () => "",
};

/** Each request to the service goes to any of its nodes. */
const reach = (url: string) => {
  const urls = nodes.split(",");
  const node = urls[Math.floor(Math.random() * urls.length)] ?? origin;
  return url.startsWith(origin) ? node + url.slice(origin.length) : url;
};

async function refresh(): Promise<object> {
  const outcome = await auth(provider, {
    serverUrl,
    fetchFn: (url, init) => fetch(reach(String(url)), init),
  }).catch((cause: unknown) => String(cause));
  const headers = { authorization: `Bearer ${kept.tokens.access_token}` };
  const { status } = await fetch(reach(`${origin}/v1/agents`), { headers });
  return { outcome, browsers, status, refreshToken: kept.tokens.refresh_token };
}

for await (const step of createInterface({ input: process.stdin })) {
  if (step === "read") kept = readTokens();
  const answer = step === "refresh" ? await refresh() : {};
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
