// How the project is built and tested, as its own files say. Pure.

import { assertNever } from "../../../../../base/assert-never.ts";
import { type Command, type Purpose, purposes } from "../manifest.ts";
import { ciFilesOf } from "../manifests.ts";
import { code, section, table } from "../markdown.ts";
import type { Survey } from "../survey.ts";

const LISTED_EACH = 8;
const LISTED_CI_FILES = 20;

type Sourced = Command & { readonly path: string };

export function commandsSection({ manifests, project }: Survey): string {
  const commands = manifests.flatMap(({ path, facts }) =>
    (facts.commands ?? []).map((command): Sourced => ({ ...command, path })),
  );
  const ofPurpose = (purpose: Purpose) =>
    uniqueCommands(commands.filter((command) => command.purpose === purpose)).slice(0, LISTED_EACH);
  const rows = purposes
    .flatMap(ofPurpose)
    .map((command) => [
      title(command.purpose),
      code(command.command),
      command.detail === undefined ? "" : code(command.detail),
      code(command.path),
    ]);
  const ciFiles = ciFilesOf(project);
  const listed = ciFiles.slice(0, LISTED_CI_FILES).map((path) => code(path));
  const more = ciFiles.length > listed.length ? ", …" : "";
  return section(
    "How to build and test it",
    rows.length === 0
      ? "No manifest that is known here was found in the root folder."
      : table(["For", "Command", "Which runs", "From"], rows),
    listed.length === 0 ? "No CI configuration was found." : `CI configuration: ${listed.join(", ")}${more}`,
  );
}

function uniqueCommands(commands: readonly Sourced[]): Sourced[] {
  const first = new Map<string, Sourced>();
  for (const command of commands) if (!first.has(command.command)) first.set(command.command, command);
  return [...first.values()];
}

function title(purpose: Purpose): string {
  switch (purpose) {
    case "install":
      return "Install";
    case "build":
      return "Build";
    case "test":
      return "Test";
    case "check":
      return "Check";
    case "run":
      return "Run";
    case "other":
      return "Other";
    default:
      return assertNever(purpose);
  }
}
