// Where a machine keeps credentials: paths below a home, variables that name such a file, and names that they go by
// elsewhere. Pure. None of them is ever shown to a command.

/** Below the home, files and folders. */
export const secretHomePlaces: readonly string[] = [
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".netrc",
  "_netrc",
  ".pypirc",
  ".pip",
  ".docker",
  ".aws",
  ".azure",
  ".kube",
  ".oci",
  ".ssh",
  ".gnupg",
  ".password-store",
  ".config",
  ".git-credentials",
  ".gitconfig",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".cargo/config",
  ".cargo/config.toml",
  ".m2/settings.xml",
  ".m2/settings-security.xml",
  ".gradle/gradle.properties",
  ".gradle/init.gradle",
  ".gradle/init.d",
  ".sbt/.credentials",
  ".ivy2/.credentials",
  ".gem/credentials",
  ".local/share/gem/credentials",
  ".bundle/config",
  ".composer/auth.json",
  ".composer/config.json",
  ".nuget/NuGet",
  ".mono",
  ".hex",
  ".terraform.d",
  ".terraformrc",
  ".vault-token",
  ".pgpass",
  ".my.cnf",
  ".boto",
  ".s3cfg",
  ".databrickscfg",
  ".snowflake",
  ".jfrog",
  ".condarc",
  ".claude",
  ".claude.json",
  ".codex",
  ".gemini",
  ".mozilla",
  ".local/share/keyrings",
  ".bash_history",
];

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

const secretFileNames: ReadonlySet<string> = new Set([
  ".npmrc",
  "npmrc",
  ".yarnrc.yml",
  ".netrc",
  "_netrc",
  ".pypirc",
  "pip.conf",
  ".git-credentials",
  ".dockercfg",
  ".dockerconfigjson",
  "auth.json",
  "credentials",
  "credentials.toml",
  "gradle.properties",
  "settings-security.xml",
  "NuGet.Config",
  ".pgpass",
  ".vault-token",
  "id_rsa",
  "id_ecdsa",
  "id_ed25519",
]);

const secretFolderNames: ReadonlySet<string> = new Set([
  ".ssh",
  ".aws",
  ".docker",
  ".gnupg",
  ".azure",
  ".kube",
]);

/** Whether a file of that name, wherever it lies, may hold a credential. */
export function isSecretFileName(name: string): boolean {
  return secretFileNames.has(name);
}

export function isSecretFolderName(name: string): boolean {
  return secretFolderNames.has(name);
}
