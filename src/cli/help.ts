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
  agent-service work       carry runs out beside "serve", any number of them on one DATABASE_URL;
                           takes the same flags, and listens for probes only (PORT, a free one)

Every other setting is an environment variable: see "Self-hosting" in the README.

For its operator, in the store itself (--data-dir, DATA_DIR or DATABASE_URL), beside a running service:

  agent-service keys create                 open an account and make its first key
      --account <id>                        for an account that there is
      --plan registered_free|subscribed     of the new account (registered_free)
      --ai-client                           for an AI client, which may not confirm or activate
      --name <text>                         what to call the key
  agent-service keys list                   all keys, without their secrets (--account <id>)
  agent-service keys revoke <key>           end a key at once
  agent-service credits grant <credits>     give an account credits (--account <id>)

With a key, against any service (AGENT_SERVICE_URL or --url, AGENT_SERVICE_KEY):

  agent-service agents list
  agent-service agents create <name>        --model <slug>, --or-get
  agent-service agents get <agent>
  agent-service runs submit <agent> <text>  --session <id>, --max-turn-tokens <n>, --key <text>, --follow
  agent-service runs list <agent>           --limit <n>, --before <run>
  agent-service runs get <agent> <run>
  agent-service runs cancel <agent> <run>
  agent-service follow <run>                print a run as it goes (--after <n>)
  agent-service schedules list <agent>
  agent-service schedules create <agent> <text>  --at <time> or --in <seconds>, --session <id>
  agent-service schedules confirm <agent> <schedule>
  agent-service schedules cancel <agent> <schedule>
  agent-service credits                     the balance (--account <id>)
  agent-service claim <url>                 claim the repository of a claim link

Each takes --json, and ends with 0 done, 1 it failed, 2 wrong usage.

  agent-service --version
  agent-service --help
`;
