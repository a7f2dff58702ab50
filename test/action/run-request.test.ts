import { describe, expect, it } from "vitest";
import { readInputs } from "../../src/action/inputs.ts";
import { runRequest } from "../../src/action/run-request.ts";
import type { Ask } from "../../src/github/trigger/agent-request.ts";

const WORKFLOW = "octo/repo/.github/workflows/nightly.yml@refs/heads/main";
const thread = { number: 7, isPullRequest: false, title: "Wrong", body: "", author: null };
const onThread: Ask = { prompt: "Do it", talk: { thread, ends: null, remark: null, command: null } };
const alone: Ask = { prompt: "Do it", talk: null };

type Given = {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly ask?: Ask;
  readonly job?: { readonly job: string; readonly step: string };
  readonly workflowRef?: string;
};

function request(given: Given = {}) {
  const { ask = alone, job = { job: "upkeep", step: "agent" }, workflowRef = WORKFLOW } = given;
  const all: Record<string, string> = {
    "base-url": "https://agents.example.com",
    changes: "pull-request",
    matrix: "null",
    ...given.inputs,
  };
  return runRequest({ inputs: readInputs((name) => all[name] ?? ""), ask, job, workflowRef });
}

const key = (given?: Given) => request(given).session_key;

describe("the session of a run", () => {
  it("is that of the step in its workflow, where its changes become a pull request", () => {
    expect(request()).toEqual({
      message: "Do it",
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

  it("keeps the key within its length, whatever the file is called", () => {
    const workflowRef = `octo/repo/.github/workflows/${"ä".repeat(40)}${"n".repeat(240)}.yml@refs/heads/main`;
    expect(key({ workflowRef })).toMatch(/^workflow-n{100}-[0-9a-f]{32}$/);
    expect(key({ workflowRef: "" })).toMatch(/^workflow--[0-9a-f]{32}$/);
  });

  it("is new where nothing is to be brought up to date, and where the workflow says so", () => {
    expect(request({ inputs: { changes: "patch" } })).toEqual({ message: "Do it" });
    expect(request({ inputs: { session: "new" } })).toEqual({ message: "Do it" });
    expect(request({ inputs: { "base-url": "embedded" } })).toEqual({ message: "Do it" });
  });

  it("is that of the thread that the event is about", () => {
    expect(key({ ask: onThread })).toBe("thread-7");
    expect(key({ ask: onThread, inputs: { changes: "patch" } })).toBe("thread-7");
    expect(key({ ask: onThread, inputs: { session: "new" } })).toBeUndefined();
  });

  it("begins anew on the thread where somebody asks for that", () => {
    const command = { verb: "new", request: "in French", preamble: "" } as const;
    const talk = { thread, ends: null, remark: null, command };
    const ask: Ask = { prompt: "Do it", talk };
    expect(request({ ask })).toEqual({ message: "Do it", session_key: "thread-7", new_session: true });
    expect(request({ ask, inputs: { "base-url": "embedded" } })).toEqual({ message: "Do it" });
  });

  it("is the one that is named", () => {
    expect(request({ inputs: { session: "s-1" } })).toEqual({ message: "Do it", session_id: "s-1" });
  });
});
