// What runs of one session change: reported at the end of each, and there again at the beginning of the next.

import { execFileSync } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Backend, CarriedState } from "../../../src/service/executor/backend.ts";
import { BackendFailure } from "../../../src/service/executor/backend.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { expectValidStream } from "../../support/service-streams.ts";
import { sqliteStore } from "../../support/stores/stores.ts";
import { CheckoutFixture } from "../checkouts/checkout-fixture.ts";

let git: CheckoutFixture;
let sha: string;
/** The time that one call of git may take. */
let gitTimeoutMs = 60_000;

beforeAll(async () => {
  git = await CheckoutFixture.make();
  sha = git.repository.commit({ files: { "a.txt": "one\n" } });
});

afterAll(() => git.close());

describe("a session's carried changes", () => {
  let fixture: CoreFixture;
  let seen: { copy: CarriedState; text: string }[];

  const backend: Backend = {
    name: "writer",
    needsCheckout: true,
    changesCheckout: true,
    run: async (task, checkout) => {
      const file = join(checkout.root, "a.txt");
      seen.push({ copy: task.carriedState, text: await readFile(file, "utf8") });
      const message = task.messages.at(-1)?.content ?? "";
      if (message === "undo") await writeFile(file, "one\n");
      if (message.startsWith("write")) await writeFile(file, `${message}\n`);
      if (message === "delete") await rm(file);
      if (message === "pipe") execFileSync("mkfifo", [join(checkout.root, ".gitignore")]);
      if (message.endsWith("fail"))
        throw new BackendFailure("It did not work.", { reason: "model_failed", isRetryable: false });
      return { stopReason: "end_turn" };
    },
  };

  beforeEach(async () => {
    seen = [];
    const provider = git.provider();
    fixture = await startFixture({
      level: "core",
      store: sqliteStore,
      backend,
      checkouts: {
        ...provider,
        open: ({ runId }, signal) => git.provider({ gitTimeoutMs }).open(git.source(sha, { runId }), signal),
      },
    });
    fixture.executor.start();
  });

  afterEach(() => fixture.close());

  const run = async (message: string, session?: string) => {
    const submitted = await fixture.trySubmit({
      message,
      ...(session === undefined ? {} : { session_id: session }),
    });
    if (!submitted.ok) throw new Error(submitted.refusal.reason);
    const { runId, sessionId } = submitted.value;
    const record = await fixture.ended(runId);
    const events = await expectValidStream(await fixture.stream(runId));
    const changes = events.find((event) => event.type === "CUSTOM" && event.name === "repository.changes");
    return { sessionId, record, changes };
  };

  it("goes on where the last run stopped", async () => {
    const first = await run("write 2");
    expect(first.changes).toMatchObject({
      value: { base_sha: sha, files: [{ path: "a.txt", status: "modified", additions: 1, deletions: 1 }] },
    });
    const second = await run("look", first.sessionId);
    expect(second.changes).toEqual(first.changes);
    const third = await run("undo", first.sessionId);
    expect(third.changes).toMatchObject({ value: { files: [], patch: "" } });
    const fourth = await run("look", first.sessionId);
    expect(fourth.changes).toBeUndefined();
    expect(seen).toEqual([
      { copy: { state: "fresh" }, text: "one\n" },
      { copy: { state: "restored" }, text: "write 2\n" },
      { copy: { state: "restored" }, text: "write 2\n" },
      { copy: { state: "fresh" }, text: "one\n" },
    ]);
  });

  it("is kept of a run that failed, and says nothing of one that changed nothing", async () => {
    const failed = await run("write and fail");
    expect(failed.record).toMatchObject({ status: "failed", cause: "backend_error", retryable: false });
    expect(failed.changes).toBeDefined();
    expect((await run("look", failed.sessionId)).changes).toEqual(failed.changes);
    expect((await run("look")).changes).toBeUndefined();
  });

  it("stays as it was where what a run left cannot be read, and the run has its ending", async () => {
    const first = await run("write 4");
    gitTimeoutMs = 2_000;
    try {
      const second = await run("pipe", first.sessionId);
      expect(second.record.status).toBe("completed");
      expect(second.changes).toMatchObject({
        value: {
          base_sha: sha,
          files: [],
          patch: "",
          unreadable: expect.stringMatching(/^git ls-files took/),
        },
      });
    } finally {
      gitTimeoutMs = 60_000;
    }
    expect((await run("look", first.sessionId)).changes).toEqual(first.changes);
  });

  it("is lost, and said to be, where the repository has moved too far", async () => {
    const first = await run("write 3");
    const before = sha;
    sha = git.repository.commit({ files: { "a.txt": "something else\n" } });
    try {
      const second = await run("look", first.sessionId);
      expect(second.changes).toMatchObject({ value: { base_sha: sha, files: [] } });
      expect(seen.at(-1)).toEqual({
        copy: { state: "lost", paths: ["a.txt"] },
        text: "something else\n",
      });
    } finally {
      sha = before;
    }
  });
});
