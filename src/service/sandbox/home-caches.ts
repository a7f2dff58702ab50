// The folders of a job's home that hold downloads of package managers, and tools. Credentials lie beside them, never in them.
// Pure. Checked against each tool's documentation on 2026-11-22.

export type HomeCache = {
  /** Below the home, as the tool finds it there. */
  readonly folder: string;
  /** The variable that moves the folder, where there is one. Inside, it is always below the home. */
  readonly variable?: string;
  /**
   * What of it is shown, read-only; "" is all. `*` is every entry of a folder. What is not named can be written, as locks,
   * logs and new downloads have to be.
   */
  readonly shown: readonly string[];
  /** The path at which it is shown, if not there. */
  readonly at?: string;
  /** At its own place it holds packages as they were published, often in thousands of folders, and no settings of this machine. Default: false. */
  readonly isPublished?: boolean;
};

const all = [""];

export const homeCaches: readonly HomeCache[] = [
  // npm writes to tmp and _logs beside them.
  {
    folder: ".npm",
    variable: "npm_config_cache",
    shown: ["_cacache/content-v2", "_cacache/index-v5"],
    isPublished: true,
  },
  { folder: ".cache/yarn", variable: "YARN_CACHE_FOLDER", shown: ["*"], isPublished: true },
  { folder: ".yarn/berry/cache", shown: all, isPublished: true },
  { folder: ".local/share/pnpm/store", shown: ["*/files", "*/index"], isPublished: true },
  { folder: ".bun/install/cache", variable: "BUN_INSTALL_CACHE_DIR", shown: all, isPublished: true },
  { folder: ".cache/deno", variable: "DENO_DIR", shown: ["npm", "remote", "registries"] },
  // pip turns a cache off whose folder it cannot write. It fails where it cannot write to "wheels".
  { folder: ".cache/pip", variable: "PIP_CACHE_DIR", shown: ["http", "http-v2"], isPublished: true },
  { folder: ".cache/pypoetry", variable: "POETRY_CACHE_DIR", shown: ["artifacts", "cache", "virtualenvs"] },
  { folder: ".local/share/virtualenvs", shown: all },
  { folder: ".cargo", variable: "CARGO_HOME", shown: ["bin", "git/db", "git/checkouts"] },
  {
    folder: ".cargo",
    variable: "CARGO_HOME",
    shown: ["registry/index", "registry/cache", "registry/src"],
    isPublished: true,
  },
  { folder: "go/pkg/mod", variable: "GOMODCACHE", shown: all, isPublished: true },
  { folder: "go/bin", shown: all },
  { folder: ".m2/repository", shown: all, isPublished: true },
  // Gradle locks its own cache, and reads this one without a lock (GRADLE_RO_DEP_CACHE).
  {
    folder: ".gradle",
    variable: "GRADLE_USER_HOME",
    shown: ["caches/modules-2/files-2*", "caches/modules-2/metadata*"],
    at: ".gradle/read-only",
    isPublished: true,
  },
  { folder: ".gradle", variable: "GRADLE_USER_HOME", shown: ["wrapper/dists/*/*/*"] },
  { folder: ".ivy2/cache", shown: all, isPublished: true },
  { folder: ".cache/coursier", shown: ["v1"], isPublished: true },
  { folder: ".sbt/boot", shown: all },
  { folder: ".nuget/packages", variable: "NUGET_PACKAGES", shown: all, isPublished: true },
  { folder: ".dotnet", shown: all },
  { folder: ".composer/cache", variable: "COMPOSER_CACHE_DIR", shown: all, isPublished: true },
  { folder: ".cache/composer", shown: all, isPublished: true },
  { folder: ".gem/ruby", shown: all },
  { folder: ".local/share/gem/ruby", shown: all },
  { folder: ".bundle/cache", shown: all },
  { folder: ".mix/archives", shown: all },
  { folder: ".cache/ms-playwright", shown: all },
  { folder: ".cache/puppeteer", shown: all },
  { folder: ".cache/Cypress", shown: all },
  { folder: ".rustup", variable: "RUSTUP_HOME", shown: all },
  { folder: ".pyenv", variable: "PYENV_ROOT", shown: all },
  { folder: ".rbenv", variable: "RBENV_ROOT", shown: all },
  { folder: ".nvm", variable: "NVM_DIR", shown: ["versions", "alias", "nvm.sh", "nvm-exec"] },
  { folder: ".local/share/fnm", shown: all },
  { folder: ".volta/tools", shown: all },
  { folder: ".volta/bin", shown: all },
  { folder: ".sdkman/candidates", shown: all },
  { folder: ".deno/bin", shown: all },
  { folder: ".bun/bin", shown: all },
  { folder: ".ghcup/bin", shown: all },
  { folder: ".ghcup/ghc", shown: all },
  { folder: ".asdf", variable: "ASDF_DIR", shown: ["bin", "installs", "libexec", "plugins", "shims"] },
  { folder: ".local/share/mise", variable: "MISE_DATA_DIR", shown: ["installs", "shims"] },
  { folder: ".local/bin", shown: all },
  { folder: ".local/lib", shown: all },
];

/** Set where the folder is shown. The value is below the home. */
export const cacheVariables: Readonly<Record<string, string>> = {
  ".gradle/read-only/caches": "GRADLE_RO_DEP_CACHE",
};
