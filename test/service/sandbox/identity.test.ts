// ID tokens for commands in the sandbox: their way to the relay, in each kind of network, beside the egress proxy and beside a command in the
// background, and nowhere else.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/base/result.ts";
import type { CommandIdentity } from "../../../src/service/core/ports/command-identity.ts";
import type { TokenRelay } from "../../../src/service/core/run-identity/token-relay.ts";
import { testRelays } from "../../support/test-relays.ts";
import { EgressFixture } from "../egress/egress-fixture.ts";
import { marked, SandboxFixture } from "./sandbox-fixture.ts";

const ask =
  'curl -sS -H "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=vault"';
const TOKEN = '{"value":"token for vault"}';

let fixture: SandboxFixture;
const relays: TokenRelay[] = [];
beforeEach(() => {
  fixture = new SandboxFixture();
});
afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.close();
  await fixture.close();
});

function openRelay(secret: string): CommandIdentity {
  const relay = testRelays.open({
    secret,
    signal: new AbortController().signal,
    mint: async (audience) => ok({ token: `token for ${audience}`, expiresAt: 1 }),
  });
  relays.push(relay);
  return relay;
}

describe("a command in the sandbox", { tags: ["sandbox"] }, () => {
  it.each(["off", "allowed"])("asks for ID tokens where the network is %s", async (network) => {
    const environment = { SANDBOX: "bubblewrap", SANDBOX_NETWORK: network };
    const sandbox = await fixture.find({ environment });
    const identity = openRelay("svc_run_one");
    expect((await fixture.result(sandbox, ask, { identity })).output).toBe(TOKEN);
    const { output } = await fixture.result(sandbox, "env | grep -c ^ACTIONS_");
    expect(output).toBe("0\n");
  });

  it("has egress beside it, and goes around its proxy to the relay", async () => {
    const net = new EgressFixture();
    await net.start();
    try {
      const sandbox = await fixture.find({ environment: { SANDBOX: "bubblewrap" } });
      const egressSocket = await net.open(["registry.example:PORT"]).socket("agent");
      const identity = openRelay("svc_run_one");
      const reach = `curl -sSk https://registry.example:${net.port}/a`;
      const { output } = await fixture.result(sandbox, `${reach}; ${ask}`, { identity, egressSocket });
      expect(output).toBe(`hello${TOKEN}`);
    } finally {
      await net.close();
    }
  });

  it("reaches the relay of its own run alone, beside a command in the background too", async () => {
    const sandbox = await fixture.find({ environment: { SANDBOX: "bubblewrap" } });
    const name = marked("identity");
    const stop = new AbortController();
    const started = Promise.withResolvers<void>();
    const background = fixture
      .result(sandbox, `${ask}; sleep 60`, {
        identity: openRelay("svc_run_one"),
        beside: { name, isBackground: true },
        onOutput: () => started.resolve(),
        signal: stop.signal,
      })
      .catch(() => null);
    await started.promise;
    const own = await fixture.result(sandbox, ask, {
      identity: openRelay("svc_run_two"),
      beside: { name, isBackground: false },
    });
    expect(own.output).toBe(TOKEN);
    const none = await fixture.result(sandbox, "curl -sS -m 5 http://127.0.0.1:4143/id-token?", {
      beside: { name: `${name}-other`, isBackground: false },
    });
    expect(none.output).toMatch(/Failed to connect|Couldn't connect/);
    stop.abort();
    await background;
  });
});
