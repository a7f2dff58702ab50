// ID tokens for the commands of another coding agent: it gets the variables of its run, and its commands have them from it.

import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../../src/base/clock.ts";
import { ok } from "../../../../../src/base/result.ts";
import type { TokenRelay } from "../../../../../src/service/core/run-identity/token-relay.ts";
import type { AcpSettings } from "../../../../../src/service/executor/backends/acp/settings.ts";
import { confineAgent } from "../../../../../src/service/sandbox/confine-agent.ts";
import { MODEL_PORT } from "../../../../../src/service/sandbox/relay.ts";
import type { AgentStep } from "../../../../support/acp-agent.ts";
import { type AcpRun, closeFixtures, runAgent } from "../../../../support/fixtures/acp-fixture.ts";
import { testRelays } from "../../../../support/test-relays.ts";
import { SandboxFixture } from "../../../sandbox/sandbox-fixture.ts";

const AWS = "sts.amazonaws.com";
const SECRET = "svc_run_0123456789abcdef";
const project = resolve(dirname(fileURLToPath(import.meta.url)), "../../../../..");
const done: AgentStep = {
  do: "update",
  update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Done." } },
};

let fixture: SandboxFixture;
let relay: TokenRelay;
beforeEach(() => {
  fixture = new SandboxFixture();
  relay = testRelays.open({
    secret: SECRET,
    signal: new AbortController().signal,
    mint: async (audience) => ok({ token: `token for ${audience}`, expiresAt: 1 }),
  });
});
afterEach(async () => {
  await relay.close();
  await fixture.close();
});
afterAll(closeFixtures);

const ask =
  'curl -sS -H "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=vault"';

async function run(settings: Partial<AcpSettings>): Promise<AcpRun> {
  return await runAgent({
    turn: [{ do: "execute", command: ask }, done],
    task: { identity: async () => ({ audiences: [AWS], commands: relay }) },
    settings,
  });
}

function expectAsked(played: AcpRun): void {
  expect(played.outcome).toEqual({ stopReason: "end_turn" });
  expect(played.answer("executed")).toBe('{"value":"token for vault"}');
  expect(JSON.stringify(played.heard)).toContain(`for these audiences alone: ${AWS}.`);
}

describe("the commands of another coding agent", () => {
  it("get ID tokens without a sandbox", async () => expectAsked(await run({})));

  it.each(["own", "shared"] as const)(
    "get ID tokens in the sandbox, in its %s network",
    { tags: ["sandbox"] },
    async (network) => {
      const shown = ["src", "test", "node_modules"].map((name) => `${project}/${name}`);
      const config = fixture.config({ config: { readPaths: [...shown, dirname(process.execPath)] } });
      const confine = await confineAgent(config, { clock: systemClock });
      const model = {
        wire: "anthropic",
        baseUrl: "http://127.0.0.1:9",
        apiKey: "sk-a-key-0123456789",
      } as const;
      expectAsked(await run({ confine, model, relayPort: network === "own" ? MODEL_PORT : null }));
    },
  );
});
