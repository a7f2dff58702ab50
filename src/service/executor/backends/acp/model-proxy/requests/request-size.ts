// How much of a model's input a request is, in bytes. Pure.

import { IMAGE_CHARS } from "../../../model/message-size.ts";
import { isObject } from "./kept.ts";

/** An image is fewer tokens than its base64 would be as text; how many, only its provider knows. */
const IMAGE_SHARE = 1 / 16;

/** Of the body as it is sent. */
export function inputBytes(body: unknown): number {
  let images = 0;
  const image = (base64: string) => {
    images += Math.max(IMAGE_CHARS, Math.ceil(base64.length * IMAGE_SHARE));
    return "";
  };
  const rest = JSON.stringify(body, function (this: unknown, name: string, value: unknown) {
    if (typeof value !== "string" || value.length < IMAGE_CHARS) return value;
    if (/^data:image\//i.test(value) && (name === "url" || name === "image_url")) return image(value);
    return name === "data" && isImage(this) ? image(value) : value;
  });
  return Buffer.byteLength(rest) + images;
}

/** What holds the bytes: Anthropic's source and Gemini's blob. */
function isImage(holder: unknown): boolean {
  if (!isObject(holder)) return false;
  const type = holder.type === "text" ? null : (holder.media_type ?? holder.mimeType);
  return typeof type === "string" && type.startsWith("image/");
}
