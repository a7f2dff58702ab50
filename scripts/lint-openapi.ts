// Lints the OpenAPI document as a service gives it, by Redocly's rules and those of redocly.yaml. A warning fails too.

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { lintFromString, loadConfig } from "@redocly/openapi-core";
import { openApiDocument } from "../src/contract/openapi/document.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** A problem, and the JSON pointer to where it is. */
export type OpenApiFinding = { readonly pointer: string; readonly rule: string; readonly message: string };

/** What Redocly has to say of a document. */
export async function lintOpenApi(document: unknown): Promise<readonly OpenApiFinding[]> {
  const config = await loadConfig({ configPath: join(root, "redocly.yaml") });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: join(root, "openapi.json"),
    config,
  });
  return problems.map(({ location, ruleId, message }) => ({
    pointer: location[0]?.pointer ?? "#/",
    rule: ruleId,
    message,
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const findings = await lintOpenApi(openApiDocument("https://agent-service.example"));
  for (const { pointer, rule, message } of findings) {
    process.stderr.write(`openapi.json${pointer}: ${message} (${rule})\n`);
  }
  process.exitCode = findings.length > 0 ? 1 : 0;
}
