// A commit status, against a project of GitLab on loopback that is in the way of it.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import type { FakeRepository } from "../../../fakes/gitlab/repository.ts";
import { GitLabError } from "../../../src/gitlab/gitlab-error.ts";
import { writeCommitStatus } from "../../../src/gitlab/reviews/commit-status.ts";
import type { PublishedFindings } from "../../../src/report/findings.ts";
import { GitLabBench } from "../gitlab-bench.ts";

const published: PublishedFindings = {
  fresh: [],
  annotated: 0,
  commented: 0,
  repeated: 0,
  late: [],
  minor: 0,
  reviewUrl: null,
  check: null,
  dismissed: 0,
  open: [],
  closed: { fixed: 0, declined: 0, withdrawn: 0 },
  unresolved: 0,
  unread: null,
  worst: null,
};
const json = (status: number, message: string) => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ message }),
});

let bench: GitLabBench;
let folder: string;
let project: FakeRepository;
let sha: string;
beforeEach(async () => {
  bench = await GitLabBench.open();
  folder = await mkdtemp(join(tmpdir(), "commit-status-"));
  const repository = new TestRepository(folder, "project.git");
  sha = repository.commit({ files: { "a.txt": "a\n" } });
  project = bench.gitlab.addRepository(repository);
});
afterEach(async () => {
  await bench.close();
  await rm(folder, { recursive: true, force: true });
});

const write = async (more: Partial<PublishedFindings> = {}, at = sha) =>
  await writeCommitStatus({
    api: bench.api(),
    clock: bench.clock,
    signal: new AbortController().signal,
    name: "agent-service/review",
    sha: at,
    pipelineId: "574",
    jobUrl: "https://gitlab.example.com/jobs/1",
    runId: "run-1",
    published: { ...published, ...more },
    threshold: "error",
  });

describe("a commit status", () => {
  it("waits while another job sets one, and is there once where the answer is lost", async () => {
    bench.gitlab.fail(/^POST \/statuses/, json(409, "409 Conflict"));
    bench.gitlab.fail(/^POST \/statuses/, json(409, "409 Conflict"));
    expect(await write()).toMatchObject({ conclusion: "success" });
    expect(project.statuses).toMatchObject([
      { status: "success", description: "No findings", pipeline_id: 574 },
    ]);
    bench.gitlab.fail(/^POST \/statuses/, { status: 502, isLate: true });
    expect(await write({ worst: "error" })).toMatchObject({ conclusion: "failure" });
    expect(project.statuses.map(({ status }) => status)).toEqual(["failed", "success"]);
  });

  it("is failed where earlier findings are not known", async () => {
    expect(await write({ unread: "They could not be read." })).toMatchObject({ conclusion: "failure" });
    expect(project.statuses[0]?.description).toBe("Earlier findings are not known");
  });

  it("is refused for a commit that is not there, a text that GitLab does not take, and while the conflict lasts", async () => {
    await expect(write({}, "f".repeat(40))).rejects.toThrow(/answered 404 to POST \/statuses\//);
    bench.gitlab.fail(/^POST \/statuses/, json(422, "The pipeline has too many jobs"));
    await expect(write()).rejects.toThrow(GitLabError);
    for (let at = 0; at < 4; at += 1) bench.gitlab.fail(/^POST \/statuses/, json(409, "409 Conflict"));
    await expect(write()).rejects.toThrow(/answered 409/);
    expect(project.statuses).toEqual([]);
  });
});
