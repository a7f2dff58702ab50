import { describe, expect, it } from "vitest";
import { commandsOf } from "../../../../../src/service/executor/backends/offline/commands.ts";

function commandsIn(files: Readonly<Record<string, string>>): string[] {
  const texts = new Map(Object.entries(files));
  return commandsOf({ paths: [...texts.keys()], texts }).map(({ command }) => command);
}

const manifest = JSON.stringify({
  scripts: { build: "tsc", test: "vitest", "test:e2e": "x", release: "x", "lint; rm -rf": "x" },
});

describe("commandsOf", () => {
  it.each([
    ["pnpm-lock.yaml", "pnpm install", "pnpm run"],
    ["yarn.lock", "yarn install", "yarn run"],
    ["bun.lock", "bun install", "bun run"],
    ["package-lock.json", "npm ci", "npm run"],
    ["index.js", "npm install", "npm run"],
  ])("names the scripts of package.json beside %s", (lock, install, run) => {
    const found = commandsIn({ "package.json": manifest, [lock]: "" });
    expect(found).toEqual([install, `${run} build`, `${run} test`, `${run} test:e2e`]);
  });

  it("names each target of a Makefile once, and no variable", () => {
    const text = "build := x\nbuild: a\n\ttsc\ntest:\ntest: b\ndocs:\n$(OUT): x\n";
    expect(commandsIn({ Makefile: text })).toEqual(["make build", "make test"]);
  });

  it("names what a build tool runs by custom", () => {
    expect(commandsIn({ "Cargo.toml": "", "go.mod": "" })).toEqual([
      "cargo build",
      "cargo test",
      "go build ./...",
      "go test ./...",
    ]);
  });

  it("looks at the root folder only", () => {
    expect(commandsIn({ "sub/package.json": manifest, "sub/go.mod": "" })).toEqual([]);
  });
});
