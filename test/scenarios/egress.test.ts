// Jobs without a server whose commands may reach a few hosts: setup and agent go out by the run's proxy, what is blocked is
// told to the model and shown in log and summary.

import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { selfSigned } from "../../fakes/self-signed.ts";
import { EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";

const KEY = "sk-the-models-key-0123456789";

let page: Server;
let port: number;
let asked: string[];
let fixture: EmbeddedFixture;
let model: ModelServer;
beforeEach(async () => {
  asked = [];
  page = createServer(selfSigned(["localhost"]), (request, response) => {
    asked.push(request.url ?? "");
    response.end("from the host\n");
  });
  page.listen(0, "127.0.0.1");
  await once(page, "listening");
  port = (page.address() as AddressInfo).port;
  fixture = await EmbeddedFixture.open({
    "file.txt": "text\n",
    // curl goes around a proxy for localhost unless it is told.
    ".github/agent/setup.sh": `#!/bin/sh\ncurl -sSk --noproxy "" https://localhost:${port}/setup || echo "no network"\n`,
  });
});
afterEach(async () => {
  await fixture.close();
  await model?.close();
  page.closeAllConnections();
  page.close();
});

async function play(egress: string | null, commands: readonly string[]) {
  const turns = commands.map((command) => call("run_command", { command }));
  model = await startModelServer({ script: byTurn([...turns, say("Done.")]), apiKey: KEY });
  const job = await fixture.job();
  fixture.checkOut(job);
  const inputs = {
    prompt: "Go on.",
    model: "scripted-model",
    "model-base-url": model.baseUrl,
    "model-api-key": KEY,
    ...(egress === null ? {} : { egress }),
  };
  const env = {
    SANDBOX: "bubblewrap",
    // The job's own variable of that name is not read.
    EGRESS: "everything",
    EGRESS_REGISTRIES: `localhost:${port}`,
    EGRESS_PRIVATE_HOSTS: "localhost=127.0.0.0/8, localhost=::1/128",
  };
  const step = await fixture.main(job, { inputs, env });
  expect(step.exitCode).toBe(0);
  return {
    step,
    results: model.toolResults().map(({ text }) => text),
    told: model.requests[0]?.system ?? "",
  };
}

const get = () => `curl -sSk --noproxy "" https://localhost:${port}/agent`;

describe("a job with a network policy", { tags: ["sandbox"] }, () => {
  it("reaches what the input names, and shows what was blocked", async () => {
    const { step, results, told } = await play(`localhost:${port}`, [
      get(),
      "for i in 1 2 3; do curl -sS https://evil.example/?$i; done",
    ]);
    expect(asked).toEqual(["/setup", "/agent"]);
    expect(results[0]).toBe("from the host\n[exit code 0]");
    expect(results[1]).toContain("[blocked by the network policy of this run: evil.example (not allowed)]");
    expect(told).toContain(`Commands reach these hosts alone`);
    expect(step.summary).toContain("🚫 Network: blocked: <code>evil.example</code> ×3");
    expect(step.log).toContain("blocked: evil.example ×3");
  });

  it("opens registries for the setup alone", async () => {
    const { step, results, told } = await play("setup", [get()]);
    expect(asked).toEqual(["/setup"]);
    expect(results[0]).toMatch(/Failed to connect|Couldn't connect/);
    expect(told).toContain("Commands have no network");
    expect(step.log).toContain("from the host");
    expect(step.summary).not.toContain("Network:");
  });

  it("reaches nothing without the input", async () => {
    const { step, results } = await play(null, [get()]);
    expect(asked).toEqual([]);
    expect(results[0]).not.toContain("from the host");
    expect(step.log).toContain("no network");
  });
});
