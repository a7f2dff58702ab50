// Kinds of files of a repository for an eval, by path: a test, the configuration of what executes tests, prose. Pure.

const testFolders = new Set([
  "test",
  "tests",
  "__tests__",
  "spec",
  "specs",
  "e2e",
  "testdata",
  "__mocks__",
  "__snapshots__",
]);
/** Of a file that a runner executes. */
const testName =
  /(?:[._-](?:test|tests|spec|specs)\.[cm]?[jt]sx?|_test\.(?:go|py|rb|exs?|c|cc|cpp|rs|dart)|_spec\.rb|Tests?\.(?:java|kt|kts|cs|scala|groovy|swift|php)|Spec\.(?:scala|groovy|kt|hs))$/;
const pythonTestName = /^test_[^/]*\.py$/;
const codeName =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|cs|php|ex|exs|swift|scala|groovy|bats|dart|lua|c|cc|cpp)$/;
const proseName = /\.(?:md|mdx|markdown|rst|txt|adoc|png|jpe?g|gif|svg|webp|pdf)$/i;
const proseNames = new Set([
  "license",
  "licence",
  "notice",
  "authors",
  "contributors",
  "changelog",
  "codeowners",
]);

/** Manifests, and configurations of runners: whoever changes them changes what a test command does. */
const runnerConfig =
  /^(?:package\.json|npm-shrinkwrap\.json|.*\.lockb?|package-lock\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|\.npmrc|\.yarnrc(?:\.yml)?|\.pnp\..*|bunfig\.toml|deno\.jsonc?|(?:vitest|vite|jest|ava|karma|playwright|cypress|babel|wdio|tap|nyc|c8|mocha)[.\w-]*\.(?:config|conf|workspace|setup)?\.?[cm]?[jt]s(?:on)?|\.mocharc.*|\.babelrc.*|\.taprc|\.nycrc.*|tsconfig.*\.json|pytest\.ini|tox\.ini|setup\.cfg|setup\.py|pyproject\.toml|requirements.*\.txt|Pipfile|noxfile\.py|conftest\.py|sitecustomize\.py|usercustomize\.py|\.coveragerc|Makefile|makefile|GNUmakefile|justfile|Justfile|Taskfile\.ya?ml|Rakefile|Gemfile|\.rspec|phpunit\.xml.*|composer\.json|go\.mod|go\.sum|go\.work|Cargo\.toml|build\.gradle.*|settings\.gradle.*|gradle\.properties|pom\.xml|CMakeLists\.txt|mix\.exs|pubspec\.yaml|\.env.*)$/;
/** What a setup command installs by. */
const manifest =
  /^(?:package\.json|npm-shrinkwrap\.json|package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?|requirements.*\.txt|pyproject\.toml|poetry\.lock|uv\.lock|Pipfile(?:\.lock)?|setup\.py|setup\.cfg|go\.(?:mod|sum)|Cargo\.(?:toml|lock)|Gemfile(?:\.lock)?|composer\.(?:json|lock)|pom\.xml|build\.gradle.*|mix\.(?:exs|lock)|pubspec\.(?:yaml|lock))$/;

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A test, or a file beside tests that they use. */
export function isTestPath(path: string): boolean {
  const folders = path.split("/").slice(0, -1);
  return isTestFile(path) || folders.some((folder) => testFolders.has(folder.toLowerCase()));
}

/** A file that a runner of tests executes by its name. */
export function isTestFile(path: string): boolean {
  const name = nameOf(path);
  return (
    testName.test(name) ||
    pythonTestName.test(name) ||
    /^(?:tests?|spec)\.[cm]?[jt]sx?$/.test(name) ||
    name.endsWith(".bats")
  );
}

export function isCode(path: string): boolean {
  return codeName.test(nameOf(path));
}

/** No test, no prose, and nothing that the judge brings along. */
export function isSourcePath(path: string): boolean {
  const name = nameOf(path);
  return !isJudgePath(path) && !proseName.test(name) && !proseNames.has(name.toLowerCase());
}

/** A file that the judge takes from the commit, whatever the agent made of it. */
export function isJudgePath(path: string): boolean {
  return isTestPath(path) || runnerConfig.test(nameOf(path));
}

export function isManifest(path: string): boolean {
  return manifest.test(nameOf(path));
}
