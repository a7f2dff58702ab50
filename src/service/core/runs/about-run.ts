// The subject of a run, from its request and its job. Pure.

import { singleLine } from "../../../base/untrusted-text.ts";
import { type AboutRequest, MAX_REQUEST_CHARS } from "../../../contract/runs/about.ts";
import type { Message } from "../../../contract/runs/run-requests.ts";
import type { RunInput, RunRecord } from "./run-record.ts";
import type { AdmissionRequest } from "./submission.ts";

type Said = AboutRequest & { readonly personId?: string };
type Asked = Pick<RunInput, "messages" | "job" | "pullRequest" | "commit">;

/** What is said of it beside its input: a job's word, or the person of the account. */
export function saidOf({ caller, body, parent }: Pick<AdmissionRequest, "caller" | "body" | "parent">): Said {
  if (caller.kind === "ci_job") return body.about ?? {};
  const { personId, personName } = caller;
  if (personId === null || parent !== undefined) return {};
  return { personId, ...(personName === undefined ? {} : { actor: personName }) };
}

/** The two fields of its record. */
export function aboutRun(
  { messages, job, pullRequest, commit }: Asked,
  said: Said = {},
): Pick<RunRecord, "request" | "about"> {
  const request = singleLine(said.request ?? firstWords(messages), MAX_REQUEST_CHARS);
  const place = job ?? commit?.place ?? null;
  const subject =
    said.subject ??
    (pullRequest === undefined ? undefined : { type: "pull_request" as const, number: pullRequest.number });
  return {
    request: request === "" ? null : request,
    about: {
      ...(said.personId === undefined ? {} : { personId: said.personId }),
      ...(said.actor === undefined ? {} : { actor: singleLine(said.actor, MAX_REQUEST_CHARS) }),
      ...(place === null
        ? {}
        : {
            event: place.event,
            provider: place.provider,
            repository: place.repository.name,
            cloneUrl: place.cloneUrl,
            ref: place.ref,
            sha: pullRequest?.headSha ?? place.sha,
          }),
      ...(subject === undefined ? {} : { subject }),
    },
  };
}

/** Of the last that its user has said. */
function firstWords(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role === "user") ?? messages.at(-1);
  // More than is shown: what is left out of it may be white space.
  const start = (last?.content ?? "").trimStart().slice(0, 10 * MAX_REQUEST_CHARS);
  return start.split("\n", 1)[0] ?? "";
}
