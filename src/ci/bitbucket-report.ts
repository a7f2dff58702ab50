// Bitbucket's Code Insights, through the proxy of Pipelines, which signs a step's requests about its own repository.
// https://support.atlassian.com/bitbucket-cloud/docs/code-insights/

import { request } from "node:http";
import type { Environment } from "../base/environment.ts";

const PROXY = { host: "localhost", port: 29_418 };
const API = "http://api.bitbucket.org/2.0/repositories";
const TIMEOUT_MS = 15_000;

export type BitbucketReport = {
  readonly title: string;
  /** At most 2000 characters. */
  readonly details: string;
  readonly report_type: "SECURITY" | "COVERAGE" | "TEST" | "BUG";
  readonly reporter: string;
  readonly result: "PASSED" | "FAILED" | "PENDING";
  readonly link?: string;
  readonly data: readonly (
    | { readonly title: string; readonly type: "TEXT"; readonly value: string }
    | { readonly title: string; readonly type: "NUMBER"; readonly value: number }
  )[];
};

type ReportPlace = {
  readonly env: Environment;
  /** One a report: the same again replaces it. */
  readonly id: string;
  readonly commit: string;
  readonly report: BitbucketReport;
};

/** Rejects when the proxy is not there, or refuses. Safe to repeat. */
export async function postBitbucketReport({ env, id, commit, report }: ReportPlace): Promise<void> {
  const path = [
    env.BITBUCKET_WORKSPACE ?? "",
    env.BITBUCKET_REPO_SLUG ?? "",
    "commit",
    commit,
    "reports",
    id,
  ];
  const url = `${API}/${path.map(encodeURIComponent).join("/")}`;
  const status = await put(url, JSON.stringify(report));
  if (status < 200 || status > 299) throw new Error(`Bitbucket answered ${status} to a Code Insights report`);
}

/** A proxy gets the whole address where a server gets the path. */
function put(url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: new URL(url).host,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const outgoing = request({ ...PROXY, method: "PUT", path: url, headers, signal, agent: false });
    outgoing.on("error", reject);
    outgoing.on("response", (answer) => {
      answer.resume();
      answer.on("error", reject);
      answer.on("end", () => resolve(answer.statusCode ?? 0));
    });
    outgoing.end(body);
  });
}
