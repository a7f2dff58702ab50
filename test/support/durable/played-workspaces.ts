// Runs of an account's workspaces on a service whose processes are lost, and what is left of them.

import { expect, vi } from "vitest";
import { type Client, createClient } from "../../../src/client/client.ts";
import type { Run } from "../../../src/contract/runs/run.ts";
import type { WrittenEvent } from "../../../src/contract/runs/run-event.ts";
import type { WorkerView } from "../../../src/contract/workspaces/workers/worker.ts";
import { expectValidStream } from "../service-streams.ts";
import type { DurableService } from "./durable-service.ts";
import { patchIn, type Resumed } from "./expect-played.ts";

/** Written in the copy before the run, and saved in no revision. */
export const UNSAVED = { path: "unsaved.txt", content: "Of a person.\n" };

export type Place = { readonly workspaceId: string; readonly copyId: string; readonly groupId: string };

export type PlayedRun = {
  readonly run: Run;
  readonly events: readonly WrittenEvent[];
  readonly patch: string;
  readonly resumed: readonly Resumed[];
};

export class PlayedWorkspaces {
  readonly service: DurableService;
  readonly client: Client;

  constructor(service: DurableService) {
    this.service = service;
    const { url: baseUrl } = service.nodes.find(({ role }) => role !== "worker") ?? service.node();
    this.client = createClient({ baseUrl, credential: () => service.owner.secret });
  }

  /** A new workspace with a copy that has a file of its own. */
  async place(): Promise<Place> {
    const { client } = this;
    const { id: workspaceId } = await client.workspaces.create({ body: { name: "played" } });
    const made = await client.copies.create({ workspaceId });
    const copyId = made.status === "succeeded" ? (made.result.working_copy_id ?? "") : "";
    await client.copyFiles.write({ workspaceId, workingCopyId: copyId, body: UNSAVED });
    const { id: groupId } = await client.taskGroups.create({ workspaceId, body: { name: "played" } });
    return { workspaceId, copyId, groupId };
  }

  async startWorker(message: string): Promise<Place & { readonly worker: WorkerView }> {
    const place = await this.place();
    const body = { message, task_group_id: place.groupId, working_copy_id: place.copyId };
    return { ...place, worker: await this.client.workers.start({ workspaceId: place.workspaceId, body }) };
  }

  /** The manager works beside the accepted files. */
  async startManager(message: string): Promise<Place & { readonly runId: string }> {
    const place = await this.place();
    const { workspaceId } = place;
    const body = { message };
    const { run_id: runId } = await this.client.workspaceRuns.submit({ workspaceId, body });
    return { ...place, runId };
  }

  async ended(runId: string): Promise<PlayedRun> {
    const { client } = this;
    const stored = [];
    for await (const one of client.runs.follow({ runId })) stored.push(one);
    const events = await expectValidStream(stored);
    const [row] = await this.service.place.query(`select agent_id from runs where id = '${runId}'`);
    const run = await client.runs.get({ agentId: String(row?.agent_id), runId });
    const resumed = events.flatMap((event) =>
      event.type === "CUSTOM" && event.name === "resumed" ? [event.value as Resumed] : [],
    );
    return { run, events, patch: patchIn(events), resumed };
  }

  /** Once what it changed is saved. */
  async savedWorker({ workspaceId }: Place, workerRequestId: string): Promise<WorkerView> {
    return await vi.waitFor(
      async () => {
        const worker = await this.client.workers.get({ workspaceId, workerRequestId });
        expect(worker.save_state).not.toMatch(/none|saving/);
        return worker;
      },
      { timeout: 20_000, interval: 50 },
    );
  }

  async filesOf({ workspaceId }: Place, revisionId: string): Promise<Readonly<Record<string, string>>> {
    const { items } = await this.client.revisionFiles.list({ workspaceId, revisionId });
    const files: Record<string, string> = {};
    for (const { path } of items) {
      const { body } = await this.client.revisionFiles.download({ workspaceId, revisionId, query: { path } });
      files[path] = await new Response(body).text();
    }
    return files;
  }
}
