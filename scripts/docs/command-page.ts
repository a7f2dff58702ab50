// docs/command.md: every command with its flags and examples, from its declaration. Pure.

import type { DescribedSetting } from "../../src/base/settings/setting.ts";
import { catalogue, commandNames } from "../../src/cli/catalogue.ts";
import type { Command, CommandGroup } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/commands.ts";
import type { Argument, Flag } from "../../src/cli/flags.ts";
import { markdownTable } from "./markdown-table.ts";

const INTRODUCTION = `# The command agent-service

\`agent-service --help\` lists the commands, \`agent-service <command> --help\` explains one. Every setting that has no
flag is an [environment variable](self-hosting/settings.md).

Results are on standard output (\`--json\`: one JSON value, or one event a line), everything else on standard error.

| Exit code | Meaning |
| --- | --- |
| 0 | Done. For \`run\`, \`follow\` and \`--follow\`: the run completed. |
| 1 | Failed: the service refused or was not reached, or the run failed or was cancelled. |
| 2 | Called wrongly, or a setting is wrong. |
`;

export async function commandPage(): Promise<string> {
  const parts = [INTRODUCTION];
  let section = "";
  for (const name of commandNames) {
    const entry = catalogue[name];
    if (entry.section !== section) parts.push(`## ${entry.section.replace(/:$/, "")}\n`);
    section = entry.section;
    parts.push(...commandParts(name, await commands[name]()));
  }
  return parts.join("\n");
}

function commandParts(name: string, declared: Command | CommandGroup): readonly string[] {
  const below = Object.entries(declared.commands ?? {}).flatMap(([word, one]) =>
    commandParts(`${name} ${word}`, one),
  );
  return "execute" in declared ? [commandText(name, declared), ...below] : below;
}

function commandText(name: string, declared: Command): string {
  const taken = Object.entries(declared.arguments ?? {});
  const usage = ["agent-service", name, ...taken.map(([word, one]) => argumentTerm(word, one))].join(" ");
  const flags = Object.entries(declared.flags);
  const rows = [
    ...taken.map(([word, one]) => row(argumentTerm(word, one), one)),
    ...flags.map(([word, one]) => row(flagTerm(word, one), one)),
  ];
  return [
    `### ${name}\n`,
    ...[declared.summary, ...(declared.notes ?? [])].map((text) => `${text}\n`),
    `\`\`\`sh\n${usage}${flags.length > 0 ? " [flags]" : ""}\n\`\`\`\n`,
    `${markdownTable(["Argument or flag", "Meaning", "Allowed", "Default"], rows)}\n`,
    `\`\`\`sh\n${declared.examples.map((line) => `agent-service ${line}`).join("\n")}\n\`\`\`\n`,
  ].join("\n");
}

function argumentTerm(name: string, { isVariadic }: Argument<unknown>): string {
  return isVariadic === true ? `[${name}]` : `<${name}>`;
}

function flagTerm(name: string, { takes }: Flag<unknown>): string {
  return takes === null ? `--${name}` : `--${name} ${takes}`;
}

function row(term: string, one: DescribedSetting<unknown> & { readonly takes?: string | null }) {
  const isSwitch = one.takes === null;
  const { kind, fallback, shownDefault, isRequired } = one;
  const plain = typeof fallback === "object" || fallback === "" ? "" : String(fallback);
  const usual = isRequired === true ? "required" : (shownDefault ?? plain);
  return [
    `\`${term}\``,
    one.description,
    isSwitch || kind.allowed === "text" ? "" : kind.allowed,
    isSwitch ? "" : usual,
  ];
}
