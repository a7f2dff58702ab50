import { describe, expect, it } from "vitest";
import { changesFiles } from "../../../../src/service/executor/checks/changing-commands.ts";
import { checkIn } from "../../../../src/service/executor/checks/check-kinds.ts";
import { simpleCommands } from "../../../../src/service/executor/checks/shell-script.ts";

const told = (script: string) => {
  const check = checkIn(script);
  return check === null ? null : `${check.kind}${check.isTold ? "" : ", hidden"}`;
};

describe("a command that checks", () => {
  it.each([
    ["npm test", "test"],
    ["npm t -- --run", "test"],
    ["CI=1 npm run test:unit -- a.test.ts", "test"],
    ["cd packages/a && npx vitest run", "test"],
    ["./node_modules/.bin/jest a", "test"],
    ["timeout 60 python3 -m pytest -q tests", "test"],
    ["uv run pytest", "test"],
    ["python -m unittest discover", "test"],
    ["python manage.py test app", "test"],
    ["go test ./...", "test"],
    ["cargo test --workspace", "test"],
    ["./gradlew :app:test", "test"],
    ["mvn -q verify", "test"],
    ["node --test", "test"],
    ["node sum.test.mjs", "test"],
    ["python3 -u tests/test_sum.py", "test"],
    ["bash scripts/lint.sh", "lint"],
    ["bundle exec rspec", "test"],
    ["make check", "check"],
    ["make -j4", "build"],
    ["npx tsc --noEmit", "types"],
    ["cargo check", "types"],
    ["mypy src", "types"],
    ["npx eslint .", "lint"],
    ["ruff check --fix .", "lint"],
    ["npx prettier --check .", "lint"],
    ["cargo fmt --all --check", "lint"],
    ["go vet ./...", "lint"],
    ["go build ./...", "build"],
    ["cmake --build build", "build"],
    ["yarn build", "build"],
    ["./scripts/run-tests.sh", "test"],
    ["bash -c 'ls'; npm test", "test"],
    ["npm run lint && npm test", "test"],
    ["set -euo pipefail\nnpm test | tee log\necho done", "test"],
    ["npm test || exit 1", "test"],
    ["npm test > out.txt 2>&1", "test"],
    ["(cd a; npm test)", "test"],
    ["cat > a.py <<'EOF'\nnpm run nothing | x\nEOF\npytest a.py", "test"],
    ["# npm run build\nnpm test # all", "test"],
  ])("is %j: %s", (script, kind) => {
    expect(told(script)).toBe(kind);
  });

  it.each([
    ["npm test | tail -5", "test, hidden"],
    ["npm test || true", "test, hidden"],
    ["npm test; echo $?", "test, hidden"],
    ["npm test\ntail log", "test, hidden"],
    ["npm test &", "test, hidden"],
    ["if npm test; then echo ok; fi", "test, hidden"],
    ["! npm test", "test, hidden"],
  ])("does not tell by its exit code: %j", (script, kind) => {
    expect(told(script)).toBe(kind);
  });

  it.each([
    "ls /nope",
    "cat package.json",
    "echo 'npm test'",
    "grep -rn 'npm test' .",
    "npm install",
    "npm run dev",
    "npx prettier --write .",
    "ruff format .",
    "npm run lint:fix",
    "git commit -m 'make check'",
    "node -e 'console.log(1)'",
    "pytest --version",
    "echo $(npm test)",
    "cat <<EOF\nnpm test\nEOF",
    "",
    "'",
    "\\",
    "((((",
  ])("is not %j", (script) => {
    expect(told(script)).toBeNull();
  });

  it("is none by a name that the project's manifest does not have", () => {
    const scripts = new Map([["npm", new Set(["unit", "verify"])]]);
    expect(checkIn("npm test", scripts)).toBeNull();
    expect(checkIn("yarn run unit", scripts)).toMatchObject({ kind: "test" });
    expect(checkIn("npm run verify", scripts)).toMatchObject({ kind: "check" });
  });
});

describe("a script of a shell", () => {
  it("ends whatever is in it", () => {
    const parts = [
      "'",
      '"',
      "`",
      "$(",
      ")",
      "<<",
      "\n",
      "&&",
      "||",
      "|",
      ";",
      "&",
      "\\",
      "#",
      "x",
      " ",
      ">",
      "2>&1",
    ];
    let seed = 7;
    const next = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed;
    };
    for (let run = 0; run < 3_000; run += 1) {
      const script = Array.from({ length: next() % 30 }, () => parts[next() % parts.length] ?? "").join("");
      expect(simpleCommands(script).every(({ words }) => Array.isArray(words))).toBe(true);
    }
  });

  it("changes files by what it executes", () => {
    for (const script of [
      "sed -i s/a/b/ x",
      "git checkout -- a",
      "cd a && mv b c",
      "echo x | tee a",
      "perl -pi -e 1 a",
    ])
      expect([script, changesFiles(script)]).toEqual([script, true]);
    for (const script of ["sed s/a/b/ x", "git status", "ls", "grep -r mv ."])
      expect([script, changesFiles(script)]).toEqual([script, false]);
  });
});
