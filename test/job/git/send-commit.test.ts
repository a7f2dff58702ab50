// What a job sends of its commit, by both transports, to a server that answers as a service may, and as none should.

import { execFile, execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readBody, sendJson, startLoopbackServer } from "../../../fakes/code-host/server.ts";
import { openTransport } from "../../../src/action/transport.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { createJobClient } from "../../../src/client/job-client.ts";
import { fetchTransport, type Transport } from "../../../src/client/transport.ts";
import type { CommitState } from "../../../src/contract/ci/commits.ts";
import { githubHost } from "../../../src/github/git/github-host.ts";
import { commitWords } from "../../../src/job/git/commit-place.ts";
import { type SendOptions, sendCommit } from "../../../src/job/git/send-commit.ts";
import { JobCheckout } from "../../github/git/job-checkout.ts";
import { ManualClock } from "../../support/clocks/manual-clock.ts";

const TOKEN = "ghs_the-jobs-own-token";

type Seen = { readonly line: string; readonly authorization: string; readonly body: Buffer };
type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean> | boolean;

/** Nothing here outlives its test, and a disk that others keep busy is waited for by nobody. */
const NOT_DURABLE = ["-c", "core.fsync=none"];

/** While git works, the process answers and its timers run: the job that sends is in the same one. */
async function gitIn(
  folder: string,
  args: readonly string[],
  input: Buffer = Buffer.alloc(0),
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = execFile("git", [...NOT_DURABLE, ...args], { cwd: folder }, (cause) =>
      cause === null ? resolve() : reject(cause),
    );
    // It may end before it has read everything; its exit code says so.
    child.stdin?.on("error", () => {}).end(input);
  });
}

/** Answers as a service that holds nothing does, and keeps the packs that come. */
class Receiver {
  readonly seen: Seen[] = [];
  readonly held: string[] = [];
  /** What it says, where that is not the truth. */
  state: Partial<CommitState> = {};
  /** Told of each commit that is asked for. */
  onFind: (sha: string) => void = () => undefined;
  /** Answers in the place of the next PUT, where it returns true. */
  faults: Handler[] = [];
  readonly #close: () => Promise<void>;
  readonly url: string;

  static async start(folder: string): Promise<Receiver> {
    const path = join(folder, "received.git");
    await mkdir(path);
    execFileSync("git", ["init", "--quiet", "--bare", path]);
    const receiver: { value?: Receiver } = {};
    const server = await startLoopbackServer(async (request, response) => {
      await receiver.value?.answer(path, request, response);
    });
    receiver.value = new Receiver(server);
    return receiver.value;
  }

  private constructor({ url, close }: { readonly url: string; close(): Promise<void> }) {
    this.url = url;
    this.#close = close;
  }

  async answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = request;
    const sha = /^\/v1\/ci\/commits\/(\w+)/.exec(url)?.[1] ?? "";
    const { authorization = "" } = headers;
    const line = `${method} ${url}`;
    if (method === "GET") {
      this.onFind(sha);
      this.seen.push({ line, authorization, body: Buffer.alloc(0) });
      const have = this.held.map((held) => ({ sha: held, shallow: [] }));
      const truth = { sha, present: this.held.includes(sha), have, max_bytes: 1_000_000, history: 50 };
      return sendJson(response, 200, { ...truth, ...this.state });
    }
    if ((await this.faults.shift()?.(request, response)) === true) {
      this.seen.push({ line: `${line} (fault)`, authorization, body: Buffer.alloc(0) });
      return;
    }
    const body = await readBody(request);
    this.seen.push({ line, authorization, body });
    expect(Number(headers["content-length"])).toBe(body.length);
    expect(headers["content-type"]).toBe("application/x-git-packed-objects");
    await gitIn(path, ["index-pack", "--fsck-objects", "--fix-thin", "--stdin"], body);
    await gitIn(path, ["cat-file", "-e", sha]);
    this.held.push(sha);
    sendJson(response, 201, { sha, objects: body.readUInt32BE(8), bytes: body.length });
  }

  get lines(): string[] {
    return this.seen.map(({ line }) => line);
  }

  close(): Promise<void> {
    return this.#close();
  }
}

let job: JobCheckout;
let folder: string;
let receiver: Receiver;
let notes: string[];
let actionTransport: ReturnType<typeof openTransport>;
beforeEach(async () => {
  job = await JobCheckout.make();
  folder = await mkdtemp(join(tmpdir(), "send-commit-"));
  receiver = await Receiver.start(folder);
  actionTransport = openTransport();
  notes = [];
});
afterEach(async () => {
  actionTransport.close();
  await Promise.all([receiver.close(), job.close()]);
  await rm(folder, { recursive: true, force: true });
});

const inCheckout = (...args: string[]) =>
  execFileSync("git", [...NOT_DURABLE, ...args], { cwd: job.root, encoding: "utf8" }).trim();
const headSha = () => inCheckout("rev-parse", "HEAD");

type Choices = Partial<Pick<SendOptions, "commit" | "timeoutMs" | "clock" | "signal">> & {
  readonly transport?: Transport;
  readonly hasHost?: boolean;
};

async function send(choices: Choices = {}) {
  const { transport = fetchTransport, hasHost = false, ...rest } = choices;
  const { env, root, temp } = job;
  const host = hasHost ? githubHost({ env, token: TOKEN, setSecret: () => undefined }) : null;
  const capabilities = ["svc_ci_first", "svc_ci_second"];
  const client = createJobClient({
    baseUrl: receiver.url,
    transport,
    credential: {
      token: () => capabilities[0] ?? null,
      refresh: async () => void capabilities.shift(),
    },
  });
  const words = commitWords({ provider: "gitlab" }, host);
  return await sendCommit({
    client,
    place: { env, root, tempFolder: temp, host, repository: "octo/repo", words },
    commit: choices.commit ?? { sha: headSha(), baseRef: null, pullRequest: null },
    timeoutMs: 60_000,
    clock: systemClock,
    signal: new AbortController().signal,
    note: (text) => void notes.push(text),
    warn: (text) => void notes.push(`warning: ${text}`),
    ...rest,
  });
}

const ways = [
  ["the command's transport", () => fetchTransport],
  ["the action's transport", () => actionTransport.send],
] as const;

describe.each(ways)("a commit, by %s", (_name, transport) => {
  it("is sent once, then what is new alone, and then nothing", async () => {
    const first = headSha();
    expect(await send({ transport: transport() })).toEqual({ base: null });
    const [short] = [first.slice(0, 7)];
    expect(notes).toEqual([
      expect.stringMatching(new RegExp(`^Sent commit ${short} without history: \\d{3} bytes\\.$`)),
    ]);
    await writeFile(join(job.root, "a.txt"), "three\n");
    inCheckout("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-am", "next");
    await send({ transport: transport() });
    expect(notes[1]).toMatch(/^Sent commit \w{7} with 1 commit of history: \d{3} bytes\.$/);
    await send({ transport: transport() });
    expect(notes[2]).toBe(`The service has commit ${headSha().slice(0, 7)} already.`);
    expect(receiver.lines).toEqual([
      `GET /v1/ci/commits/${first}`,
      `PUT /v1/ci/commits/${first}?base=`,
      `GET /v1/ci/commits/${headSha()}`,
      `PUT /v1/ci/commits/${headSha()}?base=${first}`,
      `GET /v1/ci/commits/${headSha()}`,
    ]);
    // A commit, a tree, a file.
    expect(receiver.seen[3]?.body.readUInt32BE(8)).toBe(3);
    expect(await readdir(job.temp)).toEqual([]);
  });

  it("is sent again, whole, where the connection breaks in the middle", async () => {
    receiver.faults = [
      async (request) => {
        request.once("data", () => request.destroy());
        return true;
      },
    ];
    await send({ transport: transport() });
    expect(receiver.lines.map((line) => line.replace(/[?/][^ ]*/, ""))).toEqual([
      "GET ",
      "PUT  (fault)",
      "PUT ",
    ]);
    expect(receiver.held).toEqual([headSha()]);
  });

  it("is sent with a new capability, where the first one has ended", async () => {
    receiver.faults = [
      async (request, response) => {
        await readBody(request);
        sendJson(response, 401, { error: "It has ended.", code: "unauthorized", request_id: "r" });
        return true;
      },
    ];
    await send({ transport: transport() });
    expect(receiver.seen.map(({ authorization }) => authorization)).toEqual([
      "Bearer svc_ci_first",
      "Bearer svc_ci_first",
      "Bearer svc_ci_second",
    ]);
  });

  it("is refused before it was read, and the refusal is told", async () => {
    const noise = Buffer.from(Array.from({ length: 900_000 }, (_, at) => (at * at * 7919 + (at >> 3)) % 251));
    await writeFile(join(job.root, "large.bin"), noise);
    inCheckout("add", ".");
    inCheckout("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "large");
    receiver.state = { max_bytes: 50_000_000 };
    receiver.faults = [
      (_request, response) => {
        response.setHeader("connection", "close");
        sendJson(response, 422, {
          error: "No.",
          code: "pack_refused",
          reason: "object_refused",
          request_id: "r",
        });
        return true;
      },
    ];
    await expect(send({ transport: transport() })).rejects.toMatchObject({
      status: 422,
      reason: "object_refused",
    });
  });

  it("builds on nothing, where what it built on was deleted meanwhile", async () => {
    await send({ transport: transport() });
    await writeFile(join(job.root, "a.txt"), "three\n");
    inCheckout("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-am", "next");
    receiver.faults = [
      async (request, response) => {
        await readBody(request);
        sendJson(response, 422, {
          error: "Gone.",
          code: "pack_refused",
          reason: "base_absent",
          request_id: "r",
        });
        return true;
      },
    ];
    await send({ transport: transport() });
    expect(receiver.lines.at(-1)).toBe(`PUT /v1/ci/commits/${headSha()}?base=`);
    expect(receiver.seen.at(-1)?.body.readUInt32BE(8)).toBe(8);
  });
});

describe("a commit that is sent", () => {
  it("shows the code host's token to the code host alone", async () => {
    // As actions/checkout leaves it there.
    const basic = Buffer.from(`x-access-token:${TOKEN}`).toString("base64");
    const header = `AUTHORIZATION: basic ${basic}`;
    inCheckout("config", "--local", `http.${job.server.url}/.extraheader`, header);
    await send({ hasHost: true, commit: { sha: job.headSha, baseRef: "main", pullRequest: 7 } });
    await rm(job.root, { recursive: true });
    const sha = job.repository.commit({ files: { "other.txt": "other\n" }, day: 9 });
    await send({ hasHost: true, commit: { sha, baseRef: null, pullRequest: null } });
    expect(receiver.held).toHaveLength(3);
    const stored = execFileSync("git", ["cat-file", "--batch-all-objects", "--batch"], {
      cwd: join(folder, "received.git"),
    }).toString("latin1");
    expect(stored).toContain("other\n");
    for (const secret of [TOKEN, basic]) expect(stored).not.toContain(secret);
    for (const { line, authorization, body } of receiver.seen) {
      for (const secret of [TOKEN, basic]) {
        expect(line + authorization + body.toString("latin1")).not.toContain(secret);
      }
    }
  });

  it("is fetched whole, where the code host gives no file by its name", async () => {
    const { repository, server } = job;
    repository.git(["config", "uploadpack.allowFilter", "true"]);
    await rm(job.root, { recursive: true });
    const first = repository.commit({ files: { "a.txt": "a\n" }, day: 20 });
    await send({ hasHost: true, commit: { sha: first, baseRef: null, pullRequest: null } });
    const base = repository.commit({ files: { "a.txt": "b\n" }, parents: [first], day: 21 });
    const head = repository.commit({ files: { "a.txt": "c\n" }, parents: [first], day: 22 });
    repository.updateRef("refs/heads/main", base);
    repository.updateRef("refs/heads/topic", head);
    // The history is here when the job asks for the base; the next request is for a file.
    let faults = 0;
    const refusesOnce = () => (faults++ === 0 ? { kind: "status", status: 500 } : { kind: "none" });
    receiver.onFind = (sha) => {
      if (sha === base) Object.defineProperty(server, "fault", { get: refusesOnce });
    };
    await send({ hasHost: true, commit: { sha: head, baseRef: "main", pullRequest: 7 } });
    expect(receiver.held).toEqual([first, base, head]);
    expect(faults).toBeGreaterThan(1);
  });

  it("is fetched without files that the service has, where the job has no checkout", async () => {
    const { repository } = job;
    repository.git(["config", "uploadpack.allowFilter", "true"]);
    await rm(job.root, { recursive: true });
    const noise = (seed: number) =>
      Buffer.from(Array.from({ length: 300_000 }, (_, at) => ((at * at * 7919 + at * seed) >> 3) % 251));
    const files = { "one.bin": noise(1), "deep/two.bin": noise(2), "a.txt": "a\n" };
    const first = repository.commit({ files, day: 20 });
    const commitOf = (sha: string) => ({ sha, baseRef: null, pullRequest: null });
    await send({ hasHost: true, commit: commitOf(first) });
    // What is not asked for is not missed.
    const removed = [
      repository.git(["rev-parse", `${first}:one.bin`]),
      repository.git(["rev-parse", `${first}:deep/two.bin`]),
    ];
    const next = repository.commit({
      files: { ...files, "a.txt": "new\n", "deep/new.txt": "added\n" },
      parents: [first],
      day: 21,
    });
    for (const name of removed) await rm(join(repository.path, "objects", name.slice(0, 2), name.slice(2)));
    await send({ hasHost: true, commit: commitOf(next) });
    expect(receiver.held).toEqual([first, next]);
    // The commit, two folders and two files.
    expect(receiver.seen.at(-1)?.body.readUInt32BE(8)).toBe(5);
    expect(notes[1]).toMatch(/^Sent commit \w{7} with 1 commit of history: \d{3} bytes\.$/);
  });

  it("is followed by the head of its pull request, in two packs that meet", async () => {
    const base = headSha();
    const commit = { sha: job.headSha, baseRef: "main", pullRequest: 7 };
    expect(await send({ hasHost: true, commit })).toEqual({ base });
    expect(receiver.lines).toEqual([
      `GET /v1/ci/commits/${job.headSha}?pull_request=7`,
      `GET /v1/ci/commits/${base}?pull_request=7`,
      `PUT /v1/ci/commits/${base}?pull_request=7&base=`,
      `GET /v1/ci/commits/${job.headSha}?pull_request=7`,
      `PUT /v1/ci/commits/${job.headSha}?pull_request=7&base=${base}`,
    ]);
    expect(receiver.seen[4]?.body.readUInt32BE(8)).toBe(3);
    expect(notes).toEqual([
      expect.stringMatching(/^Sent the base \w{7} without history: /),
      expect.stringMatching(/^Sent commit \w{7} with 1 commit of history: /),
    ]);
  });

  it("says what the agent will not find", async () => {
    await writeFile(join(job.root, ".gitattributes"), "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    await writeFile(join(job.root, ".gitmodules"), '[submodule "x"]\n\tpath = x\n\turl = ../x\n');
    inCheckout("add", ".");
    inCheckout("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "more");
    await writeFile(join(job.root, "a.txt"), "changed\n");
    await writeFile(join(job.root, "new.txt"), "not known to git\n");
    await send();
    const name = headSha().slice(0, 7);
    expect(notes).toEqual([
      "Submodules are not sent: the agent finds their folders empty.",
      "Files of Git LFS are not sent: the agent finds their pointers.",
      `warning: Earlier steps have changed files of the checkout. The agent works on commit ${name}, without these changes.`,
      expect.stringMatching(/^Sent commit /),
    ]);
  });

  it("goes alone out of a partial clone, and not at all where its files are missing", async () => {
    const { repository } = job;
    repository.git(["config", "uploadpack.allowFilter", "true"]);
    const [first = ""] = [headSha()];
    repository.commit({ files: { "a.txt": "newer\n", "deep/b.txt": "old\n" }, parents: [first], day: 3 });
    const cloneWith = async (...options: string[]) => {
      await rm(job.root, { recursive: true, force: true });
      job.clone(["--no-local", "--filter=blob:none", ...options, `file://${repository.path}`]);
    };
    await cloneWith();
    await send();
    expect(notes).toEqual([
      expect.stringMatching(/^Sent commit \w{7} without history: /),
      'There is no more history here, and the service takes 50 commits: Take "--filter" out of the variable GIT_FETCH_EXTRA_FLAGS.',
    ]);
    receiver.held.length = 0;
    await cloneWith("--sparse");
    await expect(send()).rejects.toMatchObject({
      code: "commit_unreadable",
      message: `The checkout is a partial clone, which lacks files of commit ${headSha().slice(0, 7)}. Take "--filter" out of the variable GIT_FETCH_EXTRA_FLAGS.`,
    });
  });
});

describe("a server that answers as no service should", () => {
  it("says that it holds what nobody knows, and gets a whole pack", async () => {
    receiver.state = {
      have: [
        { sha: "f".repeat(40), shallow: [] },
        { sha: "--upload-pack=evil", shallow: ["\n^HEAD"] },
        { sha: "HEAD", shallow: [] },
        { sha: inCheckout("rev-parse", "HEAD^{tree}"), shallow: [] },
        ...Array.from({ length: 5_000 }, (_, at) => ({ sha: String(at).padStart(40, "0"), shallow: [] })),
      ],
    };
    await send();
    expect(receiver.held).toEqual([headSha()]);
    expect(receiver.lines[1]).toMatch(/\?base=$/);
  });

  it.each([
    ["an absurd limit", { max_bytes: Number.MAX_SAFE_INTEGER }],
    ["an absurd history", { history: 1_000_000_000 }],
    ["no history", { history: -5 }],
  ])("names %s, and gets the commit", async (_name, state) => {
    receiver.state = state;
    await send();
    expect(receiver.held).toEqual([headSha()]);
  });

  it.each([
    ["less than it needs", 100, "100 bytes"],
    ["nothing", 0, "0 bytes"],
    ["less than nothing", -1, "0 bytes"],
  ])("takes %s, and gets nothing", async (_name, maxBytes, text) => {
    receiver.state = { max_bytes: maxBytes };
    const name = headSha().slice(0, 7);
    await expect(send()).rejects.toMatchObject({
      code: "commit_too_large",
      message: expect.stringMatching(
        new RegExp(
          `^Commit ${name} was not sent: it has new files of about \\d+ bytes, and the service takes ${text} `,
        ),
      ),
    });
    expect(receiver.lines).toEqual([`GET /v1/ci/commits/${headSha()}`]);
    expect(await readdir(job.temp)).toEqual([]);
  });

  it("never answers, and the job's time ends", async () => {
    const clock = new ManualClock();
    const coming = Promise.withResolvers<void>();
    receiver.faults = [
      () => {
        coming.resolve();
        return new Promise(() => {});
      },
    ];
    const sending = send({ clock, timeoutMs: 120_000 });
    await coming.promise;
    clock.advance(120_000);
    await expect(sending).rejects.toMatchObject({
      code: "commit_not_sent",
      message: expect.stringContaining('within the 2 minutes of "timeout-minutes"'),
    });
    expect(await readdir(job.temp)).toEqual([]);
  });

  it("is not needed any more, and nothing is left", async () => {
    const cancelled = new AbortController();
    const coming = Promise.withResolvers<void>();
    receiver.faults = [
      () => {
        coming.resolve();
        return new Promise(() => {});
      },
    ];
    const sending = send({ signal: cancelled.signal });
    await coming.promise;
    cancelled.abort(new Error("The job was cancelled."));
    await expect(sending).rejects.toThrow("The job was cancelled.");
    expect(await readdir(job.temp)).toEqual([]);
  });
});

describe("without a commit", () => {
  it("nothing is asked", async () => {
    await expect(send({ commit: { sha: "", baseRef: null, pullRequest: null } })).rejects.toMatchObject({
      code: "commit_not_found",
    });
    expect(receiver.lines).toEqual([]);
  });
});
