// The type of an image, by its first bytes, and its width and height. Pure.

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

export type ImageSize = { readonly width: number; readonly height: number };

/** Null for any other file. */
export function imageTypeOf(head: Buffer): ImageType | null {
  const text = head.toString("latin1", 0, 12);
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  if (text.startsWith("RIFF") && text.endsWith("WEBP")) return "image/webp";
  return null;
}

/** In pixels. Null where the file does not say, or says nothing that could be. */
export function imageSizeOf(type: ImageType, bytes: Buffer): ImageSize | null {
  const size = readSize(type, bytes);
  return size === null || size.width < 1 || size.height < 1 ? null : size;
}

function readSize(type: ImageType, bytes: Buffer): ImageSize | null {
  switch (type) {
    case "image/png":
      return bytes.length < 24 ? null : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
    case "image/gif":
      return bytes.length < 10 ? null : { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
    case "image/jpeg":
      return jpegSize(bytes);
    case "image/webp":
      return webpSize(bytes);
  }
}

/** The first frame header (ITU-T T.81, B.2.2), behind any number of segments that say their length. */
function jpegSize(bytes: Buffer): ImageSize | null {
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** RFC 9649, 2.5 to 2.7. */
function webpSize(bytes: Buffer): ImageSize | null {
  if (bytes.length < 30) return null;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}
