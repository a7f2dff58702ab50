// Variables of a job or a machine that name a file of credentials. Pure data.

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
