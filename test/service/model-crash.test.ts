// The service is killed in the middle of a model's run, and the key of its journal is lost: the next one ends the run, and nothing
// of it is left, neither on the disk nor among the processes.

import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CodeHost, startCodeHost } from "../../fakes/code-host/code-host.ts";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import { type ModelServer, startModelServer } from "../../fakes/model-server/model-server.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { call as callTool, type Step, say, stall } from "../../fakes/model-server/turn.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { call } from "../support/service-client.ts";
import { CiJob } from "../support/service-job.ts";

const AUDIENCE = "crash.example";
const REPOSITORY = "octo/project";
/** The store, its journal, the key of the journals of runs, who holds the folder, and where it answers. */
const OWN_FILES =
  /^(journal\.key|agent-service\.(pid|url|lock(-journal)?|sqlite(-shm|-wal)?)|checkouts|environments|homes|scratch)$/;

let folder: string;
let repository: TestRepository;
let codeHost: CodeHost;
let model: ModelServer | null;
let service: ServiceProcess | null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "model-crash-"));
  await mkdir(join(folder, "tmp"));
  repository = new TestRepository(folder, "project.git");
  repository.commit({ files: { "a.txt": "one\n" } });
  codeHost = await startCodeHost({ repositories: { [REPOSITORY]: repository.path } });
  model = null;
  service = null;
});
afterEach(async () => {
  await service?.kill();
  await model?.close();
  await codeHost.close();
  await rm(folder, { recursive: true, force: true });
});

const checkouts = () => join(folder, "data", "checkouts");

async function start(steps: readonly Step[] = []): Promise<CiJob> {
  model ??= await startModelServer({ script: byTurn(steps) });
  service = new ServiceProcess(["serve"], {
    PORT: "0",
    DATA_DIR: join(folder, "data"),
    TMPDIR: join(folder, "tmp"),
    BACKEND: "model",
    DRAIN_SECONDS: "1",
    MODEL: "scripted-model",
    MODEL_BASE_URL: model.baseUrl,
    CI_AUDIENCE: AUDIENCE,
    CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
    CI_FREE_CREDITS: "1000000",
  });
  const url = await service.ready();
  const sha = repository.git(["rev-parse", "refs/heads/main"]);
  const claims = { aud: AUDIENCE, repository: REPOSITORY, sha, event_name: "push" };
  const answer = await call(`${url}/v1/ci/oidc/exchange`, {
    method: "POST",
    json: { subject_token: codeHost.issuer.sign(codeHost.issuer.githubClaims(claims)) },
  });
  const exchanged = exchangeResponseSchema.parse(answer.body);
  return new CiJob({ fixture: { call: (path, options) => call(url + path, options) }, exchanged });
}

/** Kills the service, starts another on the same folder without the key of the run's journal, and looks at what it left. */
async function killAndLook(runId: string): Promise<void> {
  expect(await readdir(checkouts())).toHaveLength(1);
  await service?.kill();
  await rm(join(folder, "data", "journal.key"));
  const job = await start();
  await expect.poll(() => job.run(runId)).toMatchObject({ status: "failed", cause: "interrupted" });
  expect(await readdir(checkouts())).toEqual([]);
  expect(await readdir(join(folder, "tmp"))).toEqual([]);
  expect(await readdir(join(folder, "data", "environments"))).toEqual([]);
  expect(await readdir(join(folder, "data", "scratch"))).toEqual([]);
  const names = await readdir(join(folder, "data"));
  expect(names.filter((name) => !OWN_FILES.test(name))).toEqual([]);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  // Not without a pause: what is waited for needs the processor.
  while (!(await isSo())) await setTimeout(20);
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

async function processesWith(word: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "latin1").catch(() => "")));
  return lines.filter((line) => line.includes(word));
}

describe("a service that is killed", () => {
  it("while a command is executed leaves neither its files nor its processes", {
    tags: ["sandbox"],
  }, async () => {
    const seconds = `600.${process.pid}`;
    const job = await start([
      callTool("write_file", { path: "half.txt", content: "half\n" }),
      callTool("run_command", { command: `mkdir -p d/e; chmod 500 d; touch started; sleep ${seconds}` }),
      say("Never."),
    ]);
    const runId = await job.start();
    await model?.arrival(1);
    await until(async () => {
      const [own = "none"] = await readdir(checkouts());
      return await isThere(join(checkouts(), own, "tree", "started"));
    });
    expect(await processesWith(seconds)).not.toEqual([]);
    await killAndLook(runId);
    await until(async () => (await processesWith(seconds)).length === 0);
  });

  it("while the model answers leaves nothing", async () => {
    const job = await start([callTool("write_file", { path: "half.txt", content: "half\n" }), stall()]);
    const runId = await job.start();
    await model?.arrival(2);
    await killAndLook(runId);
  });

  it("while it clones leaves nothing, though git goes on for a while", async () => {
    const job = await start([say("Never.")]);
    const released = Promise.withResolvers<void>();
    codeHost.faults.git.always({ type: "hold", until: released.promise });
    const runId = await job.start();
    await until(async () => (await readdir(checkouts())).length > 0);
    await until(async () => (await processesWith("fetch\0--quiet\0--no-tags")).length > 0);
    await killAndLook(runId);
    released.resolve();
    await until(async () => (await processesWith(codeHost.url)).length === 0);
    expect(await readdir(checkouts())).toEqual([]);
  });
});

describe("a service that is stopped", () => {
  it("leaves nothing of the run that it ended", async () => {
    const job = await start([callTool("write_file", { path: "half.txt", content: "half\n" }), stall()]);
    await job.start();
    await model?.arrival(2);
    service?.signal("SIGTERM");
    expect((await service?.ended)?.code).toBe(0);
    expect(await readdir(checkouts())).toEqual([]);
    expect(await readdir(join(folder, "tmp"))).toEqual([]);
  });
});
