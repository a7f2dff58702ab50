// The bundles of a commit's statements: from a file, or from GitHub, which finds them by the digest of the commit.
// https://docs.github.com/en/rest/repos/attestations, looked up on 2026-11-29.

import { readFile } from "node:fs/promises";
import * as z from "zod/mini";
import { systemClock } from "../../base/clock.ts";
import { isConfidential } from "../../base/confidential-url.ts";
import { parseJson } from "../../base/json.ts";
import { singleLine } from "../../base/untrusted-text.ts";
import { DecodeError } from "../../client/errors.ts";
import { CALL_RETRY, retrying } from "../../client/retry.ts";
import { fetchTransport, type TransportResponse } from "../../client/transport.ts";
import { AGENT_RUN } from "../../contract/attestations/agent-run.ts";
import { CommandError } from "../command-error.ts";
import { unfoldSnappy } from "./snappy.ts";

const TIMEOUT_MS = 30_000;
const MAX_BUNDLE_BYTES = 4 * 1024 * 1024;
/** As GitHub lists at once. */
const MAX_BUNDLES = 100;

type BundlePlace = {
  /** Without a trailing slash. */
  readonly apiUrl: string;
  readonly repository: string;
  /** "" for none: of a public repository GitHub asks for none. */
  readonly token: string;
};

/** One JSON object a line, or one in all, as `gh attestation download` writes them. Throws CommandError. */
export async function readBundles(path: string): Promise<readonly unknown[]> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CommandError(
      `--bundle ${path} cannot be read: ${cause instanceof Error ? cause.message : "unknown"}.`,
    );
  });
  const whole = parseJson(text);
  if (whole !== undefined) return [whole];
  const bundles = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [parseJson(line)]));
  if (bundles.length > 0 && bundles.every((bundle) => bundle !== undefined)) return bundles;
  throw new CommandError(
    `--bundle ${path} must have a bundle as JSON, or one a line, as "gh attestation download" writes them.`,
  );
}

const listSchema = z.object({
  attestations: z.array(z.object({ bundle: z.nullish(z.unknown()), bundle_url: z.nullish(z.string()) })),
});

/** None where GitHub knows of none. Throws CommandError. */
export async function fetchBundles(place: BundlePlace, sha256: string): Promise<readonly unknown[]> {
  const query = new URLSearchParams({ predicate_type: AGENT_RUN, per_page: String(MAX_BUNDLES) });
  const { apiUrl, repository, token } = place;
  const url = `${apiUrl}/repos/${repository}/attestations/sha256:${sha256}?${query}`;
  const answer = await get(url, {
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
    ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
  });
  if (answer.status === 404) return [];
  if (answer.status !== 200) throw new CommandError(refusalText(answer, place));
  const listed = listSchema.safeParse(parseJson(textOf(answer)));
  if (!listed.success)
    throw new CommandError("GitHub's list of attestations does not have the shape that it publishes.");
  const bundles = [];
  for (const { bundle, bundle_url: address } of listed.data.attestations)
    bundles.push(bundle ?? (await fetchBundle(address ?? "")));
  return bundles;
}

/** Its address is its own permission: it gets no token. */
async function fetchBundle(address: string): Promise<unknown> {
  if (!URL.canParse(address) || !isConfidential(address))
    throw new CommandError("GitHub names no address of a bundle that could be read safely.");
  const answer = await get(address, {});
  const unfolded = unfoldSnappy(Buffer.from(answer.body, "base64"), MAX_BUNDLE_BYTES);
  const bundle =
    answer.status === 200 && unfolded !== null ? parseJson(unfolded.toString("utf8")) : undefined;
  if (bundle !== undefined) return bundle;
  throw new CommandError(
    `The bundle at ${new URL(address).host} cannot be read (${answer.status}). Try again, or download it with "gh attestation download" and give it as --bundle.`,
  );
}

async function get(url: string, headers: Readonly<Record<string, string>>): Promise<TransportResponse> {
  const options = { policy: CALL_RETRY, clock: systemClock, random: Math.random };
  return await retrying(options, async () => {
    const answer = await fetchTransport({
      method: "GET",
      url,
      headers: { "user-agent": "agent-service-command", ...headers },
      bodyAs: "base64",
      timeoutMs: TIMEOUT_MS,
      maxBodyBytes: 2 * MAX_BUNDLE_BYTES,
    });
    const { status } = answer;
    if (status < 500 && status !== 429) return answer;
    throw new DecodeError({ message: `${new URL(url).host} answered ${status}.`, status, contentType: "" });
  });
}

function textOf({ body }: TransportResponse): string {
  return Buffer.from(body, "base64").toString("utf8");
}

function refusalText(answer: TransportResponse, { repository, token }: BundlePlace): string {
  const said = messageSchema.safeParse(parseJson(textOf(answer)));
  const why = said.success ? `: ${singleLine(said.data.message, 200)}` : "";
  const advice =
    token === ""
      ? "Give a token that may read it in GITHUB_TOKEN."
      : 'Its token needs read access to the repository, and "attestations: read".';
  return `GitHub answered ${answer.status} to the attestations of ${repository}${why}. ${advice}`;
}

const messageSchema = z.object({ message: z.string() });
