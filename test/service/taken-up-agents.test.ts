// The worker of a coding agent is lost in the middle of its prompt, and another one goes on: with the agent's own session where
// that works, else with what is known of it as text.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { submitRunResponseSchema } from "../../src/contract/runs/run.ts";
import type { WrittenEvent } from "../../src/contract/runs/run-event.ts";
import { DurableService } from "../support/durable/durable-service.ts";
import { expectCompleted, expectNothingKept, type Played } from "../support/durable/expect-played.ts";
import { newestKept, untilKept } from "../support/durable/kept-entries.ts";
import { STORY_MODEL } from "../support/durable/played-story.ts";
import { PlayedWorkspaces, UNSAVED } from "../support/durable/played-workspaces.ts";
import {
  BEGUN_AGAIN,
  CONTINUED,
  type Errand,
  HOME_CREDENTIAL,
  heardBy,
  messageOf,
  releasePath,
  type Way,
} from "../support/durable/session-agent.ts";
import { NODE } from "../support/fixtures/service-process.ts";
import { postgresStore, sqliteStore } from "../support/stores/stores.ts";

const AGENT = fileURLToPath(new URL("../support/durable/session-agent.ts", import.meta.url));
/** More than is kept of a home, packed. */
const TOO_MANY_BYTES = 9 * 1024 * 1024;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "taken-up-agents-"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

function settingsOf(more: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    BACKEND: "acp",
    SANDBOX: "off",
    ACP_COMMAND: JSON.stringify([NODE, AGENT]),
    ACP_ENV: JSON.stringify({
      ACP_HEARD: folder,
      AGENT_MODEL: STORY_MODEL,
      AGENT_MODEL_URL: "{model_url}",
      AGENT_MODEL_KEY: "{model_key}",
    }),
    MAX_RUNNING_RUNS: "12",
    ...more,
  };
}

async function submit(service: DurableService, errand: Errand): Promise<string> {
  const answer = await service.job.submit({ message: messageOf(errand) });
  return submitRunResponseSchema.parse(answer.body).run_id;
}

function errandOf(way: Way, { run = way.replaceAll(" ", "-"), homeBytes = 0 } = {}): Errand {
  return { run, way, homeBytes };
}

/** Whether its session is gone on with. */
function goesOn({ way, homeBytes }: Errand): boolean {
  return ["resumes", "loads", "loads late"].includes(way) && homeBytes === 0;
}

async function playCalm(service: DurableService): Promise<Played> {
  const errand = errandOf("resumes", { run: "calm" });
  await writeFile(releasePath(folder, errand), "");
  const played = await expectCompleted(service, await submit(service, errand));
  expect(played.resumed).toEqual([]);
  return played;
}

/** Resolves once the agent waits in its call. */
async function untilHeld(errand: Errand): Promise<void> {
  const isHeld = () => heardBy(folder, errand).some(({ what }) => what === "deployed");
  await expect.poll(isHeld, { timeout: 60_000 }).toBe(true);
}

function textIn(events: readonly WrittenEvent[]): string {
  return events.flatMap((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? [event.delta] : [])).join("\n");
}

/** The one in whose folders the agent began. */
function workerOf(errand: Errand, { nodes }: DurableService): DurableService["nodes"][number] {
  const began = heardBy(folder, errand).find(({ what }) => what === "began")?.value as {
    readonly cwd: string;
  };
  const found = nodes.find(({ env }) => began.cwd.startsWith(`${env.DATA_DIR}/`));
  if (found === undefined) throw new Error(`No node has the folder ${began.cwd}.`);
  return found;
}

function promptsOf(errand: Errand): readonly string[] {
  return heardBy(folder, errand).flatMap(({ what, value }) =>
    what === "session/prompt" ? [(value as { prompt: [{ text: string }] }).prompt[0].text] : [],
  );
}

describe("a coding agent's run whose process is killed", () => {
  let service: DurableService;
  let calm: Played;
  beforeAll(async () => {
    service = await DurableService.start({
      store: sqliteStore,
      settings: settingsOf({ ACP_KEEP_SECONDS: "2" }),
    });
    calm = await playCalm(service);
  });
  afterAll(async () => {
    await service.close();
  });

  const playLost = async (errands: readonly Errand[]) => {
    const held = await Promise.all(
      errands.map(async (errand) => {
        const runId = await submit(service, errand);
        await untilHeld(errand);
        await untilKept(service, runId);
        const { events: seen } = await service.job.page(runId);
        return { errand, runId, seen };
      }),
    );
    await service.node().process.kill();
    await service.startAgain();
    for (const { errand, runId, seen } of held) {
      const { run } = errand;
      const played = await expectCompleted(service, runId);
      expect(played.stored.slice(0, seen.length), run).toEqual(seen);
      expect(played.patch, run).toBe(calm.patch);
      expect(played.resumed, run).toEqual([{ turn: 1, after: "lost_worker", unknown_calls: ["execute"] }]);
      expect(textIn(played.events), run).toBe(`Part one of ${run}.\nPart two of ${run}.`);
      expect(played.grossMicroUsd, run).toBe(calm.grossMicroUsd);
      // The call that was begun was not made again, and its agent was told.
      expect(
        heardBy(folder, errand).filter(({ what }) => what === "deployed"),
        run,
      ).toHaveLength(1);
      const last = promptsOf(errand).at(-1) ?? "";
      expect(last, run).toContain(`deploy ${run}`);
      if (goesOn(errand)) {
        expect(last, run).toContain(CONTINUED);
        const valueNamed = (name: string) => heardBy(folder, errand).find(({ what }) => what === name)?.value;
        // Neither the credentials nor what holds the model's key are back. Agents find their sessions by their folder.
        const files = ["session.json"];
        expect(valueNamed("initialize"), run).toEqual({ files, ...(valueNamed("began") as object) });
      } else {
        expect(last, run).toContain(BEGUN_AGAIN);
        expect(last, run).toContain(`You said: Part one of ${run}.`);
      }
      expect(last, run).not.toContain(HOME_CREDENTIAL);
    }
    await expectNothingKept(service);
    expect(await service.leftFiles()).toEqual([]);
    expect(await service.leftProcesses()).toEqual([]);
  };

  it("goes on with the agent's session, or in words where that does not work", async () => {
    await playLost([
      errandOf("resumes"),
      errandOf("loads late"),
      errandOf("refuses"),
      errandOf("forgets"),
      errandOf("loads and fails"),
      errandOf("knows no sessions"),
      errandOf("resumes", { run: "large-home", homeBytes: TOO_MANY_BYTES }),
    ]);
  });

  it("goes on in its copy where it works in a workspace", async () => {
    const workspaces = new PlayedWorkspaces(service);
    const errand = errandOf("resumes", { run: "workspace" });
    const { worker, ...place } = await workspaces.startWorker(messageOf(errand));
    await untilHeld(errand);
    await untilKept(service, worker.run_id);
    await service.node().process.kill();
    await service.startAgain();
    const { run, resumed, events } = await workspaces.ended(worker.run_id);
    expect(run.status).toBe("completed");
    expect(resumed).toEqual([{ turn: 1, after: "lost_worker", unknown_calls: ["execute"] }]);
    expect(textIn(events)).toBe("Part one of workspace.\nPart two of workspace.");
    expect(promptsOf(errand).at(-1)).toContain(CONTINUED);
    const saved = await workspaces.savedWorker(place, worker.id);
    const files = await workspaces.filesOf(place, saved.saved_revision_id ?? "");
    expect(files).toMatchObject({ [UNSAVED.path]: UNSAVED.content });
    expect(Object.values(files).join("")).toContain("One.");
    await expectNothingKept(service);
    expect(await service.leftFiles()).toEqual([]);
  });

  it("does so whatever its agent does that should go on", { tags: ["long"] }, async () => {
    await playLost([errandOf("loads"), errandOf("swaps"), errandOf("falls silent"), errandOf("exits")]);
  });
});

describe("a coding agent's run whose worker is killed, beside another with folders of its own", () => {
  it("begins anew there, in words, though its agent announces sessions", { tags: ["postgres"] }, async () => {
    const service = await DurableService.start({
      store: postgresStore,
      roles: ["api", "worker", "worker"],
      settings: settingsOf({ ACP_KEEP_SECONDS: "1" }),
    });
    try {
      const calm = await playCalm(service);
      const errand = errandOf("stays in its folder");
      const runId = await submit(service, errand);
      await untilHeld(errand);
      await untilKept(service, runId);
      await workerOf(errand, service).process.kill();
      const played = await expectCompleted(service, runId);
      expect(played.resumed).toEqual([{ turn: 1, after: "lost_worker", unknown_calls: ["execute"] }]);
      expect(played.patch).toBe(calm.patch);
      const last = promptsOf(errand).at(-1);
      expect(last).toContain(BEGUN_AGAIN);
      expect(last).toContain(`You said: Part one of ${errand.run}.`);
    } finally {
      await service.close();
    }
  });
});

describe("a coding agent's run whose service is stopped", () => {
  it("is handed over as it stands, with all that its agent has done", async () => {
    // No entry is made but the last one.
    const settings = settingsOf({ ACP_KEEP_SECONDS: "600", DRAIN_SECONDS: "1" });
    const service = await DurableService.start({ store: sqliteStore, settings });
    try {
      const errand = errandOf("resumes", { run: "stopped" });
      const runId = await submit(service, errand);
      await untilHeld(errand);
      expect((await service.stop()).code).toBe(0);
      expect(await newestKept(service, runId)).toBeGreaterThan(0);
      await service.startAgain();
      const played = await expectCompleted(service, runId);
      expect(played.resumed).toEqual([{ turn: 1, after: "handover", unknown_calls: ["execute"] }]);
      expect(played.patch).toContain("+One.");
      expect(promptsOf(errand).at(-1)).toContain(CONTINUED);
      expect(textIn(played.events)).toBe("Part one of stopped.\nPart two of stopped.");
      await expectNothingKept(service);
      expect(await service.leftFiles()).toEqual([]);
    } finally {
      await service.close();
    }
  });
});
