// Every place in src/ that opens a connection, with a peer that refuses it, resets it, never answers, or breaks off in the
// middle of an answer: the call ends in time, says so, and leaves no connection behind. A new place has to be a row here.

import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTransport } from "../../src/action/transport.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createClient } from "../../src/client/client.ts";
import { fetchTransport } from "../../src/client/transport.ts";
import { openConnection } from "../../src/conform/kit/connection.ts";
import { reachHost } from "../../src/doctor/reach-host.ts";
import { fetchExchange } from "../../src/federation/fetch-exchange.ts";
import { documentFetcher } from "../../src/service/api/oauth/client-document.ts";
import { administersRepository } from "../../src/service/api/web/identity-provider.ts";
import { s3Blobs } from "../../src/service/blobs/s3.ts";
import { AppTokens } from "../../src/service/checkouts/remotes/app-tokens.ts";
import { fetchPage } from "../../src/service/executor/tools/fetch-page.ts";
import { egressFetch } from "../../src/service/executor/tools/mcp/egress-fetch.ts";
import { requestKeySet } from "../../src/service/oidc/key-set-request.ts";
import { connectionConfig } from "../../src/service/store/postgres-connection.ts";
import { untilConnected } from "../../src/service/store/postgres-start.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";
import { runCommand } from "../support/run/run-command.ts";
import { type PeerFault, peerFaults, startFaultyPeer } from "./faulty-peer.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What limits of seconds are cut to while a test waits for them. */
const HURRIED_MS = 150;

type Peer = { readonly port: number; readonly url: string; readonly fault: PeerFault };
type Row = {
  /** Rejects, or answers with what the call says in the place of an answer. */
  readonly call: (peer: Peer) => Promise<unknown>;
  /** What is said, of each fault or of all. */
  readonly says: RegExp | Readonly<Record<PeerFault, RegExp>>;
};

const anyTime = { signal: new AbortController().signal };
const request = { method: "GET", headers: {}, timeoutMs: HURRIED_MS, maxBodyBytes: 1_000 } as const;
const admitted = {
  admit: async () => ({
    ok: true as const,
    value: { addresses: ["127.0.0.1"], count: () => true, close: () => {} },
  }),
};
const key = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey;
const broken = /ECONNREFUSED|ECONNRESET|socket hang up|terminated|other side closed|UND_ERR|aborted/;
const noAnswer = { refuses: broken, resets: broken, stalls: /within 150 ms|timeout/i, cuts: broken };
/** What is no TLS at all fails in as many words as OpenSSL likes. */
const noTls = { ...noAnswer, cuts: /.+/ };

/** Played here, each by the file of src/ that opens the connection. */
const rows: Readonly<Record<string, Row>> = {
  "action/transport.ts": {
    call: async ({ url }) => {
      const transport = openTransport();
      try {
        await transport.send({ ...request, url });
      } finally {
        transport.close();
      }
    },
    says: noAnswer,
  },
  "client/transport.ts": { call: ({ url }) => fetchTransport({ ...request, url }), says: noAnswer },
  "client/bytes.ts": {
    call: ({ url }) => clientOf(url).files.download({ workspaceId: "w", query: { path: "a" }, ...hurried() }),
    says: { ...noAnswer, cuts: /.+/ },
  },
  "client/session.ts": {
    call: async ({ url }) => {
      for await (const item of clientOf(url).sessions.follow({ sessionId: "s", retry: ONCE, ...hurried() }))
        return item;
      return undefined;
    },
    says: { refuses: /No socket/, resets: /No socket/, stalls: /timeout/i, cuts: /No socket/ },
  },
  "cli/login.ts": {
    call: ({ url }) => runCommand(["login"], { AGENT_SERVICE_URL: url, XDG_CONFIG_HOME: tmpdir() }),
    says: {
      refuses: /could not be reached/,
      resets: /could not be reached/,
      stalls: /could not be reached/,
      cuts: /answered 200/,
    },
  },
  "conform/kit/connection.ts": {
    call: ({ url }) =>
      openConnection({ baseUrls: [url], userAgent: "test", clock: systemClock }).ask({ path: "/" }),
    says: /does not answer/,
  },
  "doctor/reach-host.ts": {
    call: ({ port }) => reachHost({ host: "127.0.0.1", port, isTls: true }),
    says: {
      refuses: /"layer":"tcp","code":"ECONNREFUSED"/,
      resets: /"layer":"tls","code":"ECONNRESET"/,
      stalls: /"layer":"tls","code":"ETIMEDOUT"/,
      cuts: /"layer":"tls"/,
    },
  },
  "federation/fetch-exchange.ts": {
    call: ({ url }) => fetchExchange({ ...request, method: "POST", url, body: "{}" }),
    says: { ...noAnswer, cuts: /terminated|ECONNRESET|aborted/ },
  },
  "service/api/oauth/client-document.ts": {
    call: ({ port }) =>
      documentFetcher({ resolve: async () => ["127.0.0.1"], isAllowed: () => true })(
        `https://app.example.com:${port}/client`,
      ),
    says: noTls,
  },
  "service/api/web/identity-provider.ts": {
    call: ({ url }) =>
      administersRepository(
        {
          id: "github",
          title: "GitHub",
          clientId: "c",
          clientSecret: "s",
          webUrl: url,
          apiUrl: url,
          jobIssuer: url,
        },
        { token: "t", repositoryId: "1" },
      ),
    says: /fetch failed|terminated|timeout/i,
  },
  "service/blobs/s3.ts": {
    call: ({ url, fault }) =>
      s3Blobs({
        config: {
          endpoint: url,
          bucket: "b",
          region: "r",
          pathStyle: true,
          accessKeyId: "a",
          secretAccessKey: "s",
        },
        clock: instantClock(),
        random: () => 0,
        silenceMs: HURRIED_MS,
      })
        .get("blob")
        .then(async (blob) => {
          for await (const _ of blob?.content ?? []) expect(fault).toBe("cuts");
        }),
    says: /The S3 server at S3_ENDPOINT/,
  },
  "service/checkouts/remotes/app-tokens.ts": {
    call: ({ url }) =>
      new AppTokens({ app: { id: "1", key }, clock: systemClock }).make(
        { id: "1", name: "o/r" } as Parameters<AppTokens["make"]>[0],
        { api: url, ...anyTime },
      ),
    says: /"ok":false/,
  },
  "service/executor/tools/fetch-page.ts": {
    call: ({ port }) =>
      fetchPage(
        { egress: { ...admitted, rules: {} as never }, timeoutMs: HURRIED_MS },
        `https://page.example:${port}/`,
        anyTime.signal,
      ),
    says: {
      refuses: /could not be asked \(ECONNREFUSED\)/,
      resets: /could not be asked \(ECONNRESET\)/,
      stalls: /did not answer within 0\.15 s/,
      cuts: /could not be asked/,
    },
  },
  "service/executor/tools/mcp/egress-fetch.ts": {
    call: ({ port }) => {
      const url = `https://mcp.example:${port}/mcp`;
      return egressFetch({ egress: admitted, url, headers: {} })(url, hurried());
    },
    says: /the host mcp\.example:\d+ could not be asked/,
  },
  "service/oidc/key-set-request.ts": {
    call: ({ url }) => requestKeySet({ url, clock: systemClock, fetch }),
    says: {
      refuses: /cannot be reached/,
      resets: /cannot be reached/,
      stalls: /No key set within 5 s/,
      cuts: /cannot be reached/,
    },
  },
  "service/store/postgres-start.ts": {
    call: ({ port }) => connectTo(`postgres://u:secret@127.0.0.1:${port}/d`),
    says: /cannot be used|does not answer|127\.0\.0\.1/,
  },
};

/** Played by another test: the file, and words of it that tell what the peer does. */
const playedElsewhere: Readonly<Record<string, readonly [file: string, words: string]>> = {
  "ci/bitbucket-report.ts": ["test/scenarios/bitbucket.test.ts", "code-insights"],
  "cli/mcp-stdio.ts": ["test/cli/mcp.test.ts", "says why a service does not answer"],
  "github/api/octokit.ts": [
    "test/github/api/github-api.test.ts",
    "does not retry a write that got no answer",
  ],
  "job/server-access.ts": ["test/job/server-access.test.ts", "which is not public"],
  "service/egress/proxy.ts": [
    "test/service/egress/run-egress.test.ts",
    "says that a host cannot be reached, and why",
  ],
  "service/egress/resolve-name.ts": ["test/service/egress/run-egress.test.ts", "DNS rebinding"],
  "service/executor/backends/acp/model-proxy/pass-on.ts": [
    "test/service/executor/backends/acp/model-proxy/bounds.test.ts",
    "may cut the connection before its answer, and costs nothing",
  ],
  "service/executor/backends/model/provider.ts": [
    "test/service/executor/backends/model/failures.test.ts",
    "that cannot be reached ends the run, and says what to check",
  ],
  "service/executor/tools/mcp/mcp-session.ts": [
    "test/service/executor/tools/mcp/run-servers.test.ts",
    "that hangs ends with the run",
  ],
  "service/sandbox/kubernetes/cluster-client.ts": [
    "test/service/sandbox/kubernetes/faults.test.ts",
    "stays away: the run is told that its pod is lost",
  ],
  "service/sandbox/kubernetes/exec-socket.ts": [
    "test/service/sandbox/kubernetes/faults.test.ts",
    "its connections stay open and silent, and that is noticed",
  ],
  "service/sandbox/kubernetes/pod-relay.ts": [
    "test/service/sandbox/kubernetes/relay.test.ts",
    "and again after a cut",
  ],
  "service/store/postgres-pool.ts": [
    "test/service/store/postgres-faults.test.ts",
    "goes on by itself when its connections fall silent",
  ],
  "service/telemetry/traces.ts": ["test/service/telemetry/traces.test.ts", "could not be exported"],
  "web/passkey.ts": ["test/service/api/web/pages/passkeys-browser.test.ts", "passkey"],
  "web/run/run-socket.ts": [
    "test/service/api/web/pages/run-page-browser.test.ts",
    "reads on where its connection was lost, without doubling",
  ],
};

/** How code opens a connection. A call of a `fetch` that it is given is the giver's, but for the key sets of issuers. */
const openings: readonly RegExp[] = [
  /(?<![.#\w]|async )fetch\(|\?\? fetch\b|\brequest\.fetch\(/,
  /import \{[^}]*\brequest\b[^}]*\} from "node:https?"|import \* as https? from "node:https?"/,
  /import \{[^}]*\bconnect\b[^}]*\} from "node:(?:net|tls)"|from "node:dns/,
  /new AwsClient\(|new pg\.(?:Pool|Client)\(|new WebSocket\(|webSocket \?\?|HTTPClientTransport\(/,
  /from "openid-client"|import\("@actions\/github|OTLP\w+Exporter\(/,
];

const ONCE = { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
const clientOf = (url: string) => createClient({ baseUrl: url, credential: () => "secret", retry: ONCE });
const hurried = () => ({ signal: AbortSignal.timeout(10_000) });

async function connectTo(url: string): Promise<unknown> {
  const { default: pg } = await import("pg");
  return await untilConnected(
    url,
    async () => {
      const client = new pg.Client(connectionConfig(url));
      await client.connect();
    },
    { waitMs: 0 },
  );
}

beforeEach(() => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeout(Math.min(ms, HURRIED_MS)));
  const later = globalThis.setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms = 0, ...more: []) =>
    later(run, Math.min(ms, HURRIED_MS), ...more)) as typeof setTimeout);
  const { setTimeout: silent } = Socket.prototype;
  vi.spyOn(Socket.prototype, "setTimeout").mockImplementation(function (this: Socket, ms, run) {
    return silent.call(this, Math.min(ms, HURRIED_MS), run);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe.each(Object.entries(rows))("%s", (_file, { call, says }) => {
  it.each(peerFaults)("says that its peer %s", async (fault) => {
    const peer = await startFaultyPeer(fault);
    try {
      const said = await call({ port: peer.port, url: `http://127.0.0.1:${peer.port}`, fault }).then(
        (value) => JSON.stringify(value) ?? "nothing",
        (cause: unknown) => textOf(cause),
      );
      expect(said).toMatch(says instanceof RegExp ? says : says[fault]);
      expect(said).not.toContain("secret");
      if (fault === "stalls") await vi.waitFor(() => expect(peer.open(), "connections left behind").toBe(0));
    } finally {
      await peer.close();
    }
  });
});

it("has a row for every place that opens a connection", () => {
  const names = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  const opening = names.filter((name) => {
    if (!name.endsWith(".ts")) return false;
    const text = readFileSync(join(ROOT, "src", name), "utf8").replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
    return openings.some((one) => one.test(text));
  });
  expect(opening.sort()).toEqual([...Object.keys(rows), ...Object.keys(playedElsewhere)].sort());
  for (const [file, words] of Object.values(playedElsewhere))
    expect(readFileSync(join(ROOT, file), "utf8"), file).toContain(words);
});

function textOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause ? ` ${String(cause.code)}` : "";
  return `${cause.message}${code}${cause.cause === undefined ? "" : `: ${textOf(cause.cause)}`}`;
}
