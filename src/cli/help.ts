// What the command says of itself.

import packageJson from "../../package.json" with { type: "json" };

export const version: string = packageJson.version;

export const helpText = `agent-service ${version}
Run an AI agent on your repository from CI, with no secret stored anywhere.

  agent-service serve      run the service
      --port <n>           port to listen on, 0 takes a free one (PORT, 8080)
      --host <address>     address to listen on (HOST, 127.0.0.1)
      --data-dir <folder>  where it keeps its state (DATA_DIR, ./agent-service-data)
      --base-url <url>     where its users reach it (BASE_URL, where it listens)

  agent-service --version
  agent-service --help

Every other setting is an environment variable: see "Self-hosting" in the README.
`;
