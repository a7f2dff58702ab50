// The page of a parked run: what everybody reads there, and the forms by which its owner alone continues it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StopReason } from "../../../../../src/contract/runs/run.ts";
import type { RunRecord } from "../../../../../src/service/core/runs/run-record.ts";
import { askPeople, type Parking, parkingOf } from "../../../../support/parking.ts";
import { RunPages } from "../../../../support/run-pages.ts";
import { say } from "../../../../support/scripted-backend.ts";
import { makeAccount, type TestAccount } from "../../../../support/service-account.ts";
import { expectSoundLedger } from "../../../../support/service-ledger.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

const QUESTION = "Which <one>?";

describe("the page of a parked run", () => {
  let parking: Parking;
  let pages: RunPages;
  let account: TestAccount;
  let cookie: string;

  beforeAll(async () => {
    parking = await parkingOf(async (task, { continued, told }) => {
      const asked = task.messages.at(-1)?.content ?? "";
      if (continued === 0 && asked === "question") return await askPeople(task, QUESTION);
      await say(task, continued === 0 ? "Not done yet." : "Done.");
      if (told === "ask again") return await askPeople(task, "And <then>?");
      return { stopReason: continued === 0 ? (asked as StopReason) : "end_turn" };
    });
    pages = await RunPages.open(parking);
    account = await makeAccount(pages.fixture);
    ({ cookie } = await signInTo(pages.fixture.core, account.id));
  });

  afterAll(async () => {
    await expectSoundLedger(pages.fixture.place);
    await pages.close();
    await parking.remove();
  });

  const parked = (runId: string) => pages.fixture.until(runId, (run) => run.parked !== undefined);
  /** A run of the account's agent, parked for that reason. */
  const owned = async (reason: string): Promise<{ run: RunRecord; path: string }> => {
    const submitted = await pages.fixture.submitter.submit({
      caller: { kind: "account", accountId: account.id, callerClass: "owner", personId: null, role: "owner" },
      agentId: account.agent.id,
      body: { message: reason, may_park: true },
      idempotencyKey: null,
      canBeAnswered: true,
    });
    if (!submitted.ok) throw new Error(submitted.refusal.reason);
    const { runId } = submitted.value;
    return { run: await parked(runId), path: `/agent/${account.agent.id}/runs/${runId}` };
  };
  const get = async (path: string, headers: Readonly<Record<string, string>> = { cookie }) =>
    await pages.get(path, { headers });
  const post = async (
    path: string,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = { cookie },
  ) => await pages.get(path, { method: "POST", form, headers: { origin: pages.url, ...headers } });
  const alertOf = (text: string) => /role="alert">([^<]*)/.exec(text)?.[1];
  const articleOf = (text: string) => text.slice(text.indexOf("<article"));

  it("says what it waits for and until when, and takes its owner's answer in the same run", async () => {
    const { run, path } = await owned("question");
    const shown = await get(path);
    expect(shown.text).toContain("<title>⏸️ Waits for an answer</title>");
    expect(shown.text).not.toContain("Running");
    expect(shown.text).not.toContain("http-equiv");
    const article = articleOf(shown.text);
    expect(article).toContain('data-tone="warn"');
    expect(article).toContain("Parked. This page shows when it goes on");
    expect(article).toContain("Which &lt;one&gt;?");
    expect(article).toContain("Answer the question");
    const until = new Date(run.parked?.until ?? 0).toISOString();
    expect(article).toContain(`<time datetime="${until}">${until.slice(0, 10)}`);
    expect(article.match(new RegExp(`<form method="post" action="${path}/resume">`, "g"))).toHaveLength(3);
    const since = new Date(run.parked?.since ?? 0).toISOString();
    expect(article).toContain(`name="asked_at" value="${since}"`);

    const empty = await post(`${path}/resume`, { message: " ", asked_at: since });
    expect([empty.status, alertOf(empty.text)]).toEqual([409, expect.stringContaining("message")]);
    expect((await pages.fixture.run(run.id)).parked).toEqual(run.parked);

    const answer = { message: "the <first>", asked_at: since };
    const sent = await post(`${path}/resume`, answer);
    expect([sent.status, sent.headers.get("location")]).toEqual([303, path]);
    expect(await pages.fixture.ended(run.id)).toMatchObject({ status: "completed", stopReason: "end_turn" });
    const after = (await get(path)).text;
    expect(after).toContain("The run was continued at turn 2. It was told: the &lt;first&gt;");
    expect(articleOf(after)).not.toContain("/resume");
    expect((await post(`${path}/resume`, answer)).status).toBe(303);
    const other = await post(`${path}/resume`, { ...answer, message: "the second" });
    expect([other.status, alertOf(other.text)]).toEqual([409, expect.stringContaining("is answered")]);
  });

  it("is answered on the pages that list questions, and is parked in their lists of runs", async () => {
    const { run, path } = await owned("question");
    const agentPath = `/agent/${account.agent.id}`;
    const questions = `${agentPath}/questions/${run.id}`;
    for (const page of ["/", agentPath]) {
      const { text } = await get(page);
      expect(text).toContain("Which &lt;one&gt;?");
      expect(text).toContain(`action="${questions}"`);
      expect(text).toMatch(/<span class="state warn" title="Waits for an answer">/);
    }
    const stale = { answer: "the first", asked_at: "2020-01-01T00:00:00.000Z" };
    expect((await post(questions, stale)).status).toBe(409);
    const first = new Date(run.parked?.since ?? 0).toISOString();
    await pages.fixture.clock.advance(1_000);
    const sent = await post(questions, { answer: "ask again", asked_at: first });
    expect([sent.status, sent.headers.get("location")]).toEqual([303, path]);
    const again = await pages.fixture.until(run.id, (now) => (now.parked?.since ?? 0) > Date.parse(first));
    const shown = articleOf((await get(path)).text);
    expect(shown).toContain("And &lt;then&gt;?");
    const form = { message: "the second", asked_at: first };
    expect((await post(`${path}/resume`, form)).status).toBe(409);
    const since = new Date(again.parked?.since ?? 0).toISOString();
    expect((await post(`${path}/resume`, { ...form, asked_at: since })).status).toBe(303);
    await pages.fixture.ended(run.id);
    for (const page of ["/", agentPath])
      expect((await get(page)).text).not.toContain(`action="${questions}"`);
  });

  it.each([
    ["max_cost", "Waits for a higher limit of cost", { max_cost_usd: "5" }, ["", "many", "0"]],
    ["max_tokens", "Waits for a higher limit of tokens", { max_turn_tokens: "100000" }, ["", "1.5", "-1"]],
    ["max_turns", "Waits to be continued: its turns are used up", {}, []],
    ["time_limit", "Waits to be continued: its time is used up", {}, []],
  ] as const)("has what a run takes that is parked for %s", async (reason, title, form, wrong) => {
    const { run, path } = await owned(reason);
    const shown = articleOf((await get(path)).text);
    expect(shown).toContain(title);
    // What the run has said so far.
    expect(shown).toMatch(/<section id="reply"><h2>Reply<\/h2>.*Not done yet\./);
    const names = Object.keys(form);
    for (const name of names) {
      expect(shown).toMatch(new RegExp(`<input [^>]*name="${name}"`));
      for (const value of wrong) {
        const refused = await post(`${path}/resume`, { [name]: value });
        expect([value, refused.status, alertOf(refused.text)]).toEqual([
          value,
          409,
          expect.stringContaining(name),
        ]);
      }
      const missing = await post(`${path}/resume`, {});
      expect([missing.status, alertOf(missing.text)]).toEqual([409, expect.stringContaining("has reached")]);
    }
    expect((await pages.fixture.run(run.id)).parked).toEqual(run.parked);
    expect(shown).toContain(">Continue</button>");
    expect((await post(`${path}/resume`, form)).headers.get("location")).toBe(path);
    expect(await pages.fixture.ended(run.id)).toMatchObject({ status: "completed", stopReason: "end_turn" });
    const again = await post(`${path}/resume`, form);
    expect([again.status, alertOf(again.text)]).toEqual([409, expect.stringContaining("has ended already")]);
  });

  it("shows its state to everybody with the link, and lets nobody but its owner continue it", async () => {
    const submitted = await pages.fixture.trySubmit({
      message: "question",
      may_park: true,
      session_key: "t",
    });
    if (!submitted.ok) throw new Error(submitted.refusal.reason);
    const { runId } = submitted.value;
    const before = await parked(runId);
    const { path, token } = await pages.link(runId);
    const byLink = { cookie: pages.viewCookie({ token }) };
    const shown = await get(path, byLink);
    expect(shown.text).toContain("<title>⏸️ Waits for an answer</title>");
    expect(articleOf(shown.text)).toContain("Which &lt;one&gt;?");
    expect(articleOf(shown.text)).not.toMatch(/<form|data-may-continue/);
    const form = { message: "the first" };
    const signIn = `/sign-in?to=${encodeURIComponent(path)}`;
    for (const headers of [{}, byLink])
      expect((await post(`${path}/resume`, form, headers)).headers.get("location")).toBe(signIn);
    const both = { cookie: `${cookie}; ${pages.viewCookie({ token })}` };
    expect((await post(`${path}/resume`, form, both)).status).toBe(404);

    const own = await owned("question");
    const elsewhere = await post(`${own.path}/resume`, form, { cookie, origin: "https://evil.example" });
    expect(elsewhere.status).toBe(403);
    const stranger = await makeAccount(pages.fixture);
    const { cookie: theirs } = await signInTo(pages.fixture.core, stranger.id);
    expect((await post(`${own.path}/resume`, form, { cookie: theirs })).status).toBe(404);
    for (const id of [runId, own.run.id]) expect((await pages.fixture.run(id)).parked).toBeDefined();
    expect((await pages.fixture.run(runId)).parked).toEqual(before.parked);
  });
});
