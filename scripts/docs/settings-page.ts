// docs/self-hosting/settings.md: every setting of the service, from its declaration. Pure.

import type { DescribedSetting } from "../../src/base/settings/setting.ts";
import { egressSettings } from "../../src/service/egress/egress-config.ts";
import { sandboxSettings } from "../../src/service/sandbox/sandbox-config.ts";
import { acpSettings } from "../../src/service/settings/acp-config.ts";
import { s3Settings } from "../../src/service/settings/blob-config.ts";
import { mcpSettings } from "../../src/service/settings/mcp-config.ts";
import { modelSettings } from "../../src/service/settings/model-config.ts";
import { identitySettings } from "../../src/service/settings/model-identity.ts";
import { operatorSettings } from "../../src/service/settings/operator-config.ts";
import { serviceSettings } from "../../src/service/settings/service-settings.ts";
import { signInSettings } from "../../src/service/settings/sign-in-config.ts";
import { traceSettings } from "../../src/service/settings/traces-config.ts";
import { codeOrNothing, markdownTable } from "./markdown-table.ts";

type Group = Readonly<Record<string, DescribedSetting<unknown>>>;

export function settingsPage(): string {
  return `# Settings of the service

Settings are environment variables, read once at the start. An empty variable is the same as none. A wrong setting is
named with what is allowed, all of them at once, and the service does not start (exit code 2).

The flags of \`agent-service serve\` and \`agent-service work\` override their variables: \`--host\`, \`--port\`,
\`--data-dir\` and \`--base-url\`.

## Service

${settingsTable(serviceSettings)}

## S3

Read with \`BLOB_STORE=s3\`: commits that jobs send and large files of workspaces are kept in a bucket. Of S3 it takes PUT, GET, HEAD and DELETE of single
objects, no list.

${settingsTable(s3Settings)}

## Model

Read with \`BACKEND=model\`.

${settingsTable(modelSettings)}

### Without a key

Read with \`BACKEND=model\` and \`BACKEND=acp\`, where \`MODEL_IDENTITY\` or \`MODEL_IDENTITY_TOKEN_FILE\` is set:
[how](models.md#a-model-without-a-key).

${settingsTable(identitySettings)}

## Coding agent

Read with \`BACKEND=acp\`: another coding agent, over the Agent Client Protocol (ACP), executes runs. \`MODEL_PROVIDER\`,
\`MODEL_BASE_URL\` and \`MODEL_API_KEY\` are read too: [its model](acp.md#the-models-key).

${settingsTable(acpSettings)}

## Sandbox

Commands of an agent are executed in a sandbox. The log names it at the start. Without a sandbox no command is executed.

${settingsTable(sandboxSettings)}

## Network of runs

What commands, setup, coding agents and the reading of pages may reach: [how it works](sandbox.md#network).

${settingsTable(egressSettings)}

## MCP servers

Read with \`BACKEND=model\` and \`BACKEND=acp\`: [how they are started and reached](../mcp-servers.md).

${settingsTable(mcpSettings)}

## Sign in with another provider

[How people sign in](sign-in.md).

${settingsTable(signInSettings)}

## The operator's pages

Who may sign in there beside those with a passkey: [the operator's pages](operator.md).

${settingsTable(operatorSettings)}

## Traces

Traces are on where an endpoint or an exporter is set, for example
\`OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318\`. These are OpenTelemetry's own settings:

${settingsTable(traceSettings)}

OpenTelemetry's library reads the rest of the
[settings of its exporter](https://opentelemetry.io/docs/specs/otel/protocol/exporter/) (headers, timeout, compression,
certificates), \`OTEL_SERVICE_NAME\` and \`OTEL_RESOURCE_ATTRIBUTES\` by itself. What is wrong there is ignored; the
log names a wrong timeout, compression or certificate.
`;
}

function settingsTable(group: Group): string {
  const rows = Object.entries(group).map(([name, { kind, description, shownDefault, fallback }]) => [
    `\`${name}\``,
    description,
    kind.allowed,
    shownDefault ?? codeOrNothing(String(fallback ?? "")),
  ]);
  return markdownTable(["Setting", "Meaning", "Allowed", "Default"], rows);
}
