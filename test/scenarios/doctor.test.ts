// The built command "doctor" in jobs of every kind, against the real service and a real issuer: each page
// names its trouble and the fix, and holds none of the job's secrets.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { say } from "../../fakes/model-server/turn.ts";
import {
  checkOf,
  examine,
  factsOf,
  fixesOf,
  pageOf,
  runDoctor,
  statesOf,
} from "../support/doctor-command.ts";
import type { ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe("agent-service doctor in a job", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario" });
  });
  afterAll(async () => await fixture.close());
  afterEach(() => fixture.proxy.heal());

  const play = async (options: JobOptions, ...args: string[]) => {
    const job = await fixture.job(options);
    const before = fixture.proxy.requests.length;
    const examined = await examine(job, ["--base-url", fixture.url, "--json", ...args]);
    expect(examined.stderr).toBe("");
    const requests = fixture.proxy.requests.slice(before);
    for (const { body, headers } of requests) {
      for (const secret of [job.idTokenRequestToken, job.githubToken])
        expect(body + JSON.stringify(headers)).not.toContain(secret);
    }
    return { ...examined, page: pageOf(examined), requests };
  };

  it("finds nothing where there is nothing to find, and leaves no capability and no run", async () => {
    const { code, page, requests, summary } = await play({});
    expect(code).toBe(0);
    expect(page.state).toBe("ok");
    expect(statesOf(page)).toEqual({
      job: "ok",
      token: "ok",
      service: "ok",
      audience: "ok",
      clock: "ok",
      exchange: "ok",
      identity: "ok",
      quota: "ok",
      "github-token": "skipped",
      runner: "ok",
    });
    expect(factsOf(page, "job")).toMatchObject({
      provider: "GitHub Actions",
      repository: "octo-org/octo-repo (id 74)",
      event: "push",
      attempt: "1",
    });
    expect(factsOf(page, "token")).toMatchObject({
      repository_id: "74",
      event_name: "push",
      "sub, its form": "repo:<repository>:ref:<ref>",
    });
    expect(factsOf(page, "identity")).toMatchObject({ event: "push", ref: "refs/heads/main" });
    expect(factsOf(page, "quota")).toMatchObject({ credits: "100", claim: "unclaimed" });
    // Nothing has to be done, and an account can take the repository over before its free credits end.
    expect(fixesOf(page, "quota")).toMatch(/\/claim\/svc_claim_[\w-]+/);
    expect(summary).toMatch(/^## ✅ Doctor: no trouble found/);

    const exchange = requests.find(({ route }) => route === "exchange");
    const { access_token } = JSON.parse(exchange?.answer?.body ?? "");
    const { subject_token } = JSON.parse(exchange?.body ?? "");
    for (const secret of [access_token, subject_token]) {
      expect(JSON.stringify(page) + summary).not.toContain(secret);
    }
    expect(requests.at(-1)).toMatchObject({ route: "revoke", answer: { status: 204 } });
    const again = await fetch(`${fixture.url}/v1/ci/identity`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(again.status).toBe(401);
    expect(await fixture.runs()).toEqual([]);
  });

  it("writes a page for people, in the log and in the summary", async () => {
    const job = await fixture.job({ idToken: false });
    const { code, stdout, summary } = await examine(job, [], { AGENT_SERVICE_URL: fixture.url });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^agent-service doctor \d/);
    expect(stdout).toMatch(
      /^fault {4}ID token {16}No ID token available\. Add "permissions: id-token: write"/m,
    );
    expect(stdout).toMatch(/^ +permissions:\n +id-token: write$/m);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe('1 fault, 4 not tried. Begin with "ID token".');
    for (const line of stdout.split("\n")) expect(line).not.toMatch(/^\s*::|##\[/);
    expect(summary).toMatch(/^## ❌ Doctor: 1 fault, 4 not tried\. Begin with "ID token"\.\n/);
    expect(summary).toContain("```yaml\npermissions:\n  id-token: write\n");
  });

  it("names the permission that is missing, and examines the rest", async () => {
    const { code, page, requests } = await play({ idToken: false });
    expect(code).toBe(1);
    expect(statesOf(page)).toMatchObject({
      job: "ok",
      token: "fault",
      service: "ok",
      audience: "ok",
      clock: "ok",
      exchange: "skipped",
      identity: "skipped",
      quota: "skipped",
      runner: "ok",
    });
    expect(fixesOf(page, "token")).toContain("permissions:\n  id-token: write");
    expect(checkOf(page, "exchange").found).toBe("Not tried: this job has no ID token.");
    expect(requests.map(({ route }) => route)).not.toContain("exchange");
  });

  it("says that a fork's pull request has no token by design", async () => {
    const { code, page } = await play({ event: "pull_request", pullRequest: { origin: "fork" } });
    expect(code).toBe(0);
    expect(page.state).toBe("warning");
    expect(statesOf(page)).toMatchObject({ job: "warning", token: "warning", exchange: "skipped" });
    expect(checkOf(page, "job").found).toContain("by design");
    expect(fixesOf(page, "token")).toContain("issue_comment");
  });

  it("says what Dependabot's jobs need", async () => {
    const { code, page } = await play({ event: "pull_request", pullRequest: { origin: "dependabot" } });
    expect([code, checkOf(page, "token").state]).toEqual([0, "warning"]);
    expect(fixesOf(page, "token")).toContain("id-token: write");
  });

  it("tells an audience that is wrong from the one that is right", async () => {
    const { code, page } = await play({}, "--audience", "other.example");
    expect(code).toBe(1);
    const expected = new URL(fixture.url).host;
    expect(checkOf(page, "audience")).toMatchObject({
      state: "fault",
      found: `Tokens are made for "other.example", and the service takes those for "${expected}" alone.`,
    });
    expect(fixesOf(page, "audience")).toContain(`--audience ${expected}`);
    expect(checkOf(page, "exchange").state).toBe("fault");
    expect(factsOf(page, "exchange")).toMatchObject({
      reason: "audience_mismatch",
      expected,
      got: "other.example",
    });
    expect(checkOf(page, "quota").found).toBe("Not tried: the exchange was refused.");
  });

  it("tells of a token that arrived twice", async () => {
    fixture.proxy.next("exchange", { type: "twice" });
    const { code, page } = await play({});
    expect(code).toBe(1);
    expect(factsOf(page, "exchange").reason).toBe("token_replayed");
  });

  it("tells of an event that the service runs nothing for", async () => {
    const { code, page } = await play({ event: "pull_request_target" });
    expect(code).toBe(1);
    expect(statesOf(page)).toMatchObject({ job: "warning", token: "ok", exchange: "fault" });
    expect(factsOf(page, "exchange").reason).toBe("event_refused");
    expect(fixesOf(page, "job")).toContain("allow_events");
  });

  it("tells of tokens that GitHub does not give", async () => {
    fixture.codeHost.faults.idToken.next({ type: "status", status: 403 });
    const { page } = await play({});
    expect(factsOf(page, "token").reason).toBe("id_token_refused");
  });

  it("goes on where the service is older than the command", async () => {
    fixture.proxy.next("other", { type: "none" }, 5);
    fixture.proxy.next("other", {
      type: "status",
      status: 404,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ error: "nothing", code: "not_found", request_id: "r" }),
    });
    const { code, page } = await play({});
    expect(code).toBe(0);
    expect(statesOf(page)).toMatchObject({ identity: "warning", quota: "ok" });
    expect(factsOf(page, "quota")).toMatchObject({ credits: "100", claim: "unclaimed" });
  });

  it("finds what is to be found without a server", async () => {
    const examined = await examine(await fixture.job(), ["--json"]);
    const page = pageOf(examined);
    expect(examined.code).toBe(0);
    expect(Object.keys(statesOf(page))).toEqual([
      "job",
      "token",
      "clock",
      "embedded",
      "github-token",
      "runner",
    ]);
    expect(checkOf(page, "embedded").state).toBe("warning");
    expect(fixesOf(page, "embedded")).toContain("MODEL_PROVIDER=anthropic");
    const wrong = pageOf(await examine(await fixture.job(), ["--json"], { MODEL: "m" }));
    expect(checkOf(wrong, "embedded")).toMatchObject({
      state: "fault",
      found: expect.stringContaining("MODEL_BASE_URL must be set"),
    });
  });
});

describe("agent-service doctor without a server", () => {
  const KEY = "sk-the-models-key-0123456789";
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario" });
  });
  afterAll(async () => await fixture.close());

  it("finds no fault in a job without an ID token, which nothing needs", async () => {
    const page = pageOf(await examine(await fixture.job({ idToken: false }), ["--json"]));
    expect(checkOf(page, "token")).toMatchObject({
      state: "skipped",
      found: "Not tried: the job can have none, and without a service nothing needs one.",
    });
  });

  it.each(["anthropic", "openai", "openai-compatible", "google"])(
    "asks the model's API whether it takes the key: %s",
    async (provider) => {
      const model = await startModelServer({ script: [], apiKey: KEY, models: ["m-1"] });
      closers.push(() => model.close());
      const base = provider === "google" ? `${model.url}/v1beta` : model.baseUrl;
      const settings = { MODEL: "m-1", MODEL_PROVIDER: provider, MODEL_BASE_URL: base, MODEL_API_KEY: KEY };
      const job = await fixture.job();
      const examineWith = async (more: Record<string, string>) => {
        const examined = await runDoctor({ ...job.env, ...settings, ...more }, ["--json"], [KEY, "sk-old"]);
        return checkOf(pageOf(examined), "model");
      };
      expect(await examineWith({})).toMatchObject({ state: "ok" });
      expect(await examineWith({ MODEL_API_KEY: "sk-old-0123456789" })).toMatchObject({
        state: "fault",
        found: expect.stringMatching(/refuses the key \(40[01]\)\.$/),
      });
      expect(await examineWith({ MODEL_API_KEY: "" })).toMatchObject({
        state: "fault",
        found: expect.stringContaining("takes no request without a key (401)."),
      });
      expect((await examineWith({ MODEL: "m-2" })).state).toBe(
        provider === "openai-compatible" ? "warning" : "fault",
      );
    },
  );

  it("asks for one token where a server has no list, and names one that does not answer", async () => {
    const model = await startModelServer({ script: byTurn([say("Yes.")]), apiKey: KEY, hasList: false });
    closers.push(() => model.close());
    const settings = { MODEL: "m-1", MODEL_API_KEY: KEY, MODEL_PROVIDER: "openai-compatible" };
    const job = await fixture.job();
    const hidden = { ...job.env, ...settings, MODEL_BASE_URL: model.baseUrl };
    expect(checkOf(pageOf(await runDoctor(hidden, ["--json"], [KEY])), "model").state).toBe("ok");
    expect(model.requests).toMatchObject([{ body: { model: "m-1", max_tokens: 1 } }]);
    const nowhere = { ...job.env, ...settings, MODEL_BASE_URL: "http://127.0.0.1:9/v1" };
    expect(checkOf(pageOf(await runDoctor(nowhere, ["--json"], [KEY])), "model")).toMatchObject({
      state: "fault",
      found: expect.stringContaining("is not reached"),
    });
  });
});

describe("agent-service doctor and money", () => {
  it("shows a private repository the way to somebody who pays", async () => {
    const fixture = await startFixture({ level: "scenario", visibility: "private" });
    closers.push(() => fixture.close());
    const job = await fixture.job();
    const { code, stdout, summary } = await examine(job, ["--base-url", fixture.url]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/Runs are refused: octo-org\/octo-repo is private/);
    expect(stdout).toMatch(/^ +http:\/\/\S+\/claim\/svc_claim_\S+$/m);
    expect(summary).toContain("/claim/svc_claim_");
  });

  it("says when the credits are used up", async () => {
    const fixture = await startFixture({ level: "scenario", config: { freeCredits: 0 } });
    closers.push(() => fixture.close());
    const page = pageOf(await examine(await fixture.job(), ["--base-url", fixture.url, "--json"]));
    expect(checkOf(page, "quota")).toMatchObject({
      state: "fault",
      found: expect.stringContaining("are used up until"),
    });
  });
});

describe("agent-service doctor on somebody's own machine", () => {
  it("says that it is no job, and checks the service", async () => {
    const fixture = await startFixture({ level: "scenario" });
    closers.push(() => fixture.close());
    const examined = await runDoctor({}, ["--base-url", fixture.url, "--json"]);
    const page = pageOf(examined);
    expect(examined.code).toBe(0);
    expect(statesOf(page)).toEqual({
      job: "warning",
      token: "skipped",
      service: "ok",
      audience: "ok",
      clock: "ok",
      exchange: "skipped",
      identity: "skipped",
      quota: "skipped",
      runner: "ok",
    });
    expect(checkOf(page, "job").found).toMatch(/^This machine runs no CI job/);
  });
});
