// npm run demo: one whole CI job on this machine. A code host with real keys on loopback, the real service in a fresh
// folder, the built Action as a child process with the environment that a runner gives it. Only the code host and the
// model are stand-ins. With --embedded or --model there is no server: the service runs inside the step; --embedded has no
// model, and works on this very repository. With --workspace there is no job: see demo-workspace.ts.

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startCodeHost } from "../fakes/code-host/code-host.ts";
import { runAction } from "../fakes/runner/run-action.ts";
import { checkOut, type DemoModel, git, makeProject, openDemoModel } from "./demo-embedded.ts";
import { playWorkspace } from "./demo-workspace.ts";
import { startServer } from "./served-process.ts";

const REPOSITORY = "agent-service/agent-service";
const root = join(import.meta.dirname, "..");

const scenarios = {
  "quota-ended": "the free credits of the repository's owner are used up",
  private: "the repository is private and nobody has claimed it",
  "no-permission": 'the job lacks "id-token: write"',
  embedded: "there is no server: the service runs inside the step, without a model",
  model: "there is no server: the service runs inside the step, and asks a model",
} as const;

type Scenario = keyof typeof scenarios;

const options = Object.fromEntries(
  Object.keys(scenarios).map((name) => [name, { type: "boolean" } as const]),
) as Record<Scenario, { type: "boolean" }>;

const { values, positionals } = parseArgs({
  options: { ...options, workspace: { type: "boolean" }, stay: { type: "boolean" } },
  strict: true,
  allowPositionals: true,
});
const isOn = (scenario: Scenario): boolean => values[scenario] === true;
const isEmbedded = isOn("embedded") || isOn("model");
const hasModel = !isOn("embedded");
const [modelUrl = ""] = positionals;

// Calls that were interrupted may be under way still.
if (values.workspace === true) process.exit(await playWorkspace({ say, stays: values.stay === true }));
await playJob();

async function playJob(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "agent-service-demo-"));
  const repository = hasModel ? await makeProject(join(folder, "project")) : root;
  const codeHost = await startCodeHost({
    repositories: { [REPOSITORY]: { path: repository, visibility: isOn("private") ? "private" : "public" } },
  });
  const model: DemoModel | null = hasModel ? await openDemoModel(modelUrl, process.env) : null;
  const service = isEmbedded
    ? null
    : await startServer({
        args: ["npm/cli.mjs", "serve", "--port", "0", "--data-dir", join(folder, "service")],
        env: {
          CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
          ...model?.settings,
          // The commands are the script's own, and few machines that play the demo have a sandbox.
          ...(modelUrl === "" ? { SANDBOX: "off" } : {}),
          ...(isOn("quota-ended") ? { CI_FREE_CREDITS: "0" } : {}),
        },
      });
  const job = await codeHost.job({
    event: "workflow_dispatch",
    idToken: !isEmbedded && !isOn("no-permission"),
  });
  const checkout = isEmbedded ? checkOut(job, repository) : null;

  say(service === null ? "There is no service yet." : `The service is at ${service.url}.`);
  say(`The code host is at ${codeHost.url}.`);
  const told = (Object.keys(scenarios) as Scenario[]).filter(isOn).map((name) => scenarios[name]);
  say(told.length === 0 ? "The job runs as it should." : `In this job ${told.join(", and ")}.`);
  say("", "── the job's log ".padEnd(100, "─"), "");

  const inputs = {
    prompt: model?.prompt ?? "Brief me on this repository.",
    ...(service === null ? model?.inputs : { "base-url": service.url }),
  };
  const main = await runAction({ entry: "main", env: job.env, inputs });
  say(main.log);
  const post = await runAction({ entry: "post", env: job.env, inputs, state: main.state });
  say("── post step ".padEnd(100, "─"), post.log);
  if (checkout !== null) {
    say(
      "── what the agent left in the checkout ".padEnd(100, "─"),
      git(checkout, ["diff"]) || "Nothing.",
      "",
    );
  }

  const summaryPath = join(folder, "summary.md");
  await writeFile(summaryPath, main.summary);
  say("── what the next step sees ".padEnd(100, "─"), "");
  for (const [name, value] of Object.entries(main.outputs)) say(`${name}=${oneLine(value)}`);
  say("", `exit code ${main.exitCode}`, `summary   ${summaryPath}`);

  await model?.close();
  await service?.stop();
  await codeHost.close();
}

function say(...lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

function oneLine(text: string): string {
  const line = text.replaceAll("\n", "⏎");
  return line.length > 120 ? `${line.slice(0, 120)}… (${text.length} characters)` : line;
}
