// /runs: an account's runs by state, agent and origin, page by page, with an address that says what is looked for.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRun, makeRunInput } from "../../../../../fakes/records.ts";
import { newAgent } from "../../../../../src/service/core/agents/agent.ts";
import type { RunRecord } from "../../../../../src/service/core/runs/run-record.ts";
import { AccountRuns } from "../../../../support/account-runs.ts";
import { RunPages } from "../../../../support/run-pages.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";

const NOW = Date.UTC(2026, 0, 15, 9);
const ended = { startedAt: NOW, heartbeatAt: NOW, endedAt: NOW } as const;
const completed = { ...ended, status: "completed", stopReason: "end_turn" } as const;
const parked = {
  reason: "question",
  since: NOW,
  until: NOW + 1_000,
  usage: { roles: {}, advisor: null },
  workedMs: 0,
} as const;

onEveryStore((store) => {
  describe("the page of an account's runs", () => {
    let pages: RunPages;
    let runs: AccountRuns;
    let otherAgent: string;
    let count = 0;

    const insert = async (change: Partial<RunRecord>, agentId = runs.account.agent.id): Promise<string> => {
      count += 1;
      const id = `run-${String(count).padStart(4, "0")}`;
      const run = makeRun({ id, agentId, sessionId: `thread-${id}`, request: `Request ${id}`, ...change });
      await pages.fixture.store.transact((tx) => tx.runs.insert(run, makeRunInput()));
      return id;
    };

    beforeAll(async () => {
      pages = await RunPages.open({ store });
      // Nobody works on what is planted here.
      await pages.fixture.executor.drain(0);
      runs = await AccountRuns.of(pages);
      const { core } = pages.fixture;
      otherAgent = core.random.uuid(core.clock.now());
      const agent = newAgent({
        id: otherAgent,
        accountId: runs.account.id,
        name: "octo/<other>",
        backend: core.policy.backend,
        createdAt: core.clock.now() + 1,
      });
      await core.store.transact((tx) => tx.agents.insert(agent));
    });

    afterAll(() => pages.close());

    const shown = async (query: string, cookie?: string) => {
      const text = await runs.get(`/runs${query}`, cookie);
      return [...text.matchAll(/<a href="\/agent\/[^/]+\/runs\/([^"]+)">/g)].map(([, id]) => id);
    };
    const emptyOf = (text: string) =>
      /<div class="empty">(.*?)<\/div>/s.exec(text)?.[1]?.replace(/<[^>]*>|\n/g, "");

    it("says that there is none, and leads to sign in whoever is not", async () => {
      expect(emptyOf(await runs.get("/runs"))).toBe("There is no run yet. Your agents start them.");
      const answer = await pages.get("/runs?state=failed");
      expect([answer.status, answer.headers.get("location")]).toEqual([
        303,
        `/sign-in?to=${encodeURIComponent("/runs?state=failed")}`,
      ]);
    });

    it("shows those of a state, an agent and an origin, and of no other account", async () => {
      const made = {
        queued: await insert({}),
        running: await insert({ status: "running", startedAt: NOW, heartbeatAt: NOW }),
        cancelling: await insert({ status: "cancelling", startedAt: NOW, heartbeatAt: NOW }),
        waiting: await insert({
          status: "running",
          startedAt: NOW,
          heartbeatAt: NOW,
          stopReason: "question",
          parked,
        }),
        completed: await insert(completed),
        failed: await insert({ ...ended, status: "failed", cause: "backend_error" }),
        cancelled: await insert({ ...ended, status: "cancelled", cause: "user_stop" }),
        scheduled: await insert({ ...completed, origin: "schedule" }),
        other: await insert({ ...completed, origin: "agent" }, otherAgent),
      };
      const stranger = await AccountRuns.of(pages);
      const theirs = await insert({}, stranger.account.agent.id);
      expect(await shown("")).toEqual(Object.values(made).toReversed());
      const first = runs.account.agent.id;
      const cases: Readonly<Record<string, readonly string[]>> = {
        "?state=queued": [made.queued],
        "?state=running": [made.cancelling, made.running],
        "?state=waiting": [made.waiting],
        "?state=completed": [made.other, made.scheduled, made.completed],
        "?state=failed": [made.failed],
        "?state=cancelled": [made.cancelled],
        "?from=schedule": [made.scheduled],
        "?from=agent": [made.other],
        [`?agent=${otherAgent}`]: [made.other],
        [`?agent=${first}&state=completed&from=user`]: [made.completed],
        // As a form without a script sends it.
        "?state=&agent=&from=schedule": [made.scheduled],
        // What it cannot read is not looked for, and another account's agent is nobody here.
        [`?state=nothing&from=background&agent=${stranger.account.agent.id}`]:
          Object.values(made).toReversed(),
      };
      for (const [query, expected] of Object.entries(cases))
        expect([query, await shown(query)]).toEqual([query, expected]);
      expect(await shown("", stranger.cookie)).toEqual([theirs]);
      const chosen = await runs.get(`/runs?state=failed&agent=${first}`);
      expect(chosen).toContain('<option value="failed" selected>Failed</option>');
      expect(chosen).toContain(`<option value="${first}" selected>helper</option>`);
      expect(chosen).toContain(`<option value="${otherAgent}">octo/&lt;other&gt;</option>`);
    });

    it("finds the jobs that somebody started, as they are called last", async () => {
      const own = await AccountRuns.of(pages);
      const { id } = own.account.agent;
      await insert({ ...completed, startedBy: "github:7", about: { actor: "old-<name>" } }, id);
      const last = await insert({ ...completed, startedBy: "github:7", about: { actor: "new-<name>" } }, id);
      await insert({ ...completed, startedBy: "github:8", about: {} }, id);
      await insert(completed, id);
      const text = await own.get("/runs?who=github%3A7");
      const found = [...text.matchAll(/<a href="\/agent\/[^/]+\/runs\/([^"]+)">/g)].map(([, one]) => one);
      expect([found.length, found[0]]).toEqual([2, last]);
      expect(text).toContain('<option value="github:7" selected>new-&lt;name&gt;</option>');
      expect(text).toContain('<option value="github:8">github:8</option>');
      const none = await own.get("/runs?state=failed&who=github%3A7");
      expect(emptyOf(none)).toBe(
        "No run fits “State: Failed” and “Job of: new-&lt;name&gt;”.Without “State: Failed” there are some.",
      );
      expect(none).toContain('<a href="/runs?who=github%3A7">Without');
    });

    it("says which filter emptied it, with a link without that one", async () => {
      const text = await runs.get(`/runs?state=failed&agent=${otherAgent}`);
      expect(emptyOf(text)).toBe(
        "No run fits “State: Failed” and “Agent or repository: octo/&lt;other&gt;”.Without “State: Failed” there are some.Without “Agent or repository: octo/&lt;other&gt;” there are some.",
      );
      expect(text).toContain(`<a href="/runs?agent=${otherAgent}">Without “State: Failed”</a>`);
      expect(emptyOf(await runs.get(`/runs?state=failed&agent=${otherAgent}&from=schedule`))).toBe(
        "No run fits “State: Failed” and “Agent or repository: octo/&lt;other&gt;” and “Started by: Schedules”.Leaving out one of them finds none either. Show all runs",
      );
    });

    it("leads on to older ones, page by page, each once, with the filter kept", async () => {
      const many = await AccountRuns.of(pages);
      const { id } = many.account.agent;
      const made: string[] = [];
      for (let index = 0; index < 101; index += 1)
        made.push(await insert(index % 2 === 0 ? completed : { ...completed, origin: "schedule" }, id));
      const seen: string[] = [];
      const sizes: number[] = [];
      for (let path: string | undefined = "/runs?state=completed"; path !== undefined; ) {
        const text: string = await many.get(path);
        const page = [...text.matchAll(/<a href="\/agent\/[^/]+\/runs\/([^"]+)">/g)].map(
          ([, one]) => one ?? "",
        );
        sizes.push(page.length);
        seen.push(...page);
        expect(text.includes('<a href="/runs?state=completed">Newest runs</a>')).toBe(sizes.length > 1);
        path = /<a class="end" href="([^"]*)" rel="next">/.exec(text)?.[1]?.replaceAll("&amp;", "&");
        // One that comes meanwhile moves no page.
        if (sizes.length === 1) await insert(completed, id);
      }
      expect(sizes).toEqual([50, 50, 1]);
      expect(seen).toEqual(made.toReversed());
      const last = await many.get(`/runs?state=completed&before=${made[0]}`);
      expect(emptyOf(last)).toBe("There is no older run.");
      const found = await pages.fixture.store.committed.runs.listOfAgents({
        agentIds: [],
        state: null,
        origin: null,
        startedBy: null,
        before: null,
        limit: 5,
      });
      expect(found).toEqual([]);
    });

    it("reads no more than a page of each agent, of a hundred agents at once", async () => {
      const { store: kept } = pages.fixture;
      const ids = Array.from({ length: 98 }, (_, index) => `nobody-${index}`);
      const agentIds = [runs.account.agent.id, ...ids, otherAgent];
      const query = {
        agentIds,
        state: "completed",
        origin: null,
        startedBy: null,
        before: null,
        limit: 3,
      } as const;
      const found = await kept.committed.runs.listOfAgents(query);
      expect(found.map(({ origin }) => origin)).toEqual(["agent", "schedule", "user"]);
    });

    it("leads to a page that says how a job pushes what a person's run changes, and not of a job's own", async () => {
      const other = await AccountRuns.of(pages);
      const jobRunId = await pages.fixture.submit();
      const { agentId } = await pages.fixture.run(jobRunId);
      const { id: accountId } = other.account;
      await pages.fixture.store.transact((tx) => tx.agents.update(agentId, { accountId }));
      const id = await insert({ ...ended, status: "running", endedAt: null, parked }, agentId);
      const text = await other.get(`/agent/${agentId}/runs/${id}`);
      expect(text).toContain(`with: { mode: attach, run-id: ${id}, changes: commit }`);
      expect(text).toMatch(/<script type="module" src="\/assets\/copy\./);
      const ofJob = await other.get(`/agent/${agentId}/runs/${jobRunId}`);
      expect(ofJob).not.toContain("mode: attach");
      expect(ofJob).not.toContain("/assets/copy.");
    });
  });
});
