// Commands that build and test a project, by the files of its root folder. Pure.

/** Build files whose text names their commands. */
export const manifests: readonly string[] = ["package.json", "Makefile"];

type FoundCommand = { readonly command: string; readonly from: string };

/** Commands that build tools run by custom where their file is there. */
const customary: Readonly<Record<string, readonly string[]>> = {
  "Cargo.toml": ["cargo build", "cargo test"],
  "go.mod": ["go build ./...", "go test ./..."],
  "pom.xml": ["mvn verify"],
  gradlew: ["./gradlew build", "./gradlew test"],
  "pyproject.toml": ["pip install .", "pytest"],
  "CMakeLists.txt": ["cmake -B build", "cmake --build build", "ctest --test-dir build"],
  "mix.exs": ["mix deps.get", "mix test"],
  Gemfile: ["bundle install", "bundle exec rake"],
  "composer.json": ["composer install"],
};
const installs = [
  ["pnpm-lock.yaml", "pnpm", "pnpm install"],
  ["yarn.lock", "yarn", "yarn install"],
  ["bun.lock", "bun", "bun install"],
  ["package-lock.json", "npm", "npm ci"],
] as const;
/** Scripts and targets that build, test or check; plain words, which a shell takes as they are. */
const known = /^(build|compile|test|check|lint|typecheck|types)([:-][\w:-]{1,40})?$/;

/** Commands in the order of the files that name them. A file that cannot be read as what it should be has none. */
export function commandsOf(files: {
  readonly paths: readonly string[];
  readonly texts: ReadonlyMap<string, string>;
}): readonly FoundCommand[] {
  const root = new Set(files.paths.filter((path) => !path.includes("/")));
  const scripts = scriptsOf(files.texts.get("package.json") ?? "").filter((name) => known.test(name));
  const [, runner, install] = installs.find(([lock]) => root.has(lock)) ?? ["", "npm", "npm install"];
  const targets = [...(files.texts.get("Makefile") ?? "").matchAll(/^([\w-]{1,60}):(?!=)/gm)]
    .map(([, target = ""]) => target)
    .filter((target) => known.test(target));
  const named = (from: string, commands: readonly string[]) =>
    root.has(from) ? commands.map((command) => ({ command, from })) : [];
  return [
    ...named("package.json", [install, ...scripts.map((name) => `${runner} run ${name}`)]),
    ...named(
      "Makefile",
      [...new Set(targets)].map((target) => `make ${target}`),
    ),
    ...Object.entries(customary).flatMap(([from, commands]) => named(from, commands)),
  ];
}

function scriptsOf(text: string): string[] {
  try {
    const { scripts }: { scripts?: unknown } = JSON.parse(text) ?? {};
    return typeof scripts === "object" && scripts !== null ? Object.keys(scripts) : [];
  } catch {
    return [];
  }
}
