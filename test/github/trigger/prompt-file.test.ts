import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CiJob } from "../../../src/ci/provider.ts";
import { defaultPrompt } from "../../../src/github/trigger/decide-request.ts";
import { readPromptFile } from "../../../src/github/trigger/prompt-file.ts";
import type { RepositoryFile } from "../../../src/job/findings/reviews-host.ts";

const HEAD = "a".repeat(40);
const BASE = "b".repeat(40);
const PATH = ".github/prompt.md";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "prompt-test-"));
  await mkdir(join(folder, "checkout/.github"), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function read(options: {
  event: string;
  checkoutText?: string;
  payload?: unknown;
  committed?: RepositoryFile | Error;
}) {
  const { event, checkoutText, payload = {}, committed = { type: "file", text: "committed" } } = options;
  if (checkoutText !== undefined) await writeFile(join(folder, "checkout", PATH), checkoutText);
  const eventPath = join(folder, "event.json");
  await writeFile(eventPath, JSON.stringify(payload));
  const refs: string[] = [];
  const job: CiJob = {
    provider: "github",
    repository: { id: "1", name: "octo/repo" },
    event,
    sha: HEAD,
    runId: "1",
    attempt: 1,
    job: "j",
    step: "s",
  };
  const prompt = await readPromptFile({
    path: PATH,
    job,
    env: { GITHUB_WORKSPACE: join(folder, "checkout"), GITHUB_EVENT_PATH: eventPath },
    readCommitted: async ({ ref }) => {
      refs.push(ref);
      if (committed instanceof Error) throw committed;
      return committed;
    },
  }).catch((caught: unknown) => caught);
  return { prompt, refs };
}

const end = { sha: BASE, repo: { id: 1 } };
const pull = { pull_request: { number: 1, base: end, head: { ...end, sha: HEAD } } };

describe("prompt file", () => {
  it("comes from the checkout where only users with write access start the job", async () => {
    expect(await read({ event: "push", checkoutText: "local" })).toEqual({ prompt: "local", refs: [] });
  });

  it("comes from the commit when nothing is checked out", async () => {
    expect(await read({ event: "schedule" })).toEqual({ prompt: "committed", refs: [HEAD] });
  });

  it("comes from the base commit on a pull request, whatever is checked out", async () => {
    const event = "pull_request";
    expect(await read({ event, checkoutText: "evil", payload: pull })).toEqual({
      prompt: "committed",
      refs: [BASE],
    });
    const blind = await read({ event, checkoutText: "evil" });
    expect(blind).toMatchObject({ prompt: { code: "prompt_file_refused" }, refs: [] });
  });

  it("never comes from the checkout where an outsider can start the job", async () => {
    const comment = await read({ event: "issue_comment", checkoutText: "evil" });
    expect(comment).toEqual({ prompt: "committed", refs: [HEAD] });
  });

  it("does not follow a link out of the checkout", async () => {
    await writeFile(join(folder, "secret"), "secret");
    await symlink(join(folder, "secret"), join(folder, "checkout", PATH));
    expect(await read({ event: "push" })).toMatchObject({ prompt: { code: "prompt_file_refused" } });
  });

  it("reports why it cannot be used", async () => {
    const code = async (committed: RepositoryFile | Error) =>
      (await read({ event: "push", committed })).prompt;
    expect(await code({ type: "missing" })).toMatchObject({ code: "prompt_file_missing" });
    expect(await code({ type: "not_a_file" })).toMatchObject({ code: "prompt_file_refused" });
    expect(await code({ type: "too_large" })).toMatchObject({ code: "prompt_file_too_large" });
    expect(await code({ type: "file", text: " \n" })).toMatchObject({ code: "prompt_file_refused" });
    expect(await code(new Error("403"))).toMatchObject({ code: "prompt_file_unreadable" });
    const large = await read({ event: "push", checkoutText: "x".repeat(65 * 1024) });
    expect(large.prompt).toMatchObject({ code: "prompt_file_too_large" });
  });
});

describe("default prompt", () => {
  it("fits the event", () => {
    expect(defaultPrompt("push")).toBe("Brief me on this repository");
    expect(defaultPrompt("pull_request")).toBe("Review what this pull request changes");
  });
});
