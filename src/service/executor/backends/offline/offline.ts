// The backend without a model and without a network: it reads the repository and writes a briefing of one screen.

import type { Checkout } from "../../../core/checkouts/checkout.ts";
import type { Backend, RepositoryTask } from "../../backend.ts";
import { gitChanges } from "../../tools/git-changes.ts";
import { gitLog } from "../../tools/git-log.ts";
import { listFiles } from "../../tools/list-files.ts";
import { readFile } from "../../tools/read-file.ts";
import type { Tool } from "../../tools/tool.ts";
import { callTool } from "../../tools/tool-call.ts";
import { type Briefed, briefing, isPullRequest, LISTED_COMMITS, noRepositoryText } from "./briefing.ts";
import { manifests } from "./commands.ts";
import { findReadme } from "./readme.ts";
import { sendMessage, takeStep } from "./stream.ts";

const LISTED_FILES = 100;
const README_LINES = 200;

/** Writes a repository briefing in Markdown. The same checkout gives the same briefing. */
export const offlineBackend: Backend = {
  name: "offline",
  needsCheckout: true,
  async run(task, checkout) {
    if (task.repository === null) {
      await sendMessage(task, [noRepositoryText(task)]);
      return { stopReason: "no_model" };
    }
    const found = await readRepository(task, checkout);
    await takeStep(task, {
      name: "Write the briefing",
      work: () => sendMessage(task, briefing(task, found)),
    });
    return { stopReason: "no_model" };
  },
};

/** Reads by tool calls, so that each is seen in the run. A call that fails leaves its part of the briefing empty. */
async function readRepository(task: RepositoryTask, checkout: Checkout): Promise<Briefed> {
  const call = async <Value>(tool: Tool<Value>, input: unknown): Promise<Value | null> => {
    const outcome = await callTool({ task, tool, input, checkout });
    return outcome.ok ? outcome.value : null;
  };
  const text = async (path: string): Promise<string> =>
    (await call(readFile, { path, limit: README_LINES }))?.text ?? "";
  const readTexts = async (paths: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const texts = new Map<string, string>();
    for (const path of paths) texts.set(path, await text(path));
    return texts;
  };

  const paths = await takeStep(task, {
    name: "List the files",
    work: async () => {
      await call(listFiles, { limit: LISTED_FILES });
      return await checkout.files();
    },
  });
  const readme = findReadme(paths);
  const wanted = [...(readme === null ? [] : [readme]), ...manifests.filter((path) => paths.includes(path))];
  const texts = await takeStep(task, { name: "Read the manifests", work: () => readTexts(wanted) });
  const commits = await takeStep(task, {
    name: "Read the history",
    work: () => call(gitLog, { limit: LISTED_COMMITS }),
  });
  const changes = isPullRequest(task)
    ? await takeStep(task, {
        name: "Compare with the base",
        work: async () => (await call(gitChanges, {}))?.changes ?? null,
      })
    : null;
  return { paths, readme, texts, commits: commits ?? [], changes };
}
