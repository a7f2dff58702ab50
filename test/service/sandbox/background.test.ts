// Commands beside a command in the background, in every kind of sandbox: what they reach of it, and what its end leaves.

import { mkdirSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeCluster } from "../../../fakes/kubernetes/cluster.ts";
import type { Result } from "../../../src/base/result.ts";
import type {
  Sandbox,
  SandboxCommand,
  SandboxedCheckout,
  SandboxRefusal,
  SandboxResult,
} from "../../../src/service/core/ports/sandbox.ts";
import { marked, SandboxFixture } from "./sandbox-fixture.ts";

let fixture: SandboxFixture;
let ending: AbortController;
let cluster: FakeCluster | null;
beforeEach(() => {
  fixture = new SandboxFixture();
  cluster = null;
  ending = new AbortController();
});
afterEach(async () => {
  ending.abort(new Error("stopped"));
  await cluster?.close();
  await fixture.close();
});

const bubblewrap = { kind: "bubblewrap", mode: "bubblewrap", tags: ["sandbox"] } as const;
const none = { kind: "no sandbox", mode: "off", tags: [] } as const;
const pod = { kind: "a pod", mode: "kubernetes", tags: ["sandbox"] } as const;
const container = { kind: "a container", mode: "container", tags: [] } as const;

async function open(mode: "bubblewrap" | "off" | "container" | "kubernetes"): Promise<Sandbox> {
  if (mode === "kubernetes") {
    cluster = await FakeCluster.start({ pods: "bubblewrap" });
    const sandbox = await fixture.find({ environment: cluster.environment });
    sandbox.places?.enter({ runId: "background", root: fixture.checkout.root, onLost: () => {} });
    return sandbox;
  }
  const start = JSON.stringify(["/bin/sh", "-c", "cd {checkout} && {command}"]);
  return await fixture.find({
    environment: {
      SANDBOX: mode,
      SANDBOX_READ_PATHS: dirname(process.execPath),
      ...(mode === "container" ? { SANDBOX_COMMAND: start } : {}),
    },
  });
}

type Background = {
  /** Resolves once its output holds the text. Rejects where it ends before. */
  until(text: string): Promise<void>;
  readonly ended: Promise<Result<SandboxResult, SandboxRefusal>>;
};

/** Executed in the background, and known to have begun. */
async function start(
  sandbox: Sandbox,
  shell: string,
  changes: Partial<SandboxCommand & SandboxedCheckout> = {},
): Promise<Background> {
  let output = "";
  let told: () => void = () => {};
  const begun = Promise.withResolvers<void>();
  const ended = sandbox.run(
    { ...fixture.checkout, ...changes },
    {
      execute: { shell },
      cwd: "",
      env: {},
      egressSocket: null,
      timeoutMs: 60_000,
      maxOutputBytes: 1_000,
      onOutput: (piece) => {
        output += piece.toString();
        told();
      },
      onStart: begun.resolve,
      beside: { name: marked("group"), isBackground: true },
      signal: ending.signal,
    },
  );
  await Promise.race([begun.promise, ended]);
  const isOver = ended.then((end) => {
    throw new Error(`It has ended: ${JSON.stringify(end)}`);
  });
  isOver.catch(() => {});
  const until = async (text: string) => {
    while (!output.includes(text))
      await Promise.race([
        isOver,
        new Promise<void>((resolve) => {
          told = resolve;
        }),
      ]);
  };
  return { until, ended };
}

const beside = { name: marked("group"), isBackground: false };

/** A server on a port of its own that says its word to whoever connects. */
const server = (port: number, word: string, node = process.execPath) =>
  `exec ${node} -e 'require("node:net").createServer((client) => client.end("${word}")).listen(${port}, "127.0.0.1", () => console.log("listening"))'`;
const client = (port: number, node = process.execPath) =>
  `${node} -e 'const client = require("node:net").connect(${port}, "127.0.0.1"); client.on("error", () => console.log("refused")); client.on("data", (data) => console.log(String(data)))'`;

for (const { kind, mode, tags } of [bubblewrap, none, container, pod])
  describe(`a command in the background in ${kind}`, { tags: [...tags] }, () => {
    it("tells its output as it comes, works beside others, and ends with its signal", async () => {
      const sandbox = await open(mode);
      const background = await start(
        sandbox,
        "echo begun; while [ ! -e go ]; do sleep 0.05; done; echo gone; sleep 60",
      );
      await background.until("begun");
      expect((await fixture.result(sandbox, "touch go", { beside })).exitCode).toBe(0);
      await background.until("gone");

      ending.abort(new Error("stopped"));

      await expect(background.ended).rejects.toThrow("stopped");
    });

    it("tells its own end", async () => {
      const sandbox = await open(mode);
      const background = await start(sandbox, "echo out; echo err >&2; exit 3");
      expect(await background.ended).toMatchObject({
        ok: true,
        value: { exitCode: 3, output: "out\nerr\n" },
      });
    });
  });

for (const { kind, mode, tags } of [bubblewrap, none, pod])
  describe(`the ports of a command in the background in ${kind}`, { tags: [...tags] }, () => {
    it("are reached by others, also by another in the background, until it has ended", async () => {
      const sandbox = await open(mode);
      const node = mode === "kubernetes" ? "node" : process.execPath;
      const [first, second] = [21_000 + (process.pid % 1_000), 22_000 + (process.pid % 1_000)];
      const one = await start(sandbox, server(first, "one", node));
      const two = await start(sandbox, server(second, "two", node));
      await Promise.all([one.until("listening"), two.until("listening")]);

      const { output } = await fixture.result(sandbox, `${client(first, node)}; ${client(second, node)}`, {
        beside,
      });
      expect(output).toBe("one\ntwo\n");
      const third = await start(sandbox, `sleep 1; ${client(first, node)}; sleep 60`);
      await third.until("one");

      ending.abort(new Error("stopped"));
      await Promise.allSettled([one.ended, two.ended, third.ended]);
      expect((await fixture.result(sandbox, client(first, node), { beside })).output).toBe("refused\n");
      const left = (await readdir(tmpdir())).filter((name) => name.startsWith("agent-loopback-"));
      expect(left).toEqual([]);
    });
  });

describe("a program beside a command in the background", { tags: ["sandbox"] }, () => {
  it("finds ports on which something listens later, and makes no other command wait for a relay", async () => {
    const sandbox = await open("bubblewrap");
    const port = 24_000 + (process.pid % 1_000);
    const asking = `while read -r _; do ${client(port)}; done`;
    const started = await sandbox.start(
      { checkout: fixture.checkout, isTreeShown: true, beside: beside.name },
      { argv: ["/bin/sh", "-c", asking], env: {}, egressSocket: null },
    );
    if (!started.ok) throw new Error(started.refusal.detail);
    const program = started.value;
    const answers = createInterface({ input: program.output as Readable })[Symbol.asyncIterator]();
    const ask = async () => {
      program.input.write("\n");
      return (await answers.next()).value;
    };
    try {
      expect(await ask()).toBe("refused");
      const { output } = await fixture.result(sandbox, "ls /run/loopback 2>&1 || true", { beside });
      expect(output).toContain("No such file");
      const background = await start(sandbox, server(port, "one"));
      await background.until("listening");
      await expect.poll(ask).toBe("one");
    } finally {
      await program.end();
    }
    ending.abort(new Error("stopped"));
  });
});

describe("the ports of a command in the background of another run", { tags: ["sandbox"] }, () => {
  it("are not reached", async () => {
    const sandbox = await open("bubblewrap");
    const port = 23_000 + (process.pid % 1_000);
    const server1 = await start(sandbox, server(port, "one"));
    await server1.until("listening");
    for (const group of [{}, { beside: { name: "another", isBackground: false } }])
      expect((await fixture.result(sandbox, client(port), group)).output).toBe("refused\n");
  });
});

describe("a home that stays between commands", () => {
  it("keeps the command in the background when another one ends, whose orphan processes end", async () => {
    const sandbox = await open("off");
    const home = join(fixture.dataDir, "home");
    mkdirSync(home);
    const background = await start(sandbox, "while [ ! -e go ]; do sleep 0.05; done; echo alive; sleep 60", {
      home,
    });

    await fixture.result(sandbox, "setsid sleep 61 >/dev/null 2>&1 & echo $! >orphan; touch go", {
      beside,
      checkout: { home },
    });

    await background.until("alive");
    const orphan = (await readFile(join(fixture.checkout.root, "orphan"), "utf8")).trim();
    const isOurs = await readFile(`/proc/${orphan}/environ`, "utf8").then(
      (environment) => environment.includes(home),
      () => false,
    );
    expect(isOurs).toBe(false);
  });
});
