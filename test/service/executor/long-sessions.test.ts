// Long runs in the whole service: a run, its child and the next run of its session fill the model's window, on APIs that refuse
// a history which has changed before the model's thoughts.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TestRepository } from "../../../fakes/code-host/git-repository.ts";
import { startModelServer } from "../../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../../fakes/model-server/request.ts";
import { everyTime } from "../../../fakes/model-server/script.ts";
import { answer, call, type Part, say, think } from "../../../fakes/model-server/turn.ts";
import { submitRunResponseSchema } from "../../../src/contract/runs/run.ts";
import { readConfig } from "../../../src/service/settings/config.ts";
import { startFixture } from "../../support/fixtures/start-fixture.ts";
import { postgresStore, sqliteStore } from "../../support/stores/stores.ts";
import { baseUrlOf, providers } from "./backends/model/model-fixture.ts";

const KEY = "sk-the-models-key-0123456789";
const REPOSITORY = "octo-org/octo-repo";
const FILES = 12;
const [FIRST, SECOND, CHILD] = ["Read it all.", "And once more.", "Read your part."] as const;

let folder: string;
let repository: TestRepository;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "long-sessions-"));
  repository = new TestRepository(folder, "octo-repo.git");
  const files = Array.from({ length: FILES }, (_, at) => [`${at}.txt`, `line of ${at}\n`.repeat(800)]);
  repository.commit({ files: Object.fromEntries(files) });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const isForSummary = ({ lastUserMessage }: ModelRequest) => lastUserMessage.includes("about to be cut");
const countedTokens = ({ body }: ModelRequest) => Math.ceil(JSON.stringify(body).length / 4);

/** Who asks, by what it was asked last. */
function askerOf({ messages }: ModelRequest): string {
  const said = messages.flatMap((message) => (message.role === "user" ? [message.text] : []));
  return [CHILD, SECOND].find((task) => said.includes(task)) ?? FIRST;
}

/** Each reads every file, one a turn; the first run hands a part on. */
function reading() {
  const turns = new Map<string, number>();
  const next = (request: ModelRequest): Part[] => {
    const asker = askerOf(request);
    const turn = turns.get(asker) ?? 0;
    turns.set(asker, turn + 1);
    if (turn < FILES) return [think(`Now ${turn}.`), call("read_file", { path: `${turn}.txt` })];
    if (asker === FIRST && turn === FILES) return [think("The rest."), call("delegate", { task: CHILD })];
    return [think("All is read."), say(`Done: ${asker}`)];
  };
  return everyTime((request) =>
    answer(isForSummary(request) ? [think("In short."), say("## Goal\nRead.")] : next(request), {
      usage: { input: countedTokens(request) },
    }),
  );
}

for (const [at, provider] of providers.entries()) {
  const kind = at % 2 === 0 ? sqliteStore : postgresStore;
  describe(`a long session on ${kind.name} by ${provider}`, { tags: [...kind.tags] }, () => {
    it("goes on after each summary: the run, its child, and the next run", async () => {
      const model = await startModelServer({ script: reading(), apiKey: KEY });
      const config = readConfig(
        {},
        {
          PATH: process.env.PATH,
          BACKEND: "model",
          // OpenRouter's thoughts are signed, too.
          MODEL: provider === "openai-compatible" ? "anthropic/claude" : "scripted-model",
          MODEL_PROVIDER: provider,
          MODEL_BASE_URL: baseUrlOf(provider, model),
          MODEL_API_KEY: KEY,
          MODEL_CONTEXT_TOKENS: "24000",
          MODEL_MAX_OUTPUT_TOKENS: "2000",
        },
      );
      if (!config.ok) throw new Error(config.refusal.join("\n"));
      const { backend, model: modelConfig, sandbox } = config.value;
      const fixture = await startFixture({
        level: "service",
        store: kind,
        repositories: { [REPOSITORY]: { path: repository.path, visibility: "public" } },
        config: { backend, model: modelConfig, sandbox, maxRunningRuns: 1, freeCredits: 1_000_000 },
      });
      try {
        const sha = repository.git(["rev-parse", "refs/heads/main"]);
        const job = await fixture.job({ ...fixture.freshRepository(), repository: REPOSITORY, sha });
        for (const message of [FIRST, SECOND]) {
          const submitted = await job.submit({ message, session_key: "long" });
          const { run_id: runId } = submitRunResponseSchema.parse(submitted.body);
          expect(await job.ended(runId)).toMatchObject({ status: "completed", stop_reason: "end_turn" });
        }
        const summarised = new Set(model.requests.filter(isForSummary).map(askerOf));
        expect(summarised).toEqual(new Set([FIRST, CHILD, SECOND]));
        const second = model.requests.find((request) => askerOf(request) === SECOND);
        expect(JSON.stringify(second?.messages)).toContain(`Done: ${FIRST}`);
      } finally {
        await fixture.close();
        // Rejects where a history was refused, whatever came of it.
        await model.close();
      }
    });
  });
}
