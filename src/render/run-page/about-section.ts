// The subject of a run, at the top of its page: the request, who asked, where. Pure.

import { singleLine } from "../../base/untrusted-text.ts";
import type { RunAbout } from "../../contract/runs/about.ts";
import { maskSecrets } from "../../report/find-secrets.ts";
import { type Contents, el, outerLink } from "../html/element.ts";

const MAX_TEXT_CHARS = 300;

/** Nothing where nothing is known of it. */
export function aboutSection(about: RunAbout | undefined): readonly Contents[] {
  if (about === undefined) return [];
  const { request, actor, event, repository, repository_url: page, ref, subject } = about;
  const { commit, commit_url: commitUrl } = about;
  const linked = (url: string | undefined, text: Contents) =>
    url === undefined ? text : outerLink(url, [text]);
  const parts: readonly Contents[] = [
    ...(actor === undefined ? [] : [line(actor)]),
    ...(repository === undefined ? [] : [linked(page, line(repository))]),
    ...(subject === undefined ? [] : [linked(subject.url, `${names[subject.type]} #${subject.number}`)]),
    // A comment's job is on the default branch, whatever it was made on.
    ...(ref === undefined || subject !== undefined
      ? []
      : [el("code", {}, line(ref.replace(/^refs\/heads\//, "")))]),
    ...(commit === undefined ? [] : [linked(commitUrl, el("code", {}, commit.slice(0, 7)))]),
    ...(event === undefined ? [] : [line(event.replaceAll("_", " "))]),
  ];
  return [
    request === undefined ? null : el("p", { class: "request" }, line(maskSecrets(request))),
    parts.length === 0
      ? null
      : el("p", { class: "faint" }, ...parts.map((part, index) => [index === 0 ? "" : " · ", part])),
  ];
}

const names = { issue: "issue", pull_request: "pull request", discussion: "discussion" } as const;

function line(text: string): string {
  return singleLine(text, MAX_TEXT_CHARS);
}
