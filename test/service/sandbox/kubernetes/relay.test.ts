// What a command in a pod reaches of the network: the proxy of its run, over the exec of the pod, which has no network.

import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../../src/base/result.ts";
import { testRelays } from "../../../support/test-relays.ts";
import { PodFixture } from "./pod-fixture.ts";

const LARGE = 3_000_000;

let fixture: PodFixture;
let folder: string;
let server: Server;
let answered = 0;
const open = new Set<Socket>();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pod-relay-"));
  answered = 0;
  // In the proxy's place: says its name, and as many bytes as it is asked for.
  server = createServer((client) => {
    open.add(client);
    client.once("close", () => open.delete(client));
    client.on("error", () => {});
    client.once("data", (data) => {
      answered += 1;
      client.end("x".repeat(Number(String(data))));
    });
  });
  await new Promise<void>((resolve) => server.listen(join(folder, "proxy"), resolve));
});
afterEach(async () => {
  await fixture.close();
  for (const client of open) client.destroy();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

/** Asks whatever the variables name for this many bytes, and tells how many came. */
const ask = (bytes: number) =>
  `node -e 'const { port } = new URL(process.env.HTTPS_PROXY); let got = 0; const client = require("node:net").connect(port, "127.0.0.1", () => client.write("${bytes}")); client.on("data", (data) => { got += data.length; }); client.on("error", (cause) => console.log(cause.code)); client.on("close", () => console.log(got))'`;

describe("the network of a command in a pod", { tags: ["sandbox"] }, () => {
  it("is the proxy that it is given: large answers, several at once, and again after a cut", async () => {
    fixture = await PodFixture.start({ pods: "bubblewrap" });
    const egressSocket = join(folder, "proxy");
    const shell = `${ask(LARGE)} & ${ask(5)} & wait`;
    const { output } = await fixture.run(shell, { egressSocket });
    expect(output.trim().split("\n").sort()).toEqual([`${LARGE}`, "5"]);
    fixture.cluster.cutConnections();
    const again = `for try in 1 2 3 4 5 6 7 8 9 10; do got=$(${ask(7)}); [ "$got" = 7 ] && break; sleep 0.3; done; echo "$got"`;
    expect((await fixture.run(again, { egressSocket })).output).toBe("7\n");
    expect(answered).toBeGreaterThan(2);
    expect(JSON.stringify(fixture.cluster.commands)).not.toContain(folder);
  });

  it("is the relay of its run's ID tokens, beside the proxy", async () => {
    fixture = await PodFixture.start({ pods: "bubblewrap" });
    const identity = testRelays.open({
      secret: "svc_run_one",
      signal: new AbortController().signal,
      mint: async (audience) => ok({ token: `token for ${audience}`, expiresAt: 1 }),
    });
    try {
      const token =
        'curl -sS -H "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=vault"';
      const egressSocket = join(folder, "proxy");
      const { output } = await fixture.run(`${token}; echo; ${ask(5)}`, { identity, egressSocket });
      expect(output).toBe('{"value":"token for vault"}\n5\n');
      expect((await fixture.run("env | grep -c ^ACTIONS_")).output).toBe("0\n");
      expect(JSON.stringify(fixture.cluster.commands)).not.toContain("svc_run_one");
    } finally {
      await identity.close();
    }
  });

  it("is none without one: no variable names a proxy, and nothing listens", async () => {
    fixture = await PodFixture.start({ pods: "bubblewrap" });
    const shell = "env | grep -c HTTPS_PROXY; (exec 3<>/dev/tcp/127.0.0.1/4142) 2>/dev/null || echo closed";
    expect((await fixture.run(shell)).output).toBe("0\nclosed\n");
  });
});
