// examples/evals.yml: who it runs for, and the command that it gives.

import { describe, expect, it } from "vitest";
import { catalogue } from "../../../src/cli/catalogue.ts";
import { evalFlags } from "../../../src/cli/eval-flags.ts";
import { COMMENT_MARKER } from "../../../src/evals/eval-report.ts";
import { readExample } from "../../support/example-workflow.ts";

describe("the example of evals", () => {
  const { eval: job } = readExample("evals.yml").jobs;
  const scripts = (job?.steps ?? []).flatMap(({ run }) => run ?? []);

  it("leaves forks out, fetches the history, and needs no key", () => {
    expect(job?.if).toBe("github.event.pull_request.head.repo.full_name == github.repository");
    expect(job?.steps[0]?.with["fetch-depth"]).toBe("0");
    expect(job?.permissions).toEqual({ contents: "read", "id-token": "write", "pull-requests": "write" });
    expect(JSON.stringify(job)).not.toContain("secrets.");
  });

  it("calls a command that there is, with flags that it has", () => {
    const script = scripts.find((one) => one.includes("agent-service eval")) ?? "";
    expect(catalogue).toHaveProperty("eval");
    const flags = [...script.slice(script.indexOf("agent-service eval")).matchAll(/--([\w-]+)/g)];
    expect(flags.map(([, name]) => name)).toEqual(expect.arrayContaining(["base", "head", "max-cost"]));
    for (const [, name = ""] of flags) expect(evalFlags).toHaveProperty(name);
  });

  it("finds its own comment again by the marker of the report", () => {
    expect(scripts.at(-1)).toContain(COMMENT_MARKER);
    expect(scripts.at(-1)).toContain("agent-service-output/eval.md");
  });
});
