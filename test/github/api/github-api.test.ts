// What GitHub says when it is asked too often, and how long it is left alone.

import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { sendJson, startLoopbackServer } from "../../../fakes/code-host/server.ts";
import { type ActionTransport, openTransport } from "../../../src/action/transport.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { type GitHubApi, githubApi } from "../../../src/github/api/github-api.ts";

type Answer = {
  readonly status: number;
  readonly message?: string;
  readonly headers?: Record<string, string>;
};

const SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
const NOW_MS = Date.parse("2026-01-15T12:00:00Z");

describe("GitHub's API", () => {
  const opened: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const part of opened.splice(0)) await part.close();
  });

  async function open(...answers: Answer[]): Promise<{ api: GitHubApi; sleptMs: number[]; asked: string[] }> {
    const asked: string[] = [];
    const sleptMs: number[] = [];
    const server = await startLoopbackServer(async (request, response) => {
      asked.push(request.method ?? "");
      const { status, message, headers = {} } = answers.shift() ?? { status: 200 };
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      sendJson(response, status, status === 200 ? { id: 1 } : { message });
    });
    const transport: ActionTransport = openTransport();
    opened.push(transport, server);
    const clock: Clock = {
      now: () => NOW_MS,
      sleep: async (ms) => {
        sleptMs.push(ms);
      },
    };
    const api = githubApi({
      apiUrl: server.url,
      token: "ghs_1",
      repository: "octo/repo",
      transport: transport.send,
      clock,
      random: () => 0,
    });
    return { api, sleptMs, asked };
  }
  const write = { method: "POST", path: "/issues/7/comments", body: {}, isRepeatable: false } as const;
  const made = z.object({ id: z.int() });

  it("is asked again after a minute where it names no other time", async () => {
    const { api, sleptMs, asked } = await open({ status: 403, message: SECONDARY });
    expect(await api.write(write, made)).toEqual({ id: 1 });
    expect(asked).toEqual(["POST", "POST"]);
    expect(sleptMs).toEqual([60_000]);
  });

  it("is asked again when it says", async () => {
    const late = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW_MS / 1000 + 30) };
    const { api, sleptMs } = await open(
      { status: 429, message: SECONDARY, headers: { "retry-after": "7" } },
      { status: 403, message: "API rate limit exceeded", headers: late },
    );
    expect(await api.write(write, made)).toEqual({ id: 1 });
    expect(sleptMs).toEqual([7_000, 30_000]);
  });

  it("is no missing permission where it has had enough", async () => {
    const reset = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(NOW_MS / 1000 + 3_000) };
    const { api, asked } = await open({ status: 403, message: "API rate limit exceeded", headers: reset });
    await expect(api.write(write, made)).rejects.toMatchObject({
      code: "code_host_unavailable",
      status: 429,
    });
    expect(asked).toHaveLength(1);
  });

  it("is not asked again for what it refuses", async () => {
    const message = "Resource not accessible by integration";
    const { api, asked } = await open({ status: 403, message });
    await expect(api.write(write, made)).rejects.toMatchObject({
      code: "code_host_refused",
      status: 403,
      detail: message,
    });
    expect(asked).toHaveLength(1);
  });
});
