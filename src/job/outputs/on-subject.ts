// Labels, assignees, reviewers and the end of the issue or pull request that the job is about. What is there already is not written again.

import type { OutputOf } from "../../contract/runs/typed-outputs.ts";
import type { WrittenOutput } from "../../report/written-outputs.ts";
import type { OutputsHost, SubjectPlace } from "./outputs-host.ts";

type OnSubject = { readonly host: OutputsHost; readonly place: SubjectPlace };

export async function addLabels(
  { host, place }: OnSubject,
  { labels }: OutputOf<"labels">,
): Promise<WrittenOutput> {
  const { labels: there } = await host.readSubject(place);
  const missing = labels.filter((label) => !there.some((one) => host.isSameLabel(one, label)));
  if (missing.length === 0) return done("labels", `The labels are there: ${labels.join(", ")}.`);
  await host.addLabels(place, missing);
  return done("labels", `Added to ${host.nameOf(place)}: ${missing.join(", ")}.`);
}

export async function assignUsers(
  { host, place }: OnSubject,
  { logins }: OutputOf<"assign">,
): Promise<WrittenOutput> {
  const { assignees } = await host.readSubject(place);
  const missing = logins.filter((login) => !assignees.some((one) => isSameLogin(one, login)));
  if (missing.length === 0) return done("assign", `Assigned already: ${logins.join(", ")}.`);
  await host.assign(place, missing);
  return done("assign", `Assigned to ${host.nameOf(place)}: ${missing.join(", ")}.`);
}

export async function closeIssue(
  { host, place }: OnSubject,
  { reason }: OutputOf<"close">,
): Promise<WrittenOutput> {
  const { isOpen } = await host.readSubject(place);
  const name = host.nameOf(place);
  if (!isOpen) return done("close", `${name} is closed already.`);
  await host.closeIssue(place.number, reason);
  return done("close", `Closed ${name} as ${reason}.`);
}

/** Who has reviewed is not asked again. */
export async function requestReviewers(
  { host, place }: OnSubject,
  { reviewers }: OutputOf<"reviewers">,
): Promise<WrittenOutput> {
  const there = await host.readReviewers(place.number, reviewers);
  const missing = reviewers.filter((one) => !there.some((other) => isSameLogin(one, other)));
  if (missing.length === 0) return done("reviewers", `Requested already: ${reviewers.join(", ")}.`);
  await host.requestReviews(place.number, missing);
  return done("reviewers", `Review of ${host.nameOf(place)} requested: ${missing.join(", ")}.`);
}

/** Neither code host tells logins apart by their case. */
export function isSameLogin(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function done(type: WrittenOutput["type"], text: string): WrittenOutput {
  return { type, text, url: null };
}
