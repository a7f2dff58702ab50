// Runs that bring their own access to a model, on the built service: as one process on SQLite, and as three on PostgreSQL.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { answer, call, type Step, say, think } from "../../fakes/model-server/turn.ts";
import type { ModelAccess } from "../../src/contract/runs/model-access.ts";
import type { Role } from "../../src/service/settings/service-settings.ts";
import { BroughtFixture } from "../support/fixtures/brought-fixture.ts";
import { call as send } from "../support/service-client.ts";
import type { CiJob } from "../support/service-job.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import { sqliteStore } from "../support/stores/stores.ts";

const bearerOf = ({ headers }: ModelRequest) => headers.authorization;

/** All that a model could do to leave a text behind. */
function spread(text: string) {
  return [
    think(text),
    call("write_file", { path: "leak.txt", content: `${text}\n` }),
    call("write_file", { path: `${text.slice(7)}.txt`, content: "named\n" }),
    call("search", { pattern: text.slice(7), literal: true }),
    call("delegate", { task: `Remember ${text}.` }),
  ];
}

/** What a run's message makes the model do. A gate holds an answer back until the test opens it. */
class Play {
  readonly gates = new Map<string, PromiseWithResolvers<void>>();

  gate(name: string): PromiseWithResolvers<void> {
    const known = this.gates.get(name) ?? Promise.withResolvers<void>();
    this.gates.set(name, known);
    return known;
  }

  readonly script = everyTime((request): Step => {
    const story = /\[(\w+) (\w+)\]/.exec(request.firstUserMessage);
    const [, what = "", gate = ""] = story ?? [];
    // It says what it should never have been told.
    const tell = say(`Asked with ${bearerOf(request)}.`);
    if (what === "spread" && request.assistantTurns === 0) return answer(spread(String(bearerOf(request))));
    if (what !== "gated" || request.assistantTurns > 0) return answer([tell]);
    const held = async () => {
      await this.gate(gate).promise;
      return answer([tell, call("read_file", { path: "a.txt" })]);
    };
    return held;
  });
}

function renewal({ access_token, expires_at }: ModelAccess) {
  return { method: "PUT", json: { access_token, expires_at } };
}

function secondsAfter({ expires_at }: ModelAccess, seconds: number): string {
  return new Date(Date.parse(expires_at) + seconds * 1_000).toISOString();
}

async function errorOf(job: CiJob, runId: string) {
  const events = await job.follow(runId);
  return events.map(({ event }) => event).find(({ type }) => type === "RUN_ERROR");
}

onEveryStore((store) => {
  const isShared = store.name !== "SQLite";
  const roles: readonly Role[] = isShared ? ["api", "api", "worker"] : ["all"];
  /** Where a request goes that is not to reach the node of the one before it. */
  const other = isShared ? 1 : 0;
  const worker = roles.length - 1;

  describe("runs that bring access to a model", () => {
    const play = new Play();
    let fixture: BroughtFixture;
    beforeAll(async () => {
      fixture = await BroughtFixture.start({
        store,
        roles,
        where: "process",
        script: play.script,
        settings: { MAX_RUNNING_RUNS: "2" },
      });
    });
    afterAll(() => fixture.close());

    const requestsWith = ({ access_token }: ModelAccess) =>
      fixture.house.model.requests.filter((request) => bearerOf(request) === `Bearer ${access_token}`);

    /** Resolves once the house was asked with this token. */
    async function untilAskedWith(access: ModelAccess): Promise<void> {
      for (let next = 1; requestsWith(access).length === 0; next += 1)
        await fixture.house.model.arrival(next);
    }

    it("are executed by that model at its own host, though no model is configured, for the fee alone", async () => {
      const access = await fixture.access();
      const job = await fixture.job();
      const runId = await fixture.submit(job, "Say it.", access);
      const events = await job.follow(runId);
      const run = await job.run(runId);
      expect(run).toMatchObject({
        status: "completed",
        credits: 1,
        tokens: 120,
        model_billing: "repository",
        usage_by_role: { executor: { tokens: 120, calls: 1, micro_usd: 8_333 } },
      });
      const [request] = requestsWith(access);
      expect(request).toMatchObject({ wire: "anthropic", model: "claude-x" });
      expect(String(request?.headers["anthropic-beta"])).toContain("oauth-2025-04-20");
      const text = JSON.stringify(events);
      const said = events.map(({ event }) => ("delta" in event ? event.delta : "")).join("");
      expect(said).toBe("Asked with Bearer ***.");
      expect(text).toContain('"model_billing":"repository"');
      expect(text).not.toContain(access.access_token);
      expect(fixture.house.refusedCalls).toEqual([]);
    });

    it.each([
      ["openai", "openai-responses"],
      ["openrouter", "openai-chat"],
    ] as const)("reach %s, too", async (provider, wire) => {
      const access = await fixture.access(provider, "some/model");
      const job = await fixture.job();
      const run = await job.ended(await fixture.submit(job, `Say it to ${provider}.`, access));
      expect(run).toMatchObject({ status: "completed", model_billing: "repository" });
      expect(requestsWith(access)).toMatchObject([{ wire, model: "some/model" }]);
      expect(fixture.house.refusedCalls).toEqual([]);
    });

    it("use from the next request on the token that was renewed through another node", async () => {
      const first = await fixture.access();
      const job = await fixture.job();
      const runId = await fixture.submit(job, "[gated renewed]", first);
      await untilAskedWith(first);
      // Lives are whole seconds: of two that are given at nearly the same time, either may end last, and that one is kept.
      const newer = { ...(await fixture.access()), expires_at: secondsAfter(first, 2) };
      const path = `/v1/ci/runs/${runId}/model-access`;
      const renewed = await fixture.through(other, job).call(path, renewal(newer));
      expect([renewed.status, renewed.text]).toEqual([204, ""]);
      play.gate("renewed").resolve();
      const events = await job.follow(runId);
      expect(await job.run(runId)).toMatchObject({ status: "completed" });
      expect(requestsWith(newer)).toHaveLength(1);
      expect(JSON.stringify(events)).not.toMatch(/sk-ant-oat01|oat_/);
      const late = await job.call(path, renewal(await fixture.access()));
      expect([late.status, late.body]).toMatchObject([409, { code: "run_finished" }]);
    });

    it("are not renewed by another repository, another CI run, for nothing, or with what has ended", async () => {
      const access = await fixture.access();
      const job = await fixture.job();
      const runId = await fixture.submit(job, "[gated refused]", access);
      await untilAskedWith(access);
      const path = (id: string) => `/v1/ci/runs/${id}/model-access`;
      const newer = await fixture.access();
      const refusal = async (as: CiJob, id: string, change: Partial<ModelAccess> = {}) => {
        const { status, body } = await as.call(path(id), renewal({ ...newer, ...change }));
        return [
          status,
          (body as { code: string; reason?: string }).code,
          (body as { reason?: string }).reason,
        ];
      };
      const stranger = await fixture.job({
        repository: "octo/other",
        repository_id: "99",
        repository_owner_id: "98",
      });
      const later = await fixture.job({ run_id: "424242" });
      expect(await refusal(stranger, runId)).toEqual([403, "forbidden", undefined]);
      expect(await refusal(later, runId)).toEqual([403, "forbidden", undefined]);
      expect(await refusal(job, "01900000-0000-7000-8000-000000000000")).toEqual([
        404,
        "not_found",
        undefined,
      ]);
      const past = { expires_at: new Date(Date.now() - 1_000).toISOString() };
      expect(await refusal(job, runId, past)).toEqual([400, "model_access_refused", "access_expired"]);
      expect(await refusal(job, runId, { access_token: "two words" })).toEqual([
        400,
        "invalid_request",
        undefined,
      ]);
      const url = `${fixture.nodes[0]?.url}${path(runId)}`;
      expect((await send(url, renewal(newer))).status).toBe(401);
      play.gate("refused").resolve();
      expect(await job.ended(runId)).toMatchObject({ status: "completed" });
      expect(requestsWith(newer)).toEqual([]);
    });

    it("leave nothing behind of a model that repeats its token wherever it can", async () => {
      const access = await fixture.access();
      const job = await fixture.job();
      const runId = await fixture.submit(job, "[spread it]", access);
      const events = await job.follow(runId);
      expect(await job.run(runId)).toMatchObject({ status: "completed" });
      const text = JSON.stringify(events);
      expect(text).toContain("leak.txt");
      expect(text).toContain("+Bearer ***");
      expect(text).not.toContain(access.access_token);
      const [child] = await fixture.place.query(
        `select input from run_inputs where run_id in (select id from runs where parent_run_id = '${runId}')`,
      );
      expect(String(child?.input)).toContain("Remember Bearer ***.");
    });

    it("hold their budget of tokens", async () => {
      const access = await fixture.access();
      const job = await fixture.job();
      const submitted = await job.submit({ message: "Little.", max_turn_tokens: 1, model_access: access });
      const run = await job.ended((submitted.body as { run_id: string }).run_id);
      expect(run).toMatchObject({
        status: "failed",
        stop_reason: "max_tokens",
        model_billing: "repository",
      });
      expect(requestsWith(access)).toEqual([]);
    });

    it("leave no token behind, in the middle of a run and after it, but sealed in the table that is for it", async () => {
      const access = await fixture.access();
      const job = await fixture.job();
      const runId = await fixture.submit(job, "[gated middle]", access);
      await untilAskedWith(access);
      const rows = await fixture.place.query("select run_id, sealed from run_secrets");
      const own = rows.filter(({ run_id }) => run_id === runId);
      expect(own).toEqual([{ run_id: runId, sealed: expect.stringMatching(/^v1\.[0-9a-f]{8}\./) }]);
      expect(JSON.stringify(rows)).not.toContain(access.access_token.slice(0, 20));
      play.gate("middle").resolve();
      await job.ended(runId);
      expect(await fixture.place.query("select run_id from run_secrets")).toEqual([]);
    });

    it("outlive their process: its next one has the key that sealed their token", async () => {
      const access = await fixture.access();
      const job = await fixture.job();
      const running = [
        await fixture.submit(job, "[gated killed]", access),
        await fixture.submit(job, "[gated killed] too", access),
      ];
      for (const runId of running) await job.readUntil(runId, ({ event }) => event.type === "RUN_STARTED");
      const queued = await fixture.submit(job, "Say it later.", access);
      await fixture.startAgain(worker);
      const again = fixture.through(0, job);
      play.gate("killed").resolve();
      for (const runId of running) {
        expect(await again.ended(runId)).toMatchObject({ status: "completed", model_billing: "repository" });
      }
      expect(await again.ended(queued)).toMatchObject({ status: "completed", model_billing: "repository" });
      expect(await fixture.place.query("select run_id from run_secrets")).toEqual([]);
    });

    it("have told nobody else", async () => {
      const left = await fixture.leftBehind();
      expect(fixture.house.secrets().length).toBeGreaterThan(8);
      for (const secret of fixture.house.secrets()) {
        expect(left.includes(secret)).toBe(false);
        expect(left.includes(Buffer.from(secret).toString("base64").slice(0, 40))).toBe(false);
      }
      expect(left).toContain("run ended");
      expect(fixture.collector.spans.length).toBeGreaterThan(0);
      const hosts = ["api.anthropic.com:443", "api.openai.com:443", "openrouter.ai:443"];
      expect(fixture.house.tunnels.filter((tunnel) => !hosts.includes(tunnel))).toEqual([]);
    });
  });
});

it("end with a process on SQLite that has no key of its operator, and say so", async () => {
  const play = new Play();
  const settings = { MAX_RUNNING_RUNS: "1", RUN_SECRETS_KEY: "" };
  const fixture = await BroughtFixture.start({
    store: sqliteStore,
    where: "process",
    script: play.script,
    settings,
  });
  try {
    const access = await fixture.access();
    const job = await fixture.job();
    const running = await fixture.submit(job, "[gated killed]", access);
    await job.readUntil(running, ({ event }) => event.type === "RUN_STARTED");
    const queued = await fixture.submit(job, "Say it later.", access);
    expect(await fixture.place.query("select run_id from run_secrets")).toEqual([]);
    await fixture.startAgain(0);
    const again = fixture.through(0, job);
    play.gate("killed").resolve();
    for (const runId of [running, queued]) {
      const ended = { status: "failed", cause: "interrupted", retryable: true, credits: 0 };
      expect(await again.ended(runId)).toMatchObject(ended);
    }
    expect(await errorOf(again, queued)).toMatchObject({
      message: expect.stringMatching(/^The service was restarted while this run waited\./),
    });
  } finally {
    await fixture.close();
  }
});
