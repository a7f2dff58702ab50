// A run on the head of a pull request, from its submission to its checkout; and a session that goes on as that head
// moves.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { areFilesTrusted } from "../../../src/contract/ci/events.ts";
import type { Backend, CarriedState } from "../../../src/service/executor/backend.ts";
import type { CoreFixture } from "../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { sqliteStore } from "../../support/stores/stores.ts";
import { CheckoutFixture } from "../checkouts/checkout-fixture.ts";

type Seen = {
  readonly head: string;
  readonly where: readonly [ref: string, event: string, baseRef: string | null];
  readonly isTrusted: boolean;
  readonly instructions: string | null;
  readonly text: string;
  readonly copy: CarriedState;
};

const NINE_LINES = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

describe("a run on a pull request", () => {
  let git: CheckoutFixture;
  let fixture: CoreFixture;
  let seen: Seen[];
  let base: string;
  let head: string;

  const backend: Backend = {
    name: "writer",
    needsCheckout: true,
    changesCheckout: true,
    run: async (task, checkout) => {
      if (task.repository === null) throw new Error("There is a repository.");
      const file = join(checkout.root, "a.txt");
      const text = await readFile(file, "utf8");
      const { ref, event, baseRef, carriedState: copy } = task;
      seen.push({
        head: checkout.headSha,
        where: [ref, event, baseRef],
        isTrusted: areFilesTrusted({ ...task, provider: "github" }),
        instructions: await checkout.instructions(),
        text,
        copy,
      });
      const [from = "", to] = (task.messages.at(-1)?.content ?? "").split(" to ");
      if (to !== undefined) await writeFile(file, text.replace(`${from}\n`, `${to}\n`));
      return { stopReason: "end_turn" };
    },
  };

  const point = (ref: string, sha: string) => git.repository.updateRef(ref, sha);
  const push = (text: string, parent: string): string => {
    const sha = git.repository.commit({ files: { "a.txt": text }, parents: [parent] });
    point("refs/pull/7/head", sha);
    point("refs/heads/main", base);
    return sha;
  };

  beforeEach(async () => {
    seen = [];
    git = await CheckoutFixture.make();
    base = git.repository.commit({ files: { "a.txt": NINE_LINES, "AGENTS.md": "Be kind.\n" } });
    head = push(NINE_LINES.replace("5", "five"), base);
    const provider = git.provider();
    const cloneUrl = git.source(base).cloneUrl;
    fixture = await startFixture({
      level: "core",
      store: sqliteStore,
      backend,
      checkouts: { ...provider, open: (source, signal) => provider.open({ ...source, cloneUrl }, signal) },
    });
    fixture.executor.start();
  });

  afterEach(async () => {
    await fixture.close();
    await git.close();
  });

  const run = async (message: string, head_sha: string) => {
    const submitted = await fixture.trySubmit({
      message,
      session_key: "thread-7",
      pull_request: { number: 7, head_sha, base_ref: "main" },
    });
    if (!submitted.ok) throw new Error(submitted.refusal.reason);
    const record = await fixture.ended(submitted.value.runId);
    const events = (await fixture.stream(submitted.value.runId)).map(({ event }) => event);
    const changes = events.find((event) => event.type === "CUSTOM" && event.name === "repository.changes");
    const failure = events.find((event) => event.type === "RUN_ERROR");
    return { record, changes, failure };
  };

  it("has its head, the base's instructions, and is an outsider's", async () => {
    expect((await run("look", head)).record.status).toBe("completed");
    expect(seen).toEqual([
      {
        head,
        where: ["refs/pull/7/head", "pull_request", "main"],
        isTrusted: false,
        instructions: "Be kind.\n",
        text: NINE_LINES.replace("5", "five"),
        copy: { state: "fresh" },
      },
    ]);
  });

  it("fails, and says what to do, when the head was pushed away", async () => {
    push("rewritten\n", base);
    const { record, failure } = await run("look", head);
    expect(record).toMatchObject({ status: "failed", cause: "spawn_failed", retryable: false });
    expect(failure).toMatchObject({ message: expect.stringContaining("moved away by a force push") });
    expect(seen).toEqual([]);
  });

  it("goes on from what the session changed when the head has moved elsewhere in the file", async () => {
    await run("1 to one", head);
    const next = push(NINE_LINES.replace("5", "five").replace("9", "nine"), head);
    const { changes } = await run("look", next);
    const text = NINE_LINES.replace("1", "one").replace("5", "five").replace("9", "nine");
    expect(seen.at(-1)).toMatchObject({ head: next, text, copy: { state: "restored" } });
    expect(changes).toMatchObject({
      value: { base_sha: next, files: [{ path: "a.txt", additions: 1, deletions: 1 }] },
    });
  });

  it("goes on when the head was rewritten, where the change applies still", async () => {
    await run("1 to one", head);
    const rewritten = push(NINE_LINES.replace("5", "FIVE").replace("9", "nine"), base);
    await run("look", rewritten);
    const text = NINE_LINES.replace("1", "one").replace("5", "FIVE").replace("9", "nine");
    expect(seen.at(-1)).toMatchObject({ head: rewritten, text, copy: { state: "restored" } });
  });

  it("is told which files of the session conflict, and has none of them half merged", async () => {
    await run("five to 5.0", head);
    for (const [word, parent] of [
      ["cinq", head],
      ["fünf", base],
    ] as const) {
      const theirs = NINE_LINES.replace("5", word);
      const next = push(theirs, parent);
      await run("look", next);
      expect(seen.at(-1)).toMatchObject({
        head: next,
        text: theirs,
        copy: { state: "lost", paths: ["a.txt"] },
      });
      await run(`${word} to 5.0`, next);
      await run("look", next);
      expect(seen.at(-1)).toMatchObject({ copy: { state: "restored" } });
    }
  });
});
