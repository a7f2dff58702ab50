// A repository of 500 MB, sent to a service on its own: what it takes of memory. Only with `npm run test:long`.

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startCodeHost } from "../../../fakes/code-host/code-host.ts";
import { createClient } from "../../../src/client/client.ts";
import { exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import { ServiceProcess } from "../../support/fixtures/service-process.ts";
import { call } from "../../support/service-client.ts";
import { CiJob } from "../../support/service-job.ts";

const FILES = 500;
const FILE_BYTES = 1_000_000;
const MAX_SERVICE_MB = 250;
const MAX_GIT_MB = 400;

it("a commit of 500 MB is streamed: neither the service nor git holds it in memory", {
  tags: ["long", "linux"],
  timeout: 600_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-large-"));
  const codeHost = await startCodeHost({ repositories: {} });
  const service = new ServiceProcess(["serve"], {
    PORT: "0",
    BACKEND: "offline",
    DATA_DIR: join(folder, "data"),
    DRAIN_SECONDS: "0",
    CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
  });
  try {
    const url = await service.ready();
    const sha = await makeRepository(join(folder, "repository"));
    const { issuer } = codeHost;
    const claims = { aud: new URL(url).host, repository: "owner/large", repository_id: "4713", sha };
    const json = { subject_token: issuer.sign(issuer.githubClaims(claims)) };
    const exchange = await call(`${url}/v1/ci/oidc/exchange`, { method: "POST", json });
    const exchanged = exchangeResponseSchema.parse(exchange.body);
    const job = new CiJob({ fixture: { call: (path, options) => call(url + path, options) }, exchanged });
    const path = join(folder, "repository", "commit.pack");
    const { size } = await stat(path);
    expect(size).toBeGreaterThan(FILES * FILE_BYTES);
    const watch = watchMemory(service.pid);
    const { commits } = createClient({ baseUrl: url, credential: job.bearer });
    const began = performance.now();
    await commits.send({ sha, pack: { size, open: () => createReadStream(path) } });
    const sentMs = performance.now() - began;
    const runId = await job.start("hello");
    expect((await job.follow(runId)).at(-1)?.event.type).toBe("RUN_FINISHED");
    const runMs = performance.now() - began - sentMs;
    const peak = await watch.stop();
    process.stdout.write(
      `${Math.round(size / 1e6)} MB taken in ${Math.round(sentMs)} ms, run in ${Math.round(runMs)} ms, ` +
        `service ${peak.serviceMb} MB, git ${peak.gitMb} MB\n`,
    );
    expect(peak.serviceMb).toBeLessThan(MAX_SERVICE_MB);
    expect(peak.gitMb).toBeLessThan(MAX_GIT_MB);
  } finally {
    await service.kill();
    await codeHost.close();
    await rm(folder, { recursive: true, force: true });
  }
});

/** Files that do not compress, and a pack of them. */
async function makeRepository(folder: string): Promise<string> {
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=A", "-c", "user.email=a@b.c", ...args], {
      stdio: ["ignore", "pipe", "ignore"],
    })
      .toString()
      .trim();
  execFileSync("git", ["init", "-q", folder]);
  for (let file = 0; file < FILES; file += 1)
    await writeFile(join(folder, `${file}.bin`), randomBytes(FILE_BYTES));
  git("-c", "core.compression=0", "add", ".");
  git("commit", "-q", "-m", "large");
  const sha = git("rev-parse", "HEAD");
  execFileSync("sh", [
    "-c",
    `echo ${sha} | git -C "$0" -c pack.compression=0 pack-objects -q --window=0 --revs --stdout > "$0/commit.pack"`,
    folder,
  ]);
  return sha;
}

/** The most that the process, and any git that it started, had in memory: of git without the pages of files that it maps. */
function watchMemory(pid: number | undefined) {
  let serviceMb = 0;
  let gitMb = 0;
  let isOver = false;
  const residentMb = async (of: string) => {
    const status = await readFile(`/proc/${of}/status`, "utf8").catch(() => "");
    const [, most = "0"] = /^VmHWM:\s+(\d+) kB/m.exec(status) ?? [];
    const [, own = "0"] = /^RssAnon:\s+(\d+) kB/m.exec(status) ?? [];
    const [, name = ""] = /^Name:\s+(\S+)/m.exec(status) ?? [];
    const [, parent = ""] = /^PPid:\s+(\d+)/m.exec(status) ?? [];
    return { name, parent, mostMb: Math.round(Number(most) / 1000), ownMb: Math.round(Number(own) / 1000) };
  };
  const watching = (async () => {
    while (!isOver) {
      serviceMb = Math.max(serviceMb, (await residentMb(String(pid))).mostMb);
      for (const one of await readdir("/proc")) {
        if (!/^\d+$/.test(one)) continue;
        const { name, parent, ownMb } = await residentMb(one);
        if (name === "git" && parent === String(pid)) gitMb = Math.max(gitMb, ownMb);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await watching;
      return { serviceMb, gitMb };
    },
  };
}
