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

/**
 * Whether browsers may take the sites and another origin for one site, so that pages of one can set cookies for the other: one host lies
 * below the other, or both below one domain. Without the list of public suffixes: two labels that both end with count as a domain,
 * but for those under which countries register ("co.uk"). What the list knows to be two sites may be refused.
 */
export function isSameSite(siteUrl: string, otherUrl: string): boolean {
  const sites = new URL(siteUrl.replace(`${PLACE}.`, "")).hostname;
  const other = new URL(otherUrl).hostname;
  if (sites === other || other.endsWith(`.${sites}`) || sites.endsWith(`.${other}`)) return true;
  if (/^[\d.]+$|^\[/.test(other)) return false;
  const [mine, theirs] = [sites, other].map((host) => host.split(".").toReversed());
  let shared = 0;
  while (mine?.[shared] !== undefined && mine[shared] === theirs?.[shared]) shared += 1;
  const [top = "", second = ""] = mine ?? [];
  const isCountrys = top.length === 2 && (second.length <= 3 || COUNTRY_SECOND.has(second));
  return shared >= (isCountrys ? 3 : 2);
}

/** Second labels of more than three letters under which countries register domains. */
const COUNTRY_SECOND = new Set(["info", "name", "school", "nhs", "police", "asso", "gouv", "govt", "geek"]);
