// Prompts for frequent requests to agents: each asks the client's model to invoke one. Pure.

import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";

type Ask = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** By their names: what each is. All are needed. */
  readonly arguments: Readonly<Record<string, string>>;
  /** The message for the agent. */
  message(args: Readonly<Record<string, string>>): string;
};

const MAX_ARGUMENT_CHARS = 4_000;

const asks: readonly Ask[] = [
  {
    name: "review_pull_request",
    title: "Review a change",
    description: "An agent reviews a change and answers with what it found.",
    arguments: { change: "What to review: a pull request's address, a branch or a commit." },
    message: ({ change = "" }) =>
      `Review this change: ${change}. Look for mistakes that would matter to its users. Say where each is, what goes wrong, and how to show it. Change nothing.`,
  },
  {
    name: "fix_failing_tests",
    title: "Fix failing tests",
    description: "An agent finds the cause of a failure and fixes it.",
    arguments: { failure: "What fails: the test's name, or what it printed." },
    message: ({ failure = "" }) =>
      `A test fails: ${failure}. Find the cause and fix it with the smallest change that is right. Weaken and skip no test. If the cause is somewhere else, change nothing and say where it is.`,
  },
  {
    name: "triage_issue",
    title: "Sort an issue",
    description: "An agent says what an issue is about, and what is missing in it.",
    arguments: { issue: "The issue: its address, or its text." },
    message: ({ issue = "" }) =>
      `Sort this issue: ${issue}. Say whether it is a bug, a question, documentation or an enhancement, which part of the code it is about, and what is missing to work on it. Change nothing.`,
  },
  {
    name: "write_release_notes",
    title: "Write release notes",
    description: "An agent writes the notes of a release for the people who use the project.",
    arguments: { range: "The commits: two tags, or a range." },
    message: ({ range = "" }) =>
      `Write the notes of the release that has the commits ${range}, in Markdown, for people who use this project: what is new, what was fixed, what they have to change. Leave out what they do not notice. Answer with the notes alone.`,
  },
];

const AGENT = "The agent: its id, or its name.";

export const prompts: readonly Prompt[] = asks.map(({ name, title, description, arguments: args }) => ({
  name,
  title,
  description,
  arguments: Object.entries({ agent: AGENT, ...args }).map(([argument, text]) => ({
    name: argument,
    description: text,
    required: true,
  })),
}));

/** Null where an argument is missing. */
export function promptMessages(name: string, args: Readonly<Record<string, string>>): GetPromptResult | null {
  const ask = asks.find((one) => one.name === name);
  if (ask === undefined) return null;
  const given = Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, value.slice(0, MAX_ARGUMENT_CHARS)]),
  );
  const isComplete = ["agent", ...Object.keys(ask.arguments)].every((key) => (given[key] ?? "") !== "");
  if (!isComplete) return null;
  const call = { agent: given.agent, message: ask.message(given) };
  const text = `Call the tool invoke_agent with these arguments and a new idempotency_key, wait for the run with get_run_result if it has not ended, and tell me what came of it.\n\n${JSON.stringify(call, null, 2)}`;
  return { description: ask.description, messages: [{ role: "user", content: { type: "text", text } }] };
}
