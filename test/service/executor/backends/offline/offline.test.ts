import { verifyEvents } from "@ag-ui/client";
import { from, lastValueFrom, toArray } from "rxjs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { offlineBackend } from "../../../../../src/service/executor/backends/offline/offline.ts";
import { CheckoutFixture } from "../../../checkouts/checkout-fixture.ts";
import { TaskRecorder } from "../../tools/task-recorder.ts";
import { fixtureBase, fixtureHead } from "./fixture.ts";
import { runOffline } from "./run-offline.ts";

let fixture: CheckoutFixture;
beforeEach(async () => {
  fixture = await CheckoutFixture.make();
});
afterEach(() => fixture.close());

/** The commits that the golden briefings are of: the same names in every run. */
function fixtureCommits(): { main: string; merge: string } {
  const { repository } = fixture;
  let main = repository.commit({ files: { "README.md": "# Start\n" }, subject: "first", day: 0 });
  for (const [day, step] of ["draft the parser", "handle | pipes", "fix `ticks` for @somebody"].entries()) {
    const files = { ...fixtureBase, "src/parser.ts": `// ${step}\nexport const step = ${day};\n` };
    main = repository.commit({ files, parents: [main], subject: step, day: day + 1 });
  }
  const head = repository.commit({ files: fixtureHead, parents: [main], subject: "widen it", day: 5 });
  const merge = { files: fixtureHead, parents: [main, head], subject: `Merge ${head} into ${main}`, day: 6 };
  return { main, merge: repository.commit(merge) };
}

const request = [{ role: "user" as const, content: "Please fix\nthe parser, @team <b>now</b>" }];

describe("a push", () => {
  it("gets the briefing of its commit", async () => {
    const checkout = await fixture.open(fixtureCommits().main);
    const recorder = await runOffline(checkout, { messages: request });
    await expect(recorder.text()).toMatchFileSnapshot("./golden/push.md");
    expect(recorder.faults()).toEqual([]);
  });

  it("gets the same briefing every time", async () => {
    const { main } = fixtureCommits();
    const first = await runOffline(await fixture.open(main));
    const second = await runOffline(await fixture.open(main));
    expect(second.events).toEqual(first.events);
  });
});

describe("a pull request", () => {
  it("gets the briefing with what it changes", async () => {
    const event = { event: "pull_request", baseRef: "main", ref: "refs/pull/7/merge" };
    const checkout = await fixture.open(fixtureCommits().merge, { source: event });
    const recorder = await runOffline(checkout, event);
    await expect(recorder.text()).toMatchFileSnapshot("./golden/pull-request.md");
    expect(recorder.faults()).toEqual([]);
  });

  it("is told when its base is out of reach", async () => {
    const event = { event: "pull_request", baseRef: "main", ref: "refs/pull/7/merge" };
    const checkout = await fixture.open(fixtureCommits().merge, {
      source: event,
      limits: { historyDepth: 1 },
    });
    const recorder = await runOffline(checkout, event);
    expect(recorder.text()).toContain("Its base is not in the history that was fetched");
  });
});

describe("the stream", () => {
  it("passes the verification of AG-UI between RUN_STARTED and RUN_FINISHED", async () => {
    const { events } = await runOffline(await fixture.open(fixtureCommits().main));
    const run = { threadId: "t", runId: "run-1" };
    const whole = [{ type: "RUN_STARTED", ...run }, ...events, { type: "RUN_FINISHED", ...run }];
    const source = from(whole) as unknown as Parameters<ReturnType<typeof verifyEvents>>[0];
    expect(await lastValueFrom(verifyEvents(false)(source).pipe(toArray()))).toHaveLength(whole.length);
  });

  it("shows its steps and its tools", async () => {
    const { events } = await runOffline(await fixture.open(fixtureCommits().main));
    const steps = events.flatMap((event) => (event.type === "STEP_STARTED" ? [event.stepName] : []));
    const tools = events.flatMap((event) => (event.type === "TOOL_CALL_START" ? [event.toolCallName] : []));
    expect(steps).toEqual(["List the files", "Read the manifests", "Read the history", "Write the briefing"]);
    expect(new Set(tools)).toEqual(new Set(["list_files", "read_file", "git_log"]));
  });

  it("stops with the reason of an abort after any event, and leaves nothing open", async () => {
    const checkout = await fixture.open(fixtureCommits().main);
    const { length } = (await runOffline(checkout)).events;
    for (let at = 0; at < length - 1; at++) {
      const recorder = new TaskRecorder();
      let left = at;
      recorder.onEmit = () => {
        if (left === 0) recorder.controller.abort(new Error(`cancelled at ${at}`));
        left -= 1;
      };
      await expect(runOffline(checkout, {}, recorder)).rejects.toThrow(`cancelled at ${at}`);
      expect(recorder.faults()).toEqual([]);
      expect(recorder.events.length).toBeLessThanOrEqual(at + 5);
    }
  });

  it("reports the first failure when the stream takes no more", async () => {
    const recorder = new TaskRecorder();
    const checkout = await fixture.open(fixtureCommits().main);
    let failures = 0;
    recorder.onEmit = ({ type }) => {
      if (type !== "STEP_STARTED") throw new Error(`full ${++failures}`);
    };
    await expect(runOffline(checkout, {}, recorder)).rejects.toThrow("full 1");
  });
});

describe("an agent without a repository", () => {
  it("says so, repeats the request, says what to do, and does nothing else", async () => {
    const provider = fixture.provider();
    const opened = await provider.openEmpty({ runId: "run-1" }, AbortSignal.timeout(30_000));
    if (!opened.ok) throw new Error(opened.refusal.detail);
    const recorder = new TaskRecorder();
    const { repository, sha, ref, event, baseRef, ...task } = recorder.task({ messages: request });
    if (!offlineBackend.needsCheckout) throw new Error("offline needs a checkout.");
    const outcome = await offlineBackend.run({ ...task, repository: null }, opened.value);
    await opened.value.close();
    expect(outcome.stopReason).toBe("no_model");
    const text = recorder.text();
    expect(text).toContain("This agent has no repository");
    expect(text).toContain("The request was: `Please fix the parser, @team <b>now</b>`");
    expect(text).toContain("agent-service claim <url>");
    expect(text.trim()).not.toContain("\n");
    const types = recorder.events.map(({ type }) => type);
    expect(types).toEqual(["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]);
    expect(recorder.faults()).toEqual([]);
  });
});
