import { symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { imageSizeOf, imageTypeOf } from "../../../../src/base/image-type.ts";
import type { Checkout } from "../../../../src/service/core/checkouts/checkout.ts";
import { viewImage } from "../../../../src/service/executor/tools/view-image.ts";
import { folderCheckout } from "./folder-checkout.ts";
import { gif, jpeg, png, webp } from "./images.ts";

const signal = new AbortController().signal;
let checkout: Checkout;
afterEach(() => checkout.close());

describe("view_image", () => {
  it.each([
    ["a.png", png(120, 45), "image/png"],
    ["a.jpg", jpeg(120, 45), "image/jpeg"],
    ["a.gif", gif(120, 45), "image/gif"],
    ["lossy.webp", webp("VP8 ", 120, 45), "image/webp"],
    ["lossless.webp", webp("VP8L", 120, 45), "image/webp"],
    ["extended.webp", webp("VP8X", 120, 45), "image/webp"],
    ["called.txt", png(120, 45), "image/png"],
  ])("shows %s by its bytes, with its size", async (path, bytes, mediaType) => {
    checkout = await folderCheckout({ [path]: bytes });
    const answer = await viewImage.run({ path: `./${path}` }, { checkout, signal });
    expect(answer.text).toContain(`${mediaType}, 120 x 45 pixels, ${bytes.length} bytes.`);
    expect(answer.images).toEqual([{ label: `./${path}`, mediaType, base64: bytes.toString("base64") }]);
  });

  it.each([
    ["text.png", "The file text.png is no PNG, JPEG, GIF or WebP. Use read_file for text."],
    ["large.png", "The file large.png has 3750001 bytes, at most 3750000 are shown."],
    ["wide.png", "The image wide.png has 8001 x 1 pixels, at most 8000 a side are shown."],
    ["flat.png", "The file flat.png is a damaged image (image/png)."],
    ["cut.jpg", "The file cut.jpg is a damaged image (image/jpeg)."],
    ["none.png", 'There is no file or folder "none.png" in the repository.'],
    ["zero", "leads out of the repository"],
    ["../x.png", 'must not hold ".."'],
    ["", "The input of view_image is wrong"],
  ])("refuses %s", async (path, words) => {
    checkout = await folderCheckout({
      "text.png": "hello",
      "large.png": png(1, 1),
      "wide.png": png(8_001, 1),
      "flat.png": png(0, 9),
      "cut.jpg": jpeg(9, 9).subarray(0, 6),
    });
    await truncate(join(checkout.root, "large.png"), 3_750_001);
    await symlink("/dev/zero", join(checkout.root, "zero"));
    await expect(viewImage.run({ path }, { checkout, signal })).rejects.toThrow(words);
  });

  it("reads no size beyond the bytes of a file", async () => {
    checkout = await folderCheckout({});
    for (const bytes of [png(9, 9), jpeg(9, 9), gif(9, 9), webp("VP8X", 9, 9), webp("VP8L", 9, 9)]) {
      for (let end = 0; end < bytes.length; end += 1) {
        const part = bytes.subarray(0, end);
        const type = imageTypeOf(part);
        if (type !== null) expect(() => imageSizeOf(type, part)).not.toThrow();
      }
    }
  });
});
