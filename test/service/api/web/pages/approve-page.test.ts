// /approve and /confirm: what an owner sees and decides, and what nobody else learns.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scheduleSchema } from "../../../../../src/contract/schedules/schedule.ts";
import { grantCredits } from "../../../../../src/service/core/accounts/keys.ts";
import { putWorkflow } from "../../../../../src/service/core/workflows/workflows.ts";
import { authorizeWrite } from "../../../../../src/service/core/write-grants/authorize-write.ts";
import { credentialsOf } from "../../../../support/credentials-of-person.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { addPerson } from "../../../../support/people.ts";
import { readSchedule } from "../../../../support/schedules.ts";
import { makeAccount, openCaller, type TestAccount } from "../../../../support/service-account.ts";
import type { Answer } from "../../../../support/service-client.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

onEveryStore((kind) => {
  describe("the page of an approval", () => {
    let fixture: CoreFixture;
    let api: Awaited<ReturnType<typeof openCaller>>;
    let mine: TestAccount;
    let cookie: string;

    beforeAll(async () => {
      fixture = await startFixture({ level: "core", store: kind });
      api = await openCaller(fixture);
      mine = await makeAccount(fixture);
      await grantCredits(fixture.core, { accountId: mine.id, credits: 1_000 });
      ({ cookie } = await signInTo(fixture.core, mine.id));
    });

    afterAll(() => api.close());

    const get = (path: string, headers: Readonly<Record<string, string>> = { cookie }) =>
      api.send(path, { headers });
    const decide = (id: string, decision: string, headers: Readonly<Record<string, string>> = {}) =>
      api.send(`/approve/${id}`, {
        method: "POST",
        form: { decision },
        headers: { cookie, origin: fixture.core.policy.baseUrl, ...headers },
      });
    const schedule = async (prompt = "Tidy <b>up</b>.") => {
      const answer = await api.send(`/v1/agents/${mine.agent.id}/schedules`, {
        method: "POST",
        bearer: mine.aiClient,
        json: { prompt, delay_seconds: 86_400 },
      });
      return scheduleSchema.parse(answer.body).id;
    };
    const expectLocked = ({ headers }: Answer) => {
      expect(headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/);
      expect(headers.get("cache-control")).toBe("private, no-store");
    };

    it("shows exactly what will be done, as text, and does it once it is approved", async () => {
      const id = await schedule();
      const shown = await get(`/approve/${id}`);
      expect(shown.status).toBe(200);
      expectLocked(shown);
      for (const text of [
        "Tidy &lt;b&gt;up&lt;/b&gt;.",
        "helper",
        "ai_client",
        ">Confirm<",
        "Cancel the schedule",
      ]) {
        expect(shown.text).toContain(text);
      }
      const approved = await decide(id, "approve");
      expect([approved.status, approved.headers.get("location")]).toEqual([303, `/approve/${id}`]);
      expect((await readSchedule(fixture, id)).status).toBe("pending");
      const after = await get(`/approve/${id}`);
      expect(after.text).toContain("This is approved.");
      expect(after.text).not.toContain('name="decision"');
      const late = await decide(id, "deny");
      expect(late.status).toBe(409);
      expectLocked(late);
    });

    it("has on each card what one has to see: who asks for whom, what it costs, what happens, and the buttons", async () => {
      const { core } = fixture;
      const personId = await addPerson(core, { accountId: mine.id, role: "member", name: "Ada <A>" });
      const { aiClientKey } = await credentialsOf(core, { accountId: mine.id, personId });
      const asked = await api.send(`/v1/agents/${mine.agent.id}/schedules`, {
        method: "POST",
        bearer: aiClientKey,
        json: { prompt: "Look <closely>.", delay_seconds: 86_400 },
      });
      const { id } = scheduleSchema.parse(asked.body);
      const cardOf = async (reader: string) => {
        const { text } = await get("/approvals", { cookie: reader });
        const start = text.indexOf(`<a href="/approve/${id}">`);
        return text.slice(start, text.indexOf("</li>", start));
      };
      const card = await cardOf(cookie);
      for (const text of [
        "Confirm a scheduled run?",
        "The run starts at its time and is paid from your credits.",
        "for <strong>Ada &lt;A&gt;</strong>",
        "<dt>Costs</dt><dd>1 credit for the run, and what its models use</dd>",
        "Look &lt;closely&gt;.",
        `<form method="post" action="/approve/${id}">`,
      ])
        expect(card).toContain(text);
      const theirs = await cardOf((await signInTo(core, mine.id, personId)).cookie);
      expect(theirs).not.toContain("<form");
      expect(theirs).toContain("Admins and owners of this account decide this. Your role is member.");
      expect((await decide(id, "deny")).status).toBe(303);
      expect(await cardOf(cookie)).not.toContain("<form");
    });

    it("denies without a fresh proof, and approves with one alone", async () => {
      const [one, two] = [await schedule(), await schedule()];
      const old = await signInTo(fixture.core, mine.id);
      fixture.clock.advance(10 * 60_000);
      const refused = await decide(one, "approve", { cookie: old.cookie });
      expect([refused.status, refused.headers.get("location")]).toEqual([
        303,
        `/sign-in?to=%2Fapprove%2F${one}&again=1`,
      ]);
      expect((await readSchedule(fixture, one)).status).toBe("awaiting_confirmation");
      expect((await decide(two, "deny", { cookie: old.cookie })).status).toBe(303);
      expect((await readSchedule(fixture, two)).status).toBe("cancelled");
      ({ cookie } = await signInTo(fixture.core, mine.id));
    });

    it("is listed while it waits, then with what was decided, for nobody else", async () => {
      const theirs = await signInTo(fixture.core, (await makeAccount(fixture)).id);
      expect((await get("/approvals", theirs)).text).toContain("Nothing waits for you.");
      expect((await get("/approvals", {})).headers.get("location")).toBe("/sign-in?to=%2Fapprovals");
      const id = await schedule();
      const [, waiting = "", decided = ""] =
        /<h1>(.*?)(?:<h2>Decided(.*))?$/s.exec((await get("/approvals")).text) ?? [];
      expect(waiting).toContain(`href="/approve/${id}"`);
      expect(decided).not.toContain(id);
      await decide(id, "deny");
      const [, none = "", later = ""] =
        /<h1>(.*)<h2>Decided(.*)$/s.exec((await get("/approvals")).text) ?? [];
      expect(none).not.toContain(id);
      expect(later).toMatch(
        new RegExp(`href="/approve/${id}">Confirm a scheduled run</a></td>\\s*<td>helper</td><td>denied`),
      );
      expect((await get("/approvals", theirs)).text).not.toContain(id);
    });

    it("changes nothing for another origin, none, or an AI client", async () => {
      const id = await schedule();
      const foreign: readonly Readonly<Record<string, string>>[] = [
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: "" },
        { "sec-fetch-site": "cross-site" },
      ];
      for (const headers of foreign) {
        const answer = await decide(id, "approve", headers);
        expect([headers, answer.status]).toEqual([headers, 403]);
        expectLocked(answer);
      }
      const bearer = await decide(id, "approve", { cookie: "", authorization: `Bearer ${mine.aiClient}` });
      expect([bearer.status, bearer.headers.get("location")]).toEqual([
        303,
        `/sign-in?to=%2Fapprove%2F${id}`,
      ]);
      expect((await decide(id, "other")).status).toBe(409);
      expect((await readSchedule(fixture, id)).status).toBe("awaiting_confirmation");
    });

    it("is not there for anybody else, who first has to say who they are", async () => {
      const id = await schedule();
      const unknown = "0198d2c4-5b7a-7c31-9e42-6d1f0a8b3c55";
      for (const path of [`/approve/${id}`, `/approve/${unknown}`]) {
        const answer = await get(path, {});
        expect([answer.status, answer.headers.get("location")]).toEqual([
          303,
          `/sign-in?to=${encodeURIComponent(path)}`,
        ]);
      }
      const theirs = await signInTo(fixture.core, (await makeAccount(fixture)).id);
      const answers = await Promise.all(
        [id, unknown].map((one) => get(`/approve/${one}`, { cookie: theirs.cookie })),
      );
      for (const answer of answers) expect(answer.status).toBe(404);
      expect(answers[0]?.text.replaceAll(id, "")).toBe(answers[1]?.text.replaceAll(unknown, ""));
      expect((await decide(id, "approve", { cookie: theirs.cookie })).status).toBe(404);
      expect((await get(`/confirm/${id}`, {})).text).not.toContain("Tidy");
      expect((await get(`/confirm/${id}`)).headers.get("location")).toBe(`/approve/${id}`);
    });

    it("shows a workflow's version and input, and a server and its tool", async () => {
      const written = await putWorkflow(fixture.core, {
        agentId: mine.agent.id,
        id: null,
        name: "weekly",
        prompt: "Report what happened.",
      });
      if (!written.ok) throw new Error(written.refusal.reason);
      const { id: workflowId } = written.value;
      const execution = await api.send(`/v1/workflows/${workflowId}/executions`, {
        method: "POST",
        bearer: mine.aiClient,
        json: { input: "Week 11" },
      });
      const url = (execution.body as { approve_url: string }).approve_url;
      const id = url.split("/").at(-1) ?? "";
      const shown = (await get(`/approve/${id}`)).text;
      for (const text of ["Run version 1 of weekly once?", "Report what happened.", "Week 11"]) {
        expect(shown).toContain(text);
      }
      expect((await decide(id, "approve")).status).toBe(303);
      expect((await get(`/approve/${id}`)).text).toMatch(/agent\/[^/]+\/runs\/[^"]+">See the run/);

      const verdict = await authorizeWrite(fixture.core, {
        runId: "run-1",
        agentId: mine.agent.id,
        server: "issues",
        tool: "create_<issue>",
        origin: "repository",
        isNamed: false,
        job: null,
        args: JSON.stringify({ title: "Log <in>", token: "ghp_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA2bC4" }),
      });
      const grant = verdict.isAllowed ? "" : (verdict.approval?.id ?? "");
      const page = (await get(`/approve/${grant}`)).text;
      expect(page).toContain("Let the agent write by issues?");
      expect(page).toContain("create_&lt;issue&gt;");
      expect(page).toContain("&quot;title&quot;: &quot;Log &lt;in&gt;&quot;");
      expect(page).not.toContain("ghp_aB3d");
      expect(page).toContain("no credits: a call of such a tool is part of its run");
      await decide(grant, "approve");
      expect(await fixture.store.committed.writeGrants.list(mine.agent.id)).toMatchObject([
        { server: "issues" },
      ]);
    });
  });
});
