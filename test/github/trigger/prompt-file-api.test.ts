import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../../fakes/code-host/code-host.ts";
import { runAction } from "../../../fakes/runner/run-action.ts";
import { openMockService } from "../../action/mock-service.ts";
import { completedRun } from "../../client/run-fixtures.ts";
import { json } from "../../client/scripted-server.ts";

const run = promisify(execFile);
const PATH = ".github/prompt.md";

let codeHost: CodeHost;
let folder = "";

async function git(...args: string[]): Promise<void> {
  await run("git", ["-C", folder, "-c", "user.name=A", "-c", "user.email=a@example.test", ...args]);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "prompt-api-"));
  await run("git", ["init", "-q", "-b", "main", folder]);
  await mkdir(join(folder, ".github"));
  await writeFile(join(folder, PATH), "Prompt on main");
  await git("add", ".");
  await git("commit", "-qm", "First");
  await git("switch", "-qc", "topic");
  await writeFile(join(folder, PATH), "Prompt of the pull request");
  await git("commit", "-qam", "Second");
  codeHost = await startCodeHost({ repositories: { "octo-org/octo-repo": folder } });
});
afterAll(async () => {
  await codeHost.close();
  await rm(folder, { recursive: true, force: true });
});

async function runWith(path: string, githubToken?: string) {
  const end = json(200, { run: completedRun, events: [], next: 0, done: true });
  await using service = await openMockService({ read: end });
  const job = await codeHost.job({ event: "pull_request", ref: "refs/heads/topic" });
  const inputs = {
    "base-url": service.url,
    "prompt-file": path,
    "github-token": githubToken ?? job.githubToken,
  };
  const ended = await runAction({ entry: "main", env: job.env, inputs });
  const submission = service.seen.find((request) => request.path.endsWith("/runs"));
  return { ended, message: submission === undefined ? null : JSON.parse(submission.body).message };
}

describe("prompt file of the built Action", () => {
  it("is read from the base commit through the API, with nothing checked out", async () => {
    expect(await runWith(PATH)).toMatchObject({
      message: expect.stringMatching(/^Prompt on main\n\nWhat happened: /),
      ended: { exitCode: 0 },
    });
  });

  it("fails before anything is sent when it is missing, a folder, or unreadable", async () => {
    const missing = await runWith(".github/other.md");
    expect(missing).toMatchObject({ message: null, ended: { outputs: { reason: "prompt_file_missing" } } });
    const listing = await runWith(".github");
    expect(listing).toMatchObject({ message: null, ended: { outputs: { reason: "prompt_file_refused" } } });
    const refused = await runWith(PATH, "ghs_wrong");
    expect(refused).toMatchObject({
      message: null,
      ended: { outputs: { reason: "prompt_file_unreadable" } },
    });
    expect(refused.ended.rawLog).not.toContain("ghs_wrong");
  });
});
