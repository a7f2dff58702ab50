import { describe, expect, it } from "vitest";
import { noChecks, readProjectChecks } from "../../../../src/service/executor/checks/project-checks.ts";

const read = (files: Readonly<Record<string, string>>) =>
  readProjectChecks({
    trustedPaths: async (isWanted) => Object.keys(files).filter(isWanted),
    trustedText: async (path) => files[path] ?? null,
  });

describe("the checks of a project", () => {
  it("are the scripts of its manifests, and the commands of its CI, each once", async () => {
    const { commands, scripts } = await read({
      "package.json": JSON.stringify({ scripts: { test: "vitest", dev: "vite", "lint:ts": "eslint ." } }),
      "pnpm-lock.yaml": "",
      Makefile: "VAR := x\n.PHONY: check\ncheck: all\n\tgo vet\nclean:\n\trm x\n",
      ".github/workflows/ci.yml": [
        "on: push",
        "jobs:",
        "  test:",
        "    steps:",
        "      - run: cargo test --workspace",
        "      - name: Two",
        "        run: |",
        "          set -e",
        "          pnpm test",
        "          ./deploy.sh",
        '      - run: "npm test -- ${{ matrix.part }}"',
        "      - run: echo done",
      ].join("\n"),
    });
    expect(commands).toEqual(["pnpm test", "pnpm run lint:ts", "make check", "cargo test --workspace"]);
    expect([...(scripts.get("npm") ?? [])]).toEqual(["test", "dev", "lint:ts"]);
  });

  it("are none where nothing can be read", async () => {
    expect(await read({ "package.json": "{", ".github/workflows/ci.yml": "run: |" })).toEqual(noChecks);
    expect(await read({})).toEqual(noChecks);
  });
});
