// Three windows of one application, each a process, with one file of tokens, that refresh at the same moment, again and again:
// all go on, and no browser opens. On one process with each store, and on two nodes of which each request may reach the other.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { NeedName } from "../../scripts/test-needs.ts";
import { ACCESS_TOKEN_PREFIX } from "../../src/service/api/oauth/authorization-server.ts";
import { authorizePath, makeProof, redemption } from "../service/api/oauth/oauth-fixture.ts";
import { makeTestKey } from "../support/account-key.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { call } from "../support/service-client.ts";
import { postgresStore, type StorePlace, sqliteStore } from "../support/stores/stores.ts";
import { WebBrowser } from "../support/web-browser.ts";

const WINDOW = join(dirname(fileURLToPath(import.meta.url)), "../support/mcp/token-window.ts");
const ROUNDS = 20;
const WINDOWS = 3;
const REDIRECT = "http://127.0.0.1:5555/callback";

type Place = {
  readonly baseUrl: string;
  readonly nodes: readonly string[];
  readonly store: StorePlace;
  close(): Promise<void>;
};

type Deployment = {
  readonly name: string;
  readonly tags: readonly NeedName[];
  open(): Promise<Place>;
};

const deployments: readonly Deployment[] = [
  ...[sqliteStore, postgresStore].map((kind) => ({
    name: `a process on ${kind.name}`,
    tags: kind.tags,
    open: async () => {
      const fixture = await startFixture({ level: "process", store: kind });
      return {
        baseUrl: fixture.url,
        nodes: [fixture.url],
        store: fixture.place,
        close: () => fixture.close(),
      };
    },
  })),
  {
    name: `two nodes on ${postgresStore.name}`,
    tags: postgresStore.tags,
    open: async () => {
      // Clients send no token over plain http to a host that is not this machine.
      const baseUrl = "http://agents.localhost";
      const nodes = await startFixture({
        level: "nodes",
        roles: ["api", "api"],
        settings: { BASE_URL: baseUrl },
      });
      const urls = nodes.apis.map(({ url }) => url);
      return { baseUrl, nodes: urls, store: nodes.place, close: () => nodes.close() };
    },
  },
];

class Window {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;

  constructor(args: readonly string[]) {
    this.#process = spawn(process.execPath, [WINDOW, ...args], { stdio: ["pipe", "pipe", "inherit"] });
    this.#lines = createInterface({ input: this.#process.stdout });
  }

  async step(name: "read" | "refresh"): Promise<Answered> {
    const answered = once(this.#lines, "line");
    this.#process.stdin.write(`${name}\n`);
    const [line] = await answered;
    return JSON.parse(line);
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill();
    await ended;
  }
}

type Answered = {
  readonly outcome: string;
  readonly browsers: number;
  readonly status: number;
  readonly refreshToken: string;
};

for (const { name, tags, open } of deployments) {
  describe(`windows with one file of tokens and ${name}`, { tags: [...tags] }, () => {
    const opened: { close(): Promise<void> }[] = [];

    afterEach(async () => {
      for (const one of opened.splice(0).reverse()) await one.close();
    });

    it(`refresh at once, ${ROUNDS} times, and all go on`, async () => {
      const place = await open();
      opened.push(place);
      const folder = await mkdtemp(join(tmpdir(), "shared-tokens-"));
      opened.push({ close: () => rm(folder, { recursive: true }) });
      const file = join(folder, "tokens.json");
      await writeFile(file, JSON.stringify(await signIn(place)));
      const args = [`${place.baseUrl}/mcp`, file, place.nodes.join(",")];
      const windows = Array.from({ length: WINDOWS }, () => new Window(args));
      opened.push(...windows);

      const answers: Answered[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        // All hold the same token before the first of them uses it.
        await Promise.all(windows.map((window) => window.step("read")));
        answers.push(...(await Promise.all(windows.map((window) => window.step("refresh")))));
      }

      const wentOn = answers.filter(({ outcome, status }) => outcome === "AUTHORIZED" && status === 200);
      expect(answers.filter((answer) => !wentOn.includes(answer))).toEqual([]);
      expect(wentOn).toHaveLength(ROUNDS * WINDOWS);
      expect(answers.reduce((sum, { browsers }) => sum + browsers, 0)).toBe(0);
      expect(new Set(answers.map(({ refreshToken }) => refreshToken)).size).toBe(ROUNDS);
      const kept = JSON.parse(await readFile(file, "utf8"));
      expect(kept.tokens.access_token).toContain(ACCESS_TOKEN_PREFIX);
    }, 120_000);
  });
}

/** As a person does with a browser: signs in with a key, and allows what a registered application asks. */
async function signIn({ baseUrl, nodes, store }: Place): Promise<object> {
  const key = await makeTestKey(store, { owner: { plan: "subscribed" } });
  const [node = baseUrl] = nodes;
  const reach = (url: string) => (url.startsWith(baseUrl) ? node + url.slice(baseUrl.length) : url);
  const json = { redirect_uris: [REDIRECT], client_name: "Windows" };
  const registered = await call(`${node}/oauth/register`, { method: "POST", json });
  const { client_id } = registered.body as { client_id: string };
  const browser = new WebBrowser(reach);
  await browser.post(`${baseUrl}/sign-in`, { key: key.secret, to: "/" });
  const { verifier, challenge } = makeProof();
  const page = await browser.open(
    baseUrl + authorizePath({ client_id, code_challenge: challenge, scope: "agents:read" }),
  );
  const action = /action="(\/oauth\/consent\/[^"]+)"/.exec(page.answer.text)?.[1] ?? "";
  let answer = await browser.post(baseUrl + action, { decision: "allow" });
  let to = new URL(answer.headers.get("location") ?? "", baseUrl);
  while (!to.href.startsWith(REDIRECT)) {
    answer = await browser.get(to.href);
    to = new URL(answer.headers.get("location") ?? "", baseUrl);
  }
  const code = to.searchParams.get("code") ?? "";
  const form = redemption(client_id, { code, verifier });
  const { body } = await call(`${node}/oauth/token`, { method: "POST", form });
  // The client keeps beside both by whom they were issued.
  return { client: { client_id, issuer: baseUrl }, tokens: { ...(body as object), issuer: baseUrl } };
}
