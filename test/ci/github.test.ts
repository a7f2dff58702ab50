import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Environment } from "../../src/base/environment.ts";
import { createGitHubProvider } from "../../src/ci/github.ts";
import { decodeGitHubEvent } from "../../src/ci/github-event.ts";
import { ConnectionError } from "../../src/client/errors.ts";
import type { TransportRequest, TransportResponse } from "../../src/client/transport.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";

const SHA = "a".repeat(40);
const minting = {
  ACTIONS_ID_TOKEN_REQUEST_URL: "https://tokens.example.com/request?api-version=2.0",
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: "request-token",
};

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "github-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function answer(status: number, body: string): TransportResponse {
  return { status, headers: () => undefined, body };
}

function provider(env: Environment, replies: readonly (TransportResponse | Error)[]) {
  const seen: TransportRequest[] = [];
  const clock = instantClock();
  const github = createGitHubProvider({
    env,
    clock,
    random: () => 0,
    transport: async (request) => {
      seen.push(request);
      const reply = replies[Math.min(seen.length, replies.length) - 1];
      if (reply === undefined || reply instanceof Error) throw reply;
      return reply;
    },
  });
  return { github, seen, clock };
}

function pull(head: unknown) {
  return { pull_request: { number: 7, base: { sha: SHA, repo: { id: 1 } }, head } };
}

async function refusal(env: Environment, payload?: unknown): Promise<unknown> {
  const path = join(folder, "event.json");
  await writeFile(path, typeof payload === "string" ? payload : JSON.stringify(payload ?? {}));
  const { github } = provider({ ...env, GITHUB_EVENT_PATH: path }, []);
  return github.mintIdToken("agents.example.com").catch((caught: unknown) => caught);
}

describe("mintIdToken", () => {
  it("asks for the audience with the request token", async () => {
    const { github, seen } = provider(minting, [answer(200, '{"value":"a.b.c"}')]);
    expect(await github.mintIdToken("agents.example.com:8443")).toBe("a.b.c");
    expect(seen[0]?.url).toBe(
      "https://tokens.example.com/request?api-version=2.0&audience=agents.example.com%3A8443",
    );
    expect(seen[0]?.headers.authorization).toBe("Bearer request-token");
  });

  it("tries again after a 503 and a reset", async () => {
    const { github, clock } = provider(minting, [
      answer(503, "<html>"),
      new ConnectionError("reset"),
      answer(200, '{"value":"a.b.c"}'),
    ]);
    expect(await github.mintIdToken("x")).toBe("a.b.c");
    expect(clock.sleeps).toEqual([250, 500]);
  });

  it("gives up within its bound, and on a refusal at once", async () => {
    const down = provider(minting, [answer(500, "")]);
    await expect(down.github.mintIdToken("x")).rejects.toMatchObject({ code: "id_token_failed" });
    expect(down.seen).toHaveLength(5);
    const refused = provider(minting, [answer(403, "")]);
    await expect(refused.github.mintIdToken("x")).rejects.toMatchObject({ code: "id_token_refused" });
    expect(refused.seen).toHaveLength(1);
    const empty = provider(minting, [answer(200, "{}")]);
    await expect(empty.github.mintIdToken("x")).rejects.toMatchObject({ code: "id_token_failed" });
  });

  it("names the permission when there is no token to ask for", async () => {
    expect(await refusal({ GITHUB_EVENT_NAME: "push" })).toMatchObject({
      code: "id_token_unavailable",
      message: 'No ID token available. Add "permissions: id-token: write" to this job.',
    });
    expect(await refusal({}, "not json")).toMatchObject({ code: "id_token_unavailable" });
  });

  it("tells a fork's pull request from a missing permission", async () => {
    const fork = await refusal({}, pull({ sha: SHA, repo: { id: 2 } }));
    expect(fork).toMatchObject({ code: "fork_pull_request" });
    expect(fork).toHaveProperty("message", expect.stringContaining("workflow_dispatch"));
    expect(await refusal({}, pull({ sha: SHA, repo: null }))).toMatchObject({ code: "fork_pull_request" });
    const own = await refusal({}, pull({ sha: SHA, repo: { id: 1 } }));
    expect(own).toMatchObject({ code: "id_token_unavailable" });
  });

  it("tells Dependabot from a missing permission", async () => {
    expect(await refusal({ GITHUB_ACTOR: "dependabot[bot]" })).toMatchObject({ code: "dependabot" });
  });
});

describe("identity", () => {
  it("reads the job from the environment", () => {
    const env = {
      GITHUB_REPOSITORY_ID: "42",
      GITHUB_REPOSITORY: "octo/repo",
      GITHUB_EVENT_NAME: "push",
      GITHUB_SHA: SHA,
      GITHUB_RUN_ID: "9",
      GITHUB_RUN_ATTEMPT: "3",
      GITHUB_JOB: "agent",
      GITHUB_ACTION: "step",
    };
    expect(provider(env, []).github.job).toEqual({
      provider: "github",
      repository: { id: "42", name: "octo/repo" },
      event: "push",
      sha: SHA,
      runId: "9",
      attempt: 3,
      job: "agent",
      step: "step",
    });
  });

  it("takes a foreign payload for an event without a pull request", () => {
    for (const payload of [
      null,
      1,
      [],
      {},
      { pull_request: null },
      { pull_request: { base: { sha: "../x" } } },
    ]) {
      expect(decodeGitHubEvent(payload)).toEqual({
        baseSha: null,
        pullRequest: null,
        isForkPullRequest: false,
      });
    }
    const own = decodeGitHubEvent(pull({ sha: SHA, repo: { id: 1 } }));
    expect(own).toEqual({
      baseSha: SHA,
      pullRequest: { number: 7, headSha: SHA },
      isForkPullRequest: false,
    });
  });
});
