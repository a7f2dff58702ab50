// Runs of a service that use a connection of their account: a person has signed in on a page, and the built-in agent calls the server in
// their name. What the jobs, the events and the stores see of the tokens: nothing.

import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import type { Claims } from "../../fakes/issuer/claims.ts";
import { SignInServer } from "../../fakes/mcp-server/sign-in-server.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { makeTestKey, operateOn, type TestKey } from "../support/account-key.ts";
import type { ServiceFixture } from "../support/fixtures/service-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { type OpenedPair, openPair } from "../support/mcp/guarded-server.ts";
import { dumpPlace } from "../support/service-dump.ts";
import { CiJob } from "../support/service-job.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const KEY = "sk-the-models-key-0123456789";
const REPOSITORY = "octo-org/octo-repo";
const PAGE = "/settings/connections";

onEveryStore((store) => {
  describe("a run with a connection of its account", () => {
    let folder: string;
    let repository: TestRepository;
    let model: ModelServer;
    let fixture: ServiceFixture;
    let key: TestKey;
    let subject: Claims;
    let pair: OpenedPair<SignInServer>;
    let cookie: string;
    const gate = { open: Promise.withResolvers<void>() };

    beforeEach(async () => {
      gate.open = Promise.withResolvers<void>();
      folder = await mkdtemp(join(tmpdir(), "mcp-connections-"));
      repository = new TestRepository(folder, "octo-repo.git");
      const own = { mcpServers: { docs: { url: "https://docs.example/mcp", connection: "docs" } } };
      repository.commit({ files: { "README.md": "# Octo repo\n", ".mcp.json": JSON.stringify(own) } });
      pair = await openPair((origins) => new SignInServer({ ...origins }));
      const held = async () => {
        await gate.open.promise;
        return call("mcp__docs__lookup", { word: "again" });
      };
      model = await startModelServer({
        script: byTurn([
          call("mcp__docs__lookup", { word: "tree" }),
          held,
          call("mcp__docs__note_down", { word: "a note" }),
          say("Done."),
        ]),
        apiKey: KEY,
      });
      const config = readConfig(
        { DATA_DIR: join(folder, "data") },
        {
          PATH: process.env.PATH,
          BACKEND: "model",
          SANDBOX: "off",
          MODEL: "scripted-model",
          MODEL_BASE_URL: model.baseUrl,
          MODEL_API_KEY: KEY,
          EGRESS: pair.hosts.join(","),
          EGRESS_PRIVATE_HOSTS: "localhost=127.0.0.0/8",
          RUN_SECRETS_KEY: randomBytes(32).toString("base64"),
        },
      );
      if (!config.ok) throw new Error(config.refusal.join("\n"));
      const { backend, model: asked, sandbox, rates, mcp, egress, secrets, secretKeys } = config.value;
      fixture = await startFixture({
        level: "service",
        store,
        repositories: { [REPOSITORY]: { path: repository.path, visibility: "public" } },
        config: { backend, model: asked, sandbox, rates, mcp, egress, secrets, secretKeys },
      });
      await fixture.stop();
      key = await makeTestKey(fixture.place);
      await operateOn(fixture.place, ({ grant }) => grant({ accountId: key.accountId, credits: 1_000 }));
      await fixture.restart();
      const sha = repository.git(["rev-parse", "refs/heads/main"]);
      subject = { ...fixture.freshRepository(), repository: REPOSITORY, sha };
      const first = exchangeResponseSchema.parse(
        (await fixture.exchange(fixture.mint({ ...subject, repository_visibility: "private" }))).body,
      );
      const json = { claim: first.claim_url?.split("/").at(-1) };
      await fixture.call("/v1/ci/claim", { method: "POST", bearer: key.secret, json });
      await jobOf();
      const signedIn = await post("/sign-in", { key: key.secret, to: PAGE });
      cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      await connect();
    });
    afterEach(async () => {
      await fixture.close();
      await model.close();
      await pair.close();
      await rm(folder, { recursive: true, force: true });
    });

    const post = (path: string, form: Readonly<Record<string, string>>) =>
      fixture.call(path, { method: "POST", form, headers: { "sec-fetch-site": "same-origin", cookie } });

    async function connect(): Promise<void> {
      const page = await post(PAGE, { name: "docs", url: pair.url });
      const [, href = ""] = /<p><a href="(https:[^"]+)"/.exec(page.text) ?? [];
      const there = await fetch(href.replaceAll("&amp;", "&"), { redirect: "manual" });
      const back = new URL(there.headers.get("location") ?? "");
      const answer = await fixture.call(back.pathname + back.search, { headers: { cookie } });
      expect([answer.status, answer.headers.get("location")]).toEqual([303, `${PAGE}?connected=docs`]);
    }

    async function jobOf(more: Claims = {}): Promise<CiJob> {
      const json = { subject_token: fixture.mint({ ...subject, ...more }), account: key.accountId };
      const answer = await fixture.call("/v1/ci/oidc/exchange", { method: "POST", json });
      return new CiJob({ fixture, exchanged: exchangeResponseSchema.parse(answer.body) });
    }

    const body = (docs: object = { connection: "docs" }) => ({
      message: "Go on.",
      egress: pair.hosts,
      mcp_servers: { docs },
    });
    const submit = async (job: CiJob, more: object = body()) => {
      const answer = await job.submit(more);
      expect(answer.status, answer.text).toBe(202);
      return submitRunResponseSchema.parse(answer.body).run_id;
    };
    const results = () => model.toolResults().map(({ text }) => text.split("\n").slice(0, 2).join(" "));

    it("calls the server in the person's name; its tokens are in one column of one table", async () => {
      const job = await jobOf();
      const runId = await submit(job);
      await model.arrival(2);
      // In mid-run the server wants another token.
      pair.made.forgetAccess();
      gate.open.resolve();
      const events = JSON.stringify(await job.follow(runId));
      expect(await job.run(runId)).toMatchObject({ status: "completed" });
      expect(
        results()
          .slice(0, 2)
          .map((text) => text.split(" ").slice(-3).join(" ")),
      ).toEqual(["tree means TREE", "again means AGAIN"]);
      // It writes, and nobody has granted that.
      expect(results()[2]).toContain("nobody has allowed this agent to write by the MCP server docs");
      expect(events).toContain(`access token of ${pair.issuer} (the account's connection docs)`);
      const grants = pair.made.asked.map(({ form, error }) => [form.grant_type, error]);
      expect(grants).toEqual([
        ["authorization_code", null],
        ["refresh_token", null],
      ]);
      const seen = [
        events,
        fixture.logText(),
        await dumpPlace(fixture.place),
        JSON.stringify(model.requests),
        JSON.stringify(await job.run(runId)),
      ].join("\n");
      for (const secret of pair.made.issued) expect(seen).not.toContain(secret);
      expect(await fixture.place.query("select run_id from run_secrets")).toEqual([]);
    });

    it("goes on where somebody has to sign in again, and the model is told", async () => {
      const job = await jobOf();
      const runId = await submit(job);
      await model.arrival(2);
      pair.made.endAll();
      gate.open.resolve();
      expect(await job.ended(runId)).toMatchObject({ status: "completed" });
      expect(results()[1]).toContain('the connection "docs" needs signing in again');
      const listed = await fixture.call("/v1/connections", { bearer: key.secret });
      expect(listed.body).toMatchObject([{ name: "docs", state: "sign_in_needed", reason: "refused" }]);
      await connect();
      const again = await fixture.call("/v1/connections", { bearer: key.secret });
      expect(again.body).toMatchObject([{ name: "docs", state: "connected", reason: null }]);
    });

    it("has none where others can have a say in it, by another address, or without the hosts", async () => {
      gate.open.resolve();
      const textOf = async (job: CiJob, more: object) =>
        JSON.stringify(await job.follow(await submit(job, more)));
      const outsider = await jobOf({ event_name: "pull_request", ref: "refs/pull/7/merge" });
      expect(await textOf(outsider, body())).toContain(
        "others than writers of the repository can have a say",
      );
      const job = await jobOf();
      const elsewhere = { connection: "docs", url: "https://docs.example/mcp" };
      expect(await textOf(job, body(elsewhere))).toContain("the run names another server");
      const one = { ...body(), egress: pair.hosts.slice(0, 1) };
      expect(await textOf(job, one)).toContain(`the run may not reach ${pair.hosts[1]}`);
      expect(await textOf(job, body({ connection: "other" }))).toContain('has no connection \\"other\\"');
      expect(pair.made.asked.filter(({ form }) => form.grant_type === "refresh_token")).toEqual([]);
      expect(pair.made.authorizations.filter((one) => one?.startsWith("Bearer"))).toEqual([]);
    });

    it("is refused what is no definition, and a file of the repository names none", async () => {
      const job = await jobOf();
      for (const docs of [
        {},
        { connection: "two words" },
        { connection: "docs", auth: { type: "job" } },
        { connection: "docs", headers: { a: "b" } },
      ]) {
        const answer = await job.submit(body(docs));
        expect([answer.status, docs]).toEqual([400, docs]);
      }
      gate.open.resolve();
      await fixture.call(`/v1/agents/${job.exchanged.agent_id}`, {
        method: "PATCH",
        bearer: key.secret,
        json: { ci_policy: { mcp_servers: "repository" } },
      });
      const runId = await submit(job, { message: "Go on.", egress: pair.hosts });
      expect(JSON.stringify(await job.follow(runId))).toContain(
        '.mcp.json: \\"docs\\" .connection is refused',
      );
    });
  });
});
