// What is learned of GitHub's token from a REST API on loopback that answers as GitHub does.

import { afterEach, describe, expect, it } from "vitest";
import { type LoopbackServer, sendJson, startLoopbackServer } from "../../fakes/code-host/server.ts";
import { fetchTransport } from "../../src/client/transport.ts";
import { checkGitHubToken } from "../../src/doctor/check-github-token.ts";
import type { DoctorCheck } from "../../src/report/doctor-page.ts";

const TOKEN = "ghs_0123456789abcdef";
let api: LoopbackServer | null = null;
afterEach(async () => {
  await api?.close();
  api = null;
});

type Given = {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Answers by the path below the repository; 200 and an empty list unless told. */
async function check(answers: Readonly<Record<string, Given>>, url?: string): Promise<DoctorCheck> {
  const methods: string[] = [];
  api = await startLoopbackServer(async (request, response) => {
    methods.push(request.method ?? "");
    const { pathname } = new URL(request.url ?? "", "http://api");
    const given = answers[pathname.replace("/api/v3/repos/octo/hello", "")] ?? {};
    const isOurs = request.headers.authorization === `Bearer ${TOKEN}`;
    for (const [name, value] of Object.entries(given.headers ?? {})) response.setHeader(name, value);
    sendJson(response, isOurs ? (given.status ?? 200) : 401, given.body ?? []);
  });
  const found = await checkGitHubToken({
    token: { from: "the variable GITHUB_TOKEN", value: TOKEN },
    env: { GITHUB_API_URL: url ?? `${api.url}/api/v3`, GITHUB_REPOSITORY: "octo/hello" },
    transport: fetchTransport,
    version: "1.2.3",
    signal: undefined,
  });
  expect(new Set(methods)).toEqual(new Set(url === undefined ? ["GET"] : []));
  expect(JSON.stringify(found)).not.toContain(TOKEN);
  return found;
}

const fact = ({ facts }: DoctorCheck, name: string) => facts.find((one) => one.name === name)?.value;
const refusal: Given = {
  status: 403,
  body: { message: "Resource not accessible by integration" },
  headers: { "x-accepted-github-permissions": "issues=read" },
};

describe("GitHub's token", () => {
  it("reads, and nobody claims to know what it may write", async () => {
    const found = await check({ "": { body: { id: 7 } } });
    expect(found.state).toBe("ok");
    expect(found.found).toContain("cannot be told by reading");
    expect(fact(found, "writing")).toContain("GITHUB_TOKEN Permissions");
    expect(fact(found, "issues, reading")).toBe("yes");
    expect(fact(found, "to push changes")).toBe("contents: write");
    expect(found.facts.map(({ name }) => name)).not.toContain("its person may");
  });

  it("may not read all: the permission is on the page", async () => {
    const found = await check({ "": { body: { id: 7 } }, "/issues": refusal });
    expect(found.state).toBe("warning");
    expect(fact(found, "issues, reading")).toBe("refused, it would need issues=read");
    expect(found.fixes[0]?.code).toBe("permissions:\n  id-token: write\n  issues: read");
  });

  it("may lack what is switched off, which is not its fault", async () => {
    const found = await check({
      "": { body: { id: 7 } },
      "/issues": { status: 410 },
      "/contents/": { status: 404 },
    });
    expect(found.state).toBe("ok");
    expect(fact(found, "issues, reading")).toBe("nothing there");
  });

  it("is a person's: its scopes, its end and what the person may are told", async () => {
    const found = await check({
      "": {
        body: { permissions: { admin: false, push: true, pull: true } },
        headers: { "x-oauth-scopes": "repo, workflow" },
      },
    });
    expect(fact(found, "scopes")).toBe("repo, workflow");
    expect(fact(found, "its person may")).toBe("push, pull");
  });

  it("is over", async () => {
    const found = await check({ "": { status: 401, body: { message: "Bad credentials" } } });
    expect(found.state).toBe("fault");
    expect(found.fixes[0]?.code).toContain("github.token");
  });

  it("is another repository's", async () => {
    const found = await check({ "": { status: 404, body: { message: "Not Found" } } });
    expect([found.state, found.found]).toEqual([
      "fault",
      "the variable GITHUB_TOKEN may not see this repository (404): Not Found",
    ]);
  });

  it("cannot be asked about", async () => {
    const found = await check({}, "http://127.0.0.1:1/api/v3");
    expect(found.state).toBe("warning");
    expect(found.found).toMatch(/^The REST API was not reached/);
  });
});
