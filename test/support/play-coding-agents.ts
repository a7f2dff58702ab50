// Plays the coding agents that have a name, as npm has them, in a job without a server: each edits a file and executes a command
// against a scripted model, in bubblewrap, through the proxy of its model. By hand, after `npm run build`, for a new version:
// `node test/support/play-coding-agents.ts <folder>`, with each installed by `npm install --prefix <folder>/<name> <package>`.
// PLAY_ONLY=claude,codex plays some. Those that offer the tools of the run's MCP server by name call one of them too: Claude Code and Codex have
// their models search for them.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { writeServerProgram } from "../../fakes/mcp-server/fake-mcp.ts";
import { startModelServer } from "../../fakes/model-server/model-server.ts";
import type { ModelRequest } from "../../fakes/model-server/request.ts";
import { everyTime } from "../../fakes/model-server/script.ts";
import { answer, call, type Part, say, type Turn } from "../../fakes/model-server/turn.ts";
import { type CodingAgentName, codingAgentNames, codingAgents } from "../../src/contract/ci/coding-agents.ts";
import type { CodingAgentWire } from "../../src/contract/models/protocols.ts";
import { codingModels } from "./durable/coding-model.ts";
import { EmbeddedFixture } from "./fixtures/embedded-fixture.ts";

const KEY = "sk-the-models-key-0123456789";
const COMMAND = "echo three > b.txt && cat a.txt b.txt";
const PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch";
const change = { old: "one", new: "two" };
/** What the model does with the tools that an agent offers, one call a turn; by the first tool that is offered. */
function planOf(root: string, hasPatches: boolean): Readonly<Record<string, readonly Part[]>> {
  const path = join(root, "a.txt");
  const edited = { old_string: change.old, new_string: change.new };
  const bash = call("bash", { command: COMMAND, description: "Try it" });
  return {
    // Copilot: by a patch where its model has such a tool, else by an edit.
    read_bash: hasPatches
      ? [call("view", { path }), call("apply_patch", { input: PATCH }), bash]
      : [call("view", { path }), call("edit", { path, old_str: change.old, new_str: change.new }), bash],
    Edit: [
      call("Read", { file_path: path }),
      call("Edit", { file_path: path, ...edited }),
      call("Bash", { command: COMMAND, description: "Try it" }),
    ],
    exec_command: [
      call("exec_command", { cmd: "sed -i s/one/two/ a.txt" }),
      call("exec_command", { cmd: COMMAND }),
    ],
    replace: [
      call("read_file", { file_path: path }),
      call("replace", { file_path: path, instruction: "Change it", ...edited }),
      // Its provider would search: that is refused, and the agent goes on.
      call("google_web_search", { query: "two" }),
      call("run_shell_command", { command: COMMAND, description: "Try it" }),
    ],
    apply_patch: [
      call("apply_patch", { patchText: PATCH }),
      call("bash", { command: COMMAND, description: "Try it" }),
    ],
    edit: [
      call("read", { filePath: path }),
      call("edit", { filePath: path, oldString: change.old, newString: change.new }),
      call("bash", { command: COMMAND, description: "Try it" }),
    ],
  };
}

function stepOf(request: ModelRequest, root: string): Turn {
  const offered = new Set(request.tools.map(({ name }) => name));
  const work =
    Object.entries(planOf(root, offered.has("apply_patch"))).find(([tool]) => offered.has(tool))?.[1] ?? [];
  const lookup = [...offered].find((tool) => tool.endsWith("lookup"));
  const plan = lookup === undefined ? work : [call(lookup, { word: "tree" }), ...work];
  return answer([plan[request.assistantTurns] ?? say("Done.")], { usage: { input: 1_000, output: 50 } });
}

async function play(name: CodingAgentName, wire: CodingAgentWire, folder: string): Promise<void> {
  const fixture = await EmbeddedFixture.open({ "a.txt": "one\n" });
  const job = await fixture.job();
  const root = fixture.checkOut(job);
  const isGitHubs = wire === "copilot";
  const model = await startModelServer({
    isCopilot: isGitHubs,
    script: everyTime((request) => stepOf(request, root)),
    apiKey: KEY,
    models: [codingModels[wire]],
  });
  const bin = join(folder, name, "node_modules", ".bin");
  const programs = await mkdtemp(join(tmpdir(), "played-servers-"));
  const server = await writeServerProgram(programs);
  const step = await fixture.main(job, {
    env: {
      PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
      SANDBOX: "bubblewrap",
      SANDBOX_READ_PATHS: programs,
    },
    inputs: {
      prompt: "Make a.txt say two, and try it.",
      agent: name,
      "mcp-servers": JSON.stringify({
        words: { command: "node", args: [server, "well"], tools: ["lookup"] },
      }),
      ...(isGitHubs
        ? { "github-token": KEY, "model-provider": "copilot", "model-base-url": model.url }
        : {
            model: codingModels[wire],
            "model-provider": wire === "gemini" ? "google" : wire,
            "model-base-url": wire === "gemini" ? `${model.url}/v1beta` : model.baseUrl,
            "model-api-key": KEY,
          }),
    },
  });
  const texts = await Promise.all(
    ["a.txt", "b.txt"].map((file) => readFile(join(root, file), "utf8").catch(() => "(none)")),
  );
  const { conclusion, tokens, "changed-files": files } = step.outputs;
  console.log({ agent: `${name} ${codingAgents[name].version}`, wire, conclusion, tokens, files, texts });
  // The command's output, in the run's events as well.
  console.log({ isOutputShown: step.log.replaceAll(COMMAND, "").includes("three") });
  console.log(` ${model.requests.length} requests; results of tools:`);
  for (const { tool, isError, text } of model.toolResults())
    console.log(`  ${tool}${isError ? " (error)" : ""}: ${JSON.stringify(text.slice(0, 200))}`);
  if (conclusion !== "success") console.log(step.log.slice(-2_000));
  await model.close();
  await fixture.close();
  await rm(programs, { recursive: true });
}

const [, , folder = ""] = process.argv;
const only = process.env.PLAY_ONLY?.split(",") ?? [...codingAgentNames];
for (const name of codingAgentNames.filter((one) => only.includes(one)))
  for (const wire of codingAgents[name].wires) await play(name, wire, resolve(folder));
