// Commands that change files of the project, as far as their words tell. Pure.

import { simpleCommands } from "./shell-script.ts";

const programs = new Set([
  "mv",
  "cp",
  "rm",
  "patch",
  "tee",
  "truncate",
  "ln",
  "install",
  "rsync",
  "unzip",
  "tar",
]);
const gitWords = new Set([
  "apply",
  "am",
  "checkout",
  "restore",
  "reset",
  "revert",
  "stash",
  "merge",
  "rebase",
  "cherry-pick",
  "rm",
  "mv",
  "clean",
]);

export function changesFiles(script: string): boolean {
  return simpleCommands(script).some(({ words: [name = "", ...words] }) => {
    if (programs.has(name)) return true;
    if (name === "git") return gitWords.has(words.find((word) => !word.startsWith("-")) ?? "");
    const inPlace = name === "sed" || name === "perl" || name === "gawk";
    return inPlace && words.some((word) => /^-\w*i/.test(word) || word.startsWith("--in-place"));
  });
}
