// Every event asks for something before it starts a run: a request of somebody who may make one, or its name in the workflow.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CodeHostEvent, Payload } from "../../fakes/code-host/event.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { ciEvents, pullRequestActions } from "../../src/contract/ci/events.ts";
import type { ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { briefingBackend } from "../support/scripted-backend.ts";

const at = "2026-01-15T10:00:00Z";
const user = { login: "outsider", id: 99, type: "User" };
const comment = { id: 9, node_id: "DC_1", body: "/agent do it", user, created_at: at, updated_at: at };

/** What anybody can cause, with the fields that GitHub publishes for it. */
const anybodys: readonly (readonly [CodeHostEvent, string | null, Payload])[] = [
  [
    "commit_comment",
    "created",
    { comment: { ...comment, commit_id: "0".repeat(40), path: null, line: null } },
  ],
  ["watch", "started", {}],
  ["fork", null, { forkee: { id: 5, full_name: "outsider/octo-repo", fork: true } }],
  ["gollum", null, { pages: [{ page_name: "Home", title: "Home", action: "edited", sha: "0".repeat(40) }] }],
  ["check_run", "completed", { check_run: { id: 1, status: "completed", conclusion: "failure" } }],
  ["check_suite", "completed", { check_suite: { id: 1, status: "completed", conclusion: "failure" } }],
  ["deployment_status", "created", { deployment_status: { id: 1, state: "success" }, deployment: { id: 1 } }],
  ["label", "created", { label: { id: 1, name: "agent" } }],
  ["milestone", "opened", { milestone: { id: 1, number: 1, title: "v1" } }],
  ["status", null, { id: 1, sha: "0".repeat(40), state: "failure", context: "ci", branches: [] }],
  ["workflow_run", "completed", {}],
];
const writers: readonly CodeHostEvent[] = [
  "branch_protection_rule",
  "deployment",
  "page_build",
  "public",
  "registry_package",
];

describe("an event", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario", backend: briefingBackend });
    fixture.codeHost.rest.setPermission("outsider", "read", 99);
  });
  afterAll(async () => await fixture.close());

  const play = async (options: JobOptions, inputs: Record<string, string> = {}) => {
    const job = await fixture.job(options);
    const before = fixture.codeHost.requests.length;
    const step = await fixture.main(job, { inputs: { comment: "false", ...inputs } });
    return { step, asked: fixture.codeHost.requests.slice(before).map(({ path }) => path) };
  };
  const outsiders = { actor: "outsider", actorId: "99" };

  it("is played here where the table has it ask for its name", () => {
    const named = Object.entries(ciEvents.github).flatMap(([event, { asks }]) =>
      asks === "name" ? [event] : [],
    );
    expect(new Set(anybodys.map(([event]) => event))).toEqual(new Set(named));
  });

  it.each(anybodys)("%s (%s) starts nothing where nobody names it", async (event, action, payload) => {
    const { step, asked } = await play({
      event,
      ...(action === null ? {} : { action }),
      payload,
      ...outsiders,
    });
    expect(step).toMatchObject({
      exitCode: 0,
      requests: [],
      outputs: { conclusion: "skipped", reason: "event_not_named" },
    });
    expect(step.annotations[0]?.message).toContain(`Name it in "allow-events"`);
    // Not even an ID token.
    expect(asked).toEqual([]);
  });

  it("of anybody starts a run where the workflow names it, and what stops runs needs no name", async () => {
    const { step } = await play(
      { event: "watch", action: "started", ...outsiders },
      { "allow-events": "fork, watch" },
    );
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    const cancelled = await play(
      { event: "check_run", action: "completed", ...outsiders },
      { mode: "cancel", "run-id": "run_01kaf1aaaaaaaaaaaaaaaaaaaa" },
    );
    expect(cancelled.step.outputs.reason).not.toBe("event_not_named");
  });

  it.each(writers)("%s, which takes write access, needs no name", async (event) => {
    expect((await play({ event })).step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
  });

  describe("pull_request", () => {
    it.each(Object.entries(pullRequestActions))("%s asks for: %s", async (action, asks) => {
      const event = "pull_request";
      const label = action === "labeled" || action === "unlabeled" ? { label: { id: 1, name: "agent" } } : {};
      const { step } = await play({ event, action, payload: label, ...outsiders });
      const reason = { code: "completed", writer: "permission_missing", name: "action_ignored" }[asks];
      expect(step.outputs.reason).toBe(reason);
      if (asks === "code") return;
      expect(step).toMatchObject({ exitCode: 0, requests: [], outputs: { conclusion: "skipped" } });
      const named: Record<string, string> =
        asks === "name" ? { "allow-events": `pull_request.${action}` } : {};
      const allowed = await play({ event, action, payload: label }, named);
      expect(allowed.step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    });

    it("starts nothing by an action that nobody knows yet", async () => {
      const { step } = await play({ event: "pull_request", action: "teleported" });
      expect(step).toMatchObject({
        requests: [],
        outputs: { conclusion: "skipped", reason: "action_ignored" },
      });
    });

    it("of a fork asks for allow-forks, whatever the action", async () => {
      for (const action of ["opened", "labeled", "closed"]) {
        const options: JobOptions = {
          event: "pull_request",
          action,
          pullRequest: { origin: "fork" },
          idToken: true,
        };
        const { step } = await play(options, { "allow-events": "pull_request.closed" });
        expect(step.outputs.reason).toBe("fork_pull_request");
      }
    });
  });
});
