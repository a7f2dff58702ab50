// A push: the whole way, with the service's own backend on a real repository.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  eventsOf,
  REPOSITORY,
  replyOf,
  routesOf,
  type ScenarioFixture,
  type StepResult,
  sentTokens,
} from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { briefingBackend } from "../support/scripted-backend.ts";
import { expectSoundLedger } from "../support/service-ledger.ts";
import { expectValidStream } from "../support/service-streams.ts";

describe("a job on push", () => {
  let fixture: ScenarioFixture;
  let main: StepResult;
  let post: StepResult;

  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario", backend: briefingBackend });
    const job = await fixture.job();
    main = await fixture.main(job, { inputs: { prompt: "Brief me." } });
    post = await fixture.post(job, main);
  });
  afterAll(async () => await fixture.close());

  it("succeeds, and sets every output", async () => {
    expect(main).toMatchObject({ exitCode: 0, exitSignal: null, annotations: [] });
    const [run] = await fixture.runs();
    expect(main.outputs).toEqual({
      conclusion: "success",
      reason: "completed",
      "run-id": run?.id,
      "run-url": expect.stringMatching(new RegExp(`/agent/[0-9a-f-]{36}/runs/${run?.id}[?]view=svc_rv_`)),
      "run-api-url": `${fixture.url}/v1/ci/runs/${run?.id}`,
      "session-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      reply: await replyOf(main),
      "reply-file": expect.stringMatching(/reply\.md$/),
      "events-file": expect.stringMatching(/events\.ndjson$/),
      "claim-url": "",
      credits: "1",
      tokens: "0",
      "changed-files": "[]",
      checks: "",
      "patch-file": "",
      "structured-output": "",
      branch: "",
      "commit-sha": "",
      "attestation-url": "",
      "pull-request-url": "",
      "comment-url": "",
      findings: "",
    });
  });

  it("asks the service for one run, and follows it", () => {
    expect(routesOf(main).slice(0, 3)).toEqual(["exchange", "submit", "page"]);
    expect(new Set(routesOf(main).slice(3, -1))).toEqual(new Set(["poll"]));
    expect(routesOf(main).at(-1)).toBe("report");
    const [exchange, submit] = main.requests;
    expect(Object.keys(JSON.parse(exchange?.body ?? "")).sort()).toEqual([
      "default_branch",
      "grant_type",
      "subject_token",
      "subject_token_type",
    ]);
    expect(exchange?.headers.authorization).toBeUndefined();
    expect(JSON.parse(submit?.body ?? "")).toEqual({
      message: "Brief me.",
      may_park: true,
      delivers: true,
      about: { actor: "octocat" },
    });
    expect(submit?.headers["idempotency-key"]).toMatch(/^ci-[0-9a-f]{64}$/);
    expect(sentTokens(main)).toMatchObject([{ aud: new URL(fixture.url).host, event_name: "push" }]);
  });

  it("keeps every stored event once and in order in the events file", async () => {
    const events = await eventsOf(main);
    expect(events).toEqual(await fixture.storedEvents(main.outputs["run-id"] ?? ""));
    await expectValidStream(events);
  });

  it("leaves the briefing as the reply", async () => {
    const reply = await replyOf(main);
    expect(reply).toContain(`# Briefing of \`${REPOSITORY}\``);
    expect(reply).toContain("Greets whoever asks.");
    expect(reply).toContain("event `push`");
    expect(reply).toContain("Languages: TypeScript (1 file)");
    const deltas = (await eventsOf(main)).flatMap(({ event }) =>
      event.type === "TEXT_MESSAGE_CONTENT" && "delta" in event ? [event.delta] : [],
    );
    expect(deltas.join("")).toBe(reply);
  });

  it("names the run in the log before anything else, and shows each tool call as a group", () => {
    const runId = main.outputs["run-id"] ?? "";
    const [first, second, third] = main.log.split("\n");
    expect([first, second, third]).toEqual([
      `Run ${runId}`,
      `Follow it at ${main.outputs["run-url"]}`,
      `Run ${runId} started.`,
    ]);
    expect(main.groups.length).toBeGreaterThan(3);
    expect(main.rawLog.match(/^::endgroup::$/gm)).toHaveLength(main.groups.length);
    expect(main.log).toContain("Run completed.");
    expect(main.log.trimEnd().split("\n").at(-1)).toBe("✅ Answered");
  });

  it("puts verdict, reply and costs on the summary's first screen", () => {
    const [verdict, , facts, , reply] = main.summary.split("\n");
    expect(verdict).toBe("## ✅ Answered");
    expect(facts).toContain("**Credits** 1 charged, 99 left · **Tokens** 0 · **Time** ");
    expect(facts).toContain(`[the run](${main.outputs["run-url"]})`);
    expect(reply).toContain("No model took part in this run");
    const details = main.summary.indexOf("<details>");
    expect(details).toBeGreaterThan(main.summary.indexOf("Greets whoever asks."));
    expect(main.summary.slice(details)).toContain("```mermaid\ngantt");
    expect(main.summary.match(/<details>/g)).toHaveLength(main.summary.match(/<\/details>/g)?.length ?? 0);
  });

  it("clones without credentials, and is charged for one run", async () => {
    const clones = fixture.codeHost.requests.filter(({ path }) => path.includes(".git/"));
    expect(clones.length).toBeGreaterThan(0);
    for (const { headers } of clones) expect(headers.authorization).toBeUndefined();
    expect(await fixture.run(main)).toMatchObject({
      status: "completed",
      cause: null,
      refunded_micro_usd: 0,
    });
    await expectSoundLedger(fixture.place);
  });

  it("revokes the capability in the post step, and says nothing", async () => {
    expect(main.state.phase).toBe("concluded");
    expect(post).toMatchObject({ exitCode: 0, annotations: [], outputs: {}, summary: "" });
    expect(post.log.trim()).toBe("");
    expect(routesOf(post)).toEqual(["revoke"]);
    expect(post.requests[0]?.answer?.status).toBe(204);
    const [capability] = await fixture.place.query("select revoked_at from capabilities");
    expect(capability?.revoked_at).not.toBeNull();
  });
});
