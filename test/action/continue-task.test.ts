import { describe, expect, it } from "vitest";
import { continuationOf } from "../../src/action/continue-task.ts";
import { type Inputs, readInputs } from "../../src/action/inputs.ts";
import type { RequestSubject } from "../../src/github/trigger/agent-request.ts";

const inputs = (more: Record<string, string> = {}): Inputs => {
  const all: Record<string, string> = { "base-url": "https://agents.example.com", matrix: "null", ...more };
  return readInputs({ read: (name) => all[name] ?? "", names: Object.keys(all), models: null });
};
const subject = (request: string, mayRaise: boolean): RequestSubject => ({
  ...{ number: 7, isPullRequest: false, title: "Wrong", body: "", author: null, refs: null, comment: null },
  ...{ asker: null, mayRaise, command: { verb: "continue", request, preamble: "" } },
});

describe("a comment that continues a run", () => {
  it("raises the limits that somebody with write access names", () => {
    expect(continuationOf(inputs(), subject("max-cost 5", true))).toEqual({ ok: true, value: ["max_cost"] });
    const both = continuationOf(inputs(), subject("max-turn-tokens 9 max-cost 5", true));
    expect(both).toEqual({ ok: true, value: ["max_cost", "max_tokens"] });
  });

  it("raises none of somebody without, who may continue it as it is", () => {
    expect(continuationOf(inputs(), subject("be quick", false))).toEqual({ ok: true, value: [] });
    expect(continuationOf(inputs(), subject("max-cost 5", false))).toMatchObject({
      refusal: { code: "permission_missing", conclusion: "skipped" },
    });
  });

  it("is refused where there is no session to go on with, or a limit is none", () => {
    const fresh = continuationOf(inputs({ session: "new" }), subject("", true));
    expect(fresh).toMatchObject({ refusal: { code: "not_continued", conclusion: "skipped" } });
    const wrong = continuationOf(inputs(), subject("max-cost lots", true));
    expect(wrong).toMatchObject({ refusal: { code: "limit_wrong", conclusion: "skipped" } });
  });
});
