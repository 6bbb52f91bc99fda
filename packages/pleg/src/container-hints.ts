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
   * @throws an error with the reason `Unsupported` ({@link HintsUnsupported}) when the runtime has no such events, so that asking again is in vain
   */
  open(signal: AbortSignal): AsyncIterable<ContainerHint>;
}

/** The runtime does not offer the events that a {@link HintSource} is made of. What counts is the `reason`, so that a source need not know this class. */
export class HintsUnsupported extends Error {
  override readonly name = 'HintsUnsupported';
  readonly reason = 'Unsupported';
}

/** Whether a source said that it will never work. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && error.reason === 'Unsupported';
}

/** The first of several sources that works with the runtime: each time the stream is opened they are tried in order. */
export function firstSupported(...sources: readonly HintSource[]): HintSource {
  return {
    name: sources.map(({ name }) => name).join(', else '),
    async *open(signal) {
      let unsupported = new HintsUnsupported('no source of hints was given');
      for (const source of sources) {
        try {
          yield* source.open(signal);
          return;
        } catch (error) {
          if (!isUnsupported(error)) throw error;
          unsupported = error as HintsUnsupported;
        }
      }
      throw unsupported;
    },
  };
}
