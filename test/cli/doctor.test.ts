// agent-service doctor: how it is called, and what it is called wrongly with.

import { describe, expect, it } from "vitest";
import { runCommand } from "../support/run/run-command.ts";

const JOB = { GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "octo/hello", GITHUB_API_URL: "http://127.0.0.1:1" };

describe("agent-service doctor", () => {
  it.each([
    [["--base-url", "ftp://x"], {}, /^--base-url must be the service's address, .* got "ftp:\/\/x"\./],
    [["--base-url", ""], {}, /got nothing\./],
    [["--base-url", "https://a/v1"], {}, /^--base-url ends with "\/v1", .* leave out "\/v1"\./],
    [[], { AGENT_SERVICE_URL: "agents" }, /^AGENT_SERVICE_URL \(or --base-url\) must be/],
    [["--base-url", "https://a?b=c"], {}, /without user, query or fragment/],
    [["--audience", ""], {}, /^--audience must be one line/],
    [
      ["--github-token-env", "NOT_SET"],
      {},
      /^--github-token-env names NOT_SET, and there is no such variable/,
    ],
    [["extra"], {}, /Too many arguments for 'doctor'/],
    [["--token", "x"], {}, /Unknown option '--token'/],
  ] as const)("refuses %j", async (args, env, message) => {
    const { code, stdout, stderr } = await runCommand(["doctor", ...args], env);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });

  it("does not repeat a password, or a token in the place of a variable's name", async () => {
    const first = await runCommand(["doctor", "--base-url", "https://me:password@agents.example"]);
    expect([first.code, first.stderr.includes("password")]).toEqual([2, false]);
    const second = await runCommand(["doctor", "--github-token-env", "ghs-0123456789"]);
    expect(second.stderr).toMatch(/must be the name of a variable, not the token itself/);
    expect(second.stderr).not.toContain("ghs-0123456789");
  });

  it("ends with 1 where there is a fault, and the page is on standard output", async () => {
    const args = ["doctor", "--base-url", "http://127.0.0.1:1"];
    const { code, stdout, stderr } = await runCommand(args, JOB);
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout).toMatch(/^agent-service doctor /);
    expect(stdout).toContain("id-token: write");
  });

  it("speaks of the machine where there is no job", async () => {
    const { stdout } = await runCommand(["doctor", "--json"], {});
    const { checks }: { checks: { id: string; title: string; found: string }[] } = JSON.parse(stdout);
    const foundOf = (wanted: string) => checks.find(({ id }) => id === wanted);
    expect(foundOf("runner")?.title).toBe("This machine");
    expect(foundOf("embedded")?.found).toMatch(
      /the agent works on this machine, in the checkout of this folder\./,
    );
    expect(foundOf("embedded")?.found).not.toMatch(/\bjobs?\b/);
    expect(foundOf("job")?.found).toMatch(/^This machine runs no CI job/);
  });

  it("takes GitHub's token by the name of its variable", async () => {
    const env = { ...JOB, MY_TOKEN: "ghs_the_forges_own_token", GITHUB_TOKEN: "ghs_another" };
    const { stdout } = await runCommand(["doctor", "--github-token-env", "MY_TOKEN", "--json"], env);
    const check = JSON.parse(stdout).checks.find(({ id }: { id: string }) => id === "github-token");
    expect(check.facts).toContainEqual({ name: "from", value: "the variable MY_TOKEN" });
    expect(stdout).not.toContain("ghs_");
  });

  it("names what a CI that cannot be used is", async () => {
    const { code, stdout } = await runCommand(["doctor"], { TF_BUILD: "True" });
    expect(code).toBe(1);
    expect(stdout).toContain("Azure DevOps cannot be used");
  });
});
