// The tool that fetches a page from a host that the operator allows. Off where none is allowed.

import * as z from "zod/mini";
import { fetchPage, MAX_PAGE_BYTES, type Page, type PageAccess } from "./fetch-page.ts";
import { htmlToText } from "./html-text.ts";
import { defineTool, type Tool } from "./tool.ts";

const MAX_URL_CHARS = 2048;

export function fetchUrlTool(access: PageAccess): Tool<Page> {
  return defineTool({
    name: "fetch_url",
    description: `Fetches a text by https and returns it, HTML reduced to what it says. These hosts only: ${access.allow.join(", ")}.`,
    input: z.object({ url: z.string().check(z.minLength(1), z.maxLength(MAX_URL_CHARS)) }),
    find: async ({ url }, { signal }): Promise<Page> => {
      const page = await fetchPage(access, url, signal);
      const isHtml = page.type === "text/html" || page.type === "application/xhtml+xml";
      return isHtml ? { ...page, text: htmlToText(page.text) } : page;
    },
    format: ({ url, text, isCut }) => {
      const note = isCut ? `\n[cut: these are the first ${MAX_PAGE_BYTES} bytes]` : "";
      // A stream of events has no place for NUL.
      return `[${url}]\n${text === "" ? "[no text]" : text.replaceAll("\0", "\ufffd")}${note}`;
    },
  });
}
