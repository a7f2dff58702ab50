// Private repositories on a service: the job sends the commit, from a checkout and without one, and no token of the code
// host leaves it.

import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import { textQuery } from "../service/checkouts/text-query.ts";
import { claimRepository } from "../support/fixtures/claimed-repository.ts";
import {
  replyOf,
  routesOf,
  type ScenarioFixture,
  type StepResult,
} from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { say } from "../support/scripted-backend.ts";

/** Tells what it finds in its checkout. */
const backend: Backend = {
  name: "telling",
  needsCheckout: true,
  run: async (task, checkout) => {
    const commits = await checkout.recentCommits(100);
    const { matches } = await checkout.findText(textQuery("secret "));
    const changes = await checkout.changesSinceBase();
    const changed = changes?.files.map(({ path, status }) => `${status} ${path}`) ?? ["not known"];
    await say(
      task,
      [
        `at ${checkout.headSha}`,
        `commits ${commits.length}`,
        ...matches.map(({ path, text }) => `${path}: ${text}`),
        `changed ${changed.join(", ")}`,
      ].join("\n"),
    );
    return { stopReason: "end_turn" };
  },
};

const filesAt = (number: number) => ({
  "README.md": "# A private repository\n",
  "src/large.txt": Array.from({ length: 2_000 }, (_, at) => `${(at * 7919) % 10_007}\n`).join(""),
  "src/plan.txt": `secret ${number}\n`,
});

const READ: JobOptions["permissions"] = { contents: "read" };
const NONE: JobOptions["permissions"] = {};

let fixture: ScenarioFixture;
/** Commits on `main`, oldest first. */
const history: string[] = [];

const commit = (): string => {
  const number = history.length;
  const sha = fixture.repository.commit({ files: filesAt(number), parents: history.slice(-1), day: number });
  history.push(sha);
  return sha;
};
const gitRequests = () => fixture.codeHost.requests.filter(({ path }) => path.includes(".git/"));
const checkOut = (job: CodeHostJob, ...options: string[]) => {
  const root = job.env.GITHUB_WORKSPACE ?? "";
  execFileSync("git", ["clone", "--quiet", ...options, `file://${fixture.repository.path}`, root]);
};
const sentLine = ({ log }: StepResult) => /^Sent commit .*$/m.exec(log)?.[0] ?? "";
const packsOf = ({ requests }: StepResult) => requests.filter(({ route }) => route === "send-commit");

describe("a private repository that an account has claimed", () => {
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario", backend, visibility: "private" });
    for (let count = 0; count < 5; count += 1) commit();
    await claimRepository(fixture);
  });
  afterAll(async () => await fixture.close());
  beforeEach(() => {
    commit();
  });

  let firstBytes = 0;

  it("runs without a checkout: the job fetches the commit, and sends it", async () => {
    const before = gitRequests().length;
    const step = await fixture.main(await fixture.job({ permissions: READ }));
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(routesOf(step).slice(0, 4)).toEqual(["exchange", "find-commit", "send-commit", "submit"]);
    const head = history.at(-1) ?? "";
    expect(sentLine(step)).toMatch(
      new RegExp(
        `^Sent commit ${head.slice(0, 7)} with ${history.length - 1} commits of history: \\d+ KB\\.$`,
      ),
    );
    expect(await replyOf(step)).toContain(
      `at ${head}\ncommits ${history.length}\nsrc/plan.txt: secret ${history.length - 1}\n`,
    );
    // Every request for the repository came from the job.
    const requests = gitRequests().slice(before);
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter(({ headers }) => headers.authorization === undefined)).toEqual([]);
    firstBytes = packsOf(step)[0]?.bytes.length ?? 0;
    expect(firstBytes).toBeGreaterThan(5_000);
  });

  it("sends what is new alone, the next time, and nothing twice", async () => {
    const options = { permissions: READ, runId: "1296300000" };
    const step = await fixture.main(await fixture.job(options));
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    const [pack] = packsOf(step);
    expect(pack?.bytes.length).toBeLessThan(1_000);
    // The commit, two trees, and the file that changed.
    expect(pack?.bytes.readUInt32BE(8)).toBe(4);
    expect(sentLine(step)).toMatch(/: \d{3} bytes\.$/);
    expect(await replyOf(step)).toContain(`commits ${history.length}\n`);
    const again = await fixture.main(await fixture.job({ permissions: READ }));
    expect(again).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(routesOf(again)).not.toContain("send-commit");
    expect(again.log).toContain(`The service has commit ${history.at(-1)?.slice(0, 7)} already.`);
  });

  it("runs on a checkout, where the job may not read the repository otherwise", async () => {
    const job = await fixture.job({ permissions: NONE });
    checkOut(job);
    const before = gitRequests().length;
    const step = await fixture.main(job);
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(gitRequests()).toHaveLength(before);
    expect(await replyOf(step)).toContain(`at ${history.at(-1)}\ncommits ${history.length}\n`);
  });

  it("runs on one commit, where the checkout has no more and none can be had", async () => {
    fixture.repository.commit({ files: { "new.txt": "secret start\n" }, day: 100 });
    const job = await fixture.job({ permissions: NONE });
    checkOut(job, "--depth=1");
    fixture.repository.updateRef("refs/heads/main", history.at(-1) ?? "");
    const step = await fixture.main(job);
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(await replyOf(step)).toContain("commits 1\nnew.txt: secret start\n");
  });

  it("shows what a pull request changes", async () => {
    const base = history.at(-1) ?? "";
    const topic = fixture.repository.commit({
      files: { ...filesAt(history.length - 1), "src/new.txt": "secret new\n" },
      parents: [history[2] ?? ""],
      day: 50,
    });
    const merge = fixture.repository.commit({
      files: { ...filesAt(history.length - 1), "src/new.txt": "secret new\n" },
      parents: [base, topic],
      day: 51,
    });
    fixture.repository.updateRef("refs/heads/main", base);
    fixture.repository.updateRef("refs/heads/topic", topic);
    fixture.repository.updateRef("refs/pull/7/merge", merge);
    const job = await fixture.job({
      event: "pull_request",
      permissions: { contents: "read", "pull-requests": "read" },
    });
    const step = await fixture.main(job, { inputs: { comment: "false" } });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    const reply = await replyOf(step);
    expect(reply).toContain(`at ${topic}\n`);
    expect(reply).toContain("added src/new.txt");
    const [submitted] = step.requests.filter(({ route }) => route === "submit");
    expect(JSON.parse(submitted?.body ?? "{}").pull_request).toEqual({
      number: 7,
      head_sha: topic,
      base_ref: "main",
      base_sha: base,
    });
  });

  it("says what the job lacks, where it has no checkout and may not read the repository", async () => {
    const step = await fixture.main(await fixture.job({ permissions: NONE }));
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "commit_not_found", "run-id": "" },
    });
    expect(routesOf(step)).toEqual(["exchange", "find-commit"]);
    expect(step.annotations[0]?.message).toContain('Give the job "permissions: contents: read".');
  });

  it("sends the pack again, where the answer was lost", async () => {
    fixture.proxy.next("send-commit", { type: "lost" });
    const step = await fixture.main(await fixture.job({ permissions: READ }));
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(packsOf(step)).toHaveLength(2);
  });

  it("goes on with a new capability, where the first one has ended", async () => {
    const body = JSON.stringify({ error: "It has ended.", code: "unauthorized", request_id: "r" });
    const headers = { "content-type": "application/json" };
    fixture.proxy.next("send-commit", { type: "status", status: 401, headers, body });
    const step = await fixture.main(await fixture.job({ permissions: READ }));
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(routesOf(step).slice(0, 5)).toEqual([
      "exchange",
      "find-commit",
      "send-commit",
      "exchange",
      "send-commit",
    ]);
  });

  it("sends nothing that is too large, and says how large that is", async () => {
    const edit = (text: string) => JSON.stringify({ ...JSON.parse(text), have: [], max_bytes: 2_000 });
    fixture.proxy.next("find-commit", { type: "edited", edit });
    const step = await fixture.main(await fixture.job({ permissions: READ }));
    expect(step).toMatchObject({
      exitCode: 1,
      outputs: { conclusion: "failure", reason: "commit_too_large" },
    });
    expect(routesOf(step)).toEqual(["exchange", "find-commit"]);
    expect(step.annotations[0]?.message).toMatch(
      /^Commit \w{7} was not sent: it has new files of about \d+ KB, and the service takes 2 KB of this repository now\. /,
    );
  });

  it("believes no service that claims to hold what it does not", async () => {
    const edit = (text: string) => {
      const have = [
        { sha: "f".repeat(40), shallow: [] },
        { sha: "HEAD", shallow: [] },
      ];
      return JSON.stringify({ ...JSON.parse(text), have, max_bytes: Number.MAX_SAFE_INTEGER, history: 1e9 });
    };
    fixture.proxy.next("find-commit", { type: "edited", edit });
    const step = await fixture.main(await fixture.job({ permissions: READ }));
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(packsOf(step)[0]?.path).toMatch(/\?base=$/);
    expect(packsOf(step)[0]?.bytes.length).toBeGreaterThan(5_000);
  });

  it("is examined by the doctor", async () => {
    const ready = await fixture.main(await fixture.job({ permissions: READ }), {
      inputs: { mode: "doctor" },
    });
    expect(ready.log).toContain("The job can send its commit to the service.");
    expect(routesOf(ready)).not.toContain("send-commit");
    const lacking = await fixture.main(await fixture.job({ permissions: NONE }), {
      inputs: { mode: "doctor" },
    });
    expect(lacking).toMatchObject({ exitCode: 1, outputs: { reason: "faults_found" } });
    expect(lacking.log).toContain("This job has no checkout to send the run's commit");
  });

  it("runs on the end of a history that is longer than what is here or travels", async () => {
    for (let count = 0; count < 60; count += 1) commit();
    const fetched = await fixture.main(await fixture.job({ permissions: READ, runId: "1296300060" }));
    expect(fetched).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(sentLine(fetched)).toContain(" with 49 commits of history: ");
    for (let count = 0; count < 3; count += 1) commit();
    const job = await fixture.job({ permissions: NONE, runId: "1296300063" });
    checkOut(job, "--depth=2");
    const shallow = await fixture.main(job);
    expect(shallow).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    expect(sentLine(shallow)).toContain(" with 1 commit of history: ");
    expect(await replyOf(shallow)).toContain(`at ${history.at(-1)}\n`);
  });
});

describe("a private repository that nobody has claimed", () => {
  it("is told so before anything is fetched or sent", async () => {
    const unclaimed = await startFixture({ level: "scenario", backend, visibility: "private" });
    try {
      const step = await unclaimed.main(await unclaimed.job({ permissions: READ }));
      expect(step).toMatchObject({
        exitCode: 1,
        outputs: { conclusion: "quota", reason: "repository_private", "run-id": "" },
      });
      expect(step.outputs["claim-url"]).toContain(`${unclaimed.url}/claim/svc_claim_`);
      expect(routesOf(step)).toEqual(["exchange", "find-commit"]);
      expect(unclaimed.codeHost.requests.filter(({ path }) => path.includes(".git/"))).toEqual([]);
    } finally {
      await unclaimed.close();
    }
  });
});

describe("a public repository that the service cannot reach", () => {
  it("runs with clone: push", async () => {
    const cut = await startFixture({ level: "scenario", backend });
    try {
      cut.codeHost.faults.git.always({ type: "status", status: 503, body: "down" });
      const alone = await cut.main(await cut.job());
      expect(alone).toMatchObject({ exitCode: 1, outputs: { reason: "spawn_failed" } });
      const job = await cut.job();
      const root = job.env.GITHUB_WORKSPACE ?? "";
      execFileSync("git", ["clone", "--quiet", `file://${cut.repository.path}`, root]);
      const step = await cut.main(job, { inputs: { clone: "push" } });
      expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
      expect(routesOf(step).slice(0, 4)).toEqual(["exchange", "find-commit", "send-commit", "submit"]);
    } finally {
      await cut.close();
    }
  });
});
