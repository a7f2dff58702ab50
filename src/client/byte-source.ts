// Bytes to upload, and downloads. Types alone.

/** Bytes to upload. A function makes the bytes anew, so that the call can be repeated as its route allows. */
export type ByteSource = Bytes | (() => Bytes);
/** Bytes, or what they come from. */
export type Bytes = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** Bytes of a known size, which every transport sends as a stream with its Content-Length. */
export type SizedBytes = {
  /** Their number. */
  readonly size: number;
  /** From the first byte on, each time that it is called. */
  open(): AsyncIterable<Uint8Array>;
};

/** An answer in bytes. Read `body` to its end, or cancel it: the connection is held until then. */
export type Download = {
  /** 206 where a range was asked for and given, 304 where `ifNoneMatch` still holds: there is no body then. */
  readonly status: number;
  /** Of this answer, where the service says it. */
  readonly size: number | null;
  /** Without quotes. */
  readonly etag: string | null;
  /** The media type of the bytes; empty where the service names none. */
  readonly contentType: string;
  /** Such as `bytes 0-1023/4096`. */
  readonly contentRange: string | null;
  /** The bytes, as they come. A transfer that breaks off ends with a ConnectionError. */
  readonly body: ReadableStream<Uint8Array>;
};
