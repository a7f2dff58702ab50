// docs/ci/events.md: each CI provider, and what a job of each event may do, from the tables in src/contract/ci. Pure.

import { ciEvents, type EventRules, pullRequestActions } from "../../src/contract/ci/events.ts";
import {
  type CiProviderName,
  ciProviderNames,
  ciProviders,
  type IdTokenSource,
} from "../../src/contract/ci/providers.ts";
import { codeOrNothing, markdownTable } from "./markdown-table.ts";

export function ciEventsPage(): string {
  return `# Providers and events

What the service and the command know of each CI provider. A job is identified by the ids of its repository and of its
owner: names change hands.

${providersTable()}

A provider whose tokens do not tell public from private counts as private, unless the
[issuer's entry](../self-hosting/issuers.md) says otherwise.

## What a job of each event may do

- *Started by*: only a writer of the repository, or anyone.
- *Claim*: it can [accept a claim](../decisions/012-two-sides-of-a-claim.md) of the repository's agent.
- *Trusted*: without a service and without a sandbox, the agent may execute commands.
- *Commit*: writers made the commit that its token names. \`AGENTS.md\` and the configuration of
  [other agents](../self-hosting/acp.md) are taken from it; otherwise from the base of the pull request, if at all.
- *Prompt file*: read from the checkout. Otherwise it is
  [read from the repository](../decisions/008-prompt-file-from-the-base-commit.md) at a commit.
- *Asks for*, of the Action: nothing; the permission of whoever made the request, and its phrase; or that the input
  \`allow-events\` names the event.
- *Default branch*: its commit is always one of the default branch, whatever the job states.
- *Refused*: an outsider's change could steer the job. The service's operator can
  [allow it](../decisions/010-allow-events-per-issuer.md).

### Actions of a pull request

Of the event \`pull_request\`. *Asks for*: the branch's right alone, as pushing it takes write access, or \`allow-forks\`; write access
of whoever did it; or the action's name in \`allow-events\`.

${actionsTable()}

### All events

An event that is not listed is anyone's, and may do none of this. A token and a job's variables can have different names
for one event: claims go by the token, trust by the variables.

${ciProviderNames.map((name) => `### ${ciProviders[name].title}\n\n${eventsTable(name, ciEvents[name])}`).join("\n\n")}
`;
}

function providersTable(): string {
  const rows = ciProviderNames.map((name) => {
    const { title, ids, token, claimsVisibility, claimObstacle, canComment } = ciProviders[name];
    return [
      title,
      `${codeOrNothing(ids.repository)}, ${codeOrNothing(ids.owner)}`,
      sourceText(token),
      mark(claimsVisibility),
      mark(claimObstacle === null),
      mark(canComment),
    ];
  });
  const head = ["Provider", "Ids in its tokens", "Where a job gets its token", "Token says public or not"];
  return markdownTable([...head, "Can be claimed", "Job can write comments"], rows);
}

function sourceText(token: IdTokenSource): string {
  switch (token.type) {
    case "request":
      return `a request to the address in \`${token.variable}\``;
    case "tool":
      return `the tool \`${token.command}\``;
    case "variable":
      return `the variable \`${token.variable}\``;
  }
}

function eventsTable(provider: CiProviderName, events: Readonly<Record<string, EventRules>>): string {
  const rows = Object.entries(events).map(([event, rules]) => [
    codeOrNothing(event),
    rules.startedBy,
    mark(rules.acceptsClaim),
    mark(rules.isTrusted),
    mark(rules.isCommitTrusted),
    mark(rules.readsCheckedOutPrompt),
    ...(provider === "github" ? [rules.asks, mark(rules.isOnDefaultBranch)] : []),
    mark(rules.isRefused),
  ]);
  const asks = provider === "github" ? ["Asks for", "Default branch"] : [];
  return markdownTable(
    ["Event", "Started by", "Claim", "Trusted", "Commit", "Prompt file", ...asks, "Refused"],
    rows,
  );
}

function actionsTable(): string {
  const rows = Object.entries(pullRequestActions).map(([action, asks]) => [codeOrNothing(action), asks]);
  return markdownTable(["Action", "Asks for"], rows);
}

function mark(is: boolean): string {
  return is ? "yes" : "";
}
