// What the coding agents that have a name send at the versions that were tried: the forms of their requests, recorded between each
// and the scripted model on 2026-11-23, Copilot's on 2026-11-28, without their texts. All of it reaches the model but what is named here.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { say } from "../../../../../../fakes/model-server/turn.ts";
import type { CodingAgentWire } from "../../../../../../src/contract/models/protocols.ts";
import {
  ProxyFixture,
  type RecordingServer,
  startRecordingServer,
} from "../../../../../support/fixtures/proxy-fixture.ts";

type Recorded = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
};

const folder = join(import.meta.dirname, "../../../../../support/agents-requests");

/** `without`: fields that stay behind. `written`: what the proxy writes. */
type Expected = {
  readonly wire: CodingAgentWire;
  readonly without?: readonly string[];
  readonly written?: Readonly<Record<string, unknown>>;
};
const agents: Readonly<Record<string, Expected>> = {
  "claude-code": { wire: "anthropic" },
  codex: {
    wire: "openai-compatible",
    without: ["client_metadata"],
    written: { max_output_tokens: 32_000 },
  },
  "gemini-cli": { wire: "gemini", written: { generationConfig: { maxOutputTokens: 32_000 } } },
  "opencode-chat": { wire: "openai-compatible" },
  "opencode-anthropic": { wire: "anthropic" },
  "opencode-gemini": { wire: "gemini" },
  "copilot-responses": { wire: "copilot", written: { max_output_tokens: 32_000 } },
  "copilot-messages": { wire: "copilot" },
};

let fixture: ProxyFixture | null = null;
let server: RecordingServer | null = null;
afterEach(async () => {
  await fixture?.close();
  await server?.close();
  fixture = null;
  server = null;
});

describe("a request of a coding agent", () => {
  it.each(Object.keys(agents))("reaches its model: %s", async (name) => {
    const { wire, without = [], written = {} } = agents[name] as Expected;
    const recorded: readonly Recorded[] = JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));
    server = await startRecordingServer();
    fixture = await ProxyFixture.open({ wire, step: say("never"), baseUrl: server.url });
    const sent: unknown[] = [];
    for (const { path, headers, body } of recorded) {
      // The base URL of OpenAI's clients ends with the version.
      const below = wire === "openai-compatible" ? path.replace(/^\/v1/, "") : path;
      expect(await fixture.send(below, { body, headers })).toMatchObject({ status: 200 });
      const kept = Object.entries(body).filter(([field]) => !without.includes(field));
      const config =
        wire === "gemini"
          ? { generationConfig: { ...Object(body.generationConfig), ...Object(written.generationConfig) } }
          : written;
      sent.push({ ...Object.fromEntries(kept), ...config });
    }
    expect(server.bodies.map((text) => JSON.parse(text))).toEqual(sent);
  });
});
