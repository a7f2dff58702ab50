// The images that people have put into the texts of a prompt, for a model that can see. What cannot be read is named in the prompt.
// https://docs.github.com/en/rest/issues/issues (media type "full", looked up on 2026-11-23)
// Why: docs/decisions/070-images-of-the-thread.md

import * as z from "zod/mini";
import { plural } from "../../render/quantities.ts";
import type { GitHubApi } from "../api/github-api.ts";
import { GitHubError } from "../api/github-error.ts";
import type { RequestImage, RequestSubject } from "../trigger/agent-request.ts";
import { type DownloadOptions, downloadImage } from "./download-image.ts";
import { type ImageReference, imageReferences, signedAddresses } from "./image-references.ts";

const MAX_IMAGES = 5;
const MAX_IMAGE_BYTES = 3_000_000;
const MAX_ALL_BYTES = 6_000_000;
const MAX_PAGES = 10;
const PAGE = 100;

const htmlSchema = z.object({ body_html: z.optional(z.nullable(z.string())) });

export type ThreadImagesOptions = {
  readonly prompt: string;
  readonly subject: Pick<RequestSubject, "number" | "comment" | "discussionId">;
};

export type ThreadImages = {
  readonly images: readonly RequestImage[];
  /** The last part of the prompt; "" where every image is there. */
  readonly prompt: string;
  /** A line of the job's log; null where the prompt shows no image. */
  readonly said: string | null;
};

/** Rejects only with the signal's reason. */
export async function readThreadImages(
  access: DownloadOptions & { readonly api: Pick<GitHubApi, "readFull"> },
  { prompt, subject }: ThreadImagesOptions,
): Promise<ThreadImages> {
  const references = imageReferences(prompt, access.serverUrl);
  if (references.length === 0) return { images: [], prompt: "", said: null };
  const wanted = references.slice(0, MAX_IMAGES);
  const signed = await signedOf(access, { wanted, subject });
  const images: RequestImage[] = [];
  const missing: string[] = [];
  let left = MAX_ALL_BYTES;
  for (const { id, url } of wanted) {
    const address = signed.get(id) ?? url;
    const image = await downloadImage(access, { url: address, maxBytes: Math.min(left, MAX_IMAGE_BYTES) });
    if (image.ok) {
      left -= image.bytes;
      images.push({ name: url, mime: image.mime, base64: image.base64 });
    } else missing.push(`${url} (${image.why})`);
  }
  missing.push(...references.slice(MAX_IMAGES).map(({ url }) => `${url} (one of more than ${MAX_IMAGES})`));
  return {
    images,
    prompt: missing.length === 0 ? "" : `Images that are not attached: ${missing.join(", ")}.`,
    said: `The agent gets ${images.length} of ${plural(references.length, "image")} of the thread.${
      missing.length === 0 ? "" : ` Not: ${missing.join(", ")}.`
    }`,
  };
}

/** The addresses by which the code host gives the images. Without an answer there are none, and the plain ones are tried. */
async function signedOf(
  { api, serverUrl }: Pick<DownloadOptions, "serverUrl"> & { readonly api: Pick<GitHubApi, "readFull"> },
  { wanted, subject }: { wanted: readonly ImageReference[]; subject: ThreadImagesOptions["subject"] },
): Promise<ReadonlyMap<string, string>> {
  const signed = new Map<string, string>();
  try {
    for await (const html of htmlOf(api, subject)) {
      for (const [id, address] of signedAddresses(html, serverUrl)) signed.set(id, address);
      if (wanted.every(({ id }) => signed.has(id))) break;
    }
  } catch (cause) {
    if (!(cause instanceof GitHubError)) throw cause;
  }
  return signed;
}

/** The texts of a prompt as the code host shows them: the subject, the request, the comments before it. */
async function* htmlOf(
  api: Pick<GitHubApi, "readFull">,
  { number, comment, discussionId }: ThreadImagesOptions["subject"],
): AsyncGenerator<string, void> {
  // REST has no discussions: their images are tried at their plain addresses.
  if (discussionId !== undefined) return;
  const isAtLine = comment?.type === "pull_request_review_comment";
  const single = [`/issues/${number}`, ...(comment === null ? [] : [commentPath(number, comment)])];
  for (const path of single) yield (await api.readFull(path, htmlSchema))?.body_html ?? "";
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const path = `/${isAtLine ? "pulls" : "issues"}/${number}/comments?per_page=${PAGE}&page=${page}`;
    const comments = (await api.readFull(path, z.array(htmlSchema))) ?? [];
    for (const { body_html: html } of comments) yield html ?? "";
    if (comments.length < PAGE) return;
  }
}

function commentPath(
  number: number,
  { type, id }: Pick<NonNullable<RequestSubject["comment"]>, "type" | "id">,
): string {
  switch (type) {
    case "issue_comment":
      return `/issues/comments/${id}`;
    case "pull_request_review_comment":
      return `/pulls/comments/${id}`;
    case "pull_request_review":
      return `/pulls/${number}/reviews/${id}`;
    case "discussion_comment":
      throw new RangeError("REST has no comments of discussions.");
  }
}
