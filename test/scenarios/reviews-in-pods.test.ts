// Reviews of a pull request whose service executes setup and commands in pods: the built Action, the built service, and the fake cluster,
// whose pods are bubblewrap without a network. What commands reach, they reach by the worker's proxy.

import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JobOptions } from "../../fakes/code-host/job.ts";
import { filesOfDiff } from "../../fakes/code-host/reviews.ts";
import { FakeCluster } from "../../fakes/kubernetes/cluster.ts";
import type { FakePod } from "../../fakes/kubernetes/pods.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import type { ActionResult } from "../../fakes/runner/run-action.ts";
import { selfSigned } from "../../fakes/self-signed.ts";
import type { StoredRunEvent } from "../../src/contract/runs/run-event.ts";
import { expectNothingKept } from "../support/durable/expect-played.ts";
import { ActionFixture } from "../support/fixtures/action-fixture.ts";
import { eventsOf } from "../support/fixtures/scenario-fixture.ts";
import { postgresStore, sqliteStore } from "../support/stores/stores.ts";

const SETUP = ".github/agent/setup.sh";
const SEALING_KEY = Buffer.alloc(32, 7).toString("base64");
const PULL = 7;
const OPENED: JobOptions = { event: "pull_request" };
const PUSHED: JobOptions = { ...OPENED, action: "synchronize" };
const EXECUTED = "[no output]\n[exit code 0]";
const COPIED = expect.stringMatching(
  /^\[An equal setup took [\d.]+ s: what it left was copied in [\d.]+ s\]$/,
);
const EVIL = "evil.example";
/** All that a process of the pod is given, kept where it is no change of the run. */
const LOOK = "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>&1 | tr '\\0' '\\n' > deps/processes";

const lines = (changed: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 30 }, (_, index) => `${changed[index + 1] ?? `line ${index + 1}`}\n`).join("");
const finding = (line: number) => ({
  path: "src/a.txt",
  line,
  severity: "error",
  title: `Line ${line} is wrong`,
  body: "It was right before.",
});

let page: Server;
let host: string;
/** Paths that the host was asked for. */
let reached: string[];
let cluster: FakeCluster;
let fixture: ActionFixture;
let base: string;

/** What was in the run's pod when the model was asked for its review. */
type Seen = {
  readonly pod: string;
  readonly disk: string;
  readonly commandResults: readonly string[];
};

function resultsOf({ toolResults }: ModelRequest): readonly string[] {
  return toolResults.filter(({ tool }) => tool === "run_command").map(({ text }) => text);
}

/** A pull request's head, its merge into the base, and what the code host says that it changes. */
function push(text: string, parent: string): string {
  const { repository, codeHost } = fixture;
  const files = {
    "README.md": "# Project\n",
    ".gitignore": "deps/\n",
    "src/a.txt": text,
    // Executed as soon as writers have agreed to it, and not before.
    [SETUP]: "mkdir deps; echo TAKEN > deps/origin\n",
  };
  const head = repository.commit({ files, parents: [parent], day: 2 });
  const merge = repository.commit({ files, parents: [base, head], subject: "Merge", day: 3 });
  repository.updateRef("refs/heads/main", base);
  repository.updateRef("refs/heads/topic", head);
  repository.updateRef(`refs/pull/${PULL}/head`, head);
  repository.updateRef(`refs/pull/${PULL}/merge`, merge);
  codeHost.rest.reviews.setFiles(PULL, filesOfDiff(repository.git(["diff", "--no-color", base, head])));
  return head;
}

function onlyPod(): FakePod {
  const [claim, ...others] = cluster.claims.values;
  if (claim === undefined || others.length > 0) throw new Error("The run has not one pod.");
  return cluster.podOf(claim.metadata.name);
}

type Event = StoredRunEvent["event"];

/** A review whose model has commands executed, one after the other by the number of those before, and answers with these findings. */
async function review(
  options: JobOptions,
  asked: {
    readonly command: (earlier: number) => string | undefined;
    readonly findings: readonly unknown[];
    /** While the job is at work. */
    readonly meanwhile?: () => Promise<void>;
  },
): Promise<{
  readonly main: ActionResult;
  readonly events: readonly Event[];
  readonly seen: Seen;
  readonly comments: number;
}> {
  const seen: Seen[] = [];
  fixture.step = (request) => {
    const command = asked.command(resultsOf(request).length);
    if (command !== undefined) return call("run_command", { command });
    return async () => {
      const pod = onlyPod();
      seen.push({ pod: pod.name, disk: await pod.onDisk(), commandResults: resultsOf(request) });
      return say(JSON.stringify({ summary: "Reviewed.", findings: asked.findings }));
    };
  };
  const before = comments().length;
  const job = await fixture.job(options);
  const inputs = { findings: "review", comment: "false", egress: host };
  const [{ main }] = await Promise.all([fixture.main(job, { inputs }), asked.meanwhile?.()]);
  expect(main, main.log).toMatchObject({ exitCode: 0, outputs: { conclusion: "success" } });
  const [last] = seen;
  if (last === undefined) throw new Error("The model was not asked for its review.");
  expectNoSecret(last, [job.githubToken, job.idTokenRequestToken, main.state.capability]);
  await cluster.settled();
  expect(cluster.claims.values).toEqual([]);
  const events = (await eventsOf(main)).map(({ event }) => event);
  return { main, events, seen: last, comments: comments().length - before };
}

/** Neither of the job nor of the service: on the pod's disk, in its processes, in what the API server was sent beside streams. */
function expectNoSecret({ disk }: Seen, ofJob: readonly (string | undefined)[]): void {
  // The processes of the pod were read: a command's variables are there.
  expect(/^HTTPS_PROXY=/m.test(disk)).toBe(true);
  const ofCluster = JSON.stringify([cluster.seen, cluster.commands, cluster.claims.values]);
  const ofService = ["key-of-node-", SEALING_KEY, fixture.key?.secret, cluster.token];
  for (const secret of [...ofJob, ...ofService]) {
    expect(secret).toBeTruthy();
    expect(disk.includes(`${secret}`)).toBe(false);
    expect(ofCluster.includes(`${secret}`)).toBe(false);
  }
  expect(/svc_[a-z]+_|postgres:\/\//.test(disk)).toBe(false);
}

function comments() {
  return fixture.codeHost.rest.commentsOf(PULL, "pulls");
}

function threadAt(line: number) {
  const found = comments().filter((one) => one.in_reply_to_id == null && one.original_line === line);
  if (found[0] === undefined) throw new Error(`No comment is at line ${line}.`);
  expect(found).toHaveLength(1);
  return found[0];
}

function isResolved(line: number): boolean {
  return fixture.codeHost.rest.reviews.resolverOf(threadAt(line).id) !== undefined;
}

function setupResults(events: readonly Event[]): readonly string[] {
  const ids = events.flatMap((event) =>
    event.type === "TOOL_CALL_START" && event.toolCallName === "setup" ? [event.toolCallId] : [],
  );
  return events.flatMap((event) =>
    event.type === "TOOL_CALL_RESULT" && ids.includes(event.toolCallId) ? [event.content] : [],
  );
}

function valuesOf(name: string, events: readonly Event[]): readonly unknown[] {
  return events.flatMap((event) =>
    event.type === "CUSTOM" && "name" in event && event.name === name ? [event.value] : [],
  );
}

// The cache of setups is a worker's.
for (const { store, roles } of [
  { store: sqliteStore, roles: ["all"] as const },
  { store: postgresStore, roles: ["api", "worker"] as const },
]) {
  describe(`reviews in pods of a service on ${store.name}`, { tags: [...store.tags, "sandbox"] }, () => {
    beforeEach(async () => {
      reached = [];
      page = createServer(selfSigned(["localhost"]), (request, response) => {
        reached.push(request.url ?? "");
        response.end("from the host\n");
      });
      page.listen(0, "127.0.0.1");
      await once(page, "listening");
      host = `localhost:${(page.address() as AddressInfo).port}`;
      cluster = await FakeCluster.start({ pods: "bubblewrap" });
      fixture = await ActionFixture.start({
        store,
        roles,
        settings: {
          ...cluster.environment,
          EGRESS: `${host}, ${EVIL}`,
          EGRESS_PRIVATE_HOSTS: "localhost=127.0.0.0/8, localhost=::1/128",
        },
      });
      await fixture.claim();
      const { repository } = fixture;
      base = repository.commit({
        files: {
          "README.md": "# Project\n",
          ".gitignore": "deps/\n",
          "src/a.txt": lines(),
          [SETUP]: `#!/bin/sh\nset -eu\nmkdir deps\necho of the base > deps/origin\n${get("setup")} > deps/page\n`,
        },
        parents: [repository.git(["rev-parse", "refs/heads/main"])],
        day: 1,
      });
    });
    afterEach(async () => {
      await fixture.close();
      await cluster.close();
      page.closeAllConnections();
      page.close();
    });

    it("publish a finding at its line, reach the allowed host alone, and copy their setup after the next push", {
      timeout: 120_000,
    }, async () => {
      const head = push(lines({ 5: "line five", 20: "line twenty" }), base);
      const command = commandsOf([
        `cat deps/origin deps/page; ${get("agent")}`,
        `curl -sS https://${EVIL}/`,
        LOOK,
      ]);
      const first = await review(OPENED, { command, findings: [finding(5), finding(20)] });
      expect(setupResults(first.events)).toEqual([EXECUTED]);
      expect(first.seen.commandResults[0]).toBe("of the base\nfrom the host\nfrom the host\n[exit code 0]");
      const blocked = `[blocked by the network policy of this run: ${EVIL} (not allowed)]`;
      expect(first.seen.commandResults[1]).toContain(blocked);
      expect(reached).toEqual(["/setup", "/agent"]);
      expect(valuesOf("egress", first.events)).toEqual([
        {
          withheld: [],
          allowed: [{ host, connections: 2, bytes: expect.any(Number) }],
          blocked: [{ host: EVIL, times: 1, reason: "not_allowed" }],
        },
      ]);
      expect(first.comments).toBe(2);
      expect(threadAt(5)).toMatchObject({
        path: "src/a.txt",
        body: expect.stringContaining("Line 5 is wrong"),
      });
      expect([5, 20].map(isResolved)).toEqual([false, false]);

      push(lines({ 20: "line twenty" }), head);
      const second = await review(PUSHED, { command, findings: [finding(20)] });
      expect(setupResults(second.events)).toEqual([COPIED]);
      expect(second.seen.commandResults).toEqual(first.seen.commandResults);
      expect(reached).toEqual(["/setup", "/agent", "/agent"]);
      expect(second.seen.pod).not.toBe(first.seen.pod);
      expect([5, 20].map(isResolved)).toEqual([true, false]);
      for (const { seen, main } of [first, second]) expect(/^TAKEN$/m.test(seen.disk + main.log)).toBe(false);
      await expectNothingKept(fixture);
    });

    it("go on from the cache of their setup where their pod is lost, and say each thing once", {
      timeout: 120_000,
    }, async () => {
      push(lines({ 5: "line five" }), base);
      const waiting = "touch deps/begun; while true; do sleep 0.1; done";
      const { events, seen, comments } = await review(OPENED, {
        command: commandsOf([`${get("agent")}; ls deps`, waiting, `ls deps; ${LOOK}`]),
        findings: [finding(5)],
        meanwhile: async () => {
          await expect.poll(() => [...cluster.pods.values()].some(hasBegun), { timeout: 60_000 }).toBe(true);
          const [claim] = cluster.claims.values;
          await cluster.evict(claim?.metadata.name ?? "");
        },
      });
      expect(setupResults(events)).toEqual([EXECUTED, COPIED]);
      expect(reached).toEqual(["/setup", "/agent"]);
      expect(seen.commandResults[0]).toBe("from the host\norigin\npage\n[exit code 0]");
      expect(valuesOf("resumed", events)).toMatchObject([
        { after: "lost_worker", unknown_calls: ["run_command"] },
      ]);
      expect(comments).toBe(1);
      expect(isResolved(5)).toBe(false);
      await expectNothingKept(fixture);
    });
  });
}

function commandsOf(commands: readonly string[]): (earlier: number) => string | undefined {
  return (earlier) => commands[earlier];
}

function hasBegun({ folder }: FakePod): boolean {
  return existsSync(join(folder, "tree/deps/begun"));
}

/** curl goes around a proxy for localhost unless it is told. */
function get(path: string): string {
  return `curl -sSk --noproxy "" https://${host}/${path}`;
}
