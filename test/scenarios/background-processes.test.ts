// Commands in the background from end to end: the built Action, the built service on both stores, and a model that starts a server. No
// process is left, however the run ends.

import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startModelServer } from "../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { call, type Step, say, stall } from "../../fakes/model-server/turn.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { ManualClock } from "../support/clocks/manual-clock.ts";
import { expectNothingKept } from "../support/durable/expect-played.ts";
import { ActionFixture, deployments } from "../support/fixtures/action-fixture.ts";
import { eventsOf, replyOf } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";

const TIME_LIMIT_MS = 60 * 60_000;
const SERVER = `import { createServer } from "node:http";
const server = createServer((_, response) => response.end("hello from the server"));
server.listen(0, "127.0.0.1", () => console.log("listening on " + server.address().port + "."));
`;
const prompt = "Try the server.";
const GONE = "Processes that you started are gone.";

/** In the command line of the server, and of nothing else on this machine. */
let mark = "";
beforeEach(() => {
  mark = randomUUID();
});

async function serverProcesses(): Promise<readonly string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "latin1").catch(() => "")));
  return lines.filter((line) => line.includes(mark));
}

const start = () => call("run_command", { command: `node server.mjs ${mark}`, run_in_background: true });
const textOf = ({ toolResults }: Pick<ModelRequest, "toolResults">) =>
  toolResults.map(({ text }) => text).join("\n");
const portIn = (request: ModelRequest) => /listening on (\d+)\./.exec(textOf(request))?.[1] ?? null;
const readServer = (id = "p1.0") => call("background_process", { id, wait_seconds: 60 });

/** Starts the server, reads where it listens, and goes on as told. */
const started =
  (next: (request: ModelRequest, port: string) => Step) =>
  (request: ModelRequest): Step => {
    if (request.assistantTurns === 0) return start();
    const port = portIn(request);
    return port === null ? readServer() : next(request, port);
  };

for (const { store, roles } of deployments) {
  describe(`commands in the background of a service on ${store.name}`, {
    tags: [...store.tags, "linux"],
  }, () => {
    let fixture: ActionFixture;
    beforeAll(async () => {
      const settings = { MAX_TURNS: "12" };
      fixture = await ActionFixture.start({ store, roles, settings, files: { "server.mjs": SERVER } });
    });
    afterEach(async () => {
      expect(await serverProcesses()).toEqual([]);
      await expectNothingKept(fixture);
    });
    afterAll(() => fixture.close());

    it("are read, called over loopback and stopped, and log, events and page say so", async () => {
      const ask = (port: string) =>
        `node -e "fetch('http://127.0.0.1:${port}').then((r) => r.text()).then(console.log)"`;
      fixture.step = started((request, port) => {
        const told = textOf(request);
        if (!told.includes("hello from the server")) return call("run_command", { command: ask(port) });
        if (!told.includes("was stopped")) return call("background_process", { id: "p1.0", stop: true });
        return say("It answers.");
      });
      const { main } = await fixture.main(await fixture.job(), { inputs: { prompt } });
      expect(main).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
      expect(await replyOf(main)).toBe("It answers.");
      const page = await fixture.page(main);
      const events = (await eventsOf(main)).map(({ event }) =>
        event.type === "TOOL_CALL_ARGS" ? event.delta : JSON.stringify(event),
      );
      for (const text of [main.log, page, events.join("")]) {
        expect(text).toContain(`node server.mjs ${mark}`);
        expect(text).toContain("hello from the server");
        expect(text).toContain("the background process p1.0 was stopped");
      }
    });

    it("end with a run that does not stop them", async () => {
      let isAlive = false;
      fixture.step = started(() => async () => {
        isAlive = (await serverProcesses()).length > 0;
        return say("It listens.");
      });
      const { main } = await fixture.main(await fixture.job(), { inputs: { prompt } });
      expect(main.outputs).toMatchObject({ conclusion: "success" });
      expect(isAlive).toBe(true);
    });

    it("end with a run that is cancelled", async () => {
      const cancelling = new AbortController();
      let isAlive = false;
      fixture.step = started(() => async () => {
        isAlive = (await serverProcesses()).length > 0;
        cancelling.abort();
        return stall();
      });
      const { signal } = cancelling;
      const { main } = await fixture.main(await fixture.job(), { inputs: { prompt }, signal });
      expect(main.outputs).toMatchObject({ conclusion: "cancelled" });
      expect(isAlive).toBe(true);
      expect(main.log).toContain(`node server.mjs ${mark}`);
    });

    it("end with the work of a run that is parked, and the model is told so once it goes on", async () => {
      let isAlive = false;
      let told = "";
      fixture.step = started((request) => async () => {
        told = JSON.stringify(request.messages.at(-1));
        if (told.includes("The new one.")) return call("background_process", {});
        if (told.includes("nothing is in the background")) return say("It is gone.");
        isAlive = (await serverProcesses()).length > 0;
        return call("ask_question", { question: "Which one?", choices: ["The old one", "The new one"] });
      });
      const request = async (comment: string) => {
        const job = await fixture.job({ event: "issue_comment", isIssue: true, comment });
        return (await fixture.main(job, { inputs: { changes: "patch" } })).main;
      };
      const first = await request("/agent try the server");
      expect(first.outputs).toMatchObject({ conclusion: "success", reason: "question" });
      expect(isAlive).toBe(true);
      expect(await serverProcesses()).toEqual([]);
      const second = await request("/agent The new one.");
      expect(second.outputs).toMatchObject({ reason: "completed", "run-id": first.outputs["run-id"] });
      expect(await replyOf(second)).toContain("It is gone.");
      const notes = fixture.model.requests.filter((one) => JSON.stringify(one.messages).includes(mark));
      expect(JSON.stringify(notes.at(-1)?.messages)).toContain(GONE);
    });

    it("end with a worker that hands its run over, and the model is told so by the next one", async () => {
      const held = Promise.withResolvers<string | null>();
      const released = Promise.withResolvers<void>();
      let isHeld = false;
      fixture.step = started((request) => {
        const told = textOf(request);
        if (told.includes("nothing is in the background")) return say("It is gone.");
        if (isHeld) return call("background_process", {});
        isHeld = true;
        held.resolve(request.apiKey);
        return stall(released.promise, call("list_files"));
      });
      const stopped = held.promise.then(async (apiKey) => {
        const isAlive = (await serverProcesses()).length > 0;
        await fixture.stopWorker(apiKey, released.resolve);
        return isAlive;
      });
      const { main } = await fixture.main(await fixture.job(), { inputs: { prompt } });
      expect(await stopped).toBe(true);
      await fixture.restore();
      expect(main).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
      expect(await replyOf(main)).toContain("It is gone.");
      const resumed = (await eventsOf(main)).map(({ event }) => event);
      expect(resumed).toContainEqual(
        expect.objectContaining({ name: "resumed", value: expect.objectContaining({ after: "handover" }) }),
      );
      const sent = fixture.model.requests.filter((one) => JSON.stringify(one.messages).includes(mark));
      expect(JSON.stringify(sent.at(-1)?.messages)).toContain(GONE);
    });
  });
}

describe("a command in the background", { tags: ["linux"] }, () => {
  it("ends with a run that reaches its time limit", async () => {
    let isAlive = false;
    const atWork = Promise.withResolvers<void>();
    const model = await startModelServer({
      script: everyTime(({ assistantTurns }) => {
        if (assistantTurns === 0) return start();
        return async () => {
          isAlive = (await serverProcesses()).length > 0;
          atWork.resolve();
          return stall();
        };
      }),
    });
    const settings = {
      BACKEND: "model",
      SANDBOX: "off",
      MODEL: "scripted-model",
      MODEL_BASE_URL: model.baseUrl,
    };
    const read = readConfig({}, { PATH: process.env.PATH, ...settings });
    if (!read.ok) throw new Error(read.refusal.join("\n"));
    const { backend, model: modelConfig, sandbox } = read.value;
    const clock = new ManualClock();
    const config = { backend, model: modelConfig, sandbox };
    const fixture = await startFixture({ level: "scenario", config, clock });
    fixture.repository.commit({ files: { "server.mjs": SERVER }, subject: "Serve" });
    try {
      const playing = fixture.main(await fixture.job(), { inputs: { prompt }, where: "process" });
      // The call waits a moment for an early end.
      await model.arrival(1);
      await expect
        .poll(() => {
          clock.advance(1_000);
          return model.requests.length;
        })
        .toBe(2);
      await atWork.promise;
      clock.advance(TIME_LIMIT_MS);
      const step = await playing;
      expect(step.outputs).toMatchObject({ conclusion: "incomplete", reason: "time_limit" });
      expect(isAlive).toBe(true);
      expect(await serverProcesses()).toEqual([]);
    } finally {
      await fixture.close();
      await model.close();
    }
  });
});
