// Title and text of what a job files for a run: the agent's words, made inert, and the marker below them. Pure.

import type { OutputOf } from "../../contract/runs/typed-outputs.ts";
import { inertMarkdown } from "../../render/inert-markdown.ts";
import { link } from "../../render/markdown.ts";
import { type FiledMarker, markerLine } from "./filed-marker.ts";
import type { OutputsHost } from "./outputs-host.ts";

/** GitHub's limit is 65,536 characters, GitLab's 1,048,576. */
const MAX_BODY_BYTES = 60_000;

type FiledText = {
  readonly asked: OutputOf<"issue" | "discussion">;
  readonly prefix: string;
  readonly marker: FiledMarker;
  /** Lines of our own below the agent's text. */
  readonly notes: readonly string[];
  readonly inert: OutputsHost["inert"];
};

export function filedText({ asked, prefix, marker, notes, inert }: FiledText): {
  title: string;
  body: string;
} {
  const { text } = inertMarkdown(asked.body, MAX_BODY_BYTES);
  const body = [inert(text), ...notes, markerLine(marker)].join("\n\n");
  return { title: `${prefix}${asked.title}`, body };
}

/** Where the text comes from. */
export function originNote(jobUrl: string): string {
  return `Filed for an agent by ${link("this job", jobUrl)}.`;
}
