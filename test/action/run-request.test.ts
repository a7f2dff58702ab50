import { describe, expect, it } from "vitest";
import { readInputs } from "../../src/action/inputs.ts";
import { runRequest } from "../../src/action/run-request.ts";
import type { AgentRequest } from "../../src/github/trigger/agent-request.ts";

const WORKFLOW = "octo/repo/.github/workflows/nightly.yml@refs/heads/main";
const issue = { number: 7, isPullRequest: false, title: "Wrong", body: "", author: null };
const bare = { refs: null, comment: null, command: null, asker: null };
const onIssue: AgentRequest = { prompt: "Do it", subject: { ...issue, ...bare } };
const alone: AgentRequest = { prompt: "Do it", subject: null };

type Given = {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly request?: AgentRequest;
  readonly job?: { readonly job: string; readonly step: string };
  readonly workflowRef?: string;
};

function body(given: Given = {}) {
  const { request = alone, job = { job: "upkeep", step: "agent" }, workflowRef = WORKFLOW } = given;
  const all: Record<string, string> = {
    "base-url": "https://agents.example.com",
    changes: "pull-request",
    matrix: "null",
    ...given.inputs,
  };
  return runRequest({
    inputs: readInputs({ read: (name) => all[name] ?? "", names: Object.keys(all), models: null }),
    request,
    job,
    workflowRef,
  });
}

const key = (given?: Given) => body(given).session_key;

/** What every body has: the job's 60 minutes, less one for what comes after the run. */
const asked = { message: "Do it", may_park: true, delivers: true };
/** By a service inside the job. */
const askedInside = { message: "Do it", may_park: true };

describe("the bounds of a run", () => {
  it("are its inputs: dollars as they are written, and the job's time less what comes after", () => {
    const inputs = { "max-cost": "2.50", "max-turn-tokens": "70000", "timeout-minutes": "5" };
    expect(body({ inputs: { ...inputs, session: "new" } })).toEqual({
      message: "Do it",
      max_cost_usd: 2.5,
      max_turn_tokens: 70_000,
      time_limit_seconds: 270,
      may_park: true,
      delivers: true,
    });
  });

  it.each(["0", "-1", "2,50", "$2", "2.5000001", "10001", "1e3"])("refuses a cost of %s", (given) => {
    expect(() => body({ inputs: { "max-cost": given } })).toThrow(
      `Input "max-cost" must be US dollars from 0.01 to 10000, such as 2.50, got "${given}".`,
    );
  });
});

describe("the attempts of a run", () => {
  it("are sent where they are more than one, and never for a review", () => {
    const inputs = { "best-of": "3", "best-of-models": "model-a, model-b", session: "new" };
    expect(body({ inputs })).toEqual({ ...asked, best_of: 3, best_of_models: ["model-a", "model-b"] });
    expect(body({ inputs: { session: "new", "best-of": "1" } })).toEqual(asked);
    const review = body({
      inputs: { ...inputs, findings: "annotations" },
      request: { prompt: "Do it", subject: { ...issue, ...bare, isPullRequest: true } },
    });
    expect(review).toMatchObject({ best_of: undefined, best_of_models: undefined });
  });
});

describe("a comment that continues a run", () => {
  const continuing = (request: string, inputs: Record<string, string> = {}) =>
    body({
      inputs: { "max-cost": "2", "max-turn-tokens": "70000", ...inputs },
      request: {
        prompt: "Go on.",
        subject: {
          ...issue,
          refs: null,
          comment: null,
          command: { verb: "continue", request, preamble: "" },
          asker: null,
        },
      },
    });

  it.each([
    ["", { max_cost_usd: 2, max_turn_tokens: 70_000 }],
    ["max-cost 5", { max_cost_usd: 5, max_turn_tokens: 70_000 }],
    ["max-turn-tokens 90000 max-cost: $0.50 and be quick", { max_cost_usd: 0.5, max_turn_tokens: 90_000 }],
    ["be quick, max-cost 5", { max_cost_usd: 2, max_turn_tokens: 70_000 }],
  ])("has the limits that it names, or else the workflow's: %j", (request, limits) => {
    expect(continuing(request)).toMatchObject({
      message: "Go on.",
      session_key: "thread-7",
      may_park: true,
      ...limits,
    });
  });
});

describe("the session of a run", () => {
  it("is that of the step in its workflow, where its changes become a pull request", () => {
    expect(body()).toEqual({
      ...asked,
      session_key: expect.stringMatching(/^workflow-nightly\.yml-[0-9a-f]{32}$/),
    });
    expect(key()).toBe(key());
  });

  it("is another for another step, job, matrix leg, workflow or branch", () => {
    const keys = [
      key(),
      key({ job: { job: "upkeep", step: "agent2" } }),
      key({ job: { job: "docs", step: "agent" } }),
      key({ inputs: { matrix: '{"package":"a"}' } }),
      key({ workflowRef: WORKFLOW.replace("nightly", "weekly") }),
      key({ workflowRef: WORKFLOW.replace("main", "next") }),
    ];
    expect(keys).not.toContain(undefined);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("keeps the key within its length, whatever the name of the file", () => {
    const workflowRef = `octo/repo/.github/workflows/${"ä".repeat(40)}${"n".repeat(240)}.yml@refs/heads/main`;
    expect(key({ workflowRef })).toMatch(/^workflow-n{100}-[0-9a-f]{32}$/);
    expect(key({ workflowRef: "" })).toMatch(/^workflow--[0-9a-f]{32}$/);
  });

  it("is new where there is no pull request to update, and where the workflow says so", () => {
    expect(body({ inputs: { changes: "patch" } })).toEqual(asked);
    expect(body({ inputs: { session: "new" } })).toEqual(asked);
    expect(body({ inputs: { "base-url": "embedded" } })).toEqual(askedInside);
    expect(body({ inputs: { session: "new", changes: "none", wait: "false" } })).toEqual(askedInside);
  });

  it("is that of the issue or pull request that the event is about", () => {
    expect(key({ request: onIssue })).toBe("thread-7");
    expect(key({ request: onIssue, inputs: { changes: "patch" } })).toBe("thread-7");
    expect(key({ request: onIssue, inputs: { session: "new" } })).toBeUndefined();
  });

  it("starts again on the issue where a user requests that", () => {
    const command = { verb: "new", request: "in French", preamble: "" } as const;
    const subject = { ...issue, refs: null, comment: null, command, asker: null };
    const request: AgentRequest = { prompt: "Do it", subject };
    expect(body({ request })).toEqual({
      ...asked,
      session_key: "thread-7",
      new_session: true,
      about: { request: "in French", subject: { type: "issue", number: 7 } },
    });
    expect(body({ request, inputs: { "base-url": "embedded" } })).toEqual(askedInside);
  });

  it.each([
    ["fix", "the tests", "fix the tests"],
    ["review", "", "review"],
    ["new", "in French", "in French"],
    [null, "why?", "why?"],
    [null, "", "Title of issue"],
  ] as const)("says what it is about: %s %j", (verb, said, request) => {
    const command = { verb, request: said, preamble: "" };
    const subject = { ...issue, title: "Title of issue", refs: null, comment: null, command, asker: null };
    expect(body({ request: { prompt: "Do it", subject } })).toMatchObject({ about: { request } });
  });

  it("is the one that is named", () => {
    expect(body({ inputs: { session: "s-1" } })).toEqual({ ...asked, session_id: "s-1" });
  });
});
