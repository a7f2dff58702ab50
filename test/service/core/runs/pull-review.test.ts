// What reviews have made of a pull request, on every store: the counts of its newest run, whatever the order and the number of reports.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { UsageBy } from "../../../../src/contract/money/usage.ts";
import { accountItself } from "../../../../src/service/core/accounts/caller.ts";
import { deleteAgent } from "../../../../src/service/core/agent-endings/delete-agent.ts";
import { accountWallet } from "../../../../src/service/core/money/ledger.ts";
import { RunExpiry } from "../../../../src/service/core/runs/expire-runs.ts";
import { noSums, readUsage } from "../../../../src/service/core/usage/read-usage.ts";
import type { ReviewSums } from "../../../../src/service/core/usage/store-port.ts";
import { insertEndedRun } from "../../../support/ended-runs.ts";
import type { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../support/fixtures/start-fixture.ts";
import { type ReportedCounts, reportReview } from "../../../support/reported-reviews.ts";
import { makeAccount, type TestAccount } from "../../../support/service-account.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.parse("2026-03-01");
const DAYS = 4;
const HISTORIES = { sqlite: 300, postgres: 80 };
const SEED = 20_261_128;

onEveryStore((kind) => {
  let fixture: CoreFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "core", store: kind });
  });
  afterAll(() => fixture.close());

  const rowsOf = async (account: TestAccount) =>
    (
      await fixture.place.query(
        `select * from pull_reviews where billing_account = '${accountWallet(account.id)}' order by pull_request`,
      )
    ).map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          /^\d+$/.test(String(value)) ? Number(value) : value,
        ]),
      ),
    );

  describe("reviews of a pull request", () => {
    let account: TestAccount;
    let agentId: string;
    beforeAll(async () => {
      account = await makeAccount(fixture);
      agentId = account.agent.id;
    });
    const runAt = (at: string, more: object = {}) =>
      insertEndedRun(fixture, account, { at, repository: "github:octo/hello", ...more });
    const report = (runId: string, counts: ReportedCounts | null, attempt = "1") =>
      reportReview(fixture, { agentId, runId, counts, attempt });
    const ofPull = async (number: number) =>
      (await rowsOf(account)).find(({ pull_request }) => pull_request === number);

    it("have the counts of the newest round, and count the rounds", async () => {
      const first = await runAt("2026-03-01T10:00:00.000Z");
      expect(await report(first, { pull_request: 1, new: 3 })).toBe("ok");
      const row = { repository: "github:octo/hello", run_id: first, rounds: 1, open: 3, fixed: 0 };
      expect(await ofPull(1)).toMatchObject({
        ...{ ...row, ended_at: Date.parse("2026-03-01T10:00:00.000Z") },
        first_ended_at: Date.parse("2026-03-01T10:00:00.000Z"),
      });
      const second = await runAt("2026-03-02T10:00:00.000Z", { repository: "github:octo/renamed" });
      const counts = { pull_request: 1, new: 1, open: 1, fixed: 2, declined: 4, withdrawn: 5 };
      expect(await report(second, counts)).toBe("ok");
      const now = {
        ...{ repository: "github:octo/renamed", run_id: second, rounds: 2, open: 2, fixed: 2, declined: 4 },
        ...{ withdrawn: 5, first_ended_at: Date.parse("2026-03-01T10:00:00.000Z") },
        ended_at: Date.parse("2026-03-02T10:00:00.000Z"),
      };
      expect(await ofPull(1)).toMatchObject(now);
      expect(await report(second, counts), "again").toBe("ok");
      expect(await report(second, { ...counts, fixed: 9 }), "in other words").toBe("delivery_reported");
      expect(await ofPull(1)).toMatchObject(now);
    });

    it("are not those of an older round that reports late, which counts as a round", async () => {
      const [older, newer] = [
        await runAt("2026-03-01T11:00:00.000Z"),
        await runAt("2026-03-02T11:00:00.000Z", { repository: "github:octo/renamed" }),
      ];
      expect(await report(newer, { pull_request: 2, fixed: 3 })).toBe("ok");
      expect(await report(older, { pull_request: 2, new: 3 })).toBe("ok");
      expect(await ofPull(2)).toMatchObject({
        ...{ run_id: newer, rounds: 2, open: 0, fixed: 3, repository: "github:octo/renamed" },
        ...{ ended_at: Date.parse("2026-03-02T11:00:00.000Z") },
        first_ended_at: Date.parse("2026-03-01T11:00:00.000Z"),
      });
    });

    it("are those of a later attempt of the same job, which is no other round", async () => {
      const run = await runAt("2026-03-01T12:00:00.000Z");
      await report(run, { pull_request: 3, new: 3 });
      expect(await report(run, { pull_request: 3, open: 2, fixed: 1 }, "2")).toBe("ok");
      expect(await report(run, null, "3"), "could not read them").toBe("ok");
      expect(await ofPull(3)).toMatchObject({ rounds: 1, open: 2, fixed: 1 });
    });

    it("are none where the report has no counts, or the run is parked", async () => {
      const before = await rowsOf(account);
      await report(await runAt("2026-03-01T13:00:00.000Z"), null);
      const parked = await runAt("2026-03-01T13:00:00.000Z", {
        ...{ status: "running", endedAt: null, stopReason: "question" },
        parked: { reason: "question", since: 1, until: 2, usage: { roles: {}, advisor: null }, workedMs: 1 },
      });
      expect(await report(parked, { pull_request: 4, open: 1 })).toBe("ok");
      expect(await rowsOf(account)).toEqual(before);
    });

    it("are one row where two jobs report at the same time", async () => {
      for (let pull = 100; pull < 110; pull += 1) {
        const runs = [await runAt("2026-03-01T14:00:00.000Z"), await runAt("2026-03-01T14:00:01.000Z")];
        const reports = runs.map((runId, index) => report(runId, { pull_request: pull, fixed: index + 1 }));
        expect(await Promise.all(pull % 2 === 0 ? reports : reports.toReversed())).toEqual(["ok", "ok"]);
        expect(await ofPull(pull)).toMatchObject({ run_id: runs[1], rounds: 2, fixed: 2 });
      }
    });

    it("are an account's own where an agent changes hands", async () => {
      const [mine, theirs] = [await makeAccount(fixture), await makeAccount(fixture)];
      const first = await insertEndedRun(fixture, mine, { at: "2026-03-01T15:00:00.000Z" });
      await reportReview(fixture, { agentId: mine.agent.id, runId: first, counts: { new: 2 } });
      // The same agent's next run is another account's.
      const second = await insertEndedRun(
        fixture,
        { ...theirs, agent: mine.agent },
        { at: "2026-03-02T15:00:00.000Z" },
      );
      await reportReview(fixture, { agentId: mine.agent.id, runId: second, counts: { fixed: 2 } });
      expect(await rowsOf(mine)).toMatchObject([{ open: 2, fixed: 0, rounds: 1 }]);
      expect(await rowsOf(theirs)).toMatchObject([{ open: 0, fixed: 2, rounds: 1 }]);
    });
  });

  describe("the reviews of a deleted agent", () => {
    it("stay, as the records of its runs do", async () => {
      const account = await makeAccount(fixture);
      const agentId = account.agent.id;
      const runId = await insertEndedRun(fixture, account, { at: "2026-03-01T15:00:00.000Z" });
      await reportReview(fixture, { agentId, runId, counts: { fixed: 2 } });
      const caller = accountItself(account.id, "owner");
      expect(await deleteAgent(fixture.core, { caller, agentId, requestId: "request" })).toMatchObject({
        ok: true,
      });
      await new RunExpiry(fixture.core, { keptMs: 1_000 }).sweep();
      const { groups } = await readUsage(fixture.core, {
        caller,
        agentId: null,
        from: "2026-03-01",
        to: "2026-03-01",
        by: "agent",
      });
      expect(groups).toMatchObject([{ key: agentId, pullRequests: 1, findingsFixed: 2 }]);
    });
  });

  describe("any history of reviews", () => {
    it("sums by day, agent and repository as it was reported", async () => {
      const numRuns = kind.name === "SQLite" ? HISTORIES.sqlite : HISTORIES.postgres;
      for (const runs of fc.sample(history, { seed: SEED, numRuns })) await playHistory(fixture, runs);
    }, 900_000);
  });
});

type ReviewRun = {
  readonly day: number;
  readonly agent: 0 | 1;
  readonly account: 0 | 1;
  readonly repository: 0 | 1;
  /** Each of another attempt, or of the same one again. */
  readonly reports: readonly { readonly attempt: string; readonly counts: ReportedCounts | null }[];
};

const either = fc.constantFrom<0 | 1>(0, 1);
const count = fc.nat({ max: 5 });
const history: fc.Arbitrary<readonly ReviewRun[]> = fc.array(
  fc.record({
    day: fc.nat({ max: DAYS - 1 }),
    agent: either,
    account: either,
    repository: either,
    reports: fc.array(
      fc.record({
        attempt: fc.constantFrom("1", "2"),
        counts: fc.option(
          fc.record({
            pull_request: fc.constant(1),
            new: count,
            open: count,
            fixed: count,
            declined: count,
            withdrawn: count,
          }),
          { freq: 5 },
        ),
      }),
      { maxLength: 3 },
    ),
  }),
  { minLength: 1, maxLength: 6 },
);

type Known = {
  readonly run: number;
  readonly endedAt: number;
  readonly repository: string;
  rounds: number;
} & {
  readonly counts: Required<ReportedCounts>;
};

/** Runs in the order of their submissions report in another one, mixed. */
async function playHistory(fixture: CoreFixture, runs: readonly ReviewRun[]): Promise<void> {
  const accounts = [await makeAccount(fixture), await makeAccount(fixture)] as const;
  const agents = accounts.map(({ agent }) => agent);
  const model = new Map<string, Known>();
  const ids: string[] = [];
  for (const [index, { day, agent, account, repository }] of runs.entries()) {
    const payer = { ...accounts[account], agent: agents[agent] ?? accounts[account].agent };
    const endedAt = FIRST_DAY + day * DAY_MS + index;
    ids.push(
      await insertEndedRun(fixture, payer, {
        at: new Date(endedAt).toISOString(),
        id: fixture.core.random.uuid(FIRST_DAY + index * 1_000),
        repository: `github:octo/${repository}`,
      }),
    );
  }
  const said = runs.flatMap(({ reports }, run) => reports.map((report) => ({ run, ...report })));
  for (const { run, attempt, counts } of said.toSorted((one, other) => orderOf(one) - orderOf(other))) {
    const played = runs[run];
    if (played === undefined) throw new RangeError("There is no such run.");
    const answer = await reportReview(fixture, {
      ...{ agentId: agents[played.agent]?.id ?? "", runId: ids[run] ?? "" },
      ...{ counts, attempt },
    });
    if (answer === "ok") learn(model, { ...played, run, attempt, counts });
    else expect(answer).toBe("delivery_reported");
  }
  for (const account of [0, 1] as const)
    await expectSums(fixture, {
      accountId: accounts[account].id,
      agents: agents.map(({ id }) => id),
      model,
      account,
    });
}

/** Mixes the runs, and keeps neither their order nor its opposite. */
function orderOf({ run, attempt, counts }: { run: number; attempt: string; counts: ReportedCounts | null }) {
  return ((run + 3) * 7 + Number(attempt) * 5 + (counts?.fixed ?? 2) * 3) % 11;
}

const lastReports = new WeakMap<Map<string, Known>, Map<number, string | null>>();

function learn(
  model: Map<string, Known>,
  report: ReviewRun & { run: number; attempt: string; counts: ReportedCounts | null },
): void {
  const { run, account, agent, day, repository, counts, attempt } = report;
  const last = lastReports.get(model) ?? new Map<number, string | null>();
  lastReports.set(model, last);
  const before = last.get(run);
  const said = JSON.stringify([attempt, counts]);
  last.set(run, said);
  if (counts === null || before === said) return;
  const wasCounted = before != null && (JSON.parse(before) as [string, unknown])[1] !== null;
  const key = `${account} ${agent}`;
  const known = model.get(key);
  const rounds = known === undefined ? 1 : known.rounds + (wasCounted || known.run === run ? 0 : 1);
  if (known !== undefined && known.run > run) known.rounds = rounds;
  else {
    const endedAt = FIRST_DAY + day * DAY_MS + run;
    const whole = counts as Required<ReportedCounts>;
    model.set(key, { run, endedAt, repository: `github:octo/${repository}`, rounds, counts: whole });
  }
}

async function expectSums(
  fixture: CoreFixture,
  {
    accountId,
    agents,
    model,
    account,
  }: { accountId: string; agents: readonly string[]; model: ReadonlyMap<string, Known>; account: 0 | 1 },
): Promise<void> {
  const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const span = {
    ...{ caller: accountItself(accountId, "owner"), agentId: null },
    ...{ from: dayAt(FIRST_DAY), to: dayAt(FIRST_DAY + (DAYS - 2) * DAY_MS) },
  };
  const known = [0, 1].flatMap((agent) => {
    const found = model.get(`${account} ${agent}`);
    const isIn = found !== undefined && found.endedAt < FIRST_DAY + (DAYS - 1) * DAY_MS;
    return isIn ? [{ ...found, agent: agents[agent] ?? "" }] : [];
  });
  const keyOf: Partial<Record<UsageBy, (one: (typeof known)[number]) => string>> = {
    day: ({ endedAt }) => dayAt(endedAt),
    agent: ({ agent }) => agent,
    repository: ({ repository }) => repository,
  };
  for (const by of ["day", "agent", "repository", "model", "person", "origin"] as const) {
    const { groups, total } = await readUsage(fixture.core, { ...span, by });
    expect(reviewsIn(total), by).toEqual(sumOf(known));
    for (const group of groups)
      expect(reviewsIn(group), `${by} ${group.key}`).toEqual(
        sumOf(known.filter((one) => keyOf[by]?.(one) === group.key)),
      );
  }
}

function sumOf(known: readonly Pick<Known, "rounds" | "counts">[]): ReviewSums {
  const sum = (of: (one: Pick<Known, "rounds" | "counts">) => number) =>
    known.reduce((total, one) => total + of(one), 0);
  return {
    pullRequests: known.length,
    reviews: sum(({ rounds }) => rounds),
    findingsOpen: sum(({ counts }) => counts.new + counts.open),
    findingsFixed: sum(({ counts }) => counts.fixed),
    findingsDeclined: sum(({ counts }) => counts.declined),
    findingsWithdrawn: sum(({ counts }) => counts.withdrawn),
  };
}

function reviewsIn(sums: ReviewSums): ReviewSums {
  const { pullRequests, reviews, findingsOpen, findingsFixed, findingsDeclined, findingsWithdrawn } = {
    ...noSums,
    ...sums,
  };
  return { pullRequests, reviews, findingsOpen, findingsFixed, findingsDeclined, findingsWithdrawn };
}
