// Runs on a service whose job brings access tokens for their MCP servers: sealed, used, renewed, refused, and gone with the run.

import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import type { Claims } from "../../fakes/issuer/claims.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { makeTestKey, operateOn, type TestKey } from "../support/account-key.ts";
import type { ServiceFixture } from "../support/fixtures/service-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { type OpenedGuarded, openGuardedServer } from "../support/mcp/guarded-server.ts";
import { dumpPlace } from "../support/service-dump.ts";
import { CiJob } from "../support/service-job.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const KEY = "sk-the-models-key-0123456789";
const REPOSITORY = "octo-org/octo-repo";
const HOUR_MS = 3_600_000;

onEveryStore((store) => {
  describe("access tokens for MCP servers that a job brings", () => {
    let folder: string;
    let repository: TestRepository;
    let model: ModelServer;
    let fixture: ServiceFixture;
    let key: TestKey;
    let subject: Claims;
    let server: OpenedGuarded;
    const gate = { open: Promise.withResolvers<void>() };

    beforeEach(async () => {
      gate.open = Promise.withResolvers<void>();
      folder = await mkdtemp(join(tmpdir(), "mcp-access-"));
      repository = new TestRepository(folder, "octo-repo.git");
      repository.commit({ files: { "README.md": "# Octo repo\n" } });
      server = await openGuardedServer({});
    });
    afterEach(async () => {
      await fixture?.close();
      await model?.close();
      await server.close();
      await rm(folder, { recursive: true, force: true });
    });

    async function start(settings: Readonly<Record<string, string>> = {}): Promise<void> {
      const again = call("mcp__docs__lookup", { word: "again" });
      const held = async () => {
        await gate.open.promise;
        return again;
      };
      model = await startModelServer({
        script: byTurn([call("mcp__docs__lookup", { word: "tree" }), held, say("Done.")]),
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
          EGRESS: server.hosts[0] ?? "",
          EGRESS_PRIVATE_HOSTS: "localhost=127.0.0.0/8",
          RUN_SECRETS_KEY: randomBytes(32).toString("base64"),
          ...settings,
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
    }

    async function jobOf(more: Claims = {}): Promise<CiJob> {
      const json = { subject_token: fixture.mint({ ...subject, ...more }), account: key.accountId };
      const answer = await fixture.call("/v1/ci/oidc/exchange", { method: "POST", json });
      return new CiJob({ fixture, exchanged: exchangeResponseSchema.parse(answer.body) });
    }

    const access = (token = server.guarded.give(), ms = HOUR_MS) => ({
      access_token: token,
      expires_at: new Date(fixture.clock.now() + ms).toISOString(),
    });
    const body = (docs: object) => ({
      message: "Go on.",
      egress: [server.hosts[0]],
      mcp_servers: { docs: { url: server.url, auth: { type: "job" } } },
      mcp_access: { docs },
    });
    const renew = (docs: object, name = "docs") => ({
      method: "PUT",
      json: { mcp_access: { [name]: docs } },
    });
    const codeOf = (answer: { status: number; body: unknown }) => {
      const { code, reason } = answer.body as { code: string; reason?: string };
      return [answer.status, code, reason];
    };

    it("are sent to their server alone, from the next call on the newer one, and are gone with the run", async () => {
      await start();
      const [first, newer] = [access(), access(undefined, 2 * HOUR_MS)];
      const job = await jobOf();
      const answer = await job.submit(body(first));
      expect(answer.status, answer.text).toBe(202);
      const { run_id: runId } = submitRunResponseSchema.parse(answer.body);
      await model.arrival(2);
      const stored = await fixture.place.query("select run_id, sealed from run_secrets");
      expect(stored).toMatchObject([{ run_id: `${runId}:mcp` }]);
      const path = `/v1/ci/runs/${runId}/mcp-access`;
      expect((await job.call(path, renew(newer))).status).toBe(204);
      // The same again, and one that ends sooner, change nothing.
      expect((await job.call(path, renew(newer))).status).toBe(204);
      expect((await job.call(path, renew(first))).status).toBe(204);
      gate.open.resolve();
      const events = JSON.stringify(await job.follow(runId));
      expect(await job.run(runId)).toMatchObject({ status: "completed" });
      expect(model.toolResults().map(({ text }) => text.split("\n")[1])).toEqual([
        "tree means TREE",
        "again means AGAIN",
      ]);
      expect(server.guarded.authorizations.at(-1)).toBe(`Bearer ${newer.access_token}`);
      expect(server.guarded.asked).toEqual([]);
      expect(events).toContain("access token of its authorization server, brought by the job");
      expect(await fixture.place.query("select run_id from run_secrets")).toEqual([]);
      expect(codeOf(await job.call(path, renew(access())))).toEqual([409, "run_finished", undefined]);
      const seen = [
        events,
        fixture.logText(),
        await dumpPlace(fixture.place),
        JSON.stringify(model.requests),
      ];
      for (const { access_token } of [first, newer]) expect(seen.join("\n")).not.toContain(access_token);
    });

    it("are renewed by jobs of the same CI run alone, and for servers that had one", async () => {
      await start();
      const job = await jobOf();
      const { run_id: runId } = submitRunResponseSchema.parse((await job.submit(body(access()))).body);
      await model.arrival(2);
      const path = `/v1/ci/runs/${runId}/mcp-access`;
      const later = await jobOf({ run_id: "424242" });
      expect(codeOf(await later.call(path, renew(access())))).toEqual([403, "forbidden", undefined]);
      expect(codeOf(await job.call(path, renew(access(), "other")))).toEqual([
        409,
        "mcp_access_none",
        undefined,
      ]);
      expect(codeOf(await job.call(path, renew(access("t", -1_000))))).toEqual([
        400,
        "model_access_refused",
        "access_expired",
      ]);
      expect(codeOf(await job.call(path, renew({ ...access(), access_token: "two words" })))).toEqual([
        400,
        "invalid_request",
        undefined,
      ]);
      gate.open.resolve();
      await job.ended(runId);
    });

    it("fail a call where they are refused in mid-run, and not the run", async () => {
      await start();
      const job = await jobOf();
      const { run_id: runId } = submitRunResponseSchema.parse((await job.submit(body(access()))).body);
      await model.arrival(2);
      server.guarded.revoke();
      gate.open.resolve();
      expect(await job.ended(runId)).toMatchObject({ status: "completed" });
      expect(model.toolResults().at(-1)?.text).toContain(
        "The MCP server docs failed: it refuses the access token that the job brought",
      );
    });

    it("are not taken without a server, a job, or time", async () => {
      await start();
      const job = await jobOf();
      const unnamed = await job.submit({ ...body(access()), mcp_access: { other: access() } });
      expect(codeOf(unnamed)).toEqual([400, "model_access_refused", "mcp_access_unknown"]);
      const open = { docs: { url: server.url } };
      const plain = await job.submit({ ...body(access()), mcp_servers: open });
      expect(codeOf(plain)).toEqual([400, "model_access_refused", "mcp_access_unknown"]);
      expect(codeOf(await job.submit(body(access("t", 10_000))))).toEqual([
        400,
        "model_access_refused",
        "access_ending",
      ]);
      const account = await fixture.call(`/v1/agents/${job.exchanged.agent_id}/runs`, {
        method: "POST",
        bearer: key.secret,
        json: body(access()),
      });
      expect(codeOf(account)).toEqual([403, "forbidden", undefined]);
      const secret = {
        type: "client_credentials",
        client_id: "c",
        client_secret: "s",
        issuer: "https://a.example",
      };
      const sent = await job.submit({
        ...body(access()),
        mcp_servers: { docs: { url: server.url, auth: secret } },
      });
      expect(codeOf(sent)).toEqual([400, "invalid_request", undefined]);
      expect(await fixture.place.query("select id from runs")).toEqual([]);
      expect(await fixture.place.query("select run_id from run_secrets")).toEqual([]);
    });

    it("are replaced by those of a repeated request, and make no other run of it", async () => {
      await start();
      const job = await jobOf();
      const idempotency_key = "build-4711";
      const first = submitRunResponseSchema.parse(
        (await job.submit({ ...body(access()), idempotency_key })).body,
      );
      await model.arrival(2);
      const newer = access(undefined, 2 * HOUR_MS);
      const again = await job.submit({ ...body(newer), idempotency_key });
      expect(submitRunResponseSchema.parse(again.body).run_id).toBe(first.run_id);
      gate.open.resolve();
      await job.ended(first.run_id);
      expect(server.guarded.authorizations.at(-1)).toBe(`Bearer ${newer.access_token}`);
    });
  });
});
