import type { PullErrorKind } from './pull-errors.ts';

/** Properties of an image. Omitted ones follow from its reference, the same each time. */
export interface FakeImage {
  /** References by which it can be pulled, e.g. `busybox:1.36`; all are tags of one image. */
  readonly tags: readonly [string, ...string[]];
  /** `sha256:` and 64 hex digits: digest in the registry. Successive images of one tag differ in it. */
  readonly digest?: string;
  /** `sha256:` and 64 hex digits: id in the runtime, to which containers refer. Default: derived from the digest. */
  readonly id?: string;
  /** Present from the start, without a pull. Default: no. */
  readonly present?: boolean;
  /** Reported as pinned: the kubelet's garbage collection keeps it. RemoveImage removes it all the same. Default: no. */
  readonly pinned?: boolean;
  /** Unpacked size in bytes. Default: between 1 and 64 MiB. */
  readonly sizeBytes?: number;
  /** Latency of the registry's answer to a pull, in milliseconds. Default: 0. */
  readonly pullLatencyMs?: number;
  /** Bandwidth of the download of content that is not present yet. Default: unlimited. */
  readonly bandwidthBytesPerSecond?: number;
  /** Credentials that may pull it. Default: any, or none. */
  readonly credentials?: readonly FakeCredential[];
  /** Failures of its first pulls, in order; later pulls succeed. Default: none. */
  readonly errors?: readonly FakePullError[];
  /** Command of containers without their own. Default: a program that runs until it is stopped. */
  readonly entrypoint?: readonly string[];
  /** Arguments of the entrypoint when a container has neither command nor arguments. */
  readonly cmd?: readonly string[];
  /** Environment, `NAME=value` each. */
  readonly env?: readonly string[];
  /**
   * `USER` of the image: a numeric UID or a user name, optionally with a colon and a group. A name that `/etc/passwd` does not have gets the UID 1000. Default: none,
   * which is root.
   */
  readonly user?: string;
  /** Text files by absolute path, such as `/etc/passwd`. Default: a few users of busybox. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Credential that a registry accepts: a user's name and password, or a token, sent as an identity token or a registry token. */
export type FakeCredential = { readonly username: string; readonly password: string } | { readonly token: string };

/** Failure of a pull. */
export interface FakePullError {
  /** Kind of the failure, which decides the message and the code of the error. */
  readonly kind: PullErrorKind;
  /** Message of the registry. Default: that of a usual registry. */
  readonly message?: string;
  /** Number of pulls that fail; `Infinity` for all. Default: 1. */
  readonly times?: number;
}
