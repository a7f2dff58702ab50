// The configuration of an S3 server: its address and its credentials. Types alone: the implementation is loaded only where it is
// used.

export type S3Config = {
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The bucket is in the path, not in the host's name. */
  readonly pathStyle: boolean;
};
