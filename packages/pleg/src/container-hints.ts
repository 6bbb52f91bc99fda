/**
 * Word that something may have happened to a container or a sandbox. It is a reason to look, never a state: it may come twice, late, for something long
 * past, or not at all.
 */
export interface ContainerHint {
  /** Id of the container or sandbox, without the runtime's prefix. */
  readonly containerId: string;
  /** What is said to have happened: it runs now, or it does not (any more). */
  readonly kind: 'started' | 'stopped';
  /** The pod, where the source knows it. */
  readonly podUid?: string | undefined;
}

/** Where hints come from: the runtime's own events, by whichever interface it has them. */
export interface HintSource {
  /** For logs: `CRI GetContainerEvents`. */
  readonly name: string;
  /**
   * Opens a stream of hints. It ends, or throws, when the connection is lost.
   * @throws HintsUnsupported when the runtime has no such events, so that asking again is in vain
   */
  open(signal: AbortSignal): AsyncIterable<ContainerHint>;
}

/** The runtime does not offer the events that a {@link HintSource} is made of. */
export class HintsUnsupported extends Error {
  override readonly name = 'HintsUnsupported';
  readonly reason = 'Unsupported';
}
