/**
 * Notice that a container or sandbox may have changed. It only triggers a relist and never changes a state: it may be duplicated, late, outdated or missing.
 */
export interface ContainerHint {
  /** Id of the container or sandbox, without the runtime's prefix. */
  readonly containerId: string;
  /** Reported change: the container runs now, or it no longer runs. */
  readonly kind: 'started' | 'stopped';
  /** UID of the pod, if the source has it. */
  readonly podUid?: string | undefined;
}

/** A stream of hints: the runtime's own events, through one of its interfaces. */
export interface HintSource {
  /** Name for logs: `CRI GetContainerEvents`. */
  readonly name: string;
  /**
   * Whether each subscriber gets every event while its stream is open; relists then become rare at once. By default they become rare only after a run of
   * announced changes, because containerd 1.7 distributes its CRI events among the subscribers.
   */
  readonly isComplete?: boolean;
  /**
   * Opens a stream of hints, which ends or throws when the connection is lost.
   * @throws an error with the reason `Unsupported` ({@link HintsUnsupported}) when the runtime has no such events
   */
  open(signal: AbortSignal): HintStream;
}

/** Hints of one subscription. */
export interface HintStream extends AsyncIterable<ContainerHint> {
  /** Resolves when the runtime has answered on the stream's own connection; never rejects. Until then the stream does not count as open. Default: resolved. */
  readonly connected?: Promise<void>;
}

/** Error of a {@link HintSource} whose events the runtime does not offer. Only the `reason` matters, so a source may throw a class of its own. */
export class HintsUnsupported extends Error {
  override readonly name = 'HintsUnsupported';
  readonly reason = 'Unsupported';
}

/** Reports whether the error means that the source will never work with this runtime. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && error.reason === 'Unsupported';
}
