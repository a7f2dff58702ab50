// agent-service conform: asks a deployment, from outside, whether it does what the API's specification says.

import { readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { parseJson } from "../base/json.ts";
import { decodeBySchema } from "../base/settings/json-kinds.ts";
import { matching } from "../base/settings/kinds.ts";
import { readSettings, setting } from "../base/settings/setting.ts";
import { jobEnvironment } from "../ci/environment.ts";
import { type ConformOptions, conform, selectStatements } from "../conform/conform.ts";
import { listText, outcomesJson, outcomeText, totalText } from "../conform/report.ts";
import { plural } from "../render/quantities.ts";
import { openAccess, serviceAddress } from "./account.ts";
import { command } from "./command.ts";
import { anyText, listFlag, switchFlag, UsageError, valueFlag, variadicArgument } from "./flags.ts";
import { printJson, printText } from "./print.ts";
import { version } from "./version.ts";

/** Keys of AI clients, and access tokens, which act for the owner too. */
const aiKey = { ...matching("a key of an AI client, svc_at_…", /^svc_at_[\w-]+$/), isSecret: true };
const anotherKey = { ...matching("a key, svc_sk_… or svc_at_…", /^svc_(sk|at)_[\w-]+$/), isSecret: true };

const issuerSchema = z.strictObject({
  issuer: z.url("must be a URL"),
  audience: z.string("must be a text"),
  kid: z.string("must be a text"),
  alg: z.enum(["RS256", "ES256"], "must be RS256 or ES256"),
  private_key: z.record(z.string(), z.unknown(), "must be a private key as a JWK"),
});

export const conformCommand = command({
  summary: "Ask a deployment whether it does what the API's specification says, statement by statement.",
  notes: [
    "AGENT_SERVICE_KEY is a key of an account that it may use. With AGENT_SERVICE_OTHER_KEY, a key of another account, it asks what " +
      "accounts see of each other; with AGENT_SERVICE_AI_KEY, a key of the first account for an AI client, what such a client may do; " +
      "with AGENT_SERVICE_EMPTY_KEY, a key of an account without credits, what is answered 402; with AGENT_SERVICE_CAPPED_KEY, a key " +
      "of an account whose plan has a cap of at most 25 agents, what is answered 429. " +
      "Statements that it cannot ask are counted as not asked, with the reason.",
    "It makes agents and workspaces whose names begin with conform-, retires and deletes them at the end, and starts no run without --runs. " +
      "Where the service says that it is busy, it waits.",
  ],
  arguments: {
    url: variadicArgument(
      "Where the deployment answers; several addresses are its nodes, asked in turn (default: AGENT_SERVICE_URL).",
    ),
  },
  flags: {
    runs: switchFlag("Start runs, too, which may cost credits and use the service's model."),
    issuer: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<file>",
      description:
        "An issuer of CI tokens that the service trusts: JSON with issuer, audience, kid, alg and private_key (a JWK).",
    }),
    only: listFlag({
      takes: "<text>",
      description: "Only the statements of this section, or whose id begins so. Repeatable.",
    }),
    list: switchFlag("Print the statements, and ask nothing."),
    json: switchFlag("Print JSON on standard output."),
  },
  examples: [
    "conform https://agents.example.com",
    "conform http://127.0.0.1:8080 --runs --json",
    "conform --list",
  ],
  run: async ({ arguments: { url }, flags }) => {
    const only = flags.only ?? [];
    const selected = selectStatements(only);
    if (selected.length === 0)
      throw new UsageError(`No statement has the section or the id "${only.join('", "')}".`);
    if (flags.list) {
      if (flags.json) printJson(selected.map(({ id, section, says }) => ({ id, section, says })));
      else printText(listText(selected));
      return 0;
    }
    const options = await readOptions({ urls: url, issuer: flags.issuer, only, mayRun: flags.runs });
    process.stderr.write(
      `Asking ${plural(selected.length, "statement")} of ${options.baseUrls.join(", ")}. What is made is named conform-…, and taken away at the end.\n`,
    );
    const stop = new AbortController();
    const interrupt = () => stop.abort();
    process.once("SIGINT", interrupt);
    try {
      const result = await conform({
        ...options,
        signal: stop.signal,
        onOutcome: (outcome) => {
          if (outcome.status === "differs" && !flags.json) printText(outcomeText(outcome));
        },
      });
      if (flags.json) printJson(outcomesJson(result));
      else printText(totalText(result));
      return result.stopped === null && result.outcomes.every(({ status }) => status !== "differs") ? 0 : 1;
    } finally {
      process.off("SIGINT", interrupt);
    }
  },
});

type Given = {
  readonly urls: readonly string[];
  readonly issuer: string | null;
  readonly only: readonly string[];
  readonly mayRun: boolean;
};

/** Throws UsageError where an address, a key or the issuer is missing or wrong. */
async function readOptions({ urls, issuer, only, mayRun }: Given): Promise<Omit<ConformOptions, "signal">> {
  const baseUrls = urls.map(serviceAddress);
  const [first = null] = baseUrls;
  const access = openAccess({ url: first });
  const { values, problems } = readSettings(
    {
      AGENT_SERVICE_OTHER_KEY: setting(anotherKey, null),
      AGENT_SERVICE_AI_KEY: setting(aiKey, null),
      AGENT_SERVICE_EMPTY_KEY: setting(anotherKey, null),
      AGENT_SERVICE_CAPPED_KEY: setting(anotherKey, null),
    },
    { textOf: (name) => jobEnvironment[name], titleOf: (name) => name },
  );
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  if (values.AGENT_SERVICE_OTHER_KEY === access.key) {
    throw new UsageError(
      "AGENT_SERVICE_OTHER_KEY must be a key of another account than AGENT_SERVICE_KEY's.",
    );
  }
  return {
    baseUrls: first === null ? [access.baseUrl] : baseUrls,
    credentials: {
      owner: access.key,
      other: values.AGENT_SERVICE_OTHER_KEY,
      ai: values.AGENT_SERVICE_AI_KEY,
      empty: values.AGENT_SERVICE_EMPTY_KEY,
      capped: values.AGENT_SERVICE_CAPPED_KEY,
    },
    issuer: issuer === null ? null : await readIssuer(issuer),
    mayRun,
    only,
    userAgent: `agent-service/${version}`,
  };
}

async function readIssuer(path: string): Promise<z.infer<typeof issuerSchema>> {
  const text = await readFile(path, "utf8").catch((cause: Error) => {
    throw new UsageError(`--issuer: ${path} cannot be read: ${cause.message}`, { cause });
  });
  const decoded = decodeBySchema(issuerSchema, parseJson(text));
  if (!decoded.ok)
    throw new UsageError(decoded.refusal.map((fault) => `--issuer: ${path} ${fault}`).join("\n"));
  return decoded.value;
}
