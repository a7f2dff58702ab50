// What the demo's jobs work on, and with which model: a scripted one on loopback, unless another is named.

import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CodeHostJob } from "../fakes/code-host/code-host.ts";
import { startModelServer } from "../fakes/model-server/model-server.ts";
import { editTestFix, storyTools, sumProject } from "../fakes/model-server/stories.ts";
import { call } from "../fakes/model-server/turn.ts";

const SCRIPTED_KEY = "a-key-that-only-the-scripted-model-takes";

/** What a job asks a model, and where that is: as inputs of the step, or as settings of a service. */
export type DemoModel = {
  readonly prompt: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
};

/** The model at `url`, as the environment names it; the scripted one for "". */
export async function openDemoModel(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<DemoModel> {
  const prompt = "The test fails. Find out why, mend the code, and run the test until it passes.";
  if (url !== "") {
    const { MODEL = "", MODEL_API_KEY = "" } = environment;
    if (MODEL === "") throw new Error(`Set MODEL to the name of a model at ${url}.`);
    return { ...modelAt({ url, name: MODEL, key: MODEL_API_KEY }), prompt, close: async () => {} };
  }
  const run = (command: string) => call("run_command", { command });
  const server = await startModelServer({
    script: editTestFix({ ...storyTools, run }),
    apiKey: SCRIPTED_KEY,
  });
  const place = modelAt({ url: server.baseUrl, name: "scripted-model", key: SCRIPTED_KEY });
  return { ...place, prompt, close: server.close };
}

function modelAt({ url, name, key }: { url: string; name: string; key: string }) {
  return {
    inputs: { model: name, "model-base-url": url, "model-api-key": key },
    settings: { BACKEND: "model", MODEL: name, MODEL_BASE_URL: url, MODEL_API_KEY: key },
  };
}

/** Makes a repository of the project whose test fails. */
export async function makeProject(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(sumProject)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  git(folder, ["init", "--quiet", "--initial-branch=main"]);
  git(folder, ["add", "."]);
  const author = ["-c", "user.name=Demo", "-c", "user.email=demo@localhost"];
  git(folder, [...author, "commit", "--quiet", "-m", "A sum"]);
  return folder;
}

/** What actions/checkout does for the job. Returns where the files are. */
export function checkOut(job: CodeHostJob, repository: string): string {
  const root = job.env.GITHUB_WORKSPACE ?? "";
  git(root, ["init", "--quiet"]);
  git(root, ["fetch", "--quiet", "--depth=1", `file://${repository}`, "HEAD"]);
  git(root, ["checkout", "--quiet", "--detach", "FETCH_HEAD"]);
  return root;
}

export function git(cwd: string, args: readonly string[]): string {
  return execFileSync("git", args, { cwd, stdio: ["ignore", "pipe", "inherit"] }).toString();
}
