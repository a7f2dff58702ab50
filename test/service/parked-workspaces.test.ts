// A run in a workspace's copy asks a question and is parked: what it changed is in its copy, which is free for others, until the answer
// comes. The built service with a scripted model.

import { afterEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { everyTime, type Script } from "../../fakes/model-server/script.ts";
import { answer, call, say, stall } from "../../fakes/model-server/turn.ts";
import type { Client } from "../../src/client/client.ts";
import { makeTestKey, operateOn } from "../support/account-key.ts";
import { clientOf } from "../support/backup/backup-place.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const SEALING_KEY = Buffer.alloc(32, 7).toString("base64");
const write = (path: string) => call("write_file", { path, content: `${path} of the run\n` });
const ask = call("ask_question", { question: "Which one?", choices: ["the first", "the second"] });
/** What a run is told whose files others may have changed. */
const MAY_BE_OTHERS = /Others may have changed the files/;

const left: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of left.splice(0).toReversed()) await close();
});

type Started = {
  readonly client: Client;
  readonly model: ModelServer;
  readonly workspaceId: string;
  readonly workingCopyId: string;
};

onEveryStore((kind) => {
  describe("a run in a copy that asks a question", () => {
    it("gives its copy back until it is answered, and goes on with what is there then", async () => {
      const { client, model, workspaceId, workingCopyId } = await start([
        write("one.txt"),
        ask,
        answer([write("two.txt")]),
        say("Done."),
      ]);
      const { id: groupId } = await client.taskGroups.create({ workspaceId, body: { name: "group" } });
      const { run_id: runId } = await client.workspaceRuns.submit({
        workspaceId,
        body: { task_group_id: groupId, working_copy_id: workingCopyId, message: "Ask.", may_park: true },
      });
      const worker = async () => (await client.workers.list({ workspaceId })).items[0];
      for await (const _ of client.runs.follow({ runId, untilParked: true }));
      const agentId = await agentOf(client, workspaceId, runId);
      expect(await client.runs.get({ agentId, runId })).toMatchObject({ parked: { reason: "question" } });
      expect(await client.copies.get({ workspaceId, workingCopyId })).toMatchObject({ state: "ready" });
      expect(await pathsOf(client, { workspaceId, workingCopyId })).toEqual(["one.txt"]);
      expect(await worker()).toMatchObject({ run_id: runId, save_state: "none" });

      const body = { path: "owner.txt", content: "of its owner\n" };
      await client.copyFiles.write({ workspaceId, workingCopyId, body });
      await client.runs.resume({ agentId, runId, body: { message: "the first" } });
      for await (const _ of client.runs.follow({ runId }));
      expect(await client.runs.get({ agentId, runId })).toMatchObject({ status: "completed" });
      expect(model.requests.at(2)?.lastUserMessage).toMatch(MAY_BE_OTHERS);
      await expect.poll(async () => (await worker())?.save_state).toBe("saved");
      const paths = ["one.txt", "owner.txt", "two.txt"];
      expect(await pathsOf(client, { workspaceId, workingCopyId })).toEqual(paths);
    });

    it("does not go on while another run works in its copy, and does by the next message of its session", async () => {
      const other = Promise.withResolvers<void>();
      const steps = [write("one.txt"), ask, say("Done.")];
      const { client, workspaceId, workingCopyId } = await start(
        everyTime(({ firstUserMessage, assistantTurns }) =>
          firstUserMessage === "Work."
            ? stall(other.promise, [say("The other is done.")])
            : steps[assistantTurns],
        ),
      );
      const place = { working_copy_id: workingCopyId, may_park: true };
      const submitted = await client.workspaceRuns.submit({
        workspaceId,
        body: { message: "Ask.", ...place },
      });
      const { run_id: runId, session_id: sessionId } = submitted;
      for await (const _ of client.runs.follow({ runId, untilParked: true }));
      const agentId = await agentOf(client, workspaceId, runId);
      const beside = await client.workspaceRuns.submit({ workspaceId, body: { message: "Work.", ...place } });
      const resumed = client.runs.resume({ agentId, runId, body: { message: "the first" } });
      await expect(resumed).rejects.toMatchObject({
        status: 409,
        code: "run_needs_more",
        message: expect.stringContaining(beside.run_id),
      });
      expect(await client.runs.get({ agentId, runId })).toMatchObject({ parked: { reason: "question" } });

      other.resolve();
      for await (const _ of client.runs.follow({ runId: beside.run_id }));
      const next = { message: "the first", session_id: sessionId, ...place };
      const answered = await client.workspaceRuns.submit({ workspaceId, body: next });
      expect(answered.run_id).toBe(runId);
      for await (const _ of client.runs.follow({ runId }));
      expect(await client.runs.get({ agentId, runId })).toMatchObject({ status: "completed" });
      expect(await pathsOf(client, { workspaceId, workingCopyId })).toEqual(["one.txt"]);
      const { items } = await client.workspaceRuns.list({ workspaceId });
      expect(items.map(({ id }) => id).toSorted()).toEqual([runId, beside.run_id].toSorted());
    });
  });

  async function start(script: Script): Promise<Started> {
    const place = await kind.make();
    left.push(() => place.remove());
    const model = await startModelServer({ script, apiKey: "k", conversation: () => "all" });
    left.push(() => model.close());
    const { secret, accountId } = await makeTestKey(place, { owner: { plan: "subscribed" } });
    await operateOn(place, (operator) => operator.grant({ accountId, credits: 10_000 }));
    const { dataDir, databaseUrl } = place.settings;
    const service = new ServiceProcess(["serve"], {
      PORT: "0",
      DATA_DIR: dataDir,
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      RUN_SECRETS_KEY: SEALING_KEY,
      BACKEND: "model",
      MODEL_PROVIDER: "openai-compatible",
      MODEL: "scripted-model",
      MODEL_API_KEY: "k",
      MODEL_BASE_URL: model.baseUrl,
    });
    left.push(() => service.kill());
    const client = clientOf(await service.ready(), secret);
    const { id: workspaceId } = await client.workspaces.create({ body: { name: "workspace" } });
    const made = await client.copies.create({ workspaceId });
    const workingCopyId = made.status === "succeeded" ? (made.result.working_copy_id ?? "") : "";
    return { client, model, workspaceId, workingCopyId };
  }
});

async function agentOf(client: Client, workspaceId: string, runId: string): Promise<string> {
  const { items } = await client.workspaceRuns.list({ workspaceId });
  return items.find(({ id }) => id === runId)?.agent_id ?? "";
}

async function pathsOf(
  client: Client,
  { workspaceId, workingCopyId }: Pick<Started, "workspaceId" | "workingCopyId">,
): Promise<readonly string[]> {
  const { items } = await client.copyFiles.list({ workspaceId, workingCopyId });
  return items.map(({ path }) => path).toSorted();
}
