// What may be done with a run on its page: who may cancel it, ask for it once more, or go on from it, and what the page says to
// everybody else.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { authorizeWrite } from "../../../../../src/service/core/write-grants/authorize-write.ts";
import { AccountRuns, alertOf, fieldOf } from "../../../../support/account-runs.ts";
import { askPeople, type Parking, parkingOf } from "../../../../support/parking.ts";
import { RunPages } from "../../../../support/run-pages.ts";
import { say, untilStopped } from "../../../../support/scripted-backend.ts";
import { makeAccount } from "../../../../support/service-account.ts";
import { expectSoundLedger } from "../../../../support/service-ledger.ts";
import { onEveryStore } from "../../../../support/stores/on-every-store.ts";
import { signInTo } from "../../../../support/web-sign-in.ts";

onEveryStore((store) => {
  describe("what may be done with a run on its page", () => {
    let parking: Parking;
    let pages: RunPages;
    let runs: AccountRuns;

    beforeAll(async () => {
      parking = await parkingOf(async (task, { continued }) => {
        const asked = task.messages.at(-1)?.content ?? "";
        if (asked === "wait") await untilStopped(task);
        if (asked === "fail") throw new Error("It broke.");
        if (asked === "park" && continued === 0) return await askPeople(task, "Which one?");
        await say(task, `Heard ${task.messages.length}: ${asked}`);
        return { stopReason: "end_turn" };
      });
      pages = await RunPages.open({ ...parking, store });
      runs = await AccountRuns.of(pages);
    });

    afterAll(async () => {
      await expectSoundLedger(pages.fixture.place);
      await pages.close();
      await parking.remove();
    });

    const running = async () => {
      const run = await runs.start({ message: "wait" });
      await pages.fixture.until(run.runId, ({ status }) => status === "running");
      return run;
    };
    const isShown = (text: string, action: string) => {
      const form = text.indexOf(`action="${action}"`);
      if (form < 0) return false;
      return !/^[^>]* hidden/.test(text.slice(text.lastIndexOf('<div id="', form), form));
    };
    const isNextShown = (text: string) => text.includes('<section id="next"><h2>And now …</h2><form');

    it("cancels a run at work, once however often it is asked, and says so", async () => {
      const { runId, path } = await running();
      const before = await runs.get(path);
      expect(isShown(before, `${path}/cancel`)).toBe(true);
      expect([isShown(before, `${path}/retry`), isNextShown(before)]).toEqual([false, false]);
      const answers = await Promise.all([1, 2].map(() => runs.post(`${path}/cancel`, {})));
      for (const { status, headers } of answers)
        expect([status, headers.get("location")]).toEqual([303, path]);
      expect(await pages.fixture.ended(runId)).toMatchObject({ status: "cancelled", cause: "user_stop" });
      const after = await runs.get(path);
      expect(after).toContain("The run was cancelled</h1>");
      expect(isShown(after, `${path}/cancel`)).toBe(false);
      expect([isShown(after, `${path}/retry`), isNextShown(after)]).toEqual([true, true]);
      // A window that still has the button.
      expect((await runs.post(`${path}/cancel`, {})).headers.get("location")).toBe(path);
    });

    it("cancels what waits for a worker, and what is parked", async () => {
      const busy = [await running(), await running()];
      const { runId, path } = await runs.start({ message: "hello" });
      expect(isShown(await runs.get(path), `${path}/cancel`)).toBe(true);
      expect((await runs.post(`${path}/cancel`, {})).status).toBe(303);
      expect((await pages.fixture.run(runId)).status).toBe("cancelled");
      for (const one of busy) await runs.post(`${one.path}/cancel`, {});
      for (const one of busy) await pages.fixture.ended(one.runId);

      const parked = await runs.start({ message: "park", may_park: true });
      await pages.fixture.until(parked.runId, (run) => run.parked !== undefined);
      const shown = await runs.get(parked.path);
      expect(isShown(shown, `${parked.path}/cancel`)).toBe(true);
      expect(shown).toContain(`action="${parked.path}/resume"`);
      expect((await runs.post(`${parked.path}/cancel`, {})).status).toBe(303);
      expect((await pages.fixture.run(parked.runId)).status).toBe("cancelled");
    });

    it("says that there is nothing to cancel any more, with the run as it ended", async () => {
      const { runId, path } = await runs.ended({ message: "hello" });
      const late = await runs.post(`${path}/cancel`, {});
      expect([late.status, alertOf(late.text)]).toEqual([
        409,
        `Nothing was cancelled. Run ${runId} has ended already: completed.`,
      ]);
      expect(late.text).toContain("Heard 1: hello");
      expect((await pages.fixture.run(runId)).status).toBe("completed");
    });

    it.each([
      ["fail", "failed"],
      ["hello", "completed"],
    ])("asks for the same once more: %s", async (message, status) => {
      const body = { message, max_turn_tokens: 1234, output_schema: { type: "object" } };
      const { runId, path } = await runs.ended(message === "fail" ? body : { message, may_park: false });
      const before = await pages.fixture.run(runId);
      expect(before.status).toBe(status);
      const key = fieldOf(await runs.get(path), { action: `${path}/retry`, name: "key" });
      const answers = await Promise.all([1, 2].map(() => runs.post(`${path}/retry`, { key })));
      const [first, second] = answers.map(({ headers }) => headers.get("location") ?? "");
      const made = [first, second].find((one) => one !== "") ?? "";
      expect(made).toMatch(new RegExp(`^${runs.agentPath}/runs/`));
      expect(made).not.toBe(path);
      // Sent once more, it is the same one.
      expect((await runs.post(`${path}/retry`, { key })).headers.get("location")).toBe(made);
      const newId = made.split("/").at(-1) ?? "";
      const after = await pages.fixture.ended(newId);
      expect(after.sessionId).not.toBe(before.sessionId);
      expect(after.billingAccount).toBe(before.billingAccount);
      const [old, anew] = await Promise.all(
        [runId, newId].map((id) => pages.fixture.store.committed.runs.findInput(id)),
      );
      expect(anew).toEqual({ ...old, mayPark: true, hasThread: true });
      expect(await pages.fixture.run(runId)).toEqual(before);
      // From another window, which has a key of its own, it is another run.
      const other = fieldOf(await runs.get(path), { action: `${path}/retry`, name: "key" });
      expect((await runs.post(`${path}/retry`, { key: other })).headers.get("location")).not.toBe(made);
    });

    it("asks in the same session for what came later in it, and only as its next message", async () => {
      const first = await runs.ended({ message: "one" });
      const { sessionId } = await pages.fixture.run(first.runId);
      const second = await runs.ended({ message: "fail", session_id: sessionId });
      const key = fieldOf(await runs.get(second.path), { action: `${second.path}/retry`, name: "key" });
      const sent = await runs.post(`${second.path}/retry`, { key });
      const made = sent.headers.get("location") ?? "";
      const third = await pages.fixture.ended(made.split("/").at(-1) ?? "");
      expect(third.sessionId).toBe(sessionId);
      expect((await runs.post(`${second.path}/retry`, { key })).headers.get("location")).toBe(made);
      const again = await runs.get(second.path);
      expect(again).not.toContain(`action="${second.path}/retry"`);
      expect(again).toContain(`Its session went on with <a href="${made}">a later run</a>`);
      const late = await runs.post(`${second.path}/retry`, { key: "another" });
      expect([late.status, alertOf(late.text)]).toEqual([
        409,
        "There is no new run. Its session went on with a later run.",
      ]);
      // The first one begins a session of its own.
      expect(await runs.get(first.path)).toContain(`action="${first.path}/retry"`);
    });

    it("says the next message of a session, once, and keeps what was written where somebody else was faster", async () => {
      const { runId, path } = await runs.ended({ message: "one" });
      const [shown, other] = [await runs.get(path), await runs.get(path)];
      const [key, otherKey] = [shown, other].map((text) =>
        fieldOf(text, { action: `${path}/next`, name: "key" }),
      );
      const empty = await runs.post(`${path}/next`, { key: key ?? "", message: " " });
      expect([empty.status, alertOf(empty.text)]).toEqual([409, expect.stringContaining("message")]);
      const form = { key: key ?? "", message: "two" };
      const sent = await runs.post(`${path}/next`, form);
      const made = sent.headers.get("location") ?? "";
      expect(sent.status).toBe(303);
      const next = await pages.fixture.ended(made.split("/").at(-1) ?? "");
      expect(next.sessionId).toBe((await pages.fixture.run(runId)).sessionId);
      expect(await runs.get(made)).toContain("Heard 1: two");
      expect((await runs.post(`${path}/next`, form)).headers.get("location")).toBe(made);
      const late = await runs.post(`${path}/next`, { key: otherKey ?? "", message: "<b>mine\nlong" });
      expect([late.status, alertOf(late.text)]).toEqual([
        409,
        "There is no new run. Its session went on with a later run.",
      ]);
      expect(late.text).toContain('<textarea id="typed" readonly>\n&lt;b&gt;mine\nlong</textarea>');
      expect(late.text).not.toContain(`action="${path}/next"`);
      const session = await pages.fixture.store.committed.runs.listOfSession({
        sessionId: next.sessionId,
        after: null,
        limit: 9,
      });
      expect(session.map(({ id }) => id)).toEqual([runId, next.id]);
    });

    it("does nothing with a run that has not ended", async () => {
      const { runId, path } = await running();
      for (const [action, form] of [
        ["retry", { key: "k1" }],
        ["next", { key: "k2", message: "more" }],
      ] as const) {
        const early = await runs.post(`${path}/${action}`, form);
        expect([early.status, alertOf(early.text)]).toEqual([
          409,
          "There is no new run. It has not ended yet.",
        ]);
      }
      await runs.post(`${path}/cancel`, {});
      await pages.fixture.ended(runId);
    });

    it("says what people can do instead with a job's run, and lets its session go on", async () => {
      const runId = await pages.fixture.submit();
      await pages.fixture.ended(runId);
      const { agentId } = await pages.fixture.run(runId);
      const { id: accountId } = runs.account;
      await pages.fixture.store.transact((tx) => tx.agents.update(agentId, { accountId }));
      const path = `/agent/${agentId}/runs/${runId}`;
      const shown = await runs.get(path);
      expect(shown).not.toContain(`action="${path}/retry"`);
      expect(shown).toContain("only a job can deliver what it makes");
      expect(shown).toContain('href="https://issuer.example/octo/hello/actions/runs/500"');
      const sent = await runs.post(`${path}/retry`, { key: "k" });
      expect([sent.status, alertOf(sent.text)]).toEqual([409, expect.stringContaining("only a job")]);
      expect(shown).toContain("No job pushes what it changes");
      const key = fieldOf(shown, { action: `${path}/next`, name: "key" });
      expect((await runs.post(`${path}/next`, { key, message: "go on" })).status).toBe(303);
    });

    it("offers no retry of what is not kept, of an agent that is retired, nor of one that is gone", async () => {
      const gone = await runs.ended({ message: "what was asked" });
      const batch = {
        endedBefore: pages.fixture.clock.now() + 1,
        maxEvents: 10_000,
        now: pages.fixture.clock.now(),
      };
      await pages.fixture.store.transact((tx) => tx.expiry.deleteRunContent(batch));
      for (const action of ["retry", "next", "cancel"]) {
        const sent = await runs.post(`${gone.path}/${action}`, { key: "k", message: "m" });
        expect([sent.status, sent.headers.get("location")]).toEqual([303, gone.path]);
      }
      const record = await runs.get(gone.path);
      expect(record).toContain("</span>Completed</h1>");
      expect(record).toContain("the service keeps them for a day. So it cannot be asked for once more.");
      expect(record).toContain("1 credit charged");
      expect(record).not.toMatch(/what was asked|<form method="post" action="\/agent/);
      const { cookie } = await signInTo(pages.fixture.core, (await makeAccount(pages.fixture)).id);
      expect((await pages.get(gone.path, { headers: { cookie } })).status).toBe(404);

      const other = await AccountRuns.of(pages);
      const run = await other.ended({ message: "hello" });
      const { id } = other.account.agent;
      const now = pages.fixture.clock.now();
      await pages.fixture.store.transact((tx) => tx.agents.update(id, { retiredAt: now }));
      const retired = await other.get(run.path);
      expect(retired).toContain("Its agent is retired and takes no more work.");
      expect(retired).not.toMatch(/action="[^"]*\/(retry|next)"/);
      const refused = await other.post(`${run.path}/retry`, { key: "k" });
      expect([refused.status, alertOf(refused.text)]).toEqual([409, expect.stringContaining("retired")]);
      await pages.fixture.store.transact((tx) => tx.agents.delete({ id, now }));
      const deleted = await other.get(run.path);
      expect(deleted).toContain("Its agent was deleted: nothing more can be done with this run.");
      expect(deleted).not.toContain('<form method="post" action="/agent');
    });

    it("has the card of what the run has asked for, with its evidence and the buttons, until it is decided", async () => {
      const { runId, path } = await runs.ended({ message: "hello" });
      const { agent } = runs.account;
      const write = await authorizeWrite(pages.fixture.core, {
        runId,
        agentId: agent.id,
        server: "issues",
        tool: "create_issue",
        origin: "repository",
        isNamed: false,
        job: null,
        args: JSON.stringify({ title: "A <title>" }),
      });
      const id = write.isAllowed ? "" : write.approval?.id;
      const viewer = await runs.person("viewer");
      const [shown, read] = [await runs.get(path), await runs.get(path, viewer.cookie)];
      for (const text of [shown, read]) {
        expect(text).toContain("Let the agent write by issues?");
        expect(text).toContain("&quot;title&quot;: &quot;A &lt;title&gt;&quot;");
      }
      expect(shown).toContain(`action="/approve/${id}"`);
      expect(read).not.toContain(`action="/approve/${id}"`);
      expect(read).toContain("Admins and owners of this account decide this.");
      const other = await runs.ended({ message: "hello" });
      expect(await runs.get(other.path)).not.toContain("Let the agent write");
      expect((await runs.post(`/approve/${id}`, { decision: "deny" })).status).toBe(303);
      expect(await runs.get(path)).not.toContain("Let the agent write");
    });

    it("is for members: a viewer is told so, and readers by link see nothing of it", async () => {
      const { runId, path } = await running();
      const [viewer, member] = [await runs.person("viewer"), await runs.person("member")];
      expect(isShown(await runs.get(path, member.cookie), `${path}/cancel`)).toBe(true);
      const shown = await runs.get(path, viewer.cookie);
      expect(shown.slice(shown.indexOf("<article"))).not.toMatch(/<form|data-may-continue/);
      expect(shown).toContain(
        "Members, admins and owners of this account cancel this run, ask for the same again and go on from it. Your role is viewer.",
      );
      for (const action of ["cancel", "retry", "next", "fork", "resume"]) {
        const refused = await runs.post(`${path}/${action}`, { key: "k", message: "m" }, viewer.cookie);
        expect([action, refused.status]).toEqual([action, 403]);
      }
      expect((await pages.fixture.run(runId)).status).toBe("running");
      const stranger = await makeAccount(pages.fixture);
      const { cookie } = await signInTo(pages.fixture.core, stranger.id);
      for (const action of ["cancel", "retry", "next"])
        expect((await runs.post(`${path}/${action}`, { key: "k", message: "m" }, cookie)).status).toBe(404);
      expect((await runs.post(`${path}/cancel`, {}, member.cookie)).status).toBe(303);
      await pages.fixture.ended(runId);

      const linked = await pages.finished(async () => {});
      const byLink = await runs.get(linked.path, pages.viewCookie(linked));
      expect(byLink).not.toMatch(/<form method="post" action="\/agent|id="again"|Your role/);
    });
  });
});
