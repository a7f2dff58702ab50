// What an MCP server asks people: a question of the run, which is parked with it, and goes on with the answer. On each store, with a real
// server, real checkouts and a scripted model.

import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeServerProgram } from "../../fakes/mcp-server/fake-mcp.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { call, type Step, say } from "../../fakes/model-server/turn.ts";
import { systemClock } from "../../src/base/clock.ts";
import { systemRandom } from "../../src/base/ids.ts";
import type { RunEvent } from "../../src/contract/runs/run-event.ts";
import type { SubmitRunRequest } from "../../src/contract/runs/run-requests.ts";
import * as access from "../../src/federation/mcp/server-access.ts";
import { leaveRun } from "../../src/service/core/runs/recover-runs.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import { modelBackend } from "../../src/service/executor/backends/model/model-backend.ts";
import { askQuestionTool } from "../../src/service/executor/tools/ask-question.ts";
import * as session from "../../src/service/executor/tools/mcp/mcp-session.ts";
import { openRunServers } from "../../src/service/executor/tools/mcp/run-servers.ts";
import { readServers } from "../../src/service/executor/tools/mcp/server-definition.ts";
import type { CoreFixture } from "../support/fixtures/core-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";
import { expectValidStream } from "../support/service-streams.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";
import { sqliteStore } from "../support/stores/stores.ts";
import { CheckoutFixture } from "./checkouts/checkout-fixture.ts";
import { API_KEY, HastyClock, ratesOf } from "./executor/backends/model/model-fixture.ts";
import { SandboxFixture } from "./sandbox/sandbox-fixture.ts";

const rates = ratesOf({ id: "scripted-model", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 1_000 });
const paint = (word: string) => call("mcp__words__paint", { word });

onEveryStore((store) => {
  describe("what an MCP server asks people", () => {
    let folder: string;
    let program: string;
    let checkouts: CheckoutFixture;
    let sandboxes: SandboxFixture;
    let server: ModelServer;
    let fixture: CoreFixture;
    let turns: readonly Step[];

    beforeEach(async () => {
      folder = await realpath(await mkdtemp(join(tmpdir(), "elicitations-")));
      program = await writeServerProgram(folder);
      checkouts = await CheckoutFixture.make();
      sandboxes = new SandboxFixture();
      const sandbox = await sandboxes.find({ environment: { SANDBOX: "off", PATH: process.env.PATH ?? "" } });
      server = await startModelServer({
        script: everyTime((request) => turns[Math.min(request.assistantTurns, turns.length - 1)]),
        apiKey: API_KEY,
      });
      const { servers } = readServers(
        { mcpServers: { words: { command: process.execPath, args: [program, "well"] } } },
        { origin: "operator", variables: { values: {}, isWithheld: () => false } },
      );
      const model = modelBackend({
        provider: "anthropic",
        baseUrl: server.baseUrl,
        apiKey: API_KEY,
        access: null,
        models: { executor: "scripted-model", advisor: null, reviewer: null },
        rates,
        toolbox: ({ askPeople }) => (askPeople === null ? [] : [askQuestionTool(askPeople)]),
        openServers: async ({ task, checkout, elicitations }) =>
          await openRunServers({
            load: async () => session,
            sandbox,
            servers,
            tokens: {
              load: async () => access,
              mintIdToken: null,
              clock: systemClock,
              random: () => 0,
            },
            problems: [],
            place: { gitFolder: null, isTrusted: true },
            task,
            checkout,
            elicitations,
          }),
        clock: new HastyClock(),
        random: systemRandom,
        maxTurns: 8,
      });
      const backend: Backend = { ...model, needsCheckout: true, changesCheckout: true };
      const provider = checkouts.provider();
      const sha = checkouts.repository.commit({ files: { a: "a\n" } });
      fixture = await startFixture({
        level: "core",
        store,
        backend,
        rates,
        freeCredits: 100_000,
        keepsJournals: true,
        checkouts: {
          ...provider,
          open: (source, signal) => provider.open({ ...checkouts.source(sha), runId: source.runId }, signal),
        },
      });
      fixture.executor.start();
    });
    afterEach(async () => {
      await fixture.close();
      await server.close();
      await checkouts.close();
      await sandboxes.close();
      await rm(folder, { recursive: true, force: true });
    });

    const submit = async (body: SubmitRunRequest) => {
      const submitted = await fixture.trySubmit({ may_park: true, session_key: "thread", ...body });
      if (!submitted.ok) throw new Error(submitted.refusal.reason);
      return submitted.value.runId;
    };
    const parked = (runId: string) => fixture.until(runId, (run) => run.parked !== undefined);
    const questions = async (runId: string) =>
      (await fixture.stream(runId)).flatMap(({ event }) => {
        const one = event as RunEvent;
        return one.type === "CUSTOM" && one.name === "question" ? [one.value] : [];
      });
    const results = () => server.toolResults().map(({ text }) => text);

    it("is a question of the run, whose answer the server is given when its tool is called again", async () => {
      turns = [paint("tree"), paint("tree"), say("Done.")];
      const runId = await submit({ message: "Paint it." });
      await parked(runId);
      expect(await questions(runId)).toEqual([
        {
          question: expect.stringMatching(/^The MCP server "words" asks:\n\n> Which colour has tree\?\n\n/),
          choices: ["red", "blue", "Decline"],
        },
      ]);
      expect(await submit({ message: "Blue" })).toBe(runId);
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed", stopReason: "end_turn" });
      await expectValidStream(await fixture.stream(runId));
      const [first = "", second = ""] = results();
      expect(first).toContain("call the tool again with the same input");
      expect(second).toContain("tree is blue");
      expect(await questions(runId)).toHaveLength(1);
    });

    it("is not lost with the worker that was given the answer", async () => {
      const gate = Promise.withResolvers<void>();
      turns = [
        paint("tree"),
        async () => {
          await gate.promise;
          return paint("tree");
        },
        say("Done."),
      ];
      const runId = await submit({ message: "Paint it." });
      await parked(runId);
      await submit({ message: "red" });
      await expect.poll(() => server.requests.length).toBe(2);
      expect(await leaveRun(fixture.core, runId)).toBe("released");
      fixture.dispatch.requeue(runId);
      gate.resolve();
      await fixture.ended(runId);
      expect(results().at(-1)).toContain("tree is red");
      expect(await questions(runId)).toHaveLength(1);
    });

    // The rest has no SQL of its own, and is the same on every store.
    if (store !== sqliteStore) return;

    it("is declined, and asked again where the answer cannot be used", async () => {
      turns = [paint("tree"), paint("tree"), paint("tree"), say("Done.")];
      const runId = await submit({ message: "Paint it." });
      await parked(runId);
      expect(await submit({ message: "green, I think" })).toBe(runId);
      await fixture.until(runId, (run) => run.parked !== undefined && run.fence > 1);
      const [, again] = await questions(runId);
      expect(again?.question).toContain(
        'The last answer could not be used: colour must be one of "red", "blue".',
      );
      expect(await submit({ message: "decline" })).toBe(runId);
      await fixture.ended(runId);
      expect(results().at(-1)).toContain("tree has no colour");
    });

    it("is answered once: another call asks people again, and a call of another input is another question", async () => {
      turns = [paint("tree"), paint("tree"), paint("leaf"), paint("leaf"), say("Done.")];
      const runId = await submit({ message: "Paint both." });
      await parked(runId);
      await submit({ message: "red" });
      await fixture.until(runId, (run) => run.parked !== undefined && run.fence > 1);
      expect((await questions(runId)).map(({ question }) => question.split("\n")[2])).toEqual([
        "> Which colour has tree?",
        "> Which colour has leaf?",
      ]);
      await submit({ message: "blue" });
      await fixture.ended(runId);
      expect(
        server.requests.at(-1)?.toolResults.filter(({ text }) => / is (red|blue)$/m.test(text)),
      ).toHaveLength(2);
    });

    it.each(["before", "after"])(
      "is what people are shown where the model asks, too, %s it",
      async (order) => {
        const own = call("ask_question", { question: "May I delete everything?", choices: ["red", "no"] });
        turns = [
          order === "before" ? [own, paint("tree")] : [paint("tree"), own],
          paint("tree"),
          say("Done."),
        ];
        const runId = await submit({ message: "Paint it." });
        await parked(runId);
        expect((await questions(runId)).map(({ question }) => question.split("\n")[2])).toEqual([
          "> Which colour has tree?",
        ]);
        await submit({ message: "red" });
        await fixture.ended(runId);
        expect(results().at(-1)).toContain("tree is red");
      },
    );

    it("is not asked where nobody can answer: the server is told so", async () => {
      turns = [paint("tree"), say("Done.")];
      const runId = await submit({ message: "Paint it.", may_park: false });
      expect(await fixture.ended(runId)).toMatchObject({ status: "completed" });
      expect(await questions(runId)).toEqual([]);
      expect(results().at(-1)).toMatch(/elicitation|not support/i);
    });
  });
});
