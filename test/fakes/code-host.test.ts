import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../fakes/code-host/code-host.ts";
import { systemClock } from "../../src/base/clock.ts";
import type { Logger } from "../../src/base/log.ts";
import { tokenVerifier } from "../../src/service/oidc/verify-token.ts";

const run = promisify(execFile);
const author = ["-c", "user.name=Author", "-c", "user.email=author@example.test"];

describe("the fake code host", () => {
  let codeHost: CodeHost;
  let folder: string;
  let head: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "code-host-test-"));
    await run("git", ["init", "-q", "-b", "main", folder]);
    await writeFile(join(folder, "README.md"), "# Hello\n");
    await run("git", ["-C", folder, "add", "."]);
    await run("git", ["-C", folder, ...author, "commit", "-qm", "First"]);
    head = (await run("git", ["-C", folder, "rev-parse", "HEAD"])).stdout.trim();
    codeHost = await startCodeHost({
      repositories: {
        "octo-org/octo-repo": folder,
        "octo-org/hidden": { path: folder, id: "75", visibility: "private" },
      },
    });
  });

  afterAll(async () => {
    await codeHost.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("gives a job an ID token that its key set verifies, a fresh one each time", async () => {
    const job = await codeHost.job();
    const ask = () =>
      fetch(`${job.env.ACTIONS_ID_TOKEN_REQUEST_URL}&audience=svc.test`, {
        headers: { authorization: `Bearer ${job.env.ACTIONS_ID_TOKEN_REQUEST_TOKEN}` },
      }).then((response) => response.json() as Promise<{ value: string }>);
    const keys = createRemoteJWKSet(new URL(codeHost.issuer.jwksUri));
    const [first, second] = [await ask(), await ask()];
    const { payload } = await jwtVerify(first.value, keys, {
      issuer: codeHost.issuer.url,
      audience: "svc.test",
    });
    expect(payload).toMatchObject({ repository_id: "74", sha: head, event_name: "push" });
    expect((await jwtVerify(second.value, keys)).payload.jti).not.toBe(payload.jti);
  });

  it("fails as often as a test says, then works", async () => {
    const job = await codeHost.job();
    const headers = { authorization: `Bearer ${job.idTokenRequestToken}` };
    codeHost.faults.idToken.next({ type: "status", status: 500 }, 2);
    const statuses: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      statuses.push((await fetch(`${job.env.ACTIONS_ID_TOKEN_REQUEST_URL}`, { headers })).status);
    }
    expect(statuses).toEqual([500, 500, 200]);
  });

  it("is cloned over smart HTTP, shallow, by any commit, with either protocol", async () => {
    for (const version of ["0", "2"]) {
      const clone = join(folder, `clone-${version}`);
      await run("git", ["init", "-q", clone]);
      const fetchArgs = ["fetch", "-q", "--depth=1", `${codeHost.url}/octo-org/octo-repo.git`, head];
      await run("git", ["-C", clone, "-c", `protocol.version=${version}`, ...fetchArgs]);
      expect((await run("git", ["-C", clone, "rev-parse", "FETCH_HEAD"])).stdout.trim()).toBe(head);
    }
  });

  it("clones a private repository only with the job's token", async () => {
    const job = await codeHost.job({ repository: "octo-org/hidden" });
    const url = `${codeHost.url}/octo-org/hidden.git/info/refs?service=git-upload-pack`;
    const basic = Buffer.from(`x-access-token:${job.githubToken}`).toString("base64");
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { authorization: `Basic ${basic}` } })).status).toBe(200);
  });

  it("reads files through the REST API", async () => {
    const job = await codeHost.job();
    const url = `${job.env.GITHUB_API_URL}/repos/octo-org/octo-repo/contents`;
    const authorization = `Bearer ${job.githubToken}`;
    const read = (path: string, headers: Record<string, string> = {}) => fetch(`${url}/${path}`, { headers });
    const raw = await read("README.md", { authorization, accept: "application/vnd.github.raw+json" });
    expect(await raw.text()).toBe("# Hello\n");
    const json = (await (await read(`README.md?ref=${head}`, { authorization })).json()) as {
      content: string;
    };
    expect(Buffer.from(json.content, "base64").toString()).toBe("# Hello\n");
    expect((await read("README.md")).status).toBe(401);
    expect((await read("nothing.md", { authorization })).status).toBe(404);
    expect((await read("README.md?ref=nowhere", { authorization })).status).toBe(404);
  });

  it("gives a fork's pull request no ID token", async () => {
    const job = await codeHost.job({ event: "pull_request", pullRequest: { origin: "fork", number: 9 } });
    expect(job.env).not.toHaveProperty("ACTIONS_ID_TOKEN_REQUEST_URL");
    expect(job.env).toMatchObject({ GITHUB_REF: "refs/pull/9/merge", GITHUB_BASE_REF: "main" });
    const payload = JSON.parse(await readFile(job.files.event, "utf8"));
    expect(payload.pull_request.head.repo.fork).toBe(true);
    expect(payload.pull_request.base.repo.full_name).toBe("octo-org/octo-repo");
  });

  it("mints tokens that the service's verifier accepts", async () => {
    const logger: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => logger };
    const options = { issuers: [codeHost.issuerEntry], audience: "svc.test", clock: systemClock, logger };
    const verifier = tokenVerifier(options);
    for (const event of ["push", "schedule", "workflow_dispatch", "pull_request", "issue_comment"] as const) {
      const job = await codeHost.job({ event, idToken: true });
      const result = await verifier.verify(job.mintIdToken("svc.test"));
      expect(result).toMatchObject({ ok: true, value: { job: { event, sha: job.env.GITHUB_SHA } } });
    }
  });

  it("identifies the repository in every event", async () => {
    for (const event of ["schedule", "workflow_dispatch", "workflow_run", "issue_comment"] as const) {
      const job = await codeHost.job({ event });
      expect(job.payload).toMatchObject({ repository: { id: 74, full_name: "octo-org/octo-repo" } });
      expect(job.claims.event_name).toBe(event);
    }
  });
});
