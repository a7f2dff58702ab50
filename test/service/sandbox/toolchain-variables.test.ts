import { expect, it } from "vitest";
import {
  isToolchainFolder,
  isToolchainWord,
  offlineVariables,
} from "../../../src/service/sandbox/toolchain-variables.ts";

const FOLDERS =
  "JAVA_HOME JAVA_HOME_21_X64 GOROOT GOROOT_1_24_X64 DOTNET_ROOT GRADLE_HOME MAVEN_HOME M2_HOME ANT_HOME KOTLIN_HOME CONDA pythonLocation Python_ROOT_DIR Python2_ROOT_DIR Python3_ROOT_DIR PNPM_HOME ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK ANDROID_NDK_HOME ANDROID_NDK_ROOT SWIFT_PATH VCPKG_INSTALLATION_ROOT CHROMEWEBDRIVER EDGEWEBDRIVER GECKOWEBDRIVER PLAYWRIGHT_BROWSERS_PATH";
const WORDS =
  "CI TZ NODE_ENV RUSTUP_TOOLCHAIN GOTOOLCHAIN CGO_ENABLED CARGO_INCREMENTAL PYENV_VERSION RBENV_VERSION DOTNET_NOLOGO DOTNET_CLI_TELEMETRY_OPTOUT";

it.each(FOLDERS.split(" "))("takes %s for a toolchain's folder", (name) => {
  expect(isToolchainFolder(name)).toBe(true);
});

it.each(["HOME", "JAVA_HOME_SECRET", "MY_GOROOT_1_24_X64", "XJAVA_HOME", "GITHUB_TOKEN"])(
  "takes %s for none",
  (name) => expect(isToolchainFolder(name)).toBe(false),
);

it.each(WORDS.split(" "))("shows the word of %s", (name) => {
  expect(isToolchainWord(name, "3.14-beta_1")).toBe(true);
});

it("keeps package managers from trying what cannot be reached", async () => {
  const lines = Object.entries(offlineVariables).map(([name, value]) => `${name}=${value}\n`);
  await expect(lines.join("")).toMatchFileSnapshot("./golden/offline-variables.txt");
});

it("shows a word where the variable is known to be one, and no value that could be more", () => {
  expect(isToolchainWord("GOTOOLCHAIN", "go1.26.0+auto")).toBe(true);
  for (const value of ["", "two words", "https://user:secret@host", "x".repeat(65), "a;b", "$HOME"])
    expect(isToolchainWord("GOTOOLCHAIN", value)).toBe(false);
  expect(isToolchainWord("GITHUB_TOKEN", "word")).toBe(false);
});
