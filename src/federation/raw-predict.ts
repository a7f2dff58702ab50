// Anthropic's messages as Vertex AI has them: the address names the model, and the body the version of the protocol. Pure.
// https://platform.claude.com/docs/build-with-claude/claude-on-vertex-ai, looked up on 2026-11-29.

import { parseObject } from "../base/json.ts";

const VERSION = "vertex-2023-10-16";

type Asked = { readonly url: string; readonly body: string };

/** `{models}/messages` with the model in its body, as `{models}/{model}:streamRawPredict`. Another request as it is. */
export function rawPredict({ url, body }: Asked): Asked {
  const { model, ...fields } = parseObject(body) ?? {};
  const resource = "/messages";
  if (!url.endsWith(resource) || typeof model !== "string") return { url, body };
  const method = fields.stream === true ? "streamRawPredict" : "rawPredict";
  return {
    url: `${url.slice(0, -resource.length)}/${encodeURIComponent(model).replaceAll("%40", "@")}:${method}`,
    body: JSON.stringify({ anthropic_version: VERSION, ...fields }),
  };
}
