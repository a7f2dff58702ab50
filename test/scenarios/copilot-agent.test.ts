// Jobs without a server whose agent is GitHub Copilot, on GitHub's own models: no key and no account, the job's token alone, which stays
// in the proxy. The program is scripted by what Copilot CLI 1.0.102 was seen to do; the service, the proxy and the sandbox are real.
// The program itself: test/support/play-coding-agents.ts.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { answer, fault, say, type Turn } from "../../fakes/model-server/turn.ts";
import type { AgentScript, AgentStep } from "../support/acp-agent.ts";
import { checkOf, fixesOf, pageOf, runDoctor } from "../support/doctor-command.ts";
import { allThatIsSeen, EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";
import { type InstalledAgent, installAgent } from "../support/fixtures/installed-agent.ts";

const JOBS_TOKEN = "ghs_the0jobs0own0token0123456789";
const headers = { "copilot-integration-id": "copilot-developer-cli", "x-client-machine-id": "machine-1" };
const hello = [{ type: "message", role: "user", content: [{ type: "input_text", text: "Hello" }] }];
const list: AgentStep = { do: "request", method: "GET", path: "/models", headers };
const ask: AgentStep = {
  do: "request",
  path: "/responses",
  headers,
  body: { model: "gpt-5.4", input: hello, stream: true },
};
const askClaude: AgentStep = {
  do: "request",
  path: "/v1/messages",
  headers,
  body: { model: "claude-sonnet-5", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] },
};
const told = (text: string): AgentStep => ({
  do: "update",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
});

let fixture: EmbeddedFixture;
let model: ModelServer;
let agent: InstalledAgent | null = null;
let turnOf: () => Turn;
beforeEach(async () => {
  fixture = await EmbeddedFixture.open({ "a.txt": "one\n" });
  turnOf = () => answer([say("Good day.")], { usage: { input: 1_000, output: 50 } });
  model = await startModelServer({
    isCopilot: true,
    models: ["gpt-5.4", "claude-sonnet-5"],
    script: everyTime(() => turnOf()),
    apiKey: JOBS_TOKEN,
  });
});
afterEach(async () => {
  await model.close();
  await fixture.close();
  await agent?.remove();
  agent = null;
});

const inputs = { prompt: "Make it two.", agent: "copilot", "github-token": JOBS_TOKEN };
/** An earlier step of the job may have set it, or what such a step executed. */
const ELSEWHERE = "http://127.0.0.1:1";

async function play(script: AgentScript, given: Readonly<Record<string, string>> = {}) {
  agent = await installAgent("copilot", script);
  const job = await fixture.job();
  const root = fixture.checkOut(job);
  const env = { ...agent.env, COPILOT_API_URL: ELSEWHERE };
  const place = { "model-provider": "copilot", "model-base-url": model.url };
  return { root, step: await fixture.main(job, { env, inputs: { ...inputs, ...place, ...given } }) };
}

describe("a job with GitHub Copilot and nothing else", { tags: ["sandbox"] }, () => {
  it("asks GitHub's models with the job's token, which the agent has not", async () => {
    const look = "cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n'; grep -rIs . $HOME /run /dev/shm";
    const { root, step } = await play({
      turn: [
        list,
        ask,
        askClaude,
        { do: "execute", command: "echo two > a.txt" },
        { do: "show", command: look },
      ],
    });
    expect(step).toMatchObject({
      exitCode: 0,
      annotations: [],
      outputs: { conclusion: "success", "changed-files": '["a.txt"]', tokens: "2100" },
    });
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("two\n");
    expect(model.requests.map(({ path, apiKey }) => [path, apiKey])).toEqual([
      ["/v1/responses", JOBS_TOKEN],
      ["/v1/messages", JOBS_TOKEN],
    ]);
    // Its integration is known to GitHub, the machine is not.
    expect(model.requests[0]?.headers).toMatchObject({ "copilot-integration-id": "copilot-developer-cli" });
    expect(model.requests[0]?.headers).not.toHaveProperty("x-client-machine-id");
    const said = step.outputs.reply ?? "";
    expect(said).toContain("COPILOT_GITHUB_TOKEN=***");
    expect(said).not.toContain("COPILOT_MODEL");
    expect(await allThatIsSeen(step)).not.toContain(JOBS_TOKEN);
  });

  it("names the model that the step names", async () => {
    const { step } = await play(
      { turn: [ask, { do: "show", command: "env" }] },
      { model: "claude-sonnet-5" },
    );
    expect(step.outputs).toMatchObject({ conclusion: "success" });
    expect(step.outputs.reply).toContain("COPILOT_MODEL=claude-sonnet-5");
  });

  it("fails where the agent ends its turn with the error of its model", async () => {
    turnOf = () => fault({ status: 402, message: "no quota left" });
    const retried = told("Info: Request failed due to a transient API error. Retrying...");
    const { step } = await play({ turn: [ask, retried, ask, told("Error: no quota left")] });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure" } });
    expect(step.log).toContain(
      'The agent "GitHub Copilot CLI" got no answer of its model: "no quota left". Re-run the job.',
    );
  });

  it("says which permission is missing where GitHub refuses the token", async () => {
    turnOf = () => fault({ status: 403, message: "unauthorized" });
    const { step } = await play({
      turn: [ask, told("Error: Authorization error. Your credentials may be expired or invalid.")],
    });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: "failure" } });
    expect(step.log).toContain('Add "permissions: copilot-requests: write" to the job');
    expect(step.log).not.toContain("Re-run the job");
  });

  it("believes an answer that begins like an error where its model has answered", async () => {
    const { step } = await play({ turn: [ask, told("Error: handling is missing in a.txt.")] });
    expect(step.outputs).toMatchObject({
      conclusion: "success",
      reply: "Error: handling is missing in a.txt.",
    });
  });

  it("is examined by the doctor", async () => {
    agent = await installAgent("copilot", { turn: [] });
    const examine = async (token: string) => {
      const env = { ...agent?.env, COPILOT_API_URL: model.url, MODEL_API_KEY: token, ACP_AGENT: "copilot" };
      return pageOf(await runDoctor(env, ["--json", "--agent", "copilot"], [token]));
    };
    expect(checkOf(await examine(JOBS_TOKEN), "model")).toMatchObject({
      state: "ok",
      found: expect.stringContaining("takes the job's GitHub token"),
    });
    const refused = await examine("ghs_another0token0that0is0refused");
    expect(checkOf(refused, "model")).toMatchObject({ state: "fault" });
    expect(fixesOf(refused, "model")).toContain("copilot-requests: write");
  });
});
