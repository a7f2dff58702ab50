// The size of a request: its share of a model's input, and the work to decode it. Pure.

import { IMAGE_CHARS } from "../../../model/message-size.ts";

/** An image is fewer tokens than its base64 would be as text; how many, only its provider knows. */
const IMAGE_SHARE = 1 / 16;
/** Far more than a conversation that fills a model's window. To decode one takes a few microseconds. */
const MAX_OBJECTS = 100_000;

/** Beginnings of an image's bytes, as the requests of all protocols are written: a URL, or a type with `data` after it. */
const beginnings = ['"data:image/', '"media_type":"image/', '"mimeType":"image/'];
const DATA = '","data":"';

/** In bytes, of the request as it is sent. */
export function inputBytes(request: string): number {
  let bytes = Buffer.byteLength(request);
  for (const beginning of beginnings) {
    for (let at = request.indexOf(beginning); at >= 0; at = request.indexOf(beginning, at + 1)) {
      const end = request.indexOf('"', at + beginning.length);
      const from = request.startsWith(DATA, end) ? end + DATA.length : at;
      const chars = request.indexOf('"', from + 1) - from;
      if (chars > IMAGE_CHARS) bytes -= chars - Math.max(IMAGE_CHARS, Math.ceil(chars * IMAGE_SHARE));
    }
  }
  return bytes;
}

/** Whether JSON has too many objects. Within a text a quotation mark has a backslash before it. */
export function hasTooMany(json: string): boolean {
  let count = 0;
  for (let at = json.indexOf('{"'); at >= 0 && count <= MAX_OBJECTS; at = json.indexOf('{"', at + 1))
    count += 1;
  return count > MAX_OBJECTS;
}
