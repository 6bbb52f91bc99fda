/** Progress of an image pull, as far as a container runtime reports it. */
export interface PullProgress {
  /** `resolving` until the manifest is known, `unpacking` from the end of the download on. */
  readonly step: 'resolving' | 'downloading' | 'unpacking';
  /** Bytes of the image's compressed content that are present, including content that was present before the pull. Absent if unknown. */
  readonly currentBytes?: number | undefined;
  /** Size of the image's compressed content, not less than `currentBytes`. Absent until it is known. */
  readonly totalBytes?: number | undefined;
}

/** A call of PullImage in flight. */
export interface PullInFlight {
  /** Image of the request, with its tag or digest. */
  readonly image: string;
  /** Start of the call, in epoch milliseconds. */
  readonly startedMs: number;
}

/** Source of the progress of image pulls, which the CRI does not report. */
export interface PullProgressSource {
  /** Name for logs. */
  readonly name: string;
  /** Creates a reader. It does no I/O before its first read. */
  open(): PullProgressReader;
}

/** Reads the progress of pulls. Disposing of it closes its connection. */
export interface PullProgressReader extends Disposable {
  /**
   * Returns the progress of each pull, in the order of `pulls`; `undefined` for a pull of which nothing is known. A pull must be the same object in every read. A read
   * must not delay a pull.
   *
   * @throws an error with the reason `Unsupported` when the runtime will never report progress; any other error when it does not answer now
   */
  read(pulls: readonly PullInFlight[], signal: AbortSignal): Promise<readonly (PullProgress | undefined)[]>;
}
