// A pull request whose diff has two pages of files, and a backend that reviews it as a test tells it.

import { expect } from "vitest";
import type { CodeHostJob, CodeHostRequest } from "../../fakes/code-host/code-host.ts";
import type { CodeHostComment } from "../../fakes/code-host/comments.ts";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { type CodeHostReview, filesOfDiff } from "../../fakes/code-host/reviews.ts";
import type { BackendTask } from "../../src/service/executor/backend.ts";
import { Fixture, type StepResult } from "./scenario.ts";
import { say, scriptedBackend } from "./scripted-backend.ts";

const REPOSITORY_API = "/api/v3/repos/octo-org/octo-repo";

export const PULL: JobOptions = { event: "pull_request" };
/** What is asked of the code host before a review is written. */
export const SAID_PAGES = ["GET /pulls/7/comments?per_page=100", "GET /pulls/7/reviews?per_page=100"];
export const FILE_PAGES = ["GET /pulls/7/files?per_page=100", "GET /pulls/7/files?per_page=100&page=2"];

/** On the second page of the pull request's files; its lines 2 to 8 are shown. */
export const inDiff = {
  path: "zebra.ts",
  line: 5,
  severity: "error",
  title: "Zebras count from one",
  body: "The fifth line says so.",
  suggestion: "const fifth = 5;",
};
export const inRange = {
  ...inDiff,
  line: 6,
  start_line: 5,
  severity: "warning",
  title: "Two lines",
  body: "Both.",
};
export const outOfDiff = {
  path: "zebra.ts",
  line: 20,
  severity: "notice",
  title: "Far away",
  body: "Not shown.",
};

/** A review as it was sent. */
export type SentReview = {
  readonly commit_id: string;
  readonly event?: string;
  readonly body: string;
  readonly comments: readonly Record<string, unknown>[];
};

export type Played = {
  readonly step: StepResult;
  readonly job: CodeHostJob;
  /** What the step asked of the code host, as "GET /pulls/7". */
  readonly calls: readonly string[];
  readonly sent: readonly SentReview[];
};

export class FindingsFixture {
  readonly fixture: Fixture;
  readonly headSha: string;
  /** The schema of each run. */
  readonly schemas: BackendTask["outputSchema"][];
  readonly #reply: { value: Record<string, unknown> | null };

  private constructor(parts: {
    fixture: Fixture;
    headSha: string;
    schemas: BackendTask["outputSchema"][];
    reply: { value: Record<string, unknown> | null };
  }) {
    this.fixture = parts.fixture;
    this.headSha = parts.headSha;
    this.schemas = parts.schemas;
    this.#reply = parts.reply;
  }

  static async open(): Promise<FindingsFixture> {
    const schemas: BackendTask["outputSchema"][] = [];
    const reply: { value: Record<string, unknown> | null } = { value: null };
    const backend = scriptedBackend(async (task) => {
      schemas.push(task.outputSchema);
      const json = JSON.stringify(reply.value);
      await say(task, json);
      if (reply.value !== null) await task.emit({ type: "CUSTOM", name: "output", value: JSON.parse(json) });
    });
    const fixture = await Fixture.open({ backend });
    return new FindingsFixture({ fixture, headSha: openPullRequest(fixture), schemas, reply });
  }

  /** What the backend replies, as data; null for no data. */
  set reply(value: Record<string, unknown> | null) {
    this.#reply.value = value;
  }

  get reply(): Record<string, unknown> | null {
    return this.#reply.value;
  }

  async play(options: JobOptions = PULL, inputs: Record<string, string> = {}): Promise<Played> {
    const { forge } = this.fixture;
    const job = await this.fixture.job(options);
    const before = forge.requests.length;
    const step = await this.fixture.main(job, {
      inputs: { findings: "review", comment: "false", ...inputs },
    });
    const requests = forge.requests.slice(before).filter(({ path }) => path.startsWith("/api/"));
    for (const { headers, body } of requests) {
      expect(headers.authorization).toBe(`Bearer ${job.githubToken}`);
      for (const secret of [job.githubToken, job.idTokenRequestToken]) expect(body).not.toContain(secret);
    }
    const sent = requests.filter(isReview).map(({ body }) => JSON.parse(body) as SentReview);
    // Nothing is ever approved.
    for (const { event } of sent) expect([undefined, "COMMENT"]).toContain(event);
    return { step, job, sent, calls: requests.map(callOf) };
  }

  /** Reviews that were sent, oldest first. */
  reviews(): readonly CodeHostReview[] {
    return this.fixture.forge.rest.reviewsOf(7);
  }

  /** Comments on lines. */
  comments(): readonly CodeHostComment[] {
    return this.fixture.forge.rest.commentsOf(7, "pulls");
  }

  /** As nobody had said anything. */
  reset(): void {
    const { rest, faults } = this.fixture.forge;
    rest.clearComments(7);
    rest.clearReviews(7);
    rest.comments.allowAll();
    faults.api.clear();
    this.reply = null;
  }

  async close(): Promise<void> {
    await this.fixture.close();
  }
}

export function review(...findings: readonly unknown[]): Record<string, unknown> {
  return { summary: "Some **things**.", findings };
}

export function isReview({ method, path }: CodeHostRequest): boolean {
  return method === "POST" && path.endsWith("/pulls/7/reviews");
}

/** "error zebra.ts:5" */
export function shownAt(step: StepResult): string[] {
  return step.annotations.map(({ level, file, line }) => `${level} ${file}:${line}`);
}

function callOf({ method, path }: CodeHostRequest): string {
  return `${method} ${path.replace(REPOSITORY_API, "")}`;
}

/** Changes line 5 of 30, a binary file, and 120 files that come before them. Returns the head. */
function openPullRequest({ forge, repository }: Fixture): string {
  const zebra = Array.from({ length: 30 }, (_, index) => `const line${index + 1} = ${index + 1};`);
  const many = Array.from({ length: 120 }, (_, index) => [`many/${index + 1000}.txt`, "new\n"]);
  const filesWith = (lines: readonly string[], byte: number) => ({
    "README.md": "# Octo\n",
    "zebra.ts": `${lines.join("\n")}\n`,
    "image.bin": Buffer.from([0, byte, 2]),
  });
  const first = repository.git(["rev-parse", "refs/heads/main"]).trim();
  const base = repository.commit({ files: filesWith(zebra, 1), parents: [first], day: 1 });
  const changed = filesWith(zebra.with(4, "const fifth = 4;"), 2);
  const head = repository.commit({
    files: { ...changed, ...Object.fromEntries(many) },
    parents: [base],
    day: 2,
  });
  repository.git(["update-ref", "refs/heads/main", base]);
  repository.git(["update-ref", "refs/heads/topic", head]);
  repository.git(["update-ref", "refs/pull/7/head", head]);
  const files = filesOfDiff(repository.git(["diff", "--no-color", base, head]));
  expect(files).toHaveLength(122);
  expect(files.at(-1)?.filename).toBe("zebra.ts");
  forge.rest.reviews.setFiles(7, files);
  return head;
}
