// `agent-service run` sends the commit of the checkout that its CI has made, to a service that cannot clone it.

import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import type { Claims } from "../../fakes/issuer/claims.ts";
import type { Environment } from "../../src/base/environment.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import { CiFixture, type CiProviderKind } from "../support/fixtures/ci-fixture.ts";
import { say } from "../support/scripted-backend.ts";

/** How each provider says the commit. */
const commitOf: Readonly<Record<CiProviderKind, (sha: string) => { claims?: Claims; env?: Environment }>> = {
  gitlab: (sha) => ({ claims: { sha }, env: { CI_COMMIT_SHA: sha } }),
  circleci: (sha) => ({ env: { CIRCLE_SHA1: sha } }),
  buildkite: (sha) => ({ claims: { build_commit: sha }, env: { BUILDKITE_COMMIT: sha } }),
  bitbucket: (sha) => ({ env: { BITBUCKET_COMMIT: sha } }),
};
const advice: Readonly<Record<CiProviderKind, string>> = {
  gitlab: 'the variable GIT_STRATEGY must not be "none"',
  circleci: 'Add the step "checkout" before this one.',
  buildkite: "take BUILDKITE_SKIP_CHECKOUT",
  bitbucket: 'Take "clone: enabled: false" away',
};

/** Nothing listens there. CircleCI's tokens name the server, which has to be that of the entry. */
function entryOf(provider: CiProviderKind) {
  return provider === "circleci" ? {} : { clone_url: "http://127.0.0.1:1/{repository}.git" };
}

const backend: Backend = {
  name: "telling",
  needsCheckout: true,
  run: async (task, checkout) => {
    await say(task, `at ${checkout.headSha}, with ${(await checkout.files()).join(", ")}`);
    return { stopReason: "end_turn" };
  },
};

describe.each(Object.keys(commitOf) as CiProviderKind[])("a job of %s", (provider) => {
  let folder: string;
  let repository: TestRepository;
  let fixture: CiFixture;
  let sha: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "commits-of-"));
    repository = new TestRepository(folder, "repository.git");
    const first = repository.commit({ files: { "README.md": "# Sent from a checkout\n" } });
    sha = repository.commit({
      files: { "README.md": "# Sent from a checkout\n", "new.txt": "new\n" },
      parents: [first],
      day: 1,
    });
    fixture = await CiFixture.open({ provider, backend, entry: entryOf(provider) });
  });
  afterAll(async () => {
    await fixture.close();
    await rm(folder, { recursive: true, force: true });
  });

  const checkOut = (cwd: string, ...options: string[]) => {
    execFileSync("git", ["clone", "--quiet", ...options, `file://${repository.path}`, cwd]);
  };
  const args = ["--clone", "push", "Look around"];

  it("sends its checkout's commit, and the agent works on it", async () => {
    const job = await fixture.run({ ...commitOf[provider](sha), args, prepare: checkOut });
    expect(job).toMatchObject({ code: 0 });
    expect(job.stderr).toMatch(
      new RegExp(`^Sent commit ${sha.slice(0, 7)} with 1 commit of history: \\d+ bytes\\.$`, "m"),
    );
    expect(job.requests.map(({ route }) => route).slice(0, 4)).toEqual([
      "exchange",
      "find-commit",
      "send-commit",
      "submit",
    ]);
    expect(job.files["reply.md"]).toBe(`at ${sha}, with README.md, new.txt\n`);
  });

  it("names what its CI has to change, where there is no checkout", async () => {
    const job = await fixture.run({ ...commitOf[provider]("1".repeat(40)), args });
    expect(job.code).toBe(1);
    expect(job.stderr).toContain("This job has no checkout to send the run's commit 1111111 from.");
    expect(job.stderr).toContain(advice[provider]);
    expect(job.requests.map(({ route }) => route)).not.toContain("send-commit");
  });
});
