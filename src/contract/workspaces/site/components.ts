// What the fields of a workspace's site mean. Pure.

import { type Components, component } from "../../component.ts";
import { openedSiteSchema, openSiteRequestSchema, publishSiteRequestSchema, siteSchema } from "./site.ts";

export const siteComponents: Components = {
  Site: component(siteSchema, "A folder of an accepted revision that a workspace shows.", {
    workspace_id: "The workspace.",
    revision_id: "The revision.",
    folder: "The folder; empty for all files.",
    isolation:
      "`origin`: the site has an origin of its own. `sandbox`: it comes from the service's origin, and executes no scripts.",
    published_at: "When it was published.",
  }),
  PublishSiteRequest: component(publishSiteRequestSchema, "What to show.", {
    revision_id: "An accepted revision. Left out: the current one. Null: nothing any more.",
    folder: "A folder of it. Left out: all files.",
  }),
  OpenSiteRequest: component(openSiteRequestSchema, "Where the link leads.", {
    path: "A page of the site. Left out: the first one.",
  }),
  OpenedSite: component(openedSiteSchema, "A link by which a site is looked at.", {
    url: "The link. It is a secret.",
    expires_at: "When it opens nothing any more.",
  }),
};
