// The settings of a process as an operator may see them: of each its value and where that is from, of a secret only that it is set.

import type { Environment } from "../../base/environment.ts";
import type { DescribedSetting, Settings } from "../../base/settings/setting.ts";
import type { SettingGroup, SettingInForce } from "../core/operators/operator-policy.ts";
import { egressSettings } from "../egress/egress-config.ts";
import { sandboxSettings } from "../sandbox/sandbox-config.ts";
import { acpSettings } from "./acp-config.ts";
import { s3Settings } from "./blob-config.ts";
import { mcpSettings } from "./mcp-config.ts";
import { modelSettings } from "./model-config.ts";
import { identitySettings } from "./model-identity.ts";
import { operatorSettings } from "./operator-config.ts";
import { serviceSettings } from "./service-settings.ts";
import { signInSettings } from "./sign-in-config.ts";
import { traceSettings } from "./traces-config.ts";

/** Every setting of the service, in the order of the documentation. */
const groups: readonly (readonly [title: string, settings: Settings])[] = [
  ["Service", serviceSettings],
  ["Blobs in a bucket", s3Settings],
  ["Model", modelSettings],
  ["Identity at a model's provider", identitySettings],
  ["Another coding agent", acpSettings],
  ["Sandbox", sandboxSettings],
  ["Network of commands", egressSettings],
  ["MCP servers", mcpSettings],
  ["Sign in", signInSettings],
  ["Operator's pages", operatorSettings],
  ["Traces", traceSettings],
];

/** An argument of a command may be a key, and nothing says which. */
const HIDDEN: ReadonlySet<string> = new Set(["ACP_COMMAND"]);
const MAX_CHARS = 500;

type Given = {
  readonly environment: Environment;
  /** They win. */
  readonly flags: Environment;
  /** Texts that nobody may see wherever they stand. */
  readonly secrets: readonly string[];
};

export function settingsInForce(given: Given): readonly SettingGroup[] {
  return groups.map(([title, settings]) => ({
    title,
    settings: Object.entries(settings).map(([name, one]) =>
      inForce(name, one as DescribedSetting<unknown>, given),
    ),
  }));
}

function inForce(
  name: string,
  { kind, fallback, shownDefault }: DescribedSetting<unknown>,
  { environment, flags, secrets }: Given,
): SettingInForce {
  const text = (flags[name] ?? environment[name] ?? "").trim();
  // In the documentation it is Markdown.
  const usual = shownDefault?.replaceAll(/[`*]/g, "") ?? String(fallback ?? "none");
  if (text === "") return { name, source: "default", text: usual === "" ? "none" : usual };
  const source = flags[name] === undefined ? "environment" : "command line";
  if (kind.isSecret === true || HIDDEN.has(name)) return { name, source, text: "set" };
  return { name, source, text: shownText(text, secrets) };
}

function shownText(text: string, secrets: readonly string[]): string {
  const known = secrets.reduce(
    (masked, secret) => (secret === "" ? masked : masked.replaceAll(secret, "…")),
    text,
  );
  return withoutCredentials(known).slice(0, MAX_CHARS);
}

/** User and password of an address, and its query, which may hold a key. */
function withoutCredentials(text: string): string {
  return text.replaceAll(/\/\/[^/@\s"]*@/g, "//…@").replaceAll(/(https?:\/\/[^\s"?]*)\?[^\s",]*/g, "$1?…");
}
