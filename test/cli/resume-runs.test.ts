// agent-service runs resume: the built command in a process of its own, with the built service, and what its user reads.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { answer, call, fault, type Step, say } from "../../fakes/model-server/turn.ts";
import { type Client, createClient } from "../../src/client/client.ts";
import type { SubmitRunRequest } from "../../src/contract/runs/run-requests.ts";
import type { ProcessFixture } from "../support/fixtures/process-fixture.ts";
import { type Exit, ServiceProcess } from "../support/fixtures/service-process.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";

const MODEL_KEY = "sk-the-models-key-0123456789";
const asked = { question: "Which parser?", choices: ["The old one", "The new one"] };

describe("agent-service runs resume", () => {
  let service: ProcessFixture;
  let model: ModelServer;
  let key: string;
  let client: Client;
  let agentId: string;
  let step: (request: ModelRequest) => Step;

  beforeAll(async () => {
    model = await startModelServer({ script: everyTime((request) => step(request)), apiKey: MODEL_KEY });
    const settings = {
      BACKEND: "model",
      SANDBOX: "off",
      MODEL: "claude-opus-5",
      MODEL_BASE_URL: model.baseUrl,
      MODEL_API_KEY: MODEL_KEY,
    };
    service = await startFixture({ level: "process", settings });
    key = JSON.parse((await service.run(["keys", "create", "--json"])).stdout).secret;
    client = createClient({ baseUrl: service.url, credential: key });
    agentId = (await client.agents.create({ body: { name: "helper" } })).id;
  });

  afterAll(async () => {
    await service.close();
    await model.close();
  });

  beforeEach(() => {
    step = ({ assistantTurns }) => (assistantTurns === 0 ? call("ask_question", asked) : say("Done."));
  });

  const resume = async (...args: string[]): Promise<Exit> => {
    const env = { AGENT_SERVICE_URL: service.url, AGENT_SERVICE_KEY: key };
    const exit = await new ServiceProcess(["runs", "resume", ...args], env).ended;
    expect(exit.stdout + exit.stderr).not.toContain(key);
    return exit;
  };
  const park = async (body: Partial<SubmitRunRequest> = {}): Promise<string> => {
    const { runId } = await client.runs.submit({
      agentId,
      body: { message: "Fix the parser.", may_park: true, ...body },
    });
    for await (const _ of client.runs.follow({ runId, untilParked: true }));
    expect(await client.runs.get({ agentId, runId })).toMatchObject({ status: "running", parked: {} });
    return runId;
  };
  const endOf = async (runId: string) => {
    for await (const _ of client.runs.follow({ runId }));
    return await client.runs.get({ agentId, runId });
  };

  it("answers a question, says that the run goes on, and how it is followed", async () => {
    const runId = await park({ session_key: "answered" });
    expect(await resume(runId, "--message", "The new one.")).toMatchObject({
      code: 0,
      stdout: `Run ${runId} goes on. Follow it: agent-service follow ${runId}`,
      stderr: "",
    });
    expect(await endOf(runId)).toMatchObject({ status: "completed", stop_reason: "end_turn" });
    expect(await resume(runId, "--message", "Again.")).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^The service refused \(409 run_finished\): Run \S+ has ended already/),
    });
  });

  it("follows what the run does from there on, to its end", async () => {
    const runId = await park({ session_key: "followed" });
    const { code, stdout, stderr } = await resume(runId, "--message", "The new one.", "--follow");
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("The run was continued at turn 2. It was told: The new one.");
    expect(stdout).toContain("Done.");
    expect(lines.at(-1)).toMatch(/^✅ Answered, \d+ credits?/);
    expect(stdout).not.toContain("Which parser?");
  });

  it("says what is missing where the answer is, and prints data where asked to", async () => {
    const runId = await park({ session_key: "missing" });
    const missing = await resume(runId);
    expect([missing.code, missing.stdout]).toEqual([1, ""]);
    expect(missing.stderr).toMatch(/^The service refused \(409 run_needs_more\): .+ waits for the answer/);
    expect(missing.stderr).toContain("--message");
    const printed = await resume(runId, "--message", "The new one.", "--json");
    expect([printed.code, printed.stderr]).toEqual([0, ""]);
    expect(JSON.parse(printed.stdout)).toEqual({
      run_id: runId,
      session_id: expect.any(String),
      continued_after: expect.any(Number),
    });
    await endOf(runId);
  });

  it("raises a limit of cost, and names the flag where it is not raised", async () => {
    step = ({ assistantTurns }) =>
      answer(
        assistantTurns < 3
          ? [call("write_file", { path: `f${assistantTurns}`, content: "x" })]
          : [say("Done.")],
        {
          usage: { input: 40_000, output: 4_000 },
        },
      );
    const runId = await park({ max_cost_usd: 0.4 });
    const low = await resume(runId, "--max-cost", "0.2");
    expect([low.code, low.stdout]).toEqual([1, ""]);
    expect(low.stderr).toContain("limit of cost, $0.40");
    expect(low.stderr).toContain("--max-cost");
    const raised = await resume(runId, "--max-cost", "5", "--follow");
    expect([raised.code, raised.stderr]).toEqual([0, ""]);
    expect(raised.stdout).toContain("Done.");
  });

  it("goes on once the provider answers, also with the first call of the run", async () => {
    // Longer than the time that the run has: it is not waited for.
    step = () => fault({ status: 503, retryAfter: 40_000 });
    const runId = await park();
    const stillAway = await resume(runId, "--follow");
    expect(stillAway.code).toBe(1);
    expect(stillAway.stdout).toContain("fails (503)");
    expect(stillAway.stderr).toContain("The model's provider did not answer");
    expect(stillAway.stderr).toContain(`agent-service runs resume ${runId}`);
    step = () => say("Done.");
    const { code, stdout, stderr } = await resume(runId, "--follow");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("Done.");
    expect(await client.runs.get({ agentId, runId })).toMatchObject({
      status: "completed",
      stop_reason: "end_turn",
    });
  });
});
