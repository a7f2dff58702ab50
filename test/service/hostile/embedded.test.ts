// Runs in a job's own checkout whose files mean harm, and an agent that turns the checkout's git against its owner:
// no call of git that the service makes afterwards obeys it.

import { execFileSync } from "node:child_process";
import {
  appendFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import { byTurn } from "../../../fakes/model-server/script.ts";
import { call as callTool, type Step, say } from "../../../fakes/model-server/turn.ts";
import { exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import { type EmbeddedService, startEmbeddedService } from "../../../src/service/embedded/embedded.ts";
import { call } from "../../support/service-client.ts";
import { CiJob } from "../../support/service-job.ts";
import { BorrowedFixture, REPOSITORY, TOKEN } from "../checkouts/borrowed-fixture.ts";
import { Outside } from "./hostile-fixture.ts";

const ATTRIBUTES = "* filter=evil diff=evil merge=evil\n";

let folder: string;
let outside: Outside;
let checkout: BorrowedFixture;
let model: ModelServer;
let service: EmbeddedService | null;
let stories: readonly Step[][];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostile-embedded-"));
  outside = await Outside.make(folder);
  stories = [];
  model = await startModelServer({
    script: ({ firstUserMessage }) => byTurn(stories[Number(firstUserMessage)] ?? [])(),
  });
  service = null;
  checkout = await BorrowedFixture.make({
    "a.txt": "TODO one\n",
    ".gitattributes": ATTRIBUTES,
    link: { link: join(outside.folder, "secret.txt") },
    "folder-link": { link: outside.folder },
    "AGENTS.md": { link: join(outside.folder, "secret.txt") },
    ".gitmodules": `[submodule "x"]\n\tpath = x\n\turl = ext::touch ${outside.marker}\n`,
    "line\nfeed\u001b[31m": "TODO two\n",
    "hooks/post-checkout": outside.hook(),
  });
});
afterEach(async () => {
  await service?.close();
  await model.close();
  await outside.expectUntouched();
  await checkout.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(settings: Readonly<Record<string, string>> = {}): Promise<EmbeddedService> {
  service = await startEmbeddedService({
    job: {
      provider: "github",
      repository: { id: "1", ownerId: "2" },
      repositoryName: REPOSITORY,
      event: "push",
      sha: checkout.headSha,
      ref: "refs/heads/main",
      baseRef: null,
      runId: "1",
      runAttempt: "1",
    },
    root: checkout.root,
    tempFolder: folder,
    environment: { PATH: process.env.PATH, ...settings },
    model: { MODEL: "scripted-model", MODEL_BASE_URL: model.baseUrl },
    egress: [],
    onWarning: () => undefined,
  });
  return service;
}

/** Plays the story of that number to its end. Nothing that is told of it holds a secret. */
async function play(at: number) {
  const url = service?.url ?? "";
  const answer = await call(`${url}/v1/ci/oidc/exchange`, {
    method: "POST",
    json: { subject_token: await service?.mintIdToken() },
  });
  const exchanged = exchangeResponseSchema.parse(answer.body);
  const job = new CiJob({ fixture: { call: (path, options) => call(url + path, options) }, exchanged });
  const runId = await job.start(String(at));
  const events = (await job.follow(runId)).map(({ event }) => event);
  const told = JSON.stringify(events) + model.requests.map(({ body }) => JSON.stringify(body)).join("\n");
  for (const secret of [outside.secret, TOKEN]) expect(told.includes(secret)).toBe(false);
  const named = (name: string) => events.find((event) => "name" in event && event.name === name);
  const changes = named("repository.changes");
  return {
    run: await job.run(runId),
    last: events.at(-1),
    results: events.flatMap((event) => (event.type === "TOOL_CALL_RESULT" ? [Object(event).content] : [])),
    changes: changes === undefined ? null : Object(changes).value,
  };
}

const tour = [
  callTool("list_files"),
  callTool("search", { pattern: "TODO|canary" }),
  callTool("git_log"),
  callTool("read_file", { path: "link" }),
  callTool("read_file", { path: "folder-link/secret.txt" }),
  callTool("read_file", { path: ".git/config" }),
  callTool("write_file", { path: "folder-link/made", content: "x" }),
  callTool("write_file", { path: ".git/config", content: "x" }),
];
const edit = callTool("edit_file", { path: "a.txt", old_text: "one", new_text: "two" });

describe("a run in a hostile checkout", () => {
  it("reads nothing from outside, executes nothing, and reports its own change", async () => {
    stories = [[tour, edit, say("Not checked: nothing can be.")]];
    const before = await readFile(join(checkout.root, ".git/config"), "utf8");
    await start();
    const { run, results, changes } = await play(0);
    expect(run.status).toBe("completed");
    expect(results.filter((text) => text.startsWith("error: "))).toHaveLength(5);
    expect(changes?.files).toEqual([{ path: "a.txt", status: "modified", additions: 1, deletions: 1 }]);
    expect(changes?.held_back).toBeUndefined();
    expect(await readFile(join(checkout.root, ".git/config"), "utf8")).toBe(before);
    expect(model.systemPrompt()).not.toContain("AGENTS.md says");
    await service?.close();
    expect((await readdir(folder)).toSorted()).toEqual(["outside"]);
  });

  it("keeps the checkout's git folder from a command in the sandbox", { tags: ["sandbox"] }, async () => {
    const program = `touch ${outside.marker}`;
    stories = [
      [
        callTool("run_command", {
          command: `for k in core.fsmonitor core.hooksPath filter.evil.clean; do git config $k '${program}'; done; cp hooks/* .git/hooks/; rm -rf .git; echo x > .git; cat .git/config; ls .git/hooks`,
        }),
        edit,
        say("Not checked: nothing can be."),
      ],
      [tour, say("Not checked: nothing can be.")],
    ];
    await start();
    const before = await readFile(join(checkout.root, ".git/config"), "utf8");
    const { run, changes } = await play(0);
    expect(run.status).toBe("completed");
    expect(await readFile(join(checkout.root, ".git/config"), "utf8")).toBe(before);
    expect((await lstat(join(checkout.root, ".git"))).isDirectory()).toBe(true);
    expect(changes?.files.map(({ path }: { path: string }) => path)).toEqual(["a.txt"]);
    expect((await play(1)).run.status).toBe("completed");
  });
});

describe("an agent without a sandbox that rewrites the checkout's git folder", () => {
  /** Without git itself: that would obey, by the agent's own doing. */
  const script = (lines: readonly string[]) => callTool("run_command", { command: lines.join(" && ") });
  const settings = { SANDBOX: "off" };

  async function putInPlace(): Promise<string> {
    await mkdir(join(folder, "evil"));
    await writeFile(join(folder, "evil", "config"), outside.configuration());
    await writeFile(join(folder, "evil", "hook"), outside.hook(), { mode: 0o755 });
    return join(folder, "evil");
  }

  it("has nothing of it obeyed, in this run or in the next", async () => {
    const evil = await putInPlace();
    const hooks = ["post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman"];
    stories = [
      [
        script([
          `cat ${evil}/config >> .git/config`,
          ...hooks.map((hook) => `cp ${evil}/hook .git/hooks/${hook}`),
          "mkdir -p .git/info && echo '* filter=evil diff=evil' > .git/info/attributes",
        ]),
        [callTool("list_files"), callTool("search", { pattern: "TODO" }), callTool("git_log")],
        edit,
        say("Not checked: nothing can be."),
      ],
      [
        [callTool("list_files"), callTool("git_log")],
        callTool("edit_file", { path: "a.txt", old_text: "two", new_text: "three" }),
        say("Not checked: nothing can be."),
      ],
    ];
    await start(settings);
    const first = await play(0);
    expect(first.run.status).toBe("completed");
    expect(first.results[0]).toContain("exit code 0");
    expect(first.changes?.files.map(({ path }: { path: string }) => path)).toEqual(["a.txt"]);
    const second = await play(1);
    expect(second.run.status).toBe("completed");
    expect(second.changes?.patch).toContain("-TODO one\n+TODO three");
  });

  it("has no missing object fetched by a program that it names", async () => {
    const evil = await putInPlace();
    const remote = [
      "[core]",
      "\trepositoryformatversion = 1",
      "[extensions]",
      "\tpartialClone = evil",
      '[remote "evil"]',
      `\turl = ext::touch ${outside.marker}`,
      "\tpromisor = true",
      `\tuploadpack = touch ${outside.marker}; false`,
      '[protocol "ext"]',
      "\tallow = always",
      '[protocol "file"]',
      "\tallow = always\n",
    ];
    await appendFile(join(evil, "config"), remote.join("\n"));
    stories = [
      [
        script([`cat ${evil}/config >> .git/config`, `echo ${"1".repeat(40)} > .git/HEAD`, "ls"]),
        edit,
        say("Not checked: nothing can be."),
      ],
      [tour, say("Not checked: nothing can be.")],
    ];
    await start(settings);
    const first = await play(0);
    expect(first.run.status).toBe("completed");
    expect(first.changes?.files.map(({ path }: { path: string }) => path)).toEqual(["a.txt"]);
    const second = await play(1);
    expect(second.run).toMatchObject({ status: "failed", cause: "spawn_failed" });
    expect(Object(second.last).message).toContain(`This job has no checkout of ${REPOSITORY} to work on.`);
  });

  it("has no other repository taken for the checkout's own", async () => {
    const elsewhere = join(folder, "elsewhere");
    execFileSync("git", ["init", "--quiet", elsewhere]);
    await appendFile(join(elsewhere, ".git/config"), outside.configuration());
    await symlink("../../evil/hook", join(elsewhere, ".git/hooks/post-checkout")).catch(() => undefined);
    stories = [
      [
        script([`mv .git ${folder}/moved`, `echo 'gitdir: ${elsewhere}/.git' > .git`]),
        edit,
        say("Not checked: nothing can be."),
      ],
      [tour, say("Not checked: nothing can be.")],
    ];
    await start(settings);
    const first = await play(0);
    // Its objects went with the folder: what was changed cannot be told, and the reply is there all the same.
    expect(first.run.status).toBe("completed");
    expect(first.changes?.unreadable ?? first.changes?.files[0]?.path).toMatch(/^git .* ended with|a\.txt/);
    expect((await play(1)).run).toMatchObject({ status: "failed", cause: "spawn_failed" });
  });
});
