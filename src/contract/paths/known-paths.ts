// The paths of a repository that act by themselves or hold secrets: the one list for what a run may change, what an agent
// gets to see, and what its commands and tools may read. Pure data; names looked up on 2026-11-22 and 2026-11-23.
// Why: docs/decisions/096-what-acts-and-what-is-secret.md

import type { CiProviderName } from "../ci/providers.ts";

/**
 * - `ci`: executed with rights of its own once it is pushed or merged, or decides who reviews and merges.
 * - `tool`: executed or obeyed by a developer's programs when they open, install or commit.
 * - `agent`: configures an agent that works in the repository: instructions, hooks, tools, servers.
 * - `instruction`: text for agents, which the base's version can take the place of: it names no program of the tree.
 * - `secret`: holds credentials, wherever it lies in a tree.
 * - `cached secret`: holds credentials among a machine's tools and caches; an ordinary name in a repository.
 */
export type PathKind = "ci" | "tool" | "agent" | "instruction" | "secret" | "cached secret";

export type KnownPaths = {
  readonly is: readonly PathKind[];
  /**
   * Files or folders, with all that is below them. From the root, or in any folder where it begins with "**" + "/"; `*` stands
   * for any part of one name. Compared without regard to case, as some file systems do.
   */
  readonly paths: readonly string[];
  /** Names that are none of these. */
  readonly except?: readonly string[];
  /** Compared letter by letter: in small letters these are names of pages. */
  readonly isExact?: true;
  /** A folder of that name is another thing: `.env` may be one of Python's. */
  readonly isFile?: true;
};

/** Where the pipelines of each provider are written. GitLab includes such files of any folder by their path. */
const pipelines: Readonly<Record<CiProviderName, readonly string[]>> = {
  github: [".github/workflows", ".github/actions"],
  gitlab: ["**/.gitlab-ci.yml", ".gitlab/ci"],
  circleci: [".circleci"],
  buildkite: [".buildkite"],
  bitbucket: ["bitbucket-pipelines.yml"],
};

export const knownPaths: readonly KnownPaths[] = [
  { is: ["ci"], paths: Object.values(pipelines).flat() },
  // Executed before an agent, from the commit that it changes.
  { is: ["ci"], paths: [".github/agent"] },
  {
    is: ["ci"],
    paths: [
      "azure-pipelines.yml",
      "azure-pipelines.yaml",
      ".azure-pipelines",
      "**/Jenkinsfile",
      "**/Jenkinsfile.*",
      "**/*.jenkinsfile",
      ".travis.yml",
      ".woodpecker.yml",
      ".woodpecker.yaml",
      ".woodpecker",
      ".gitea",
      ".forgejo",
      ".drone.yml",
      ".drone.yaml",
      ".drone.star",
      ".drone.jsonnet",
      "appveyor.yml",
      ".appveyor.yml",
      ".cirrus.yml",
      ".cirrus.yaml",
      ".cirrus.star",
      ".semaphore",
      ".tekton",
      "cloudbuild.yml",
      "cloudbuild.yaml",
      "cloudbuild.json",
      "buildspec.yml",
      "buildspec.yaml",
      ".teamcity",
      "bitrise.yml",
      "bitrise.yaml",
      "codemagic.yaml",
      "codemagic.yml",
      ".builds",
      ".build.yml",
      ".zuul.yaml",
      "zuul.yaml",
      ".zuul.d",
      "zuul.d",
      ".harness",
      ".vela.yml",
      ".vela",
      "screwdriver.yaml",
      ".onedev-buildspec.yml",
      ".scrutinizer.yml",
      "wercker.yml",
      "codeship-services.yml",
      "codeship-steps.yml",
      "**/ci_scripts",
      ".eas/workflows",
      ".prow.yaml",
      ".prow",
    ],
  },
  // Who reviews, what merges, and what changes the repository's settings.
  {
    is: ["ci"],
    paths: [
      ".github/dependabot.yml",
      ".github/dependabot.yaml",
      ".github/codeowners",
      ".gitlab/codeowners",
      "codeowners",
      "docs/codeowners",
      "**/OWNERS",
      "**/OWNERS_ALIASES",
      ".gitmodules",
      ".github/settings.yml",
      ".github/settings.yaml",
      ".github/repos",
      ".github/suborgs",
      ".asf.yaml",
      ".mergify.yml",
      ".mergify",
      ".github/mergify.yml",
      ".kodiak.toml",
      ".github/.kodiak.toml",
      "bors.toml",
      ".github/bors.toml",
      ".bulldozer.yml",
      ".palantir",
      ".policy.yml",
      ".aviator",
      ".pullapprove.yml",
      ".coderabbit.yaml",
      ".coderabbit.yml",
      "renovate.json*",
      ".renovaterc*",
      ".github/renovate.json*",
      ".gitlab/renovate.json*",
    ],
  },
  // Hooks, tasks and containers of developers' machines.
  {
    is: ["tool"],
    paths: [
      "**/.pre-commit-config.yaml",
      ".pre-commit-config.yml",
      ".githooks",
      "lefthook.y*ml",
      ".lefthook.y*ml",
      ".config/lefthook.y*ml",
      ".huskyrc*",
      ".overcommit.yml",
      ".pre-commit-hooks.yaml",
      "**/.devcontainer",
      "**/.devcontainer.json",
      ".gitpod.yml",
      ".gitpod.Dockerfile",
      ".idx",
      ".replit",
      "**/.vscode/tasks.json",
      "**/.vscode/launch.json",
      "**/.vscode/settings.json",
      "**/.run",
      "**/.idea/runConfigurations",
      "**/.fleet",
      "mise.toml",
      ".mise.toml",
      ".mise",
      ".config/mise",
    ],
  },
  // What package managers and compilers execute or load, whatever is built.
  {
    is: ["tool"],
    paths: [
      "**/.pnpmfile.cjs",
      "**/.pnpmfile.mjs",
      "**/.yarn/plugins",
      "**/.yarn/releases",
      "**/bunfig.toml",
      "**/.cargo/config",
      "**/.cargo/config.toml",
    ],
  },
  { is: ["tool", "secret"], paths: ["**/.npmrc", "**/.yarnrc", "**/.yarnrc.yml", "**/.envrc"] },
  {
    is: ["agent", "instruction"],
    isExact: true,
    paths: [
      "**/AGENTS.md",
      "**/AGENTS.override.md",
      "**/AGENT.md",
      "**/CLAUDE.md",
      "**/GEMINI.md",
      "**/QWEN.md",
      "**/CRUSH.md",
      "**/CODEBUDDY.md",
      "**/IFLOW.md",
      "**/WARP.md",
    ],
  },
  { is: ["agent"], isExact: true, paths: ["**/CLAUDE.local.md", "**/AGENTS.local.md", "**/CRUSH.local.md"] },
  {
    is: ["agent"],
    paths: [
      // Claude Code, Codex, Gemini CLI, Qwen Code, opencode, Crush, Copilot
      "**/.claude",
      "**/.claude.json",
      "**/.claude-plugin",
      "**/.codex",
      "**/.gemini",
      "**/.qwen",
      "**/.opencode",
      "**/opencode.json",
      "**/opencode.jsonc",
      "**/.crush",
      "**/crush.json",
      "**/.crush.json",
      ".github/copilot-instructions.md",
      ".github/instructions",
      ".github/agents",
      ".github/prompts",
      ".github/chatmodes",
      ".github/hooks",
      ".github/skills",
      "**/.copilot",
      "**/.agents",
      "**/.agent",
      // Cursor, Windsurf, Cline, Roo, Kilo, Continue, Kiro, Junie, Goose, Aider
      "**/.cursor",
      "**/.cursorrules",
      "**/.windsurf",
      "**/.windsurfrules",
      "**/.cline",
      "**/.clinerules*",
      "**/.roo",
      "**/.roomodes",
      "**/.roorules*",
      "**/.kilocode",
      "**/.kilo",
      "**/.kilocodemodes",
      "**/.continue",
      "**/.continuerc.json",
      "**/.kiro",
      "**/.junie",
      "**/.goosehints",
      "**/.goose",
      "**/.aider.conf.yml",
      "**/.aider.model.settings.yml",
      "**/.aider.model.metadata.json",
      // Others
      "**/.augment",
      "**/.augment-guidelines",
      "**/.trae",
      "**/.factory",
      "**/.openhands",
      "**/.amazonq",
      "**/.codebuddy",
      "**/.iflow",
      "**/.qoder",
      "**/.vibe",
      "**/.pi",
      "**/.zed",
      "**/.idx/airules.md",
      // MCP servers, and options of programs that agents bring along or start
      "**/.mcp.json",
      "**/.vscode/mcp.json",
      "**/.husky",
      "**/.ripgreprc",
    ],
  },
  {
    is: ["secret"],
    isFile: true,
    paths: ["**/.env", "**/.env.*", "**/.dev.vars", "**/.dev.vars.*", "**/.secrets"],
    except: ["**/*.example", "**/*.sample", "**/*.template", "**/*.dist", "**/*.defaults"],
  },
  {
    is: ["secret"],
    paths: [
      "**/.netrc",
      "**/_netrc",
      "**/.pypirc",
      "**/.git-credentials",
      "**/.docker/config.json",
      "**/.dockercfg",
      "**/.dockerconfigjson",
      "**/gha-creds-*.json",
      "**/.aws",
      "**/.azure",
      "**/.oci",
      "**/.kube",
      "**/kubeconfig",
      "**/.ssh",
      "**/.gnupg",
      "**/.password-store",
      "**/.vault-token",
      "**/.pgpass",
      "**/.my.cnf",
      "**/.boto",
      "**/.s3cfg",
      "**/.databrickscfg",
      "**/.snowflake",
      "**/.jfrog",
      "**/.terraform.d/credentials.tfrc.json",
      "**/.terraformrc",
      "**/.cargo/credentials*",
      "**/.m2/settings*.xml",
      "**/.gradle/gradle.properties",
      "**/.gem/credentials",
      "**/.bundle/config",
      "**/.composer/auth.json",
      "**/.sbt/.credentials",
      "**/.ivy2/.credentials",
      "**/.sentryclirc",
      "**/.streamlit/secrets.toml",
      "**/id_rsa",
      "**/id_dsa",
      "**/id_ecdsa",
      "**/id_ed25519",
      "**/pip.conf",
      "config/master.key",
      "auth.json",
      "nuget.config",
    ],
  },
  {
    is: ["cached secret"],
    paths: [
      "**/npmrc",
      "**/auth.json",
      "**/credentials",
      "**/credentials.toml",
      "**/gradle.properties",
      "**/settings-security.xml",
      "**/NuGet.Config",
      "**/.docker",
    ],
  },
];

/** Names and paths of a kind without the places where they count, and without those that have a `*`. */
export function literalPaths(kind: PathKind): readonly string[] {
  const paths = knownPaths.flatMap((known) => (known.is.includes(kind) ? known.paths : []));
  return paths
    .filter((path) => !path.replace(/^\*\*\//, "").includes("*"))
    .map((path) => path.replace(/^\*\*\//, ""));
}

/** Variables that name a file or folder of credentials. */
export const secretPathVariables: readonly string[] = [
  "NPM_CONFIG_USERCONFIG",
  "npm_config_userconfig",
  "NPM_CONFIG_GLOBALCONFIG",
  "PIP_CONFIG_FILE",
  "NETRC",
  "DOCKER_CONFIG",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_CONFIG_FILE",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AZURE_CONFIG_DIR",
  "AZURE_FEDERATED_TOKEN_FILE",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "GOOGLE_GHA_CREDS_PATH",
  "CLOUDSDK_CONFIG",
  "CLOUDSDK_AUTH_CREDENTIAL_FILE_OVERRIDE",
  "KUBECONFIG",
  "GH_CONFIG_DIR",
  "GNUPGHOME",
  "COMPOSER_HOME",
  "GIT_CONFIG_GLOBAL",
  "GITHUB_EVENT_PATH",
  "GITHUB_ENV",
];
