// The stream of a whole run with nothing faked but the code host: cloned over HTTP, read by the service's own backend.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import type { ServiceFixture } from "../../support/fixtures/service-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { expectSoundLedger } from "../../support/service-ledger.ts";
import { expectValidStream, outlineOf } from "../../support/service-streams.ts";

describe("a run of the offline backend", () => {
  let folder: string;
  let fixture: ServiceFixture;
  let sha: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "agent-service-streams-"));
    const repository = new TestRepository(folder, "hello.git");
    sha = repository.commit({
      files: { "README.md": "# Hello\n\nSays hello.\n", "main.go": "package main\n" },
    });
    fixture = await startFixture({ level: "service", repositories: { "octo/hello": repository.path } });
  });

  afterAll(async () => {
    await expectSoundLedger(fixture.place);
    await fixture.close();
    await rm(folder, { recursive: true, force: true });
  });

  const jobAt = (commit: string) =>
    fixture.job(fixture.freshRepository({ repository: "octo/hello", sha: commit }));

  it("reads the repository with tools and answers in text", async () => {
    const job = await jobAt(sha);
    const runId = await job.start("What is this?");
    const events = await expectValidStream(await job.follow(runId));
    const types = new Set(outlineOf(events).map((line) => line.split(" ")[0]));
    for (const type of ["TOOL_CALL_START", "TOOL_CALL_RESULT", "TEXT_MESSAGE_CONTENT"])
      expect(types).toContain(type);
    expect(await job.run(runId)).toMatchObject({ status: "completed", stop_reason: "no_model", credits: 0 });
  });

  it("that finds no such commit ends as our fault, refunded, and says what to do", async () => {
    const job = await jobAt("f".repeat(40));
    const runId = await job.start();
    const events = await expectValidStream(await job.follow(runId));
    expect(outlineOf(events)).toEqual(["RUN_STARTED", "CUSTOM", "RUN_ERROR"]);
    expect(events.at(-1)).toMatchObject({
      code: "spawn_failed",
      message: expect.stringContaining("octo/hello"),
    });
    expect(await job.run(runId)).toMatchObject({ credits: 0, refund_reason: "spawn_failed" });
  });

  it("is cancelled in the middle of its clone", async () => {
    fixture.codeHost.faults.git.always({ type: "hang" });
    const job = await jobAt(sha);
    const runId = await job.start();
    await job.readUntil(runId, ({ event }) => event.type === "RUN_STARTED");
    expect((await job.cancel(runId)).status).toBe(202);
    const events = await expectValidStream(await job.follow(runId));
    expect(events.at(-1)).toMatchObject({ outcome: { type: "cancelled" } });
    fixture.codeHost.faults.git.clear();
  });
});
