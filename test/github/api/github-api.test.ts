// GitHub's API over octokit: rate limits, retries, pages, and answers that are not GitHub's.

import type { IncomingHttpHeaders } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { sendJson, startLoopbackServer } from "../../../fakes/code-host/server.ts";
import { type ActionTransport, openTransport } from "../../../src/action/transport.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { Transport } from "../../../src/client/transport.ts";
import { type GitHubApi, githubApi } from "../../../src/github/api/github-api.ts";

type Answer = {
  readonly status: number;
  readonly message?: string;
  readonly headers?: Record<string, string>;
  /** JSON; `{ id: 1 }` for a 200 unless told. */
  readonly body?: unknown;
  /** A text that is sent as it is. */
  readonly text?: string;
};

const SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
const NOW_MS = Date.parse("2026-01-15T12:00:00Z");

describe("GitHub's API", () => {
  const opened: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const part of opened.splice(0)) await part.close();
  });

  type Opened = {
    readonly api: GitHubApi;
    readonly sleptMs: number[];
    readonly methods: string[];
    readonly requests: { readonly url: string; readonly headers: IncomingHttpHeaders }[];
  };

  async function open(
    answers: Answer[],
    { transport, signal }: { transport?: (send: Transport) => Transport; signal?: AbortSignal } = {},
  ): Promise<Opened> {
    const methods: string[] = [];
    const requests: Opened["requests"][number][] = [];
    const sleptMs: number[] = [];
    const server = await startLoopbackServer(async (request, response) => {
      methods.push(request.method ?? "");
      requests.push({ url: request.url ?? "", headers: request.headers });
      const { status, message, headers = {}, body, text } = answers.shift() ?? { status: 200 };
      for (const [name, value] of Object.entries(headers)) {
        response.setHeader(name, value.replace("{server}", server.url));
      }
      if (text === undefined) sendJson(response, status, body ?? (status === 200 ? { id: 1 } : { message }));
      else response.writeHead(status).end(text);
    });
    const connections: ActionTransport = openTransport();
    opened.push(connections, server);
    const clock: Clock = {
      now: () => NOW_MS,
      monotonic: () => 0,
      sleep: async (ms) => {
        sleptMs.push(ms);
      },
    };
    const api = githubApi({
      apiUrl: `${server.url}/api/v3`,
      token: "ghs_1",
      repository: "octo/repo",
      transport: transport?.(connections.send) ?? connections.send,
      clock,
      random: () => 0,
      signal,
    });
    return { api, sleptMs, methods, requests };
  }
  const write = { method: "POST", path: "/issues/7/comments", body: {}, isRepeatable: false } as const;
  const made = z.object({ id: z.int() });
  const operation = { query: "query { viewer { id } }", variables: {} };

  it("waits a minute after a rate limit that names no time", async () => {
    const { api, sleptMs, methods } = await open([{ status: 403, message: SECONDARY }]);
    expect(await api.write(write, made)).toEqual({ id: 1 });
    expect(methods).toEqual(["POST", "POST"]);
    expect(sleptMs).toEqual([60_000]);
  });

  it("waits as long as a rate limit says", async () => {
    const late = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW_MS / 1000 + 30) };
    const { api, sleptMs } = await open([
      { status: 429, message: SECONDARY, headers: { "retry-after": "7" } },
      { status: 403, message: "API rate limit exceeded", headers: late },
    ]);
    expect(await api.write(write, made)).toEqual({ id: 1 });
    expect(sleptMs).toEqual([7_000, 30_000]);
  });

  it("reports an exhausted rate limit as unavailable, not as a missing permission", async () => {
    const reset = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW_MS / 1000 + 3_000) };
    const { api, methods } = await open([
      { status: 403, message: "API rate limit exceeded", headers: reset },
    ]);
    await expect(api.write(write, made)).rejects.toMatchObject({
      code: "code_host_unavailable",
      status: 429,
    });
    expect(methods).toHaveLength(1);
  });

  it("does not retry a refusal", async () => {
    const message = "Resource not accessible by integration";
    const { api, methods } = await open([{ status: 403, message }]);
    await expect(api.write(write, made)).rejects.toMatchObject({
      code: "code_host_refused",
      status: 403,
      detail: message,
    });
    expect(methods).toHaveLength(1);
  });

  it("retries a read after an error of the server, and a write only where it is repeatable", async () => {
    const { api, methods } = await open([{ status: 502 }, { status: 200 }, { status: 502 }]);
    expect(await api.read("/issues/7", made)).toEqual({ id: 1 });
    await expect(api.write(write, made)).rejects.toMatchObject({
      code: "code_host_unavailable",
      status: 502,
    });
    expect(methods).toEqual(["GET", "GET", "POST"]);
  });

  it("retries where the transport, which another bundle made, found no answer", async () => {
    let isBroken = true;
    const { api, methods } = await open([], {
      transport: (send) => async (request) => {
        if (!isBroken) return await send(request);
        isBroken = false;
        throw Object.assign(new Error("No answer to GET github: ECONNRESET."), { code: "connection_failed" });
      },
    });
    expect(await api.read("/issues/7", made)).toEqual({ id: 1 });
    expect(methods).toEqual(["GET"]);
  });

  it("does not retry a write that got no answer", async () => {
    const failed = Object.assign(new Error("No answer to POST github: ECONNRESET."), {
      code: "connection_failed",
    });
    const { api, sleptMs } = await open([], {
      transport: () => async () => {
        throw failed;
      },
    });
    await expect(api.write(write, made)).rejects.toMatchObject({
      code: "code_host_unavailable",
      status: null,
      message: expect.stringContaining("gave no answer to POST /issues/7/comments. No answer to"),
    });
    expect(sleptMs).toEqual([]);
  });

  it("rejects with the reason of an abort", async () => {
    const aborted = new AbortController();
    const reason = new Error("The job was cancelled.");
    const { api } = await open([], {
      signal: aborted.signal,
      transport: (send) => async (request) => {
        aborted.abort(reason);
        return await send(request);
      },
    });
    await expect(api.read("/issues/7", made)).rejects.toBe(reason);
  });

  it("knows nothing of what answers 404", async () => {
    const missing = { status: 404, message: "Not Found" };
    const { api } = await open([missing, missing, missing]);
    expect(await api.read("/issues/7", made)).toBe(null);
    expect(await all(api.items("/issues/7/comments", made, 3))).toEqual([]);
    await expect(api.write(write, made)).rejects.toMatchObject({
      code: "code_host_refused",
      message: "GitHub's API answered 404 to POST /issues/7/comments. Not Found",
    });
  });

  it("follows the pages of a list, as many as it may", async () => {
    const link = {
      link: '<{server}/api/v3/repos/octo/repo/issues/7/comments?per_page=100&page=2>; rel="next"',
    };
    const pages = [
      { status: 200, body: [{ id: 1 }], headers: link },
      { status: 200, body: [{ id: 2 }], headers: link },
    ];
    const { api, requests } = await open([...pages, ...pages]);
    expect(await all(api.items("/issues/7/comments?sort=created", made, 2))).toEqual([{ id: 1 }, { id: 2 }]);
    expect(requests.map(({ url }) => url)).toEqual([
      "/api/v3/repos/octo/repo/issues/7/comments?sort=created&per_page=100",
      "/api/v3/repos/octo/repo/issues/7/comments?per_page=100&page=2",
    ]);
  });

  it("does not take the token to another host that a page links to", async () => {
    const other = await open([{ status: 200, body: [] }]);
    const link = { link: '<http://localhost:1/repos/octo/repo/issues/7/comments?page=2>; rel="next"' };
    const { api } = await open([{ status: 200, body: [{ id: 1 }], headers: link }]);
    await expect(all(api.items("/issues/7/comments", made, 9))).rejects.toMatchObject({
      code: "code_host_unavailable",
      detail: "It links to another host.",
    });
    expect(other.requests).toEqual([]);
  });

  it("takes no redirect, web page or broken JSON for an answer", async () => {
    const page = { status: 200, text: "<html>", headers: { "content-type": "text/html; charset=utf-8" } };
    const json = { "content-type": "application/json" };
    const { api, methods } = await open([
      page,
      { status: 302, headers: { location: "http://localhost:1/" } },
      { status: 200, text: '{"id":', headers: json },
      { status: 200, text: "[{", headers: json },
      { status: 200, text: "null", headers: json },
    ]);
    await expect(api.write(write, made)).rejects.toMatchObject({
      code: "code_host_unavailable",
      status: 200,
    });
    await expect(api.read("/issues/7", made)).rejects.toMatchObject({
      code: "code_host_refused",
      status: 302,
    });
    const unreadable = { code: "code_host_unavailable", detail: expect.stringContaining("shape") };
    await expect(api.read("/issues/7", made)).rejects.toMatchObject(unreadable);
    await expect(all(api.items("/pulls", made, 1))).rejects.toMatchObject(unreadable);
    await expect(api.graphql(operation, made)).rejects.toMatchObject(unreadable);
    expect(methods).toEqual(["POST", "GET", "GET", "GET", "POST"]);
  });

  it("tells what GraphQL refuses", async () => {
    const errors = [{ message: "Resource not accessible\u202E by integration" }];
    const { api, requests } = await open([
      { status: 200, body: { data: null, errors } },
      { status: 200, body: {} },
      { status: 200, body: { data: { id: 2 } } },
    ]);
    await expect(api.graphql(operation, made)).rejects.toMatchObject({
      code: "code_host_refused",
      detail: "Resource not accessible‹U+202E› by integration",
    });
    await expect(api.graphql(operation, made)).rejects.toMatchObject({ code: "code_host_refused" });
    expect(await api.graphql(operation, made)).toEqual({ id: 2 });
    expect(requests.map(({ url }) => url)).toEqual(Array(3).fill("/api/graphql"));
  });

  it("sends the token to the repository's own address, and prints no word of GitHub's", async () => {
    const warn = vi.spyOn(console, "warn");
    const headers = { deprecation: "true", sunset: "::error::x" };
    const { api, requests } = await open([{ status: 200, headers }]);
    await api.read("/collaborators/renovate%5Bbot%5D/permission", made);
    expect(requests).toMatchObject([
      {
        url: "/api/v3/repos/octo/repo/collaborators/renovate%5Bbot%5D/permission",
        headers: { authorization: "Bearer ghs_1", "x-github-api-version": "2022-11-28" },
      },
    ]);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
  });
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
