// Places of credentials in a home: those that are secret in every folder, and those in a home alone. Pure data. None of them is
// ever shown to a command.

import { literalPaths } from "../../contract/paths/known-paths.ts";

const inHomesAlone: readonly string[] = [
  ".pip",
  ".docker",
  ".config",
  ".gitconfig",
  ".gradle/init.gradle",
  ".gradle/init.d",
  ".gem/credentials",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".cargo/config",
  ".cargo/config.toml",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".local/share/gem/credentials",
  ".composer/config.json",
  ".nuget/NuGet",
  ".mono",
  ".hex",
  ".terraform.d",
  ".condarc",
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".mozilla",
  ".local/share/keyrings",
  ".bash_history",
];

/** Below the home, files and folders. */
export const secretHomePlaces: readonly string[] = [
  ...new Set([...inHomesAlone, ...literalPaths("secret").filter((place) => !isBelowOne(place))]),
];

function isBelowOne(place: string): boolean {
  return inHomesAlone.some((folder) => place.startsWith(`${folder}/`));
}
