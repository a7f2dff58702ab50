// The built Action of a version that knows no parked runs, with the built service of now: it submits, follows and delivers as it did
// with the service of its own version.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { answer, call, type Part, type Step, say, stall, wait } from "../../fakes/model-server/turn.ts";
import type { ActionResult } from "../../fakes/runner/run-action.ts";
import { earlierClient } from "../support/client-without-parking.ts";
import { expectNothingKept } from "../support/durable/expect-played.ts";
import { deployments } from "../support/fixtures/action-fixture.ts";
import { eventsOf } from "../support/fixtures/scenario-fixture.ts";
import { OlderActionFixture } from "../support/older-action/older-action-fixture.ts";
import { expectWritten } from "../support/older-action/written.ts";
import { sqliteStore } from "../support/stores/stores.ts";

const asked = { question: "Which parser?", choices: ["The old one", "The new one"] };
const write = (path: string): Part => call("write_file", { path, content: `${path}\n` });
/** Writes two files, a turn each, and says that it is done. */
const turns: readonly (readonly Part[])[] = [
  [say("I begin."), write("first.txt")],
  [say("One more."), write("second.txt")],
  [say("Both files are **written**.")],
];
const working = ({ assistantTurns }: ModelRequest): Step => [...(turns[assistantTurns] ?? [])];
const asking = ({ messages }: ModelRequest): Step =>
  JSON.stringify(messages).includes("The new one.")
    ? JSON.stringify(messages.at(-1)).includes("The new one.")
      ? write("new-parser.txt")
      : say("Done with the new one.")
    : call("ask_question", asked);
const prompt = "Write both files.";
/** Without what another push has said. */
const pushed = { prompt, changes: "pull-request", session: "new" };

const namesIn = async (step: ActionResult): Promise<readonly string[]> =>
  (await eventsOf(step)).flatMap(({ event }) =>
    event.type === "CUSTOM" && "name" in event ? [String(event.name)] : [],
  );

/** What any service has to do for it: the one of its own version has, too. */
function plays(fixture: () => OlderActionFixture): void {
  it("runs on a push, and opens a pull request with what was changed", async () => {
    const one = fixture();
    one.step = working;
    const { main, post } = await one.main(await one.job(), { inputs: pushed });
    const outputs = { conclusion: "success", credits: "1", tokens: "360" };
    expect(main).toMatchObject({ exitCode: 0, annotations: [], outputs });
    const { branch = "", "commit-sha": tip = "" } = main.outputs;
    expect(one.repository.git(["rev-parse", `refs/heads/${branch}`])).toBe(tip);
    expect(one.repository.git(["show", `${tip}:second.txt`])).toBe("second.txt");
    expect(one.codeHost.pulls.all).toMatchObject([{ head: branch, base: "main", state: "open" }]);
    expect(post).toMatchObject({ exitCode: 0, annotations: [], outputs: {}, summary: "" });
    await expectWritten("push", main);
  });

  it("ends with a question, and its answer is a new run of the session that delivers", async () => {
    const one = fixture();
    one.step = asking;
    const request = async (comment: string) => {
      const job = await one.job({ event: "issue_comment", isIssue: true, comment });
      return (await one.main(job, { inputs: { changes: "pull-request" } })).main;
    };
    const first = await request("/agent fix the parser");
    expect(first).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", reason: "question" } });
    expect(await namesIn(first)).not.toContain("parked");
    await expectWritten("question", first, one.answerOn(7));
    const second = await request("/agent The new one.");
    expect(second).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", reason: "completed" } });
    expect(second.outputs["session-id"]).toBe(first.outputs["session-id"]);
    expect(second.outputs["run-id"]).not.toBe(first.outputs["run-id"]);
    expect(JSON.parse(second.outputs["changed-files"] ?? "")).toEqual(["new-parser.txt"]);
    await expectWritten("answer", second, one.answerOn(7));
  });

  it("ends at its limit of cost", async () => {
    const one = fixture();
    const usage = { input: 40_000, output: 4_000 };
    one.step = ({ assistantTurns: turn }) =>
      answer([turn < 2 ? write(`file-${turn}.txt`) : say("All of it.")], { usage });
    const { main } = await one.main(await one.job(), { inputs: { prompt, "max-cost": "0.15" } });
    expect(main).toMatchObject({ exitCode: 1, outputs: { conclusion: "incomplete", reason: "max_cost" } });
    expect(await namesIn(main)).not.toContain("parked");
    await expectWritten("max-cost", main);
  });

  it("ends at the limit of turns", async () => {
    const one = fixture();
    one.step = ({ assistantTurns }) => write(`file-${assistantTurns}.txt`);
    const { main } = await one.main(await one.job(), { inputs: { prompt } });
    expect(main).toMatchObject({ exitCode: 1, outputs: { conclusion: "incomplete", reason: "max_turns" } });
    expect(await namesIn(main)).not.toContain("parked");
    await expectWritten("max-turns", main);
  });

  it("cancels its run where its job is cancelled", async () => {
    const one = fixture();
    const never = Promise.withResolvers<void>();
    one.step = () => [say("Looks around."), wait(never.promise)];
    const cancelling = new AbortController();
    const { signal } = cancelling;
    const step = one.main(await one.job(), { inputs: { prompt }, signal });
    // What the run has not heard is not its reply. It hears word by word.
    const heard = "select 1 from run_events where event like '%Looks%'";
    await expect.poll(() => one.place.query(heard)).not.toEqual([]);
    cancelling.abort();
    const { main } = await step;
    never.resolve();
    expect(main).toMatchObject({ outputs: { conclusion: "cancelled", reason: "user_stop" } });
    const runs = await one.place.query(`select status from runs where id = '${main.outputs["run-id"]}'`);
    expect(runs).toEqual([{ status: "cancelled" }]);
    await expectWritten("cancelled", main);
  });
}

/** What only the service of now does. */
function playsOfNow(fixture: () => OlderActionFixture): void {
  /** Loses the worker in the second turn of the next run. Resolves once it is lost. */
  const loseWorker = (one: OlderActionFixture): Promise<void> => {
    const held = Promise.withResolvers<string | null>();
    let isHeld = false;
    one.step = (request) => {
      if (request.assistantTurns !== 1 || isHeld) return working(request);
      isHeld = true;
      held.resolve(request.apiKey);
      return stall();
    };
    return held.promise.then((apiKey) => one.killWorker(apiKey));
  };

  it("writes nothing of what turns say of their tokens, which it does not know", async () => {
    const one = fixture();
    one.step = working;
    const { main } = await one.main(await one.job(), { inputs: pushed });
    expect((await namesIn(main)).filter((name) => name === "turn_usage")).toHaveLength(3);
    // The text of its log, its summary and its outputs are those with a service that writes no such events.
    await expectWritten("push", main);
  });

  it("follows a run that another worker takes up, and delivers as of any other", async () => {
    const one = fixture();
    const lost = loseWorker(one);
    const { main } = await one.main(await one.job(), { inputs: pushed });
    await lost;
    await one.restore();
    expect(main).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(await namesIn(main)).toContain("resumed");
    expect(one.repository.git(["show", `${main.outputs["commit-sha"]}:second.txt`])).toBe("second.txt");
    // As of a run that nothing has disturbed.
    await expectWritten("push", main);
  });

  it("as a client follows a run that another worker takes up, by poll and by socket", async () => {
    const one = fixture();
    const { createClient } = await one.older.load();
    const client = createClient({ baseUrl: one.url, credential: one.key?.secret ?? "" });
    const { id: agentId } = await client.agents.create({ body: { name: "helper" } });
    const lost = loseWorker(one);
    const { runId, sessionId } = await client.runs.submit({ agentId, body: { message: prompt } });
    const polled = (async () => {
      const events: { readonly seq: number; readonly event: object }[] = [];
      for await (const event of client.runs.follow({ runId })) events.push(event);
      return events;
    })();
    const statuses: string[] = [];
    const types: string[] = [];
    for await (const item of client.sessions.follow({ sessionId })) {
      if (item.type === "run") statuses.push(item.run.status);
      else types.push(item.type);
      if (statuses.at(-1) === "completed") break;
    }
    await lost;
    await one.restore();
    const events = await polled;
    expect(events.at(-1)?.event).toMatchObject({ type: "RUN_FINISHED" });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.map(({ event }) => event)).toContainEqual(expect.objectContaining({ name: "resumed" }));
    expect(statuses).toContain("running");
    expect(types.length).toBeGreaterThan(0);
  });

  it("attaches to a run that another version parked, and follows it to its end once it is continued", async () => {
    const one = fixture();
    one.step = asking;
    const request = async (comment: string) => {
      const job = await one.job({
        event: "issue_comment",
        isIssue: true,
        comment,
        pullRequest: { number: 8 },
      });
      return (await one.main(job, { inputs: { changes: "patch" }, isNewest: true })).main;
    };
    const parked = await request("/agent fix the parser");
    const runId = parked.outputs["run-id"] ?? "";
    expect(await namesIn(parked)).toContain("parked");
    const isAttached = Promise.withResolvers<void>();
    const attached = one.main(await one.job(), {
      inputs: { mode: "attach", "run-id": runId },
      onLine: (line) => {
        if (line.includes("Which parser?")) isAttached.resolve();
      },
    });
    await isAttached.promise;
    expect((await request("/agent The new one.")).outputs["run-id"]).toBe(runId);
    const { main } = await attached;
    expect(main).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", reason: "completed" } });
    expect(await namesIn(main)).toEqual(expect.arrayContaining(["parked", "resumed"]));
    await expectWritten("attached", main);
  });
}

for (const { store, roles } of deployments) {
  describe(`an older Action with the service of now on ${store.name}`, { tags: [...store.tags] }, () => {
    let fixture: OlderActionFixture;
    beforeAll(async () => {
      fixture = await OlderActionFixture.start({ store, roles });
    });
    afterEach(async () => {
      // Where a test has failed before it did so, the next one would wait for a worker for ever.
      await fixture.restore();
      await expectNothingKept(fixture);
    });
    afterAll(() => fixture.close());
    plays(() => fixture);
    playsOfNow(() => fixture);
  });
}

// Whatever differs between the two is said by the same texts.
describe("an older Action with the service of its own version", { tags: ["history"] }, () => {
  let earlier: ReturnType<typeof earlierClient>;
  let fixture: OlderActionFixture;
  beforeAll(async () => {
    earlier = earlierClient();
    fixture = await OlderActionFixture.start({ store: sqliteStore, roles: ["all"], entry: earlier.command });
  });
  afterAll(async () => {
    await fixture.close();
    earlier.remove();
  });
  plays(() => fixture);
});
