// A scripted conversation for each task: it looks around, searches, reads, writes and executes, so that what goes over the
// wire can be measured without a model. It knows the reference solution: it says nothing of what an agent would solve.

import type { ModelRequest, OfferedTool } from "../../fakes/model-server/request.ts";
import { everyTime, type Script } from "../../fakes/model-server/script.ts";
import { answer, call, type Part, say } from "../../fakes/model-server/turn.ts";
import { referenceFindings } from "./check-review.ts";
import type { AgentTask } from "./task.ts";

/** The step after as many answers as the history holds; the last one whenever it is asked again. */
export function scriptOf(task: AgentTask): Script {
  const steps = stepsOf(task);
  return everyTime((request) => {
    const offered = steps.map((calls) => offeredOf(calls, request)).filter((parts) => parts.length > 0);
    const parts = offered[request.assistantTurns];
    return parts === undefined ? answer([say(replyOf(task))]) : [say("I go on."), ...parts];
  });
}

type Call = { readonly tool: string; readonly input: (tool: OfferedTool) => unknown };

function stepsOf(task: AgentTask): readonly (readonly Call[])[] {
  const term: Call = { tool: "search", input: (tool) => onlyInput(tool, task.term) };
  const look = [plain("list_files", {}), term];
  if (task.kind === "review") {
    return [
      [plain("git_log", {})],
      look,
      Object.keys(task.change).map((path) => plain("read_file", { path })),
    ];
  }
  const read = Object.keys(task.files).map((path) => plain("read_file", { path }));
  const write = Object.entries(task.solution).map(([path, content]) =>
    plain("write_file", { path, content }),
  );
  const test = plain("run_command", { command: task.test.join(" ") });
  return [look, read, [test], write, [test], [plain("git_changes", {})]];
}

function plain(tool: string, input: unknown): Call {
  return { tool, input: () => input };
}

/** The one input that a tool must have, as a list where it takes one. */
function onlyInput({ schema }: OfferedTool, value: string): unknown {
  const { required = [], properties = {} } = schema as {
    required?: readonly string[];
    properties?: Readonly<Record<string, { type?: string }>>;
  };
  const name = required[0] ?? "text";
  return { [name]: properties[name]?.type === "array" ? [value] : value };
}

/** Without a sandbox there is no tool for commands. */
function offeredOf(calls: readonly Call[], { tools }: ModelRequest): Part[] {
  return calls.flatMap(({ tool: name, input }) => {
    const tool = tools.find((one) => one.name === name);
    return tool === undefined ? [] : [call(name, input(tool))];
  });
}

function replyOf(task: AgentTask): string {
  if (task.kind !== "review") return "I changed what the request is about, and executed the tests.";
  return JSON.stringify({ summary: "Some lines need work.", findings: referenceFindings(task) });
}
