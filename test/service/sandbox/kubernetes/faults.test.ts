// What can fail between a worker and its pods: the server, its connections, the pod, the pool, the rights, and the worker itself.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { workerRules } from "../../../../fakes/kubernetes/cluster.ts";
import { until } from "../sandbox-fixture.ts";
import { CLAIM, PodFixture } from "./pod-fixture.ts";

let fixture: PodFixture;
afterEach(() => fixture.close());

const waiting = "echo begun >> runs; echo one; while [ ! -e go ]; do sleep 0.02; done; echo two";

describe("the API server", () => {
  it("is away for a while: the command goes on in its pod, and nothing of its output is lost", async () => {
    fixture = await PodFixture.start();
    const { cluster } = fixture;
    let output = "";
    const result = fixture.run(waiting, {
      onOutput: (piece) => {
        output += piece.toString();
      },
    });
    await until(async () => output.includes("one"));
    cluster.goAway();
    fixture.touch("go");
    await until(async () =>
      existsSync(
        join(cluster.podOf(CLAIM).folder, ".agent-service/commands", `${cluster.podOf(CLAIM).uid}-1`, "end"),
      ),
    );
    cluster.comeBack();
    expect(await result).toMatchObject({ exitCode: 0, output: "one\ntwo\n" });
    expect(output).toBe("one\ntwo\n");
    expect(readFileSync(fixture.path("runs"), "utf8")).toBe("begun\n");
    expect(fixture.lost).toEqual([]);
  });

  it("stays away: the run is told that its pod is lost, once, and commands fail from then on", async () => {
    fixture = await PodFixture.start({ awayMs: 300 });
    const running = fixture.run(waiting);
    running.catch(() => {});
    await fixture.executed(2);
    fixture.cluster.goAway();
    await expect(running).rejects.toThrow(/cannot be reached/);
    await expect(fixture.run("true")).rejects.toThrow(/cannot be reached/);
    expect(fixture.lost).toEqual([expect.stringMatching(/cannot be reached/)]);
    fixture.cluster.comeBack();
  });

  it("cuts connections in the middle of output and of files: both arrive whole, and nothing is executed twice", async () => {
    fixture = await PodFixture.start();
    await fixture.run("true");
    fixture.cluster.cutNextExecAfter(50_000);
    const result = await fixture.run("echo begun >> runs; seq 1 40000", { maxOutputBytes: 1_000_000 });
    const numbers = Array.from({ length: 40_000 }, (_, at) => `${at + 1}\n`).join("");
    expect(result.output === numbers).toBe(true);
    const made = fixture.run("while [ ! -e go ]; do sleep 0.02; done; seq 1 40000 > numbers; echo x > other");
    await fixture.executed(fixture.cluster.commands.length + 1);
    fixture.cluster.cutNextExecAfter(50_000);
    fixture.touch("go");
    await made;
    expect(readFileSync(fixture.path("numbers"), "utf8") === numbers).toBe(true);
    expect(readFileSync(fixture.path("other"), "utf8")).toBe("x\n");
    expect(readFileSync(fixture.path("runs"), "utf8")).toBe("begun\n");
  });

  it("refuses an old token once it was replaced: the new one is read", async () => {
    fixture = await PodFixture.start();
    await fixture.run("true");
    fixture.cluster.rotateToken();
    expect((await fixture.run("echo on")).output).toBe("on\n");
  });
});

describe("a claim", () => {
  it("waits for a pod of an empty pool, over watches that are cut or came too late", async () => {
    fixture = await PodFixture.start({ warm: 0, makesPods: false });
    const { cluster } = fixture;
    const result = fixture.run("echo ready");
    const watches = (count: number) =>
      until(async () => fixture.seen("sandboxclaims", "watch").length >= count);
    await watches(1);
    cluster.cutConnections();
    await watches(2);
    // What it knows is older than what the server remembers.
    cluster.claims.forget();
    const read = fixture.seen("sandboxclaims", "get").length;
    cluster.cutConnections();
    await until(async () => fixture.seen("sandboxclaims", "get").length > read);
    cluster.fillPool();
    expect((await result).output).toBe("ready\n");
  });

  it("that is waited for keeps no command that is stopped meanwhile", async () => {
    fixture = await PodFixture.start({ warm: 0, makesPods: false });
    const first = fixture.run("echo first");
    const stopping = new AbortController();
    const second = fixture.run("echo second", { signal: stopping.signal });
    second.catch(() => {});
    await until(async () => fixture.seen("sandboxclaims", "watch").length > 0);
    stopping.abort(new Error("stopped"));
    await expect(second).rejects.toThrow("stopped");
    fixture.cluster.fillPool();
    expect((await first).output).toBe("first\n");
    expect((await fixture.run("echo third")).output).toBe("third\n");
  });

  it("is refused by a quota, or gets no pod: commands are refused with the reason, and once more at once", async () => {
    const settings = { SANDBOX_KUBERNETES_WAIT_SECONDS: "1" };
    fixture = await PodFixture.start({ quota: 0, settings });
    const { files, sandbox } = fixture;
    const refusal = await files.refusal(sandbox, "true");
    expect(refusal).toEqual({
      reason: "shell_refused",
      detail:
        "No pod of the pool agent-pods was ready within 1 s: the quota of the namespace is used up. Tell the operator of this service.",
    });
    const asked = fixture.seen("sandboxclaims", "create").length;
    expect(await files.refusal(sandbox, "true")).toEqual(refusal);
    expect(fixture.seen("sandboxclaims", "create")).toHaveLength(asked);
    await fixture.close();

    fixture = await PodFixture.start({ warm: 0, makesPods: false, settings });
    expect((await fixture.files.refusal(fixture.sandbox, "true")).detail).toContain("the pool is empty");
    // It would keep its place in the queue of the pool.
    expect(fixture.cluster.claims.values).toEqual([]);
  });

  it("needs each right that the manifest gives, and says which one is missing", async () => {
    for (const missing of ["create", "get"] as const) {
      const rules = workerRules.map((rule) =>
        rule.resources.includes("pods/exec")
          ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== missing) }
          : rule,
      );
      fixture = await PodFixture.start({ rules });
      const { detail } = await fixture.files.refusal(fixture.sandbox, "true");
      expect(detail).toContain(`cannot ${missing} resource "pods/exec"`);
      expect(detail).toContain('needs "get" and "create" of pods/exec');
      await fixture.close();
    }
    const rules = workerRules.map((rule) =>
      rule.resources.includes("sandboxclaims") ? { ...rule, verbs: ["get"] } : rule,
    );
    fixture = await PodFixture.start({ rules });
    expect((await fixture.files.refusal(fixture.sandbox, "true")).detail).toContain(
      'cannot create resource "sandboxclaims"',
    );
  });

  it("cannot be made at all: the service does not start, and says why; a server that is away is no reason", async () => {
    fixture = await PodFixture.start();
    const { cluster, files } = fixture;
    const start = (environment: Record<string, string>) =>
      files.find({ environment: { ...cluster.environment, ...environment } });
    await expect(start({ SANDBOX_KUBERNETES_NAMESPACE: "other" })).rejects.toThrow(
      /^SANDBOX is kubernetes: The API server of Kubernetes refused \(404\).* Install agent-sandbox/,
    );
    await expect(start({ SANDBOX_KUBERNETES_CREDENTIALS: files.dataDir })).rejects.toThrow(
      /^SANDBOX is kubernetes: .*namespace cannot be read: does the pod have a service account/,
    );
    cluster.goAway();
    expect((await start({})).kind).toBe("kubernetes");
    expect(files.lines.join("\n")).toContain("warn The API server of Kubernetes does not answer");
    cluster.comeBack();
  });

  it("names the run and its end, and holds nothing of a command: no variable, no input, no word", async () => {
    fixture = await PodFixture.start();
    const secret = "s3cret-of-the-run";
    const before = Date.now();
    await fixture.run("cat; echo $WORD", { stdin: secret, env: { WORD: secret } });
    const [claim] = fixture.cluster.claims.values;
    expect(claim?.metadata.name).toBe(CLAIM);
    const lifecycle = z.object({ shutdownTime: z.string(), shutdownPolicy: z.string() });
    const { shutdownTime, shutdownPolicy } = lifecycle.parse(claim?.spec.lifecycle);
    expect(shutdownPolicy).toBe("Delete");
    const minutes = (Date.parse(shutdownTime) - before) / 60_000;
    expect(minutes).toBeGreaterThan(60);
    expect(minutes).toBeLessThan(70);
    const told = JSON.stringify([fixture.cluster.claims.values, fixture.cluster.commands]);
    expect(told).not.toContain(secret);
    expect(told).not.toContain("WORD");
  });
});

describe("the pod of a run", () => {
  it("is evicted: the command fails with the reason, and the next worker's pod has every file that was here", async () => {
    fixture = await PodFixture.start();
    const { cluster, files } = fixture;
    await fixture.run("echo kept > kept");
    writeFileSync(fixture.path("edited"), "by a tool\n");
    const running = fixture.run(waiting);
    running.catch(() => {});
    await until(async () => existsSync(`${cluster.podOf(CLAIM).folder}/tree/runs`));
    await cluster.evict(CLAIM);
    await expect(running).rejects.toThrow(
      "is gone: Evicted: The node was low on resource: ephemeral-storage.",
    );
    expect(fixture.lost).toEqual([expect.stringContaining("Evicted")]);
    expect(files.lines.join("\n")).toContain("warn the pod of a run is lost");
    expect(existsSync(fixture.path("runs"))).toBe(false);
    await fixture.leave();
    fixture.enter();
    expect((await fixture.run("cat kept edited")).output).toBe("kept\nby a tool\n");
  });

  it("is on a machine that is gone: its connections stay open and silent, and that is noticed", async () => {
    fixture = await PodFixture.start({ pingMs: 400 });
    await fixture.run("true");
    const running = fixture.run(waiting);
    running.catch(() => {});
    await until(async () => existsSync(`${fixture.cluster.podOf(CLAIM).folder}/tree/runs`));
    fixture.cluster.loseMachine(CLAIM);
    await expect(running).rejects.toThrow("is gone: it was deleted");
  });

  it("is deleted with its claim when the run leaves, and at its time where its worker is dead", async () => {
    fixture = await PodFixture.start();
    const { cluster } = fixture;
    const leaveChild = fixture.enter();
    await fixture.run("true");
    // A child in the same files has the pod of its parent, and leaves it to it.
    await leaveChild();
    expect((await fixture.run("echo on")).output).toBe("on\n");
    expect(cluster.claims.values).toHaveLength(1);
    await fixture.leave();
    await cluster.settled();
    expect(cluster.claims.values).toEqual([]);
    expect([...cluster.pods]).toEqual([]);
    fixture.enter();
    await fixture.run("true");
    await cluster.expire(Date.now() + 60 * 60_000);
    expect(cluster.claims.values).toHaveLength(1);
    await cluster.expire(Date.now() + 66 * 60_000);
    expect(cluster.claims.values).toHaveLength(0);
    expect([...cluster.pods]).toEqual([]);
  });

  it("of a worker that was killed is replaced by that of the next one, and what it executed ends", async () => {
    fixture = await PodFixture.start();
    const { cluster } = fixture;
    const running = fixture.run(waiting);
    running.catch(() => {});
    await fixture.executed(2);
    const [dead] = cluster.claims.values;
    const next = await fixture.files.find({ environment: cluster.environment });
    fixture.enter(next);
    expect((await fixture.files.result(next, "echo taken up")).output).toBe("taken up\n");
    const [claim] = cluster.claims.values;
    expect(claim?.metadata.name).toBe(dead?.metadata.name);
    expect(claim?.metadata.uid).not.toBe(dead?.metadata.uid);
    await cluster.settled();
    expect(cluster.pods.size).toBe(1);
    // The first worker is not dead but late: it deletes nothing of the other's.
    await expect(running).rejects.toThrow(/is gone|deleted/);
    expect(cluster.claims.values).toHaveLength(1);
  });
});
