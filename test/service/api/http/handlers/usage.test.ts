// The ledger and the usage of an account over HTTP: its own alone, summed by the database, within bounds.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ledgerSchema,
  MAX_USAGE_ROWS,
  type UsageBy,
  usageBys,
  usageSchema,
} from "../../../../../src/contract/money/usage.ts";
import { grantCredits } from "../../../../../src/service/core/accounts/keys.ts";
import { accountWallet } from "../../../../../src/service/core/money/ledger.ts";
import { pullReviewRow } from "../../../../../src/service/store/pull-reviews.ts";
import { runRow } from "../../../../../src/service/store/run-rows.ts";
import { dialectOf, reviewsStatement, sumStatement } from "../../../../../src/service/store/usage.ts";
import { insertEndedRun } from "../../../../support/ended-runs.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { reportReview } from "../../../../support/reported-reviews.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { type HttpApi, openHttpApi } from "../../../../support/service-api.ts";
import { call } from "../../../../support/service-client.ts";
import { compileFor } from "../../../../support/stores/compile-for.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

const SPAN = "from=2026-03-01&to=2026-03-03";
const COPIES = 20_000;

onEveryStore((kind) => {
  describe("usage", () => {
    let core: CoreFixture;
    let api: HttpApi;
    let account: TestAccount;
    let other: TestAccount;
    let reviewing: TestAccount;

    beforeAll(async () => {
      core = await startFixture({ level: "core", store: kind });
      api = await openHttpApi(core);
      account = await makeAccount(core);
      other = await makeAccount(core);
      reviewing = await makeAccount(core);
      const octo = { repository: "github:octo/hello", startedBy: "github:12" };
      const parentRunId = await insertEndedRun(core, account, {
        ...{ at: "2026-03-01T23:59:59.999Z", model: "large-1", tokens: 100, grossMicroUsd: 90_000 },
        ...{ checks: "passed", ...octo },
      });
      const repository = "github:octo/quiet";
      // Two rounds of a pull request.
      for (const [day, counts] of [
        ["2026-03-01", { new: 4 }],
        ["2026-03-02", { new: 1, fixed: 2, declined: 1, withdrawn: 1 }],
      ] as const) {
        const at = `${day}T20:00:00.000Z`;
        const runId = await insertEndedRun(core, reviewing, { at, model: "large-1", repository });
        await reportReview(core, { agentId: reviewing.agent.id, runId, counts });
      }
      // Its child: another model, and the next day.
      await insertEndedRun(core, account, {
        ...{ at: "2026-03-02T00:00:00.000Z", model: "small-1", tokens: 10, grossMicroUsd: 8_333 },
        ...{ checks: "failed", parentRunId, origin: "agent", ...octo },
      });
      await insertEndedRun(core, account, {
        ...{ at: "2026-03-02T12:00:00.000Z", model: "\ud83d\0 odd", tokens: 5, grossMicroUsd: 20_000 },
        ...{ refundedMicroUsd: 20_000, refundReason: "stalled", checks: "none" },
        ...{ status: "failed", cause: "stalled" },
      });
      await insertEndedRun(core, account, {
        ...{ at: "2026-03-02T13:00:00.000Z", status: "cancelled", cause: "user_stop", usage: null },
      });
      await insertEndedRun(core, account, { at: "2026-03-04T00:00:00.000Z", grossMicroUsd: 1 });
      await insertEndedRun(core, other, { at: "2026-03-02T12:00:00.000Z", grossMicroUsd: 7, tokens: 7 });
    });

    afterAll(() => api.close());

    const ask = (path: string, bearer = account.owner) => call(`${api.url}/v1/account/${path}`, { bearer });
    const usage = async (query: string, bearer?: string) => {
      const answer = await ask(`usage?${query}`, bearer);
      expect(answer.status, answer.text).toBe(200);
      return usageSchema.parse(answer.body);
    };
    const rowsBy = async (by: UsageBy) =>
      (await usage(`${SPAN}&by=${by}`)).rows.map(({ key, gross_micro_usd, tokens }) => [
        key,
        gross_micro_usd,
        tokens,
      ]);

    it("is of each day on which runs ended, children on their own day", async () => {
      const { rows, total, others } = await usage(SPAN);
      expect(rows.map(({ key }) => key)).toEqual(["2026-03-01", "2026-03-02", "2026-03-03"]);
      expect(rows[0]).toMatchObject({
        runs: { completed: 1, failed: 0, cancelled: 0, delegated: 0 },
        checks: { passed: 1, failed: 0, none: 0 },
        ...{ tokens: 100, gross_micro_usd: 90_000, refunded_micro_usd: 0, credits: 10.8 },
      });
      expect(rows[1]).toMatchObject({
        runs: { completed: 0, failed: 1, cancelled: 1, delegated: 1 },
        checks: { passed: 0, failed: 0, none: 1 },
        ...{ tokens: 15, gross_micro_usd: 28_333, refunded_micro_usd: 20_000 },
      });
      expect(total).toMatchObject({ tokens: 115, gross_micro_usd: 118_333, refunded_micro_usd: 20_000 });
      expect(others).toBeNull();
    });

    it("is by agent, repository, model, person and origin, the dearest first", async () => {
      expect(await rowsBy("agent")).toEqual([[account.agent.id, 118_333, 115]]);
      expect(await rowsBy("repository")).toEqual([
        ["github:octo/hello", 98_333, 110],
        [null, 20_000, 5],
      ]);
      expect(await rowsBy("person")).toEqual([
        ["github:12", 98_333, 110],
        [null, 20_000, 5],
      ]);
      expect(await rowsBy("model")).toEqual([
        ["large-1", 90_000, 100],
        ["small-1", 8_333, 10],
        expect.anything(),
        expect.anything(),
      ]);
      expect(await rowsBy("origin")).toEqual([
        ["user", 110_000, 105],
        ["agent", 8_333, 10],
      ]);
      const totals = await Promise.all(usageBys.map(async (by) => (await usage(`${SPAN}&by=${by}`)).total));
      for (const total of totals) expect(total).toEqual(totals[0]);
    });

    it("has the reviews of pull requests, where the newest one is", async () => {
      const reviews = {
        ...{ pull_requests: 1, reviews: 2, found: 5, fixed: 2, declined: 1, withdrawn: 1, open: 1 },
        resolution_rate: 0.5,
      };
      const none = {
        ...{ pull_requests: 0, reviews: 0, found: 0, fixed: 0, declined: 0, withdrawn: 0, open: 0 },
        resolution_rate: null,
      };
      const read = async (query: string) => {
        const { rows, total } = await usage(query, reviewing.owner);
        return [...rows.map((row) => [row.key, row.reviews]), total.reviews];
      };
      expect(await read(SPAN)).toEqual([
        ["2026-03-01", none],
        ["2026-03-02", reviews],
        ["2026-03-03", none],
        reviews,
      ]);
      expect(await read("from=2026-03-01&to=2026-03-01")).toEqual([["2026-03-01", none], none]);
      expect(await read(`${SPAN}&by=agent`)).toEqual([[reviewing.agent.id, reviews], reviews]);
      expect(await read(`${SPAN}&by=repository`)).toEqual([["github:octo/quiet", reviews], reviews]);
      // A round has a model, a person and an origin; its counts are of the rounds before it, too.
      for (const [by, key] of [
        ["model", "large-1"],
        ["person", null],
        ["origin", "user"],
      ])
        expect(await read(`${SPAN}&by=${by}`), `${by}`).toEqual([[key, null], reviews]);
      expect((await usage(`${SPAN}&agent_id=${other.agent.id}`, reviewing.owner)).total.reviews).toEqual(
        none,
      );
      expect((await usage(SPAN)).total.reviews).toEqual(none);
    });

    it("is of one agent, and of the last 30 days where nothing is said", async () => {
      expect((await usage(`${SPAN}&agent_id=${account.agent.id}`)).total.tokens).toBe(115);
      expect((await usage(`${SPAN}&agent_id=${other.agent.id}`)).total.tokens).toBe(0);
      const { from, to, rows } = await usage("");
      expect(to).toBe(new Date(core.clock.now()).toISOString().slice(0, 10));
      expect([rows.length, rows[0]?.key]).toEqual([30, from]);
    });

    it("is of the account that asks alone", async () => {
      expect((await usage(SPAN, other.owner)).total).toMatchObject({ tokens: 7, gross_micro_usd: 7 });
      expect((await usage(SPAN, account.aiClient)).total.tokens).toBe(115);
      expect((await call(`${api.url}/v1/account/usage`)).status).toBe(401);
    });

    it.each(["from=2026-03-02&to=2026-03-01", "from=2025-01-01&to=2026-01-02", "from=2026-02-30", "by=hour"])(
      "refuses %s",
      async (query) => {
        expect(await ask(`usage?${query}`)).toMatchObject({ status: 400, body: { code: "invalid_request" } });
      },
    );

    it("has days of a whole year, and no more rows of anything else than its bound", async () => {
      expect((await usage("from=2025-01-01&to=2026-01-01")).rows).toHaveLength(366);
      const wide = await makeAccount(core);
      const cheapest: string[] = [];
      for (let index = 0; index < MAX_USAGE_ROWS + 5; index += 1) {
        const runId = await insertEndedRun(core, wide, {
          ...{ at: "2026-03-02T12:00:00.000Z", repository: `github:octo/${index}`, grossMicroUsd: index + 1 },
        });
        if (index < 6) cheapest.push(runId);
      }
      const { rows, others, total } = await usage(`${SPAN}&by=repository`, wide.owner);
      expect([rows.length, rows[0]?.key]).toEqual([MAX_USAGE_ROWS, "github:octo/204"]);
      expect(others).toMatchObject({ runs: { completed: 5 }, gross_micro_usd: 1 + 2 + 3 + 4 + 5 });
      expect(total.gross_micro_usd).toBe((205 * 206) / 2);
      // The reviews of the repositories that have no row of their own.
      for (const [index, runId] of cheapest.entries())
        await reportReview(core, {
          agentId: wide.agent.id,
          runId,
          counts: { pull_request: index + 1, fixed: 1 },
        });
      const reviewed = await usage(`${SPAN}&by=repository`, wide.owner);
      expect(reviewed.others?.reviews).toMatchObject({ pull_requests: 5, fixed: 5 });
      expect(reviewed.rows.at(-1)?.reviews).toMatchObject({ pull_requests: 1, fixed: 1 });
      expect(reviewed.total.reviews).toMatchObject({ pull_requests: 6, fixed: 6, resolution_rate: 1 });
    });

    it("reads the runs of one account and its days by an index", async () => {
      if (kind.name === "PostgreSQL") await fillRuns(core);
      for (const by of usageBys) {
        const query = {
          billingAccount: accountWallet(account.id),
          ...{ agentId: null, since: Date.parse("2026-03-01"), until: Date.parse("2026-03-04") },
          ...{ by, maxGroups: MAX_USAGE_ROWS },
        };
        const dialect = dialectOf({ hasRowLocks: kind.name === "PostgreSQL" });
        const text = compileFor(kind, sumStatement(query, dialect));
        const plan = JSON.stringify(
          await core.place.query(`explain ${kind.name === "SQLite" ? "query plan " : ""}${text}`),
        );
        expect(plan).toMatch(/USING INDEX runs_ended|Index Scan/);
        expect(plan).not.toMatch(/SCAN (runs|pull_reviews)|Seq Scan on (runs|pull_reviews)/);
      }
      const span = { billingAccount: accountWallet(account.id), agentId: null, since: 0, until: 1 };
      const text = compileFor(kind, reviewsStatement(span));
      const plan = JSON.stringify(
        await core.place.query(`explain ${kind.name === "SQLite" ? "query plan " : ""}${text}`),
      );
      expect(plan).toMatch(/USING INDEX pull_reviews_ended|Index Scan/);
    });
  });

  describe("a ledger over HTTP", () => {
    let core: CoreFixture;
    let api: HttpApi;

    beforeAll(async () => {
      core = await startFixture({ level: "core", store: kind });
      api = await openHttpApi(core);
    });
    afterAll(() => api.close());

    it("is read page by page, of the account that asks alone", async () => {
      const [mine, theirs] = [await makeAccount(core), await makeAccount(core)];
      for (const credits of [1, 2, 3]) {
        core.clock.advance(1);
        await grantCredits(core.core, { accountId: mine.id, credits });
      }
      const read = async (query: string, bearer = mine.owner) => {
        const answer = await call(`${api.url}/v1/account/ledger${query}`, { bearer });
        expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
        return ledgerSchema.parse(answer.body);
      };
      const whole = await read("");
      expect(whole.lines.slice(0, 3).map(({ micro_usd }) => micro_usd)).toEqual([25_000, 16_667, 8_334]);
      const first = await read("?limit=2");
      const second = await read(`?limit=500&before=${first.next}`);
      expect([...first.lines, ...second.lines]).toEqual(whole.lines);
      expect([second.balance_micro_usd, second.opening_micro_usd, second.next]).toEqual([
        first.opening_micro_usd,
        0,
        null,
      ]);
      const foreign = await read(`?before=${first.next}`, theirs.owner);
      expect(foreign).toEqual({ balance_micro_usd: 0, opening_micro_usd: 0, lines: [], next: null });
      expect((await call(`${api.url}/v1/account/ledger`)).status).toBe(401);
    });
  });
});

/** PostgreSQL reads a small table whole, whatever indexes it has. */
async function fillRuns({ place }: CoreFixture): Promise<void> {
  const { columns } = runRow;
  const reviews = pullReviewRow.columns;
  const copied = columns.map((name) => (name === "id" || name === "payer" ? `${name} || '-' || n` : name));
  await place.query(
    `insert into runs (${columns}) select ${copied} from (select * from runs where ended_at is not null limit 1) as one
      cross join generate_series(1, ${COPIES}) as numbers (n)`,
  );
  await place.query(
    `insert into pull_reviews (${reviews}) select ${reviews.map((name) => (name === "billing_account" ? `${name} || '-' || n` : `"${name}"`))}
      from (select * from pull_reviews limit 1) as one cross join generate_series(1, ${COPIES}) as numbers (n)`,
  );
  for (const table of ["runs", "pull_reviews"]) await place.query(`analyze ${table}`);
}
