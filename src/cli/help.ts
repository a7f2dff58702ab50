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

  agent-service run <prompt>   run an agent from a CI job, by the job's own identity: GitHub, GitLab, CircleCI,
                               Buildkite, Bitbucket. "-" reads the prompt from standard input
      --base-url <url>     the service (AGENT_SERVICE_URL)
      --audience <text>    what the job's token is made for (the host of the base URL)
      --account <id>       the account that accepts a pending claim of this repository
      --session <id>       goes on with an earlier conversation
      --on-cancel cancel|detach  what happens to the run when the job is cancelled (cancel)
  agent-service run --embedded <prompt>   work on the checkout in this folder, without a server; Ctrl-C cancels
      --model <name>       the model (MODEL); without one, a briefing of the repository is all that it does
      --model-base-url <url>  where its API is (MODEL_BASE_URL); its key is in MODEL_API_KEY
      --model-provider <name>  openai-compatible or anthropic (MODEL_PROVIDER, by the address)
    both take
      --prompt-file <file>  in the place of the prompt
      --max-turn-tokens <n>, --output-schema <file>  the budget; a JSON Schema that the reply must match
      --timeout-minutes <n>, --idle-minutes <n>  cancel a run that takes, or is silent, too long (60, 20)
      --fail-on <list>     conclusions that exit with 1: none, or failure, quota, cancelled, skipped, detached
                           (failure,quota,cancelled)
      --output-dir <folder>  where reply, summary, events and patch go (agent-service-output in a CI job)

  agent-service doctor     who this CI job is and how it gets on with the service: one page, a fix for each trouble
      --base-url <url>     the service (AGENT_SERVICE_URL); without one, what works without a server
      --audience <text>    what tokens are made for (the host of the base URL)
      --github-token-env <name>  the variable with GitHub's token (GITHUB_TOKEN); only read with

Every other setting is an environment variable: see docs/self-hosting/settings.md.

For its operator, in the store itself (--data-dir, DATA_DIR or DATABASE_URL), beside a running service:

  agent-service keys create                 open an account and make its first key
      --account <id>                        for an account that there is
      --plan registered_free|subscribed     of the new account (registered_free)
      --ai-client                           for an AI client, which may not confirm or activate
      --name <text>                         what to call the key
  agent-service keys list                   all keys, without their secrets (--account <id>)
  agent-service keys revoke <key-id>        end a key at once
  agent-service credits grant <credits>     give an account credits (--account <id>)
  agent-service plans set <account> <sku>   subscribe an account: credits each month, until it is ended
      --cancel-at-period-end                only until the end of its month
      --past-due                            not paid: ends with its month, unless it is set again
  agent-service plans end <account>         end it at once; the account keeps its credits
  agent-service plans show <account>
  agent-service workflows put <agent>       write a workflow (the API has no route for that yet)
      --name <text> --prompt-file <file>    what to call it, and what it asks
      --id <workflow>                       a further version of one that there is
  agent-service workflows list <agent>
  agent-service workflows show <workflow>   its prompt (--version <n>)
  agent-service claim release <agent>       take a repository's agent from the account that claimed it

With a key, against any service (AGENT_SERVICE_URL or --url, AGENT_SERVICE_KEY):

  agent-service agents list
  agent-service agents create <name>        --model <slug>, --or-get
  agent-service agents get <agent>
  agent-service agents policy <agent>       which CI jobs may run a repository's agent; without flags, shows it
      --allow-event <name> --allow-ref <ref> --allow-workflow <file[@ref]> --allow-actor <id>
                                            what a job must have, each flag as often as needed; * ends a ref's segment
      --clear                               first take away all that was said before: alone, allow all jobs
  agent-service runs submit <agent> <text>  --session <id>, --max-turn-tokens <n>, --key <text>, --follow
  agent-service runs list <agent>           --limit <n>, --before <run>
  agent-service runs get <agent> <run>
  agent-service runs cancel <agent> <run>
  agent-service follow <run>                print a run as it goes (--after <n>)
  agent-service schedules list <agent>
  agent-service schedules create <agent> <text>  --at <time> or --in <seconds>, --session <id>
  agent-service schedules confirm <agent> <schedule>
  agent-service schedules cancel <agent> <schedule>
  agent-service workflows activate <workflow>    the version that runs (--version <n>, the newest)
  agent-service workflows run <workflow>    --input <text>, --key <text>, --follow
  agent-service credits                     the balance (--account <id>)
  agent-service claim <url>                 claim the repository of a claim link

All but "serve" and "work" take --json: one JSON value on standard output ("follow", "run": one event a line).
What went wrong is text on standard error.

Exit codes: 0 it is done ("follow", "--follow": the run completed); 1 it failed, the service refused or was not
reached, or the run failed or was cancelled; 2 it was called wrongly, or a setting is wrong.

  agent-service --version
  agent-service --help
`;
