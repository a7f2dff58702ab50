// Makefile, justfile, Dockerfile, compose file, action.yml: they run a project or are run as one. Pure.

import { type Command, isPlainName, type ManifestReader, purposeOf } from "../manifest.ts";

export const makefile: ManifestReader = {
  file: /^(GNUmakefile|[Mm]akefile)$/,
  needsText: true,
  read: (_project, text) => ({
    commands: targets(text, /^([^\s:#=$%.][^\s:#=$%]{0,63})[ \t]{0,8}:(?![:=])/, "make"),
  }),
};

export const justfile: ManifestReader = {
  file: /^(\.?justfile|Justfile)$/,
  needsText: true,
  read: (_project, text) => ({
    commands: targets(text, /^@?([A-Za-z][\w-]{0,63})([ \t][^:#]{0,200})?:(?!=)/, "just"),
  }),
};

export const dockerfile: ManifestReader = {
  file: /^(Dockerfile|Containerfile)$/,
  needsText: false,
  read: () => ({ commands: [{ purpose: "build", command: "docker build ." }] }),
};

export const composeFile: ManifestReader = {
  file: /^(docker-)?compose\.ya?ml$/,
  needsText: false,
  read: () => ({ commands: [{ purpose: "run", command: "docker compose up" }] }),
};

export const actionYml: ManifestReader = {
  file: /^action\.ya?ml$/,
  needsText: true,
  read(_project, text) {
    const value = (key: string) =>
      new RegExp(`^\\s{0,8}${key}:[ \\t]{0,8}["']?([^"'\\n#]{1,300})`, "m").exec(text)?.[1];
    const main = value("main")?.trim();
    const using = value("using")?.trim();
    return {
      name: value("name")?.trim(),
      description: value("description")?.trim(),
      entries: [
        { kind: `GitHub Action${using === undefined ? "" : ` (${using})`}`, target: main ?? "action.yml" },
      ],
    };
  },
};

function targets(text: string, pattern: RegExp, program: string): Command[] {
  const names = new Set<string>();
  for (const line of text.split("\n")) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined && isPlainName(name)) names.add(name);
  }
  return [...names].map((name) => ({ purpose: purposeOf(name), command: `${program} ${name}` }));
}
