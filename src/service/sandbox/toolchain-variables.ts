// The variables of a job by which its toolchains are found, and those that tell package managers that there is no network.
// Pure.

/** Each names the folder of one toolchain. */
const folderVariables: ReadonlySet<string> = new Set([
  "JAVA_HOME",
  "GOROOT",
  "DOTNET_ROOT",
  "GRADLE_HOME",
  "MAVEN_HOME",
  "M2_HOME",
  "ANT_HOME",
  "KOTLIN_HOME",
  "CONDA",
  "pythonLocation",
  "Python_ROOT_DIR",
  "Python2_ROOT_DIR",
  "Python3_ROOT_DIR",
  "PNPM_HOME",
  "ANDROID_HOME",
  "ANDROID_SDK_ROOT",
  "ANDROID_NDK",
  "ANDROID_NDK_HOME",
  "ANDROID_NDK_ROOT",
  "SWIFT_PATH",
  "VCPKG_INSTALLATION_ROOT",
  "CHROMEWEBDRIVER",
  "EDGEWEBDRIVER",
  "GECKOWEBDRIVER",
  "PLAYWRIGHT_BROWSERS_PATH",
]);
/** The setup actions set one a version: JAVA_HOME_21_X64, GOROOT_1_24_X64. */
const versionedFolder = /^(JAVA_HOME|GOROOT)_[0-9_]+_[A-Za-z0-9]+$/;

export function isToolchainFolder(name: string): boolean {
  return folderVariables.has(name) || versionedFolder.test(name);
}

/** Lists of folders, like PATH. */
export const folderLists = ["LD_LIBRARY_PATH", "PKG_CONFIG_PATH"] as const;

/** Plain words: a version, a switch. */
const wordVariables: ReadonlySet<string> = new Set([
  "CI",
  "TZ",
  "NODE_ENV",
  "RUSTUP_TOOLCHAIN",
  "GOTOOLCHAIN",
  "CGO_ENABLED",
  "CARGO_INCREMENTAL",
  "PYENV_VERSION",
  "RBENV_VERSION",
  "DOTNET_NOLOGO",
  "DOTNET_CLI_TELEMETRY_OPTOUT",
]);
const wordPattern = /^[A-Za-z0-9._+/-]{1,64}$/;

export function isToolchainWord(name: string, value: string): boolean {
  return wordVariables.has(name) && wordPattern.test(value);
}

/** Without them, a package manager tries again for a minute what cannot be reached. */
export const offlineVariables: Readonly<Record<string, string>> = {
  npm_config_offline: "true",
  npm_config_audit: "false",
  npm_config_update_notifier: "false",
  YARN_ENABLE_NETWORK: "false",
  PIP_RETRIES: "0",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  UV_OFFLINE: "1",
  CARGO_NET_OFFLINE: "true",
  GOPROXY: "off",
  MAVEN_ARGS: "-o",
  COMPOSER_DISABLE_NETWORK: "1",
};
