import type { PullErrorKind } from './pull-errors.ts';

/** How an image behaves. What is not given is made up from its reference, the same each time. */
export interface FakeImage {
  /** References by which it can be pulled, e.g. `busybox:1.36`. All of them are tags of the one image. */
  readonly tags: readonly [string, ...string[]];
  /** `sha256:` and 64 hex digits: what its registry knows it by. Two images that have a tag one after the other differ in it. */
  readonly digest?: string;
  /** `sha256:` and 64 hex digits: what the runtime knows it by, and containers refer to. Default: made from the digest. */
  readonly id?: string;
  /** Whether it is there from the start, without a pull. Default: no. */
  readonly present?: boolean;
  /** Whether it is reported as pinned: the kubelet then spares it when it makes room. RemoveImage removes it all the same. Default: no. */
  readonly pinned?: boolean;
  /** Unpacked size in bytes. Default: between 1 and 64 MiB. */
  readonly sizeBytes?: number;
  /** How long the registry takes to answer a pull, in milliseconds. Default: 0. */
  readonly pullLatencyMs?: number;
  /** How fast its content comes when it is not present yet. Default: at once. */
  readonly bandwidthBytesPerSecond?: number;
  /** Who may pull it. Default: everybody, with any credentials or none. */
  readonly credentials?: readonly FakeCredential[];
  /** What happens to its first pulls, in turn; those after them succeed. Default: nothing. */
  readonly errors?: readonly FakePullError[];
  /** What runs when a container gives no command. Default: a program that runs until it is stopped. */
  readonly entrypoint?: readonly string[];
  /** Arguments of the entrypoint when a container gives neither command nor arguments. */
  readonly cmd?: readonly string[];
  /** Environment, `NAME=value` each. */
  readonly env?: readonly string[];
  /** `USER` of the image: a numeric UID or a user name. Default: none, which is root. */
  readonly user?: string;
}

/** What a registry accepts: a user's name and password, or a token, whether it comes as an identity token or a registry token. */
export type FakeCredential = { readonly username: string; readonly password: string } | { readonly token: string };

/** A pull that fails. */
export interface FakePullError {
  /** What goes wrong, and so the words and the code of the error. */
  readonly kind: PullErrorKind;
  /** What the registry says about it. Default: what a registry would say. */
  readonly message?: string;
  /** How many pulls it happens to; `Infinity` for all. Default: 1. */
  readonly times?: number;
}
