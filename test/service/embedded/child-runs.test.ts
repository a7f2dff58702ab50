// Without a server, a run and its children work in the same files: one after the other, each telling of its own.

import { readdirSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../fakes/model-server/model-server.ts";
import { byTurn } from "../../../fakes/model-server/script.ts";
import { call, type Step, say } from "../../../fakes/model-server/turn.ts";
import { exchangeResponseSchema } from "../../../src/contract/ci/exchange.ts";
import type { ChangesEvent } from "../../../src/contract/runs/changes.ts";
import { asRunEvent, type StoredRunEvent } from "../../../src/contract/runs/run-event.ts";
import { type EmbeddedService, startEmbeddedService } from "../../../src/service/embedded/embedded.ts";
import { call as httpCall } from "../../support/service-client.ts";
import { CiJob } from "../../support/service-job.ts";
import { expectValidStream } from "../../support/service-streams.ts";
import { BorrowedFixture } from "../checkouts/borrowed-fixture.ts";

const MODEL = "scripted-model";
const delegate = (task: string) => call("delegate", { task });
const write = (path: string, content: string) => call("write_file", { path, content });

let checkout: BorrowedFixture;
let model: ModelServer;
let service: EmbeddedService;
let job: CiJob;
let tempFolder: string;

beforeEach(async () => {
  checkout = await BorrowedFixture.make({ "README.md": "# Fixture\n" });
  tempFolder = join(checkout.folder, "temp");
  await mkdir(tempFolder);
});

afterEach(async () => {
  await service.close();
  await model.close();
  await checkout.close();
});

const start = async (stories: Readonly<Record<string, readonly Step[]>>) => {
  model = await startModelServer({
    script: ({ firstUserMessage }) => byTurn(stories[firstUserMessage] ?? [])(),
  });
  service = await startEmbeddedService({
    job: {
      provider: "github",
      repository: { id: "1", ownerId: "2" },
      repositoryName: null,
      event: "push",
      sha: null,
      ref: null,
      baseRef: null,
      runId: "3",
      runAttempt: "1",
    },
    root: checkout.root,
    tempFolder,
    environment: { PATH: process.env.PATH },
    model: { MODEL, MODEL_BASE_URL: model.baseUrl },
    egress: [],
    onWarning: () => {},
  });
  const answer = await httpCall(`${service.url}/v1/ci/oidc/exchange`, {
    method: "POST",
    json: { subject_token: await service.mintIdToken() },
  });
  const exchanged = exchangeResponseSchema.parse(answer.body);
  job = new CiJob({ fixture: { call: (path, options) => httpCall(service.url + path, options) }, exchanged });
};

/** The runs that another one delegated to, in the order in which they began. */
const childrenOf = (parentId: string): string[] => {
  const [home = ""] = readdirSync(tempFolder).filter((name) => name.startsWith("agent-service-"));
  const database = new DatabaseSync(join(tempFolder, home, "agent-service.sqlite"), { readOnly: true });
  try {
    const found = database.prepare("select id from runs where parent_run_id = ? order by started_at");
    return found.all(parentId).map(({ id }) => String(id));
  } finally {
    database.close();
  }
};

const changesIn = (events: readonly StoredRunEvent[]): ChangesEvent["value"] | null => {
  for (const { event } of events) {
    const own = asRunEvent(event);
    if (own?.type === "CUSTOM" && own.name === "repository.changes") return own.value;
  }
  return null;
};
const pathsOf = (events: readonly StoredRunEvent[]) => changesIn(events)?.files.map(({ path }) => path) ?? [];

describe("a run in the job's own checkout", () => {
  it("hands tasks on one after the other, and each run reports what changed since it began", async () => {
    await start({
      "Do it all.": [
        write("parent.txt", "parent\n"),
        [delegate("Do the first part."), delegate("Do the second part.")],
        call("read_file", { path: "parent.txt" }),
        ({ toolResults }) => say(`Now it is: ${toolResults.at(-1)?.text}`),
      ],
      "Do the first part.": [
        call("read_file", { path: "parent.txt" }),
        write("first.txt", "first\n"),
        ({ toolResults }) => say(`It was: ${toolResults[0]?.text}`),
      ],
      "Do the second part.": [
        call("list_files"),
        write("parent.txt", "parent\nsecond\n"),
        ({ toolResults }) => say(`There were: ${toolResults[0]?.text}`),
      ],
    });
    const parentId = await job.start("Do it all.");
    const parentEvents = await job.follow(parentId);
    await expectValidStream(parentEvents);

    expect(model.requests.map(({ firstUserMessage }) => firstUserMessage)).toEqual([
      ...Array.from({ length: 2 }, () => "Do it all."),
      ...Array.from({ length: 3 }, () => "Do the first part."),
      ...Array.from({ length: 3 }, () => "Do the second part."),
      ...Array.from({ length: 2 }, () => "Do it all."),
    ]);
    const replies = model.toolResults("Do it all.").map(({ text }) => text);
    expect(replies[1]).toContain("It was: 1\tparent");
    expect(replies[2]).toMatch(/There were: [\s\S]*first\.txt/);
    expect(replies[3]).toBe("1\tparent\n2\tsecond");
    const offered = model.requests[0]?.tools.find(({ name }) => name === "delegate");
    expect(offered?.description).toContain("in these very files");

    const children = await Promise.all(childrenOf(parentId).map((id) => job.follow(id)));
    for (const events of children) await expectValidStream(events);
    expect(children.map(pathsOf)).toEqual([["first.txt"], ["parent.txt"]]);
    expect(pathsOf(parentEvents)).toEqual(["first.txt", "parent.txt"]);
    expect(await readFile(join(checkout.root, "parent.txt"), "utf8")).toBe("parent\nsecond\n");
    expect(checkout.git(["status", "--porcelain"])).toBe("?? first.txt\n?? parent.txt");
  });

  it("has nothing to report of a child that only read what its parent changed", async () => {
    await start({
      "Write and ask.": [write("README.md", "# Better\n"), delegate("Read."), say("Done.")],
      "Read.": [
        call("read_file", { path: "README.md" }),
        ({ toolResults }) => say(toolResults[0]?.text ?? ""),
      ],
    });
    const parentId = await job.start("Write and ask.");
    expect(pathsOf(await job.follow(parentId))).toEqual(["README.md"]);
    expect(model.toolResults("Write and ask.").at(-1)?.text).toContain("# Better");
    const [childId = ""] = childrenOf(parentId);
    expect(changesIn(await job.follow(childId))).toBeNull();
  });
});
