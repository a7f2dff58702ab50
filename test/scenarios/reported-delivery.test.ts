// What the job did with its run, as it reports it to the service: the record and the page know it, and a service that does not
// take it hinders nobody.

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createClient, type Run } from "../../src/client/client.ts";
import { ChangesFixture, LINES } from "../support/fixtures/changes-fixture.ts";
import { FindingsFixture, inDiff, inRange, PULL, review } from "../support/fixtures/findings-fixture.ts";
import type { ScenarioFixture, StepResult } from "../support/fixtures/scenario-fixture.ts";

const PUSH = { changes: "commit", prompt: "Mend the notes, please." };
const FIXED = LINES.replace("line 2\n", "line two\n");

/** As a job of the repository reads it. */
async function recordOf(fixture: ScenarioFixture, step: StepResult): Promise<Run> {
  const token = step.state.capability ?? "";
  const client = createClient({ baseUrl: fixture.url, credential: token });
  const { run } = await client.ci.readRun({ runId: step.outputs["run-id"] ?? "", query: {} });
  return run;
}

const reportsOf = (step: StepResult) => step.requests.filter(({ route }) => route === "report");

describe("a push", () => {
  let fixture: ChangesFixture;
  beforeAll(async () => {
    fixture = await ChangesFixture.open();
  });
  afterEach(() => {
    fixture.fixture.proxy.heal();
    fixture.fixture.codeHost.push.protectedBranches.clear();
    fixture.repository.updateRef("refs/heads/main", fixture.main);
  });
  afterAll(async () => await fixture.close());

  const play = async () => {
    fixture.plan(fixture.changes({ "notes.txt": FIXED }));
    return (await fixture.play({}, { inputs: PUSH })).step;
  };

  it("is in the run's record, and the page's heading", async () => {
    const step = await play();
    expect(step).toMatchObject({ exitCode: 0, annotations: [] });
    const sha = fixture.tip("main") ?? "";
    expect(await recordOf(fixture.fixture, step)).toMatchObject({
      status: "completed",
      delivery: {
        state: "reported",
        conclusion: "success",
        title: `Pushed ${sha.slice(0, 7)} to main`,
        pushed: { branch: "main", sha },
      },
    });
    expect(reportsOf(step)).toMatchObject([{ answer: { status: 200 } }]);
    const { cookie, location } = await followLink(step.outputs["run-url"] ?? "");
    const page = await (await fetch(location, { headers: { cookie } })).text();
    expect(page).toContain(`<title>✅ Pushed ${sha.slice(0, 7)} to main</title>`);
    expect(page).toContain("As its job has reported.");
  });

  it("that was refused is told as that", async () => {
    fixture.fixture.codeHost.push.protectedBranches.add("main");
    const step = await play();
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure" } });
    const { delivery } = await recordOf(fixture.fixture, step);
    expect(delivery).toMatchObject({ conclusion: "failure", title: "The changes were not pushed" });
    expect(delivery).not.toHaveProperty("pushed");
  });

  it.each([404, 410])("is told to nobody by an older service, which answers %i", async (status) => {
    fixture.fixture.proxy.always("report", { type: "status", status, body: "{}" });
    const step = await play();
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(step.log).not.toContain("report");
    expect(reportsOf(step)).toHaveLength(1);
    expect(await recordOf(fixture.fixture, step)).toMatchObject({ delivery: { state: "expected" } });
  });

  it("fails for no report that is refused, and says so once", async () => {
    fixture.fixture.proxy.always("report", {
      type: "status",
      status: 409,
      body: '{"code":"delivery_reported"}',
    });
    const step = await play();
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(step.annotations).toEqual([
      expect.objectContaining({
        level: "warning",
        message: expect.stringMatching(/^The report to the service /),
      }),
    ]);
  });
});

describe("a job that does not wait", () => {
  it("reports nothing, and says nothing of it", async () => {
    const fixture = await ChangesFixture.open();
    const { step } = await fixture.play({}, { inputs: { ...PUSH, wait: "false" } });
    expect(reportsOf(step)).toEqual([]);
    const submit = step.requests.find(({ route }) => route === "submit");
    expect(JSON.parse(submit?.body ?? "{}")).not.toHaveProperty("delivers");
    await fixture.close();
  });
});

describe("a review", () => {
  it("is told with its check run and how many findings are new, open, fixed", async () => {
    const fixture = await FindingsFixture.open();
    fixture.reply = review(inDiff, inRange);
    const { step } = await fixture.play(PULL, { "check-run": "true", findings: "review" });
    const checks = fixture.fixture.codeHost.rest.checkRuns.all;
    expect(await recordOf(fixture.fixture, step)).toMatchObject({
      delivery: {
        title: "2 findings, 1 error",
        check_run: { url: checks.at(-1)?.html_url, conclusion: "neutral" },
        findings: { pull_request: 7, new: 2, open: 0, fixed: 0, declined: 0, withdrawn: 0 },
      },
    });
    await fixture.close();
  });
});

/** A reader who opens the address of the log. */
async function followLink(url: string): Promise<{ readonly cookie: string; readonly location: string }> {
  const answer = await fetch(url, { redirect: "manual" });
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  return { cookie, location: new URL(answer.headers.get("location") ?? "", url).href };
}
