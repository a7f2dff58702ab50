// Paths that an agent's changes never touch on their own: what runs with rights of its own as soon as it is merged or
// pushed, and who has to look at it. Pure.

import { isDotGit } from "../base/git/dot-git.ts";
import type { CiProviderName } from "./ci/providers.ts";

/** Where the pipelines of each provider are written. GitLab includes such files of any folder by their path. */
const pipelineFiles: Readonly<Record<CiProviderName, readonly string[]>> = {
  github: [".github/workflows/", ".github/actions/"],
  gitlab: ["**/.gitlab-ci.yml", ".gitlab/ci/"],
  circleci: [".circleci/"],
  buildkite: [".buildkite/"],
  bitbucket: ["bitbucket-pipelines.yml"],
};

/**
 * Folders end with "/"; an entry that begins with "**" + "/" counts in every folder. Compared without regard to case,
 * as some file systems do. CI files by their providers' documentation, checked 2026-11-22.
 */
const protectedPaths = [
  ...Object.values(pipelineFiles).flat(),
  ".git/",
  // What is executed before an agent, from the commit that it changes.
  ".github/agent/",
  ".mcp.json",
  ".github/dependabot.yml",
  ".github/dependabot.yaml",
  ".github/codeowners",
  ".gitlab/codeowners",
  "codeowners",
  "docs/codeowners",
  ".gitmodules",
  "azure-pipelines.yml",
  "azure-pipelines.yaml",
  ".azure-pipelines/",
  "jenkinsfile",
  ".travis.yml",
  ".woodpecker.yml",
  ".woodpecker.yaml",
  ".woodpecker/",
  ".gitea/",
  ".forgejo/",
  ".drone.yml",
  ".drone.yaml",
  ".drone.star",
  ".drone.jsonnet",
  "appveyor.yml",
  ".appveyor.yml",
  ".cirrus.yml",
  ".cirrus.yaml",
  ".cirrus.star",
  ".semaphore/",
  ".tekton/",
  "cloudbuild.yml",
  "cloudbuild.yaml",
  "cloudbuild.json",
  "buildspec.yml",
  "buildspec.yaml",
];

export type PathGuard = (path: string) => boolean;

/** Says of a path whether changes of it are held back. `allowed` are paths, or folders with "/", that are not. */
export function protectedPathGuard(allowed: readonly string[] = []): PathGuard {
  const exempt = allowed.map((path) => path.toLowerCase());
  return (path) => {
    const name = path.toLowerCase();
    // Git's own folder is nobody's to allow.
    if (name.split("/").some(isDotGit)) return true;
    return (
      protectedPaths.some((entry) => covers(entry, name)) && !exempt.some((entry) => covers(entry, name))
    );
  };
}

function covers(entry: string, name: string): boolean {
  if (entry.startsWith("**/")) return `/${name}`.endsWith(entry.slice("**".length));
  return entry.endsWith("/") ? name.startsWith(entry) : name === entry;
}
