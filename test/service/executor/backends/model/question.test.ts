// A run that ends with a question, and the run that gets the answer.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../../fakes/model-server/model-server.ts";
import { byTurn } from "../../../../../fakes/model-server/script.ts";
import { call, say } from "../../../../../fakes/model-server/turn.ts";
import { systemRandom } from "../../../../../src/base/ids.ts";
import { modelBackend } from "../../../../../src/service/executor/backends/model/model-backend.ts";
import { readingToolbox, type Toolbox } from "../../../../../src/service/executor/backends/model/toolbox.ts";
import { askQuestionTool } from "../../../../../src/service/executor/tools/ask-question.ts";
import type { CoreFixture } from "../../../../support/fixtures/core-fixture.ts";
import { startFixture } from "../../../../support/fixtures/start-fixture.ts";
import { expectValidStream } from "../../../../support/service-streams.ts";
import { CheckoutFixture } from "../../../checkouts/checkout-fixture.ts";
import { API_KEY, HastyClock, ratesOf } from "./model-fixture.ts";

const rates = ratesOf({ id: "scripted-model", inNanoUsdPerToken: 1_000, outNanoUsdPerToken: 5_000 });
const asked = { question: "Which parser?", choices: ["The old one", "The new one"] };
const toolbox: Toolbox = (context) => [
  ...readingToolbox(context),
  ...(context.askPeople === null ? [] : [askQuestionTool(context.askPeople)]),
];

let checkouts: CheckoutFixture;
let server: ModelServer;
let fixture: CoreFixture;

beforeEach(async () => {
  checkouts = await CheckoutFixture.make();
  const steps = [
    [call("read_file", { path: "a" }), call("ask_question", asked)],
    [say("Done with the new one.")],
  ];
  server = await startModelServer({ script: byTurn(steps), apiKey: API_KEY });
  const backend = modelBackend({
    provider: "anthropic",
    baseUrl: server.baseUrl,
    apiKey: API_KEY,
    access: null,
    models: { executor: "scripted-model", advisor: null, reviewer: null },
    rates,
    toolbox,
    clock: new HastyClock(),
    random: systemRandom,
  });
  const provider = checkouts.provider();
  const sha = checkouts.repository.commit({ files: { a: "a\n" } });
  fixture = await startFixture({
    level: "core",
    backend,
    rates,
    freeCredits: 10_000,
    checkouts: { ...provider, open: (_, signal) => provider.open(checkouts.source(sha), signal) },
  });
  fixture.executor.start();
});

afterEach(async () => {
  await fixture.close();
  await server.close();
  await checkouts.close();
});

async function played(body: Parameters<CoreFixture["trySubmit"]>[0]) {
  const submitted = await fixture.trySubmit(body);
  if (!submitted.ok) throw new Error(submitted.refusal.reason);
  return await fixture.ended(submitted.value.runId);
}

describe("a question", () => {
  it("ends the run as its reply, and the session's next message answers it", async () => {
    const first = await played({ message: "Fix the parser.", session_key: "thread-7" });
    expect(first).toMatchObject({ status: "completed", stopReason: "question" });
    const events = await expectValidStream(await fixture.stream(first.id));
    expect(events).toContainEqual({ type: "CUSTOM", name: "question", value: asked });
    const second = await played({ message: "The new one.", session_key: "thread-7" });
    expect(second).toMatchObject({ stopReason: "end_turn", sessionId: first.sessionId });
    expect(server.requests.at(-1)?.messages).toMatchObject([
      { role: "user", text: "Fix the parser." },
      { role: "assistant", text: "Which parser?\n\n1. The old one\n2. The new one" },
      { role: "user", text: "The new one." },
    ]);
    expect(server.requests[0]?.system).toContain("use ask_question");
  });

  it("is not offered where nobody could answer it, or where the reply has a form", async () => {
    await played({ message: "Fix the parser." });
    await played({ message: "Fix it.", session_key: "thread-8", output_schema: { type: "object" } });
    for (const { system } of server.requests) expect(system).not.toContain("ask_question");
    expect(JSON.stringify(server.requests[1]?.messages)).toContain("no tool named ask_question");
  });
});
