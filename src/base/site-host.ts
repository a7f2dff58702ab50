// The hosts of workspaces' sites: `{workspace}` in the address of all of them stands for a workspace's id. Pure.

const PLACE = "{workspace}";
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** An origin whose host's first label is `{workspace}`, as it is used; null where the text is none. */
export function readSiteUrl(text: string): string | null {
  const origin = text.replace(/\/$/, "");
  if (!/^https?:\/\/\{workspace\}\.[^/{}?#@]+$/.test(origin)) return null;
  const url = URL.parse(origin.replace(PLACE, "workspace"));
  return url !== null && url.origin === origin.replace(PLACE, "workspace") ? origin : null;
}

/** The origin of one workspace's site. */
export function siteOrigin(siteUrl: string, workspaceId: string): string {
  return siteUrl.replace(PLACE, workspaceId);
}

/** The workspace whose site a request's header Host names. Null where it names none. */
export function workspaceOfHost(siteUrl: string, host: string): string | null {
  const [label = ""] = host.split(".", 1);
  const id = label.toLowerCase();
  if (!uuid.test(id)) return null;
  return new URL(siteOrigin(siteUrl, id)).host === host.toLowerCase() ? id : null;
}

/** Whether pages of the sites would share cookies with another origin: one host lies below the other. */
export function sharesCookies(siteUrl: string, otherUrl: string): boolean {
  const sites = new URL(siteUrl.replace(`${PLACE}.`, "")).hostname;
  const other = new URL(otherUrl).hostname;
  return sites === other || other.endsWith(`.${sites}`) || sites.endsWith(`.${other}`);
}
