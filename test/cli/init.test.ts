// agent-service init: its questions, the file that it writes, and what it says to do next.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Exit } from "../support/fixtures/service-process.ts";
import { runCommand } from "../support/run/run-command.ts";

/** Nothing listens there. */
const URL = "http://127.0.0.1:9";

describe("agent-service init", () => {
  let root: string;
  const file = (): string => join(root, ".github/workflows/agent.yml");
  const init = async (args: readonly string[], input = "", folder = root): Promise<Exit> =>
    await runCommand(["init", ...args], {}, { folder, input });

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "init-")));
    execFileSync("git", ["init", "--quiet", root]);
  });

  it("asks three questions, writes the workflow, and prints the doctor's page", async () => {
    const folder = join(root, "deep/down");
    mkdirSync(folder, { recursive: true });
    const { code, stdout, stderr } = await init([], `comments\n${URL}\npull-request\n`, folder);
    expect([code, stderr.match(/\?$/gm)?.length]).toEqual([0, 3]);
    const text = readFileSync(file(), "utf8");
    expect(text).toContain(`base-url: ${URL}\n`);
    expect(text).toContain("changes: pull-request\n");
    expect(stdout).toContain(`Wrote ${file()}`);
    expect(stdout).toContain("Allow GitHub Actions to create and approve pull requests");
    expect(stdout).toMatch(/fault +The service/);
  });

  it("asks nothing where flags answer, and takes the action at a commit", async () => {
    const action = `octo/agent-service@${"a".repeat(40)}`;
    const { code, stderr } = await init(["--start", "reviews", "--at", "job", "--action", action]);
    expect([code, stderr]).toEqual([0, ""]);
    const text = readFileSync(file(), "utf8");
    expect(text).toContain(`uses: ${action}\n`);
    expect(text).toContain("id-token: write");
    expect(text).toContain("anthropic-federation-rule-id: ${{ vars.ANTHROPIC_FEDERATION_RULE_ID }}\n");
    expect(text).not.toMatch(/base-url|secrets\./);
  });

  it("stores a key only where that is asked for", async () => {
    const { code, stdout } = await init(["--start", "reviews", "--at", "key"]);
    expect([code, readFileSync(file(), "utf8")]).toEqual([
      0,
      expect.stringContaining("model-api-key: ${{ secrets.ANTHROPIC_API_KEY }}\n"),
    ]);
    expect(readFileSync(file(), "utf8")).not.toContain("id-token");
    expect(stdout).toContain("docs/keyless-models.md");
  });

  it.each([
    ["comments", 'Write "/agent help" on an issue.'],
    ["reviews", "Open a pull request, or push to one, and read the review."],
    [
      "nightly",
      "Start it once by hand, by Actions → Agent maintenance → Run workflow, and read its summary.",
    ],
    ["manual", "Start it once by hand, by Actions → Ask the agent → Run workflow, and read its summary."],
  ])("names a first start that %s has", async (start, step) => {
    const { stdout } = await init(["--start", start, "--at", "job", "--changes", "none"]);
    expect(stdout).toContain(`${step}\n`);
    const triggers = readFileSync(file(), "utf8").split("\npermissions:")[0];
    expect(triggers?.includes("workflow_dispatch")).toBe(step.includes("by hand"));
  });

  it("asks again after a wrong answer, and names the flag where there is none", async () => {
    const { code, stderr } = await init([], "sometimes\nmanual\n");
    expect([code, existsSync(file())]).toEqual([2, false]);
    expect(stderr).toContain("The answer must be one of comments, reviews, nightly, manual.");
    expect(stderr).toContain('There is no answer. Give it by --at, the address of a service, "job" to work');
  });

  it("replaces a workflow with --force alone", async () => {
    const args = ["--start", "manual", "--at", "job", "--changes", "none"];
    expect((await init(args)).code).toBe(0);
    const again = await init([...args.slice(0, 4), "--changes", "commit"]);
    expect([again.code, again.stderr]).toEqual([1, `${file()} exists. Give --force to replace it.\n`]);
    expect(readFileSync(file(), "utf8")).not.toContain("changes:");
    expect((await init([...args, "--force"])).code).toBe(0);
  });

  it.each([
    [["--start", "weekly"], "--start must be one of comments, reviews, nightly, manual"],
    [["--at", "agents"], '--at must be the address of a service, "job" to work inside the job'],
    [["--action", "octo/agent-service@v1"], "--action must be an action at a commit"],
  ])("refuses %j", async (args, message) => {
    const { code, stderr } = await init(args);
    expect([code, existsSync(file())]).toEqual([2, false]);
    expect(stderr).toContain(message);
  });

  it("refuses a folder that is in no repository", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "init-")));
    const { code, stderr } = await init(["--start", "manual"], "", folder);
    expect([code, stderr]).toEqual([
      1,
      `${folder} is in no git repository. Run init in a checkout of yours.\n`,
    ]);
  });
});
