// Which tool calls of a run in a copy have its folder read for changes: the built service with a scripted model, and git behind a
// program that notes how it is called.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import { call, type Part, say } from "../../../fakes/model-server/turn.ts";
import { makeTestKey, operateOn } from "../../support/account-key.ts";
import { clientOf } from "../../support/backup/backup-place.ts";
import { ServiceProcess } from "../../support/fixtures/service-process.ts";
import { sqliteStore } from "../../support/stores/stores.ts";

const left: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of left.splice(0).toReversed()) await close();
});

/** Plays one call in a run of a new copy. Returns how often the folder was read after it, and how often in all. */
async function readsOf(part: Part, isReadAfterCall: boolean) {
  const place = await sqliteStore.make();
  left.push(() => place.remove());
  const folder = await mkdtemp(join(tmpdir(), "agent-service-git-"));
  left.push(() => rm(folder, { recursive: true, force: true }));
  const log = join(folder, "calls");
  await writeFile(log, "");
  const path = process.env.PATH ?? "";
  const program = `#!/bin/sh\necho "$*" >> '${log}'\nPATH='${path}' exec git "$@"\n`;
  await writeFile(join(folder, "git"), program, { mode: 0o755 });
  const reads = async () => (await readFile(log, "utf8")).match(/ls-files .*--modified/g)?.length ?? 0;
  let afterCall = 0;
  const turn = async () => {
    if (isReadAfterCall) await expect.poll(reads).toBe(1);
    afterCall = await reads();
    return say("Done.");
  };
  const server: ModelServer = await startModelServer({ script: [part, turn], apiKey: "k" });
  left.push(() => server.close());
  const { secret, accountId } = await makeTestKey(place, { owner: { plan: "subscribed" } });
  await operateOn(place, (operator) => operator.grant({ accountId, credits: 10_000 }));
  const service = new ServiceProcess(["serve"], {
    PORT: "0",
    DATA_DIR: place.settings.dataDir,
    PATH: `${folder}${delimiter}${path}`,
    BACKEND: "model",
    MODEL_PROVIDER: "openai-compatible",
    MODEL: "scripted-model",
    MODEL_API_KEY: "k",
    MODEL_BASE_URL: server.baseUrl,
  });
  left.push(() => service.kill());
  const client = clientOf(await service.ready(), secret);
  const { id: workspaceId } = await client.workspaces.create({ body: { name: "w" } });
  await client.files.write({ workspaceId, body: { path: "a.txt", content: "one\n" } });
  const { id: groupId } = await client.taskGroups.create({ workspaceId, body: { name: "g" } });
  const { run_id: runId } = await client.workers.start({
    workspaceId,
    body: { task_group_id: groupId, message: "Go on." },
  });
  const results: string[] = [];
  for await (const { event } of client.runs.follow({ runId }))
    if (event.type === "TOOL_CALL_RESULT") results.push(event.content);
  return { results, afterCall, inAll: await reads() };
}

it.each([
  ["a folder was listed", call("list_files", {})],
  ["a tool that there is none of", call("rewrite_everything", {})],
])("is not read after %s", async (_name, part) => {
  const { results, afterCall, inAll } = await readsOf(part, false);
  expect([results.length, afterCall, inAll]).toEqual([1, 0, 1]);
});

it("is read after a file was written", async () => {
  const part = call("write_file", { path: "b.txt", content: "two\n" });
  const { results, inAll } = await readsOf(part, true);
  expect(results).toEqual([expect.not.stringContaining("error")]);
  expect(inAll).toBe(2);
});

it("is read after a command, whatever it was", { tags: ["sandbox"] }, async () => {
  const { results, inAll } = await readsOf(call("run_command", { command: "ls" }), true);
  expect(results).toHaveLength(1);
  expect(inAll).toBe(2);
});
