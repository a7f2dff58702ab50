import { describe, expect, it } from "vitest";
import { protectedPathGuard } from "../../src/contract/paths/path-rules.ts";

describe("protectedPathGuard", () => {
  const isProtected = protectedPathGuard();

  it.each([
    ".github/workflows/ci.yml",
    ".GitHub/Workflows/CI.yml",
    ".github/dependabot.yaml",
    ".gitlab-ci.yml",
    "services/api/.gitlab-ci.yml",
    ".gitea/workflows/ci.yaml",
    ".forgejo/workflows/ci.yaml",
    ".woodpecker/build.yaml",
    ".woodpecker.yaml",
    "azure-pipelines.yaml",
    ".azure-pipelines/build.yml",
    "appveyor.yml",
    ".cirrus.yml",
    ".semaphore/semaphore.yml",
    ".tekton/push.yaml",
    "cloudbuild.yaml",
    "buildspec.yml",
    ".drone.yaml",
    "vendor/lib/.git/config",
    ".github/settings.yml",
    ".mergify.yml",
    ".kodiak.toml",
    "bors.toml",
    "renovate.json5",
    ".github/renovate.json",
    ".renovaterc.json",
    ".pre-commit-config.yaml",
    ".devcontainer/devcontainer.json",
    "apps/web/.devcontainer/Dockerfile",
    ".claude/settings.json",
    ".cursor/mcp.json",
    ".vscode/tasks.json",
    "CLAUDE.md",
    "packages/a/AGENTS.md",
    ".husky/pre-commit",
    ".yarnrc.yml",
    "packages/a/.npmrc",
    "Jenkinsfile",
    "ci/Jenkinsfile",
    "ci/Jenkinsfile.release",
    ".teamcity/settings.kts",
    "bitrise.yml",
    "codemagic.yaml",
    ".builds/alpine.yml",
    ".envrc",
    "lefthook.yml",
    "docs/OWNERS",
    ".github/copilot-instructions.md",
  ])("holds %s back", (path) => {
    expect(isProtected(path)).toBe(true);
  });

  it.each([
    "src/ci.yml",
    "docs/azure-pipelines.yml",
    "my.gitlab-ci.yml",
    "github/workflows/ci.yml",
    "tekton/a",
    "docs/agents.md",
    "docs/claude.md",
    "src/claude.ts",
    ".vscode/extensions.json",
    ".env",
    ".env.example",
    "gradle.properties",
    "src/credentials",
    ".github/ISSUE_TEMPLATE/bug.md",
    "renovate.md",
  ])("lets %s pass", (path) => {
    expect(isProtected(path)).toBe(false);
  });

  it("lets pass what is allowed, but never git's own folder", () => {
    const guard = protectedPathGuard([".github/workflows/", "**/.gitlab-ci.yml", ".git/"]);
    expect(guard(".github/workflows/ci.yml")).toBe(false);
    expect(guard("a/.gitlab-ci.yml")).toBe(false);
    expect(guard(".git/config")).toBe(true);
  });
});
