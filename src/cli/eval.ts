// agent-service eval: mines tasks from the history of the checkout in this folder, or plays them with two versions of the agent's
// instructions.

import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { systemClock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { findCheckoutRoot } from "../base/git/found-checkout.ts";
import { matchesGlob } from "../base/glob.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { readJobRefs } from "../ci/job-refs.ts";
import { providerDefinitions } from "../ci/providers.ts";
import { areFilesTrusted } from "../contract/ci/events.ts";
import type { Commands } from "../evals/commands.ts";
import { type EvalReport, evalReport, renderReport } from "../evals/eval-report.ts";
import { type Instructions, readInstructions } from "../evals/instructions.ts";
import { mineTasks } from "../evals/mine.ts";
import { playTasks } from "../evals/play-tasks.ts";
import { EvalRepository } from "../evals/repository.ts";
import { ResultsFile } from "../evals/results.ts";
import { readTaskFile, type TaskFile, writeTaskFile } from "../evals/task.ts";
import { unknownJob } from "../job/embedded-job.ts";
import { type Interrupts, listenForInterrupts } from "../job/signals.ts";
import { EmbeddedSettingsError } from "../service/embedded/embedded.ts";
import {
  CommandsRefusedError,
  findTestCommand,
  isInstructionFile,
  openProjectCommands,
} from "../service/embedded/project.ts";
import { CommandError } from "./command-error.ts";
import { runEvalAgent } from "./eval-agent.ts";
import type { MineSettings, PlaySettings } from "./eval-settings.ts";
import { UsageError } from "./flags.ts";
import { note } from "./run-notes.ts";
import { embeddedModelAccess, findJob } from "./run-service.ts";

const RESULTS = "eval.ndjson";

type Place = {
  readonly repository: EvalRepository;
  readonly commands: Commands;
  readonly env: Environment;
  /** Ends with the call. */
  readonly folder: string;
  readonly root: string;
  readonly interrupts: Interrupts;
};

/** Resolves to the exit code. Rejects with UsageError and CommandError. */
export async function evaluate(settings: MineSettings | PlaySettings): Promise<number> {
  const root = await findCheckoutRoot(process.cwd());
  if (root === null)
    throw new CommandError("There is no git checkout in this folder, nor above it. Change to one.");
  const interrupts = listenForInterrupts();
  const folder = await mkdtemp(join(tmpdir(), "agent-service-eval-"));
  try {
    const env = withoutFolder(jobEnvironment, root);
    const opened = { root, environment: env, folder };
    const repository = await EvalRepository.open({ ...opened, signal: interrupts.last });
    if (repository === null) throw new CommandError(`There is no commit in ${root}.`);
    const commands = await openProjectCommands({
      ...opened,
      tempFolder: folder,
      isTrusted: isTrusted(jobEnvironment),
      onWarning: note,
    });
    const place = { repository, commands, env, folder, root, interrupts };
    return settings.type === "mine" ? await mine(settings, place) : await play(settings, place);
  } catch (cause) {
    if (interrupts.first.aborted) throw new CommandError("The eval was interrupted.", { cause });
    if (cause instanceof CommandsRefusedError) throw new CommandError(cause.message, { cause });
    if (cause instanceof EmbeddedSettingsError) throw new UsageError(cause.message, { cause });
    throw cause;
  } finally {
    interrupts.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function mine(settings: MineSettings, place: Place): Promise<number> {
  const { repository, commands, folder, interrupts } = place;
  const from = await commitOf(repository, "--head", settings.head);
  const check = settings.check ?? (await ownTestCommand(repository, from));
  const { tasksFile, setup, maxTasks, maxCommits, maxMs, times } = settings;
  note(`The test command is: ${check}`);
  const keep = async (found: TaskFile) => await writeTasks(tasksFile, found);
  const mined = await mineTasks({
    ...{ repository, commands, times, from, check, setup, maxTasks, maxCommits, maxMs, keep },
    signal: interrupts.first,
    clock: systemClock,
    folder: join(folder, "judge"),
    tell: note,
  });
  await keep(mined);
  const { tasks, looked, judged } = mined;
  process.stdout.write(
    `${tasks.length} tasks of ${looked} commits, ${judged} of which were judged, are in ${tasksFile}.\n`,
  );
  if (tasks.length > 0) return 0;
  throw new CommandError(
    `No commit is a task: ${tasksFile} says why for each. Name the test command with --check, and what it needs with --setup.`,
  );
}

async function ownTestCommand(repository: EvalRepository, commit: string): Promise<string> {
  const found = await findTestCommand({
    trustedPaths: async (takes) => (await repository.files(commit)).map(({ path }) => path).filter(takes),
    trustedText: async (path) => await repository.fileText(commit, path),
  });
  if (found !== null) return found;
  throw new UsageError(
    "--check is missing: neither package.json, nor a Makefile, nor the workflows of this repository name a test command.",
  );
}

async function writeTasks(path: string, found: TaskFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, writeTaskFile(found));
}

async function play(settings: PlaySettings, place: Place): Promise<number> {
  const { repository, commands, env, folder, interrupts } = place;
  const file = await readTasks(settings);
  const tasks = file.tasks.slice(0, settings.maxTasks);
  for (const { commit, parent } of tasks) await requireCommits(repository, [commit, parent]);
  const isInstruction = instructionsOf(settings);
  const instructions = await bothInstructions(settings, { place, isInstruction });
  const outputDir = settings.outputDir;
  await mkdir(outputDir, { recursive: true });
  await writeFile(join(outputDir, ".gitignore"), "*\n");
  const { service } = settings.run;
  const modelAccess =
    service.type === "embedded"
      ? embeddedModelAccess(service, { env: jobEnvironment, signal: interrupts.first })
      : null;
  const agent = { env, settings: settings.run, modelAccess, interrupts };
  const { times, repeat, maxCostMicroUsd, agentKey } = settings;
  const played = await playTasks({
    ...{ repository, commands, times, repeat, maxCostMicroUsd, agentKey, instructions, isInstruction },
    ...{ tasks, setup: file.setup, folder, tell: note },
    signal: interrupts.first,
    results: new ResultsFile(join(outputDir, RESULTS)),
    now: systemClock.monotonic,
    runAgent: async (call) => await runEvalAgent(call, agent),
  });
  const report = evalReport({ tasks, maxCostMicroUsd, ...played });
  await publish(report, settings);
  if (interrupts.first.aborted) throw new CommandError("The eval was interrupted. Call it again to go on.");
  return settings.failsOnWorse && report.comparison.verdict === "worse" ? 1 : 0;
}

async function publish(report: EvalReport, { outputDir, format }: PlaySettings): Promise<void> {
  const json = `${JSON.stringify(report, null, 2)}\n`;
  const text = renderReport(report);
  await writeFile(join(outputDir, "eval.json"), json);
  await writeFile(join(outputDir, "eval.md"), text);
  const { GITHUB_STEP_SUMMARY: summary = "" } = jobEnvironment;
  if (summary !== "") await appendFile(summary, text);
  process.stdout.write(format === "json" ? json : text);
}

async function readTasks({ tasksFile }: PlaySettings): Promise<TaskFile> {
  const text = await readFile(tasksFile, "utf8").catch((cause: unknown) => {
    throw new UsageError(
      `--tasks names the file "${tasksFile}", which cannot be read. Make it with: agent-service eval --mine`,
      { cause },
    );
  });
  const file = readTaskFile(text);
  if (typeof file === "string") throw new UsageError(`The file of --tasks, "${tasksFile}": ${file}.`);
  if (file.tasks.length > 0) return file;
  throw new UsageError(`The file of --tasks, "${tasksFile}", has no task.`);
}

async function requireCommits(repository: EvalRepository, commits: readonly string[]): Promise<void> {
  for (const commit of commits) {
    if (await repository.has(commit)) continue;
    throw new CommandError(
      `The commit ${commit} of the file of --tasks is not in this checkout: fetch the whole history (actions/checkout: "fetch-depth: 0").`,
    );
  }
}

function instructionsOf({ paths, promptFile }: PlaySettings): (path: string) => boolean {
  return (path) =>
    isInstructionFile(path) || path === promptFile || paths.some((pattern) => matchesGlob(path, pattern));
}

/** Where two commits have the same instructions there is nothing to find out. The same commit twice is a test of the test. */
async function bothInstructions(
  { base, head, promptFile }: PlaySettings,
  { place, isInstruction }: { readonly place: Place; readonly isInstruction: (path: string) => boolean },
): Promise<Readonly<Record<"base" | "head", Instructions>>> {
  const { repository } = place;
  const of = async (flag: string, ref: string) => {
    const commit = await commitOf(repository, flag, ref);
    const prompt = promptFile === null ? "" : await repository.fileText(commit, promptFile);
    return { commit, isInstruction, prompt };
  };
  const [ofBase, ofHead] = [await of("--base", base), await of("--head", head)];
  if (ofHead.prompt === null)
    throw new UsageError(`--prompt-file names "${promptFile}", which the commit of --head does not have.`);
  const read = async (one: typeof ofBase) =>
    await readInstructions(repository, { ...one, prompt: (one.prompt ?? "").trim() });
  const both = { base: await read(ofBase), head: await read(ofHead) };
  if (both.base.hash === both.head.hash && ofBase.commit !== ofHead.commit)
    throw new CommandError(
      "The instructions of --base and --head are the same: nothing was played. Name further files of them with --paths.",
    );
  return both;
}

async function commitOf(repository: EvalRepository, flag: string, ref: string): Promise<string> {
  const commit = await repository.commitOf(ref);
  if (commit !== null) return commit;
  throw new UsageError(`${flag} must be a commit of this checkout, got "${ref}". Fetch it first.`);
}

/** Programs of the checkout are not those of the past. */
function withoutFolder(env: Environment, root: string): Environment {
  const isOutside = (folder: string) => relative(root, folder).startsWith("..");
  return { ...env, PATH: (env.PATH ?? "").split(delimiter).filter(isOutside).join(delimiter) };
}

/** Whether commands may be executed without a sandbox: as for the commands of a run of this job. */
function isTrusted(env: Environment): boolean {
  const job = findJob(env);
  if (job === null) return areFilesTrusted(unknownJob(env));
  const { provider, event } = job;
  const { baseRef } = readJobRefs(providerDefinitions[provider].variables, env);
  return areFilesTrusted({ provider, event, baseRef });
}
