// What a run is about, in its record and its lists, on every store.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeJob } from "../../../../fakes/records.ts";
import { maskedRun } from "../../../../src/service/api/shared/masked-events.ts";
import { toRun } from "../../../../src/service/api/shared/run-view.ts";
import { aboutRun } from "../../../../src/service/core/runs/about-run.ts";
import { listRuns } from "../../../../src/service/core/runs/list-runs.ts";
import { CoreFixture } from "../../../support/fixtures/core-fixture.ts";
import { say, scriptedBackend } from "../../../support/scripted-backend.ts";
import { onEveryStore } from "../../../support/stores/on-every-store.ts";

const user = (content: string) => [{ role: "user" as const, content }];

describe("what a run is about", () => {
  it("is the first line of what its user said last, in 160 characters", () => {
    const messages = [
      ...user("Earlier."),
      { role: "assistant" as const, content: "Yes." },
      ...user("\n\n  Fix  it.\nNow."),
    ];
    expect(aboutRun({ messages, job: null })).toEqual({ request: "Fix it.", about: {} });
    expect(aboutRun({ messages: user("x".repeat(100_000)), job: null }).request).toHaveLength(160);
    expect(aboutRun({ messages: user(" \n "), job: null }).request).toBeNull();
    expect(aboutRun({ messages: user("a\u202Eb"), job: null }).request).not.toContain("\u202E");
  });

  it("has the pull request's head, and what the job says", () => {
    const job = makeJob();
    const pullRequest = {
      number: 7,
      headSha: "b".repeat(40),
      baseRef: "main",
      headRef: "topic",
    };
    const said = { request: "Review", actor: "octocat" };
    expect(aboutRun({ messages: user("A long prompt."), job, pullRequest }, said)).toMatchObject({
      request: "Review",
      about: { actor: "octocat", sha: "b".repeat(40), subject: { type: "pull_request", number: 7 } },
    });
  });
});

onEveryStore((store) => {
  describe("a run of a job", () => {
    let fixture: CoreFixture;
    beforeEach(async () => {
      const backend = scriptedBackend(async (task) => await say(task, "Done."));
      fixture = await CoreFixture.start({ backend, store });
      fixture.executor.start();
    });
    afterEach(() => fixture.close());

    const submit = async () => {
      const about = {
        request: "Fix the parser",
        actor: "octocat",
        subject: { type: "issue", number: 7 },
      } as const;
      const submitted = await fixture.trySubmit({ message: "A prompt of the job.", about });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return await fixture.ended(submitted.value.runId);
    };

    it("says it in the record and in the list, with links, and less to who has its link", async () => {
      const run = await submit();
      const { about } = toRun(run);
      expect(about).toMatchObject({
        request: "Fix the parser",
        actor: "octocat",
        event: "push",
        subject: { type: "issue", number: 7 },
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      });
      expect(about?.subject?.url).toMatch(/^https:\/\/.*\/issues\/7$/);
      expect(about?.commit_url).toBe(`${about?.repository_url}/commit/${about?.commit}`);
      const caller = await fixture.caller();
      const { agentId } = caller.capability;
      const listed = await listRuns(fixture.core, {
        caller,
        agentId,
        sessionKey: null,
        before: null,
        limit: 5,
      });
      expect(listed.ok && listed.value.runs.map((one) => toRun(one).about)).toEqual([about]);
      const { request: _hidden, ...others } = about ?? {};
      expect(toRun(maskedRun(run)).about).toEqual(others);
    });

    it("forgets the request with its input", async () => {
      const run = await submit();
      const batch = {
        endedBefore: fixture.clock.now() + 1_000_000,
        maxEvents: 1_000,
        now: fixture.clock.now(),
      };
      await fixture.store.transact((tx) => tx.expiry.deleteRunContent(batch));
      const { about } = toRun(await fixture.run(run.id));
      expect(about).toMatchObject({ actor: "octocat", subject: { number: 7 } });
      expect(about).not.toHaveProperty("request");
    });
  });
});
