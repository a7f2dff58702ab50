// Paths that an agent's changes never touch on their own: what runs with rights of its own as soon as it is merged or
// pushed, and who has to look at it. Pure.

/** Folders end with "/". Compared without regard to case: some file systems do. */
const protectedPaths = [
  ".git/",
  ".github/workflows/",
  ".github/actions/",
  ".github/dependabot.yml",
  ".github/codeowners",
  "codeowners",
  "docs/codeowners",
  ".gitmodules",
  ".gitlab-ci.yml",
  ".gitlab/ci/",
  ".circleci/",
  ".buildkite/",
  "bitbucket-pipelines.yml",
  "azure-pipelines.yml",
  "jenkinsfile",
  ".travis.yml",
  ".woodpecker.yml",
  ".drone.yml",
] as const;

export type PathGuard = (path: string) => boolean;

/** Says of a path whether changes of it are held back. `allowed` are paths, or folders with "/", that are not. */
export function protectedPathGuard(allowed: readonly string[] = []): PathGuard {
  const exempt = allowed.map((path) => path.toLowerCase());
  return (path) => {
    const name = path.toLowerCase();
    // Git's own folder is nobody's to allow.
    if (name.split("/").includes(".git")) return true;
    return (
      protectedPaths.some((entry) => covers(entry, name)) && !exempt.some((entry) => covers(entry, name))
    );
  };
}

function covers(entry: string, name: string): boolean {
  return entry.endsWith("/") ? name.startsWith(entry) : name === entry;
}
