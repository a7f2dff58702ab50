import { describe, expect, it } from "vitest";
import { briefingOf } from "./run-offline.ts";

/** The commands' table as `command < file`, and the entry points as they are listed. */
async function read(files: Record<string, string>): Promise<{ commands: string[]; briefing: string }> {
  const briefing = await briefingOf(files);
  const rows = briefing.match(/^\| (Install|Build|Test|Check|Run|Other) \|.*$/gm) ?? [];
  const commands = rows.map((row) => {
    const cells = row.split(" | ").map((cell) => cell.replace(/[`|]/g, "").trim());
    return `${cells[0]}: ${cells[1]} < ${cells[3]}`;
  });
  return { commands, briefing };
}

describe("package.json", () => {
  it.each([
    [{ "package-lock.json": "{}" }, {}, "npm ci", "npm test", "npm run build"],
    [{}, {}, "npm install", "npm test", "npm run build"],
    [{ "yarn.lock": "" }, {}, "yarn install", "yarn test", "yarn build"],
    [{ "pnpm-lock.yaml": "" }, {}, "pnpm install", "pnpm test", "pnpm run build"],
    [{ "bun.lock": "" }, {}, "bun install", "bun run test", "bun run build"],
    [{ "yarn.lock": "" }, { packageManager: "pnpm@9.1.0" }, "pnpm install", "pnpm test", "pnpm run build"],
  ])(
    "is run by the package manager that %j and %j speak for",
    async (locks, fields, install, test, build) => {
      const manifest = JSON.stringify({ scripts: { test: "t", build: "b" }, ...fields });
      const { commands } = await read({ "package.json": manifest, ...locks });
      expect(commands.map((line) => line.split(/[:<] /)[1]?.trim())).toEqual([install, build, test]);
    },
  );

  it("offers no script whose name a shell would take for more", async () => {
    const scripts = { "a; rm -rf ~": "x", "$(id)": "x", "-x": "x", "test:unit": "x" };
    const { commands } = await read({ "package.json": JSON.stringify({ scripts }) });
    expect(commands).toEqual([
      "Install: npm install < package.json",
      "Test: npm run test:unit < package.json",
    ]);
  });

  it("names entry points by main, bin and exports", async () => {
    const manifest = {
      main: "a.js",
      bin: "b.js",
      exports: { ".": "./c.js", "./d": { import: "./d.mjs" }, "./e": 7 },
    };
    const { briefing } = await read({ "package.json": JSON.stringify(manifest) });
    for (const line of [
      "`a.js`: `main`",
      "`b.js`: `bin`",
      "`./c.js`: `exports .`",
      "`./d.mjs`: `exports ./d`",
    ]) {
      expect(briefing).toContain(`- ${line} in \`package.json\``);
    }
  });
});

describe("other manifests", () => {
  it("reads deno.json with comments", async () => {
    const { commands } = await read({
      "deno.jsonc": '// note\n{"tasks": {"test": "deno test", "dev": {"a": 1}}}',
    });
    expect(commands).toEqual(["Test: deno task test < deno.jsonc"]);
  });

  it("reads pyproject.toml", async () => {
    const toml = [
      "[project]",
      'name = "snake" # comment',
      'version = "0.1"',
      'description = "It\'s a snake"',
      'license = {text = "BSD-3-Clause"}',
      "dependencies = [",
      '  "a>=1",',
      "]",
      "[project.scripts]",
      'snake = "snake.cli:main"',
      "[build-system]",
      "[tool.pytest.ini_options]",
      "[tool.ruff]",
    ].join("\n");
    const { commands, briefing } = await read({
      "pyproject.toml": toml,
      "snake/__main__.py": "",
      "uv.lock": "",
    });
    expect(commands).toEqual([
      "Install: uv sync < pyproject.toml",
      "Build: python -m build < pyproject.toml",
      "Test: pytest < pyproject.toml",
      "Check: ruff check < pyproject.toml",
    ]);
    expect(briefing).toContain("`pyproject.toml` names it `snake` `0.1`: `It's a snake`");
    expect(briefing).toContain("Licence: `BSD-3-Clause` by `pyproject.toml`");
    expect(briefing).toContain("- `snake.cli:main`: `console script snake` in `pyproject.toml`");
    expect(briefing).toContain("- `snake/__main__.py`");
  });

  it("reads Poetry's tables, setup.cfg, requirements and test runners", async () => {
    const poetry = await read({ "pyproject.toml": '[tool.poetry]\nname = "p"\n[build-system]\n' });
    expect(poetry.commands).toEqual([
      "Install: poetry install < pyproject.toml",
      "Build: poetry build < pyproject.toml",
    ]);
    const cfg = "[metadata]\nname = old\n[options.entry_points]\nconsole_scripts =\n    old = old:main\n";
    const files = {
      "setup.cfg": cfg,
      "setup.py": "",
      "requirements-dev.txt": "",
      "tox.ini": "",
      "noxfile.py": "",
    };
    const { commands, briefing } = await read(files);
    expect(commands).toEqual([
      "Install: pip install -e . < setup.py",
      "Install: pip install -r requirements-dev.txt < requirements-dev.txt",
      "Test: nox < noxfile.py",
      "Test: tox < tox.ini",
    ]);
    expect(briefing).toContain("- `old:main`: `console script old` in `setup.cfg`");
  });

  it("reads Cargo.toml and go.mod", async () => {
    const cargo =
      '[package]\nname = "crab"\nlicense = "MIT OR Apache-2.0"\n[[bin]]\nname = "pinch"\n[[bin]]\nname = "b"\npath = "b.rs"\n';
    const files = {
      "Cargo.toml": cargo,
      "go.mod": "module example.com/x\n",
      "src/main.rs": "",
      "cmd/x/main.go": "",
    };
    const { commands, briefing } = await read(files);
    expect(commands).toEqual([
      "Build: cargo build < Cargo.toml",
      "Build: go build ./... < go.mod",
      "Test: cargo test < Cargo.toml",
      "Test: go test ./... < go.mod",
    ]);
    expect(briefing).toContain(
      "- `src/bin/pinch.rs`: `bin pinch` in `Cargo.toml`\n- `b.rs`: `bin b` in `Cargo.toml`",
    );
    expect(briefing).toContain("- `cmd/x/main.go`\n- `src/main.rs`");
    expect(briefing).toContain("`go.mod` names it `example.com/x`");
  });

  it("reads Maven, Gradle, CMake and .NET", async () => {
    const pom = "<project><parent><artifactId>p</artifactId></parent><artifactId>own</artifactId></project>";
    const files = {
      "pom.xml": pom,
      mvnw: "",
      "build.gradle.kts": "",
      "CMakeLists.txt": "project(engine CXX)\nenable_testing()\n",
      "App.sln": "",
    };
    const { commands, briefing } = await read(files);
    expect(commands).toEqual([
      "Build: ./mvnw package < pom.xml",
      "Build: gradle build < build.gradle.kts",
      "Build: dotnet build App.sln < App.sln",
      "Build: cmake -B build && cmake --build build < CMakeLists.txt",
      "Test: ./mvnw test < pom.xml",
      "Test: gradle test < build.gradle.kts",
      "Test: dotnet test App.sln < App.sln",
      "Test: ctest --test-dir build < CMakeLists.txt",
    ]);
    expect(briefing).toContain("`pom.xml` names it `own`");
    expect(briefing).toContain("`CMakeLists.txt` names it `engine`");
  });

  it("reads Elixir, Ruby and PHP", async () => {
    const { commands } = await read({
      "mix.exs": "def project, do: [app: :phx]",
      Gemfile: "",
      Rakefile: "",
      ".rspec": "",
      "composer.json": '{"scripts": {"lint": "pint"}}',
      "phpunit.xml.dist": "",
    });
    expect(commands).toEqual([
      "Install: mix deps.get < mix.exs",
      "Install: bundle install < Gemfile",
      "Install: composer install < composer.json",
      "Build: mix compile < mix.exs",
      "Build: bundle exec rake < Rakefile",
      "Test: mix test < mix.exs",
      "Test: bundle exec rspec < Gemfile",
      "Test: vendor/bin/phpunit < composer.json",
      "Check: composer run lint < composer.json",
    ]);
  });

  it("reads Makefile, justfile, Docker and an action", async () => {
    const { commands, briefing } = await read({
      Makefile: "X := 1\n.PHONY: all\nall: a\n\techo: no\ntest lint: x\n%.o: %.c\nY = a:b\n",
      justfile: 'set shell := ["sh"]\nversion := "1"\ncheck arg="x": build\n  echo hi: there\n@fmt:\n',
      "compose.yaml": "",
      "action.yml":
        "name: 'Do it'\ndescription: Does it # really\nruns:\n  using: node24\n  main: dist/main.cjs\n",
    });
    expect(commands).toEqual([
      "Build: make all < Makefile",
      "Check: just check < justfile",
      "Check: just fmt < justfile",
      "Run: docker compose up < compose.yaml",
    ]);
    expect(briefing).toContain("- `dist/main.cjs`: `GitHub Action (node24)` in `action.yml`");
    expect(briefing).toContain("`action.yml` names it `Do it`: `Does it`");
  });

  it("names CI configurations and the manifests of parts", async () => {
    const { briefing } = await read({
      ".github/workflows/a.yml": "",
      ".gitlab-ci.yml": "",
      ".circleci/config.yml": "",
      "packages/a/package.json": "{}",
      "crates/b/Cargo.toml": "",
    });
    expect(briefing).toContain(
      "CI configuration: `.circleci/config.yml`, `.github/workflows/a.yml`, `.gitlab-ci.yml`",
    );
    expect(briefing).toContain(
      "Holds 2 manifests in folders: `crates/b/Cargo.toml`, `packages/a/package.json`",
    );
  });
});
