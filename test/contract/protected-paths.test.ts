import { describe, expect, it } from "vitest";
import { protectedPathGuard } from "../../src/contract/protected-paths.ts";

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
  ])("holds %s back", (path) => {
    expect(isProtected(path)).toBe(true);
  });

  it.each([
    "src/ci.yml",
    "docs/azure-pipelines.yml",
    "my.gitlab-ci.yml",
    "github/workflows/ci.yml",
    "tekton/a",
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
