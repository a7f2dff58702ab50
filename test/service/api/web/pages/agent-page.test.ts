// / and /agent/{id}: what an owner sees and does there, and that nobody else does.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { grantCredits } from "../../../../../src/service/core/accounts/keys.ts";
import { putWorkflow } from "../../../../../src/service/core/workflows/workflows.ts";
import type { Backend } from "../../../../../src/service/executor/backend.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { plant, readSchedule } from "../../../../support/schedules.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../../support/service-account.ts";
import { sqliteStore } from "../../../../support/stores/stores.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

const asking: Backend = {
  name: "scripted",
  needsCheckout: false,
  run: async (task) => {
    if (!task.messages.some(({ content }) => content.includes("ask"))) return { stopReason: "end_turn" };
    if (!task.mayAsk) return { stopReason: "end_turn" };
    const value = { question: "Which <one>?", choices: ["the first", "the second"] };
    await task.emit({ type: "CUSTOM", name: "question", value });
    return { stopReason: "question" };
  },
};
const repository = {
  provider: "github",
  issuer: "https://issuer.example",
  id: "9",
  ownerId: "7",
  name: "octo/nine",
  visibility: "public",
} as const;

describe("the pages of agents", () => {
  let fixture: CoreFixture;
  let api: Awaited<ReturnType<typeof openCaller>>;
  let mine: TestAccount;
  let cookie: string;
  let path: string;

  beforeAll(async () => {
    fixture = await startFixture({ level: "core", store: sqliteStore, backend: asking });
    fixture.executor.start();
    api = await openCaller(fixture);
    mine = await makeAccount(fixture);
    await grantCredits(fixture.core, { accountId: mine.id, credits: 1_000 });
    ({ cookie } = await signInTo(fixture.core, mine.id));
    path = `/agent/${mine.agent.id}`;
  });

  afterAll(() => api.close());

  const get = (to: string, headers: Readonly<Record<string, string>> = { cookie }) =>
    api.send(to, { headers });
  const post = (
    to: string,
    form: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    api.send(to, {
      method: "POST",
      form,
      headers: { cookie, origin: fixture.core.policy.baseUrl, ...headers },
    });
  const agent = async () => await fixture.store.committed.agents.find(mine.agent.id);

  it("makes an agent by name, or leads to the one that has it", async () => {
    const made = await post("/", { name: "helper" });
    expect(made.status).toBe(303);
    const to = made.headers.get("location") ?? "";
    expect((await get(to)).text).toContain("helper");
    expect((await post("/", { name: "helper" })).headers.get("location")).toBe(to);
    const refused = await post("/", { name: "" });
    expect([refused.status, /role="alert">([^<]*)/.exec(refused.text)?.[1]]).toEqual([
      422,
      expect.stringContaining("name"),
    ]);
    expect((await post("/", { name: "other" }, { cookie: "" })).headers.get("location")).toMatch(
      /^\/sign-in/,
    );
  });

  it("submits a run once, shows its question, and takes the answer", async () => {
    const form = { message: "ask me", session: "", key: "one" };
    const [sent, again] = [await post(`${path}/runs`, form), await post(`${path}/runs`, form)];
    expect(sent.status).toBe(303);
    expect(again.headers.get("location")).toBe(sent.headers.get("location"));
    const runId = sent.headers.get("location")?.split("/").at(-1) ?? "";
    await fixture.ended(runId);
    for (const page of ["/", path]) {
      const shown = (await get(page)).text;
      expect(shown).toContain("Which &lt;one&gt;?");
      expect(shown).toContain(`${path}/runs/${runId}`);
    }
    const answered = await post(`${path}/questions/${runId}`, { answer: "the first" });
    expect(answered.status).toBe(303);
    const next = answered.headers.get("location")?.split("/").at(-1) ?? "";
    const { sessionId } = await fixture.ended(next);
    expect(sessionId).toBe((await fixture.run(runId)).sessionId);
    expect((await get(path)).text).not.toContain("Which &lt;one&gt;?");
    const late = await post(`${path}/questions/${runId}`, { answer: "the second" });
    expect([late.status, late.text.includes("is answered")]).toEqual([409, true]);
    const more = await post(`${path}/runs`, { message: "go on", session: sessionId, key: "two" });
    expect(more.status).toBe(303);
  });

  it("opens the card of the workflow that a link names, and activates what it shows", async () => {
    const put = { agentId: mine.agent.id, id: null, name: "weekly", prompt: "Report <it>." };
    const written = await putWorkflow(fixture.core, put);
    if (!written.ok) throw new Error(written.refusal.reason);
    const { id } = written.value;
    expect((await get(path)).text).not.toContain("Report &lt;it&gt;.");
    const opened = (await get(`${path}?workflow=${id}`)).text;
    expect(opened).toContain("Report &lt;it&gt;.");
    expect(opened).toContain("Activate version 1");
    for (const version of ["0", "x", "1.5", "2"]) {
      expect((await post(`${path}/workflows/activate`, { id, version })).status, version).toBe(409);
    }
    expect((await post(`${path}/workflows/activate`, { id, version: "1" })).status).toBe(303);
    expect(await fixture.store.committed.workflows.find(id)).toMatchObject({ activeVersion: 1 });
    const run = await post(`${path}/workflows/run`, { id, version: "1" });
    expect(run.headers.get("location")).toMatch(/\/runs\//);
    const theirs = await makeAccount(fixture);
    const foreign = await putWorkflow(fixture.core, { ...put, agentId: theirs.agent.id });
    const other = foreign.ok ? foreign.value.id : "";
    expect((await post(`${path}/workflows/activate`, { id: other, version: "1" })).status).toBe(409);
  });

  it("cancels a schedule, caps the advisor, and grants and revokes writing", async () => {
    const fireAt = fixture.clock.now() + 86_400_000;
    const id = await plant(fixture, { agentId: mine.agent.id, fireAt });
    expect((await get(`${path}/schedules`)).text).toContain("Look around.");
    expect((await post(`${path}/schedules/cancel`, { id })).status).toBe(303);
    expect((await readSchedule(fixture, id)).status).toBe("cancelled");
    await post(`${path}/advisor`, { usd: "0.25" });
    expect((await agent())?.advisorMaxSpendMicroUsd).toBe(250_000);
    expect((await post(`${path}/advisor`, { usd: "-1" })).status).toBe(409);
    await post(`${path}/advisor`, { usd: "" });
    expect((await agent())?.advisorMaxSpendMicroUsd).toBeNull();
    await post(`${path}/grants`, { change: "grant", server: "issues" });
    expect(await fixture.store.committed.writeGrants.list(mine.agent.id)).toMatchObject([
      { server: "issues" },
    ]);
    expect((await post(`${path}/grants`, { change: "grant", server: "a b" })).status).toBe(409);
    await post(`${path}/grants`, { change: "revoke", server: "issues" });
    expect(await fixture.store.committed.writeGrants.list(mine.agent.id)).toEqual([]);
  });

  it("grants and revokes audiences of ID tokens, and says what a cloud has to trust", async () => {
    const audiences = async () => await fixture.store.committed.runIdentity.listAudiences(mine.agent.id);
    const shown = (await get(`${path}/settings`)).text;
    for (const text of [
      "Its runs get no ID tokens.",
      "<code>http://service.example/id</code>",
      `<code>account:${mine.id}:agent:${mine.agent.id}:trust:trusted</code>`,
      "Clouds cannot read the keys",
      "it is not https",
    ])
      expect(shown).toContain(text);
    await post(`${path}/audiences`, { change: "grant", audience: " sts.amazonaws.com ", runs: "trusted" });
    await post(`${path}/audiences`, { change: "grant", audience: "vault", runs: "all" });
    expect(await audiences()).toMatchObject([
      { audience: "sts.amazonaws.com", allowsUntrusted: false },
      { audience: "vault", allowsUntrusted: true },
    ]);
    const [{ grantedAt = 0 } = {}] = await audiences();
    fixture.clock.advance(1_000);
    await post(`${path}/audiences`, { change: "grant", audience: "sts.amazonaws.com", runs: "all" });
    expect(await audiences()).toMatchObject([{ allowsUntrusted: true, grantedAt }, { audience: "vault" }]);
    expect((await get(`${path}/settings`)).text).toContain(
      '<code>vault</code><span class="faint">for all runs, ',
    );
    expect((await post(`${path}/audiences`, { change: "grant", audience: "a b" })).status).toBe(409);
    for (let count = 2; count < 20; count += 1)
      expect((await post(`${path}/audiences`, { change: "grant", audience: `a${count}` })).status).toBe(303);
    const full = await post(`${path}/audiences`, { change: "grant", audience: "one-more" });
    expect([full.status, full.text.includes("20 audiences at most")]).toEqual([409, true]);
    for (const { audience } of await audiences())
      await post(`${path}/audiences`, { change: "revoke", audience });
    expect(await audiences()).toEqual([]);
    const kinds = await fixture.place.query(
      "select distinct outcome from audit_entries where action = 'audiences' order by outcome",
    );
    expect(kinds).toEqual([{ outcome: "granted" }, { outcome: "none" }]);
  });

  it("sets the policy of a repository's agent, and clears it", async () => {
    const id = fixture.core.random.uuid(fixture.clock.now());
    await fixture.store.transact((tx) => tx.agents.insert({ ...mine.agent, id, name: "nine", repository }));
    const form = { events: "push\r\nschedule\r\n", refs: "", max_usd_per_day: "2.5", mcp_servers: "none" };
    expect((await post(`/agent/${id}/policy`, form)).status).toBe(303);
    const policy = async () => (await fixture.store.committed.agents.find(id))?.ciPolicy;
    expect(await policy()).toEqual({
      events: ["push", "schedule"],
      max_usd_per_day: 2.5,
      mcp_servers: "none",
    });
    expect((await get(`/agent/${id}/settings`)).text).toContain("push\nschedule</textarea>");
    await post(`/agent/${id}/policy`, { mint_keys: "on" });
    expect(await policy()).toEqual({ mint_keys: true });
    expect((await get(`/agent/${id}/settings`)).text).toContain('<option value="on" selected>on</option>');
    const wrong = await post(`/agent/${id}/policy`, { refs: "main" });
    expect([wrong.status, wrong.text.includes("full ref")]).toEqual([409, true]);
    await post(`/agent/${id}/policy`, {});
    expect(await policy()).toBeNull();
  });

  it("deletes the agent once its name is typed", async () => {
    const id = fixture.core.random.uuid(fixture.clock.now());
    const name = "two  words";
    await fixture.store.transact((tx) => tx.agents.insert({ ...mine.agent, id, name }));
    expect((await get(`/agent/${id}/settings`)).text).toContain("<code>two words</code>");
    const refused = await post(`/agent/${id}/delete`, { name: "two" });
    expect([refused.status, refused.text.includes("Nothing was deleted.")]).toEqual([409, true]);
    expect(await fixture.store.committed.agents.find(id)).not.toBeNull();
    const deleted = await post(`/agent/${id}/delete`, { name: " two words " });
    expect([deleted.status, deleted.headers.get("location")]).toEqual([303, "/"]);
    expect(await fixture.store.committed.agents.find(id)).toBeNull();
    expect((await get(`/agent/${id}`)).status).toBe(404);
  });

  it("takes a fresh proof for what changes rights, and leads back to the page", async () => {
    const old = await signInTo(fixture.core, mine.id);
    fixture.clock.advance(10 * 60_000);
    for (const [form, fields, part] of [
      ["grants", { change: "grant", server: "issues" }, "settings"],
      ["audiences", { change: "grant", audience: "vault" }, "settings"],
      ["policy", { events: "push" }, "settings"],
      ["workflows/activate", { id: "1", version: "1" }, "schedules"],
      ["delete", { name: "x" }, "settings"],
    ] as const) {
      const answer = await post(`${path}/${form}`, fields, { cookie: old.cookie });
      expect([answer.status, answer.headers.get("location")]).toEqual([
        303,
        `/sign-in?to=${encodeURIComponent(`${path}/${part}`)}&again=1`,
      ]);
    }
    ({ cookie } = await signInTo(fixture.core, mine.id));
  });

  it("is not there for anybody else, and does nothing for another origin", async () => {
    const theirs = await signInTo(fixture.core, (await makeAccount(fixture)).id);
    expect((await get(path, { cookie: theirs.cookie })).status).toBe(404);
    for (const to of ["/", path]) {
      expect((await get(to, {})).headers.get("location")).toBe(`/sign-in?to=${encodeURIComponent(to)}`);
    }
    const before = (await fixture.place.query("select count(*) as n from runs"))[0]?.n;
    const forms: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ["runs", { message: "x", session: "", key: "k" }],
      ["questions/1", { answer: "x" }],
      ["schedules/cancel", { id: "1" }],
      ["workflows/run", { id: "1", version: "1" }],
      ["workflows/activate", { id: "1", version: "1" }],
      ["grants", { change: "grant", server: "issues" }],
      ["audiences", { change: "grant", audience: "vault" }],
      ["policy", { events: "push" }],
      ["advisor", { usd: "1" }],
      ["delete", { name: mine.agent.name }],
    ];
    for (const [form, fields] of forms) {
      const to = `${path}/${form}`;
      for (const headers of [{ origin: "https://evil.example" }, { origin: "" }]) {
        const refused = await post(to, fields, headers);
        expect([form, refused.status]).toEqual([form, 403]);
        expect(refused.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      }
      expect([form, (await post(to, fields, { cookie: theirs.cookie })).status]).toEqual([form, 404]);
      const bearer = { cookie: "", authorization: `Bearer ${mine.aiClient}` };
      expect((await post(to, fields, bearer)).headers.get("location")).toMatch(/^\/sign-in\?to=/);
    }
    expect((await fixture.place.query("select count(*) as n from runs"))[0]?.n).toEqual(before);
    expect(await fixture.store.committed.writeGrants.list(mine.agent.id)).toEqual([]);
  });
});
