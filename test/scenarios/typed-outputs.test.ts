// Typed outputs from end to end: the built Action in a process of its own, the built-in agent on a scripted model, the code host.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import { EmbeddedFixture } from "../support/fixtures/embedded-fixture.ts";

const KEY = "sk-the-models-key-0123456789";
const TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

describe("a job that declares outputs", () => {
  let fixture: EmbeddedFixture;
  let server: ModelServer;
  beforeEach(async () => {
    fixture = await EmbeddedFixture.open({ "README.md": "# Octo\n" });
    server = await startModelServer({
      apiKey: KEY,
      script: byTurn([
        () => call("add_labels", { labels: ["bugs"] }),
        () => call("add_labels", { labels: ["bug"] }),
        () => call("create_issue", { title: "Found on the way", body: `The key is ${TOKEN}.` }),
        () => call("create_issue", { title: "One more", body: "Text." }),
        () => say("Sorted."),
      ]),
    });
  });
  afterEach(async () => {
    await fixture.close();
    await server.close();
  });

  const inputs = () => ({
    prompt: "Sort this issue.",
    outputs: 'labels: { allowed: [bug, docs], max: 2 }\nissue: { max: 1, title-prefix: "[agent] " }\n',
    comment: "false",
    model: "scripted-model",
    "model-base-url": server.baseUrl,
    "model-api-key": KEY,
  });
  const writes = () =>
    fixture.codeHost.requests.filter(
      ({ method, path, body }) =>
        method !== "GET" &&
        path.startsWith("/api/") &&
        !(path.endsWith("/graphql") && !body.includes("mutation")),
    );

  it("has what the model asked for within them, once in two attempts, and the model is told of the rest", async () => {
    const job = await fixture.job({ event: "issues" });
    fixture.checkOut(job);
    const step = await fixture.main(job, { inputs: inputs() });
    expect(step).toMatchObject({ exitCode: 0, annotations: [], outputs: { conclusion: "success" } });
    const asked = server.requests.map(({ body }) => JSON.stringify(body));
    expect(asked[1]).toContain("Did you mean");
    expect(asked.at(-1)).toContain("A run may ask for 1 issue at most.");
    expect(writes().map(({ method, path }) => `${method} ${path.replace(/^.*octo-repo/, "")}`)).toEqual([
      "POST /issues/7/labels",
      "POST /issues",
    ]);
    const { title, body } = fixture.codeHost.rest.at("/issues/501") ?? {};
    expect(title).toBe("[agent] Found on the way");
    for (const seen of [body, step.log, step.summary]) expect(seen).not.toContain(TOKEN);
    expect(step.summary).toContain("### Outputs");

    const again = await fixture.main(job, {
      inputs: inputs(),
      env: { GITHUB_RUN_ATTEMPT: "2" },
    });
    expect(again).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
    expect(again.log).toContain("Output issue: #501 was filed before.");
    expect(writes()).toHaveLength(2);
  });

  it("names what is wrong with the declaration before anything is sent", async () => {
    const job = await fixture.job({ event: "issues" });
    const step = await fixture.main(job, { inputs: { ...inputs(), outputs: "lables: { allowed: [bug] }" } });
    expect(step).toMatchObject({ exitCode: 1, outputs: { reason: "invalid_input" } });
    expect(step.annotations[0]?.message).toContain('lables is not a known field. Did you mean "labels"?');
    expect(server.requests).toEqual([]);
  });
});
