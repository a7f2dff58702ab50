// The site of a workspace: a folder of an accepted revision, shown to whoever has a link. Under /v1/workspaces/{workspaceID}/site. Pure.

import * as z from "zod/mini";
import { strictObject } from "../../../base/strict-object.ts";

export const siteSchema = z.object({
  workspace_id: z.uuid(),
  revision_id: z.uuid(),
  /** "" for all files. */
  folder: z.string(),
  /** An origin of its own, or the service's, where pages execute no scripts. */
  isolation: z.enum(["origin", "sandbox"]),
  published_at: z.iso.datetime(),
});
export type SiteView = z.infer<typeof siteSchema>;

export const publishSiteRequestSchema = strictObject({
  /** Left out: the current one. Null takes the site away. */
  revision_id: z.optional(z.nullable(z.uuid())),
  /** Left out: all files. */
  folder: z.optional(z.string().check(z.maxLength(4_096))),
});
export type PublishSiteRequest = z.infer<typeof publishSiteRequestSchema>;

export const openSiteRequestSchema = strictObject({
  /** The page that the link opens. Left out: the first one. */
  path: z.optional(z.string().check(z.maxLength(4_096))),
});
export type OpenSiteRequest = z.infer<typeof openSiteRequestSchema>;

export const openedSiteSchema = z.object({ url: z.url(), expires_at: z.iso.datetime() });
export type OpenedSite = z.infer<typeof openedSiteSchema>;
