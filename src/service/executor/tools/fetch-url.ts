// The tool that fetches a page from a host that the operator allows. Off where none is allowed.

import * as z from "zod/mini";
import { hostTexts } from "../../core/egress/rules.ts";
import { type FetchedPage, fetchPage, MAX_PAGE_BYTES, type PageAccess } from "./fetch-page.ts";
import { htmlToText } from "./html-text.ts";
import { defineTool, type Tool } from "./tool.ts";
import { described, offsetInput } from "./tool-input.ts";

const MAX_URL_CHARS = 2048;
const MAX_SHOWN_HOSTS = 40;
const PAGE_CHARS = 28_000;

type ShownPage = FetchedPage & { readonly offset: number };

export function fetchUrlTool(access: PageAccess): Tool<ShownPage> {
  return defineTool({
    name: "fetch_url",
    description: `Fetches a text by https and returns it, HTML reduced to what it says. These hosts only: ${hostsText(access)}.`,
    input: z.object({
      url: described(
        z.string().check(z.minLength(1), z.maxLength(MAX_URL_CHARS)),
        "The page's address, with https:// in front.",
      ),
      offset: offsetInput("The first character to show: long texts are returned in parts."),
    }),
    find: async ({ url, offset }, { signal }): Promise<ShownPage> => {
      const page = await fetchPage(access, url, signal);
      const isHtml = page.type === "text/html" || page.type === "application/xhtml+xml";
      return { ...page, text: isHtml ? htmlToText(page.text) : page.text, offset };
    },
    format: ({ url, text: whole, isCut, offset }) => {
      const text = whole.slice(offset - 1, offset - 1 + PAGE_CHARS);
      const last = offset - 1 + text.length;
      const next = last < whole.length ? `; next part: offset ${last + 1}` : "";
      const part =
        text.length === whole.length ? "" : `\n[characters ${offset} to ${last} of ${whole.length}${next}]`;
      const note = isCut ? `\n[cut: these are the first ${MAX_PAGE_BYTES} bytes]` : "";
      // A stream of events has no place for NUL.
      return `[${url}]\n${text === "" ? "[no text]" : text.replaceAll("\0", "\ufffd")}${part}${note}`;
    },
  });
}

function hostsText({ egress }: PageAccess): string {
  const hosts = hostTexts(egress.rules.agent);
  const more = hosts.length - MAX_SHOWN_HOSTS;
  return hosts.slice(0, MAX_SHOWN_HOSTS).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
