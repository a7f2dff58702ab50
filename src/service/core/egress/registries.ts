// The hosts of package registries that the word `registries` stands for, as of 2026-11-22: those which the package managers
// ask by default. Pure.
// They accept uploads from whoever has an account there: `registries` is no protection against code that is sent away.

import type { HostEntry } from "../../../contract/egress.ts";

const names: readonly string[] = [
  // npm, pnpm, Yarn, JSR
  "registry.npmjs.org",
  "registry.yarnpkg.com",
  "npm.jsr.io",
  // pip, uv, Poetry
  "pypi.org",
  "files.pythonhosted.org",
  // Cargo
  "crates.io",
  "index.crates.io",
  "static.crates.io",
  // RubyGems, Bundler
  "rubygems.org",
  "index.rubygems.org",
  // Go modules
  "proxy.golang.org",
  "sum.golang.org",
  // Maven, Gradle
  "repo.maven.apache.org",
  "repo1.maven.org",
  "plugins.gradle.org",
  "plugins-artifacts.gradle.org",
  // NuGet
  "api.nuget.org",
  // Composer: the index. Most archives lie on GitHub.
  "repo.packagist.org",
  // Hex, Pub
  "repo.hex.pm",
  "pub.dev",
  // Debian, Ubuntu, Alpine
  "deb.debian.org",
  "security.debian.org",
  "archive.ubuntu.com",
  "security.ubuntu.com",
  "dl-cdn.alpinelinux.org",
];

export const packageRegistries: readonly HostEntry[] = names.map((name) => ({ name, port: 443 }));
