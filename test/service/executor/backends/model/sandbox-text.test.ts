import { describe, expect, it } from "vitest";
import type { SandboxFacts } from "../../../../../src/service/core/ports/sandbox.ts";
import { sandboxText } from "../../../../../src/service/executor/backends/model/sandbox-text.ts";
import { noEnvironment } from "../../../../../src/service/executor/prepare-environment.ts";

const facts: SandboxFacts = {
  tree: "/checkout",
  home: "/home/agent",
  hasNetwork: false,
  hasJobsCaches: false,
  timeoutMs: 600_000,
  memoryBytes: 4096 * 1024 * 1024,
  diskBytes: 8192 * 1024 * 1024,
  tools: ["node 24.1.0", "bash", "npm"],
};

describe("what the model is told of its sandbox", () => {
  it("is where commands work, what they reach and what bounds them, in a few sentences", () => {
    const text = sandboxText(facts, {
      environment: noEnvironment,
      network: "Commands have no network: nothing can be downloaded.",
    });
    expect(text).toBe(
      "Commands are executed in a sandbox, in /checkout. Commands have no network: nothing can be downloaded. " +
        "HOME is /home/agent, and is made anew for each command; beside it only the repository and /tmp can be written, " +
        "and /tmp does not stay. `.git` is read-only: `git commit` fails, and is not needed, because your changes to files " +
        "are collected. A command may take 600 s, 4096 MB of memory and 8192 MB of files. In PATH: node 24.1.0, bash, npm.",
    );
    expect(text.length).toBeLessThan(600);
  });

  it("says where there is a network, a home that stays, and what the job has downloaded", () => {
    const text = sandboxText(
      { ...facts, hasNetwork: true, hasJobsCaches: true, tools: [] },
      {
        environment: { home: "/data/homes/x", setup: { state: "done", script: "setup.sh" } },
        network: "Commands have no network.",
      },
    );
    expect(text).toContain("Commands have this machine's network.");
    expect(text).toContain("HOME is /home/agent, and stays between commands;");
    expect(text).toContain(
      "What the job has downloaded before (packages, toolchains) is in the usual folders of HOME",
    );
    expect(text).not.toContain("In PATH");
    expect(text).toMatch(/The repository's setup\.sh was executed before you: what it installed is there\.$/);
  });

  it("says of a home that is made anew that what the job has downloaded is there all the same", () => {
    const text = sandboxText({ ...facts, hasJobsCaches: true }, { environment: noEnvironment, network: "" });
    expect(text).toContain(
      "HOME is /home/agent; for each command it is made anew, empty but for what the job has downloaded before (packages, toolchains), which is in the usual folders, read-only. Beside it only the repository and /tmp can be written",
    );
    expect(text.match(/downloaded before/g)).toHaveLength(1);
  });

  it("says where there is no bash, but not where nobody knows", () => {
    const told = (tools: readonly string[]) =>
      sandboxText({ ...facts, tools }, { environment: noEnvironment, network: "" });
    expect(told(["node 24.1.0"])).toContain("There is no bash: /bin/sh executes commands.");
    expect(told(["bash"])).not.toContain("There is no bash");
    expect(told([])).not.toContain("bash");
  });

  it("says how a setup failed, with the end of what it wrote", () => {
    const failed = {
      state: "failed",
      script: "setup.sh",
      why: "exit code 1",
      output: "E404 left-pad",
    } as const;
    const text = sandboxText(facts, {
      environment: { home: "/data/homes/x", setup: failed },
      network: "",
    });
    expect(text).toMatch(
      /setup\.sh was executed before you, and failed \(exit code 1\): [\s\S]*\nE404 left-pad$/,
    );
  });
});
